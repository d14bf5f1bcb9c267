//! The records of a working memory, and the lists that tie them together.

use std::sync::Arc;

use super::groups::Groups;
use super::records::{Fact, Lengths, Parts, Support, Token};
use crate::arena::Arena;
use crate::buckets::Buckets;
use crate::field::{FactId, Field};
use crate::network::NONE;
use crate::rulebook::Rulebook;

/// All of a working memory that changes. Forking it forks the memory.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub facts: Arena<Fact>,
    /// The facts by what they say, and by their indexes.
    pub contents: Buckets,
    pub indexes: Buckets,
    /// The first and the last fact, by index: of all, and of each template.
    pub all: Ends,
    pub alike: Vec<Ends>,
    /// The index that the next fact gets.
    pub next_index: u64,
    pub tokens: Arena<Token>,
    pub lengths: Arena<Lengths>,
    pub groups: Groups,
    pub supports: Arena<Support>,
    /// Facts that lost their last support and are to be retracted, the next last.
    pub unsupported: Vec<FactId>,
    /// The match to fire next, for each salience, the most urgent first.
    pub agenda: Vec<u32>,
    /// No salience before this one has a match on the agenda.
    pub agenda_from: usize,
    pub agenda_length: usize,
    /// What tells the next match on the agenda from those that had its number before.
    pub next_stamp: u32,
    pub globals: Vec<Field>,
}

/// How matches are looked for: by the hash of some of their values, if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sought {
    /// Nothing is on the other side of their join.
    Never,
    /// On the left of a join.
    NewestFirst(Option<u64>),
    /// On its right.
    OldestFirst(Option<u64>),
}

/// The ends of a list of facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub first: u32,
    pub last: u32,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { first: NONE, last: NONE }
    }
}

impl State {
    pub(super) fn new(book: &Rulebook) -> State {
        let mut state = State {
            alike: vec![Ends::default(); book.program().templates.len()],
            next_index: 1,
            groups: Groups::new(book.memory_count()),
            agenda: vec![NONE; book.saliences.len()],
            ..State::default()
        };
        for memory in &book.anchors {
            state.tokens.insert(Token { memory: *memory, ..Token::EMPTY });
        }
        state
    }

    /// A second state with the same content; see [`Arena::fork`] for what it costs.
    pub(super) fn fork(&mut self) -> State {
        State {
            facts: self.facts.fork(),
            contents: self.contents.fork(),
            indexes: self.indexes.fork(),
            tokens: self.tokens.fork(),
            lengths: self.lengths.fork(),
            groups: self.groups.fork(),
            supports: self.supports.fork(),
            unsupported: self.unsupported.clone(),
            agenda: self.agenda.clone(),
            alike: self.alike.clone(),
            globals: self.globals.clone(),
            ..*self
        }
    }

    pub(super) fn fact_id(&self, place: u32) -> FactId {
        self.facts.get(place).id(place)
    }

    /// The fact with this address, if it is there.
    pub(super) fn live(&self, id: FactId) -> Option<&Fact> {
        if id.place >= self.facts.places() {
            return None;
        }
        Some(self.facts.get(id.place)).filter(|fact| fact.live && fact.stamp == id.stamp)
    }

    /// A fact that says the same. Facts of one digest are looked at one by one, a step each.
    pub(super) fn equal_fact(
        &self,
        template: u32,
        fields: &[Field],
        digest: u64,
        budget: &mut u64,
    ) -> Option<u32> {
        let mut at = self.contents.head(digest, budget);
        while let Some(place) = at {
            let fact = self.facts.get(place);
            if fact.template.0 == template && *fact.fields == *fields {
                return Some(place);
            }
            *budget = budget.saturating_sub(1);
            at = Some(fact.same).filter(|next| *next != NONE);
        }
        None
    }

    /// The fact with this index.
    pub(super) fn at_index(&self, index: u64) -> Option<FactId> {
        // Indexes are given one after the other, and do not meet.
        let place = self.indexes.head(index, &mut 0)?;
        Some(self.fact_id(place))
    }

