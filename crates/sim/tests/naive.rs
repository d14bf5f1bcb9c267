//! What holds for the naive interpreter on every seed.

use std::collections::BTreeMap;

use sim::engine::{Limits, Status, World, graphs, naive};

const SEEDS: u64 = 1_000;

#[test]
fn every_run_ends_and_ends_the_same_way_again() {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let (mut longest, mut asked) = (0, 0);
    for seed in 0..SEEDS {
        let graph = graphs::graph(seed, 10 + (seed % 40) as usize);
        let inputs = graphs::inputs(seed);
        let limits = Limits::default();
        let once = naive::run(&graph, &inputs, &mut World::seeded(seed), &limits);
        let again = naive::run(&graph, &inputs, &mut World::seeded(seed), &limits);
        assert_eq!(once, again, "seed {seed}");
        assert!(once.path.len() <= limits.visits, "seed {seed}");
        longest = longest.max(once.path.len());
        asked += once.effects.len();
        let end = match &once.status {
            Status::Done(_) => "done".to_string(),
            Status::Failed(code) => code.to_string(),
        };
        *ends.entry(end).or_default() += 1;
    }
    println!("{ends:?}, the longest path {longest}, {asked} effects");
    // A generator that nearly always fails at once, or that never meets a limit, tests little.
    assert!(ends["done"] > SEEDS as usize / 4, "{ends:?}");
    for code in ["visits_exceeded", "tool", "schema", "boom", "branches", "expired", "function"] {
        assert!(ends.get(code).is_some_and(|count| *count > 0), "{code}: {ends:?}");
    }
    assert!(!ends.contains_key("steps_exceeded"), "{ends:?}");
}
