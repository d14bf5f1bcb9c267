//! What each change does.

use std::collections::BTreeSet;
use std::sync::Arc;

use value::{Map, Text, Value};

use super::edit::{blank, edge, edge_at, edge_at_mut, is_at, set_data};
use super::patch::{Change, NewNode};
use super::{INVALID, LABEL, NODE, Refusal};
use crate::model::{Graph, Label, Node, ToKind};
use crate::normalize::Names;
use crate::ops::{self, OpDef, Port, Runs, SlotKind};

/// Applies one change to the copy.
pub(super) fn apply(graph: &mut Graph, change: &Change) -> Result<(), Refusal> {
    match change {
        Change::InsertNodeAfter { label, after, node } => insert(graph, label, after, node),
        Change::RewireEdge { label, from, port, to, to_kind } => {
            rewire(graph, label, from, *port, to, *to_kind)
        }
        Change::RemoveNode { label, node } => remove(graph, label, node),
        Change::SetNodeData { label, node, data, operands } => {
            change_data(graph, label, node, data, operands)
        }
        Change::WrapWithRetry { label, node, count, backoff_ms } => {
            let number = |value: &i64| Value::Int(*value);
            let data = [("count".into(), number(count)), ("backoff_ms".into(), number(backoff_ms))];
            guard(graph, label, node, Port::Retry, data.into_iter().collect(), None)
        }
        Change::AttachErrHandler { label, node, handler } => {
            if !graph.labels.contains_key(handler) {
                return Err(no_label(handler));
            }
            let data = [("handler".into(), Value::Text(handler.clone()))];
            guard(graph, label, node, Port::Err, data.into_iter().collect(), Some(handler))
        }
    }
}

fn insert(graph: &mut Graph, label_id: &Text, after: &Text, new: &NewNode) -> Result<(), Refusal> {
    let names = Names::of_graph(graph);
    let label_ids: Vec<Text> = graph.labels.keys().cloned().collect();
    let label = label_mut(graph, label_id)?;
    let position = node_index(label, label_id, after)?;
    let op = known_op(&label.nodes[position])?;
    if !op.goes_on() {
        let message =
            format!("`{after}` is `{}`, and nothing comes after it in label `{label_id}`", op.name);
        return Err(Refusal::new(NODE, message));
    }
    let id = fresh_id(label, new.name.as_ref())?;
    let mut node = blank(new.op, id.clone());
    set_data(&mut node, &new.data, &new.operands, &names)?;
    // Control goes after -> new -> what came after.
    let before = edge_at_mut(label, after, Port::Next).map(|edge| {
        let old = (edge.to.clone(), edge.to_kind);
        (edge.to, edge.to_kind) = (id.clone(), ToKind::Node);
        old
    });
    match before {
        Some((to, to_kind)) if new.op.goes_on() => {
            label.edges.push(edge(&id, Port::Next, &to, to_kind))
        }
        Some(_) => {}
        None => label.edges.push(edge(after, Port::Next, &id, ToKind::Node)),
    }
    // Branches that its data names.
    for slot in new.op.slots {
        if let SlotKind::Target(port) = slot.kind
            && let Some(target) = node.data.get(slot.name).and_then(Value::as_text)
        {
            if !label_ids.contains(target) {
                return Err(no_label(target));
            }
            label.edges.push(edge(&id, port, target, ToKind::Label));
        }
    }
    label.nodes.insert(position + 1, node);
    Ok(())
}

