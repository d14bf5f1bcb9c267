//! The rules that can fire, in the order in which they will.

use super::records::Activation;
use super::state::State;
use crate::network::NONE;

impl State {
    /// The activation that fires next.
    pub(super) fn next_to_fire(&mut self) -> Option<u32> {
        while let Some(first) = self.agenda.get(self.agenda_from) {
            if *first != NONE {
                return Some(*first);
            }
            self.agenda_from += 1;
        }
        None
    }

    /// Takes an activation off the agenda.
    pub(super) fn off_agenda(&mut self, level: usize, id: u32) -> Activation {
        let activation = *self.activations.get(id);
        let Activation { previous, next, .. } = activation;
        match previous {
            NONE => self.agenda[level] = next,
            previous => self.activations.get_mut(previous).next = next,
        }
        if next != NONE {
            self.activations.get_mut(next).previous = previous;
        }
        self.activations.remove(id);
        activation
    }

    /// All activations, the next to fire first.
    pub(super) fn activations(&self) -> impl Iterator<Item = Activation> + '_ {
        self.agenda.iter().flat_map(|first| {
            let follow = |id: &u32| (*id != NONE).then(|| *self.activations.get(*id));
            std::iter::successors(follow(first), move |one| follow(&one.next))
        })
    }
}
