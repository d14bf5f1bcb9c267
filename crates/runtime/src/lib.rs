//! Decides what a run does next. No clock, no I/O, no randomness: they arrive as inputs.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod advance;
mod answer;
mod apply;
mod approval;
mod blocks;
mod call;
mod change;
mod compare;
mod decide;
mod difference;
mod doubt;
mod fault;
mod filter;
mod fits;
mod fold;
mod fork;
mod frame;
mod input;
mod kept;
mod logic;
mod migrate;
mod money;
mod open;
mod options;
mod plan;
mod record;
mod recorded;
mod reduce;
mod request;
mod run;
pub mod schema;
mod step;
pub mod stores;
mod talk;
mod trace;
mod transact;
mod why;

pub use advance::{Advanced, HasRoom, advance, advance_for, note, rest};
pub use approval::{APPROVE, DENY, PATIENCE_MS, PolicyChange, Ruled, Ruling};
pub use blocks::may_tell_of_block;
pub use call::{
    Answer, CallId, ModelAnswer, ModelCall, Offered, Pending, Question, Reply, Request, Said,
    Stage, ToolCall, ToolUse,
};
pub use compare::{Cause, Comparison, Effect, Effects, Parted, Paths, States, Story, compare};
pub use decide::not_granted;
pub use difference::Difference;
pub use doubt::Happened;
pub use fault::{FAULTS, Fault, FaultKind};
pub use fold::{Fold, NoLogic, split};
pub use input::{Begin, Input, Refusal, Told};
pub use logic::{Block, BlockStore, Done, Given, Logic, StoreAct};
pub use migrate::{Incompatible, Kept, migrate};
pub use money::Money;
pub use options::{Limits, Offer, Options, Replay, ToolContract};
pub use plan::{Edition, Plan, Unrunnable};
pub use record::idempotency_key;
pub use reduce::Reducer;
pub use run::{Failure, Run, Status, Usage};
pub use trace::{
    Answered, Approval, Branch, By, Clause, Decided, Joined, Seen, Step, StepKind, trace,
    trace_rest,
};
pub use why::{Decision, NotTaken, Trail, Why};
