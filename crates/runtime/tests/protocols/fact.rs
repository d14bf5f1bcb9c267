//! Statements, found by patterns.

use proptest::prelude::*;
use value::json::parse;
use value::{Value, json};

use crate::{NOW, ask, of, refusal, write};

#[test]
fn facts_are_asserted_matched_and_retracted() {
    let mut facts = of("fact");
    write(&mut facts, r#"{"is": "parent", "of": "bo", "who": "ana"}"#);
    write(&mut facts, r#"{"who": "ana", "is": "parent", "of": "bo"}"#);
    write(
        &mut facts,
        r#"[{"is": "parent", "of": "cy", "who": "bo"}, {"is": "parent", "of": "bo", "who": "bo"}]"#,
    );
    assert_eq!(ask(&mut facts, r#"{"who": "ana"}"#), r#"[{"who":"ana","is":"parent","of":"bo"}]"#);
    assert_eq!(
        ask(&mut facts, r#"{"who": "?x", "of": "?x"}"#),
        r#"[{"is":"parent","of":"bo","who":"bo"}]"#
    );
    assert_eq!(ask(&mut facts, r#"{"none": "?x"}"#), "[]");
    write(&mut facts, r#"{"retract": {"is": "parent", "of": "bo", "who": "bo"}}"#);
    let grand = r#"{"match": [{"who": "?a", "of": "?b"}, {"who": "?b", "of": "?c"}]}"#;
    assert_eq!(ask(&mut facts, grand), r#"[{"a":"ana","b":"bo","c":"cy"}]"#);
    let names = r#"{"match": [{"is": "parent", "who": "?a"}], "limit": 1}"#;
    assert_eq!(ask(&mut facts, names), r#"[{"a":"ana"}]"#);
    assert_eq!(refusal(&mut facts, r#""text""#), "text is no fact: write an object");
}

#[test]
fn too_much_is_refused_and_not_waited_for() {
    let mut facts = of("fact");
    let all: Vec<Value> = (0..500).map(|n| Value::map([("n", Value::Int(n))])).collect();
    facts.write(None, Value::list(all), NOW).unwrap();
    let query = r#"{"match": [{"n": "?a"}, {"n": "?b"}, {"n": "?c"}]}"#;
    assert!(ask(&mut facts, query).starts_with("the patterns take more than 2000000 comparisons"));
}

proptest! {
    /// Two patterns together are all pairs of facts that agree.
    #[test]
    fn a_join_is_every_pair_that_agrees(facts in prop::collection::vec((0_i64..4, 0_i64..4), 0..10)) {
        let mut store = of("fact");
        for (a, b) in &facts {
            write(&mut store, &format!(r#"{{"a": {a}, "b": {b}}}"#));
        }
        let query = r#"{"match": [{"a": "?x", "b": "?y"}, {"a": "?y", "b": "?z"}]}"#;
        let found = store.read(Some(&parse(query).unwrap()), NOW).unwrap();
        let mut found: Vec<String> = found.as_list().unwrap().iter().map(json::canonical).collect();
        let pairs = facts.iter().flat_map(|one| facts.iter().map(move |other| (one, other)));
        let mut wanted: Vec<String> = pairs
            .filter(|(one, other)| one.1 == other.0)
            .map(|(one, other)| format!(r#"{{"x":{},"y":{},"z":{}}}"#, one.0, one.1, other.1))
            .collect();
        wanted.sort();
        wanted.dedup();
        found.sort();
        prop_assert_eq!(found, wanted);
    }
}
