//! Histories out, in, verified and cleaned, on every backend.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod causes;
mod cleaning;
mod damage;
mod mangled;
mod order;
mod refusals;
mod round;
mod shelf;
mod strict;
