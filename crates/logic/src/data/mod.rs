//! What a block does with `state.data`, statement by statement, in the order of the text.
//!
//! INVARIANT: [`crate::survey`] has walked the block, so it is not deep and recursion is fine.

mod calls;
mod expressions;
mod guards;
mod keys;
mod places;
mod statements;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;
use value::Text;

use crate::block::{Access, Block, Offsets};
use keys::{Key, Keys};
use places::Places;

/// Fills in what the block reads, needs and writes.
pub(crate) fn read(body: &[Stmt], offsets: Offsets, block: &mut Block) {
    let mut flow = Flow {
        offsets,
        keys: Keys::default(),
        places: Places::default(),
        stores: Vec::new(),
        inexact: false,
        reads_all: false,
        conditional: 0,
        optional: 0,
        may_have_left: false,
    };
    flow.suite(body);
    let Flow { keys, stores, inexact, reads_all, .. } = flow;
    (block.reads, block.writes, block.needs) = keys.finish();
    (block.stores, block.inexact, block.reads_all) = (stores, inexact, reads_all);
}

/// What is known where the walk is.
struct Flow<'a> {
    offsets: Offsets,
    keys: Keys<'a>,
    places: Places<'a>,
    stores: Vec<(Text, Access)>,
    inexact: bool,
    reads_all: bool,
    /// Branches, loops and functions around this place: it may be passed by.
    conditional: usize,
    /// What is around this place and lets a missing key pass.
    optional: usize,
    /// An earlier statement may have left the block.
    may_have_left: bool,
}

impl<'a> Flow<'a> {
    /// `state.data["key"]`, where a missing key is an error.
    fn needed(&mut self, key: Key, at: &impl Ranged) {
        self.keys.read(key);
        // Once anything may have been written, nothing is known to be missing.
        if self.optional == 0 && !self.inexact {
            let always = self.conditional == 0 && !self.may_have_left;
            self.keys.need(key, self.offsets.of(at), always);
        }
    }

    /// Something inside the value of a key is changed; of any key, if it is not known which.
    fn changed(&mut self, key: Option<Key>) {
        match key {
            Some(key) => self.keys.write(key),
            None => self.inexact = true,
        }
    }

    /// `inside` may run or not.
    fn maybe<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.conditional += 1;
        let result = inside(self);
        self.conditional -= 1;
        result
    }

    /// `inside` runs later, if at all, and who knows after what.
    fn later(&mut self, inside: impl FnOnce(&mut Self)) {
        self.optional += 1;
        let may_have_left = self.may_have_left;
        self.maybe(inside);
        self.may_have_left = may_have_left;
        self.optional -= 1;
    }

    /// `inside` runs only where these keys are there.
    fn given<T>(&mut self, keys: &[Key], inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.keys.guards();
        keys.iter().for_each(|key| self.keys.guard(*key));
        let result = inside(self);
        self.keys.release(mark);
        result
    }
}
