//! The lists of matches that joins look through.

use crate::arena::{Arena, Record};
use crate::field::mix;
use crate::network::NONE;

/// For each memory a list of its matches, or one for each hash that they have.
///
/// The lists of memories without hashes come first, each with the number of its memory. A hash
/// whose matches are gone keeps its list, as it tends to come back, until there would be more
/// lists than heads.
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
    pub(super) fn first(&self, memory: u32, hash: Option<u64>) -> u32 {
        match self.find(memory, hash) {
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
    pub(super) fn take(&mut self, memory: u32, hash: Option<u64>) -> u32 {
        match self.find(memory, hash) {
            NONE => self.add(memory, hash.unwrap_or_default()),
            list => list,
        }
    }

    #[inline(always)]
    fn find(&self, memory: u32, hash: Option<u64>) -> u32 {
        let Some(hash) = hash else { return memory };
        let Head(mut list) = *self.heads.get(self.head(memory, hash));
        while list != NONE {
            let group = self.lists.get(list);
            if group.hash == hash && group.memory == memory {
                break;
            }
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
