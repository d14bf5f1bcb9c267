//! The graph that a run is pinned to: as a document in its first event, and back to a plan.

use std::sync::Arc;

use diagnostics::{Source, any_error};
use frontends::document;
use graph::hash::Hashes;
use graph::{Graph, Kind};
use runtime::{Edition, Plan, Unrunnable};
use value::{Map, Text, Value, json};

/// A graph as a run records it.
#[derive(Clone, Debug)]
pub struct Pinned {
    /// The graph.
    pub document: Value,
    /// The hash of its meaning.
    pub checksum: Text,
    /// What runs by it: made of the document as it will be read again, so that nothing hangs on
    /// the order in which its author wrote it.
    pub plan: Arc<Plan>,
}

/// Pins a graph without errors.
pub fn pin(graph: &Graph) -> Result<Pinned, PinnedError> {
    let hashes = Hashes::of(graph);
    let mut pinned = graph.clone();
    // Where no entry is written, the order of labels says which it is; a document has none.
    if graph.entry().is_none() {
        let entry = Plan::new(graph)?.entry_label().clone();
        pinned.runtime_policy.insert("entry".into(), Value::Text(entry));
    }
    let document = Value::from(document::write(&pinned, &hashes));
    let document = json::read(&json::canonical(&document)).map_err(|_| PinnedError::Unreadable)?.0;
    let plan = Arc::new(plan(&document, Some(&crate::versions()))?);
    Ok(Pinned { document, checksum: hashes.checksum.to_string().into(), plan })
}

/// Why there is no plan in a document.
#[derive(Debug, thiserror::Error)]
pub enum PinnedError {
    /// It was not written by us, or by a newer program.
    #[error("the graph that the run was begun with cannot be read")]
    Unreadable,
    /// It can be read, but not run.
    #[error("the graph cannot run: {0}")]
    Unrunnable(#[from] Unrunnable),
}

/// The plan of the graph in a document, for an engine of these versions.
pub(crate) fn plan(document: &Value, versions: Option<&Map>) -> Result<Plan, PinnedError> {
    let edition = match engine(versions) {
        Some(Value::Int(..=2)) => Edition::Second,
        _ => Edition::Third,
    };
    Ok(Plan::by(&graph(document, versions)?, edition)?)
}

/// The graph in a document, as an engine of these versions understood it.
pub(crate) fn graph(document: &Value, versions: Option<&Map>) -> Result<Graph, PinnedError> {
    let source = Source::new("graph", json::compact(document));
    let mut reading = document::read(&source);
    let draft = reading.draft.take().ok_or(PinnedError::Unreadable)?;
    if any_error(&reading.findings) {
        return Err(PinnedError::Unreadable);
    }
    let mut graph = graph::normalize(draft, &mut Vec::new());
    if matches!(engine(versions), Some(Value::Int(..=1))) {
        without_protocols(&mut graph);
    }
    Ok(graph)
}

fn engine(versions: Option<&Map>) -> Option<&Value> {
    versions.and_then(|versions| versions.get("engine"))
}

/// The first engine knew no protocols: a `config` said nothing, and what is a vector store now was
/// searched by whole words, like any store of another type than the plain ones.
fn without_protocols(graph: &mut Graph) {
    for store in graph.declarations.of_mut(Kind::Stores).values_mut() {
        let Value::Map(members) = store else { continue };
        let kept = members
            .iter()
            .filter(|(name, _)| !matches!(&***name, "config" | "protocol" | "provider"));
        let kept = kept.map(|(name, value)| match value.as_text() {
            Some(word) if **name == *"store_type" && **word == *"vector" => {
                (name.clone(), Value::from("items"))
            }
            _ => (name.clone(), value.clone()),
        });
        *store = Value::map(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_engine_began_knows_no_protocols() {
        let mut graph = Graph::default();
        let declared = r#"{"store_type": "vector", "retention": "session",
            "config": {"protocol": "graph"}}"#;
        let declared = json::parse(declared).unwrap();
        graph.declarations.of_mut(Kind::Stores).insert("s".into(), declared);
        without_protocols(&mut graph);
        let store = &graph.declarations.of(Kind::Stores)["s"];
        assert_eq!(json::compact(store), r#"{"store_type":"items","retention":"session"}"#);
        assert_eq!(graph::protocols::protocol(store), None);
    }
}
