//! What runs tell of themselves: drives them by hand, and reads them again from their events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budgets;
mod compare;
mod contracts;
mod driving;
mod forks;
mod injected;
mod injections;
mod migrate;
mod patience;
mod protocols;
mod retries;
mod shelves;
mod strange;
mod talks;
mod tokens;
mod trace;
mod why;
