//! Where a value is found: in which of the facts that are matched so far, and where in the fact.

use super::patterns::NONE;
use crate::field::mix;
use crate::program::SlotPattern;

/// Where in a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The fact itself.
    Address,
    /// All of a slot.
    Slot(u32),
    /// One field of a list, counted from its start.
    FromStart { slot: u32, index: u32 },
    /// One field of a list, counted from its end; 0 is the last.
    FromEnd { slot: u32, index: u32 },
    /// The fields of a list without so many at its start and at its end.
    Middle { slot: u32, skip: u32, leave: u32 },
    /// One field behind several stretches of free length.
    Behind { slot: u32, index: u32, stretches: Stretches },
    /// A stretch of free length among several.
    Stretch { slot: u32, index: u32, stretches: Stretches },
}

/// The stretches of free length that stand before a field in its list: their lengths are kept
/// with each match, since one fact can match in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretches {
    /// The first of them among all that the pattern has.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// Which side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// What was matched before.
    Left,
    /// What is joined to it.
    Right,
}

/// A value within a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// On which side of the join.
    pub side: Side,
    /// Which condition's fact, counted from the first that was joined.
    pub depth: u32,
    /// Where in the fact.
    pub at: At,
}

impl Place {
    /// A number to look it up by: equal places have equal ones.
    pub(super) fn digest(&self) -> u64 {
        let (slot, index) = match self.at {
            At::Address => (NONE, 0),
            At::Slot(slot) => (slot, NONE),
            At::FromStart { slot, index }
            | At::FromEnd { slot, index }
            | At::Middle { slot, skip: index, .. }
            | At::Behind { slot, index, .. }
            | At::Stretch { slot, index, .. } => (slot, index),
        };
        mix(u64::from(self.depth), u64::from(slot) << 32 | u64::from(index))
    }
}

/// A place in the fact on the right: it is the only one there, whatever its condition, so that
/// conditions of several rules can share their tests.
pub(crate) fn here(at: At) -> Place {
    Place { side: Side::Right, depth: 0, at }
}

/// Where the fields of a list pattern are in the list.
pub(super) struct ListLayout {
    /// How many fields of free length are before each field, and before the end.
    free: Vec<u32>,
    slot: u32,
    /// How many stretches the pattern has in slots before this one.
    first_stretch: u32,
}

impl ListLayout {
    pub(crate) fn new(pattern: &SlotPattern, first_stretch: u32) -> ListLayout {
        let mut free = Vec::with_capacity(pattern.fields.len() + 1);
        let mut before = 0;
        for field in &pattern.fields {
            free.push(before);
            before += u32::from(field.many);
        }
        free.push(before);
        ListLayout { free, slot: pattern.slot, first_stretch }
    }

    /// How many fields of free length are before and after a field.
    pub(crate) fn free_around(&self, at: usize) -> (u32, u32) {
        (self.free[at], self.free_in_all() - self.free[at + 1])
    }

    /// How many fields of length one are after a field.
    pub(crate) fn fixed_after(&self, at: usize) -> u32 {
        self.fixed() - self.fixed_before(at + 1)
    }

    /// How many fields of length one there are.
    pub(crate) fn fixed(&self) -> u32 {
        self.fixed_before(self.free.len() - 1)
    }

    /// How many stretches a match has to keep for the slot: with one, it follows from the length.
    pub(crate) fn stretches(&self) -> u32 {
        match self.free_in_all() {
            0 | 1 => 0,
            several => several,
        }
    }

    /// Where a field is.
    pub(crate) fn place(&self, at: usize) -> At {
        let slot = self.slot;
        let (before, after) = self.free_around(at);
        let index = self.fixed_before(at);
        let stretches = Stretches { first: self.first_stretch, count: before };
        let is_free = self.free[at + 1] > before;
        match (is_free, before, after) {
            (false, 0, _) => At::FromStart { slot, index },
            (false, 1, 0) => At::FromEnd { slot, index: self.fixed_after(at) },
            (false, ..) => At::Behind { slot, index, stretches },
            (true, 0, 0) => At::Middle { slot, skip: index, leave: self.fixed_after(at) },
            (true, ..) => At::Stretch { slot, index, stretches },
        }
    }

    fn free_in_all(&self) -> u32 {
        self.free[self.free.len() - 1]
    }

    fn fixed_before(&self, at: usize) -> u32 {
        at as u32 - self.free[at]
    }
}
