//! The rules that can fire, in the order in which they will: their complete matches, in a list for
//! each salience, the newest first.

use super::state::State;
use crate::network::NONE;

impl State {
    /// Puts a complete match on the agenda. It is marked by its own number, and stamped, as others
    /// will have this number later.
    pub(super) fn on_agenda(&mut self, level: usize, id: u32) {
        let next = std::mem::replace(&mut self.agenda[level], id);
        let token = self.tokens.get_mut(id);
        (token.marker, token.next) = (id, next);
        token.next_blocked = self.next_stamp;
        self.next_stamp = self.next_stamp.wrapping_add(1);
        if next != NONE {
            self.tokens.get_mut(next).previous = id;
        }
        self.agenda_from = self.agenda_from.min(level);
        self.agenda_length += 1;
    }

    /// Takes a complete match off the agenda.
    pub(super) fn off_agenda(&mut self, level: usize, id: u32) {
        let token = self.tokens.get_mut(id);
        let (previous, next) = (token.previous, token.next);
        (token.marker, token.previous, token.next) = (NONE, NONE, NONE);
        match previous {
            NONE => self.agenda[level] = next,
            previous => self.tokens.get_mut(previous).next = next,
        }
        if next != NONE {
            self.tokens.get_mut(next).previous = previous;
        }
        self.agenda_length -= 1;
    }

    /// The match whose rule fires next.
    pub(super) fn next_to_fire(&mut self) -> Option<u32> {
        while let Some(first) = self.agenda.get(self.agenda_from) {
            if *first != NONE {
                return Some(*first);
            }
            self.agenda_from += 1;
        }
        None
    }

    /// All that is on the agenda, the next to fire first.
    pub(super) fn agenda(&self) -> impl Iterator<Item = u32> + '_ {
        let follow = |id: u32| (id != NONE).then_some(id);
        self.agenda.iter().flat_map(move |first| {
            std::iter::successors(follow(*first), move |id| follow(self.tokens.get(*id).next))
        })
    }
}
