//! Facts that depend on matches: what logical conditions make.

use super::records::Support;
use super::state::State;
use crate::network::NONE;

impl State {
    /// Makes a fact depend on a match.
    pub(super) fn support(&mut self, fact: u32, token: u32) {
        let next_of_fact = self.facts.get(fact).supports;
        let next_of_token = self.tokens.get(token).supports;
        let id = self.supports.insert(Support {
            fact,
            token,
            previous_of_fact: NONE,
            next_of_fact,
            previous_of_token: NONE,
            next_of_token,
        });
        if next_of_fact != NONE {
            self.supports.get_mut(next_of_fact).previous_of_fact = id;
        }
        if next_of_token != NONE {
            self.supports.get_mut(next_of_token).previous_of_token = id;
        }
        self.facts.get_mut(fact).supports = id;
        self.tokens.get_mut(token).supports = id;
    }

    /// The fact stays by itself from now on.
    pub(super) fn make_independent(&mut self, fact: u32) {
        let mut at = std::mem::replace(&mut self.facts.get_mut(fact).supports, NONE);
        while at != NONE {
            let support = *self.supports.get(at);
            self.detach_from_token(support.token, at);
            self.supports.remove(at);
            at = support.next_of_fact;
        }
    }

    /// A match goes: facts that depended on it alone are to go, too.
    pub(super) fn withdraw_support(&mut self, token: u32) {
        let mut at = std::mem::replace(&mut self.tokens.get_mut(token).supports, NONE);
        while at != NONE {
            let support = *self.supports.get(at);
            self.detach_from_fact(support.fact, at);
            self.supports.remove(at);
            if self.facts.get(support.fact).supports == NONE {
                let id = self.fact_id(support.fact);
                self.unsupported.push(id);
            }
            at = support.next_of_token;
        }
    }

    fn detach_from_token(&mut self, token: u32, support: u32) {
        let Support { previous_of_token: previous, next_of_token: next, .. } =
            *self.supports.get(support);
        match previous {
            NONE => self.tokens.get_mut(token).supports = next,
            previous => self.supports.get_mut(previous).next_of_token = next,
        }
        if next != NONE {
            self.supports.get_mut(next).previous_of_token = previous;
        }
    }

    fn detach_from_fact(&mut self, fact: u32, support: u32) {
        let Support { previous_of_fact: previous, next_of_fact: next, .. } =
            *self.supports.get(support);
        match previous {
            NONE => self.facts.get_mut(fact).supports = next,
            previous => self.supports.get_mut(previous).next_of_fact = next,
        }
        if next != NONE {
            self.supports.get_mut(next).previous_of_fact = previous;
        }
    }
}
