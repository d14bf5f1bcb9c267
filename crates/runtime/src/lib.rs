//! Decides what a run does next. No clock, no I/O, no randomness: they arrive as inputs.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod call;
mod fault;
pub mod functions;
mod logic;
mod money;
mod reduce;
pub mod schema;
pub mod stores;

pub use call::{
    Answer, CallId, ModelAnswer, ModelCall, Pending, Question, Request, Stage, ToolCall,
};
pub use fault::{FAULTS, Fault, FaultKind};
pub use logic::{Block, Done, Given, Logic};
pub use money::Money;
pub use reduce::Reducer;
