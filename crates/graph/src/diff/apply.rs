//! Makes the new graph from the old one and the difference. Places count here, not ids: those
//! may be missing or given twice.

use std::sync::Arc;

use value::{Map, Text, Value};

use super::{Change, Changed, Diff, EdgeFrom, LabelDiff, Part};
use crate::declarations::Declarations;
use crate::index::Index;
use crate::model::{Edge, Graph, Label, Node, ToKind};
use crate::{normalize, rewrite};

/// Applies a difference to the graph it was made from. What comes out has the checksum and the
/// node order of the new graph; its nodes are numbered in order.
pub fn apply(diff: &Diff, old: &Graph) -> Graph {
    let mut graph = old.clone();
    for id in &diff.removed_labels {
        graph.labels.remove(id);
    }
    for label_diff in &diff.labels {
        if let Some(label) = graph.labels.get_mut(&label_diff.label) {
            *label = apply_label(label_diff, label, &diff.new_declarations);
        }
    }
    for (id, label) in &diff.added_labels {
        graph.labels.insert(id.clone(), label.clone());
    }
    graph.declarations = diff.new_declarations.clone();
    for (part, _, after) in &diff.document {
        let map = || after.as_map().cloned().unwrap_or_default();
        match part {
            Part::Endpoints => graph.endpoints = diff.new_endpoints.clone(),
            Part::Crons => graph.crons = after.as_list().unwrap_or_default().to_vec(),
            Part::Capabilities => graph.capabilities = map(),
            Part::RuntimePolicy => graph.runtime_policy = map(),
        }
    }
    rewrite::finish(&mut graph);
    graph
}

fn apply_label(diff: &LabelDiff, old: &Label, declarations: &Declarations) -> Label {
    let index = Index::new(old);
    // Where each old node stands now.
    let mut now: Vec<Option<usize>> = vec![None; old.nodes.len()];
    let mut changes: Vec<Vec<&Changed>> = vec![Vec::new(); old.nodes.len()];
    for changed in &diff.changed {
        changes[changed.at].push(changed);
    }
    let mut added = diff.added.iter();
    let mut nodes: Vec<Node> = Vec::with_capacity(diff.order.len());
    for (place, from) in diff.order.iter().enumerate() {
        let mut node = match from {
            Some(at) => {
                now[*at] = Some(place);
                changed_node(&old.nodes[*at], &changes[*at], declarations)
            }
            None => added.next().expect("the order has a place for each added node").clone(),
        };
        node.id = name(place);
        forget_protected(&mut node);
        nodes.push(node);
    }
    let place_of = |id: &str| index.find(id).and_then(|at| now[at]);
    let mut edges: Vec<Edge> = Vec::with_capacity(diff.edge_order.len());
    for from in &diff.edge_order {
        edges.push(match from {
            EdgeFrom::Old(at) => {
                let edge = &old.edges[*at];
                let from = place_of(&edge.from).expect("a kept edge leaves a kept node");
                let to = match edge.to_kind {
                    ToKind::Node => name(place_of(&edge.to).expect("it leads to a kept node")),
                    ToKind::Label => edge.to.clone(),
                };
                Edge { from: name(from), to, ..edge.clone() }
            }
            EdgeFrom::New(edge) => {
                let to = edge.to_at.map_or_else(|| edge.to.clone(), name);
                rewrite::edge(&name(edge.from_at), edge.port, &to, edge.to_kind)
            }
        });
    }
    // Calls are repeated for other tools wherever they were.
    for edge in old.edges.iter().filter(|edge| edge.analysis_only) {
        if let Some(from) = place_of(&edge.from) {
            edges.push(Edge { from: name(from), ..edge.clone() });
        }
    }
    let entry = diff.new_entry.map(name);
    Label { nodes, edges, entry, ..old.clone() }
}

/// A name that no other node has until numbers are given out.
fn name(place: usize) -> Text {
    format!("new {place}").into()
}

fn changed_node(old: &Node, changes: &[&Changed], declarations: &Declarations) -> Node {
    let mut node = old.clone();
    for changed in changes {
        let data = Arc::make_mut(&mut node.data);
        let put = |data: &mut Map, name: &str, value: Option<Value>| match value {
            Some(value) => drop(data.insert(name.into(), value)),
            None => drop(data.remove(name)),
        };
        match &changed.change {
            Change::Slot(name, filled) => {
                put(data, name, filled.as_ref().map(|filled| filled.to_data()));
                let op = node.def().expect("only a known op has slots");
                let slot = op.slot(name).expect("the slot is the op's");
                node.operands.set(op, slot, filled.clone());
            }
            Change::Member(name, value) => put(data, name, value.clone()),
        }
    }
    if !changes.is_empty() {
        normalize::derive_node(&mut node, declarations);
    }
    node
}

/// A guard's data names the node it protects; the edges say which that is now.
fn forget_protected(node: &mut Node) {
    let slot = node.def().and_then(|op| op.slot_of(crate::ops::SlotKind::Protects));
    if let Some(slot) = slot.filter(|slot| node.data.contains_key(slot.name)) {
        Arc::make_mut(&mut node.data).remove(slot.name);
    }
}
