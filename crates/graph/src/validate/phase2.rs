//! Phase 2: ids are canonical, every edge has a legal port, one way on, branches are complete,
//! guards say what is true, slots are filled, functions are there, and everything can be reached.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, codes, nearest};

use super::exits::exits;
use super::functions::functions;
use super::joins::{self, Joins};
use super::phase1::lacks_next;
use super::slots::slots;
use super::verbs::verbs;
use crate::guards::passed;
use crate::index::Index;
use crate::model::{Edge, Graph, Label, Node, ToKind};
use crate::ops::{Leads, OpDef, Port, SlotKind};
use crate::place;

/// Runs the check.
pub fn phase2(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let joins = Joins::new(graph);
    for (id, found) in &graph.labels {
        let index = Index::new(found);
        label(id, found, &index, findings);
        joins.label(id, found, &index, findings);
    }
    joins::declared(graph, findings);
}

pub(super) fn label(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    ids(id, label, index, findings);
    let lost = lost(label, index);
    for (position, node) in label.nodes.iter().enumerate() {
        let Some(op) = node.def() else { continue };
        ports(id, label, (position, node, op), (index, &lost), findings);
        slots(id, node, op, findings);
        functions(id, node, op, findings);
        verbs(id, node, op, findings);
        effect(id, node, op, findings);
    }
    guards(id, label, index, findings);
    exits(id, label, index, findings);
    reachable(id, label, (index, &lost), findings);
}

fn ids(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    let mut nodes = label.nodes.iter().enumerate();
    let odd = nodes.find(|(position, node)| !index.is_canonical(*position) && !node.id.is_empty());
    let Some((position, node)) = odd else { return };
    // A repeated id is reported as such; its successors would only repeat that.
    if index.find(&node.id) != Some(position) {
        return;
    }
    let at = Anchor::value(place::of_node(id, node, "id"));
    let count = label.nodes.len();
    let message = match count {
        1 => format!("the node of label `{id}` is not called `n1`"),
        _ => format!("the ids of label `{id}` are not `n1` to `n{count}` in order"),
    };
    let help = format!("from here on: `{}` should be `n{}`", node.id, position + 1);
    findings.push(Diagnostic::new(&codes::IDS_NOT_CONTIGUOUS, at, message).help(help));
}

type Here<'a> = (usize, &'a Node, &'static OpDef);

