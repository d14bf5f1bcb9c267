//! The small edits that changes are made of, and what follows from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{Map, Text, Value};

use super::{INVALID, NODE, Refusal};
use crate::model::{Edge, Extra, Graph, Label, Node, ToKind};
use crate::normalize::{self, Names};
use crate::operand;
use crate::ops::{NodeOp, OpDef, Port, SlotKind};

/// A node with nothing in it yet.
pub(super) fn blank(op: &'static OpDef, id: Text) -> Node {
    let data: Map = [("op".into(), op.name.into())].into_iter().collect();
    Node::new(id, NodeOp::Known(op), Arc::new(data))
}

/// Merges members into a node's data, types them, and derives the node again.
pub(super) fn set_data(
    node: &mut Node,
    data: &Map,
    operands: &Map,
    names: &Names,
) -> Result<(), Refusal> {
    let op = node.def();
    let op =
        op.ok_or_else(|| Refusal::new(NODE, format!("node `{}` has an unknown op", node.id)))?;
    if let Some(said) = data.get("op")
        && said.as_text().map(|text| &**text) != Some(op.name)
    {
        let message = format!(
            "node `{}` is `{}`: to change an op, insert another node and remove this one",
            node.id, op.name
        );
        return Err(Refusal::new(INVALID, message));
    }
    let merged = Arc::make_mut(&mut node.data);
    merged.extend(data.iter().map(|(name, value)| (name.clone(), value.clone())));
    let misfits = |slot: &str, misfit: operand::Misfit| {
        let why = match misfit {
            operand::Misfit::Kind(expected) => format!("it must be {expected}"),
            operand::Misfit::Condition(why) => why,
        };
        Refusal::new(INVALID, format!("`{slot}` of `{}` cannot be this: {why}", op.name))
    };
    for slot in op.slots {
        if let Some(value) = operands.get(slot.name) {
            let filled =
                operand::from_operands(slot, value).map_err(|misfit| misfits(slot.name, misfit))?;
            Arc::make_mut(&mut node.data).insert(slot.name.into(), filled.to_data());
            node.operands.set(op, slot, Some(filled));
        } else if let Some(value) = data.get(slot.name) {
            let filled = normalize::resolve_slot(op, slot, &node.data, value, None, names);
            let filled = filled.map_err(|misfit| misfits(slot.name, misfit))?;
            node.operands.set(op, slot, filled);
        }
    }
    if let Some(unknown) = operands.keys().find(|name| op.slot(name).is_none()) {
        return Err(Refusal::new(INVALID, format!("`{}` has no slot `{unknown}`", op.name)));
    }
    normalize::derive_node(node, names.declarations());
    Ok(())
}

/// An edge that no document has yet.
pub(crate) fn edge(from: &Text, port: Port, to: &Text, to_kind: ToKind) -> Edge {
    Edge {
        at: 0,
        from: from.clone(),
        to: to.clone(),
        to_kind,
        port: Some(port),
        analysis_only: false,
        extra: Extra::default(),
    }
}

/// The edge that leaves a node by a port.
pub(super) fn edge_at<'a>(label: &'a Label, from: &str, port: Port) -> Option<&'a Edge> {
    label.edges.iter().find(|edge| is_at(edge, from, port))
}

/// The same, to be changed.
pub(super) fn edge_at_mut<'a>(
    label: &'a mut Label,
    from: &str,
    port: Port,
) -> Option<&'a mut Edge> {
    label.edges.iter_mut().find(|edge| is_at(edge, from, port))
}

/// Whether an edge leaves a node by a port.
pub(super) fn is_at(edge: &Edge, from: &str, port: Port) -> bool {
    &*edge.from == from && edge.port == Some(port) && !edge.analysis_only
}

/// Gives out numbers and derives what follows, for every label.
pub(crate) fn finish(graph: &mut Graph) {
    let targets = graph.emit_targets.clone();
    for label in graph.labels.values_mut() {
        renumber(label);
        normalize::refresh_calls(label);
        label.exits = normalize::exits(label);
        normalize::derive_label(label, targets.as_deref());
    }
    normalize::derive_names(graph);
    // They counted the graph as it was.
    graph.extra.remove("stats");
}

/// Names the nodes `n1` to `nk` in order, wherever they are named.
fn renumber(label: &mut Label) {
    let names: BTreeMap<Text, Text> = (1..)
        .zip(&label.nodes)
        .filter(|(_, node)| !node.id.is_empty())
        .map(|(number, node): (u32, _)| (node.id.clone(), format!("n{number}").into()))
        .collect();
    let rename = |id: &mut Text| {
        if let Some(new) = names.get(id) {
            *id = new.clone();
        }
    };
    for (at, node) in (0..).zip(&mut label.nodes) {
        rename(&mut node.id);
        node.at = at;
        let Some(slot) = node.def().and_then(|op| op.slot_of(SlotKind::Protects)) else { continue };
        if let Some(Value::Text(named)) = node.data.get(slot.name)
            && let Some(new) = names.get(named)
            && new != named
        {
            Arc::make_mut(&mut node.data).insert(slot.name.into(), Value::Text(new.clone()));
        }
    }
    for (at, edge) in (0..).zip(&mut label.edges) {
        edge.at = at;
        rename(&mut edge.from);
        if edge.to_kind == ToKind::Node {
            rename(&mut edge.to);
        }
    }
    if let Some(entry) = &mut label.entry {
        rename(entry);
    }
}
