//! `include FILE [as ALIAS]`: the labels of another file, under a name of their own.
//!
//! Includes stand before everything else. What is included is entered at its label `ENTRY`
//! (`Call alias/ENTRY ->result`) and left at labels that begin with `EXIT_`.

use std::borrow::Cow;

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use graph::ops::SlotKind;
use value::Text;

use super::found;
use super::program::{Label, Program, label_named};
use super::token::{self, Line, Word};
use crate::{Files, Include, Missing};

/// The word that includes.
pub(crate) const INCLUDE: &str = "include";

/// What a text includes. Its first byte is at `base`.
pub(crate) fn wanted(text: &str, base: u32) -> Vec<Include> {
    let mut unread = Vec::new();
    let lines = token::lines(text, base, &mut unread);
    let includes = lines.take_while(|line| line.op.text == INCLUDE);
    let paths = includes.filter_map(|line| line.words.into_iter().next());
    paths.map(|path| Include { at: path.span, path: (&*path.text).into() }).collect()
}

/// Adds the labels of the included files to a program.
pub(crate) fn merge<'a>(
    program: &mut Program<'a>,
    source: &'a Source,
    files: &Files,
    findings: &mut Vec<Diagnostic>,
) {
    for line in std::mem::take(&mut program.includes) {
        let Some(path) = line.words.first() else {
            findings.push(incomplete(&line));
            program.keep(&line, Some("arity"));
            continue;
        };
        let alias = match (line.words.get(1), line.words.get(2)) {
            (Some(word), Some(alias)) if word.text == "as" => (&*alias.text).into(),
            (Some(_), _) => {
                findings.push(incomplete(&line));
                stem(&path.text)
            }
            (None, _) => stem(&path.text),
        };
        let surplus = line.words.get(3..).unwrap_or_default();
        findings.extend(found::surplus_words(INCLUDE, "include FILE as NAME", surplus));
        let part = match files.get(path.span) {
            Some(Ok(part)) => part,
            Some(Err(why)) => {
                findings.push(missing(path, why));
                continue;
            }
            None => {
                let looked = Vec::new();
                findings.push(missing(path, &Missing::NotFound { looked }));
                continue;
            }
        };
        let included = super::parse(source, part, files, findings);
        contract(&included, path, findings);
        add(program, included, &alias, path, findings);
    }
}

/// The name of a file without its folders and its ending.
pub(crate) fn stem(path: &str) -> Text {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).into()
}

/// Takes the labels over. What leads to a label of the same file still does.
fn add<'a>(
    program: &mut Program<'a>,
    mut included: Program<'a>,
    alias: &Text,
    path: &Word<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let own: std::collections::BTreeSet<Text> =
        included.labels.iter().map(|label| label.id.clone()).collect();
    program.ops += included.ops;
    program.meta.append(&mut included.meta);
    for mut label in included.labels {
        let id: Text = format!("{alias}/{}", label.id).into();
        if let Some(first) = program.find(&id) {
            let message = format!("label `{id}` comes from two files");
            let found = Diagnostic::new(&codes::LABEL_TWICE, Anchor::Span(path.span), message);
            let found = found.label(Anchor::Span(first.at), "it is declared here too");
            findings.push(found.help("give one of the files another name: `as NAME`"));
        }
        lead_inside(&mut label, &own, alias);
        let at = program.label(id, label.at);
        program.labels[at].inline = label.inline;
        for step in label.steps {
            program.step(at, step);
        }
    }
}

fn lead_inside(label: &mut Label<'_>, own: &std::collections::BTreeSet<Text>, alias: &str) {
    for step in &mut label.steps {
        for (slot, word) in &mut step.filled {
            if matches!(slot.kind, SlotKind::Target(_) | SlotKind::Callee) {
                let id = label_named(&word.text);
                if own.contains(id) {
                    word.text = Cow::Owned(format!("->L{alias}/{id}"));
                }
            }
        }
    }
}

/// What an included file must be like, so that whoever includes it knows how to use it.
fn contract(included: &Program<'_>, path: &Word<'_>, findings: &mut Vec<Diagnostic>) {
    let at = Anchor::Span(path.span);
    let file = &path.text;
    let mut say = |what: String, help: &str| {
        let message = format!("`{file}` {what}");
        findings.push(Diagnostic::new(&codes::INCLUDE_CONTRACT, at.clone(), message).help(help));
    };
    if included.find("ENTRY").is_none() {
        say("has no label `ENTRY`".into(), "callers begin there: `LENTRY:`");
    }
    if !included.labels.iter().any(|label| label.id.starts_with("EXIT_")) {
        say("has no label that begins with `EXIT_`".into(), "it is where callers leave it");
    }
    let mut words: Vec<&str> = included.declared.iter().map(|line| &*line.op.text).collect();
    words.sort_unstable();
    words.dedup();
    if !words.is_empty() {
        let what = format!("declares something that is not taken over: {}", words.join(", "));
        say(what, "only labels are included; declare it in the file that includes it");
    }
}

fn incomplete(line: &Line<'_>) -> Diagnostic {
    let message = "an include names a file, and may name it otherwise";
    Diagnostic::new(&codes::TOO_FEW_WORDS, Anchor::Span(line.span()), message)
        .help("write `include FILE as NAME`")
}

/// An include behind something else.
pub(crate) fn late(line: &Line<'_>) -> Diagnostic {
    let message = "this file is not included: includes stand before everything else";
    Diagnostic::new(&codes::LATE_INCLUDE, Anchor::Span(line.op.span), message)
        .help("put it at the beginning of the file")
}

fn missing(path: &Word<'_>, why: &Missing) -> Diagnostic {
    let file = &path.text;
    let (message, help) = match why {
        Missing::NotFound { looked } => {
            let places: Vec<String> = looked.iter().map(|place| format!("`{place}`")).collect();
            let help = match places.is_empty() {
                true => "files are looked for beside the one that includes them".to_string(),
                false => format!("there is none at {}", places.join(", ")),
            };
            (format!("`{file}` is not there"), help)
        }
        Missing::Cycle { chain } => {
            let chain: Vec<&str> = chain.iter().map(|file| &**file).collect();
            let message = format!("`{file}` includes itself: {}", chain.join(" -> "));
            (message, "put what both need into a third file".to_string())
        }
        Missing::Unreadable { file, why } => {
            (format!("`{file}` cannot be read: {why}"), "make it readable".to_string())
        }
        Missing::NotUtf8 { file, line } => {
            (format!("line {line} of `{file}` is not UTF-8"), "save the file as UTF-8".to_string())
        }
        Missing::Address => {
            (format!("`{file}` is an address"), "only files are included".to_string())
        }
        Missing::TooDeep(most) => {
            (format!("files include files more than {most} deep"), "include less".to_string())
        }
        Missing::TooMany(most) => {
            (format!("more than {most} files are included"), "include less".to_string())
        }
        Missing::TooLarge(most) => {
            let message = format!("included files have more than {most} bytes together");
            (message, "include less".to_string())
        }
    };
    Diagnostic::new(&codes::NOT_INCLUDED, Anchor::Span(path.span), message).help(help)
}

/// Where a text begins, for whoever reads all of it.
pub(crate) fn part_text(source: &Source, part: Span) -> &str {
    source.text.get(part.range()).unwrap_or_default()
}
