//! Tools as a run meets them: real programs, well-behaved and hostile, and those that are built in.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod builtin;
mod checked;
mod composite;
mod dispatch;
mod executables;
mod files;
mod hostile;
mod registry;
mod schemas;
mod scratch;
mod secrets;
mod shell;
