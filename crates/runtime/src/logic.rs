//! What the core asks of the interpreter of `logic:` blocks.
//!
//! A block touches nothing: its answer follows from what it is given, so that it is not stored
//! but computed again. The interpreter itself lives in the shell.

use history::Timestamp;
use value::{Map, Text, Value};

use crate::Fault;
use crate::stores::StoreKind;

/// A block of Python, as the plan knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its number in the plan: the same text has the same number.
    pub number: u32,
    /// The body of a function of `state`.
    pub code: Text,
    /// The stores it can reach as `state.<name>`.
    pub stores: Vec<(Text, StoreKind)>,
}

/// What a block is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// `state.data`: the names that it can read, or all where that cannot be known.
    pub data: Map,
    /// What is in each of its stores, in the block's order.
    pub stores: Vec<Value>,
    /// What the clock says, should it look.
    pub now: Timestamp,
    /// Which run of a block this is in the run's lineage, from 1 on.
    pub nth: u64,
}

/// What a block did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// The names it changed, with their values, in the order of `state.data`.
    pub set: Vec<(Text, Value)>,
    /// The names it took away.
    pub removed: Vec<Text>,
    /// What it wrote to stores, in order: which, under which key, what.
    pub written: Vec<(Text, Option<Text>, Value)>,
    /// Whether it returned before its end.
    pub returned: bool,
    /// What it printed, cut to a bound.
    pub printed: String,
    /// Whether it looked at the clock.
    pub looked_at_clock: bool,
}

/// Runs blocks.
pub trait Logic {
    /// Runs one. The same block, given the same, does the same, unless it meets a limit.
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault>;
}
