//! What is wrong with a graph. Each check is complete on its own and answers one question.

mod names;
mod phase1;
mod phase2;

pub use names::names;
pub use phase1::{Edges, phase1};
pub use phase2::phase2;

use diagnostics::Diagnostic;

use crate::model::Graph;

/// All checks, in the order in which a reader wants their findings.
pub fn validate(graph: &Graph, edges: Edges) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    phase1(graph, edges, &mut findings);
    names(graph, &mut findings);
    phase2(graph, &mut findings);
    findings
}
