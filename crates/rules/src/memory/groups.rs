//! The lists of matches that joins look through.

use crate::arena::{Arena, Record};
use crate::field::mix;
use crate::network::NONE;

/// For each memory a list of its matches, or one for each hash that they have.
///
/// Each memory has a list with its own number, for matches without a hash; these come first. A hash
/// whose matches are gone keeps its list, as it tends to come back, until there would be more
/// lists than heads. Heads never get fewer. Each list that is passed in a search takes a step, as
/// values can be chosen so that all fall under one head.
#[derive(Debug)]
pub(crate) struct Groups {
    lists: Arena<Group>,
    memories: u32,
    /// The first of the lists whose memory and hash fall together here; a power of two of them.
    heads: Arena<Head>,
}

/// The ends of a list, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    hash: u64,
    memory: u32,
    pub first: u32,
    pub last: u32,
    /// The next list under the same head.
    same: u32,
}

#[derive(Clone, Copy, Debug)]
struct Head(u32);

impl Group {
    const EMPTY: Group = Group { hash: 0, memory: NONE, first: NONE, last: NONE, same: NONE };
}

impl Default for Groups {
    fn default() -> Groups {
        Groups::new(0)
    }
}

impl Groups {
    pub(super) fn new(memories: u32) -> Groups {
        let lists = Arena::filled(Group::EMPTY, memories);
        Groups { lists, memories, heads: Arena::filled(Head(NONE), 8) }
    }

    pub(super) fn fork(&mut self) -> Groups {
        Groups { lists: self.lists.fork(), memories: self.memories, heads: self.heads.fork() }
    }

    /// The first match of a memory that has the hash, if it has any.
    #[inline]
    pub(super) fn first(&self, memory: u32, hash: Option<u64>, steps: &mut u64) -> u32 {
        match self.find(memory, hash, steps) {
            NONE => NONE,
            list => self.lists.get(list).first,
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, list: u32) -> &mut Group {
        self.lists.get_mut(list)
    }

    /// The list of a memory for a hash.
    #[inline]
    pub(super) fn take(&mut self, memory: u32, hash: Option<u64>, steps: &mut u64) -> u32 {
        match self.find(memory, hash, steps) {
            NONE => self.add(memory, hash.unwrap_or_default()),
            list => list,
        }
    }

    #[inline(always)]
    fn find(&self, memory: u32, hash: Option<u64>, steps: &mut u64) -> u32 {
        let Some(hash) = hash else { return memory };
        let Head(mut list) = *self.heads.get(self.head(memory, hash));
        while list != NONE {
            let group = self.lists.get(list);
            if group.hash == hash && group.memory == memory {
                break;
            }
            *steps = steps.saturating_sub(1);
            list = group.same;
        }
        list
    }

    #[inline(always)]
    fn head(&self, memory: u32, hash: u64) -> u32 {
        (mix(u64::from(memory), hash) >> 32) as u32 & (self.heads.places() - 1)
    }

    #[inline(never)]
    fn add(&mut self, memory: u32, hash: u64) -> u32 {
        if self.lists.len() as u32 - self.memories >= self.heads.places() {
            self.drop_empty();
        }
        let list = self.lists.insert(Group { memory, hash, ..Group::EMPTY });
        self.put_under_head(list);
        list
    }

    fn put_under_head(&mut self, list: u32) {
        let group = *self.lists.get(list);
        let Head(head) = self.heads.get_mut(self.head(group.memory, group.hash));
        let same = std::mem::replace(head, list);
        self.lists.get_mut(list).same = same;
    }

    /// Drops the lists without matches. Those that stay take half of the heads or less, so that
    /// this is paid for by as many new ones.
    #[cold]
    fn drop_empty(&mut self) {
        let mut stay = Vec::new();
        for list in self.memories..self.lists.places() {
            let group = self.lists.get(list);
            if group.first != NONE {
                stay.push(list);
            } else if group.memory != NONE {
                self.lists.remove(list);
            }
        }
        let enough = (stay.len() as u32 * 2).next_power_of_two();
        self.heads = Arena::filled(Head(NONE), self.heads.places().max(enough));
        stay.into_iter().for_each(|list| self.put_under_head(list));
    }
}

impl Record for Group {
    fn vacant(next: u32) -> Group {
        Group { same: next, ..Group::EMPTY }
    }

    fn next_vacant(&self) -> u32 {
        self.same
    }
}

impl Record for Head {
    fn vacant(_: u32) -> Head {
        Head(NONE)
    }

    fn next_vacant(&self) -> u32 {
        // Heads are changed where they are and never removed.
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a list of one match for each hash, and says how many steps that took.
    fn steps_for(hashes: impl Iterator<Item = u64>) -> u64 {
        let mut groups = Groups::new(1);
        let mut steps = u64::MAX;
        for hash in hashes {
            let list = groups.take(0, Some(hash), &mut steps);
            groups.get_mut(list).first = 0;
        }
        u64::MAX - steps
    }

    #[test]
    fn hashes_that_fall_under_one_head_take_a_step_for_each() {
        let alike = (0..).filter(|hash| mix(0, *hash) >> 32 & 0x3ff == 0);
        assert_eq!(steps_for(alike.take(500)), 500 * 499 / 2);
        assert!(steps_for(0..500) < 1_000);
    }

    #[test]
    fn hashes_that_come_and_go_take_no_more_room() {
        let mut groups = Groups::new(3);
        for hash in 0..10_000 {
            groups.take(2, Some(hash), &mut 0);
        }
        assert_eq!(groups.heads.places(), 8);
        assert!(groups.lists.places() <= 3 + 8);
        assert_eq!(groups.first(2, Some(9_999), &mut 0), NONE);
        assert_eq!(groups.take(2, None, &mut 0), 2);
    }
}
