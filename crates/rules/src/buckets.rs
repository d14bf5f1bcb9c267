//! An index by hash, in a memory that forks with the records it names.

use crate::arena::{Arena, Record};

/// From a key to the number of the first record of a list.
///
/// The key is a hash of all 64 bits and is taken for the thing itself: callers compare what they
/// find. A look-up reads one or two neighbouring places; a fork costs what forking an [`Arena`]
/// costs. There are at least twice as many places as keys, of twelve bytes each; when there would
/// be fewer, all keys are placed anew, in twice as many. They never get fewer.
///
/// Keys can be chosen so that they all fall on one place. Each that is passed takes a step of those
/// that a caller has, so that this is no way to work for long unseen.
#[derive(Debug)]
pub struct Buckets {
    slots: Arena<Slot>,
    /// How many slots were ever given to a key since the last time all were placed anew.
    taken: u32,
    /// How many of these have a head.
    used: u32,
}

/// One place. Twelve bytes and not sixteen: more of them share a cache line and a page.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: [u32; 2],
    head: u32,
}

/// The head of a key that has none: it stays for the next time, as keys tend to come back.
const NONE: u32 = u32::MAX;
/// The head of a slot without a key.
const OPEN: u32 = u32::MAX - 1;

impl Record for Slot {
    fn vacant(_: u32) -> Slot {
        Slot { key: [0, 0], head: OPEN }
    }

    fn next_vacant(&self) -> u32 {
        // Slots are changed in place and never removed.
        0
    }
}

impl Default for Buckets {
    fn default() -> Buckets {
        Buckets::with_slots(8)
    }
}

impl Buckets {
    fn with_slots(count: u32) -> Buckets {
        Buckets { slots: Arena::filled(Slot::vacant(0), count), taken: 0, used: 0 }
    }

    /// How many keys have a head.
    pub fn len(&self) -> usize {
        self.used as usize
    }

    /// Whether no key has a head.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// What was last set for this key.
    #[inline]
    pub fn head(&self, key: u64, steps: &mut u64) -> Option<u32> {
        let (_, slot) = self.find(key, steps);
        (slot.head < OPEN).then_some(slot.head)
    }

    /// Sets the head for a key, or takes it away, and gives what it was: a list grows at its front
    /// by `record.next = buckets.replace(key, Some(id), steps)`.
    #[inline]
    pub fn replace(&mut self, key: u64, head: Option<u32>, steps: &mut u64) -> Option<u32> {
        debug_assert!(head.is_none_or(|head| head < OPEN), "the last two numbers mean something");
        let (place, slot) = self.find(key, steps);
        if slot.head == OPEN {
            if let Some(head) = head {
                self.add(key, place, head, steps);
            }
            return None;
        }
        let before = (slot.head != NONE).then_some(slot.head);
        self.slots.get_mut(place).head = head.unwrap_or(NONE);
        self.used = self.used - u32::from(before.is_some()) + u32::from(head.is_some());
        before
    }

    /// Sets the head for a key, or takes it away.
    #[inline]
    pub fn set_head(&mut self, key: u64, head: Option<u32>, steps: &mut u64) {
        self.replace(key, head, steps);
    }

    /// A second index with the same content.
    pub fn fork(&mut self) -> Buckets {
        Buckets { slots: self.slots.fork(), taken: self.taken, used: self.used }
    }

    /// The slot of a key, or the open one where it would be.
    #[inline]
    fn find(&self, key: u64, steps: &mut u64) -> (u32, Slot) {
        let words = words(key);
        let last = self.slots.places() - 1;
        let mut place = first(key, last);
        loop {
            let slot = *self.slots.get(place);
            if slot.key == words || slot.head == OPEN {
                return (place, slot);
            }
            *steps = steps.saturating_sub(1);
            place = (place + 1) & last;
        }
    }

    /// Gives an open slot to a key.
    fn add(&mut self, key: u64, place: u32, head: u32, steps: &mut u64) {
        *self.slots.get_mut(place) = Slot { key: words(key), head };
        self.taken += 1;
        self.used += 1;
        if self.taken * 2 > self.slots.places() {
            self.place_anew(steps);
        }
    }

    #[cold]
    fn place_anew(&mut self, steps: &mut u64) {
        // Keys without a head are left out. At least a quarter of the slots is open for new keys
        // afterwards, so this was paid for by as many.
        let count = self.slots.places();
        let more = if self.used * 4 > count { count * 2 } else { count };
        let mut buckets = Buckets::with_slots(more);
        for place in 0..count {
            let Slot { key, head } = *self.slots.get(place);
            if head < OPEN {
                let key = u64::from(key[0]) << 32 | u64::from(key[1]);
                let (place, _) = buckets.find(key, steps);
                *buckets.slots.get_mut(place) = Slot { key: words(key), head };
            }
        }
        buckets.taken = self.used;
        buckets.used = self.used;
        *self = buckets;
    }
}

fn words(key: u64) -> [u32; 2] {
    [(key >> 32) as u32, key as u32]
}

/// Where to look first. The upper half of a product depends on all bits below it, so a key whose
/// own bits are not spread well does no harm.
#[inline]
fn first(key: u64, last: u32) -> u32 {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 & last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Few keys, so that they meet; zero, and some that begin at the same place.
    fn key() -> impl Strategy<Value = u64> {
        prop_oneof![0_u64..200, (0_u64..40).prop_map(|number| number << 58), any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_index_is_a_map_that_forks(
            changes in prop::collection::vec(
                (any::<usize>(), key(), prop::option::of(0_u32..1_000), 0..10),
                1..600,
            )
        ) {
            let steps = &mut 0;
            let mut pairs = vec![(Buckets::default(), BTreeMap::new())];
            for (which, key, head, fork) in changes {
                let which = which % pairs.len();
                if fork == 0 && pairs.len() < 8 {
                    let (buckets, model) = &mut pairs[which];
                    let fork = (buckets.fork(), model.clone());
                    pairs.push(fork);
                }
                let (buckets, model) = &mut pairs[which];
                prop_assert_eq!(buckets.head(key, steps), model.get(&key).copied());
                let before = match head {
                    Some(head) => model.insert(key, head),
                    None => model.remove(&key),
                };
                prop_assert_eq!(buckets.replace(key, head, steps), before);
                prop_assert_eq!(buckets.len(), model.len());
                prop_assert!(buckets.taken * 2 <= buckets.slots.places());
            }
            for (buckets, model) in &pairs {
                for (key, head) in model {
                    prop_assert_eq!(buckets.head(*key, steps), Some(*head));
                }
            }
        }
    }

    #[test]
    fn keys_that_come_and_go_take_no_more_room() {
        let mut buckets = Buckets::default();
        for key in 0..10_000 {
            buckets.set_head(key, Some(1), &mut 0);
            buckets.set_head(key, None, &mut 0);
        }
        assert!(buckets.is_empty());
        assert_eq!(buckets.slots.places(), 8);
    }
}
