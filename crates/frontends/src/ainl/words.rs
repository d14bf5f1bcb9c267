//! Which bare word is a variable, and which is text.
//!
//! A bare word is a variable where something in the program writes that name, or where it is an
//! input; else it is text, and that is said. Quoted words are text, and `$name` is a variable.

use std::collections::BTreeSet;

use diagnostics::Diagnostic;
use graph::ops::{self, OpDef, Slot, SlotKind};
use graph::{Cmp, Expr, Term};
use value::{Map, Text, Value};

use super::found;
use super::program::{Program, label_named};
use super::step::Step;
use super::token::Word;
use crate::Given;

/// The names that can hold something.
pub(crate) struct Names<'g> {
    known: BTreeSet<Text>,
    given: &'g Given,
    /// Names that a run is given.
    pub(crate) inputs: BTreeSet<Text>,
}

impl<'g> Names<'g> {
    /// Collects what steps write, and what the program declares as given: `Set x $x`.
    pub(crate) fn new(program: &Program<'_>, given: &'g Given) -> Names<'g> {
        let mut known: BTreeSet<Text> = given.inputs.iter().cloned().collect();
        let mut inputs = known.clone();
        let steps = program.labels.iter().flat_map(|label| &label.steps);
        for step in steps {
            for (slot, word) in &step.filled {
                if slot.kind == SlotKind::Bind && !known.contains(&*word.text) {
                    known.insert((&*word.text).into());
                }
            }
            // A call that names no output has one all the same.
            for slot in step.op.slots.iter().filter(|slot| slot.kind == SlotKind::Bind) {
                if let ops::Unsaid::Is(name) = slot.unsaid
                    && !known.contains(name)
                    && step.word(slot.name).is_none()
                {
                    known.insert(name.into());
                }
            }
            if let Some(name) = declared_input(step)
                && !inputs.contains(name)
            {
                inputs.insert(name.into());
            }
        }
        Names { known, given, inputs }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name) || ops::predefines(name)
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|name| &**name)
    }
}

/// The input that a step declares by writing a name to itself: `Set x $x`.
fn declared_input<'s>(step: &'s Step<'_>) -> Option<&'s str> {
    let written = step.of_kind(SlotKind::Bind)?;
    let read = step.of_kind(SlotKind::Value).filter(|word| !word.quoted)?;
    let name = read.text.strip_prefix('$')?;
    (step.filled.len() == 2 && *name == *written.text).then_some(name)
}

