//! How far the conditions of a rule are fulfilled: read from the matches that are there.

use super::records::Token;
use super::values::{Onlooker, Seen};
use super::{Memory, Origin};
use crate::field::{FactId, Field};
use crate::network::{NONE, Place, Right, Way};

impl Memory {
    /// For each condition of a way, the matches that fulfil it and all before it.
    pub(crate) fn progress(&self, way: &Way) -> Vec<Vec<u32>> {
        let mut progress: Vec<Vec<u32>> = Vec::new();
        let nexts = way.steps.iter().skip(1).map(|step| step.join).chain([way.last]);
        for (step, next) in way.steps.iter().zip(nexts) {
            let fulfilled = match progress.last() {
                Some(before) => before.iter().flat_map(|left| self.left_children(*left)).collect(),
                None => self.first_matches(step.join),
            };
            let memory = self.book.left_memory(next);
            let is_there = |token: &u32| self.state.tokens.get(*token).memory == memory;
            progress.push(fulfilled.into_iter().filter(is_there).collect());
        }
        progress
    }

    /// What the first join of a way has made.
    fn first_matches(&self, join: u32) -> Vec<u32> {
        let node = &self.book.network.joins[join as usize];
        if node.exists || node.blocks() {
            return self.left_children(self.book.left_anchor(join));
        }
        let Right::Alpha(alpha) = node.right else {
            return self.right_children(self.book.right_anchor(join));
        };
        let memory = self.book.alpha_memory(alpha);
        let mut found = Vec::new();
        for fact in self.facts() {
            let mut at = self.state.facts.get(fact.id.place).matches;
            while at != NONE {
                let token = self.state.tokens.get(at);
                if token.memory == memory {
                    found.extend(self.right_children(at));
                }
                at = token.next_left;
            }
        }
        found
    }

    fn left_children(&self, token: u32) -> Vec<u32> {
        self.children(token, |child| child.next_left)
    }

    fn right_children(&self, token: u32) -> Vec<u32> {
        self.children(token, |child| child.next_right)
    }

    fn children(&self, token: u32, next: impl Fn(&Token) -> u32) -> Vec<u32> {
        let first = self.state.tokens.get(token).children;
        let follow = |id: u32| (id != NONE).then_some(id);
        std::iter::successors(follow(first), |id| follow(next(self.state.tokens.get(*id))))
            .collect()
    }

    /// The facts of a match.
    pub(crate) fn match_facts(&self, token: u32, length: u32) -> Vec<Option<FactId>> {
        self.state.match_facts(token, length)
    }

    /// A value in a match of so many facts.
    pub(crate) fn value_in(&self, token: u32, length: u32, place: Place) -> Field {
        Seen::Match(self.state.parts(token), length).value(&self.state, &place)
    }

    /// The match that a first join decides about.
    pub(crate) fn anchor(&self, join: u32) -> Option<u32> {
        Some(self.book.left_anchor(join)).filter(|anchor| *anchor != NONE)
    }

    /// The facts that keep a match from going on.
    pub(crate) fn blockers(&self, left: u32, join: u32) -> Vec<FactId> {
        let by = self.state.tokens.get(left).marker;
        if by == NONE || by == left {
            return Vec::new();
        }
        let node = &self.book.network.joins[join as usize];
        let length = if node.is_group() { node.right_length } else { 1 };
        let facts = self.state.match_facts(by, length);
        // What the group got from outside is not what blocks.
        let outside = if node.is_group() && !node.is_first() { node.left_length } else { 0 };
        facts.into_iter().skip(outside as usize).flatten().collect()
    }

    /// The memory as conditions see it.
    pub(crate) fn onlooker(&self) -> Onlooker<'_> {
        Onlooker::new(&self.state)
    }

    /// Where a fact came from, if it is there.
    pub fn origin(&self, fact: FactId) -> Option<&Origin> {
        self.state.live(fact).map(|fact| &fact.origin)
    }
}
