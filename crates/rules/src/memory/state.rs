//! The records of a working memory, and the lists that tie them together.

use std::sync::Arc;

use super::records::{Activation, Fact, Group, Lengths, Support, Token, TokenKind};
use crate::arena::Arena;
use crate::buckets::Buckets;
use crate::field::{FactId, Field, mix};
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
    pub groups: Arena<Group>,
    /// Groups by memory and hash.
    pub keys: Buckets,
    pub supports: Arena<Support>,
    /// Facts that lost their last support and are to be retracted, the next last.
    pub unsupported: Vec<FactId>,
    pub activations: Arena<Activation>,
    /// The activation to fire next, for each salience, the most urgent first.
    pub agenda: Vec<u32>,
    /// No salience before this one has an activation.
    pub agenda_from: usize,
    pub next_serial: u64,
    pub globals: Vec<Field>,
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
            agenda: vec![NONE; book.saliences.len()],
            ..State::default()
        };
        for memory in 0..book.memory_count() {
            let group = Group { first: NONE, last: NONE, memory, hash: 0, same: NONE };
            state.groups.insert(group);
        }
        for (join, kind) in &book.anchors {
            state.tokens.insert(Token { owner: *join, kind: *kind, ..Token::EMPTY });
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
            keys: self.keys.fork(),
            supports: self.supports.fork(),
            unsupported: self.unsupported.clone(),
            activations: self.activations.fork(),
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
        let mut at = self.contents.head(digest);
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
        let place = self.indexes.head(index)?;
        Some(self.fact_id(place))
    }

    /// Puts a fact at the ends of the lists, and where it is found by what it says.
    pub(super) fn link_fact(&mut self, place: u32) {
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
        let same = self.contents.replace(digest, Some(place)).unwrap_or(NONE);
        let fact = self.facts.get_mut(place);
        (fact.previous, fact.next) = (last, NONE);
        (fact.previous_alike, fact.next_alike) = (last_alike, NONE);
        (fact.same, fact.index, fact.live) = (same, self.next_index, true);
        self.indexes.set_head(self.next_index, Some(place));
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
        self.indexes.set_head(index, None);
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
        let first = self.contents.head(digest).unwrap_or(NONE);
        if first == place {
            self.contents.set_head(digest, (same != NONE).then_some(same));
            return;
        }
        let mut before = first;
        while self.facts.get(before).same != place {
            *budget = budget.saturating_sub(1);
            before = self.facts.get(before).same;
        }
        self.facts.get_mut(before).same = same;
    }

    /// The group of a memory for a hash, if there is one. A memory without hashes has one group,
    /// of its own number.
    #[inline]
    pub(super) fn group(&self, memory: u32, is_hashed: bool, hash: u64) -> u32 {
        if !is_hashed {
            return memory;
        }
        let mut at = self.keys.head(mix(u64::from(memory), hash)).unwrap_or(NONE);
        while at != NONE {
            let group = self.groups.get(at);
            if group.memory == memory && group.hash == hash {
                return at;
            }
            at = group.same;
        }
        NONE
    }

    fn group_or_new(&mut self, memory: u32, is_hashed: bool, hash: u64) -> u32 {
        let known = self.group(memory, is_hashed, hash);
        if known != NONE {
            return known;
        }
        let group = Group { first: NONE, last: NONE, memory, hash, same: NONE };
        let id = self.groups.insert(group);
        let same = self.keys.replace(mix(u64::from(memory), hash), Some(id));
        self.groups.get_mut(id).same = same.unwrap_or(NONE);
        id
    }

    /// Keeps a match. On the left of joins the newest is tried first, elsewhere the oldest.
    pub(super) fn keep(
        &mut self,
        mut token: Token,
        memory: u32,
        is_hashed: bool,
        hash: u64,
    ) -> u32 {
        let group = self.group_or_new(memory, is_hashed, hash);
        token.group = group;
        let list = *self.groups.get(group);
        if token.kind == TokenKind::Left {
            token.next = list.first;
            let id = self.tokens.insert(token);
            if list.first != NONE {
                self.tokens.get_mut(list.first).previous = id;
            }
            let list = self.groups.get_mut(group);
            list.first = id;
            if list.last == NONE {
                list.last = id;
            }
            return id;
        }
        token.previous = list.last;
        let id = self.tokens.insert(token);
        if list.last != NONE {
            self.tokens.get_mut(list.last).next = id;
        }
        let list = self.groups.get_mut(group);
        list.last = id;
        if list.first == NONE {
            list.first = id;
        }
        id
    }

    /// Takes a match out of its list. A hash that no match has any longer needs no group.
    pub(super) fn drop_from_group(&mut self, id: u32, is_hashed: bool) {
        let Token { group, previous, next, .. } = *self.tokens.get(id);
        if previous != NONE {
            self.tokens.get_mut(previous).next = next;
        }
        if next != NONE {
            self.tokens.get_mut(next).previous = previous;
        }
        let list = self.groups.get_mut(group);
        if previous == NONE {
            list.first = next;
        }
        if next == NONE {
            list.last = previous;
        }
        if is_hashed && list.first == NONE {
            self.drop_group(group);
        }
    }

    fn drop_group(&mut self, id: u32) {
        let Group { memory, hash, same, .. } = *self.groups.get(id);
        let key = mix(u64::from(memory), hash);
        let first = self.keys.head(key).unwrap_or(NONE);
        if first == id {
            self.keys.set_head(key, (same != NONE).then_some(same));
        } else {
            let mut before = first;
            while self.groups.get(before).same != id {
                before = self.groups.get(before).same;
            }
            self.groups.get_mut(before).same = same;
        }
        self.groups.remove(id);
    }

    /// Makes one match decide about another: it goes on no longer, or, for `exists`, now.
    pub(super) fn block(&mut self, left: u32, by: u32) {
        let next = std::mem::replace(&mut self.tokens.get_mut(by).blocked, left);
        let token = self.tokens.get_mut(left);
        (token.marker, token.next_blocked, token.previous_blocked) = (by, next, NONE);
        if next != NONE {
            self.tokens.get_mut(next).previous_blocked = left;
        }
    }

    /// Nothing decides about the match any longer.
    pub(super) fn unblock(&mut self, left: u32) {
        let token = self.tokens.get_mut(left);
        let (previous, next) = (token.previous_blocked, token.next_blocked);
        let by = token.marker;
        (token.marker, token.previous_blocked, token.next_blocked) = (NONE, NONE, NONE);
        if previous != NONE {
            self.tokens.get_mut(previous).next_blocked = next;
        } else if by != NONE {
            self.tokens.get_mut(by).blocked = next;
        }
        if next != NONE {
            self.tokens.get_mut(next).previous_blocked = previous;
        }
    }

    /// Enters a match among the children of what it was made from.
    pub(super) fn link_child(&mut self, id: u32) {
        let Token { left_parent, right_parent, .. } = *self.tokens.get(id);
        if right_parent != NONE {
            let next = std::mem::replace(&mut self.tokens.get_mut(right_parent).children, id);
            if next != NONE {
                self.tokens.get_mut(next).previous_right = id;
            }
            self.tokens.get_mut(id).next_right = next;
        }
        if left_parent != NONE {
            let next = std::mem::replace(&mut self.tokens.get_mut(left_parent).children, id);
            if next != NONE {
                self.tokens.get_mut(next).previous_left = id;
            }
            self.tokens.get_mut(id).next_left = next;
        }
    }

    pub(super) fn unlink_right_child(&mut self, id: u32) {
        let Token { right_parent, previous_right, next_right, .. } = *self.tokens.get(id);
        if previous_right != NONE {
            self.tokens.get_mut(previous_right).next_right = next_right;
        } else if right_parent != NONE {
            self.tokens.get_mut(right_parent).children = next_right;
        }
        if next_right != NONE {
            self.tokens.get_mut(next_right).previous_right = previous_right;
        }
    }

    pub(super) fn unlink_left_child(&mut self, id: u32) {
        let Token { left_parent, previous_left, next_left, .. } = *self.tokens.get(id);
        if previous_left != NONE {
            self.tokens.get_mut(previous_left).next_left = next_left;
        } else if left_parent != NONE {
            self.tokens.get_mut(left_parent).children = next_left;
        }
        if next_left != NONE {
            self.tokens.get_mut(next_left).previous_left = previous_left;
        }
    }

    /// The match so many facts before the last one of a match.
    #[inline]
    pub(super) fn ancestor(&self, mut token: u32, steps: u32) -> u32 {
        for _ in 0..steps {
            token = self.tokens.get(token).left_parent;
        }
        token
    }

    /// The lengths of the stretches of a match.
    pub(super) fn lengths_of(&self, token: &Token) -> &[u32] {
        let alpha = match token.kind {
            TokenKind::Alpha => token,
            _ if token.item == NONE => return &[],
            _ => self.tokens.get(token.item),
        };
        if alpha.item == NONE { &[] } else { &self.lengths.get(alpha.item).0 }
    }

    pub(super) fn keep_lengths(&mut self, lengths: &[u32]) -> u32 {
        if lengths.is_empty() {
            return NONE;
        }
        self.lengths.insert(Lengths(Arc::from(lengths), NONE))
    }
}
