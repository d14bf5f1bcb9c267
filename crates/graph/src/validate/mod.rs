//! What is wrong with a graph. Each check is complete on its own and answers one question.

mod exits;
mod functions;
mod joins;
mod names;
mod phase1;
mod phase2;
mod slots;
mod stores;
mod verbs;

pub use joins::REDUCERS;
pub use names::names;
pub use phase1::{Edges, phase1};
pub use phase2::phase2;
pub use verbs::contract_of;

use diagnostics::Diagnostic;

use crate::index::Index;
use crate::model::Graph;
use joins::Joins;

/// All checks, in the order in which a reader wants their findings.
pub fn validate(graph: &Graph, edges: Edges) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let joins = Joins::new(graph);
    // One index of each label serves them all.
    for (id, label) in &graph.labels {
        let index = Index::new(label);
        phase1::label(id, label, &index, edges, &mut findings);
        names::label(graph, id, label, &index, &mut findings);
        phase2::label(id, label, &index, &mut findings);
        joins.label(id, label, &index, &mut findings);
    }
    joins::declared(graph, &mut findings);
    stores::declared(graph, &mut findings);
    verbs::declared(graph, &mut findings);
    names::outside_labels(graph, &mut findings);
    findings
}
