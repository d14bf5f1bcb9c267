//! Runs graphs: asks the core what to do next, and does it. No decision about where a run goes is
//! made here.

mod adapter;
mod logic;
pub mod config;
mod dispatch;
pub mod models;
mod registry;
pub mod tools;

pub use self::logic::{LogicLimits, Python};
pub use adapter::{Adapter, Call, Calling, Contract};
pub use dispatch::{Called, Dispatcher, Limits};
pub use registry::{Registry, Unbound};
