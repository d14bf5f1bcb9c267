//! From a graph to AINL, with a report of what AINL cannot say.
//!
//! A label becomes a label. Where control comes to a node of a label from several places, or not
//! by `next`, a label begins there, because AINL only leads to labels.

mod again;
mod blocks;
mod declared;
mod words;

use std::collections::BTreeSet;

use graph::ops::{OpDef, Port, SlotKind, Unsaid};
use graph::{Filled, Graph, Label, Node, Operand};
use value::{Text, Value};

use crate::Lost;
use blocks::{Blocks, Ends};
use words::Words;

/// The program that says what a graph says, and what of it could not be said.
pub fn write(graph: &Graph) -> (String, Vec<Lost>) {
    let mut writer = Writer {
        words: Words::new(graph),
        text: String::new(),
        lost: Vec::new(),
        is_cut: BTreeSet::new(),
    };
    declared::write(graph, &mut writer.text, &mut writer.lost);
    for (id, label) in &graph.labels {
        writer.label(id, label);
    }
    let Writer { text, mut lost, mut is_cut, .. } = writer;
    // What is reported already is not reported again.
    let reported = lost.iter().filter_map(|lost| Some(lost.at.rsplit_once('/')?.0.into()));
    is_cut.extend(reported);
    lost.extend(again::lost(graph, &text, &is_cut));
    (text, lost)
}

struct Writer<'g> {
    words: Words<'g>,
    text: String,
    lost: Vec<Lost>,
    /// Labels that became several.
    is_cut: BTreeSet<Text>,
}

impl Writer<'_> {
    fn label(&mut self, id: &Text, label: &Label) {
        let blocks = Blocks::new(id, label, |name| self.words.is_label(name));
        if blocks.all.len() > 1 || !blocks.unreached.is_empty() {
            self.is_cut.insert(id.clone());
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if label.nodes.is_empty() {
            let name = self.words.label(id, &mut self.lost);
            self.line(&format!("{name}:"), 0);
        }
        for block in &blocks.all {
            let name = self.words.label(&block.name, &mut self.lost);
            self.line(&format!("{name}:"), 0);
            let mut numbers: Vec<usize> = Vec::new();
            for at in &block.nodes {
                let node = &label.nodes[*at];
                numbers.push(*at);
                let guarded = blocks.guarded(*at);
                let behind = numbers.iter().rev().nth(1).copied();
                let named = guarded.filter(|from| Some(*from) != behind);
                let place = named.and_then(|from| numbers.iter().position(|own| *own == from));
                self.step(id, label, node, &blocks, place.map(|place| place + 1));
                // Guards that control does not pass stand behind what they protect.
                for guard in blocks.aside(*at) {
                    numbers.push(guard);
                    self.step(id, label, &label.nodes[guard], &blocks, None);
                }
            }
            if let Ends::At(target) = &block.ends {
                let target = self.words.target(target, &mut self.lost);
                self.line(&format!("If true {target}"), 1);
            }
        }
        // Within a label an `Err` that was passed counts for what follows; in another one it does not.
        let passed = blocks
            .all
            .iter()
            .flat_map(|block| &block.nodes)
            .filter(|at| label.nodes[**at].def().and_then(OpDef::guards) == Some(Port::Err));
        for at in passed.filter(|_| blocks.all.len() > 1) {
            let what =
                "behind the next label its `Err` no longer counts: give later steps their own";
            self.lose(id, &label.nodes[*at], what);
        }
        for at in &blocks.unreached {
            let node = &label.nodes[*at];
            self.lose(id, node, "nothing leads to it, and it is left out");
        }
    }

    fn step(
        &mut self,
        label_id: &Text,
        label: &Label,
        node: &Node,
        blocks: &Blocks<'_>,
        protects: Option<usize>,
    ) {
        let Some(op) = node.def().filter(|op| op.standard) else {
            self.lose(label_id, node, "AINL has no such op");
            self.line(&format!("# {} {}", node.op.name(), node.id), 1);
            return;
        };
        let mut line = vec![op.name.to_string()];
        line.extend(protects.map(|number| format!("@n{number}")));
        let mut output = None;
        for slot in op.slots {
            if let SlotKind::Target(port) = slot.kind {
                let target = blocks.target(label, node, port);
                line.extend(target.map(|target| self.words.target(&target, &mut self.lost)));
                continue;
            }
            let Some(filled) = node.operands.get(slot.name) else {
                // An answer that nobody keeps must not overwrite what a line without a name writes.
                if super::step::is_output(slot) && slot.unsaid != Unsaid::Null {
                    output = Some("->_".to_string());
                }
                continue;
            };
            match (slot.kind, filled) {
                (SlotKind::Protects, _) => {}
                (SlotKind::Takes | SlotKind::Gives | SlotKind::Literal, _) => {
                    self.lose(label_id, node, &format!("AINL cannot say its `{}`", slot.name));
                }
                (SlotKind::Bind, Filled::One(operand)) if super::step::is_output(slot) => {
                    let name = operand.to_data();
                    let name = name.as_text().map_or("_", |name| name);
                    if name.starts_with('L') {
                        self.lose(label_id, node, "an output cannot begin with a capital L");
                    } else if !graph::is_name(name) {
                        self.lose(label_id, node, "an output must be a name");
                    }
                    output = Some(format!("->{name}"));
                }
                (SlotKind::Callee, Filled::One(Operand::Label(callee))) => {
                    line.push(self.words.target(callee, &mut self.lost));
                }
                (SlotKind::Number, Filled::One(operand)) if slot.name == "limit" => {
                    line.push(format!("limit={}", value::json::compact(&operand.to_data())));
                }
                // An input is declared by writing it to itself.
                (SlotKind::Value, Filled::One(Operand::Var(name)))
                    if node.operands.writes().any(|own| own == name)
                        && self.words.is_input(name) =>
                {
                    line.push(format!("${name}"));
                }
                (_, Filled::One(operand)) => match self.words.operand(slot, operand) {
                    Some(word) => line.push(word),
                    None => self.lose(label_id, node, "AINL has no word for a list or an object"),
                },
                (_, Filled::Many(operands)) => {
                    for operand in operands {
                        match self.words.operand(slot, operand) {
                            Some(word) => line.push(word),
                            None => self.lose(label_id, node, "AINL has no word for an argument"),
                        }
                    }
                }
            }
        }
        // A return of nothing is not the return of `data`.
        if op.returns() && line.len() == 1 {
            line.push("null".into());
        }
        line.extend(output);
        self.line(&line.join(" "), 1);
    }

    fn line(&mut self, line: &str, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn lose(&mut self, label: &str, node: &Node, why: &str) {
        self.lost.push(Lost { at: format!("{label}/{}", node.id), what: why.to_string() });
    }
}

/// A value as one word, where it can be one.
pub(super) fn scalar_word(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(super::token::quote(text)),
        Value::List(_) | Value::Map(_) => None,
        other => Some(value::json::compact(other)),
    }
}

/// The port by which a node goes on.
pub(super) const ON: Port = Port::Next;
