//! What leads where in the graph that a run goes by, for rules that ask where a call comes from.

use std::cell::RefCell;
use std::collections::BTreeSet;

use graph::Graph;
use graph::policy::From;
use history::kinds::What;
use history::{Archive, Lineage, Stream};
use store::{Store, StoreError};
use value::Text;

use crate::pinned;

pub(super) struct Ways {
    graph: Graph,
    began: Text,
    /// The nodes that labels lead to, for each rule that asked.
    reached: RefCell<Vec<(From, BTreeSet<String>)>>,
}

impl Ways {
    /// Those of a run that began with a label; nothing where its graph cannot be read.
    pub(super) fn of(
        store: &dyn Store,
        stream: &Stream,
        began: &Text,
    ) -> Result<Option<Ways>, StoreError> {
        let Some(lineage) = Lineage::of(store, stream, None)? else { return Ok(None) };
        // The newest that says so: a fork may go on with another graph.
        for part in lineage.segments().iter().rev() {
            let first = store.read(&part.stream, part.from, 1)?;
            let first =
                first.first().map(|entry| Archive::fact(store, &entry.event)).transpose()?;
            if let Some(What::RunStarted(started)) = first.flatten().map(|first| first.what)
                && let Some(document) = &started.document
            {
                let graph = pinned::graph(document, started.versions.as_deref());
                let reached = RefCell::default();
                return Ok(graph.ok().map(|graph| Ways { graph, began: began.clone(), reached }));
            }
        }
        Ok(None)
    }

    /// Whether what leads to a node is as a rule has it. The clock, a request and the entry count by
    /// what this run began with; a label counts wherever it leads, as it does in the graph.
    pub(super) fn lead(&self, from: &From, at: &str) -> bool {
        if from.begins(&self.graph, &self.began) {
            return true;
        }
        if from.label.is_empty() {
            return false;
        }
        let mut reached = self.reached.borrow_mut();
        if let Some((_, nodes)) = reached.iter().find(|(known, _)| known == from) {
            return nodes.contains(at);
        }
        let labels = From { label: from.label.clone(), ..From::default() };
        let nodes = compiler::policy::reached_from(&self.graph, &labels);
        let is_reached = nodes.contains(at);
        reached.push((from.clone(), nodes));
        is_reached
    }
}