/// What the words of a step mean, where `data` alone would not say it.
pub(crate) fn operands(
    step: &Step<'_>,
    names: &Names<'_>,
    program: &Program<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Map {
    let mut operands = Map::default();
    let texts = leading_texts(step, names);
    let mut arguments = 0;
    for (slot, word) in &step.filled {
        match slot.kind {
            SlotKind::Value | SlotKind::FirstValue | SlotKind::Values => {
                let is_text = arguments < texts;
                arguments += 1;
                if !is_text {
                    check(step, slot, word, names, program, findings);
                }
                if slot.kind != SlotKind::Values && (word.quoted || is_text) {
                    operands.insert(slot.name.into(), lit(Value::text(&*word.text)));
                }
            }
            SlotKind::Condition => {
                asked(word, names, findings);
                if let Some(expr) = condition(word, names) {
                    operands.insert(slot.name.into(), Value::map([("expr", Value::text(expr))]));
                }
            }
            _ => {}
        }
    }
    if let Some(slot) = step.op.slot_of(SlotKind::Values) {
        let words = || step.filled.iter().filter(|(own, _)| own.name == slot.name);
        let before = arguments - words().count();
        let is_text = |at: usize| before + at < texts;
        if words().enumerate().any(|(at, (_, word))| word.quoted || is_text(at)) {
            let typed = words().enumerate().map(|(at, (_, word))| {
                if is_text(at) { lit(Value::text(&*word.text)) } else { typed(word, names) }
            });
            operands.insert(slot.name.into(), Value::list(typed));
        }
    }
    // What a line leaves out is a name too.
    for slot in step.op.slots.iter().filter(|slot| slot.kind == SlotKind::Value) {
        if let ops::Unsaid::Is(name) = slot.unsaid
            && step.word(slot.name).is_none()
        {
            operands.insert(slot.name.into(), Value::map([("var", Value::text(name))]));
        }
    }
    operands
}

/// How many of the first arguments are text by what is called, and never variables.
fn leading_texts(step: &Step<'_>, names: &Names<'_>) -> usize {
    let Some(adapter) = step.of_kind(SlotKind::Adapter) else { return 0 };
    let of = |space: &str, verb: &str| {
        let declared = &names.given.contracts;
        let named = (!declared.is_empty())
            .then(|| declared.get(&format!("{space}.{}", verb.to_ascii_uppercase())))
            .flatten();
        match named.and_then(|contract| contract.get("names")) {
            Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(0),
            _ => graph::contracts::names_of(space, verb),
        }
    };
    match adapter.text.split_once('.') {
        Some((space, verb)) => of(space, verb),
        // The first argument is the verb.
        None => {
            let verb = step.of_kind(SlotKind::FirstValue).map_or("", |word| &word.text);
            1 + of(&adapter.text, verb)
        }
    }
}

fn lit(value: Value) -> Value {
    Value::map([("lit", value)])
}

fn typed(word: &Word<'_>, names: &Names<'_>) -> Value {
    let text = &*word.text;
    if word.quoted {
        return lit(Value::text(text));
    }
    let variable = text.strip_prefix('$').filter(|name| graph::is_name(name));
    match (variable, graph::scalar(text)) {
        (Some(name), _) => Value::map([("var", Value::text(name))]),
        (None, Some(scalar)) => lit(scalar),
        (None, None) if graph::is_name(text) && names.has(text) => {
            Value::map([("var", Value::text(text))])
        }
        (None, None) => lit(Value::text(text)),
    }
}

fn check(
    step: &Step<'_>,
    slot: &Slot,
    word: &Word<'_>,
    names: &Names<'_>,
    program: &Program<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let text = &*word.text;
    if word.quoted || graph::scalar(text).is_some() {
        return;
    }
    if let Some(name) = text.strip_prefix('$') {
        if !graph::is_name(name) {
            findings.push(found::odd_variable(word));
        }
        return;
    }
    if text.starts_with(['{', '[']) && !matches!(text, "[]" | "{}") {
        findings.push(found::inline_json(word));
        return;
    }
    // That a return is no jump is said about the graph.
    let is_label = step.op.returns() && program.find(label_named(text)).is_some();
    if let Some(name) = starts_with_name(text).filter(|name| names.has(name)) {
        findings.push(found::joined(word, name));
    } else if graph::is_name(text) && !names.has(text) && !is_label {
        let is_text = slot.kind == SlotKind::Value && !takes_list(step.op, slot);
        let found = found::bare_word(word, slot.name, names.all(), findings.len());
        // Text is no list, and what a call is given may well be an input.
        findings.push(if is_text && !step.op.returns() { found } else { found.unsure() });
    }
}

/// Whether a slot holds the list that an op works on.
fn takes_list(op: &OpDef, slot: &Slot) -> bool {
    slot.name == "ref" && op.slots.len() > 2
}

/// The name that a word begins with, where something is written behind it: `total` of `total,`.
fn starts_with_name(text: &str) -> Option<&str> {
    let end = text.find(['.', ',', ';', ')'])?;
    Some(&text[..end]).filter(|name| graph::is_name(name))
}

/// Names that a condition asks about, and that nothing writes.
fn asked(word: &Word<'_>, names: &Names<'_>, findings: &mut Vec<Diagnostic>) {
    let Ok(expr) = Expr::parse(&word.text) else { return };
    for name in expr.names().into_iter().filter(|name| !names.has(name)) {
        // `$name` says that it is a variable, and what it is is the graph's business.
        let is_marked = word.text.split('$').skip(1).any(|rest| {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            rest[..end.unwrap_or(rest.len())] == **name
        });
        if !is_marked {
            findings.extend(found::unwritten_name(word, name, names.all(), findings.len()));
        }
    }
}

/// A condition that compares with a variable: in conditions the word on the right is text.
fn condition(word: &Word<'_>, names: &Names<'_>) -> Option<String> {
    if word.quoted {
        return None;
    }
    let mut expr = Expr::parse(&word.text).ok()?;
    let Expr::Compare(_, Cmp::Eq | Cmp::Ne, right) = &mut expr else { return None };
    let Term::Lit(Value::Text(name)) = right else { return None };
    if !graph::is_name(name) || !names.has(name) {
        return None;
    }
    *right = Term::named(name)?;
    Some(expr.to_string())
}
