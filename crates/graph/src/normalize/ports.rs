//! Gives back the ports that older documents leave out.

use std::collections::{BTreeMap, BTreeSet};

use value::{Text, Value};

use super::bare_label;
use crate::index::Index;
use crate::model::{Edge, Label, Node, ToKind};
use crate::ops::{Leads, OpDef, Port, Runs, SlotKind};

/// Fills every missing port. An unknown word stays, and so does what could be one of several
/// ways on: both are findings.
pub(super) fn fill(label: &mut Label) {
    if label.edges.iter().all(|edge| !is_missing(edge)) {
        return;
    }
    let index = Index::new(label);
    let mut found: Vec<(usize, Port)> = Vec::new();
    let mut ways_on: Vec<Edge> = Vec::new();
    for (position, node) in label.nodes.iter().enumerate() {
        let edges = || index.edge_indices_from(position).map(|edge| (edge, &label.edges[edge]));
        if edges().all(|(_, edge)| !is_missing(edge)) {
            continue;
        }
        let mut siblings = Siblings::default();
        for (_, edge) in edges().filter(|(_, edge)| !edge.analysis_only) {
            match edge.port {
                Some(port) => siblings.take(edge, port),
                None => *siblings.to_come.entry(target(edge)).or_default() += 1,
            }
        }
        let goes_on_already = siblings.used.contains(&Port::Next);
        let mut own: Vec<(usize, Port)> = Vec::new();
        for (at, edge) in edges().filter(|(_, edge)| is_missing(edge)) {
            if edge.analysis_only {
                found.push((at, Port::Next));
                continue;
            }
            *siblings.to_come.entry(target(edge)).or_default() -= 1;
            let port = infer(label, &index, node, edge, &siblings);
            siblings.take(edge, port);
            own.push((at, port));
        }
        let next_count = own.iter().filter(|(_, port)| *port == Port::Next).count();
        if next_count > usize::from(!goes_on_already) {
            own.retain(|(_, port)| *port != Port::Next);
        } else if next_count == 0 && !goes_on_already && node.def().is_some_and(OpDef::goes_on) {
            // A chain that passes a guard was written as one edge; it is the way on as well.
            let guarded = own.iter().find(|(_, port)| matches!(port, Port::Err | Port::Retry));
            let way_on = guarded.map(|(at, _)| label.edges[*at].clone());
            ways_on.extend(way_on.map(|edge| Edge { port: Some(Port::Next), ..edge }));
        }
        found.append(&mut own);
    }
    // Edges that leave no node cannot be understood, but can be printed.
    let leaves_nothing = |edge: &Edge| is_missing(edge) && index.find(&edge.from).is_none();
    let lost = label.edges.iter().enumerate().filter(|(_, edge)| leaves_nothing(edge));
    found.extend(lost.map(|(at, _)| (at, Port::Next)));
    for (edge, port) in found {
        label.edges[edge].port = Some(port);
    }
    label.edges.extend(ways_on);
}

fn is_missing(edge: &Edge) -> bool {
    edge.port.is_none() && edge.extra.get("port").is_none()
}

/// The other edges of the same node.
#[derive(Default)]
struct Siblings<'a> {
    used: BTreeSet<Port>,
    seen: BTreeSet<Target<'a>>,
    to_come: BTreeMap<Target<'a>, usize>,
}

type Target<'a> = (&'a str, ToKind);

fn target(edge: &Edge) -> Target<'_> {
    (&edge.to, edge.to_kind)
}

impl<'a> Siblings<'a> {
    fn take(&mut self, edge: &'a Edge, port: Port) {
        self.used.insert(port);
        self.seen.insert(target(edge));
    }
}

fn infer(
    label: &Label,
    index: &Index<'_>,
    node: &Node,
    edge: &Edge,
    siblings: &Siblings<'_>,
) -> Port {
    let Some(op) = node.def() else { return Port::Next };
    let free =
        |port: Port| op.port(port).is_some_and(|def| def.many || !siblings.used.contains(&port));
    if let Some(port) = named_in_data(op, node, &edge.to).find(|port| free(*port)) {
        return port;
    }
    if edge.to_kind == ToKind::Node
        && let Some(guard) = index.find(&edge.to).map(|target| &label.nodes[target])
        && let Some(port) = guard.def().and_then(OpDef::guards)
        && protects(node, op, guard, edge, siblings)
        && free(port)
    {
        return port;
    }
    let leads = match edge.to_kind {
        ToKind::Node => Leads::Node,
        ToKind::Label => Leads::Label,
    };
    let fits = op.ports.iter().filter(|def| def.to == leads || def.to == Leads::Either);
    let mut fits = fits.map(|def| def.port).filter(|port| !matches!(port, Port::Err | Port::Retry));
    fits.find(|port| free(*port)).unwrap_or(Port::Next)
}

/// The ports whose slot names this label.
fn named_in_data<'a>(
    op: &'static OpDef,
    node: &'a Node,
    to: &'a Text,
) -> impl Iterator<Item = Port> + 'a {
    op.slots.iter().filter_map(move |slot| match slot.kind {
        SlotKind::Target(port) => {
            let named = node.data.get(slot.name).and_then(Value::as_text)?;
            (**to == **named || &**to == bare_label(named)).then_some(port)
        }
        _ => None,
    })
}

/// Whether an edge to a guard says that the guard protects the node, and not only that the guard
/// comes next. Of a pair, the first edge is the way on and the second the protection.
fn protects(node: &Node, op: &OpDef, guard: &Node, edge: &Edge, siblings: &Siblings<'_>) -> bool {
    if siblings.to_come.get(&target(edge)).is_some_and(|count| *count > 0) {
        return false;
    }
    if siblings.seen.contains(&target(edge)) {
        return true;
    }
    let slot = guard.def().and_then(|guard| guard.slot_of(SlotKind::Protects));
    let named = slot.and_then(|slot| guard.data.get(slot.name)?.as_text());
    match named {
        Some(named) => *named == node.id,
        // A guard in the chain after another guard is only passed.
        None => !matches!(op.runs, Runs::Guard(_)),
    }
}
