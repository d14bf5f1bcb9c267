//! What follows from events: typed nodes and edges, each with the time for which it is true and
//! the numbers of the events between which it was believed.
//!
//! A projection is computed when it is asked for, from the events that matter for the question;
//! nothing here is stored. What an event means is in `conversation`, `resources` and `runs`.
//!
//! ```
//! use history::projection::{EdgeKind, NodeKind, NodeRef, Projection, Seen};
//! use history::{Event, Place};
//! let text = r#"{"kind": "resource_attached", "ts": "2026-01-01T00:00:00.000000Z",
//!     "agent_id": "a", "run_id": "r", "resource_ref": "vol", "mode": "rw"}"#;
//! let event = Event::read(text).unwrap();
//! let mut projection = Projection::default();
//! projection.apply(&Seen::new(Place::parse("r@0").unwrap(), &event, |_| None));
//! let volume = NodeRef::new(NodeKind::Resource, "vol");
//! let attached = projection.now().leaving(&volume, EdgeKind::AttachedTo).next().unwrap();
//! assert_eq!(attached.what.to.to_string(), "Run:r");
//! ```

mod conversation;
mod edges;
mod fold;
mod node;
mod resources;
mod rows;
mod runs;
mod seen;
mod view;

use std::collections::BTreeMap;

pub use edges::{By, EDGES, Edge, EdgeKind, EdgeRow};
pub use node::{Aspect, Node, NodeKind, NodeRef};
pub use rows::{Row, Said, Span};
pub use seen::Seen;
pub use view::View;

use crate::Timestamp;
use edges::EdgeKey;
use fold::{Fold, Memory};
use rows::Rows;

/// What is believed of nodes and edges, and what was believed before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Projection {
    nodes: Rows<(NodeRef, Aspect), Node>,
    edges: Rows<EdgeKey, Edge>,
    /// The rows about a node.
    about: BTreeMap<NodeRef, Vec<usize>>,
    /// The edges that leave a node.
    leaving: BTreeMap<(NodeRef, EdgeKind), Vec<usize>>,
    /// The edges that lead to a node.
    arriving: BTreeMap<(NodeRef, EdgeKind), Vec<usize>>,
    memory: Memory,
    /// The number of the last event.
    known: u64,
    /// When the last event happened that says so.
    time: Option<Timestamp>,
}

impl Projection {
    /// What follows from these events, in their order.
    pub fn rebuild<'a>(events: impl IntoIterator<Item = &'a Seen>) -> Projection {
        let mut projection = Projection::default();
        events.into_iter().for_each(|seen| projection.apply(seen));
        projection
    }

    /// What follows from one more event. It costs what it changes.
    ///
    /// The events of a lineage are numbered; where several streams are told together, a number
    /// that would go back counts as the one before.
    pub fn apply(&mut self, seen: &Seen) {
        self.known = self.known.max(seen.place.seq);
        let ts = seen.fact.as_ref().map(|fact| fact.common.valid_at.unwrap_or(fact.common.ts));
        // An event without a time that can be read happened when the one before it did.
        let from = ts.or(self.time).unwrap_or(Timestamp::from_micros(0));
        self.time = Some(from);
        Fold::new(self, seen, from).apply(seen);
    }

    /// All rows about nodes, in the order in which they came to be.
    pub fn nodes(&self) -> &[Row<Node>] {
        self.nodes.all()
    }

    /// All edges, in the order in which they came to be.
    pub fn edges(&self) -> &[Row<Edge>] {
        self.edges.all()
    }
}
