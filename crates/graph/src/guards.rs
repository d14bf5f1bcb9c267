//! Which guards protect a node: said once, for those who run a graph and those who analyse it.

use crate::index::Index;
use crate::model::{Label, Node};
use crate::ops::{OpDef, Port};

/// The guards of a node, as places in its label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// How it is tried again.
    pub retry: Option<usize>,
    /// What handles its failures.
    pub err: Option<usize>,
}

impl Guards {
    /// The guards that edges give a node. Where it has only one of the two, the guard of that
    /// guard protects it too, so that they may stand behind it in either order.
    pub fn of_node(label: &Label, index: &Index<'_>, at: usize) -> Guards {
        let led_to = |from: usize, port: Port| led_to(label, index, from, port);
        let (retry, err) = (led_to(at, Port::Retry), led_to(at, Port::Err));
        Guards {
            retry: retry.or_else(|| led_to(err?, Port::Retry)),
            err: err.or_else(|| led_to(retry?, Port::Err)),
        }
    }
}

/// The guard that a port of a node leads to.
fn led_to(label: &Label, index: &Index<'_>, from: usize, port: Port) -> Option<usize> {
    let mut edges = index.edge_indices_from(from);
    let edge = edges.find(|edge| {
        let edge = &label.edges[*edge];
        edge.port == Some(port) && !edge.analysis_only
    })?;
    let guards = |at: &usize| label.nodes[*at].def().and_then(OpDef::guards);
    index.target(edge).filter(|target| guards(target) == Some(port))
}

/// Whether a node is one whose failures can be handled. A guard is only passed.
fn can_fail(node: &Node) -> bool {
    node.def().is_some_and(|op| op.guards().is_none() && op.port(Port::Err).is_some())
}

/// What is known of the `Err` that was passed last before a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// Control has not been seen to come there.
    Unseen,
    /// This one, on every way.
    Always(usize),
    /// None, or not the same one on every way.
    None,
}

/// For each node that has no `Err` by its edges the one that protects it all the same: the last that
/// control has passed when it comes there, whichever way it came from the label's entry. Nothing
/// where some ways have passed none, or another one.
pub fn passed(label: &Label, index: &Index<'_>) -> Vec<Option<usize>> {
    let handles: Vec<bool> = label
        .nodes
        .iter()
        .map(|node| node.def().and_then(OpDef::guards) == Some(Port::Err))
        .collect();
    let mut passed = vec![Passed::Unseen; label.nodes.len()];
    let Some(entry) = index.entry().filter(|_| handles.contains(&true)) else {
        return vec![None; label.nodes.len()];
    };
    passed[entry] = Passed::None;
    let mut changed = vec![entry];
    // A node changes twice at most: from unseen to one of them, and from that to none.
    while let Some(at) = changed.pop() {
        let behind = if handles[at] { Passed::Always(at) } else { passed[at] };
        for edge in index.edge_indices_from(at) {
            let written = &label.edges[edge];
            let is_taken = !written.analysis_only && !written.port.is_some_and(Port::is_failure);
            let Some(target) = index.target(edge).filter(|_| is_taken) else { continue };
            let met = match passed[target] {
                Passed::Unseen => behind,
                before if before == behind => before,
                _ => Passed::None,
            };
            if met != passed[target] {
                passed[target] = met;
                changed.push(target);
            }
        }
    }
    let protected = passed.into_iter().enumerate().map(|(at, one)| match one {
        Passed::Always(err) if can_fail(&label.nodes[at]) => {
            Guards::of_node(label, index, at).err.is_none().then_some(err)
        }
        Passed::Always(_) | Passed::Unseen | Passed::None => None,
    });
    protected.collect()
}
