//! The neighbourhood of a node.

use value::Text;

use crate::index::Index;
use crate::model::{Edge, Exit, Label, Node};

/// A part of a label, in document order.
pub struct Slice<'a> {
    /// Where it begins.
    pub entry: Text,
    /// Its nodes.
    pub nodes: Vec<&'a Node>,
    /// The edges between them, and from them to labels.
    pub edges: Vec<&'a Edge>,
    /// Its returns.
    pub exits: Vec<&'a Exit>,
}

/// What can be reached from a node in so many steps; nothing for an unknown node.
pub fn slice<'a>(label: &'a Label, from: &str, depth: usize) -> Option<Slice<'a>> {
    let index = Index::new(label);
    let start = index.find(from)?;
    let mut inside = vec![false; label.nodes.len()];
    inside[start] = true;
    let mut front = vec![start];
    for _ in 0..depth {
        let mut next = Vec::new();
        for node in front {
            for target in index.edge_indices_from(node).filter_map(|edge| index.target(edge)) {
                if !std::mem::replace(&mut inside[target], true) {
                    next.push(target);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    let is_inside = |id: &str| index.find(id).is_some_and(|node| inside[node]);
    let nodes =
        label.nodes.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(node, _)| node);
    let edges = label.edges.iter().filter(|edge| {
        is_inside(&edge.from) && (edge.is_to_label() || edge.is_to_node() && is_inside(&edge.to))
    });
    Some(Slice {
        entry: label.nodes[start].id.clone(),
        nodes: nodes.collect(),
        edges: edges.collect(),
        exits: label.exits.iter().filter(|exit| is_inside(&exit.node)).collect(),
    })
}
