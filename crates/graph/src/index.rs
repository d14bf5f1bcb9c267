//! Positions instead of names: what walks over a label need, built once in linear time.

use std::collections::BTreeMap;

use crate::model::{Edge, Label};
use crate::ops::Port;

/// Edges by node. INVARIANT: built from the label it is used with, and not kept beyond it.
pub struct Index<'a> {
    label: &'a Label,
    /// Where ids are not at their canonical place.
    odd: BTreeMap<&'a str, usize>,
    /// Edge indices, grouped by the node they leave; `out[starts[i]..starts[i + 1]]` are i's.
    out: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<Option<u32>>,
}

impl<'a> Index<'a> {
    /// Indexes a label.
    pub fn new(label: &'a Label) -> Index<'a> {
        let mut odd = BTreeMap::new();
        for (index, node) in label.nodes.iter().enumerate() {
            if canonical_index(&node.id) != Some(index) {
                odd.entry(&*node.id).or_insert(index);
            }
        }
        let mut built =
            Index { label, odd, out: Vec::new(), starts: Vec::new(), targets: Vec::new() };
        let sources: Vec<_> = label.edges.iter().map(|edge| built.find(&edge.from)).collect();
        built.targets = label
            .edges
            .iter()
            .map(|edge| if edge.is_to_node() { built.find(&edge.to) } else { None })
            .map(|found| found.and_then(|index| u32::try_from(index).ok()))
            .collect();
        let mut starts = vec![0u32; label.nodes.len() + 1];
        for source in sources.iter().flatten() {
            starts[source + 1] += 1;
        }
        for index in 0..label.nodes.len() {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut out = vec![0; *starts.last().expect("there is one more start than nodes") as usize];
        for (edge, source) in (0..).zip(&sources) {
            if let Some(source) = source {
                out[next[*source] as usize] = edge;
                next[*source] += 1;
            }
        }
        built.out = out;
        built.starts = starts;
        built
    }

    /// The index of the node with this id.
    pub fn find(&self, id: &str) -> Option<usize> {
        if let Some(index) = canonical_index(id)
            && self.label.nodes.get(index).is_some_and(|node| &*node.id == id)
        {
            return Some(index);
        }
        if id.is_empty() { None } else { self.odd.get(id).copied() }
    }

    /// Whether a node is named by its place: the first one `n1`, and so on.
    pub fn is_canonical(&self, node: usize) -> bool {
        canonical_index(&self.label.nodes[node].id) == Some(node)
    }

    /// The edges that leave a node, in document order.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = &'a Edge> {
        self.edge_indices_from(node).map(|index| &self.label.edges[index])
    }

    /// The same, as indices into the label's edges.
    pub fn edge_indices_from(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> {
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.out[range].iter().map(|index| *index as usize)
    }

    /// The node that an edge leads to, if control can follow it to a node that exists.
    pub fn target(&self, edge: usize) -> Option<usize> {
        self.targets[edge].map(|index| index as usize)
    }

    /// The node to begin with.
    pub fn entry(&self) -> Option<usize> {
        self.find(self.label.entry.as_deref()?)
    }

    /// Which nodes control can come to, and which guards stand beside those. A guard that is only
    /// led to by its own port is not passed: what follows it is not reached through it. Nor is a
    /// return ever passed, whatever edges leave it.
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.label.nodes.len()];
        let mut passed = vec![false; self.label.nodes.len()];
        let mut stack: Vec<(usize, bool)> =
            self.entry().map(|entry| (entry, true)).into_iter().collect();
        while let Some((node, passes)) = stack.pop() {
            let known = if passes { &mut passed } else { &mut reached };
            if std::mem::replace(&mut known[node], true) {
                continue;
            }
            reached[node] = true;
            if self.label.nodes[node].def().is_some_and(|op| op.returns()) {
                continue;
            }
            for edge in self.edge_indices_from(node) {
                let Some(target) = self.target(edge) else { continue };
                let fails = self.label.edges[edge].port.is_some_and(Port::is_failure);
                if passes || fails {
                    stack.push((target, !fails));
                }
            }
        }
        reached
    }

    /// Nodes in the order of a walk from the entry, deepest first, ports in the op table's
    /// order; then the ones it does not reach, in document order. With it: how many it reached.
    pub fn walk(&self) -> (Vec<usize>, usize) {
        let count = self.label.nodes.len();
        let mut seen = vec![false; count];
        let mut order = Vec::with_capacity(count);
        let mut stack: Vec<usize> = self.entry().into_iter().collect();
        let mut successors = Vec::new();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            order.push(node);
            successors
                .extend(self.edge_indices_from(node).filter(|edge| self.target(*edge).is_some()));
            if let Some(op) = self.label.nodes[node].def() {
                successors.sort_by_key(|edge| {
                    self.label.edges[*edge].port.map_or(usize::MAX, |port| op.port_rank(port))
                });
            }
            stack.extend(successors.drain(..).rev().filter_map(|edge| self.target(edge)));
        }
        let reached = order.len();
        order.extend((0..count).filter(|node| !seen[*node]));
        (order, reached)
    }
}

fn canonical_index(id: &str) -> Option<usize> {
    let [b'n', digits @ ..] = id.as_bytes() else { return None };
    if digits.is_empty() || digits.len() > 9 || digits[0] == b'0' {
        return None;
    }
    let mut number = 0;
    for digit in digits {
        number = number * 10 + usize::from(digit.wrapping_sub(b'0'));
        if !digit.is_ascii_digit() {
            return None;
        }
    }
    Some(number - 1)
}
