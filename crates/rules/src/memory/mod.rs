//! A working memory: facts, what they match, and what fires because of it.

mod agenda;
mod diff;
mod groups;
mod leaving;
mod matching;
mod origin;
mod progress;
mod records;
mod running;
mod state;
mod support;
#[cfg(test)]
mod tests;
mod values;
mod world;

use std::sync::Arc;

use crate::code::{Compiler, Fault, Machine};
use crate::field::{FactId, Field};
use crate::network::NONE;
use crate::program::{NewFact, TemplateId, VariableId};
use crate::rulebook::Rulebook;
pub use diff::Diff;
use matching::Scratch;
pub use origin::{Origin, Provenance};
use records::{Fact, Token};
pub use running::{Limits, Stop};
use state::State;
use values::Seen;

/// A fact, as its reader sees it.
#[derive(Clone, Copy, Debug)]
pub struct FactRef<'a> {
    /// Its address.
    pub id: FactId,
    /// Its place in the order of assertion.
    pub index: u64,
    /// Of which template.
    pub template: TemplateId,
    /// What its slots hold.
    pub fields: &'a [Field],
    /// Where it came from.
    pub origin: &'a Origin,
}

/// A rule that can fire.
#[derive(Clone, Debug, PartialEq)]
pub struct Activated {
    /// Which rule, by its position in the program.
    pub rule: u32,
    /// Which of its ways.
    pub(crate) way: u32,
    /// How urgent it is.
    pub salience: i64,
    /// The facts that completed it, in the order of its conditions; none where a condition holds
    /// without one.
    pub facts: Vec<Option<FactId>>,
    /// The match of its conditions, and what tells it from others that had this number before.
    token: u32,
    stamp: u32,
}

/// A working memory. [`Memory::fork`] makes another with the same content.
#[derive(Debug)]
pub struct Memory {
    book: Arc<Rulebook>,
    state: State,
    /// The machines that run actions and tests: tests run while an action does.
    acting: Machine,
    testing: Machine,
    scratch: Scratch,
    limits: Limits,
    /// What is left of the steps.
    budget: u64,
    /// What rules printed and nobody read yet.
    printed: String,
    /// What went wrong in conditions while no rule fired.
    faults: Vec<Fault>,
    stopped: Option<Stop>,
}

impl Memory {
    /// A memory as a reset leaves it: with the initial facts and nothing else.
    pub fn new(book: Arc<Rulebook>, limits: Limits) -> Memory {
        let mut memory = Memory {
            state: State::new(&book),
            acting: Machine::default(),
            testing: Machine::default(),
            scratch: Scratch::default(),
            limits,
            budget: limits.steps,
            printed: String::new(),
            faults: Vec::new(),
            stopped: None,
            book,
        };
        memory.state.globals = memory.book.initial_globals.clone();
        if memory.prime().is_err() {
            memory.stopped = Some(Stop::Steps);
        }
        let book = Arc::clone(&memory.book);
        for code in &book.initial_facts {
            memory.act(code, Origin::Initial);
        }
        memory
    }

    /// Another memory with the same content: what both hold is shared until one of them changes
    /// it, so a fork costs four bytes for each page of 32 records once one of them was written to,
    /// and copies of short lists. What rules printed, and what went wrong, the first tells alone.
    pub fn fork(&mut self) -> Memory {
        Memory {
            book: Arc::clone(&self.book),
            state: self.state.fork(),
            acting: self.acting.fork(),
            testing: self.testing.fork(),
            scratch: Scratch::default(),
            limits: self.limits,
            budget: self.budget,
            printed: String::new(),
            faults: Vec::new(),
            stopped: self.stopped.clone(),
        }
    }

    /// The rules it works by.
    pub fn rulebook(&self) -> &Arc<Rulebook> {
        &self.book
    }

    /// Asserts a fact, with one value for each slot of its template. One that says the same as
    /// another is that other, and stays where that came from. None where nothing can be asserted
    /// any longer.
    pub fn assert(
        &mut self,
        template: TemplateId,
        fields: Vec<Field>,
        provenance: Option<Arc<Provenance>>,
    ) -> Option<FactId> {
        let slots = self.book.program().templates[template.0 as usize].slots.len();
        assert_eq!(fields.len(), slots, "a fact has one value for each slot of its template");
        if self.stopped.is_some() {
            return None;
        }
        let mut acting = self.outside(Origin::Outside(provenance));
        let asserted = acting.add(template, fields);
        let halted = acting.halted.take();
        self.settle(halted);
        asserted
    }

