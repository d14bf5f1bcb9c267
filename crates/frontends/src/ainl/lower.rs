//! From labels to the labels of a draft: one node for each step, and the edges between them.

use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic};
use graph::draft::{DraftEdge, DraftLabel, DraftNode};
use graph::ops::{Port, SlotKind, Unsaid};
use graph::{Exit, Extra, ToKind};
use value::{Map, Text, Value};

use super::found;
use super::program::{Label, NOWHERE, Program, label_named};
use super::step::{Step, is_output};
use super::words::{self, Names};
use crate::origins::{LabelOrigin, SlotSpan};

/// Makes a label. Findings about its words are added.
pub(crate) fn label(
    label: &Label<'_>,
    program: &Program<'_>,
    names: &Names<'_>,
    findings: &mut Vec<Diagnostic>,
) -> (DraftLabel, LabelOrigin) {
    let at = Anchor::Span(label.at);
    let mut made = Making {
        program,
        label: DraftLabel::default(),
        origin: LabelOrigin::new(at.clone()),
        at,
        last: None,
    };
    made.label.nodes.reserve_exact(label.steps.len());
    let mut exits = Vec::new();
    // That nothing runs what stands in no label is said already.
    let mut unheard = Vec::new();
    let findings = if &*label.id == NOWHERE { &mut unheard } else { findings };
    for step in &label.steps {
        let operands = words::operands(step, names, program, findings);
        remarks(step, findings);
        let id = made.node(step, operands);
        if step.op.returns() {
            let var = step.filled.first().map_or("data", |(_, word)| &*word.text);
            exits.push(Exit { node: id, var: Some(var.into()), extra: Extra::default() });
        }
    }
    made.label.exits = Some(exits);
    made.label.entry = made.label.nodes.first().and_then(|node| node.id.clone());
    if !label.inline.is_empty() {
        let inline = Value::list(label.inline.iter().cloned().map(Value::Text));
        made.label.extra.keep("slots".into(), inline);
    }
    (made.label, made.origin)
}

/// What is odd about the words of a step, whatever they mean.
fn remarks(step: &Step<'_>, findings: &mut Vec<Diagnostic>) {
    let output = step.op.slots.iter().find(|slot| is_output(slot));
    match (&step.surplus[..], output) {
        ([word, ..], Some(_)) if step.op.slot_of(SlotKind::Callee).is_some() => {
            findings.push(found::no_arrow(word));
        }
        (words, _) => findings.extend(found::surplus(step.op, words)),
    }
    let Some(output) = output else { return };
    let arrows = step.filled.iter().filter(|(slot, word)| {
        let takes_values =
            matches!(slot.kind, SlotKind::Value | SlotKind::FirstValue | SlotKind::Values);
        takes_values && !word.quoted && word.text.starts_with("->")
    });
    for (_, word) in arrows {
        let is_last = step.line.words.last().is_some_and(|last| last.span == word.span);
        let instead = match output.unsaid {
            Unsaid::Is(name) => name,
            _ => "nothing",
        };
        findings.push(if is_last && word.bound().is_none() {
            found::swallowed(word, instead)
        } else {
            found::misplaced_output(word)
        });
    }
}

struct Making<'p, 's> {
    program: &'p Program<'s>,
    label: DraftLabel,
    origin: LabelOrigin,
    /// Where the step stands that is added.
    at: Anchor,
    /// The node that the next one follows.
    last: Option<Text>,
}

impl Making<'_, '_> {
    fn node(&mut self, step: &Step<'_>, operands: Map) -> Text {
        let number = self.label.nodes.len();
        let id: Text = format!("n{}", number + 1).into();
        self.at = Anchor::Span(step.line.span());
        let last = self.last.replace(id.clone());
        if let Some(last) = &last {
            self.edge(last, Port::Next, &id, ToKind::Node);
        }
        // Behind a branch nothing follows, but a guard protects it all the same.
        let before = self.label.nodes.last().and_then(|node| node.id.clone());
        self.guard(step, &id, last.or(before));
        for slot in step.op.slots {
            let SlotKind::Target(port) = slot.kind else { continue };
            if let Some(word) = step.word(slot.name) {
                self.edge(&id, port, &label_named(&word.text).into(), ToKind::Label);
                // Control leaves here, unless this is only where failures go.
                if !port.is_failure() {
                    self.last = None;
                }
            }
        }
        self.mention(step, &id);
        self.origin.nodes.push(self.at.clone());
        self.origin.slots.extend(step.filled.iter().map(|(slot, word)| SlotSpan {
            node: number as u32,
            slot: slot.name,
            span: word.span,
        }));
        let lineno = i64::try_from(step.line.number).ok();
        self.label.nodes.push(DraftNode {
            at: number as u32,
            id: Some(id.clone()),
            op: Some(step.op.name.into()),
            data: Some(Arc::new(data(step))),
            operands: (!operands.is_empty()).then(|| Arc::new(operands)),
            lineno,
            ..DraftNode::default()
        });
        id
    }

