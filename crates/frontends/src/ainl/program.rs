//! From lines to labels with their steps, and to declarations. Nothing is dropped: a line that is
//! neither is reported and kept in `meta`.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, Span};
use graph::ops::{self, OpDef, SlotKind};
use value::{Text, Value};

use super::include::INCLUDE;
use super::step::Step;
use super::token::{Line, Word};
use super::{declare, found, include};

/// The label of steps that stand in none.
pub(crate) const NOWHERE: &str = "_anon";

/// A program, whichever syntax it was written in.
#[derive(Debug, Default)]
pub(crate) struct Program<'a> {
    pub(crate) labels: Vec<Label<'a>>,
    by_id: BTreeMap<Text, usize>,
    /// What its author calls it.
    pub(crate) name: Option<Text>,
    /// Lines that include files.
    pub(crate) includes: Vec<Line<'a>>,
    /// Lines that declare something, in their order.
    pub(crate) declared: Vec<Line<'a>>,
    /// Lines that mean nothing, as the document keeps them.
    pub(crate) meta: Vec<Value>,
    /// How many lines had an op on them.
    pub(crate) ops: usize,
}

/// A label.
#[derive(Debug)]
pub(crate) struct Label<'a> {
    pub(crate) id: Text,
    /// Where it is declared.
    pub(crate) at: Span,
    pub(crate) steps: Vec<Step<'a>>,
    /// The words on the line that declares it.
    pub(crate) inline: Vec<Text>,
}

impl<'a> Program<'a> {
    /// The label of this name, begun where it was not.
    pub(crate) fn label(&mut self, id: Text, at: Span) -> usize {
        if let Some(known) = self.by_id.get(&id) {
            return *known;
        }
        self.by_id.insert(id.clone(), self.labels.len());
        self.labels.push(Label { id, at, steps: Vec::new(), inline: Vec::new() });
        self.labels.len() - 1
    }

    /// The label of this name.
    pub(crate) fn find(&self, id: &str) -> Option<&Label<'a>> {
        self.by_id.get(id).map(|at| &self.labels[*at])
    }

    /// Adds a step to a label.
    pub(crate) fn step(&mut self, label: usize, step: Step<'a>) {
        self.labels[label].steps.push(step);
    }

    /// Keeps a line that means nothing.
    pub(crate) fn keep(&mut self, line: &Line<'a>, reason: Option<&str>) {
        let words = || Value::list(line.words.iter().map(|word| Value::text(&*word.text)));
        let mut record = vec![
            ("lineno", Value::count(line.number)),
            ("op_value", Value::text(&*line.op.text)),
            ("slot_values", words()),
        ];
        record.extend(reason.map(|reason| ("reason", reason.into())));
        self.meta.push(Value::map(record));
    }
}

/// Reads lines of ops.
pub(crate) fn read<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    program: &mut Program<'a>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut open: Option<usize> = None;
    // What follows stands in no label, and that is said already.
    let mut is_ended = false;
    for line in lines {
        if line.op.text == INCLUDE && program.ops == 0 {
            program.includes.push(line);
            continue;
        }
        program.ops += 1;
        if line.op.text == INCLUDE {
            findings.push(include::late(&line));
            is_ended |= open.take().is_some();
            program.keep(&line, None);
            continue;
        }
        if let Some(id) = declared_label(&line.op.text) {
            open = Some(begin_label(id.into(), line, program, findings));
            is_ended = false;
            continue;
        }
        match find(&line.op.text) {
            Some(Op::Step(op)) => {
                if given(op, &line) < op.least {
                    findings.push(found::too_few(&line, op.name, op.least));
                    program.keep(&line, Some("arity"));
                    continue;
                }
                let label = match open {
                    Some(label) => label,
                    None => {
                        if !std::mem::replace(&mut is_ended, true) {
                            findings.push(found::outside_of_labels(&line));
                        }
                        if !declare::stands_alone(op) {
                            program.keep(&line, Some("scope"));
                            continue;
                        }
                        program.label(NOWHERE.into(), line.op.span)
                    }
                };
                program.step(label, Step::new(op, line));
            }
            Some(Op::Declares(least)) => {
                if let Some(label) = open.take() {
                    findings.push(found::closes_label(&line, &program.labels[label].id));
                    is_ended = true;
                }
                if line.words.len() < least {
                    findings.push(found::too_few(&line, &line.op.text, least));
                    program.keep(&line, Some("arity"));
                    continue;
                }
                program.declared.push(line);
            }
            None => {
                let within = open.take().map(|label| program.labels[label].id.clone());
                is_ended |= within.is_some();
                findings.push(found::unknown_line(&line, within.as_deref(), findings.len()));
                program.keep(&line, None);
            }
        }
    }
}

