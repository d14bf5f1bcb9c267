//! How a fact that goes takes its matches along, and what may go on because of it.

use super::matching::{Doing, Exhausted, Logical, Matcher};
use super::records::Token;
use crate::network::NONE;

impl Matcher<'_> {
    /// Takes back all matches of a fact.
    pub(super) fn take_back(&mut self, fact: u32) -> Result<(), Exhausted> {
        let mut at = self.state.facts.get(fact).matches;
        while at != NONE {
            let next = self.state.tokens.get(at).next_left;
            self.retract_right_children(at, Doing::Retracting)?;
            self.release(at, Doing::Retracting)?;
            let token = self.state.tokens.remove(at);
            self.state.drop_from_group(&token);
            if token.marker != NONE {
                self.state.lengths.remove(token.marker);
            }
            at = next;
        }
        self.state.facts.get_mut(fact).matches = NONE;
        Ok(())
    }

    /// Takes back what was made with a match on the right.
    fn retract_right_children(&mut self, right: u32, doing: Doing) -> Result<(), Exhausted> {
        let mut at = self.state.tokens.get(right).children;
        while at != NONE {
            self.retract_children(at, doing)?;
            if self.book.is_right(self.state.tokens.get(at).memory) {
                self.release(at, doing)?;
            }
            let token = *self.state.tokens.get(at);
            self.state.unlink_left_child(&token);
            self.forget(at, Logical::Gone);
            at = token.next_right;
        }
        Ok(())
    }

    /// Takes back everything that was made from a match on the left, the newest first, and what
    /// is made of it before itself.
    pub(super) fn retract_children(&mut self, parent: u32, doing: Doing) -> Result<(), Exhausted> {
        let mut at = self.state.tokens.get(parent).children;
        while at != NONE {
            let token = self.state.tokens.get(at);
            if token.children != NONE {
                at = token.children;
                continue;
            }
            let Token { memory, left_parent, next_left, .. } = *token;
            self.state.tokens.get_mut(left_parent).children = next_left;
            let next = match next_left {
                NONE => left_parent,
                next => {
                    self.state.tokens.get_mut(next).previous_left = NONE;
                    next
                }
            };
            if self.book.is_right(memory) {
                self.release(at, doing)?;
            }
            self.forget(at, Logical::Orphan);
            if next == parent {
                return Ok(());
            }
            at = next;
        }
        Ok(())
    }

    /// What a match on the right decided about is decided anew.
    fn release(&mut self, right: u32, doing: Doing) -> Result<(), Exhausted> {
        loop {
            let left = self.state.tokens.get(right).next_blocked;
            if left == NONE {
                return Ok(());
            }
            let join = self.book.join_of(self.state.tokens.get(left).memory);
            self.decide_again(join, left, right, doing)?;
        }
    }

    fn decide_again(
        &mut self,
        join: u32,
        left: u32,
        right: u32,
        doing: Doing,
    ) -> Result<(), Exhausted> {
        let node = &self.book.network.joins[join as usize];
        self.state.unblock(left);
        if self.find_another(join, left, right, doing)? {
            return Ok(());
        }
        if node.exists {
            return self.retract_children(left, doing);
        }
        if !node.after.is_empty() && !self.holds_after(node, left, NONE) {
            return Ok(());
        }
        if node.is_first() {
            return self.first_holds(left, join, doing);
        }
        if doing == Doing::Retracting && self.is_going(left, node.left_length) {
            return Ok(());
        }
        self.drive(left, NONE, join, doing)
    }

    /// Finds another match on the right, after one that goes, that decides in its stead.
    fn find_another(
        &mut self,
        join: u32,
        left: u32,
        right: u32,
        doing: Doing,
    ) -> Result<bool, Exhausted> {
        let node = &self.book.network.joins[join as usize];
        let length = if node.is_group() { node.right_length } else { 1 };
        let mut at = self.state.tokens.get(right).next;
        while at != NONE {
            *self.budget = self.budget.saturating_sub(1);
            if *self.budget == 0 {
                return Err(Exhausted);
            }
            let going = doing == Doing::Retracting && self.is_going(at, length);
            let seen = if node.is_first() { NONE } else { left };
            if !going && self.holds(node, seen, at, true) {
                self.state.block(left, at);
                return Ok(true);
            }
            at = self.state.tokens.get(at).next;
        }
        Ok(false)
    }

    /// Frees a match that nothing was made from any longer: it goes out of all lists but the one
    /// of its left side's children, and off the agenda.
    fn forget(&mut self, id: u32, how: Logical) {
        let token = *self.state.tokens.get(id);
        self.state.drop_from_group(&token);
        self.state.unlink_right_child(&token);
        if token.marker != NONE {
            match self.book.network.joins[self.book.join_of(token.memory) as usize].way {
                Some(way) => {
                    self.state.off_agenda(self.book.levels[way as usize] as usize, id);
                }
                None => self.state.unblock(id),
            }
        }
        if token.supports != NONE {
            self.state.withdraw_support(id);
        }
        if *self.logical == Some(Logical::There(id)) {
            *self.logical = Some(how);
        }
        self.state.tokens.remove(id);
    }
}
