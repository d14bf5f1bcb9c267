//! AINL: lines of ops under labels, or the compact syntax; both become the same program, and the
//! program a draft.
//!
//! `token` cuts lines into words, `program` sorts the lines (`compact` makes lines of its own
//! syntax), `step` puts words into the slots of the op table, `words` says which of them are
//! variables, `lower` makes nodes and edges, `declare` everything beside the labels. What an op
//! means is in none of them: that is the op table's.

mod compact;
mod declare;
mod format;
mod found;
mod include;
mod lower;
mod program;
mod step;
mod token;
mod words;
mod write;

use diagnostics::{Diagnostic, Source, Span};
use graph::Kind;
use graph::draft::Draft;
use value::{Map, Pointer, Text, Value};

pub use format::format;
pub use step::usage;
pub use write::write;

use crate::origins::Origins;
use crate::{Files, Given, Include, Reading};
use program::{NOWHERE, Program};
use words::Names;

/// Whether a text looks like a program, in either syntax: it begins with an op or a header, or
/// declares a label somewhere.
pub(crate) fn is_program(text: &str) -> bool {
    let lines = token::numbered(text).map(|(_, _, line)| line);
    let mut words = lines.filter_map(|line| line.split_whitespace().next());
    let is_label = |word: &str| program::declared_label(word).is_some();
    let mut code = words.by_ref().filter(|word| !word.starts_with('#'));
    let is_begun = code
        .next()
        .is_some_and(|word| is_label(word) || program::is_op(word) || word == include::INCLUDE);
    is_begun || compact::is_compact(text) || words.any(is_label)
}

/// What part of a source includes.
pub(crate) fn includes(source: &Source, part: Span) -> Vec<Include> {
    include::wanted(include::part_text(source, part), part.start)
}

/// Reads a program. The inputs that are given are names that it can read.
pub fn read(source: &Source, given: &Given) -> Reading {
    let mut findings = Vec::new();
    let mut origins = Origins::of_lines();
    let program = parse(source, source.part_around(0), &given.files, &mut findings);
    let names = Names::new(&program, given);
    let mut draft = Draft::default();
    for label in &program.labels {
        let (made, origin) = lower::label(label, &program, &names, &mut findings);
        origins.label(label.id.clone(), origin);
        draft.labels.insert(label.id.clone(), made);
    }
    let inputs = draft.declarations.of_mut(Kind::Inputs);
    for name in &names.inputs {
        inputs.insert(name.clone(), Value::map([("from", "user".into())]));
    }
    declare::declare(&program, &mut draft, &mut origins, &mut findings);
    if let Some(entry) = entry(&program, &draft) {
        draft.runtime_policy.insert("entry".into(), Value::Text(entry));
    }
    by_the_clock(&program, &mut draft, &mut origins);
    if let Some(name) = program.name.clone().or_else(|| stem(&source.file)) {
        draft.extra.insert("name".into(), Value::Text(name));
    }
    describe(source.own_text(), program, &mut draft.extra);
    Reading { draft: Some(draft), findings, carried: Vec::new(), origins }
}

/// Sorts the lines of a part of the source, and those of the files that it includes.
fn parse<'a>(
    source: &'a Source,
    part: Span,
    files: &Files,
    findings: &mut Vec<Diagnostic>,
) -> Program<'a> {
    let mut program = Program::default();
    let text = include::part_text(source, part);
    if compact::is_compact(text) {
        compact::read(text, part.start, &mut program, findings);
    } else {
        let mut about_words = Vec::new();
        let lines = token::lines(text, part.start, &mut about_words);
        program::read(lines, &mut program, findings);
        findings.append(&mut about_words);
    }
    include::merge(&mut program, source, files, findings);
    program
}

/// `S core cron "0 3 * * *"` runs what a run begins with, by the clock.
fn by_the_clock(program: &Program<'_>, draft: &mut Draft, origins: &mut Origins) {
    let core = draft.extra.get("services").and_then(|services| services.get("core"));
    let member = |name: &str| core.and_then(|core| core.get(name)?.as_text().cloned());
    let is_cron = member("mode").is_some_and(|mode| &*mode == "cron");
    let (true, Some(when)) = (is_cron && draft.crons.is_empty(), member("path")) else { return };
    let named = draft.runtime_policy.get("entry").and_then(Value::as_text);
    let Some(label) = named.or_else(|| program.labels.first().map(|label| &label.id)) else {
        return;
    };
    let label = Value::text(format!("L{label}"));
    let line = program
        .declared
        .iter()
        .find(|line| line.words.get(1).is_some_and(|word| word.text == "cron"));
    if let Some(line) = line {
        origins.line(Pointer::root().child("crons").child(0), line.span());
    }
    draft.crons.push(Value::map([("label", label), ("expr", Value::Text(when))]));
}

/// The name of a file without its folders and its ending.
fn stem(file: &str) -> Option<Text> {
    let stem = include::stem(file);
    (!stem.is_empty() && file != "-").then_some(stem)
}

/// Where a run begins: what requests come first, then label `1`, then the first that is one.
fn entry(program: &Program<'_>, draft: &Draft) -> Option<Text> {
    let first = program.labels.first().map(|label| &label.id);
    let is_requested = draft.endpoints.iter().any(|endpoint| endpoint.label.is_some());
    let named = program.labels.iter().find(|label| &*label.id != NOWHERE);
    let entry = program.find("1").or(named).map(|label| &label.id)?;
    (!is_requested && first != Some(entry)).then(|| entry.clone())
}

/// The members of the document that are about all of the text.
fn describe(text: &str, program: Program<'_>, extra: &mut Map) {
    let lines = || token::numbered(text).map(|(_, _, line)| line);
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    };
    let counted = Value::map([
        ("lines", Value::count(lines().filter(is_code).count())),
        ("ops", Value::count(program.ops)),
    ]);
    let source =
        Value::map([("text", Value::text(text)), ("lines", Value::list(lines().map(Value::from)))]);
    extra.insert("source".into(), source);
    extra.insert("meta".into(), Value::list(program.meta));
    extra.insert("stats".into(), counted);
}
