//! How a fact that comes makes matches: through the pattern network, then from join to join.
//!
//! The order of every step counts: the rule that is activated last fires first.

use super::records::{Parts, Token};
use super::state::{Sought, State};
use super::values::{Seen, Sight, Tester};
use crate::code::{Fault, Machine};
use crate::network::here;
use crate::network::{Join, NONE, Place, Right, Side};
use crate::rulebook::Rulebook;

/// Why matching stopped in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

/// What is going on: what is about to be deleted counts no longer while a fact goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Asserting,
    Retracting,
}

/// The network at work on a memory.
pub(super) struct Matcher<'a> {
    pub book: &'a Rulebook,
    pub state: &'a mut State,
    pub machine: &'a mut Machine,
    pub budget: &'a mut u64,
    /// Lists that are used again, so that nothing is allocated for each fact.
    pub scratch: &'a mut Scratch,
    pub matches_max: usize,
    /// What went wrong in conditions.
    pub faults: &'a mut Vec<Fault>,
    /// The match on which the rule that fires makes its facts depend, and what became of it.
    pub logical: &'a mut Option<Logical>,
}

/// The match on which assertions of the firing rule depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logical {
    /// It is there.
    There(u32),
    /// A fact of its own was retracted: nothing more can depend on it.
    Gone,
    /// It went because of something that it depends on: what is asserted now stays by itself.
    Orphan,
}

/// What matching a fact needs for itself.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    visits: Vec<Visit>,
    lengths: Vec<u32>,
}

/// A step through the pattern network that is still to be made.
#[derive(Clone, Copy, Debug)]
struct Visit {
    node: u32,
    /// How many stretches were found before it.
    stretches: u32,
    /// How many of these are in the slot of the node.
    in_slot: u32,
    /// For a stretch that is being searched: how long to try it next.
    length: Option<u32>,
}

