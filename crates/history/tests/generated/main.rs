//! What holds for every event and every value, checked on generated ones. A failing case is one
//! number.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod canonical;
mod histories;
mod invariants;
mod writing;

/// More of them when there is time.
fn cases(usual: u32) -> u32 {
    if std::env::var_os("QUIPU_SLOW").is_some() { 10 * usual } else { usual }
}