    /// A guard protects the node that it names, else the one before it.
    fn guard(&mut self, step: &Step<'_>, id: &Text, last: Option<Text>) {
        let Some(port) = step.op.guards() else { return };
        let named = step.of_kind(SlotKind::Protects);
        let number = named.and_then(|word| word.text.strip_prefix('n')?.parse::<usize>().ok());
        let named = number.and_then(|number| self.label.nodes.get(number.checked_sub(1)?));
        let protected = named.and_then(|node| node.id.clone()).or(last);
        if let Some(protected) = protected {
            self.edge(&protected, port, id, ToKind::Node);
        }
    }

    /// Labels that are called, or only named, are edges for other tools' analyses.
    fn mention(&mut self, step: &Step<'_>, id: &Text) {
        let called = step.of_kind(SlotKind::Callee).map(|word| label_named(&word.text));
        let returned =
            step.of_kind(SlotKind::Value).filter(|word| step.op.returns() && !word.quoted);
        let returned = returned.map(|word| label_named(&word.text));
        let named = returned.filter(|id| self.program.find(id).is_some());
        if let Some(label) = called.or(named) {
            self.edge(id, Port::Next, &label.into(), ToKind::Label);
            if let Some(edge) = self.label.edges.last_mut() {
                edge.analysis_only = true;
            }
        }
    }

    fn edge(&mut self, from: &Text, port: Port, to: &Text, to_kind: ToKind) {
        self.origin.edges.push(self.at.clone());
        self.label.edges.push(DraftEdge {
            at: self.label.edges.len() as u32,
            from: Some(from.clone()),
            to: Some(to.clone()),
            to_kind: Some(to_kind),
            port: Some(port),
            ..DraftEdge::default()
        });
    }
}

/// The step as older tools read it.
fn data(step: &Step<'_>) -> Map {
    let mut data = Map::with_capacity(step.op.slots.len() + 2);
    let mut put = |name: &str, value: Value| {
        data.insert(name.into(), value);
    };
    put("op", step.op.name.into());
    put("lineno", Value::count(step.line.number));
    if let Some(adapter) = step.op.slot_of(SlotKind::Adapter) {
        call(step, adapter.name, &mut put);
        return data;
    }
    for slot in step.op.slots {
        let text = |word: &super::token::Word<'_>| match slot.kind {
            SlotKind::Target(_) | SlotKind::Callee if !word.quoted => {
                Value::text(label_named(&word.text))
            }
            _ => Value::text(&*word.text),
        };
        if slot.kind == SlotKind::Values {
            let words = step.filled.iter().filter(|(own, _)| own.name == slot.name);
            put(slot.name, Value::list(words.map(|(_, word)| text(word))));
        } else if let Some(word) = step.word(slot.name) {
            put(slot.name, text(word));
        } else {
            match slot.unsaid {
                Unsaid::Absent => {}
                Unsaid::Null => put(slot.name, Value::Null),
                Unsaid::Is(word) => put(slot.name, word.into()),
            }
        }
    }
    data
}

/// An adapter call, with the members in which older tools look for the parts of it.
fn call(step: &Step<'_>, slot: &'static str, put: &mut dyn FnMut(&str, Value)) {
    let adapter = step.word(slot).map_or("", |word| &*word.text);
    let target = step.word("target").map(|word| &*word.text);
    let args: Vec<Value> = step
        .filled
        .iter()
        .filter(|(slot, _)| slot.kind == SlotKind::Values)
        .map(|(_, word)| Value::text(&*word.text))
        .collect();
    let out = step.word("out").map_or("res", |word| &*word.text);
    let (source, verb) = adapter.split_once('.').unwrap_or((adapter, ""));
    if target.is_none() && !adapter.contains('.') {
        put(slot, "?".into());
        put("target", "".into());
        put("args", Value::list([]));
        put("out", out.into());
        return;
    }
    let target = target.unwrap_or_default();
    let fields = args.first().cloned().unwrap_or_else(|| "*".into());
    put(slot, adapter.into());
    put("target", target.into());
    put("args", Value::list(args));
    put("out", out.into());
    put("src", source.into());
    put("req_op", Value::text(verb.to_uppercase()));
    put("entity", if target.starts_with('/') { "".into() } else { target.into() });
    put("fields", fields);
}