fn ports(
    id: &str,
    label: &Label,
    here: Here<'_>,
    (index, lost): (&Index<'_>, &[bool]),
    findings: &mut Vec<Diagnostic>,
) {
    let (position, node, op) = here;
    // That nothing runs after a return is said once, of what stands behind it.
    let is_behind_return = |edge: usize| {
        let target = index.target(edge);
        op.returns() && target.is_some_and(|target| lost.get(target) == Some(&true))
    };
    let mut taken: Vec<(Port, &Edge)> = Vec::new();
    let mut has_unknown = false;
    let mut unported: Vec<&Edge> = Vec::new();
    for at in index.edge_indices_from(position) {
        let edge = &label.edges[at];
        if edge.analysis_only {
            continue;
        }
        let Some(port) = edge.port else {
            has_unknown = true;
            unported.extend(edge.extra.get("port").is_none().then_some(edge));
            continue;
        };
        let Some(def) = op.port(port) else {
            if !is_behind_return(at) {
                findings.push(illegal_port(id, node, op, edge, port));
            }
            continue;
        };
        if !(def.to == Leads::Either || (def.to == Leads::Node) == (edge.to_kind == ToKind::Node)) {
            let wanted = if def.to == Leads::Node { "a node" } else { "a label" };
            findings.push(wrong_kind(id, edge, op, port, wanted));
        } else if matches!(port, Port::Err | Port::Retry)
            && edge.to != edge.from
            && let Some(target) = index.target(at).map(|target| &label.nodes[target])
            && target.def().is_some_and(|target| target.guards() != Some(port))
        {
            findings.push(not_a_guard(id, edge, port, target));
        }
        match taken.iter().find(|(other, _)| *other == port) {
            Some((_, first)) if !def.many => {
                findings.push(repeated_port(id, node, edge, first, port))
            }
            Some(_) => {}
            None => taken.push((port, edge)),
        }
    }
    // Where none is `next`, phase 1 says so.
    if taken.iter().any(|(port, _)| *port == Port::Next) {
        findings.extend(unported.into_iter().map(|edge| no_port(id, node, edge)));
    }
    // A misspelt port is reported as such; it may be the one that is missing.
    for def in op.ports.iter().filter(|def| def.required && !has_unknown) {
        if !taken.iter().any(|(port, _)| *port == def.port) {
            findings.push(missing_port(id, node, op, def.port));
        }
    }
}

fn effect(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    let right = op.effect();
    if node.effect != right {
        let at = Anchor::value(place::of_node(id, node, "effect"));
        let (given, right) = (node.effect.word(), right.word());
        let message = format!("the effect of `{}` is `{right}`, not `{given}`", op.name);
        findings.push(
            Diagnostic::new(&codes::WRONG_EFFECT, at.clone(), message)
                .help("effects follow from the op; leave the member out")
                .fix(format!("write `{right}`"), at, format!("\"{right}\"")),
        );
    }
}

/// `Err @nX` and `Retry @nX` are edges from exactly that node, and a guard without such an edge
/// does nothing, but for an `Err` that is passed before something that it protects.
fn guards(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    let mut protected: BTreeMap<usize, Vec<&Edge>> = BTreeMap::new();
    for (position, edge) in label.edges.iter().enumerate() {
        if edge.port.is_some_and(Port::is_failure)
            && let Some(target) = index.target(position)
            && label.nodes[target].def().and_then(OpDef::guards) == edge.port
        {
            protected.entry(target).or_default().push(edge);
        }
    }
    let passed = passed(label, index);
    for (position, node) in label.nodes.iter().enumerate() {
        let Some(op) = node.def() else { continue };
        let Some(port) = op.guards() else { continue };
        let edges = protected.get(&position).map_or(&[][..], Vec::as_slice);
        let slot = op.slot_of(SlotKind::Protects);
        let named = slot.and_then(|slot| Some((slot.name, node.data.get(slot.name)?.as_text()?)));
        match named {
            Some((slot, named)) if !edges.iter().any(|edge| edge.from == *named) => {
                let edge = edges.first().copied();
                findings.push(wrong_targeting(id, node, (slot, named), port, edge));
            }
            None if edges.is_empty() && !passed.contains(&Some(position)) => {
                let at = Anchor::value(place::of_node(id, node, "id"));
                let message = format!(
                    "{} of label `{id}` is `{}` and protects nothing",
                    node.shown(),
                    op.name
                );
                let help =
                    format!("add an edge with port `{port}` from the node that it should protect");
                findings.push(Diagnostic::new(&codes::PROTECTS_NOTHING, at, message).help(help));
            }
            _ => {}
        }
    }
}

/// Nodes that nothing leads to, as far as that is the finding; of none where another one is.
fn lost(label: &Label, index: &Index<'_>) -> Vec<bool> {
    // Where an edge leads nowhere, or a node has no way on, that is the finding; what it should
    // reach would only repeat it.
    let leads_nowhere = |edge: &Edge| {
        let to_node = index.find(&edge.to).is_some();
        edge.is_to_node() && (!to_node || edge.to == edge.from) || edge.is_to_label() && to_node
    };
    let mut reached = index.reached();
    if reached.iter().all(|reached| *reached)
        || index.entry().is_none()
        || label.edges.iter().any(leads_nowhere)
        || label.nodes.iter().enumerate().any(|(at, node)| lacks_next(node, index, at))
    {
        return Vec::new();
    }
    // Nor can an edge find a node without an id, or the second node of an id; both are reported
    // as such.
    for (at, node) in label.nodes.iter().enumerate() {
        reached[at] = !reached[at] && index.find(&node.id) == Some(at);
    }
    reached
}

fn reachable(
    id: &str,
    label: &Label,
    (index, lost): (&Index<'_>, &[bool]),
    findings: &mut Vec<Diagnostic>,
) {
    // One finding for each stretch: what follows an unreachable node is a consequence.
    let mut explained: Vec<bool> = lost.iter().map(|is_lost| !is_lost).collect();
    for node in 0..lost.len() {
        if std::mem::replace(&mut explained[node], true) {
            continue;
        }
        let mut stack = vec![node];
        let mut follow = 0;
        while let Some(from) = stack.pop() {
            for target in index.edge_indices_from(from).filter_map(|edge| index.target(edge)) {
                if !std::mem::replace(&mut explained[target], true) {
                    follow += 1;
                    stack.push(target);
                }
            }
        }
        findings.push(unreachable(id, label, node, follow));
    }
}

fn unreachable(id: &str, label: &Label, position: usize, follow: usize) -> Diagnostic {
    let node = &label.nodes[position];
    let more = match follow {
        0 => String::new(),
        1 => " (nor the node after it)".to_string(),
        count => format!(" (nor {count} nodes after it)"),
    };
    let message = format!("node `{}` of label `{id}` cannot be reached{more}", node.id);
    let at = Anchor::value(place::of_node(id, node, "id"));
    let found = Diagnostic::new(&codes::UNREACHABLE, at, message);
    let before = position.checked_sub(1).map(|before| &label.nodes[before]);
    match before.and_then(|before| Some((before, before.def()?))) {
        Some((before, op)) if !op.goes_on() => {
            let at = Anchor::value(place::of_node(id, before, "id"));
            found
                .label(at, format!("`{}` does not go on from here", op.name))
                .help("move it to the label that control goes to, or remove it")
        }
        _ => found.help("lead an edge to it, or remove it"),
    }
}

fn illegal_port(id: &str, node: &Node, op: &'static OpDef, edge: &Edge, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "port"));
    let words: Vec<_> = op.ports.iter().map(|def| def.port.word()).collect();
    if words.is_empty() {
        let message =
            format!("{} of label `{id}` is `{}`, which no edge can leave", node.shown(), op.name);
        let help = "nothing runs after it; remove the edge";
        return Diagnostic::new(&codes::ILLEGAL_PORT, at, message).help(help);
    }
    let message =
        format!("{} of label `{id}` is `{}`, which has no port `{port}`", node.shown(), op.name);
    let found = Diagnostic::new(&codes::ILLEGAL_PORT, at, message);
    match nearest(port.word(), words.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(format!("it has {}", words.join(", "))),
    }
}

fn wrong_kind(id: &str, edge: &Edge, op: &OpDef, port: Port, wanted: &str) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "to_kind"));
    let (kind, to) = (edge.to_kind.word(), &edge.to);
    let message =
        format!("the port `{port}` of `{}` leads to {wanted}, not to the {kind} `{to}`", op.name);
    Diagnostic::new(&codes::WRONG_TARGET_KIND, at, message).help(match edge.to_kind {
        ToKind::Node => "move what it should run to a label of its own, and lead the edge there",
        ToKind::Label => "lead the edge to a node of this label",
    })
}

