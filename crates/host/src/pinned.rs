//! The graph that a run is pinned to: as a document in its first event, and back to a plan.

use diagnostics::{Source, any_error};
use frontends::document;
use graph::Graph;
use graph::hash::Hashes;
use runtime::{Plan, Unrunnable};
use value::{Text, Value, json};

/// A graph as a run records it, and the hash of its meaning.
pub fn document(graph: &Graph) -> (Value, Text) {
    let hashes = Hashes::of(graph);
    let document = document::write(graph, &hashes);
    (document.into(), hashes.checksum.to_string().into())
}

/// Why there is no plan in a document.
#[derive(Debug, thiserror::Error)]
pub enum PinnedError {
    /// It was not written by us, or by a newer program.
    #[error("the graph that the run was begun with cannot be read")]
    Unreadable,
    /// It can be read, but not run.
    #[error("the graph that the run was begun with cannot run: {0}")]
    Unrunnable(#[from] Unrunnable),
}

/// The graph in a document.
pub fn graph(document: &Value) -> Result<Graph, PinnedError> {
    let source = Source::new("graph", json::compact(document));
    let mut reading = document::read(&source);
    let draft = reading.draft.take().ok_or(PinnedError::Unreadable)?;
    if any_error(&reading.findings) {
        return Err(PinnedError::Unreadable);
    }
    Ok(graph::normalize(draft, &mut Vec::new()))
}

/// The plan of the graph in a document.
pub fn plan(document: &Value) -> Result<Plan, PinnedError> {
    Ok(Plan::new(&graph(document)?)?)
}