    /// Asserts a fact as it was read.
    pub fn assert_new(&mut self, fact: &NewFact) {
        let code = Compiler::new(self.book.program()).facts(std::slice::from_ref(fact));
        self.act(&code, Origin::Outside(None));
    }

    /// Retracts a fact; says whether it was there.
    pub fn retract(&mut self, fact: FactId) -> bool {
        if self.stopped.is_some() {
            return false;
        }
        let mut acting = self.outside(Origin::Outside(None));
        let was_there = acting.remove(fact);
        let halted = acting.halted.take();
        self.settle(halted);
        was_there
    }

    /// Gives slots of a fact other values, by their positions in its template. Its address stays valid, its
    /// index is a new one. None if it is not there, or if it says the same as another now.
    pub fn modify(&mut self, fact: FactId, changes: Vec<(u32, Field)>) -> Option<FactId> {
        if self.stopped.is_some() {
            return None;
        }
        let mut acting = self.outside(Origin::Outside(None));
        let modified = acting.change(fact, changes);
        let halted = acting.halted.take();
        self.settle(halted);
        modified
    }

    /// The facts, by index.
    pub fn facts(&self) -> impl Iterator<Item = FactRef<'_>> {
        let follow = |place: u32| (place != NONE).then(|| (place, self.state.facts.get(place)));
        std::iter::successors(follow(self.state.all.first), move |(_, fact)| follow(fact.next))
            .map(|(place, fact)| FactRef::new(fact, place))
    }

    /// The facts of one template, by index.
    pub fn facts_of(&self, template: TemplateId) -> impl Iterator<Item = FactRef<'_>> {
        let follow = |place: u32| (place != NONE).then(|| (place, self.state.facts.get(place)));
        let ends = self.state.alike.get(template.0 as usize).copied().unwrap_or_default();
        std::iter::successors(follow(ends.first), move |(_, fact)| follow(fact.next_alike))
            .map(|(place, fact)| FactRef::new(fact, place))
    }

    /// How many facts there are.
    pub fn fact_count(&self) -> usize {
        self.state.facts.len()
    }

    /// A fact, if it is there.
    pub fn fact(&self, id: FactId) -> Option<FactRef<'_>> {
        self.state.live(id).map(|fact| FactRef::new(fact, id.place))
    }

    /// What can fire, the next first.
    pub fn agenda(&self) -> impl Iterator<Item = Activated> + '_ {
        self.state.agenda().map(|token| {
            let Token { memory, next_blocked: stamp, .. } = *self.state.tokens.get(token);
            let number = self.book.way_of(memory);
            let way = &self.book.network.ways[number as usize];
            Activated {
                rule: way.rule,
                way: number,
                salience: self.book.saliences[self.book.levels[number as usize] as usize],
                facts: self.state.match_facts(token, way.length),
                token,
                stamp,
            }
        })
    }

    /// How much can fire.
    pub fn agenda_length(&self) -> usize {
        self.state.agenda_length
    }

    /// The value of a global, by its position in the program.
    pub fn global(&self, at: usize) -> Option<&Field> {
        self.state.globals.get(at)
    }

    /// What rules printed since it was last asked.
    pub fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    /// What went wrong in conditions since it was last asked, while no rule fired.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// The values of the variables with which a rule can fire; none once it cannot.
    pub fn values(&self, activated: &Activated) -> Vec<(VariableId, Field)> {
        let Activated { token, stamp, .. } = *activated;
        let is_it = |one| one == token && self.state.tokens.get(one).next_blocked == stamp;
        if !self.state.agenda().any(is_it) {
            return Vec::new();
        }
        let number = self.book.way_of(self.state.tokens.get(token).memory);
        let way = &self.book.network.ways[number as usize];
        let seen = Seen::Match(self.state.parts(token), way.length);
        way.variables.iter().map(|(name, place)| (*name, seen.value(&self.state, place))).collect()
    }
}

impl<'a> FactRef<'a> {
    fn new(fact: &'a Fact, place: u32) -> FactRef<'a> {
        FactRef {
            id: fact.id(place),
            index: fact.index,
            template: fact.template,
            fields: &fact.fields,
            origin: &fact.origin,
        }
    }
}
