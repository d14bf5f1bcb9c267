//! Rules fire: how many may, and why no more do.

use std::sync::Arc;

use super::matching::{Doing, Exhausted, Logical, Matcher};
use super::values::Seen;
use super::world::Acting;
use super::{Memory, Origin};
use crate::code::{Code, Codes, Done, Fault};
use crate::functions;
use crate::network::NONE;
use crate::program::VariableId;

/// How much one run may do. Nothing here is a time: a run that is stopped by a limit is stopped
/// at the same place everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many rules may fire.
    pub firings: u64,
    /// How many facts there may be.
    pub facts: usize,
    /// How many matches there may be, of patterns and of conditions up to one of them. Each takes
    /// about a hundred bytes.
    pub matches: usize,
    /// How many steps matching and actions may take in one run, and in each act from outside.
    /// Within one firing the two are counted apart, so that the last one may take as many again.
    /// What is long takes as many as it is long.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { firings: 10_000, facts: 1_000_000, matches: 10_000_000, steps: 100_000_000 }
    }
}

/// Why no rule fires any longer.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// None can.
    Quiet,
    /// A rule said so.
    Halted,
    /// As many fired as may.
    Firings,
    /// Something went wrong: in the actions of the rule that fired last, or in conditions that
    /// its facts were matched with.
    Fault(Fault),
    /// More was printed than may wait to be read; see [`Memory::take_printed`].
    Printed,
    /// There would be more facts than may be. The memory is good for reading only.
    Facts,
    /// There would be more matches than may be. The memory is good for reading only.
    Matches,
    /// Matching or actions took more steps than they may. The memory is good for reading only.
    Steps,
}

impl Memory {
    /// Fires rules until none can, one says so, or a limit is reached. `fired` hears of each
    /// before it acts.
    pub fn run(&mut self, mut fired: impl FnMut(u32)) -> Stop {
        if let Some(stop) = &self.stopped {
            return stop.clone();
        }
        self.budget = self.limits.steps;
        for _ in 0..self.limits.firings {
            match self.fire(&mut fired) {
                None => {}
                Some(stop) => return stop,
            }
        }
        if self.state.next_to_fire().is_none() { Stop::Quiet } else { Stop::Firings }
    }

    /// Fires one rule. Says why, if no other can after it.
    pub fn fire(&mut self, fired: &mut impl FnMut(u32)) -> Option<Stop> {
        if let Some(stop) = &self.stopped {
            return Some(stop.clone());
        }
        let Some(id) = self.state.next_to_fire() else { return Some(Stop::Quiet) };
        self.state.off_agenda(self.state.agenda_from, id);
        let book = Arc::clone(&self.book);
        let number = book.way_of(self.state.tokens.get(id).memory);
        let way = &book.network.ways[number as usize];
        fired(way.rule);
        let code = &book.actions[way.rule as usize];
        let seen = Seen::Match(self.state.parts(id), way.length);
        let places = self.acting.begin(code);
        for (VariableId(variable), place) in &way.variables {
            let value = seen.value(&self.state, place);
            self.budget = self.budget.saturating_sub(functions::length_of(&value));
            places[*variable as usize] = Some(value);
        }
        let logical = way.logical.map(|join| self.logical_match(join, id));
        let (done, halted) = self.perform(&book.codes, code, Origin::Rule(way.rule), logical);
        let stop = match (halted, done) {
            (Some(stop), _) => Some(stop),
            (None, Ok(done)) => done.halted.then_some(Stop::Halted),
            (None, Err(fault)) => Some(Stop::Fault(fault)),
        };
        if let Some(Stop::Facts | Stop::Matches | Stop::Steps) = stop {
            self.stopped.clone_from(&stop);
        }
        stop
    }

    fn logical_match(&self, join: u32, token: u32) -> Logical {
        let memory = self.book.left_memory(join);
        let mut at = token;
        while at != NONE {
            let token = self.state.tokens.get(at);
            if token.memory == memory {
                return Logical::There(at);
            }
            at = token.left_parent;
        }
        Logical::Orphan
    }

    /// Runs actions whose variables have their values. What stopped them, if not a fault of their
    /// own, is said beside what they gave.
    fn perform(
        &mut self,
        codes: &Codes,
        code: &Code,
        origin: Origin,
        logical: Option<Logical>,
    ) -> (Result<Done, Fault>, Option<Stop>) {
        let budget = self.budget;
        let mut steps = budget;
        let mut machine = std::mem::take(&mut self.acting);
        let mut world = self.world(origin, logical);
        let done = machine.run(codes, code, &mut steps, &mut world);
        let exhausted = (done.is_err() && steps == 0).then_some(Stop::Steps);
        let halted = world.halted.take().or(exhausted);
        self.acting = machine;
        // Matching took from the budget meanwhile.
        self.budget = self.budget.saturating_sub(budget - steps);
        (done, halted)
    }

    /// Runs actions that no rule made.
    pub(super) fn act(&mut self, code: &Code, origin: Origin) {
        if self.stopped.is_some() {
            return;
        }
        let book = Arc::clone(&self.book);
        self.budget = self.limits.steps;
        self.acting.begin(code);
        let (done, halted) = self.perform(&book.codes, code, origin, None);
        if let Err(fault) = done
            && halted.is_none()
        {
            self.faults.push(fault);
        }
        self.settle(halted);
    }

    /// What stopped an act from outside: a fault of conditions is told, a limit ends all.
    pub(super) fn settle(&mut self, halted: Option<Stop>) {
        match halted {
            None => {}
            Some(Stop::Fault(fault)) => self.faults.push(fault),
            Some(stop) => self.stopped = Some(stop),
        }
    }

    /// The memory, for somebody from outside: each of their acts has all the steps there are.
    pub(super) fn outside(&mut self, origin: Origin) -> Acting<'_> {
        self.budget = self.limits.steps;
        self.world(origin, None)
    }

    fn world(&mut self, origin: Origin, logical: Option<Logical>) -> Acting<'_> {
        Acting {
            book: &self.book,
            state: &mut self.state,
            machine: &mut self.testing,
            budget: &mut self.budget,
            scratch: &mut self.scratch,
            printed: &mut self.printed,
            faults: &mut self.faults,
            facts_max: self.limits.facts,
            matches_max: self.limits.matches,
            origin,
            logical,
            halted: None,
            withdrawing: false,
        }
    }

    /// Tells the joins that need no fact.
    pub(super) fn prime(&mut self) -> Result<(), Exhausted> {
        let book = Arc::clone(&self.book);
        let mut logical = None;
        let mut matcher = Matcher {
            book: &book,
            state: &mut self.state,
            machine: &mut self.testing,
            budget: &mut self.budget,
            scratch: &mut self.scratch,
            matches_max: self.limits.matches,
            faults: &mut self.faults,
            logical: &mut logical,
        };
        for join in &book.network.free {
            matcher.first(book.right_anchor(*join), *join, Doing::Asserting)?;
        }
        for join in &book.network.empty {
            let anchor = book.left_anchor(*join);
            let node = &book.network.joins[*join as usize];
            if !node.after.is_empty() && !matcher.holds_after(node, anchor, NONE) {
                // It can never hold: it decides about itself.
                matcher.state.tokens.get_mut(anchor).marker = anchor;
                continue;
            }
            // A group that holds without facts has decided by now.
            if matcher.state.tokens.get(anchor).marker == NONE {
                matcher.first_holds(anchor, *join, Doing::Asserting)?;
            }
        }
        Ok(())
    }
}
