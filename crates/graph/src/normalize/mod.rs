//! From a draft to a graph: everything that can be derived is derived, nothing else is changed.
//!
//! What is mended here is never a finding, and what is a finding is never mended; so a graph
//! printed and read again is the same graph, with the same findings.

mod derive;
mod operands;
mod ports;
mod steps;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use derive::{derive_label, derive_names, derive_node, exits, refresh_calls, returned};
use diagnostics::{Anchor, Diagnostic, codes};
pub(crate) use operands::{Names, resolve_slot};
use value::{Map, Ordered, Text, Value};

use crate::contracts;
use crate::draft::{Draft, DraftEdge, DraftLabel, DraftNode};
use crate::index::Index;
use crate::model::{Edge, Graph, Label, Node, ToKind};
use crate::ops::{self, NodeOp, Runs};
use crate::place;

/// Makes a graph of a draft.
pub fn normalize(draft: Draft, findings: &mut Vec<Diagnostic>) -> Graph {
    normalize_with(draft, &Ordered::default(), findings)
}

/// Makes a graph of a draft, with contracts of verbs by their names: those that it needs become
/// declarations of the graph.
pub fn normalize_with(
    draft: Draft,
    contracts: &Ordered<Value>,
    findings: &mut Vec<Diagnostic>,
) -> Graph {
    let mut draft = draft;
    let label_ids: BTreeSet<Text> = draft.labels.keys().cloned().collect();
    let skips = draft.runtime_policy.get("unknown_op_policy") == Some(&Value::text("skip"));
    for (id, label) in &mut draft.labels {
        if label.nodes.is_empty()
            && let Some(steps) = label.steps.take()
            && !steps.is_empty()
        {
            steps::lower(label, &steps, &label_ids);
            findings.push(lowered(id));
        }
        for node in &mut label.nodes {
            translate(node);
            if skips {
                ops::skip(node);
            }
        }
    }
    contracts::declare(&mut draft, contracts);
    let names = Names::of(&draft);
    let emit_targets = draft.emit_targets;
    Graph {
        ir_version: draft.ir_version.unwrap_or_else(|| "1.0.0".into()),
        labels: draft
            .labels
            .into_iter()
            .map(|(id, label)| {
                let mut made = normalize_label(&id, label, &label_ids, &names, findings);
                derive_label(&mut made, emit_targets.as_deref());
                (id, made)
            })
            .collect(),
        endpoints: draft.endpoints,
        crons: draft.crons,
        capabilities: draft.capabilities,
        runtime_policy: one_way_to_run(draft.runtime_policy),
        declarations: draft.declarations,
        emit_targets,
        extra: draft.extra,
    }
}

fn lowered(id: &str) -> Diagnostic {
    let at = Anchor::key(place::of_label(id, "legacy"));
    Diagnostic::new(&codes::LEGACY_STEPS, at, format!("label `{id}` has only `legacy.steps`"))
        .help("nodes and edges were made from its steps; `quipu compile` prints them")
}

/// A label's name without the marks that sources write before it: `2` of `->L2`.
pub(crate) fn bare_label(written: &str) -> &str {
    let bare = written.strip_prefix("->").unwrap_or(written);
    bare.strip_prefix('L').unwrap_or(bare)
}

/// There is one execution semantics: the graph is run, and an unknown op is an error. Those that a
/// document wanted to be skipped are calls that do nothing by now.
fn one_way_to_run(mut policy: Map) -> Map {
    policy.insert("execution_mode".into(), "graph".into());
    policy.insert("unknown_op_policy".into(), "error".into());
    policy
}

/// Gives a node its op, and makes an adapter call of a legacy op.
fn translate(node: &mut DraftNode) {
    let data = node.data.get_or_insert_default();
    if node.op.as_ref().is_none_or(|op| op.is_empty()) {
        node.op = data.get("op").and_then(Value::as_text).cloned();
    }
    if let Some(op) = &node.op
        && ops::find(op).is_none()
        && let Some((op, data)) = ops::translate(op, data)
    {
        node.op = Some(op.into());
        node.data = Some(Arc::new(data));
        // They were the legacy op's; what the call reads and touches is derived again.
        (node.kinds, node.tier) = (None, None);
    }
}

