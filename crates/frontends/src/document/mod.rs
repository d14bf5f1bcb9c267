//! The graph as a JSON document: Agent Graph v1 with the top level of the AINL IR.

mod members;
mod read;
mod write;

pub use read::read;
pub use write::{edge, emit_edge, endpoint, exit, node, write};
