//! What actions do to a working memory.

use std::sync::Arc;

use super::matching::{Exhausted, Logical, Matcher, Scratch};
use super::records::Fact;
use super::state::State;
use super::{Origin, Stop};
use crate::code::{FactView, Fault, Machine, World};
use crate::field::{FactId, Field, mix};
use crate::functions;
use crate::network::NONE;
use crate::program::{GlobalId, TemplateId};
use crate::rulebook::Rulebook;

/// A memory while something acts on it.
pub(super) struct Acting<'a> {
    pub book: &'a Rulebook,
    pub state: &'a mut State,
    pub machine: &'a mut Machine,
    pub budget: &'a mut u64,
    pub scratch: &'a mut Scratch,
    pub printed: &'a mut String,
    /// What went wrong in conditions while no rule acts.
    pub faults: &'a mut Vec<Fault>,
    pub facts_max: usize,
    pub matches_max: usize,
    pub origin: Origin,
    pub logical: Option<Logical>,
    /// Why nothing more can be done.
    pub halted: Option<Stop>,
    /// Whether facts that lost their support are being retracted.
    pub withdrawing: bool,
}

/// How much text may wait for somebody to read it.
const PRINTED_MAX: usize = 1 << 24;

/// What the machine says where the reason is kept in [`Acting::halted`].
const HALTED: &str = "the run is stopped";

impl Acting<'_> {
    /// Asserts a fact, and matches it.
    pub(super) fn add(&mut self, template: TemplateId, fields: Vec<Field>) -> Option<FactId> {
        self.look_at(&fields)?;
        let digest = digest(template, &fields);
        if let Some(known) = self.state.equal_fact(template.0, &fields, digest, self.budget) {
            self.support_again(known);
            return Some(self.state.fact_id(known));
        }
        if self.logical == Some(Logical::Gone) {
            return None;
        }
        if self.state.facts.len() >= self.facts_max {
            self.halted = Some(Stop::Facts);
            return None;
        }
        let fact = Fact {
            template,
            fields: Arc::from(fields),
            index: 0,
            stamp: self.state.next_index as u32,
            live: true,
            previous: NONE,
            next: NONE,
            previous_alike: NONE,
            next_alike: NONE,
            same: NONE,
            digest,
            matches: NONE,
            supports: NONE,
            origin: self.origin.clone(),
        };
        let place = self.state.facts.insert(fact);
        self.enter(place);
        Some(self.state.fact_id(place))
    }

    /// Retracts a fact; says whether it was there.
    pub(super) fn remove(&mut self, id: FactId) -> bool {
        if self.state.live(id).is_none() {
            return false;
        }
        self.leave(id.place);
        self.withdraw();
        // Where matching stopped in the middle, matches still name the fact.
        if !self.is_stopped() {
            self.state.facts.remove(id.place);
        }
        true
    }

    /// Gives a fact other values. Its address stays, it is asserted anew otherwise.
    pub(super) fn change(&mut self, id: FactId, changes: Vec<(u32, Field)>) -> Option<FactId> {
        let fact = self.state.live(id)?;
        let mut fields = fact.fields.to_vec();
        let template = fact.template;
        for (slot, value) in changes {
            fields[slot as usize] = value;
        }
        self.look_at(&fields)?;
        if *fields == *self.state.live(id)?.fields {
            return Some(id);
        }
        let place = id.place;
        self.leave(place);
        self.withdraw();
        if self.is_stopped() {
            return None;
        }
        let digest = digest(template, &fields);
        if let Some(known) = self.state.equal_fact(template.0, &fields, digest, self.budget) {
            self.support_again(known);
            self.state.facts.remove(place);
            return Some(self.state.fact_id(known));
        }
        if self.logical == Some(Logical::Gone) {
            self.state.facts.remove(place);
            return None;
        }
        let fact = self.state.facts.get_mut(place);
        (fact.fields, fact.digest) = (Arc::from(fields), digest);
        fact.origin = self.origin.clone();
        self.enter(place);
        Some(id)
    }

    /// Takes as many steps as a fact is long; none where they are not there.
    fn look_at(&mut self, fields: &[Field]) -> Option<()> {
        let length: u64 = fields.iter().map(functions::length_of).sum();
        *self.budget = self.budget.saturating_sub(length + fields.len() as u64);
        if *self.budget == 0 {
            self.halted = Some(Stop::Steps);
            return None;
        }
        Some(())
    }

    /// Puts a fact into the lists and matches it.
    fn enter(&mut self, place: u32) {
        self.state.link_fact(place, self.budget);
        if let Some(Logical::There(token)) = self.logical {
            self.state.support(place, token);
        }
        self.matching(|matcher| matcher.fact(place));
        self.withdraw();
    }

    /// Takes a fact out of the lists and takes back its matches.
    fn leave(&mut self, place: u32) {
        self.state.make_independent(place);
        self.state.unlink_fact(place, self.budget);
        self.matching(|matcher| matcher.take_back(place));
    }

    /// A fact is asserted again: it depends on more, or on nothing any longer.
    fn support_again(&mut self, place: u32) {
        match self.logical {
            None => self.state.make_independent(place),
            Some(Logical::There(token)) if self.state.facts.get(place).supports != NONE => {
                self.state.support(place, token);
            }
            Some(_) => {}
        }
    }

    /// Retracts what lost its last support, until nothing does.
    fn withdraw(&mut self) {
        if self.withdrawing {
            return;
        }
        self.withdrawing = true;
        while !self.is_stopped()
            && let Some(fact) = self.state.unsupported.pop()
        {
            self.remove(fact);
        }
        self.withdrawing = false;
    }

    fn matching(&mut self, work: impl FnOnce(&mut Matcher) -> Result<(), Exhausted>) {
        let mut faults = Vec::new();
        let mut matcher = Matcher {
            book: self.book,
            state: self.state,
            machine: self.machine,
            budget: self.budget,
            scratch: self.scratch,
            matches_max: self.matches_max,
            faults: &mut faults,
            logical: &mut self.logical,
        };
        let exhausted = work(&mut matcher) == Err(Exhausted);
        if self.state.tokens.len() > self.matches_max {
            self.halted = Some(Stop::Matches);
        } else if exhausted || *self.budget == 0 {
            // A test that takes all steps is a fault, and nothing asks for another.
            self.halted = Some(Stop::Steps);
        } else if let Origin::Rule(_) = self.origin {
            if let Some(fault) = faults.into_iter().next() {
                self.halted.get_or_insert(Stop::Fault(fault));
            }
        } else {
            // Facts from outside stay, whatever a condition makes of them.
            self.faults.append(&mut faults);
        }
    }

    /// Whether a limit was reached. A fault of conditions only keeps actions from going on, and so
    /// does too much text.
    fn is_stopped(&self) -> bool {
        !matches!(self.halted, None | Some(Stop::Fault(_) | Stop::Printed))
    }

    fn unless_halted<T>(&self, value: T) -> Result<T, String> {
        if self.halted.is_some() { Err(HALTED.to_owned()) } else { Ok(value) }
    }
}

