//! Runs graphs: asks the core what to do next, and does it. No decision about where a run goes is
//! made here.

mod adapter;
mod adapters;
mod answered;
mod begun;
mod capabilities;
pub mod config;
mod dispatch;
mod drive;
pub mod http;
mod load;
mod logic;
pub mod mcp;
pub mod models;
pub mod otlp;
pub mod pinned;
pub mod policy;
mod questions;
mod registry;
pub mod secrets;
mod shelved;
pub mod tools;

pub use self::logic::{LogicLimits, Python};
pub use adapter::{Adapter, Bound, Call, Calling, Contract, Described};
pub use adapters::Adapters;
pub use begun::begun_here;
pub use capabilities::{Capabilities, Who};
pub use dispatch::{Called, Dispatcher, Limits, Room};
pub use drive::{DriveError, Driver, People, Reply, Rules, Stopped, Withdrawn, World};
pub use load::{LoadError, Loaded, Tell, Told, Traced, load, replay, tell, traced};
pub use models::ModelChoice;
pub use questions::{
    Answered, Open, When, answer_as, answer_question, find_questions, give, open_questions,
};
pub use registry::{Registry, Unbound};
pub use shelved::{Folder, FolderLimits, Shelved};
use value::{Map, Value};

/// What runs are made with, as their first event records it. The meaning of a history depends on
/// nothing else.
///
/// Engine 2 has the protocols of stores; what the first one began goes on without them. Engine 3
/// runs by the third edition of `docs/running.md`, what older ones began by the second; it
/// also keeps caches, queues and memory beyond the run, which ended with it before.
pub fn versions() -> Map {
    let versions = [("engine", Value::Int(3)), ("python", "monty 0.0.23".into())];
    versions.map(|(name, value)| (name.into(), value)).into_iter().collect()
}
