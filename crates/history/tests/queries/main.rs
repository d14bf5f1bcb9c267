//! What follows from histories, and what can be asked of them. The histories are written by
//! hand, one event on a line, or come from a seed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod edges;
mod generated;
mod projection;
mod shelf;
mod spans;
mod worlds;
