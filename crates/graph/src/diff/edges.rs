//! Edges that differ, once it is known which node became which.

use std::collections::BTreeMap;

use value::Text;

use super::LabelDiff;
use super::align::Matches;
use crate::index::Index;
use crate::model::{Label, ToKind};
use crate::ops::Port;

/// An edge, by the ids of the graph it is in.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeRef {
    /// The node it leaves.
    pub from: Text,
    /// By which port.
    pub port: Port,
    /// Where it leads.
    pub to: Text,
    /// What that is.
    pub to_kind: ToKind,
    /// The places of its nodes: ids may be given twice.
    pub(crate) from_at: usize,
    pub(crate) to_at: Option<usize>,
}

/// An edge that leads somewhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewired {
    /// As it was.
    pub old: EdgeRef,
    /// As it is.
    pub new: EdgeRef,
}

/// Where an edge of the new graph comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EdgeFrom {
    /// It is this edge of the old graph.
    Old(usize),
    /// It is new, or leads somewhere else.
    New(EdgeRef),
}

/// An edge in terms of the new graph: source, port, target. A node that is gone has no number
/// there, so its edges match nothing.
type Key<'a> = (Option<usize>, Port, Target<'a>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target<'a> {
    Node(usize),
    Gone(usize),
    Label(&'a str),
}

/// Fills in what differs between the edges of two labels.
pub(super) fn diff_edges(old: &Label, new: &Label, matches: &Matches, found: &mut LabelDiff) {
    let (old_index, new_index) = (Index::new(old), Index::new(new));
    let became = |node: usize| matches[node];
    let old_edges = keyed(old, &old_index, became);
    let mut new_edges = keyed(new, &new_index, Some);
    new_edges.sort_unstable_by_key(|(_, at)| *at);
    let mut unmatched: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (key, at) in new_edges.iter().rev() {
        unmatched.entry(*key).or_default().push(*at);
    }
    let mut gone: Vec<(Key<'_>, usize)> = Vec::new();
    let mut sources: BTreeMap<usize, usize> = BTreeMap::new();
    for (key, at) in old_edges {
        match unmatched.get_mut(&key).and_then(Vec::pop) {
            Some(now) => drop(sources.insert(now, at)),
            None => gone.push((key, at)),
        }
    }
    found.edge_order = new_edges
        .iter()
        .map(|(_, at)| match sources.get(at) {
            Some(from) => EdgeFrom::Old(*from),
            None => EdgeFrom::New(edge_ref(new, &new_index, *at)),
        })
        .collect();
    let mut fresh: BTreeMap<(Option<usize>, Port), Vec<usize>> = BTreeMap::new();
    for ((from, port, _), left) in unmatched {
        fresh.entry((from, port)).or_default().extend(left);
    }
    for left in fresh.values_mut() {
        left.sort_unstable_by(|a, b| b.cmp(a));
    }
    for (key, at) in gone {
        let before = edge_ref(old, &old_index, at);
        match fresh.get_mut(&(key.0, key.1)).filter(|_| key.0.is_some()).and_then(Vec::pop) {
            Some(other) => {
                let new = edge_ref(new, &new_index, other);
                found.edges_rewired.push(Rewired { old: before, new });
            }
            None => found.edges_removed.push(before),
        }
    }
    let mut added: Vec<usize> = fresh.into_values().flatten().collect();
    added.sort_unstable();
    found.edges_added = added.into_iter().map(|at| edge_ref(new, &new_index, at)).collect();
    let (before, after) = (old_index.entry(), new_index.entry());
    if before.and_then(became) != after || before.is_some() != after.is_some() {
        found.entry = Some((old.entry.clone(), new.entry.clone()));
    }
    found.new_entry = after;
}

/// The edges that mean something: those that control can follow.
fn keyed<'a>(
    label: &'a Label,
    index: &Index<'a>,
    became: impl Fn(usize) -> Option<usize>,
) -> Vec<(Key<'a>, usize)> {
    let mut edges = Vec::with_capacity(label.edges.len());
    for node in 0..label.nodes.len() {
        for at in index.edge_indices_from(node) {
            let edge = &label.edges[at];
            let Some(port) = edge.port.filter(|_| !edge.analysis_only) else { continue };
            let target = match edge.to_kind {
                ToKind::Label => Target::Label(&edge.to),
                ToKind::Node => match index.target(at) {
                    Some(target) => became(target).map_or(Target::Gone(target), Target::Node),
                    None => continue,
                },
            };
            edges.push(((became(node), port, target), at));
        }
    }
    edges
}

fn edge_ref(label: &Label, index: &Index<'_>, at: usize) -> EdgeRef {
    let edge = &label.edges[at];
    EdgeRef {
        from: edge.from.clone(),
        port: edge.port.expect("edges without a port were left out"),
        to: edge.to.clone(),
        to_kind: edge.to_kind,
        from_at: index.find(&edge.from).expect("edges from nowhere were left out"),
        to_at: index.target(at),
    }
}
