//! What differs between two graphs in meaning. Nodes are matched by what they are, so inserting
//! one at the front is one added node, whatever numbers the others have now.

mod align;
mod apply;
mod edges;
mod summary;

pub use apply::apply;
pub(crate) use edges::EdgeFrom;
pub use edges::{EdgeRef, Rewired};
use value::{Digest, Map, Text, Value};

use crate::declarations::{Declarations, Kind};
use crate::hash::{self, Hashes};
use crate::model::{Endpoint, Graph, Label, Node};
use crate::operand::Filled;

/// Everything that differs, and enough of the new graph to make it from the old one.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// Labels that both graphs have. Those without a difference are left out, unless their nodes
    /// stand in another order.
    pub labels: Vec<LabelDiff>,
    /// Labels that only the new graph has.
    pub added_labels: Vec<(Text, Label)>,
    /// Labels that only the old graph has.
    pub removed_labels: Vec<Text>,
    /// Declarations that differ.
    pub declarations: Vec<Declared>,
    /// Other parts of the document that differ: their name, before and after.
    pub document: Vec<(Part, Value, Value)>,
    pub(crate) new_endpoints: Vec<Endpoint>,
    pub(crate) new_declarations: Declarations,
}

/// A part of the document beside its labels and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Which request runs which label.
    Endpoints,
    /// What runs by the clock.
    Crons,
    /// Configured services.
    Capabilities,
    /// How the graph wants to be run.
    RuntimePolicy,
}

impl Part {
    /// Its name in documents.
    pub fn word(self) -> &'static str {
        match self {
            Part::Endpoints => "endpoints",
            Part::Crons => "crons",
            Part::Capabilities => "capabilities",
            Part::RuntimePolicy => "runtime_policy",
        }
    }
}

/// What differs in a label.
#[derive(Clone, Debug, Default)]
pub struct LabelDiff {
    /// The label.
    pub label: Text,
    /// Nodes that are new, by their new id.
    pub added: Vec<Node>,
    /// Nodes that are gone, by their old id.
    pub removed: Vec<Node>,
    /// Slots of nodes that are not what they were.
    pub changed: Vec<Changed>,
    /// Edges that are new.
    pub edges_added: Vec<EdgeRef>,
    /// Edges that are gone.
    pub edges_removed: Vec<EdgeRef>,
    /// Edges that lead somewhere else.
    pub edges_rewired: Vec<Rewired>,
    /// The first node before and after, where it is another one.
    pub entry: Option<(Option<Text>, Option<Text>)>,
    /// Whether all that differs is the order of nodes that nothing reaches, or of edges that
    /// share a port.
    pub reordered: bool,
    /// The new nodes in order: an old one by its index, or the next of the added ones.
    pub(crate) order: Vec<Option<usize>>,
    /// The new edges in order.
    pub(crate) edge_order: Vec<EdgeFrom>,
    pub(crate) new_entry: Option<usize>,
}

/// A slot that holds something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The old id of the node.
    pub node: Text,
    /// The new id.
    pub new_node: Text,
    /// What the node does.
    pub op: Text,
    /// The slot.
    pub field: Text,
    /// What it held.
    pub old: Value,
    /// What it holds.
    pub new: Value,
    /// The place of the old node.
    pub(crate) at: usize,
    pub(crate) change: Change,
}

/// How to make the new node of the old one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// A slot of a known op.
    Slot(&'static str, Option<Filled>),
    /// A member of the data of an unknown op.
    Member(Text, Option<Value>),
}

/// A declaration that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: Text,
    /// What was declared.
    pub old: Option<Value>,
    /// What is declared.
    pub new: Option<Value>,
}

/// Compares two graphs.
pub fn diff(old: &Graph, new: &Graph) -> Diff {
    let (old_hashes, new_hashes) = (Hashes::of(old), Hashes::of(new));
    let mut found = Diff {
        new_endpoints: new.endpoints.clone(),
        new_declarations: new.declarations.clone(),
        declarations: declared(&old.declarations, &new.declarations),
        document: document(old, new),
        ..Diff::default()
    };
    for (id, label) in &old.labels {
        let Some(other) = new.labels.get(id) else {
            found.removed_labels.push(id.clone());
            continue;
        };
        let (before, after) = (&old_hashes.labels[id], &new_hashes.labels[id]);
        // The same nodes in the same order with the same edges: nothing to look for.
        if before != after {
            let mut differs = diff_label(id, label, other, &before.nodes, &after.nodes);
            differs.reordered = before.label != after.label && differs.is_empty();
            found.labels.push(differs);
        }
    }
    let added = new.labels.iter().filter(|(id, _)| !old.labels.contains_key(id));
    found.added_labels = added.map(|(id, label)| (id.clone(), label.clone())).collect();
    found
}

