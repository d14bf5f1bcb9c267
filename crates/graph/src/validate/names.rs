//! Names that must resolve: ops, nodes, labels. And a label must have something to do.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Pointer, Value};

use crate::index::Index;
use crate::model::{Graph, Label, Node, ToKind};
use crate::operand::Operand;
use crate::ops::{OPS, SlotKind};
use crate::place;

/// Runs the check.
pub fn names(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for (id, label) in &graph.labels {
        if label.nodes.is_empty() {
            let message = format!("label `{id}` is empty");
            findings.push(
                Diagnostic::new(&codes::EMPTY_LABEL, Anchor::key(place::label(id)), message)
                    .help("give it a node, or remove it"),
            );
        }
        ops(id, label, findings);
        callees(graph, id, label, findings);
        edges(graph, id, label, findings);
    }
    endpoints(graph, findings);
    crons(graph, findings);
}

fn ops(id: &str, label: &Label, findings: &mut Vec<Diagnostic>) {
    for node in &label.nodes {
        let name = node.op.name();
        if node.def().is_some() || name.is_empty() {
            continue;
        }
        let at = Anchor::value(place::of_node(id, node, "op"));
        let found = Diagnostic::new(&codes::UNKNOWN_OP, at.clone(), format!("unknown op `{name}`"));
        findings.push(match nearest(name, OPS.iter().map(|op| op.name)) {
            Some(near) => found.help(format!("did you mean `{near}`?")).fix(
                format!("write `{near}`"),
                at,
                format!("\"{near}\""),
            ),
            None => {
                let ops: Vec<_> = OPS.iter().map(|op| op.name).collect();
                found.help(format!("the ops are {}", ops.join(", ")))
            }
        });
    }
}

fn callees(graph: &Graph, id: &str, label: &Label, findings: &mut Vec<Diagnostic>) {
    for node in &label.nodes {
        let Some(slot) = node.def().and_then(|op| op.slot_of(SlotKind::Callee)) else { continue };
        let Some(Operand::Label(callee)) = node.operands.one(slot.name) else { continue };
        if !graph.labels.contains_key(callee) {
            let at = place::of_data(id, node, slot.name);
            let what = format!("`{}` of label `{id}` calls", node.id);
            findings.push(unknown_label(graph, at, &what, callee));
        }
    }
}

fn edges(graph: &Graph, id: &str, label: &Label, findings: &mut Vec<Diagnostic>) {
    let index = Index::new(label);
    for edge in &label.edges {
        if !edge.from.is_empty() && index.find(&edge.from).is_none() {
            let at = place::of_edge(id, edge, "from");
            findings.push(unknown_node(at, id, "an edge leaves", &edge.from, &label.nodes));
        }
        // A called label is checked at its call.
        if edge.to.is_empty() || edge.analysis_only {
            continue;
        }
        let at = place::of_edge(id, edge, "to");
        let port = edge.port.map_or("", |port| port.word());
        match edge.to_kind {
            ToKind::Node if index.find(&edge.to).is_none() => {
                let what = format!("the `{port}` edge of `{}` leads to", edge.from);
                findings.push(unknown_node(at, id, &what, &edge.to, &label.nodes));
            }
            ToKind::Label if !graph.labels.contains_key(&edge.to) => {
                let what = format!("the `{port}` edge of `{}` leads to", edge.from);
                findings.push(unknown_label(graph, at, &what, &edge.to));
            }
            _ => {}
        }
    }
    if let Some(entry) = &label.entry
        && index.entry().is_none()
    {
        let at = place::of_label(id, "entry");
        let what = format!("label `{id}` begins with");
        findings.push(unknown_node(at, id, &what, entry, &label.nodes));
    }
    for (position, exit) in label.exits.iter().enumerate() {
        if index.find(&exit.node).is_none() {
            let at = place::of_label(id, "exits").child(position).child("node");
            let what = format!("an exit of label `{id}` is");
            findings.push(unknown_node(at, id, &what, &exit.node, &label.nodes));
        }
    }
}

fn endpoints(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for endpoint in &graph.endpoints {
        let at = ["services", "core", "eps", &endpoint.path, &endpoint.method, "label_id"];
        let at = at.iter().fold(Pointer::root(), |at, step| at.child(step));
        let what = format!("endpoint `{} {}`", endpoint.method, endpoint.path);
        match &endpoint.label {
            None => {
                let message = format!("{what} has no `label_id`");
                findings.push(Diagnostic::new(&codes::MISSING_MEMBER, Anchor::value(at), message));
            }
            Some(label) if !graph.labels.contains_key(label) => {
                findings.push(unknown_label(graph, at, &format!("{what} runs"), label));
            }
            Some(_) => {}
        }
    }
}

fn crons(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for (position, cron) in graph.crons.iter().enumerate() {
        let Some(Value::Text(written)) = cron.get("label") else { continue };
        // Older compilers write the label as the source does.
        let bare =
            written.strip_prefix("->L").or_else(|| written.strip_prefix('L')).unwrap_or(written);
        if !graph.labels.contains_key(written) && !graph.labels.contains_key(bare) {
            let at = Pointer::root().child("crons").child(position).child("label");
            findings.push(unknown_label(graph, at, "a cron runs", written));
        }
    }
}

/// Looking for near names among very many, or for very many findings, takes more time than a
/// reader would thank us for.
const NEAR_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 200;

fn unknown_node(at: Pointer, label: &str, what: &str, id: &str, nodes: &[Node]) -> Diagnostic {
    let message = format!("{what} node `{id}`, which label `{label}` does not have");
    let found = Diagnostic::new(&codes::UNKNOWN_NODE, Anchor::value(at), message);
    match nearest(id, nodes.iter().map(|node| &*node.id).take(NEAR_MAX)) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => match nodes {
            [] => found,
            [only] => found.help(format!("its only node is `{}`", only.id)),
            [first, .., last] => {
                found.help(format!("its {} nodes are `{}` to `{}`", nodes.len(), first.id, last.id))
            }
        },
    }
}

fn unknown_label(graph: &Graph, at: Pointer, what: &str, id: &str) -> Diagnostic {
    let message = format!("{what} label `{id}`, which does not exist");
    let found = Diagnostic::new(&codes::UNKNOWN_LABEL, Anchor::value(at), message);
    let ids: Vec<&str> = graph.labels.keys().map(|id| &**id).take(NEAR_MAX).collect();
    match nearest(id, ids.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None if ids.len() <= 12 => found.help(format!("the labels are {}", quoted(&ids))),
        None => found,
    }
}

fn quoted(ids: &[&str]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
