//! What follows from a node or a label, and is therefore computed and never believed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use value::{Text, Value};

use crate::contracts::{self, Contract};
use crate::declarations::Declarations;
use crate::index::Index;
use crate::model::{EmitEdge, Exit, Extra, Graph, Label, Node};
use crate::operand::{Filled, Operand};
use crate::ops::{self, Port, Runs, SlotKind};

/// Derives everything of a label again. Emit targets come from the document or, where it names
/// none, from the label itself.
pub(crate) fn derive_label(label: &mut Label, emit_targets: Option<&[Text]>) {
    let index = Index::new(label);
    let repeats = repeated_targets(label, &index);
    let emit_edges = emit_edges(label, &index, emit_targets.unwrap_or(&label.emit_targets));
    label.emit_edges = emit_edges;
    for (position, name, target) in repeats {
        let data = Arc::make_mut(&mut label.nodes[position].data);
        data.insert(name.into(), Value::Text(target));
    }
}

/// Everything about a node that follows from its op and operands, after these have changed.
pub(crate) fn derive_node(node: &mut Node, declarations: &Declarations) {
    // What another compiler noted about the node as it was.
    for stale in
        ["contract", "operands", "effect", "effect_tier", "effect_kinds", "reads", "writes"]
    {
        node.extra.forget(stale);
    }
    node.memory_type = None;
    if let Some(op) = node.def() {
        ops::refresh_repeats(op, &mut node.data);
    }
    reads_and_writes(node, declarations);
    effects(node, declarations);
}

/// What follows from declarations for all nodes, after these have changed.
pub(crate) fn derive_names(graph: &mut Graph) {
    let Graph { labels, declarations, .. } = graph;
    for node in labels.values_mut().flat_map(|label| &mut label.nodes) {
        reads_and_writes(node, declarations);
        if declared(node, declarations).as_ref() != node.declared.as_deref() {
            effects(node, declarations);
        }
    }
}

fn declared(node: &Node, declarations: &Declarations) -> Option<Contract> {
    let (namespace, verb) = node.adapter()?;
    declarations.contract(namespace, verb)
}

/// Reads and writes, as far as slots, schemas and logic show them.
pub(super) fn reads_and_writes(node: &mut Node, declarations: &Declarations) {
    let Some(op) = node.def() else { return };
    let mut reads: Vec<Text> = Vec::new();
    let mut writes: Vec<Text> = Vec::new();
    reads.extend(node.operands.reads().cloned());
    reads.extend(op.reads.iter().map(|name| Text::from(*name)));
    writes.extend(node.operands.writes().cloned());
    (node.needs, node.inexact) = (Vec::new(), false);
    if op.runs == Runs::Adapter {
        shapes(node, declarations, &mut reads, &mut writes);
        if let Some(code) = node.logic() {
            let block = logic::read(code);
            reads.extend(block.reads);
            writes.extend(block.writes);
            let always = block.needs.into_iter().filter(|need| need.always);
            node.needs = always.map(|need| need.key).collect();
            node.inexact = block.inexact;
        }
    }
    for written in op.writes {
        let happens = written.when.is_none_or(|(slot, word)| {
            node.operands.text(slot).is_some_and(|text| &**text == word)
        });
        if happens && op.guards().is_none() {
            writes.push(written.name.into());
        }
    }
    (node.reads, node.writes) = (once_each(reads), once_each(writes));
}

/// What a call takes and gives, by the schemas it names.
fn shapes(node: &Node, declared: &Declarations, reads: &mut Vec<Text>, writes: &mut Vec<Text>) {
    for (slot, filled) in node.operands.iter() {
        let Filled::One(Operand::Lit(Value::Text(schema))) = filled else { continue };
        match slot.kind {
            SlotKind::Takes => reads.extend(declared.fields(schema).map(|(name, _)| name.clone())),
            SlotKind::Gives => {
                writes.extend(declared.fields(schema).map(|(name, _)| name.clone()));
                writes.push(declared.name_of_answer(schema));
            }
            _ => {}
        }
    }
}

