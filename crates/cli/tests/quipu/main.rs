//! Drives the binary as a user would.

mod codes;
mod run;
