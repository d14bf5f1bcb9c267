//! What the stores of the five protocols do.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod doc;
mod fact;
mod links;
mod memory;
mod quality;
mod vector;

use history::Timestamp;
use proptest::prelude::*;
use runtime::stores::{Contents, StoreKind};
use value::Value;
use value::json::{compact, parse};

const NOW: Timestamp = Timestamp::EPOCH;

/// A store with this config, which names its protocol.
fn store(config: &str) -> Contents {
    let declared = format!(r#"{{"store_type": "kv", "config": {config}}}"#);
    Contents::new(StoreKind::declared(&parse(&declared).unwrap()))
}

fn of(protocol: &str) -> Contents {
    store(&format!(r#"{{"protocol": "{protocol}"}}"#))
}

fn write(contents: &mut Contents, value: &str) {
    contents.write(None, parse(value).unwrap(), NOW).unwrap();
}

/// What a query is answered, or why not.
fn ask(contents: &mut Contents, query: &str) -> String {
    match contents.read(Some(&parse(query).unwrap()), NOW) {
        Ok(value) => compact(&value),
        Err(fault) => fault.message.to_string(),
    }
}

fn refusal(contents: &mut Contents, value: &str) -> String {
    contents.write(None, parse(value).unwrap(), NOW).unwrap_err().message.to_string()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-3_i64..3).prop_map(Value::Int),
        (-3_i64..3).prop_map(|half| Value::Float(half as f64 / 2.0)),
        "[ab ?]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let name = "id|text|key|node|from|rel|to|nodes|edges|remove|retract|match|where|limit|a";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::vec((name, inner), 0..4).prop_map(Value::map),
        ]
    })
}

proptest! {
    /// Whatever is written and asked, nothing breaks; a store that was written down goes on like
    /// the store itself; and what the edits say is what writing does.
    #[test]
    fn copies_go_on_alike(
        protocol in prop::sample::select(vec!["vector", "graph", "doc", "memory", "fact"]),
        before in prop::collection::vec((prop::option::of("[a-c]"), any_value()), 0..8),
        queries in prop::collection::vec(prop::option::of(any_value()), 1..4),
        after in any_value(),
    ) {
        let mut store = of(protocol);
        let mut edited = of(protocol);
        for (key, value) in before {
            let edits = Contents::edits(store.kind(), key.as_deref(), value.clone(), NOW);
            let written = store.write(key.as_deref(), value, NOW);
            prop_assert_eq!(edits.as_ref().err(), written.as_ref().err());
            edited.make(edits.unwrap_or_default());
            prop_assert_eq!(&store, &edited);
        }
        let fork = store.clone();
        let kept = store.to_value();
        let mut again = Contents::from_value(store.kind(), &kept);
        prop_assert_eq!(&again, &store);
        for query in &queries {
            let answer = store.read(query.as_ref(), NOW);
            prop_assert_eq!(&answer, &again.read(query.as_ref(), NOW));
            prop_assert_eq!(&answer, &edited.read(query.as_ref(), NOW));
        }
        // Reading takes nothing away.
        prop_assert_eq!(&store.to_value(), &kept);
        let written = store.write(None, after.clone(), NOW);
        prop_assert_eq!(written, again.write(None, after, NOW));
        prop_assert_eq!(&store, &again);
        prop_assert_eq!(fork.to_value(), kept);
    }
}

#[test]
fn an_empty_store_answers_everything() {
    for (protocol, query, answer) in [
        ("vector", r#""anything""#, "[]"),
        ("graph", r#""a""#, "[]"),
        ("graph", r#"{"from": "a", "to": "b"}"#, "null"),
        ("graph", r#"{"from": "a", "to": "a"}"#, "[]"),
        ("doc", r#""a""#, "null"),
        ("doc", r#"{"a": 1}"#, "[]"),
        ("memory", r#""anything""#, "[]"),
        ("memory", "{}", "[]"),
        ("fact", r#"{"a": "?x"}"#, "[]"),
        ("fact", r#"{"match": []}"#, "[{}]"),
    ] {
        assert_eq!(ask(&mut of(protocol), query), answer, "{protocol} {query}");
    }
}

#[test]
fn a_query_that_is_no_query_says_what_one_is() {
    for (protocol, query, why) in [
        (
            "vector",
            r#"{"txt": "a"}"#,
            "a query of a vector store has no `txt`: it can have `text`, `top_k`, `filter`, \
             `min_score`",
        ),
        ("vector", "1", "a vector store is asked with a text or an object, not with a number"),
        (
            "vector",
            r#"{"text": "a", "top_k": -1}"#,
            "`top_k` in a query of a vector store is a number, not a whole number from 0 on",
        ),
        (
            "graph",
            "{}",
            "a graph is asked for a `node`, for `edges`, or for the path `from` one `to` another",
        ),
        (
            "graph",
            r#"{"node": "a", "direction": "up"}"#,
            "`direction` is `out`, `in` or `both`, not `up`",
        ),
        ("doc", "[1]", "a doc store is asked with an id or an object, not with a list"),
        (
            "memory",
            r#"{"since": "yesterday"}"#,
            "`since` is a time such as `2026-01-31T12:00:00Z` or a number of seconds, not \
             \"yesterday\"",
        ),
        (
            "fact",
            r#""a""#,
            "a fact store is asked with a pattern, which is an object, not with text",
        ),
        ("fact", r#"{"match": [1]}"#, "`match` is a list of patterns, which are objects"),
    ] {
        assert_eq!(ask(&mut of(protocol), query), why);
    }
}