fn not_a_guard(id: &str, edge: &Edge, port: Port, target: &Node) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "to"));
    let guard =
        crate::ops::OPS.iter().find(|op| op.guards() == Some(port)).map_or("", |op| op.name);
    let (to, op) = (&target.id, target.op.name());
    let message = format!("the port `{port}` must lead to `{guard}`, but `{to}` is `{op}`");
    Diagnostic::new(&codes::WRONG_TARGET_KIND, at, message)
        .help(format!("put `{guard}` between them, or make this a `next` edge"))
}

fn repeated_port(id: &str, node: &Node, edge: &Edge, first: &Edge, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "to"));
    let message = format!("{} of label `{id}` has more than one `{port}` edge", node.shown());
    Diagnostic::new(&codes::REPEATED_PORT, at, message)
        .label(Anchor::value(place::of_edge(id, first, "to")), "the first one")
        .help("control can take only one of them")
}

fn no_port(id: &str, node: &Node, edge: &Edge) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "port"));
    let own = node.shown();
    let message = format!("the edge from {own} of label `{id}` to `{}` has no port", edge.to);
    Diagnostic::new(&codes::MISSING_PORT, at, message)
        .help("another edge is the way on already; say when this one is taken, or remove it")
}

fn missing_port(id: &str, node: &Node, op: &'static OpDef, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_node(id, node, "id"));
    let message =
        format!("{} of label `{id}` is `{}` without a `{port}` edge", node.shown(), op.name);
    let found = Diagnostic::new(&codes::MISSING_PORT, at, message);
    match op.target_slot(port).and_then(|slot| node.data.get(slot.name)?.as_text()) {
        Some(named) => found.help(format!("its data names `{named}`: add an edge to that label")),
        None => found.help(format!("add an edge with port `{port}`")),
    }
}

fn wrong_targeting(
    id: &str,
    node: &Node,
    (slot, named): (&'static str, &str),
    port: Port,
    edge: Option<&Edge>,
) -> Diagnostic {
    let at = Anchor::value(place::of_data(id, node, slot));
    let own = &node.id;
    let message =
        format!("`{own}` of label `{id}` names `{named}`, but no `{port}` edge comes from there");
    let found = Diagnostic::new(&codes::WRONG_TARGETING, at, message);
    match edge {
        Some(edge) => found
            .label(Anchor::value(place::of_edge(id, edge, "from")), "it protects this one")
            .help(format!("name `{}`, or change the edge", edge.from)),
        None => found.help(format!("add an edge from `{named}` to `{own}` with port `{port}`")),
    }
}
