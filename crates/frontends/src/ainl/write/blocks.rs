//! A label cut into chains: each is written as a label of its own.

use std::collections::{BTreeMap, BTreeSet};

use graph::ops::{OpDef, Port};
use graph::{Index, Label, Node};
use value::Text;

use super::ON;

/// A chain of nodes that follow each other.
pub(super) struct Block {
    pub(super) name: Text,
    pub(super) nodes: Vec<usize>,
    pub(super) ends: Ends,
}

/// What comes behind the last node of a chain.
pub(super) enum Ends {
    /// Nothing, or the node itself says it.
    Here,
    /// Control goes on at this label.
    At(Text),
}

/// All chains of a label.
pub(super) struct Blocks<'g> {
    pub(super) all: Vec<Block>,
    /// Nodes that no chain has.
    pub(super) unreached: Vec<usize>,
    index: Index<'g>,
    label: &'g Label,
    names: BTreeMap<usize, Text>,
    in_chains: BTreeSet<usize>,
}

impl<'g> Blocks<'g> {
    /// Cuts a label. A name for a new label must not be taken.
    pub(super) fn new(id: &Text, label: &'g Label, is_taken: impl Fn(&str) -> bool) -> Blocks<'g> {
        let index = Index::new(label);
        let mut names: BTreeMap<usize, Text> = BTreeMap::new();
        let mut starts: Vec<usize> = Vec::new();
        let mut begin = |at: usize, is_entry: bool| {
            if names.contains_key(&at) {
                return;
            }
            let mut name: Text =
                if is_entry { id.clone() } else { format!("{id}_{}", label.nodes[at].id).into() };
            while !is_entry && is_taken(&name) {
                name = format!("{name}_").into();
            }
            names.insert(at, name);
            starts.push(at);
        };
        if let Some(entry) = index.entry() {
            begin(entry, true);
        }
        let mut came_from = vec![0usize; label.nodes.len()];
        for edge in controls(label, &index) {
            came_from[edge.1] += 1;
            if edge.2 != ON || came_from[edge.1] > 1 {
                begin(edge.1, false);
            }
        }
        // An `Err` on a line counts for the lines behind it too: where it protects one node only,
        // what follows that node must stand elsewhere.
        for (from, to, port) in controls(label, &index) {
            let returns = label.nodes[to].def().is_some_and(OpDef::returns);
            if port == ON && !returns && has_handler_aside(label, &index, from, &came_from) {
                begin(to, false);
            }
        }
        let mut blocks = Blocks {
            all: Vec::new(),
            unreached: Vec::new(),
            index,
            label,
            names,
            in_chains: BTreeSet::new(),
        };
        for start in starts {
            let block = blocks.chain(start);
            blocks.all.push(block);
        }
        let is_aside = |at: &usize| guards(&label.nodes[*at]).is_some();
        let missing = |at: &usize| !blocks.in_chains.contains(at) && !is_aside(at);
        blocks.unreached = (0..label.nodes.len()).filter(missing).collect();
        blocks
    }

    fn chain(&mut self, start: usize) -> Block {
        let mut block =
            Block { name: self.names[&start].clone(), nodes: Vec::new(), ends: Ends::Here };
        let mut at = start;
        loop {
            block.nodes.push(at);
            self.in_chains.insert(at);
            let next = self.index.edge_indices_from(at).find(|edge| {
                let edge = &self.label.edges[*edge];
                edge.port == Some(ON) && !edge.analysis_only
            });
            let Some(edge) = next else { return block };
            match self.index.target(edge) {
                Some(target) => match self.names.get(&target) {
                    Some(name) => {
                        block.ends = Ends::At(name.clone());
                        return block;
                    }
                    None => at = target,
                },
                None => {
                    block.ends = Ends::At(self.label.edges[edge].to.clone());
                    return block;
                }
            }
        }
    }

    /// Where a port of a node leads, as the name of a label.
    pub(super) fn target(&self, label: &Label, node: &Node, port: Port) -> Option<Text> {
        let at = self.index.find(&node.id)?;
        let edge =
            self.index.edge_indices_from(at).find(|edge| label.edges[*edge].port == Some(port))?;
        match self.index.target(edge) {
            Some(target) => self.names.get(&target).cloned(),
            None => Some(label.edges[edge].to.clone()),
        }
    }

    /// The node that a guard protects.
    pub(super) fn guarded(&self, at: usize) -> Option<usize> {
        let port = guards(&self.label.nodes[at])?;
        let id = &self.label.nodes[at].id;
        let edge =
            self.label.edges.iter().find(|edge| edge.port == Some(port) && edge.to == *id)?;
        self.index.find(&edge.from)
    }

    /// The guards of a node that are in no chain, and theirs.
    pub(super) fn aside(&self, at: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = vec![at];
        while let Some(at) = from.pop() {
            for edge in self.index.edge_indices_from(at) {
                let port = self.label.edges[edge].port;
                let target = self.index.target(edge);
                let target = target.filter(|_| matches!(port, Some(Port::Err | Port::Retry)));
                if let Some(guard) = target
                    && !self.in_chains.contains(&guard)
                    && !found.contains(&guard)
                {
                    found.push(guard);
                    from.push(guard);
                }
            }
        }
        found
    }
}

/// Whether a node, or a guard of it that control does not pass, has an `Err` that control does not
/// pass.
fn has_handler_aside(label: &Label, index: &Index<'_>, node: usize, came_from: &[usize]) -> bool {
    let aside = |from: usize| {
        index.edge_indices_from(from).filter_map(|edge| {
            let port =
                label.edges[edge].port.filter(|port| matches!(port, Port::Err | Port::Retry));
            let guard = index.target(edge).filter(|guard| came_from[*guard] == 0);
            port.zip(guard)
        })
    };
    aside(node)
        .any(|(port, guard)| port == Port::Err || aside(guard).any(|(port, _)| port == Port::Err))
}

fn guards(node: &Node) -> Option<Port> {
    node.def().and_then(OpDef::guards)
}

/// The edges that control takes from node to node: from, to, and by which port.
fn controls<'a>(
    label: &'a Label,
    index: &'a Index<'_>,
) -> impl Iterator<Item = (usize, usize, Port)> + 'a {
    (0..label.nodes.len()).flat_map(move |from| {
        index.edge_indices_from(from).filter_map(move |edge| {
            let port = label.edges[edge].port?;
            let is_control = !label.edges[edge].analysis_only && !port.is_failure();
            Some((from, index.target(edge).filter(|_| is_control)?, port))
        })
    })
}
