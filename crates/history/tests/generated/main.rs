//! What holds for every event and every value, checked on generated ones. A failing case is one
//! number.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod histories;
mod invariants;
