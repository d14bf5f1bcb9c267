//! How a fact that goes takes its matches along, and what may go on because of it.

use super::matching::{Doing, Exhausted, Logical, Matcher};
use super::records::{Token, TokenKind};
use crate::network::NONE;

impl Matcher<'_> {
    /// Takes back all matches of a fact.
    pub(super) fn take_back(&mut self, fact: u32) -> Result<(), Exhausted> {
        let mut at = self.state.facts.get(fact).matches;
        while at != NONE {
            let next = self.state.tokens.get(at).next_left;
            self.retract_right_children(at, Doing::Retracting)?;
            self.release(at, Doing::Retracting)?;
            let Token { owner, item, .. } = *self.state.tokens.get(at);
            let is_hashed = !self.book.network.patterns.alphas[owner as usize].hash.is_empty();
            self.state.drop_from_group(at, is_hashed);
            if item != NONE {
                self.state.lengths.remove(item);
            }
            self.state.tokens.remove(at);
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
            if self.state.tokens.get(at).kind == TokenKind::Right {
                self.release(at, doing)?;
            }
            self.deactivate(at);
            let next = self.state.tokens.get(at).next_right;
            self.drop_from_memory(at);
            self.state.unlink_right_child(at);
            self.state.unlink_left_child(at);
            if self.state.tokens.get(at).marker != NONE {
                self.state.unblock(at);
            }
            self.forget(at, Logical::Gone);
            at = next;
        }
        Ok(())
    }

    /// Takes back everything that was made from a match on the left, the newest first, and what
    /// is made of it before itself.
    pub(super) fn retract_children(&mut self, parent: u32, doing: Doing) -> Result<(), Exhausted> {
        let mut at = self.state.tokens.get(parent).children;
        while at != NONE {
            let token = *self.state.tokens.get(at);
            if token.children != NONE {
                at = token.children;
                continue;
            }
            let next = if token.next_left == NONE {
                self.state.tokens.get_mut(token.left_parent).children = NONE;
                token.left_parent
            } else {
                self.state.tokens.get_mut(token.left_parent).children = token.next_left;
                self.state.tokens.get_mut(token.next_left).previous_left = NONE;
                token.next_left
            };
            if token.blocked == NONE {
                self.deactivate(at);
            } else {
                self.release(at, doing)?;
            }
            self.drop_from_memory(at);
            self.state.unlink_right_child(at);
            if self.state.tokens.get(at).marker != NONE {
                self.state.unblock(at);
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
            let left = self.state.tokens.get(right).blocked;
            if left == NONE {
                return Ok(());
            }
            let join = self.state.tokens.get(left).owner;
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

    fn drop_from_memory(&mut self, id: u32) {
        let Token { owner, kind, .. } = *self.state.tokens.get(id);
        let node = &self.book.network.joins[owner as usize];
        let places = if kind == TokenKind::Right { &node.right_hash } else { &node.left_hash };
        self.state.drop_from_group(id, !places.is_empty());
    }

    /// Takes the activation of a complete match off the agenda.
    fn deactivate(&mut self, id: u32) {
        let Token { owner, marker, .. } = *self.state.tokens.get(id);
        if marker != NONE
            && let Some(way) = self.book.network.joins[owner as usize].way
        {
            self.state.off_agenda(self.book.levels[way as usize] as usize, marker);
            self.state.tokens.get_mut(id).marker = NONE;
        }
    }

    /// Frees a match that nothing is tied to any longer but the facts that depend on it.
    fn forget(&mut self, id: u32, how: Logical) {
        if *self.logical == Some(Logical::There(id)) {
            *self.logical = Some(how);
        }
        self.state.withdraw_support(id);
        self.state.tokens.remove(id);
    }
}
