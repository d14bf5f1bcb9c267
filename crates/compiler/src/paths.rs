//! Witnesses: shortest paths, cycles, and how they are written.

use std::collections::VecDeque;

use diagnostics::{Anchor, Diagnostic};
use graph::ops::SlotKind;
use graph::{Filled, Operand, place};
use value::Text;

use crate::flow::{Arc, Flow, NodeId};

/// `label/node` for each step; of a long path, both ends.
pub(crate) fn shown(flow: &Flow<'_>, path: &[NodeId]) -> Vec<String> {
    const STEPS_MAX: usize = 30;
    let step = |at: &NodeId| match &*flow.node(*at).id {
        "" => flow.label_id(*at).to_string(),
        id => format!("{}/{id}", flow.label_id(*at)),
    };
    if path.len() <= STEPS_MAX {
        return path.iter().map(step).collect();
    }
    let half = STEPS_MAX / 2;
    let head = path[..half].iter().map(step);
    let tail = path[path.len() - half + 1..].iter().map(step);
    head.chain(std::iter::once("...".to_string())).chain(tail).collect()
}

/// Searches for paths. Its room is used again, so that a search costs what it visits.
pub(crate) struct Search {
    /// In which search a node was seen last, and from where.
    before: Vec<(u32, NodeId)>,
    round: u32,
    queue: VecDeque<NodeId>,
}

impl Search {
    /// Room for searches in a graph.
    pub(crate) fn new(flow: &Flow<'_>) -> Search {
        Search { before: vec![(0, 0); flow.len()], round: 0, queue: VecDeque::new() }
    }

    /// A shortest path from one of the starts to a node that is wanted, by ways that are open.
    pub(crate) fn shortest(
        &mut self,
        flow: &Flow<'_>,
        starts: &[NodeId],
        is_open: impl Fn(NodeId, &Arc) -> bool,
        is_wanted: impl Fn(NodeId) -> bool,
    ) -> Option<Vec<NodeId>> {
        self.round += 1;
        self.queue.clear();
        for start in starts {
            self.before[*start as usize] = (self.round, *start);
            self.queue.push_back(*start);
        }
        while let Some(at) = self.queue.pop_front() {
            if is_wanted(at) {
                return Some(self.back_from(at));
            }
            for arc in flow.out(at) {
                if self.before[arc.to as usize].0 != self.round && is_open(at, arc) {
                    self.before[arc.to as usize] = (self.round, at);
                    self.queue.push_back(arc.to);
                }
            }
        }
        None
    }

    fn back_from(&self, at: NodeId) -> Vec<NodeId> {
        let mut path = vec![at];
        let mut step = at;
        while self.before[step as usize].1 != step {
            step = self.before[step as usize].1;
            path.push(step);
        }
        path.reverse();
        path
    }

    /// A shortest way from a node back to itself, the node at both ends.
    pub(crate) fn cycle(
        &mut self,
        flow: &Flow<'_>,
        at: NodeId,
        is_open: impl Fn(NodeId, &Arc) -> bool,
    ) -> Option<Vec<NodeId>> {
        let starts = flow.out(at).iter().filter(|arc| is_open(at, arc)).map(|arc| arc.to);
        let starts: Vec<NodeId> = starts.collect();
        let mut path = self.shortest(flow, &starts, is_open, |to| to == at)?;
        path.insert(0, at);
        Some(path)
    }
}

/// A finding about what a slot of a node holds.
pub(crate) fn at_slot(flow: &Flow<'_>, at: NodeId, kind: SlotKind) -> Anchor {
    let (id, node) = (flow.label_id(at), flow.node(at));
    let Some(slot) = node.def().and_then(|op| op.slot_of(kind)) else { return at_node(flow, at) };
    Anchor::value(match node.data.get(slot.name) {
        Some(_) => place::of_data(id, node, slot.name),
        None => place::of_node(id, node, "operands").child(slot.name),
    })
}

/// A finding about the operand of a node that reads a name; where it is a condition, about that.
pub(crate) fn at_use(flow: &Flow<'_>, at: NodeId, name: &str) -> Anchor {
    let (id, node) = (flow.label_id(at), flow.node(at));
    let is_it = |operand: &Operand| match operand {
        Operand::Var(read) => **read == *name,
        Operand::Expr(expr) => expr.names().iter().any(|read| ***read == *name),
        Operand::Lit(_) | Operand::Label(_) | Operand::Odd(..) => false,
    };
    for (slot, filled) in node.operands.iter().filter(|(slot, _)| slot.kind != SlotKind::Bind) {
        let place = || match node.data.get(slot.name) {
            Some(_) => place::of_data(id, node, slot.name),
            None => place::of_node(id, node, "operands").child(slot.name),
        };
        match filled {
            Filled::One(operand) if is_it(operand) => return Anchor::value(place()),
            Filled::Many(operands) => {
                if let Some(position) = operands.iter().position(is_it) {
                    return Anchor::value(place().child(position));
                }
            }
            Filled::One(_) => {}
        }
    }
    at_node(flow, at)
}

/// A finding about a node.
pub(crate) fn at_node(flow: &Flow<'_>, at: NodeId) -> Anchor {
    Anchor::value(place::of_node(flow.label_id(at), flow.node(at), "op"))
}

/// A finding about a label.
pub(crate) fn at_label(id: &Text) -> Anchor {
    Anchor::key(place::label(id))
}

/// Says which gate a finding is about.
pub(crate) fn about_gate(mut found: Diagnostic, gate: Option<Text>) -> Diagnostic {
    found.gate = gate;
    found
}

/// `a`, `b` and `c`, each in backticks; of very many, some.
pub(crate) fn listed<T: AsRef<str>>(names: &[T], and: &str) -> String {
    const NAMES_MAX: usize = 6;
    let quoted = |name: &T| format!("`{}`", name.as_ref());
    if names.len() > NAMES_MAX {
        let shown: Vec<_> = names[..NAMES_MAX - 1].iter().map(quoted).collect();
        return format!("{} {and} {} more", shown.join(", "), names.len() - shown.len());
    }
    match names {
        [] => String::new(),
        [one] => quoted(one),
        [head @ .., last] => {
            let head: Vec<_> = head.iter().map(quoted).collect();
            format!("{} {and} {}", head.join(", "), quoted(last))
        }
    }
}
