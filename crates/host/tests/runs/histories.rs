//! Histories that were written once and must mean the same forever.
//!
//! `tests/histories` has exports of runs, and beside each what happened in its runs (`.txt`).
//! `UPDATE=1 cargo test` writes a `.txt` that is missing, and never another.
//!
//! When one of them fails, the engine has come to read old histories differently: it could neither
//! replay nor resume what people have in their stores. Mend the engine. Where its semantics must
//! change, runs that begin from then on say so (`engine` in `host::versions`), the engine keeps the
//! old behaviour for runs that began with an older number, and a new history is added here; those
//! that are here stay as they are. The same goes for another interpreter of logic (`python`).

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use history::{Archive, Stream, Timestamp};
use host::{LoadError, Python, load, replay, traced};
use store::{Importing, MemoryStore, export, import};

pub(crate) fn histories() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "jsonl")).collect();
    files.sort();
    files
}

fn imported(file: &Path) -> MemoryStore {
    let store = MemoryStore::default();
    // No event is of the future.
    let now = Timestamp::parse("2100-01-01T00:00:00Z").unwrap();
    let importing = Importing { file: "history".into(), strict: true, now };
    let mut text = Cursor::new(fs::read(file).unwrap());
    let mut findings = Vec::new();
    import(&store, &mut text, &importing, &mut |_, finding| findings.push(finding.message))
        .unwrap();
    assert!(findings.is_empty(), "{}: {findings:?}", file.display());
    store
}

fn streams(store: &MemoryStore) -> Vec<Stream> {
    store.streams(None, usize::MAX).unwrap().into_iter().map(|info| info.stream).collect()
}

/// What happened in the runs of a store, one line each.
fn told(store: &MemoryStore) -> String {
    let mut text = String::new();
    for stream in streams(store) {
        let traced = traced(store, &stream, None, &mut Python::default()).unwrap();
        text += &format!("{stream}: {}\n", traced.run.status().word());
        for step in &traced.steps {
            text += &format!("{} {step}\n", step.seq);
        }
        text.push('\n');
    }
    text
}

#[test]
fn what_was_written_once_means_the_same_forever() {
    let histories = histories();
    assert!(histories.len() >= 5);
    for file in histories {
        let store = imported(&file);
        let told = told(&store);
        let beside = file.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() && !beside.exists() {
            fs::write(&beside, &told).unwrap();
        }
        let wanted = fs::read_to_string(&beside).unwrap();
        assert!(told == wanted, "{} now reads\n{told}", file.display());
        for stream in streams(&store) {
            replay(&store, &stream, None, &mut Python::default()).unwrap();
        }
        let mut again = Vec::new();
        export(&store, None, &mut again).unwrap();
        assert_eq!(again, fs::read(&file).unwrap(), "{}", file.display());
    }
}

/// Together they have everything that the engine writes.
#[test]
fn most_kinds_of_events_are_among_them() {
    let all: String = histories().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for kind in [
        "run_started",
        "message_created",
        "model_request",
        "model_response",
        "tool_call",
        "effect_started",
        "tool_result",
        "question_asked",
        "question_answered",
        "timer_set",
        "timer_fired",
        "interruption",
        "run_paused",
        "run_cancelled",
        "agent_forked",
        "state_set",
        "substitution",
        "time_observed",
        "approval_decided",
        "run_finished",
    ] {
        assert!(all.contains(&format!("\"kind\":\"{kind}\"")), "no history has `{kind}`");
    }
}

/// Wherever a history was cut off, it is loaded as far as it goes, or refused where that is in the
/// middle of what belongs together: nothing is recorded a second time.
#[test]
fn a_history_that_was_cut_off_in_the_middle_does_not_go_on() {
    let file = histories().into_iter().find(|file| file.ends_with("race.jsonl")).unwrap();
    let text = fs::read_to_string(file).unwrap();
    let (lines, beside): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("{\"event\""));
    let mut refused = Vec::new();
    for count in 1..=lines.len() {
        let store = MemoryStore::default();
        let now = Timestamp::parse("2100-01-01T00:00:00Z").unwrap();
        let importing = Importing { file: "history".into(), strict: false, now };
        let kept = [&beside[..], &lines[..count]].concat();
        let mut cut = Cursor::new(kept.join("\n").into_bytes());
        import(&store, &mut cut, &importing, &mut |_, _| {}).unwrap();
        for stream in streams(&store) {
            match load(&store, &stream, None, &mut Python::default()) {
                Ok(_) => {}
                Err(LoadError::CutOff(_)) => refused.push(count),
                Err(error) => panic!("{count} lines: {error}"),
            }
        }
    }
    // A block of logic without how it failed, for one.
    assert!(!refused.is_empty() && refused.len() < lines.len(), "{refused:?}");
    assert!(!refused.contains(&lines.len()));
}
