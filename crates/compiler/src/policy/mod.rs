//! Holds a graph against rules that somebody else has made: what it may call, from where, and what
//! must be asked before. Each finding names the rule and has the way by which a run comes there.

mod calls;
mod declared;
mod endpoints;
mod passed;

use std::collections::BTreeSet;

use diagnostics::Diagnostic;
use graph::Graph;
use graph::policy::{From, Rulebook};

use crate::flow::{Flow, NodeId};

/// Everything about a graph that is against the rules. Takes about linear time for each rule; a
/// graph may have errors.
pub fn check(graph: &Graph, books: &[&Rulebook]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    if books.is_empty() {
        return findings;
    }
    let flow = Flow::new(graph);
    for book in books {
        calls::check(&flow, book, &mut findings);
        endpoints::check(&flow, book, &mut findings);
        declared::check(graph, book, &mut findings);
    }
    findings
}

/// The nodes that these lead to, as `label/node`.
pub fn reached_from(graph: &Graph, from: &From) -> BTreeSet<String> {
    let flow = Flow::new(graph);
    let starts = starts(&flow, from);
    let reached = passed::Unpassed::new(&flow, &starts, &|_| false);
    let name = |at: &NodeId| format!("{}/{}", flow.label_id(*at), flow.node(*at).id);
    reached.order().iter().map(name).collect()
}

/// The nodes with which runs begin that a rule means. What runs whenever something fails, or when a
/// message comes, any run can come to.
fn starts(flow: &Flow<'_>, from: &From) -> Vec<NodeId> {
    let origins = from.origins(flow.graph);
    let labels = origins.iter().filter_map(|origin| flow.find_label(&origin.label));
    let mut starts: Vec<NodeId> = labels.filter_map(|label| flow.labels[label].entry).collect();
    if !starts.is_empty() {
        starts.extend(&flow.side_roots);
    }
    starts
}