impl Diff {
    /// Whether the graphs mean the same.
    pub fn is_empty(&self) -> bool {
        self.labels.iter().all(LabelDiff::is_empty)
            && self.added_labels.is_empty()
            && self.removed_labels.is_empty()
            && self.declarations.is_empty()
            && self.document.is_empty()
    }
}

impl LabelDiff {
    fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.edges_added.is_empty()
            && self.edges_removed.is_empty()
            && self.edges_rewired.is_empty()
            && self.entry.is_none()
            && !self.reordered
    }
}

fn diff_label(
    id: &Text,
    old: &Label,
    new: &Label,
    before: &[Digest],
    after: &[Digest],
) -> LabelDiff {
    let mut matches = align::align(before, after);
    // A node that differs is the same node if it does the same to the same, then if it does one
    // of both. Calls to different adapters have nothing in common.
    let what = |node: &Node| {
        let adapter = node.adapter().map(|(namespace, verb)| format!("{namespace}.{verb}"));
        (Text::from(node.op.name()), adapter)
    };
    align::match_rest(&old.nodes, &new.nodes, &mut matches, |node| {
        (!node.writes.is_empty()).then(|| (what(node), node.writes.clone()))
    });
    align::match_rest(&old.nodes, &new.nodes, &mut matches, |node| Some(what(node)));
    align::match_rest(&old.nodes, &new.nodes, &mut matches, |node| {
        (!node.writes.is_empty()).then(|| (Text::from(node.op.name()), node.writes.clone()))
    });
    let mut found =
        LabelDiff { label: id.clone(), order: vec![None; new.nodes.len()], ..LabelDiff::default() };
    for (at, node) in old.nodes.iter().enumerate() {
        match matches[at] {
            None => found.removed.push(node.clone()),
            Some(other) => {
                found.order[other] = Some(at);
                if before[at] != after[other] {
                    changes(at, node, &new.nodes[other], &mut found.changed);
                }
            }
        }
    }
    let added = new.nodes.iter().zip(&found.order).filter(|(_, from)| from.is_none());
    found.added = added.map(|(node, _)| node.clone()).collect();
    edges::diff_edges(old, new, &matches, &mut found);
    found
}

fn changes(at: usize, old: &Node, new: &Node, found: &mut Vec<Changed>) {
    let mut add = |field: &str, before: Value, after: Value, change: Change| {
        found.push(Changed {
            node: old.id.clone(),
            new_node: new.id.clone(),
            op: new.op.name().into(),
            field: field.into(),
            old: before,
            new: after,
            at,
            change,
        });
    };
    let Some(op) = new.def() else {
        let names: std::collections::BTreeSet<&Text> =
            old.data.keys().chain(new.data.keys()).collect();
        for name in names.into_iter().filter(|name| hash::is_meant(name)) {
            let (before, after) = (old.data.get(name), new.data.get(name));
            if before != after {
                let (before, to) = (before.cloned().unwrap_or_default(), after.cloned());
                add(name, before, to.clone().unwrap_or_default(), Change::Member(name.clone(), to));
            }
        }
        return;
    };
    for slot in op.slots {
        let (before, after) = (old.operands.get(slot.name), new.operands.get(slot.name));
        if before == after {
            continue;
        }
        let show = |filled: Option<&Filled>| filled.map(Filled::to_data).unwrap_or_default();
        let typed = |filled: Option<&Filled>| filled.map(Filled::to_value).unwrap_or_default();
        // Where only the type differs, types have to be shown.
        let (from, to) = match (show(before), show(after)) {
            (from, to) if from == to => (typed(before), typed(after)),
            shown => shown,
        };
        add(slot.name, from, to, Change::Slot(slot.name, after.cloned()));
    }
}

fn declared(old: &Declarations, new: &Declarations) -> Vec<Declared> {
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let (before, after) = (old.of(kind), new.of(kind));
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(name)));
        for name in names.filter(|name| before.get(name) != after.get(name)) {
            let (old, new) = (before.get(name).cloned(), after.get(name).cloned());
            found.push(Declared { kind, name: name.clone(), old, new });
        }
    }
    found
}

fn document(old: &Graph, new: &Graph) -> Vec<(Part, Value, Value)> {
    let map = |map: &Map| Value::from(map.clone());
    let parts = [
        (Part::Endpoints, hash::endpoints(old), hash::endpoints(new)),
        (Part::Crons, hash::crons(old), hash::crons(new)),
        (Part::Capabilities, map(&old.capabilities), map(&new.capabilities)),
        (Part::RuntimePolicy, map(&old.runtime_policy), map(&new.runtime_policy)),
    ];
    parts.into_iter().filter(|(_, before, after)| before != after).collect()
}
