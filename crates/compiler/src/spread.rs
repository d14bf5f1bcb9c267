//! How names spread along paths: which may be missing when control comes to a node, and which may
//! have been written.
//!
//! Names go in groups of 64, a word for each node, so that many names cost little and few cost
//! less. The caller asks only about names that simpler means leave open.

use crate::flow::{Flow, NodeId, Way};
use crate::names::{NameId, Names};
use graph::components::Components;

/// How many names fit into a group.
pub(crate) const GROUP: usize = 64;

/// More groups than this are not looked at: it would take longer than its answer is worth.
pub(crate) const GROUPS_MAX: usize = 8;

/// A group of names, and where it is written.
pub(crate) struct Spread<'a, 'g> {
    flow: &'a Flow<'g>,
    /// What each node writes by itself, as bits.
    own: Vec<u64>,
    /// What it writes by what it calls; nothing where no node calls anything.
    called: Vec<u64>,
}

/// What can reach each other, by every way there is.
pub(crate) fn knots(flow: &Flow<'_>) -> Components {
    let next = |at: u32, way: usize| flow.out(at).get(way).map(|arc| arc.to);
    Components::new(flow.len(), |at| flow.is_run[at as usize], next)
}

impl<'a, 'g> Spread<'a, 'g> {
    /// Looks up who writes the names of a group. Whoever asks for a name in a condition knows
    /// that it may be missing, so that counts as well.
    pub(crate) fn new(
        flow: &'a Flow<'g>,
        names: &Names<'_>,
        knots: &Components,
        group: &[NameId],
    ) -> Spread<'a, 'g> {
        assert!(group.len() <= GROUP, "the caller cuts names into groups");
        let mut own = vec![0u64; flow.len()];
        for (bit, name) in group.iter().enumerate() {
            let brought = names.writers(*name).iter().chain(names.carriers(*name));
            for at in brought.chain(names.askers(*name)) {
                own[*at as usize] |= 1 << bit;
            }
        }
        for at in &names.inexact {
            own[*at as usize] = u64::MAX;
        }
        let called = if flow.has_calls { called(flow, &own, knots) } else { Vec::new() };
        Spread { flow, own, called }
    }

    /// What is written when control leaves a node by a way.
    fn written_on(&self, from: NodeId, way: Way) -> u64 {
        let from = from as usize;
        match way {
            Way::On => self.own[from] | self.called.get(from).copied().unwrap_or_default(),
            Way::Enter | Way::Branch => self.own[from],
            Way::Fail => 0,
        }
    }

    /// For each node, the names that nothing has written on some path to it. Of what only side
    /// roots lead to nothing is known, so nothing is missing there.
    pub(crate) fn missing(&self) -> Vec<u64> {
        let flow = self.flow;
        let mut place = vec![0u32; flow.len()];
        for (at, node) in (0..).zip(&flow.order) {
            place[*node as usize] = at;
        }
        let mut missing = vec![0u64; flow.len()];
        let mut todo = Marks::new(flow.order.len());
        for root in &flow.roots {
            missing[*root as usize] = u64::MAX;
            todo.add(place[*root as usize]);
        }
        let mut from = 0;
        while let Some(next) = todo.take_from(from).or_else(|| todo.take_from(0)) {
            from = next;
            let at = flow.order[next as usize];
            for arc in flow.out(at) {
                let mut arriving = missing[at as usize] & !self.written_on(at, arc.way);
                let known = missing[arc.to as usize];
                // A join has what any of its branches wrote.
                if arriving & !known != 0 && flow.joins(arc.to) {
                    let ways = flow.into(arc.to).iter();
                    arriving = ways.fold(arriving, |all, (from, way)| {
                        all & missing[*from as usize] & !self.written_on(*from, *way)
                    });
                }
                if arriving & !known != 0 {
                    missing[arc.to as usize] |= arriving;
                    todo.add(place[arc.to as usize]);
                }
            }
        }
        missing
    }

    /// For each node, the names that something has written on some path to it.
    pub(crate) fn written(&self, knots: &Components) -> Vec<u64> {
        let flow = self.flow;
        let mut written: Vec<u64> =
            flow.is_run.iter().map(|is_run| if *is_run { 0 } else { u64::MAX }).collect();
        // Ways lead to smaller numbers, so what comes before is known.
        for members in knots.members.iter().rev() {
            let arriving =
                members.iter().flat_map(|at| flow.into(*at)).fold(0, |all, (from, way)| {
                    all | written[*from as usize] | self.written_on(*from, *way)
                });
            for at in members {
                written[*at as usize] = arriving;
            }
        }
        written
    }
}

/// What the labels that a node calls may write, and those they call or go on to.
fn called(flow: &Flow<'_>, own: &[u64], knots: &Components) -> Vec<u64> {
    let mut below = own.to_vec();
    for members in &knots.members {
        let all = members.iter().fold(0, |all, at| {
            let on = flow
                .out(*at)
                .iter()
                .fold(own[*at as usize], |all, arc| all | below[arc.to as usize]);
            all | on
        });
        for at in members {
            below[*at as usize] = all;
        }
    }
    let entered = |at: NodeId| {
        let entered = flow.out(at).iter().filter(|arc| arc.way == Way::Enter);
        entered.fold(0, |all, arc| all | below[arc.to as usize])
    };
    (0..flow.len() as NodeId).map(entered).collect()
}

/// Places that are still to be visited, in order.
struct Marks {
    words: Vec<u64>,
}

impl Marks {
    fn new(count: usize) -> Marks {
        Marks { words: vec![0; count.div_ceil(64)] }
    }

    fn add(&mut self, place: u32) {
        self.words[place as usize / 64] |= 1 << (place % 64);
    }

    /// Takes the first one that is not before a place.
    fn take_from(&mut self, place: u32) -> Option<u32> {
        let mut mask = u64::MAX << (place % 64);
        for at in place as usize / 64..self.words.len() {
            let bits = self.words[at] & mask;
            if bits != 0 {
                let bit = bits.trailing_zeros();
                self.words[at] &= !(1 << bit);
                return Some(at as u32 * 64 + bit);
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_in_order() {
        let mut marks = Marks::new(200);
        for place in [130, 3, 64, 199] {
            marks.add(place);
        }
        assert_eq!(marks.take_from(64), Some(64));
        assert_eq!(marks.take_from(65), Some(130));
        assert_eq!(marks.take_from(0), Some(3));
        assert_eq!(marks.take_from(131), Some(199));
        assert_eq!(marks.take_from(0), None);
    }
}
