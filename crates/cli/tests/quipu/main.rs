//! Drives the binary as a user would.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ainl;
mod ainl_runs;
mod any_text;
mod bad_input;
mod check;
mod codes;
mod compile;
mod console;
mod contracts;
mod convert;
mod diff;
mod documents;
mod elsewhere;
mod fix;
mod functions;
mod history;
mod meaning;
mod mermaid;
mod new;
mod ontology;
mod policies;
mod query;
mod readme;
mod rewrite;
mod rules;
mod run;
mod running;
mod security;
mod spans;
mod told;
mod traces;