/// How many words say what is to be done: `@n1` only says what a guard is about.
fn given(op: &OpDef, line: &Line<'_>) -> usize {
    let first = line.words.first().filter(|word| !word.quoted && word.text.starts_with('@'));
    let is_mark = first.is_some() && op.slot_of(SlotKind::Protects).is_some();
    line.words.len() - usize::from(is_mark)
}

/// What an op of a line is.
enum Op {
    Step(&'static OpDef),
    /// A declaration that needs so many words.
    Declares(usize),
}

fn find(word: &str) -> Option<Op> {
    // Ops that are not spec 1's have no line.
    let step = ops::find(word).filter(|op| op.standard).or_else(|| ops::find_legacy(word));
    step.map(Op::Step).or_else(|| declare::find(word).map(|op| Op::Declares(op.least)))
}

/// Whether a word begins a step.
pub(crate) fn is_step(word: &str) -> bool {
    matches!(find(word), Some(Op::Step(_)))
}

/// Whether a word begins a line of ops.
pub(crate) fn is_op(word: &str) -> bool {
    find(word).is_some()
}

/// All words that can begin a line.
pub(crate) fn known_words() -> impl Iterator<Item = &'static str> {
    let steps = ops::OPS.iter().filter(|op| op.standard).map(|op| op.name);
    steps.chain(declare::words())
}

/// The id of the label that a word declares: `1` of `L1:`.
pub(crate) fn declared_label(word: &str) -> Option<&str> {
    word.strip_prefix('L')?.strip_suffix(':').filter(|id| !id.is_empty())
}

/// The id of the label that a word refers to: `1` of `->L1`, of `L1` and of `1`.
pub(crate) fn label_named(word: &str) -> &str {
    let bare = word.trim();
    let bare = bare.strip_prefix("->").unwrap_or(bare);
    // A label of an included file is named with that file: `lib/ENTRY`.
    if bare.contains('/') && !word.starts_with("->L") {
        return bare;
    }
    let bare = bare.strip_prefix('L').unwrap_or(bare);
    bare.rsplit(':').next().unwrap_or(bare)
}

fn begin_label<'a>(
    id: Text,
    line: Line<'a>,
    program: &mut Program<'a>,
    findings: &mut Vec<Diagnostic>,
) -> usize {
    if let Some(first) = program.find(&id) {
        findings.push(found::declared_twice(&line, &id, first.at));
    }
    let label = program.label(id, line.op.span);
    program.labels[label].inline.extend(line.words.iter().map(|word| Text::from(&*word.text)));
    for step in inline_steps(&line, findings) {
        program.step(label, step);
    }
    label
}

/// The steps on the line of a label: each begins with the word of an op.
fn inline_steps<'a>(line: &Line<'a>, findings: &mut Vec<Diagnostic>) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    let mut words = line.words.iter().peekable();
    while let Some(op) = words.next() {
        let Some(def) = inline_op(op) else {
            findings.push(found::no_step(op));
            continue;
        };
        let mut own: Vec<Word<'a>> = Vec::new();
        while let Some(word) = words.next_if(|word| inline_op(word).is_none()) {
            own.push(word.clone());
        }
        let step = Line { number: line.number, op: op.clone(), words: own };
        if given(def, &step) < def.least {
            findings.push(found::too_few(&step, def.name, def.least));
            continue;
        }
        steps.push(Step::new(def, step));
    }
    steps
}

/// Behind a label some ops have another name.
fn inline_op(word: &Word<'_>) -> Option<&'static OpDef> {
    ops::find_inline(&word.text).filter(|op| op.standard && !word.quoted)
}
