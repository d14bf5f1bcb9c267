//! The sentences of `docs/running.md`, one case or more for each. `UPDATE=1 cargo test -p
//! quipu-sim --test running` writes what the naive interpreter makes of them; the difference is
//! to be read against the page.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use sim::engine::cases::{Case, cases, with_outcomes};
use sim::engine::{Outcome, driven, naive};

/// The only place that knows how a case is run.
fn run(case: &Case) -> Outcome {
    naive::run(&case.graph, &case.inputs, &mut case.world.clone(), &case.limits)
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/running");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = entries.collect();
    pages.sort();
    pages
}

#[test]
fn every_case_comes_to_what_is_written() {
    let mut different = String::new();
    let mut count = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let cases = cases(&page).unwrap();
        count += cases.len();
        let outcomes: Vec<Outcome> = cases.iter().map(run).collect();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, with_outcomes(&page, &outcomes)).unwrap();
            continue;
        }
        for (case, outcome) in cases.iter().zip(&outcomes) {
            let (name, wanted) = (&case.name, &case.outcome);
            if *wanted != outcome.to_string() {
                different.push_str(&format!("{name}: expected\n{wanted}came to\n{outcome}\n"));
            }
            let driven = driven::run(&case.graph, &case.inputs, &case.world, &case.limits);
            if *wanted != driven.to_string() {
                different.push_str(&format!("{name}: expected\n{wanted}driven to\n{driven}\n"));
            }
        }
    }
    assert!(different.is_empty(), "{different}");
    assert!(count >= 60, "only {count} cases were found");
}
