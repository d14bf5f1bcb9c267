//! Makes the new graph from the old one and the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use value::{Text, Value};

use super::{Change, Changed, Diff, LabelDiff};
use crate::model::{Edge, Graph, Label, Node, ToKind};
use crate::normalize;
use crate::rewrite;

/// Applies a difference to the graph it was made from. What comes out has the checksum and the
/// node order of the new graph; its nodes are numbered in order.
pub fn apply(diff: &Diff, old: &Graph) -> Graph {
    let mut graph = old.clone();
    for id in &diff.removed_labels {
        graph.labels.remove(id);
    }
    for label_diff in &diff.labels {
        if let Some(label) = graph.labels.get_mut(&label_diff.label) {
            *label = apply_label(label_diff, label);
        }
    }
    for (id, label) in &diff.added_labels {
        graph.labels.insert(id.clone(), label.clone());
    }
    graph.declarations = diff.new_declarations.clone();
    for (part, _, after) in &diff.document {
        match (*part, after) {
            ("endpoints", _) => graph.endpoints = diff.endpoints.clone(),
            ("crons", Value::List(crons)) => graph.crons = crons.to_vec(),
            ("capabilities", Value::Map(map)) => graph.capabilities = (**map).clone(),
            ("runtime_policy", Value::Map(map)) => graph.runtime_policy = (**map).clone(),
            _ => unreachable!("a part of the document differs that this does not know"),
        }
    }
    rewrite::finish(&mut graph);
    graph
}

fn apply_label(diff: &LabelDiff, old: &Label) -> Label {
    // Added nodes go by their new id, kept ones by their old id; both may be `n3`.
    let old_name = |id: &str| Text::from(format!("old {id}"));
    let mut changes: BTreeMap<&Text, Vec<&Changed>> = BTreeMap::new();
    for changed in &diff.changed {
        changes.entry(&changed.node).or_default().push(changed);
    }
    let mut added = diff.added.iter();
    let mut new_names: BTreeMap<Text, Text> = BTreeMap::new();
    let mut nodes: Vec<Node> = Vec::with_capacity(diff.order.len());
    for (place, from) in (1..).zip(&diff.order) {
        let (mut node, name) = match from {
            Some(index) => {
                let node = changed_node(&old.nodes[*index], &changes);
                let name = old_name(&node.id);
                (node, name)
            }
            None => {
                let node = added.next().expect("the order has a place for each added node").clone();
                let name = node.id.clone();
                (node, name)
            }
        };
        node.id = format!("new {place}").into();
        new_names.insert(name, node.id.clone());
        nodes.push(node);
    }
    let by_old = |id: &Text| new_names.get(&old_name(id)).cloned();
    let gone: BTreeSet<usize> = diff
        .edges_removed
        .iter()
        .map(|edge| edge.at)
        .chain(diff.edges_rewired.iter().map(|rewired| rewired.old.at))
        .collect();
    let kept = old.edges.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    let mut edges: Vec<Edge> = kept
        .filter_map(|(_, edge)| {
            let to = if edge.to_kind == ToKind::Node { by_old(&edge.to)? } else { edge.to.clone() };
            Some(Edge { from: by_old(&edge.from)?, to, ..edge.clone() })
        })
        .collect();
    // New edges name nodes by their ids in the new graph: a kept node's, or an added one's.
    let mut by_new: BTreeMap<&Text, &Text> = BTreeMap::new();
    for (node, id) in nodes.iter().zip(&diff.new_ids) {
        by_new.insert(id, &node.id);
    }
    let fresh =
        diff.edges_added.iter().chain(diff.edges_rewired.iter().map(|rewired| &rewired.new));
    for edge in fresh {
        let name = |id: &Text| by_new.get(id).map_or_else(|| id.clone(), |new| (*new).clone());
        let to = if edge.to_kind == ToKind::Node { name(&edge.to) } else { edge.to.clone() };
        edges.push(rewrite::edge(&name(&edge.from), edge.port, &to, edge.to_kind));
    }
    let entry = diff.new_entry.map(|at| nodes[at].id.clone());
    // A guard's data names the node it protects; the edges say which that is now.
    for node in &mut nodes {
        forget_protected(node);
    }
    Label { nodes, edges, entry, ..old.clone() }
}

fn changed_node(old: &Node, changes: &BTreeMap<&Text, Vec<&Changed>>) -> Node {
    let mut node = old.clone();
    let Some(changes) = changes.get(&old.id) else { return node };
    for changed in changes {
        match &changed.change {
            Change::Slot(name, filled) => {
                let op = node.def().expect("only a known op has slots");
                let slot = op.slot(name).expect("the slot is the op's");
                let data = Arc::make_mut(&mut node.data);
                match filled {
                    Some(filled) => drop(data.insert((*name).into(), filled.to_data())),
                    None => drop(data.remove(name)),
                }
                node.operands.set(op, slot, filled.clone());
            }
            Change::Member(name, value) => {
                let data = Arc::make_mut(&mut node.data);
                match value {
                    Some(value) => drop(data.insert(name.clone(), value.clone())),
                    None => drop(data.remove(name)),
                }
            }
        }
    }
    normalize::derive_node(&mut node);
    node
}

fn forget_protected(node: &mut Node) {
    let slot = node.def().and_then(|op| op.slot_of(crate::ops::SlotKind::Protects));
    if let Some(slot) = slot.filter(|slot| node.data.contains_key(slot.name)) {
        Arc::make_mut(&mut node.data).remove(slot.name);
    }
}
