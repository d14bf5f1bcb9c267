//! Whether something must have been passed on the way to a node: a person who was asked, a check of
//! who is calling. To fail there, or to wait in vain, is not to pass.

use std::collections::VecDeque;

use graph::ops::Port;

use crate::flow::{Arc, Flow, NodeId, Way};

/// What can be reached without passing.
pub(super) struct Unpassed {
    /// For each node where control comes from on a shortest way; itself where it begins.
    before: Vec<Option<NodeId>>,
    /// In the order in which they were reached.
    order: Vec<NodeId>,
}

impl Unpassed {
    /// Goes from the starts as far as nothing is passed. Takes linear time.
    pub(super) fn new(
        flow: &Flow<'_>,
        starts: &[NodeId],
        passes: &dyn Fn(NodeId) -> bool,
    ) -> Unpassed {
        let evades = evades(flow, passes);
        let mut before = vec![None; flow.len()];
        let mut order = Vec::new();
        let mut queue = VecDeque::new();
        for start in starts {
            if before[*start as usize].is_none() {
                before[*start as usize] = Some(*start);
                queue.push_back(*start);
            }
        }
        while let Some(at) = queue.pop_front() {
            order.push(at);
            for arc in flow.out(at) {
                if before[arc.to as usize].is_none() && is_open(flow, &evades, passes, at, arc) {
                    before[arc.to as usize] = Some(at);
                    queue.push_back(arc.to);
                }
            }
        }
        Unpassed { before, order }
    }

    /// Everything that is reached, the nearest first.
    pub(super) fn order(&self) -> &[NodeId] {
        &self.order
    }

    /// Whether there is a way to a node.
    pub(super) fn reaches(&self, to: NodeId) -> bool {
        self.before[to as usize].is_some()
    }

    /// A shortest way to a node, if there is one.
    pub(super) fn path(&self, to: NodeId) -> Option<Vec<NodeId>> {
        let mut path = vec![to];
        let mut step = to;
        loop {
            let before = self.before[step as usize]?;
            if before == step {
                path.reverse();
                return Some(path);
            }
            path.push(before);
            step = before;
        }
    }
}

/// Whether control can take this way without having passed.
fn is_open(
    flow: &Flow<'_>,
    evades: &[bool],
    passes: &dyn Fn(NodeId) -> bool,
    at: NodeId,
    arc: &Arc,
) -> bool {
    match arc.way {
        Way::Fail => true,
        _ if arc.port == Port::Expired => true,
        _ if passes(at) => false,
        // What comes behind a call has passed whatever the call cannot return without.
        Way::On => callee(flow, at).is_none_or(|callee| evades[callee as usize]),
        Way::Enter | Way::Branch => true,
    }
}

/// Where the label that a node calls begins. The body of a loop may never run.
fn callee(flow: &Flow<'_>, at: NodeId) -> Option<NodeId> {
    let calls = flow.node(at).def().is_some_and(|op| op.port(Port::Body).is_none());
    let entered = flow.out(at).iter().find(|arc| arc.way == Way::Enter && calls);
    entered.map(|arc| arc.to)
}

/// For each node whether its label can end from there without passing.
fn evades(flow: &Flow<'_>, passes: &dyn Fn(NodeId) -> bool) -> Vec<bool> {
    let mut evades = vec![false; flow.len()];
    let mut open: Vec<NodeId> = Vec::new();
    let ends = |evades: &[bool], at: NodeId| {
        let returns = callee(flow, at).is_none_or(|callee| evades[callee as usize]);
        let ends = flow.is_end[at as usize] && !passes(at) && returns;
        let goes = |arc: &Arc| {
            let on = arc.way != Way::Enter && is_open(flow, evades, passes, at, arc);
            on && evades[arc.to as usize]
        };
        ends || flow.out(at).iter().any(goes)
    };
    for at in 0..flow.len() as NodeId {
        if flow.is_end[at as usize] && ends(&evades, at) {
            evades[at as usize] = true;
            open.push(at);
        }
    }
    while let Some(to) = open.pop() {
        for (from, _) in flow.into(to) {
            if !evades[*from as usize] && ends(&evades, *from) {
                evades[*from as usize] = true;
                open.push(*from);
            }
        }
    }
    evades
}
