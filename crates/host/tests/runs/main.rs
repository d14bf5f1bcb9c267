//! Whole runs: driven with real blocks and stores, and read again from their histories.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod any_bytes;
mod driven;
mod histories;
mod people;
mod policies;
mod shelves;
mod stopping;
