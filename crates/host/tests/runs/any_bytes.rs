//! Any text in a configuration, and any damage to a history, is refused or taken: nothing breaks.
//! `fuzz/` asks the same without an end; answers of models have theirs beside the schemas.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use diagnostics::Source;
use history::{Archive, Timestamp};
use host::config::{Config, ConfigError};
use host::{LoadError, Python, load, replay, traced};
use proptest::prelude::*;
use proptest::sample::Index;
use store::{Importing, MemoryStore, import};
use value::json;

use crate::histories::histories;

/// What begins a line of a configuration, and what may stand behind it.
const NAME: &str = r#"\[tools\.[a-z]{0,2}\]\n|(command|touches|again|timeout|env|é) ?= ?"#;
const VALUE: &str =
    r#"\["a", ?"b\\u0041"\]|"(key|read|5s|9h|-1)"|[0-9]{1,3}|\{ ?a ?= ?"b" ?\}|\[|""#;

fn check_config(text: &str) -> Result<(), TestCaseError> {
    let source = Source::new("quipu.toml", text);
    if let Err(error) = Config::parse(&source, Path::new("/project")) {
        let ConfigError::Wrong(findings) = error else { panic!("{error}") };
        prop_assert!(!findings.is_empty());
        for finding in findings {
            let line = text.split('\n').nth(finding.at.line - 1);
            let fits = |line: &str| finding.at.col <= line.chars().count() + 1;
            prop_assert!(line.is_some_and(fits), "{:?} is outside of the text", finding);
        }
    }
    Ok(())
}

static LINES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let texts = histories().into_iter().map(|file| fs::read_to_string(file).unwrap());
    texts.map(|text| text.lines().map(str::to_owned).collect()).collect()
});

#[derive(Clone, Debug)]
enum Damage {
    Drop(Index),
    Twice(Index),
    Swap(Index, Index),
    /// The event is sound, but does not say where it belongs.
    Bare(Index),
    Byte(Index, Index, u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    let line = any::<Index>;
    prop_oneof![
        line().prop_map(Damage::Drop),
        line().prop_map(Damage::Twice),
        (line(), line()).prop_map(|(one, other)| Damage::Swap(one, other)),
        line().prop_map(Damage::Bare),
        (line(), line(), any::<u8>()).prop_map(|(line, at, byte)| Damage::Byte(line, at, byte)),
    ]
}

fn damaged(mut lines: Vec<Vec<u8>>, damage: &[Damage]) -> Vec<u8> {
    for one in damage {
        let count = lines.len();
        if count == 0 {
            break;
        }
        match one {
            Damage::Drop(at) => drop(lines.remove(at.index(count))),
            Damage::Twice(at) => {
                let at = at.index(count);
                lines.insert(at, lines[at].clone());
            }
            Damage::Swap(at, other) => lines.swap(at.index(count), other.index(count)),
            Damage::Bare(at) => {
                let line = &mut lines[at.index(count)];
                let text = std::str::from_utf8(line).ok().and_then(|text| json::parse(text).ok());
                if let Some(event) = text.as_ref().and_then(|line| line.get("event")) {
                    *line = json::canonical(event).into_bytes();
                }
            }
            Damage::Byte(at, within, byte) => {
                let line = &mut lines[at.index(count)];
                if !line.is_empty() {
                    let within = within.index(line.len());
                    line[within] = *byte;
                }
            }
        }
    }
    lines.join(&b'\n')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_a_configuration_or_says_where_it_is_none(text in any::<String>()) {
        check_config(&text)?;
    }

    #[test]
    fn any_text_like_a_configuration_is_one_or_says_where_it_is_none(
        lines in proptest::collection::vec((NAME, VALUE, "\n?"), 0..6),
    ) {
        let lines = lines.iter().map(|(name, value, end)| format!("{name}{value}{end}"));
        check_config(&lines.collect::<String>())?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What was damaged is found out or does not matter. Whatever was taken in can be looked at,
    /// and what loads replays.
    #[test]
    fn a_damaged_history_is_refused_or_loads(
        which in any::<Index>(),
        damage in proptest::collection::vec(damage(), 1..4),
    ) {
        let lines = which.get(&LINES).iter().map(|line| line.clone().into_bytes()).collect();
        let bytes = damaged(lines, &damage);
        let store = MemoryStore::default();
        let now = Timestamp::parse("2100-01-01T00:00:00Z").unwrap();
        let importing = Importing { file: "damaged".into(), strict: false, now };
        let _ = import(&store, &mut Cursor::new(bytes), &importing, &mut |_, _| {});
        let mut python = Python::default();
        for info in store.streams(None, usize::MAX).unwrap() {
            let loaded = load(&store, &info.stream, None, &mut python);
            let replayed = replay(&store, &info.stream, None, &mut python);
            // What was cut off can be looked at, but cannot go on.
            let is_cut_off = matches!(loaded, Err(LoadError::CutOff(_)));
            prop_assert_eq!(loaded.is_ok() || is_cut_off, replayed.is_ok());
            let traced = traced(&store, &info.stream, None, &mut python);
            prop_assert_eq!(traced.is_ok(), replayed.is_ok());
        }
    }
}