    /// Puts a fact at the ends of the lists, and where it is found by what it says.
    pub(super) fn link_fact(&mut self, place: u32, budget: &mut u64) {
        let template = self.facts.get(place).template.0 as usize;
        let last = std::mem::replace(&mut self.all.last, place);
        match last {
            NONE => self.all.first = place,
            last => self.facts.get_mut(last).next = place,
        }
        let last_alike = std::mem::replace(&mut self.alike[template].last, place);
        match last_alike {
            NONE => self.alike[template].first = place,
            last => self.facts.get_mut(last).next_alike = place,
        }
        let digest = self.facts.get(place).digest;
        let same = self.contents.replace(digest, Some(place), budget).unwrap_or(NONE);
        let fact = self.facts.get_mut(place);
        (fact.previous, fact.next) = (last, NONE);
        (fact.previous_alike, fact.next_alike) = (last_alike, NONE);
        (fact.same, fact.index, fact.live) = (same, self.next_index, true);
        self.indexes.set_head(self.next_index, Some(place), budget);
        self.next_index += 1;
    }

    /// Takes a fact out of the lists; facts of one digest are passed a step each.
    pub(super) fn unlink_fact(&mut self, place: u32, budget: &mut u64) {
        let fact = self.facts.get_mut(place);
        fact.live = false;
        let index = fact.index;
        let (same, digest, template) = (fact.same, fact.digest, fact.template.0 as usize);
        let (previous, next) = (fact.previous, fact.next);
        let (previous_alike, next_alike) = (fact.previous_alike, fact.next_alike);
        self.indexes.set_head(index, None, budget);
        match previous {
            NONE => self.all.first = next,
            previous => self.facts.get_mut(previous).next = next,
        }
        match next {
            NONE => self.all.last = previous,
            next => self.facts.get_mut(next).previous = previous,
        }
        match previous_alike {
            NONE => self.alike[template].first = next_alike,
            previous => self.facts.get_mut(previous).next_alike = next_alike,
        }
        match next_alike {
            NONE => self.alike[template].last = previous_alike,
            next => self.facts.get_mut(next).previous_alike = previous_alike,
        }
        let first = self.contents.head(digest, budget).unwrap_or(NONE);
        if first == place {
            self.contents.set_head(digest, (same != NONE).then_some(same), budget);
            return;
        }
        let mut before = first;
        while self.facts.get(before).same != place {
            *budget = budget.saturating_sub(1);
            before = self.facts.get(before).same;
        }
        self.facts.get_mut(before).same = same;
    }

    /// Keeps a match, in a group of what looks for it if anything does, and among the children of
    /// what it was made from.
    pub(super) fn keep(
        &mut self,
        parts: Parts,
        memory: u32,
        sought: Sought,
        budget: &mut u64,
    ) -> u32 {
        let Parts { fact, left, right } = parts;
        let (mut group, mut previous, mut next) = (NONE, NONE, NONE);
        match sought {
            Sought::Never => {}
            Sought::NewestFirst(hash) => {
                group = self.groups.take(memory, hash, budget);
                next = self.groups.get_mut(group).first;
            }
            Sought::OldestFirst(hash) => {
                group = self.groups.take(memory, hash, budget);
                previous = self.groups.get_mut(group).last;
            }
        }
        let sibling = |parent| if parent == NONE { NONE } else { self.tokens.get(parent).children };
        let (next_left, next_right) = (sibling(left), sibling(right));
        let id = self.tokens.insert(Token {
            fact,
            memory,
            group,
            previous,
            next,
            left_parent: left,
            right_parent: right,
            next_left,
            next_right,
            ..Token::EMPTY
        });
        if right != NONE {
            self.tokens.get_mut(right).children = id;
        }
        if next_right != NONE {
            self.tokens.get_mut(next_right).previous_right = id;
        }
        if left != NONE {
            self.tokens.get_mut(left).children = id;
        }
        if next_left != NONE {
            self.tokens.get_mut(next_left).previous_left = id;
        }
        if group != NONE {
            if next != NONE {
                self.tokens.get_mut(next).previous = id;
            } else {
                self.groups.get_mut(group).last = id;
            }
            if previous != NONE {
                self.tokens.get_mut(previous).next = id;
            } else {
                self.groups.get_mut(group).first = id;
            }
        }
        id
    }

