//! A working memory: facts, what they match, and what fires because of it.

mod agenda;
mod diff;
mod leaving;
mod matching;
mod progress;
mod records;
mod state;
mod support;
mod values;
mod world;

use std::sync::Arc;

use value::Text;

use crate::code::{Code, Codes, Done, Fault, Machine};
use crate::field::{FactId, Field};
use crate::functions;
use crate::network::NONE;
use crate::program::{NewFact, TemplateId, VariableId};
use crate::rulebook::Rulebook;
pub use diff::Diff;
use matching::{Doing, Logical, Matcher, Scratch};
use records::Fact;
pub(crate) use records::TokenKind;
use state::State;
use values::{Seen, Sight};
use world::Acting;

/// Where a fact came from. It changes nothing about how it is matched.
#[derive(Clone, Debug)]
pub enum Origin {
    /// From outside, with what was said about it.
    Outside(Option<Arc<Provenance>>),
    /// From the program: a reset asserts it.
    Initial,
    /// From a rule, by its position in the program.
    Rule(u32),
}

/// What is known about where a fact from outside came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Which kind of thing said it: `state`, `tool`, `user`, `system`.
    pub origin: Text,
    /// Which one.
    pub source: Text,
    /// In which run.
    pub run: Option<Text>,
    /// At which of its steps.
    pub step: Option<u64>,
    /// How sure it is, from 0 to 1.
    pub confidence: Option<f64>,
    /// When, as its host writes time.
    pub time: Option<Text>,
}

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
    /// There would be more facts than may be. The memory is good for reading only.
    Facts,
    /// There would be more matches than may be. The memory is good for reading only.
    Matches,
    /// Matching or actions took more steps than they may. The memory is good for reading only.
    Steps,
}

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
    /// When it was activated, counted over all activations.
    pub serial: u64,
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

    /// Another memory with the same content, in constant time. What both hold is shared until
    /// one of them changes it.
    pub fn fork(&mut self) -> Memory {
        Memory {
            book: Arc::clone(&self.book),
            state: self.state.fork(),
            acting: Machine::default(),
            testing: Machine::default(),
            scratch: Scratch::default(),
            limits: self.limits,
            budget: self.budget,
            printed: self.printed.clone(),
            faults: self.faults.clone(),
            stopped: self.stopped.clone(),
        }
    }

    /// The rules it works by.
    pub fn rulebook(&self) -> &Arc<Rulebook> {
        &self.book
    }

    /// Asserts a fact. One that says the same as another is that other. None where nothing can
    /// be asserted any longer.
    pub fn assert(
        &mut self,
        template: TemplateId,
        fields: Vec<Field>,
        provenance: Option<Arc<Provenance>>,
    ) -> Option<FactId> {
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
        let code =
            crate::code::Compiler::new(self.book.program()).facts(std::slice::from_ref(fact));
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

    /// Gives slots of a fact other values, by their positions. Its address stays valid, its
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
        self.state.activations().map(|one| {
            let way = &self.book.network.ways[one.way as usize];
            Activated {
                rule: way.rule,
                way: one.way,
                salience: self.book.saliences[self.book.levels[one.way as usize] as usize],
                facts: self.state.match_facts(one.token, way.length),
                serial: one.serial,
            }
        })
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

    /// Fires rules until none can, one says so, or a limit is reached. `fired` hears of each
    /// before it acts.
    pub fn run(&mut self, mut fired: impl FnMut(u32)) -> Stop {
        self.budget = self.limits.steps;
        for _ in 0..self.limits.firings {
            match self.fire(&mut fired) {
                None => {}
                Some(stop) => return stop,
            }
        }
        if self.stopped.is_none() && self.state.next_to_fire().is_none() {
            return Stop::Quiet;
        }
        Stop::Firings
    }

    /// Fires one rule. Says why, if no other can after it.
    pub fn fire(&mut self, fired: &mut impl FnMut(u32)) -> Option<Stop> {
        if let Some(stop) = &self.stopped {
            return Some(stop.clone());
        }
        let Some(id) = self.state.next_to_fire() else { return Some(Stop::Quiet) };
        let activation = self.state.off_agenda(self.state.agenda_from, id);
        self.state.tokens.get_mut(activation.token).marker = NONE;
        let book = Arc::clone(&self.book);
        let way = &book.network.ways[activation.way as usize];
        fired(way.rule);
        let code = &book.actions[way.rule as usize];
        let seen = Seen::Token(activation.token, way.length);
        let sight = Sight { state: &self.state, left: seen, right: Seen::Nothing };
        let places = self.acting.begin(code);
        for (VariableId(variable), place) in &way.variables {
            let value = sight.value(*place);
            self.budget = self.budget.saturating_sub(functions::length_of(&value));
            places[*variable as usize] = Some(value);
        }
        let logical = way.logical.map(|join| self.logical_match(join, activation.token));
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

    /// The values of the variables with which a rule can fire.
    pub fn values(&self, activated: &Activated) -> Vec<(VariableId, Field)> {
        let one = self.state.activations().find(|one| one.serial == activated.serial);
        let Some(one) = one else { return Vec::new() };
        let way = &self.book.network.ways[one.way as usize];
        let seen = Seen::Token(one.token, way.length);
        let sight = Sight { state: &self.state, left: seen, right: Seen::Nothing };
        way.variables.iter().map(|(name, place)| (*name, sight.value(*place))).collect()
    }

    fn logical_match(&self, join: u32, token: u32) -> Logical {
        let mut at = token;
        while at != NONE {
            let token = self.state.tokens.get(at);
            if token.owner == join && token.kind == TokenKind::Left {
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
    fn act(&mut self, code: &Code, origin: Origin) {
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
    fn settle(&mut self, halted: Option<Stop>) {
        match halted {
            None => {}
            Some(Stop::Fault(fault)) => self.faults.push(fault),
            Some(stop) => self.stopped = Some(stop),
        }
    }

    /// The memory, for somebody from outside: each of their acts has all the steps there are.
    fn outside(&mut self, origin: Origin) -> Acting<'_> {
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
            facts_max: self.limits.facts,
            matches_max: self.limits.matches,
            origin,
            logical,
            halted: None,
            withdrawing: false,
        }
    }

    /// Tells the joins that need no fact.
    fn prime(&mut self) -> Result<(), matching::Exhausted> {
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
            matcher.first_holds(anchor, *join, Doing::Asserting)?;
        }
        Ok(())
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
