//! What is known about a block.

use std::ops::Range;

use ruff_text_size::{Ranged, TextRange};
use value::Text;

/// What a block does, as far as its text tells. Each key and name stands once, in the order
/// of its first appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Every key of `state.data` it may read.
    pub reads: Vec<Text>,
    /// The keys it cannot do without: it would stop with a `KeyError`.
    pub needs: Vec<Need>,
    /// Every key of `state.data` it may set, change or remove.
    pub writes: Vec<Text>,
    /// It looks at `state.data` as a whole, or at a key that is computed.
    pub reads_all: bool,
    /// It may write keys that are not in `writes`: a key is computed, or `state` is given to
    /// something that is not understood.
    pub inexact: bool,
    /// It has a `return` of its own, which also skips what else its step would do.
    pub returns_early: bool,
    /// The stores it uses: `state.<name>.read(..)` and `state.<name>.write(..)`.
    pub stores: Vec<(Text, Access)>,
    /// Names that neither the block nor the interpreter defines.
    pub outside: Vec<Outside>,
    /// Modules of [`crate::IMPLIED_MODULES`] that it uses without importing them.
    pub implied: Vec<Text>,
    /// What is wrong with it, in the order of the text.
    pub problems: Vec<Problem>,
}

/// The key that ends the run when it is set to something true.
pub const DONE: &str = "_done";

impl Block {
    /// Whether it may end the run, by setting `_done`.
    pub fn may_end(&self) -> bool {
        self.writes.iter().any(|key| &**key == DONE)
    }
}

/// A key that must be there.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The key.
    pub key: Text,
    /// The first place that needs it, in bytes of the code.
    pub range: Range<usize>,
    /// Whether every run of the block comes to that place.
    pub always: bool,
}

/// How a store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `state.<name>.read(..)`
    Read,
    /// `state.<name>.write(..)`
    Write,
}

/// A name that someone else must provide.
#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    /// The name.
    pub name: Text,
    /// Its first place, in bytes of the code.
    pub range: Range<usize>,
    /// Whether it is called somewhere; otherwise it is only mentioned.
    pub called: bool,
}

/// Something wrong with the code.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where, in bytes of the code.
    pub range: Range<usize>,
    /// What sort of problem.
    pub kind: ProblemKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Sorts of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// It is not Python.
    Syntax,
    /// It is Python, but the interpreter of the blocks does not run it.
    Unsupported,
}

/// From places in the parsed text to places in the code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    /// How many bytes stand before the code.
    pub(crate) shift: usize,
    /// How many bytes the code has.
    pub(crate) end: usize,
}

impl Offsets {
    pub(crate) fn of(self, node: &impl Ranged) -> Range<usize> {
        self.range(node.range())
    }

    pub(crate) fn range(self, range: TextRange) -> Range<usize> {
        let place = |offset: usize| offset.saturating_sub(self.shift).min(self.end);
        place(range.start().to_usize())..place(range.end().to_usize())
    }
}