    /// Takes a match out of its list.
    #[inline(always)]
    pub(super) fn drop_from_group(&mut self, token: &Token) {
        let Token { group, previous, next, .. } = *token;
        if group == NONE {
            return;
        }
        match previous {
            NONE => self.groups.get_mut(group).first = next,
            previous => self.tokens.get_mut(previous).next = next,
        }
        match next {
            NONE => self.groups.get_mut(group).last = previous,
            next => self.tokens.get_mut(next).previous = previous,
        }
    }

    /// Makes one match decide about another: it goes on no longer, or, for `exists`, now.
    pub(super) fn block(&mut self, left: u32, by: u32) {
        let next = std::mem::replace(&mut self.tokens.get_mut(by).next_blocked, left);
        let token = self.tokens.get_mut(left);
        (token.marker, token.previous_blocked, token.next_blocked) = (by, by, next);
        if next != NONE {
            self.tokens.get_mut(next).previous_blocked = left;
        }
    }

    /// Nothing decides about the match any longer.
    pub(super) fn unblock(&mut self, left: u32) {
        let token = self.tokens.get_mut(left);
        let (previous, next) = (token.previous_blocked, token.next_blocked);
        (token.marker, token.previous_blocked, token.next_blocked) = (NONE, NONE, NONE);
        if previous != NONE {
            self.tokens.get_mut(previous).next_blocked = next;
        }
        if next != NONE {
            self.tokens.get_mut(next).previous_blocked = previous;
        }
    }

    /// Takes a match out of what was made from its right side.
    #[inline(always)]
    pub(super) fn unlink_right_child(&mut self, token: &Token) {
        let Token { right_parent, previous_right, next_right, .. } = *token;
        if previous_right != NONE {
            self.tokens.get_mut(previous_right).next_right = next_right;
        } else if right_parent != NONE {
            self.tokens.get_mut(right_parent).children = next_right;
        }
        if next_right != NONE {
            self.tokens.get_mut(next_right).previous_right = previous_right;
        }
    }

    /// Takes a match out of what was made from its left side.
    pub(super) fn unlink_left_child(&mut self, token: &Token) {
        let Token { left_parent, previous_left, next_left, .. } = *token;
        if previous_left != NONE {
            self.tokens.get_mut(previous_left).next_left = next_left;
        } else if left_parent != NONE {
            self.tokens.get_mut(left_parent).children = next_left;
        }
        if next_left != NONE {
            self.tokens.get_mut(next_left).previous_left = previous_left;
        }
    }

    /// The fact of one condition of a match of so many.
    #[inline(always)]
    pub(super) fn fact_of(&self, parts: Parts, length: u32, depth: u32) -> u32 {
        let Parts { mut fact, mut left, .. } = parts;
        for _ in depth + 1..length {
            let token = self.tokens.get(left);
            (fact, left) = (token.fact, token.left_parent);
        }
        fact
    }

    /// What a match is made of. One of a pattern is made of itself.
    #[inline]
    pub(super) fn parts(&self, id: u32) -> Parts {
        let token = self.tokens.get(id);
        let right = if token.right_parent == NONE { id } else { token.right_parent };
        Parts { fact: token.fact, left: token.left_parent, right }
    }

    /// The lengths of the stretches in the fact of one condition of a match of so many.
    pub(super) fn lengths_of(&self, mut parts: Parts, length: u32, depth: u32) -> &[u32] {
        for _ in depth + 1..length {
            parts = self.parts(parts.left);
        }
        let lengths = self.tokens.get(parts.right).marker;
        if lengths == NONE { &[] } else { &self.lengths.get(lengths).0 }
    }

    pub(super) fn keep_lengths(&mut self, lengths: &[u32]) -> u32 {
        if lengths.is_empty() {
            return NONE;
        }
        self.lengths.insert(Lengths(Arc::from(lengths), NONE))
    }
}