fn rewire(
    graph: &mut Graph,
    label_id: &Text,
    from: &Text,
    port: Port,
    to: &Text,
    to_kind: Option<ToKind>,
) -> Result<(), Refusal> {
    let is_label = graph.labels.contains_key(to);
    let label = label_mut(graph, label_id)?;
    let position = node_index(label, label_id, from)?;
    let op = known_op(&label.nodes[position])?;
    let Some(def) = op.port(port) else {
        let ports: Vec<_> = op.ports.iter().map(|def| def.port.word()).collect();
        let has = if ports.is_empty() { "none".to_string() } else { ports.join(", ") };
        let message =
            format!("`{from}` is `{}`, which has no port `{port}`; it has {has}", op.name);
        return Err(Refusal::new(NODE, message));
    };
    let to_kind = to_kind.unwrap_or(match label.index_of(to) {
        None if is_label => ToKind::Label,
        _ => ToKind::Node,
    });
    match to_kind {
        ToKind::Node => drop(node_index(label, label_id, to)?),
        ToKind::Label if !is_label => return Err(no_label(to)),
        ToKind::Label => {}
    }
    if def.many && label.edges.iter().filter(|edge| is_at(edge, from, port)).count() > 1 {
        let message = format!("`{from}` has several `{port}` edges, and none of them is meant");
        return Err(Refusal::new(NODE, message));
    }
    match edge_at_mut(label, from, port) {
        Some(edge) => (edge.to, edge.to_kind) = (to.clone(), to_kind),
        None => label.edges.push(edge(from, port, to, to_kind)),
    }
    Ok(())
}

fn remove(graph: &mut Graph, label_id: &Text, id: &Text) -> Result<(), Refusal> {
    let label = label_mut(graph, label_id)?;
    let position = node_index(label, label_id, id)?;
    if let Some(op) = label.nodes[position].def()
        && op.branches()
    {
        let message =
            format!("`{id}` is `{}`, which branches: rewire what leads to it first", op.name);
        return Err(Refusal::new(NODE, message));
    }
    let protecting = label.edges.iter().filter(|edge| {
        edge.from == *id && matches!(edge.port, Some(Port::Err | Port::Retry)) && edge.is_to_node()
    });
    let protecting: Vec<String> = protecting.map(|edge| format!("`{}`", edge.to)).collect();
    if !protecting.is_empty() {
        let guards = protecting.join(" and ");
        let message =
            format!("`{id}` is protected by {guards}: remove that before, in the same patch");
        return Err(Refusal::new(NODE, message));
    }
    let next = edge_at(label, id, Port::Next).map(|edge| (edge.to.clone(), edge.to_kind));
    let guards = label.nodes[position].def().and_then(OpDef::guards);
    label.edges.retain_mut(|edge| {
        if edge.from == *id {
            return false;
        }
        if edge.to_kind == ToKind::Label || edge.to != *id {
            return true;
        }
        match &next {
            Some((to, to_kind)) if guards.is_none() || edge.port != guards => {
                (edge.to, edge.to_kind) = (to.clone(), *to_kind);
                true
            }
            _ => false,
        }
    });
    if label.entry.as_ref() == Some(id) {
        label.entry = match next {
            Some((to, ToKind::Node)) => Some(to),
            _ => None,
        };
    }
    label.nodes.remove(position);
    // Two ways to the removed node became two edges to the next one.
    let mut seen = BTreeSet::new();
    label.edges.retain(|edge| {
        let key = (edge.from.clone(), edge.port, edge.to.clone(), edge.to_kind);
        edge.analysis_only || seen.insert(key)
    });
    // A guard that named it names nothing any more.
    for guard in &mut label.nodes {
        let Some(slot) = guard.def().and_then(|op| op.slot_of(SlotKind::Protects)) else {
            continue;
        };
        if guard.data.get(slot.name).and_then(Value::as_text) == Some(id) {
            Arc::make_mut(&mut guard.data).remove(slot.name);
        }
    }
    Ok(())
}