/// Each name once, where it came first.
fn once_each(mut names: Vec<Text>) -> Vec<Text> {
    // Few names are compared faster than they are sorted.
    if names.len() <= 8 {
        for at in (1..names.len()).rev() {
            if names[..at].contains(&names[at]) {
                names.remove(at);
            }
        }
        return names;
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Effect, tier, kinds and the kind of memory, by the op table and the contract. Says whether
/// they are known: the op is, and the verb if it calls one.
pub(super) fn effects(node: &mut Node, declarations: &Declarations) -> bool {
    let Some(op) = node.def() else { return false };
    node.effect = op.effect();
    node.declared = None;
    let (tier, kind, is_known) = match op.tier() {
        Some((tier, kind)) => (tier, kind.map(Cow::Borrowed), true),
        None => {
            node.declared = declared(node, declarations).map(Arc::new);
            let built_in = node.adapter().and_then(|(name, verb)| contracts::find(name, verb));
            let contract = built_in.or(node.declared.as_deref());
            let is_known = contract.is_some();
            let contract = contract.unwrap_or(&contracts::UNKNOWN);
            let memory_type = contract.memory_type.as_deref().map(Text::from);
            let (tier, kind) = (contract.tier(), contract.kind.clone());
            node.memory_type = memory_type;
            (tier, Some(kind), is_known)
        }
    };
    node.tier = tier;
    node.kinds = kind.into_iter().collect();
    is_known
}

/// Edges that repeat calls for other tools' analyses lead where the calls lead.
pub(crate) fn refresh_calls(label: &mut Label) {
    let mut callees: BTreeMap<Text, Text> = BTreeMap::new();
    for node in &label.nodes {
        let Some(slot) = node.def().and_then(|op| op.slot_of(SlotKind::Callee)) else { continue };
        if let Some(Operand::Label(callee)) = node.operands.one(slot.name) {
            callees.insert(node.id.clone(), callee.clone());
        }
    }
    for edge in label.edges.iter_mut().filter(|edge| edge.analysis_only) {
        if let Some(callee) = callees.get(&edge.from) {
            edge.to = callee.clone();
        }
    }
}

/// One exit for each return.
pub(crate) fn exits(label: &Label) -> Vec<Exit> {
    let returns = label
        .nodes
        .iter()
        .filter(|node| !node.id.is_empty() && node.def().is_some_and(|op| op.returns()));
    let exit =
        |node: &Node| Exit { node: node.id.clone(), var: returned(node), extra: Extra::default() };
    returns.map(exit).collect()
}

/// What a return gives, as older tools name it.
pub(crate) fn returned(node: &Node) -> Option<Text> {
    match node.operands.iter().next().map(|(_, filled)| filled.to_data())? {
        Value::Text(text) => Some(text),
        other => Some(value::json::compact(&other).into()),
    }
}

/// There are eight platforms; a longer list is a mistake that must not multiply.
const TARGETS_MAX: usize = 32;

/// Data to the next node, then what is returned to each platform.
fn emit_edges(label: &Label, index: &Index<'_>, targets: &[Text]) -> Vec<EmitEdge> {
    let mut edges = Vec::new();
    for (position, node) in label.nodes.iter().enumerate() {
        if !node.def().is_some_and(|op| op.feeds) {
            continue;
        }
        let Some(var) = node.operands.writes().next() else { continue };
        let next = index
            .edges_from(position)
            .find(|edge| edge.port == Some(Port::Next) && edge.is_to_node());
        if let Some(next) = next {
            edges.push(EmitEdge::Data {
                from: node.id.clone(),
                to: next.to.clone(),
                var: var.clone(),
            });
        }
    }
    for exit in &label.exits {
        for target in targets.iter().take(TARGETS_MAX) {
            let (from, var) = (exit.node.clone(), exit.var.clone());
            edges.push(EmitEdge::Emit { from, var, target: target.clone() });
        }
    }
    edges
}

/// Where `data` repeats what an edge or an operand says, and says something else.
fn repeated_targets(label: &Label, index: &Index<'_>) -> Vec<(usize, &'static str, Text)> {
    let mut changes = Vec::new();
    for (position, node) in label.nodes.iter().enumerate() {
        let Some(op) = node.def() else { continue };
        for slot in op.slots {
            let said = match slot.kind {
                SlotKind::Target(port) => index
                    .edges_from(position)
                    .find(|edge| edge.port == Some(port) && edge.is_to_label())
                    .map(|edge| &edge.to),
                SlotKind::Callee => match node.operands.one(slot.name) {
                    Some(Operand::Label(callee)) => Some(callee),
                    _ => None,
                },
                _ => None,
            };
            if let Some(said) = said.filter(|said| !said.is_empty())
                && node.data.get(slot.name).and_then(Value::as_text) != Some(said)
            {
                changes.push((position, slot.name, said.clone()));
            }
        }
    }
    changes
}