impl Matcher<'_> {
    fn tester(&mut self) -> (&State, Tester<'_>) {
        let codes = &self.book.codes;
        (self.state, Tester { codes, machine: self.machine, budget: self.budget })
    }

    fn spend(&mut self) -> Result<(), Exhausted> {
        *self.budget = self.budget.saturating_sub(1);
        let is_over = *self.budget == 0 || self.state.tokens.len() > self.matches_max;
        if is_over { Err(Exhausted) } else { Ok(()) }
    }

    /// Takes a fact through the patterns of its template.
    pub(super) fn fact(&mut self, fact: u32) -> Result<(), Exhausted> {
        let mut scratch = std::mem::take(self.scratch);
        scratch.visits.clear();
        scratch.lengths.clear();
        let done = self.through_patterns(fact, &mut scratch);
        *self.scratch = scratch;
        done
    }

    fn through_patterns(&mut self, fact: u32, scratch: &mut Scratch) -> Result<(), Exhausted> {
        let Scratch { visits, lengths } = scratch;
        let book = self.book;
        let patterns = &book.network.patterns;
        let template = self.state.facts.get(fact).template;
        let roots = patterns.roots[template.0 as usize].iter().rev();
        visits.extend(roots.map(|node| Visit {
            node: *node,
            stretches: 0,
            in_slot: 0,
            length: None,
        }));
        while let Some(visit) = visits.pop() {
            self.spend()?;
            lengths.truncate(visit.stretches as usize);
            let mut node = &patterns.nodes[visit.node as usize];
            let mut passed = visit;
            if node.is_search() {
                let Some(next) = self.search(fact, node, &visit, lengths) else { continue };
                if let Some(shorter) = next.checked_sub(1) {
                    visits.push(Visit { length: Some(shorter), ..visit });
                }
                passed.stretches += 1;
                passed.in_slot += 1;
            } else if node.is_last() && visit.in_slot > 0 {
                let count = self.state.facts.get(fact).fields[node.slot() as usize].fields().len();
                let before: u32 =
                    lengths[(visit.stretches - visit.in_slot) as usize..].iter().sum();
                let end = node.fixed_before(visit.in_slot) + before + 1 + node.leave();
                if end as usize != count {
                    continue;
                }
            }
            let right = Seen::Fact(fact, lengths);
            let (state, mut tester) = self.tester();
            let sight = Sight { state, left: Seen::Nothing, right };
            match tester.all(sight, node.tests()) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(fault) => {
                    self.faults.push(fault);
                    continue;
                }
            }
            if let Some(at) = node.looks_up() {
                let next = right
                    .field(self.state, &here(at))
                    .and_then(|it| node.next_for(&patterns.nodes, it));
                let Some(next) = next else { continue };
                node = &patterns.nodes[next as usize];
            }
            if let Some(alpha) = node.alpha {
                self.alpha_match(fact, alpha, lengths)?;
            }
            let slot = node.slot();
            visits.extend(node.children.iter().rev().map(|child| {
                let same_slot = patterns.nodes[*child as usize].slot() == slot;
                let in_slot = if same_slot { passed.in_slot } else { 0 };
                Visit { node: *child, stretches: passed.stretches, in_slot, length: None }
            }));
        }
        Ok(())
    }

    /// Tries a stretch of free length, the longest first; gives the length that it tries now.
    fn search(
        &self,
        fact: u32,
        node: &crate::network::Node,
        visit: &Visit,
        lengths: &mut Vec<u32>,
    ) -> Option<u32> {
        let length = match visit.length {
            Some(length) => length,
            None => {
                let fields = self.state.facts.get(fact).fields[node.slot() as usize].fields();
                let count = u32::try_from(fields.len()).unwrap_or(NONE);
                let before = &lengths[(visit.stretches - visit.in_slot) as usize..];
                let start = node.fixed_before(visit.in_slot) + before.iter().sum::<u32>();
                count.checked_sub(start + node.leave())?
            }
        };
        lengths.push(length);
        Some(if node.is_last() { 0 } else { length })
    }

    fn alpha_match(&mut self, fact: u32, alpha: u32, lengths: &[u32]) -> Result<(), Exhausted> {
        let book = self.book;
        let pattern = &book.network.patterns.alphas[alpha as usize];
        let hash = (!pattern.hash.is_empty())
            .then(|| Seen::Fact(fact, lengths).hash(self.state, &pattern.hash, self.budget));
        let memory = book.alpha_memory(alpha);
        let parts = Parts { fact, left: NONE, right: NONE };
        let token = self.state.keep(parts, memory, Sought::OldestFirst(hash), self.budget);
        let marker = self.state.keep_lengths(lengths);
        let next_left = std::mem::replace(&mut self.state.facts.get_mut(fact).matches, token);
        let kept = self.state.tokens.get_mut(token);
        (kept.marker, kept.next_left) = (marker, next_left);
        for join in &pattern.joins {
            self.tell_right(token, hash, *join, Doing::Asserting)?;
        }
        Ok(())
    }

    /// Tells a join of a match on its right.
    pub(super) fn tell_right(
        &mut self,
        right: u32,
        hash: Option<u64>,
        join: u32,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        let book = self.book;
        let node = &book.network.joins[join as usize];
        if node.is_first() {
            return self.first(right, join, doing);
        }
        let mut left = self.state.groups.first(book.left_memory(join), hash, self.budget);
        while left != NONE {
            let token = self.state.tokens.get(left);
            let next = token.next;
            let is_open = token.marker == NONE;
            self.spend()?;
            if is_open {
                let holds = self.holds(node, left, right, node.negated)
                    && (node.after.is_empty() || self.holds_after(node, left, right));
                if holds {
                    if node.exists {
                        self.state.block(left, right);
                        self.drive(left, NONE, join, doing)?;
                    } else if node.blocks() {
                        self.state.block(left, right);
                        self.retract_children(left, doing)?;
                    } else {
                        self.drive(left, right, join, doing)?;
                    }
                }
            }
            left = next;
        }
        Ok(())
    }

    /// Tells a join of a match on its left.
    fn tell_left(
        &mut self,
        left: u32,
        hash: Option<u64>,
        join: u32,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        let book = self.book;
        let node = &book.network.joins[join as usize];
        if doing == Doing::Retracting && self.is_going(left, node.left_length) {
            return Ok(());
        }
        if let Some(way) = node.way {
            self.state.on_agenda(book.levels[way as usize] as usize, left);
            return Ok(());
        }
        let memory = match node.right {
            Right::Nothing => {
                if self.holds(node, left, NONE, false) {
                    self.drive(left, NONE, join, doing)?;
                }
                return Ok(());
            }
            Right::Alpha(alpha) => book.alpha_memory(alpha),
            Right::Group(_) => book.right_memory(join),
        };
        let mut right = self.state.groups.first(memory, hash, self.budget);
        while right != NONE {
            let next = self.state.tokens.get(right).next;
            self.spend()?;
            let going = doing == Doing::Retracting && self.is_going(right, node.right_length);
            let holds = !going
                && self.holds(node, left, right, node.negated)
                && (node.after.is_empty() || !node.exists || self.holds_after(node, left, right));
            if holds {
                if node.exists {
                    self.state.block(left, right);
                    return self.drive(left, NONE, join, doing);
                }
                if node.blocks() {
                    self.state.block(left, right);
                    return Ok(());
                }
                self.drive(left, right, join, doing)?;
            }
            right = next;
        }
        if node.blocks() && (node.after.is_empty() || self.holds_after(node, left, NONE)) {
            self.drive(left, NONE, join, doing)?;
        }
        Ok(())
    }

    /// Tells the first join of a rule of what is on its right.
    pub(super) fn first(&mut self, right: u32, join: u32, doing: Doing) -> Result<(), Exhausted> {
        let book = self.book;
        let node = &book.network.joins[join as usize];
        let holds = self.holds(node, NONE, right, false)
            && (node.after.is_empty() || self.holds_after(node, NONE, right));
        if !holds {
            return Ok(());
        }
        let anchor = book.left_anchor(join);
        if node.exists || node.blocks() {
            if self.state.tokens.get(anchor).marker != NONE {
                return Ok(());
            }
            self.state.block(anchor, right);
            if node.blocks() {
                return self.retract_children(anchor, doing);
            }
        }
        for (next, side) in &node.links {
            let parts = if node.exists {
                Parts { fact: NONE, left: anchor, right: NONE }
            } else {
                Parts { fact: self.state.tokens.get(right).fact, left: NONE, right }
            };
            self.enter(parts, *next, *side, doing)?;
        }
        Ok(())
    }

    /// Tells what follows a first join that nothing fits.
    pub(super) fn first_holds(
        &mut self,
        anchor: u32,
        join: u32,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        let book = self.book;
        for (next, side) in &book.network.joins[join as usize].links {
            let parts = Parts { fact: NONE, left: anchor, right: NONE };
            self.enter(parts, *next, *side, doing)?;
        }
        Ok(())
    }

    /// Tells what follows a join of a match of both sides.
    pub(super) fn drive(
        &mut self,
        left: u32,
        right: u32,
        join: u32,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        let book = self.book;
        let fact = if right == NONE { NONE } else { self.state.tokens.get(right).fact };
        for (next, side) in &book.network.joins[join as usize].links {
            self.enter(Parts { fact, left, right }, *next, *side, doing)?;
        }
        Ok(())
    }

    /// Keeps a new match on a side of a join, and tells the join.
    fn enter(
        &mut self,
        parts: Parts,
        join: u32,
        side: Side,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        self.spend()?;
        let book = self.book;
        let node = &book.network.joins[join as usize];
        match side {
            Side::Left => {
                let hash = self.hash_of(parts, node.left_length, &node.left_hash);
                let is_sought = node.right != Right::Nothing;
                let sought = if is_sought { Sought::NewestFirst(hash) } else { Sought::Never };
                let id = self.state.keep(parts, book.left_memory(join), sought, self.budget);
                self.tell_left(id, hash, join, doing)
            }
            Side::Right => {
                let hash = self.hash_of(parts, node.right_length, &node.right_hash);
                let sought = Sought::OldestFirst(hash);
                let id = self.state.keep(parts, book.right_memory(join), sought, self.budget);
                self.tell_right(id, hash, join, doing)
            }
        }
    }

    /// The hash of a match that is not kept yet.
    #[inline]
    fn hash_of(&mut self, parts: Parts, length: u32, places: &[Place]) -> Option<u64> {
        if places.is_empty() {
            return None;
        }
        Some(Seen::Match(parts, length).hash(self.state, places, self.budget))
    }

    /// Whether two sides fit; a test that fails to say so counts as `on_fault`.
    pub(super) fn holds(&mut self, node: &Join, left: u32, right: u32, on_fault: bool) -> bool {
        node.test.is_empty() || self.test(node, left, right, false, on_fault)
    }

    pub(super) fn holds_after(&mut self, node: &Join, left: u32, right: u32) -> bool {
        self.test(node, left, right, true, false)
    }

    fn test(&mut self, node: &Join, left: u32, right: u32, after: bool, on_fault: bool) -> bool {
        let (state, mut tester) = self.tester();
        let seen = |token: u32, length: u32| match token {
            NONE => Seen::Nothing,
            token => Seen::Match(state.parts(token), length),
        };
        // A fact on the right is matched by itself, whatever its place in the rule.
        let right_length = if node.is_group() { node.right_length } else { 1 };
        let sight =
            Sight { state, left: seen(left, node.left_length), right: seen(right, right_length) };
        let tests = if after { &node.after } else { &node.test };
        match tester.all(sight, tests) {
            Ok(holds) => holds,
            Err(fault) => {
                self.faults.push(fault);
                on_fault
            }
        }
    }

    /// Whether a match has a fact that is being retracted.
    pub(super) fn is_going(&self, token: u32, length: u32) -> bool {
        let mut at = token;
        for step in 0..length {
            let Token { fact, left_parent, .. } = *self.state.tokens.get(at);
            if fact != NONE && !self.state.facts.get(fact).live {
                return true;
            }
            if step + 1 < length {
                at = left_parent;
            }
        }
        false
    }
}