fn normalize_label(
    id: &Text,
    draft: DraftLabel,
    label_ids: &BTreeSet<Text>,
    names: &Names,
    findings: &mut Vec<Diagnostic>,
) -> Label {
    let mut label = Label { entry: draft.entry, extra: draft.extra, ..Label::default() };
    label.nodes =
        draft.nodes.into_iter().map(|node| make_node(id, node, names, findings)).collect();
    let (edges, kinds_given): (Vec<Edge>, Vec<bool>) =
        draft.edges.into_iter().map(make_edge).unzip();
    label.edges = edges;
    if kinds_given.iter().any(|given| !given) {
        fill_to_kinds(&mut label, &kinds_given, label_ids);
    }
    ports::fill(&mut label);
    if label.entry.is_none() {
        label.entry =
            label.nodes.iter().find(|node| !node.id.is_empty()).map(|node| node.id.clone());
    }
    label.exits = match draft.exits {
        Some(exits) => exits,
        None => derive::exits(&label),
    };
    label.emit_targets = draft.emit_targets;
    (label.odd_nodes, label.odd_edges) = (draft.odd_nodes, draft.odd_edges);
    label
}

fn make_node(label: &str, draft: DraftNode, names: &Names, findings: &mut Vec<Diagnostic>) -> Node {
    let op = NodeOp::new(draft.op.as_deref().unwrap_or_default());
    let data = draft.data.unwrap_or_default();
    let lineno = draft.lineno.or_else(|| match data.get("lineno") {
        Some(Value::Int(line)) => Some(*line),
        _ => None,
    });
    let mut node = Node {
        at: draft.at,
        is_step: draft.is_step,
        lineno,
        extra: draft.extra,
        ..Node::new(draft.id.unwrap_or_else(|| "".into()), op, data)
    };
    operands::fill(
        label,
        &mut node,
        draft.operands.as_deref(),
        draft.reads.as_deref(),
        names,
        findings,
    );
    derive::reads_and_writes(&mut node, names.declarations());
    // Of an unknown op, what the document says is all there is.
    if node.def().is_none() {
        node.reads = draft.reads.unwrap_or_default();
        node.writes = draft.writes.unwrap_or_default();
    }
    let is_known = derive::effects(&mut node, names.declarations());
    node.effect = draft.effect.unwrap_or(node.effect);
    // Specifications name the memory of some verbs only; of others the document may know it.
    if node.memory_type.is_none() && node.def().is_none_or(|op| op.runs == Runs::Adapter) {
        node.memory_type = draft.memory_type;
    }
    // What a contract says counts; what is said of an unknown verb or op is all there is.
    if is_known {
        return node;
    }
    node.tier = draft.tier.unwrap_or(node.tier);
    if let Some(kinds) = draft.kinds
        && !kinds.iter().map(|kind| &**kind).eq(node.kinds.iter().map(|kind| &**kind))
    {
        node.kinds = kinds.iter().map(|kind| Cow::Owned(kind.to_string())).collect();
    }
    node
}

fn make_edge(draft: DraftEdge) -> (Edge, bool) {
    let edge = Edge {
        at: draft.at,
        from: draft.from.unwrap_or_else(|| "".into()),
        to: draft.to.unwrap_or_else(|| "".into()),
        to_kind: draft.to_kind.unwrap_or(ToKind::Node),
        port: draft.port,
        analysis_only: draft.analysis_only,
        extra: draft.extra,
    };
    (edge, draft.to_kind.is_some())
}

/// An edge without `to_kind` leads to the node of that name, else to the label of that name.
fn fill_to_kinds(label: &mut Label, given: &[bool], label_ids: &BTreeSet<Text>) {
    let index = Index::new(label);
    let kinds: Vec<ToKind> = label
        .edges
        .iter()
        .zip(given)
        .map(|(edge, given)| {
            let is_label = || index.find(&edge.to).is_none() && label_ids.contains(&edge.to);
            if !given && is_label() { ToKind::Label } else { edge.to_kind }
        })
        .collect();
    for (edge, kind) in label.edges.iter_mut().zip(kinds) {
        edge.to_kind = kind;
    }
}
