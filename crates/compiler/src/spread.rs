//! How names spread along paths: which may be missing when control comes to a node, and which may
//! have been written.
//!
//! Names go in groups of 64, a word for each node, so that many names cost little and few cost
//! less. The caller asks only about names that simpler means leave open.

use crate::clauses;
use crate::flow::{Arc, Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::presence;
use graph::components::Components;
use graph::ops::Port;

/// How many names fit into a group.
pub(crate) const GROUP: usize = 64;

/// More groups than this are not looked at: it would take longer than its answer is worth.
pub(crate) const GROUPS_MAX: usize = 8;

/// A group of names, and where it is written.
pub(crate) struct Spread<'a, 'g> {
    flow: &'a Flow<'g>,
    /// What is written, as bits, when control goes on behind each node.
    own: Vec<u64>,
    /// What is written when it goes into what the node runs; the same where nothing is said.
    inside: Vec<u64>,
    /// What a node writes by what it calls; nothing where no node calls anything.
    called: Vec<u64>,
    /// What is there where the condition of a node holds, and where it does not; nothing where
    /// no condition says so.
    shown: Vec<(u64, u64)>,
}

/// What can reach each other, by every way there is.
pub(crate) fn knots(flow: &Flow<'_>) -> Components {
    let next = |at: u32, way: usize| flow.out(at).get(way).map(|arc| arc.to);
    Components::new(flow.len(), |at| flow.is_run[at as usize], next)
}

/// The same, without the ways to joins; nothing where there are no branches.
pub(crate) fn branches(flow: &Flow<'_>) -> Option<Components> {
    let next = |at: u32, way: usize| {
        // A way that is left out leads nowhere new.
        flow.out(at).get(way).map(|arc| if flow.joins(arc.to) { at } else { arc.to })
    };
    let has_branches =
        flow.order.iter().any(|at| flow.out(*at).iter().any(|arc| arc.way == Way::Branch));
    has_branches.then(|| Components::new(flow.len(), |at| flow.is_run[at as usize], next))
}

impl<'a, 'g> Spread<'a, 'g> {
    /// Looks up who may write the names of a group. Whoever asks for a name in a condition knows
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
        Spread { flow, own, inside: Vec::new(), called, shown: Vec::new() }
    }

    /// Looks up who writes the names of a group for certain: a call only what every way through
    /// what it calls writes, a loop its item only for its body. What any branch of a fork writes is
    /// there behind its join. A condition counts where it shows that the name is there.
    pub(crate) fn certain(
        flow: &'a Flow<'g>,
        names: &Names<'_>,
        branches: Option<&Components>,
        group: &[NameId],
    ) -> Spread<'a, 'g> {
        assert!(group.len() <= GROUP, "the caller cuts names into groups");
        let mut own = vec![0u64; flow.len()];
        let (mut inside, mut shown) = (vec![0u64; flow.len()], Vec::new());
        for (bit, name) in group.iter().enumerate() {
            for at in names.writers(*name) {
                let written = if flow.binds_inside(*at) { &mut inside } else { &mut own };
                written[*at as usize] |= 1 << bit;
            }
            for at in names.carriers(*name) {
                own[*at as usize] |= 1 << bit;
            }
            for at in names.askers(*name) {
                let Some(condition) = clauses::condition(flow.node(*at)) else { continue };
                let (holds, fails) = presence::shows(condition, names.text(*name));
                if holds || fails {
                    shown.resize(flow.len(), (0, 0));
                    let known = &mut shown[*at as usize];
                    *known = (known.0 | u64::from(holds) << bit, known.1 | u64::from(fails) << bit);
                }
            }
        }
        for at in &names.inexact {
            (own[*at as usize], inside[*at as usize]) = (u64::MAX, u64::MAX);
        }
        if let Some(branches) = branches {
            let branched = branched(flow, &own, branches);
            own.iter_mut().zip(branched).for_each(|(own, branched)| *own |= branched);
        }
        let mut spread = Spread { flow, own, inside, called: Vec::new(), shown };
        if flow.has_calls {
            spread.called = returned(&spread);
        }
        spread
    }

    /// What is written when control leaves a node by a way.
    fn written_on(&self, from: NodeId, way: Way) -> u64 {
        let from = from as usize;
        match way {
            Way::On => self.own[from] | self.called.get(from).copied().unwrap_or_default(),
            Way::Enter | Way::Branch => self.inside.get(from).copied().unwrap_or(self.own[from]),
            Way::Fail => 0,
        }
    }

    /// What is written, or shown to be there, when control leaves a node by one of its ways.
    pub(crate) fn known_on(&self, from: NodeId, arc: &Arc) -> u64 {
        let shown = match (self.shown.get(from as usize), arc.way) {
            (None, _) | (_, Way::Fail) => 0,
            (Some((holds, fails)), _) => match arc.port {
                Port::Then | Port::Body => *holds,
                Port::Else | Port::After => *fails,
                _ => 0,
            },
        };
        shown | self.written_on(from, arc.way)
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
                let mut arriving = missing[at as usize] & !self.known_on(at, arc);
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
    written_below(flow, own, knots, Way::Enter, |_| true)
}

/// What the branches of a fork may write before they come to a join, if they come to one.
fn branched(flow: &Flow<'_>, own: &[u64], branches: &Components) -> Vec<u64> {
    written_below(flow, own, branches, Way::Branch, |arc| !flow.joins(arc.to))
}

/// For each node what may be written beyond its ways of a kind, as far as other ways lead.
fn written_below(
    flow: &Flow<'_>,
    own: &[u64],
    knots: &Components,
    way: Way,
    leads: impl Fn(&Arc) -> bool,
) -> Vec<u64> {
    let mut below = own.to_vec();
    for members in &knots.members {
        let all = members.iter().fold(0, |all, at| {
            let on = flow
                .out(*at)
                .iter()
                .filter(|arc| leads(arc))
                .fold(own[*at as usize], |all, arc| all | below[arc.to as usize]);
            all | on
        });
        for at in members {
            below[*at as usize] = all;
        }
    }
    let entered = |at: NodeId| {
        let entered = flow.out(at).iter().filter(|arc| arc.way == way);
        entered.fold(0, |all, arc| all | below[arc.to as usize])
    };
    (0..flow.len() as NodeId).map(entered).collect()
}

/// What is written, for certain, when the labels that a node calls have returned. What never
/// returns leaves nothing to be missed.
fn returned(spread: &Spread<'_, '_>) -> Vec<u64> {
    let flow = spread.flow;
    // For each node, what may be unwritten when its label ends, of what was so at the node.
    let mut open = vec![0u64; flow.len()];
    let mut called = vec![0u64; flow.len()];
    let mut place = vec![0u32; flow.len()];
    let mut todo = Marks::new(flow.order.len());
    for (at, node) in (0..).zip(flow.order.iter().rev()) {
        place[*node as usize] = at;
        if flow.calls(*node) {
            called[*node as usize] = u64::MAX;
        }
        todo.add(at);
    }
    let mut from = 0;
    while let Some(next) = todo.take_from(from).or_else(|| todo.take_from(0)) {
        from = next;
        let at = flow.order[flow.order.len() - 1 - next as usize];
        let (mut some, mut every, mut forks) = (0, u64::MAX, false);
        for arc in flow.out(at) {
            if arc.way == Way::Enter {
                if flow.calls(at) {
                    called[at as usize] = !open[arc.to as usize];
                }
                continue;
            }
            forks |= arc.way == Way::Branch;
            let written = match arc.way {
                Way::On => spread.known_on(at, arc) | called[at as usize],
                _ => spread.known_on(at, arc),
            };
            let left = open[arc.to as usize] & !written;
            (some, every) = (some | left, every & left);
        }
        if flow.is_end[at as usize] {
            some |= !(spread.own[at as usize] | called[at as usize]);
        }
        // What one branch of a fork writes is there behind its join.
        let left = if forks { every } else { some };
        if left & !open[at as usize] != 0 {
            open[at as usize] |= left;
            flow.into(at)
                .iter()
                .filter(|(from, _)| flow.is_run[*from as usize])
                .for_each(|(from, _)| todo.add(place[*from as usize]));
        }
    }
    called
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
