//! Where facts come from.

use std::sync::Arc;

use value::Text;

/// Where a fact came from. It changes nothing about how it is matched.
#[derive(Clone, Debug)]
pub enum Origin {
    /// From outside, with what was said about it.
    Outside(Option<Arc<Provenance>>),
    /// From the program: a reset asserts it.
    Initial,
    /// From a rule, by its position in the program.
    Rule(u32),
}

/// What is known about where a fact from outside came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Which kind of thing said it: `state`, `tool`, `user`, `system`.
    pub origin: Text,
    /// Which one.
    pub source: Text,
    /// In which run.
    pub run: Option<Text>,
    /// At which of its steps.
    pub step: Option<u64>,
    /// How sure it is, from 0 to 1.
    pub confidence: Option<f64>,
    /// When, as its host writes time.
    pub time: Option<Text>,
}
