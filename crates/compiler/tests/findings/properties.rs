//! What holds for every graph: an answer, the same each time, about places that exist.

use diagnostics::Source;
use graph::Graph;
use proptest::prelude::*;
use value::{Value, json};

fn read(document: &Value) -> Option<Graph> {
    let source = Source::new("any.json", json::compact(document));
    let mut reading = frontends::document::read(&source);
    Some(graph::normalize(reading.draft?, &mut reading.findings))
}

/// Another value at some place of a document.
fn broken(document: &Value, random: &mut sim::Random, depth: usize) -> Value {
    let odd = [
        Value::Null,
        Value::Bool(true),
        Value::Int(-1),
        Value::text("n1"),
        Value::text("step_0"),
        Value::list([]),
        Value::map([("x", Value::Null)]),
    ];
    match document {
        Value::Map(map) if !map.is_empty() && depth > 0 => {
            let chosen = random.below(map.len());
            let members = map.iter().enumerate().filter_map(|(at, (key, value))| {
                if at != chosen {
                    return Some((key.clone(), value.clone()));
                }
                (!random.clone().one_in(12))
                    .then(|| (key.clone(), broken(value, random, depth - 1)))
            });
            Value::Map(std::sync::Arc::new(members.collect()))
        }
        Value::List(items) if !items.is_empty() && depth > 0 => {
            let chosen = random.below(items.len());
            let items = items.iter().enumerate().map(|(at, item)| {
                if at == chosen { broken(item, random, depth - 1) } else { item.clone() }
            });
            Value::list(items)
        }
        _ => random.pick(&odd).clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_graph_has_one_answer(seed in any::<u64>(), nodes in 1usize..300) {
        let graph = read(&sim::document(seed, nodes)).expect("sim's documents can be read");
        let found = compiler::analyse(&graph);
        prop_assert_eq!(&found, &compiler::analyse(&graph));
        for finding in &found {
            prop_assert!(finding.code.id.starts_with("A1"));
            prop_assert!(!finding.message.ends_with('.'));
            prop_assert!(finding.help.is_some());
            prop_assert!(finding.path.len() <= 30);
        }
    }

    #[test]
    fn a_broken_graph_has_an_answer_too(seed in any::<u64>(), nodes in 1usize..60, breaks in 1usize..8) {
        let mut random = sim::Random::new(seed);
        let mut document = sim::document(seed, nodes);
        for _ in 0..breaks {
            document = broken(&document, &mut random, 6);
        }
        if let Some(graph) = read(&document) {
            prop_assert_eq!(compiler::analyse(&graph), compiler::analyse(&graph));
        }
    }
}
