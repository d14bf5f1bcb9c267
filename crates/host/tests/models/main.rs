//! Models that need no network.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cassettes;
mod question;
mod scripts;
mod stubs;
