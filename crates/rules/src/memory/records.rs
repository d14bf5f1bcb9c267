//! What a working memory is made of: records that name each other by number.

use std::sync::Arc;

use crate::arena::Record;
use crate::field::{FactId, Field};
use crate::network::NONE;
use crate::program::TemplateId;

use super::Origin;

/// A fact.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub template: TemplateId,
    /// One for each slot.
    pub fields: Arc<[Field]>,
    /// Its place in the order of assertion; a modified fact gets a new one.
    pub index: u64,
    /// The lower half of the index at which it was asserted first: what tells its address from
    /// those of facts that had the place before.
    pub stamp: u32,
    /// Whether it is there: not so while it is being retracted.
    pub live: bool,
    /// The facts before and after it, by index.
    pub previous: u32,
    pub next: u32,
    /// The same among the facts of its template.
    pub previous_alike: u32,
    pub next_alike: u32,
    /// The next fact with the same digest, and the digest.
    pub same: u32,
    pub digest: u64,
    /// Its matches with patterns, the newest first.
    pub matches: u32,
    /// The matches that it depends on; without any it stays by itself.
    pub supports: u32,
    /// Where it came from.
    pub origin: Origin,
}

impl Fact {
    pub(super) fn id(&self, place: u32) -> FactId {
        FactId { place, stamp: self.stamp }
    }
}

/// What a match is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// The fact it ends with; none for a condition that no fact fulfils.
    pub fact: u32,
    /// A match of the conditions before.
    pub left: u32,
    /// A match of the last condition.
    pub right: u32,
}

/// A match: of one pattern by a fact, or of the conditions of a rule up to one of them. It fills
/// one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Token {
    /// The fact it ends with; none for a condition that no fact fulfils.
    pub fact: u32,
    /// The memory it is in: see `Rulebook::left_memory` and its neighbours.
    pub memory: u32,
    /// The list it is in, if anything looks for it.
    pub group: u32,
    /// Its neighbours in that list. A complete match has those on the agenda.
    pub previous: u32,
    pub next: u32,
    /// What it was made from: a match of the conditions before, and of the last one.
    pub left_parent: u32,
    pub right_parent: u32,
    /// Its neighbours among what was made from the same. A match of a pattern has the next match
    /// of its fact in `next_left`.
    pub previous_left: u32,
    pub next_left: u32,
    pub previous_right: u32,
    pub next_right: u32,
    /// The newest of what was made from it.
    pub children: u32,
    /// What decides about it: a match on the right; for a complete one, that it is on the agenda. A
    /// match of a pattern has the lengths of its stretches here.
    pub marker: u32,
    /// Its neighbours among the matches on the left that the same match on the right decides
    /// about. Their list begins with the one on the right. A complete match, which nothing decides
    /// about, has its stamp in `next_blocked`.
    pub previous_blocked: u32,
    pub next_blocked: u32,
    /// The facts that depend on it.
    pub supports: u32,
}

impl Token {
    pub(super) const EMPTY: Token = Token {
        fact: NONE,
        memory: NONE,
        group: NONE,
        previous: NONE,
        next: NONE,
        left_parent: NONE,
        right_parent: NONE,
        previous_left: NONE,
        next_left: NONE,
        previous_right: NONE,
        next_right: NONE,
        children: NONE,
        marker: NONE,
        previous_blocked: NONE,
        next_blocked: NONE,
        supports: NONE,
    };
}

/// That a fact depends on a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Support {
    pub fact: u32,
    pub token: u32,
    pub previous_of_fact: u32,
    pub next_of_fact: u32,
    pub previous_of_token: u32,
    pub next_of_token: u32,
}

/// The lengths of the stretches of a match.
#[derive(Clone, Debug)]
pub(crate) struct Lengths(pub Arc<[u32]>, pub u32);

impl Record for Fact {
    fn vacant(next: u32) -> Fact {
        Fact {
            template: TemplateId(NONE),
            fields: Arc::default(),
            index: 0,
            stamp: 0,
            live: false,
            previous: NONE,
            next,
            previous_alike: NONE,
            next_alike: NONE,
            same: NONE,
            digest: 0,
            matches: NONE,
            supports: NONE,
            origin: Origin::Outside(None),
        }
    }

    fn next_vacant(&self) -> u32 {
        self.next
    }
}

impl Record for Token {
    fn vacant(next: u32) -> Token {
        Token { next, ..Token::EMPTY }
    }

    fn next_vacant(&self) -> u32 {
        self.next
    }
}

impl Record for Support {
    fn vacant(next: u32) -> Support {
        Support {
            fact: NONE,
            token: NONE,
            previous_of_fact: NONE,
            next_of_fact: next,
            previous_of_token: NONE,
            next_of_token: NONE,
        }
    }

    fn next_vacant(&self) -> u32 {
        self.next_of_fact
    }
}

impl Record for Lengths {
    fn vacant(next: u32) -> Lengths {
        Lengths(Arc::default(), next)
    }

    fn next_vacant(&self) -> u32 {
        self.1
    }
}
