//! Forks of runs and what becomes of their resources: folders, plans, merges, names.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod folder;
mod scratch;
