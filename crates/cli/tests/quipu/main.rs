//! Drives the binary as a user would.

mod any_text;
mod bad_input;
mod check;
mod codes;
mod compile;
mod diff;
mod documents;
mod mermaid;
mod query;
mod rewrite;
mod run;
