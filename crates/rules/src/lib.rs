//! Rules: facts, patterns, and what follows from them, with the meaning CLIPS 6.4 gives to them.
//!
//! Nothing here calls anything: no clock, no I/O, no randomness. A rule changes facts, and prints
//! to a log that its caller reads.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod arena;
mod buckets;
pub mod check;
mod code;
pub mod explain;
pub mod feeds;
mod field;
mod functions;
mod memory;
mod network;
pub mod program;
pub mod read;
mod rulebook;
pub mod state;
mod syntax;

pub use code::Fault;
pub use field::{FactId, Field, Name};
pub use memory::{Activated, Diff, FactRef, Limits, Memory, Origin, Provenance, Stop};
pub use rulebook::Rulebook;

/// What `benches/arena.rs` measures beside a `Vec`: a bench sees only what is public.
#[doc(hidden)]
pub mod measured {
    pub use crate::arena::{Arena, Record};
    pub use crate::buckets::Buckets;
}
