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
    pub stores: Vec<BlockStore>,
}

/// A store that a block can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockStore {
    /// Its name.
    pub id: Text,
    /// What kind of store it is.
    pub kind: StoreKind,
    /// Whether the block may read it, as far as its text tells.
    pub reads: bool,
}

/// What a block is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// `state.data`: the names that it can read, or all where that cannot be known.
    pub data: Map,
    /// What is in each of its stores, in the block's order; or what reading it comes to.
    pub stores: Vec<Result<Value, Fault>>,
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
    /// What it did to stores, in order.
    pub acted: Vec<StoreAct>,
    /// Whether it returned before its end.
    pub returned: bool,
    /// What it printed, cut to a bound.
    pub printed: String,
    /// Whether it looked at the clock.
    pub looked_at_clock: bool,
}

/// Something that a block did to a store.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreAct {
    /// It wrote.
    Write {
        /// Which store.
        store: Text,
        /// Under which key, if under one.
        key: Option<Text>,
        /// What.
        value: Value,
    },
    /// It took the first item of a queue that had one.
    Take {
        /// Which queue.
        store: Text,
    },
}

impl StoreAct {
    /// The store that it was done to.
    pub fn store(&self) -> &Text {
        match self {
            StoreAct::Write { store, .. } | StoreAct::Take { store } => store,
        }
    }
}

/// Runs blocks.
pub trait Logic {
    /// Runs one. The same block, given the same, does the same, unless it meets a limit.
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault>;

    /// Runs one of which the history tells that it came to its end. It does so again, unless it
    /// is given less time than it was: whoever limits time must have more patience here, or a
    /// slower moment makes a run unreadable.
    fn again(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.run(block, given)
    }

    /// Whether whoever drives the run wants to look up. It is asked after each step, since a block
    /// is one however long it takes; nothing hangs on it but when the run is handed back.
    fn is_enough(&mut self) -> bool {
        false
    }
}