fn change_data(
    graph: &mut Graph,
    label_id: &Text,
    id: &Text,
    data: &Map,
    operands: &Map,
) -> Result<(), Refusal> {
    let names = Names::of_graph(graph);
    let label = label_mut(graph, label_id)?;
    let position = node_index(label, label_id, id)?;
    set_data(&mut label.nodes[position], data, operands, &names)?;
    let op = known_op(&label.nodes[position])?;
    // Where data repeats an edge, the edge is what has to change.
    for slot in op.slots {
        let named = match (data.get(slot.name), slot.kind) {
            (Some(Value::Text(named)), _) => named,
            (Some(Value::Null), SlotKind::Target(port)) => {
                let label = label_mut(graph, label_id)?;
                label.edges.retain(|edge| !is_at(edge, id, port));
                continue;
            }
            _ => continue,
        };
        match slot.kind {
            SlotKind::Target(port) => {
                rewire(graph, label_id, id, port, named, Some(ToKind::Label))?
            }
            SlotKind::Protects => {
                let label = label_mut(graph, label_id)?;
                node_index(label, label_id, named)?;
                let Some(port) = op.guards() else { continue };
                label.edges.retain(|edge| !(edge.to == *id && edge.port == Some(port)));
                label.edges.push(edge(named, port, id, ToKind::Node));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Puts the op that guards by this port behind a node and leads the port to it.
fn guard(
    graph: &mut Graph,
    label_id: &Text,
    id: &Text,
    port: Port,
    data: Map,
    handler: Option<&Text>,
) -> Result<(), Refusal> {
    let names = Names::of_graph(graph);
    let label = label_mut(graph, label_id)?;
    let position = node_index(label, label_id, id)?;
    let op = known_op(&label.nodes[position])?;
    if port == Port::Retry && op.runs != Runs::Adapter {
        let message = format!("`{id}` is `{}`; only an adapter call is tried again", op.name);
        return Err(Refusal::new(NODE, message));
    }
    if op.port(port).is_none() {
        let message = format!("`{id}` is `{}`, which cannot fail", op.name);
        return Err(Refusal::new(NODE, message));
    }
    if edge_at(label, id, port).is_some() {
        return Err(Refusal::new(NODE, format!("`{id}` has a `{port}` edge already")));
    }
    let guard = ops::OPS.iter().find(|op| op.guards() == Some(port));
    let guard = guard.expect("the table has an op for each port that guards");
    let name = fresh_id(label, None)?;
    let mut node = blank(guard, name.clone());
    set_data(&mut node, &data, &Map::default(), &names)?;
    label.edges.push(edge(id, port, &name, ToKind::Node));
    if let Some(handler) = handler {
        label.edges.push(edge(&name, Port::Handler, handler, ToKind::Label));
    } else if let Some((to, to_kind)) =
        edge_at(label, id, Port::Next).map(|edge| (edge.to.clone(), edge.to_kind))
    {
        label.edges.push(edge(&name, Port::Next, &to, to_kind));
    }
    label.nodes.insert(position + 1, node);
    Ok(())
}

fn label_mut<'a>(graph: &'a mut Graph, id: &Text) -> Result<&'a mut Label, Refusal> {
    graph.labels.get_mut(id).ok_or_else(|| no_label(id))
}

fn no_label(id: &str) -> Refusal {
    Refusal::new(LABEL, format!("there is no label `{id}`")).with("label", id)
}

fn node_index(label: &Label, label_id: &Text, id: &Text) -> Result<usize, Refusal> {
    label.index_of(id).ok_or_else(|| {
        Refusal::new(NODE, format!("label `{label_id}` has no node `{id}`"))
            .with("label", Value::Text(label_id.clone()))
            .with("node", Value::Text(id.clone()))
    })
}

fn known_op(node: &Node) -> Result<&'static OpDef, Refusal> {
    let unknown = || {
        Refusal::new(NODE, format!("node `{}` has the unknown op `{}`", node.id, node.op.name()))
    };
    node.def().ok_or_else(unknown)
}

/// A name for a new node until numbers are given out.
fn fresh_id(label: &Label, wanted: Option<&Text>) -> Result<Text, Refusal> {
    match wanted {
        Some(name) if label.index_of(name).is_some() || name.is_empty() => {
            Err(Refusal::new(INVALID, format!("the name `{name}` is taken, or is none")))
        }
        Some(name) => Ok(name.clone()),
        None => {
            let free = (label.nodes.len()..)
                .map(|number| format!("new {number}"))
                .find(|name| label.index_of(name).is_none());
            Ok(Arc::from(free.expect("there are more numbers than nodes")))
        }
    }
}
