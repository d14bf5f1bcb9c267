//! Phase 1: nodes have an id and an op, `data.op` agrees, edges are complete, and a node with
//! several successors has a way on.

use diagnostics::{Anchor, Diagnostic, codes};
use value::Value;

use crate::index::Index;
use crate::model::{Graph, Label, Node};
use crate::ops::{self, OpDef, Port};
use crate::place;

/// How strictly several successors are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// One of them must be the `next` one.
    #[default]
    Strict,
    /// A node without `next` goes on by the only edge it has.
    Legacy,
}

/// Runs the check.
pub fn phase1(graph: &Graph, edges: Edges, findings: &mut Vec<Diagnostic>) {
    for (id, found) in &graph.labels {
        label(id, found, &Index::new(found), edges, findings);
    }
}

pub(super) fn label(
    id: &str,
    label: &Label,
    index: &Index<'_>,
    edges: Edges,
    findings: &mut Vec<Diagnostic>,
) {
    nodes(id, label, index, findings);
    complete_edges(id, label, findings);
    if edges == Edges::Strict {
        successors(id, label, index, findings);
    }
}

fn nodes(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    for (position, node) in label.nodes.iter().enumerate() {
        if node.id.is_empty() && node.extra.get("id").is_none() {
            let at = Anchor::value(place::of_node(id, node, "id"));
            let message = format!("a node of label `{id}` has no `id`");
            let wanted =
                format!("nodes are named `n1`, `n2`, ...; this one is `n{}`", position + 1);
            findings.push(Diagnostic::new(&codes::MISSING_MEMBER, at, message).help(wanted));
        }
        if let Some(earlier) = index.find(&node.id).filter(|earlier| *earlier != position) {
            let at = Anchor::value(place::of_node(id, node, "id"));
            let message = format!("label `{id}` has two nodes `{}`", node.id);
            let other = Anchor::value(place::of_node(id, &label.nodes[earlier], "id"));
            findings.push(
                Diagnostic::new(&codes::DUPLICATE_ID, at, message)
                    .label(other, "the first one")
                    .help(format!(
                        "number them in order; by its place this one is `n{}`",
                        position + 1
                    )),
            );
        }
        if node.op.name().is_empty() && node.extra.get("op").is_none() {
            let at = Anchor::value(place::of_node(id, node, "op"));
            let message = format!("{} of label `{id}` has no `op`", node.shown());
            findings.push(
                Diagnostic::new(&codes::MISSING_MEMBER, at, message)
                    .help("say what it does, for example `\"op\": \"R\"`"),
            );
        }
        if let Some(Value::Text(said)) = node.data.get("op")
            && **said != *node.op.name()
            // A misspelt op is reported as such.
            && (node.def().is_some() || ops::find(said).is_none())
        {
            let at = Anchor::value(place::of_data(id, node, "op"));
            let op = node.op.name();
            let message = format!("node `{}` is `{op}`, but its `data.op` says `{said}`", node.id);
            findings.push(
                Diagnostic::new(&codes::OP_DISAGREES, at.clone(), message)
                    .label(Anchor::value(place::of_node(id, node, "op")), "this is what counts")
                    .help("make both say the same")
                    .fix(format!("write `{op}`"), at, format!("\"{op}\"")),
            );
        }
    }
}

fn complete_edges(id: &str, label: &Label, findings: &mut Vec<Diagnostic>) {
    for edge in &label.edges {
        for (member, value) in [("from", &edge.from), ("to", &edge.to)] {
            if value.is_empty() && edge.extra.get(member).is_none() {
                let at = Anchor::value(place::of_edge(id, edge, member));
                let message = format!("an edge of label `{id}` has no `{member}`");
                findings.push(Diagnostic::new(&codes::MISSING_MEMBER, at, message));
            }
        }
    }
}

/// Whether a node has several successors and none is `next`. Branches and returns have ports of
/// their own; everything else goes on by `next`.
pub(super) fn lacks_next(node: &Node, index: &Index<'_>, position: usize) -> bool {
    let successors = || index.edges_from(position).filter(|edge| edge.is_to_node());
    node.def().is_some_and(OpDef::goes_on)
        && successors().count() > 1
        && successors().all(|edge| edge.port != Some(Port::Next))
}

fn successors(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    for (position, node) in label.nodes.iter().enumerate() {
        let successors = || index.edges_from(position).filter(|edge| edge.is_to_node());
        if lacks_next(node, index, position) {
            let at = Anchor::value(place::of_node(id, node, "id"));
            let own = node.shown();
            let message =
                format!("{own} of label `{id}` has several successors, and none is `next`");
            let mut found = Diagnostic::new(&codes::NO_NEXT, at, message)
                .help("add an edge with port `next` to where control goes on");
            for edge in successors().take(3) {
                let to = Anchor::value(place::of_edge(id, edge, "to"));
                let port = edge.port.map_or("without a port", Port::word);
                found = found.label(to, format!("{port}, to `{}`", edge.to));
            }
            findings.push(found);
        }
    }
}
