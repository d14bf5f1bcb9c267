//! Seeds, checked one after the other, and what is made of one that fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use graph::Graph;
use value::Map;

use super::oracles::{Subject, check};
use super::shrink::{Case, shrink_seed};
use super::{graphs, read};

/// How large the graph of a seed is. Small ones find most, and sooner.
pub fn size_of(seed: u64) -> usize {
    3 + usize::try_from(seed % 24).expect("it is small")
}

/// What does not hold for a seed.
pub fn failure(seed: u64) -> Option<String> {
    let graph = graphs::graph(seed, size_of(seed));
    failure_of(&graph, &graphs::inputs(seed), seed)
}

/// What does not hold for a case.
pub fn failure_of_case(case: &Case, seed: u64) -> Option<String> {
    match read(&case.document) {
        Ok(graph) => failure_of(&graph, &case.inputs, seed),
        Err(why) => Some(format!("it is no graph: {why}")),
    }
}

fn failure_of(graph: &Graph, inputs: &Map, seed: u64) -> Option<String> {
    // A mistake that the engine notices itself is a failure of the seed like any other.
    let checked = catch_unwind(AssertUnwindSafe(|| check(&Subject { graph, inputs, seed })));
    match checked {
        Ok(held) => held.err(),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Some(format!("panic: {}", said.unwrap_or_default()))
        }
    }
}

/// The smallest case in which the same does not hold.
pub fn smallest(seed: u64, failure: &str) -> Case {
    let oracle = oracle_of(failure);
    shrink_seed(seed, size_of(seed), &|graph, inputs| {
        failure_of(graph, inputs, seed).is_some_and(|why| oracle_of(&why) == oracle)
    })
}

/// What was checked when it failed.
pub fn oracle_of(failure: &str) -> &str {
    failure.split_once(':').map_or(failure, |(oracle, _)| oracle)
}