/// What a fact is found by.
pub(super) fn digest(template: TemplateId, fields: &[Field]) -> u64 {
    fields.iter().fold(u64::from(template.0), |hash, field| mix(hash, field.digest()))
}

impl World for Acting<'_> {
    fn assert(
        &mut self,
        template: TemplateId,
        fields: Vec<Field>,
    ) -> Result<Option<FactId>, String> {
        let asserted = self.add(template, fields);
        self.unless_halted(asserted)
    }

    fn retract(&mut self, fact: FactId) -> Result<bool, String> {
        let was_there = self.remove(fact);
        self.unless_halted(was_there)
    }

    fn retract_all(&mut self) -> Result<(), String> {
        while self.halted.is_none() && self.state.all.first != NONE {
            let id = self.state.fact_id(self.state.all.first);
            self.remove(id);
        }
        self.unless_halted(())
    }

    fn modify(
        &mut self,
        fact: FactId,
        changes: Vec<(u32, Field)>,
    ) -> Result<Option<FactId>, String> {
        let modified = self.change(fact, changes);
        self.unless_halted(modified)
    }

    fn fact(&self, fact: FactId) -> Option<FactView<'_>> {
        let found = self.state.live(fact)?;
        Some(FactView { template: found.template, fields: &found.fields, index: found.index })
    }

    fn at_index(&self, index: u64) -> Option<FactId> {
        self.state.at_index(index)
    }

    fn global(&self, global: GlobalId) -> &Field {
        &self.state.globals[global.0 as usize]
    }

    fn set_global(&mut self, global: GlobalId, value: Field) {
        self.state.globals[global.0 as usize] = value;
    }

    fn print(&mut self, text: &str) {
        if self.printed.len() + text.len() > PRINTED_MAX {
            self.halted.get_or_insert(Stop::Printed);
        } else {
            self.printed.push_str(text);
        }
    }
}
