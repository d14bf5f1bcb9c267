//! On shelves a store does what it does in a run.

use std::sync::Arc;

use host::Shelved;
use proptest::prelude::*;
use runtime::stores::{Contents, StoreVerb};
use store::{MemoryStore, SqliteStore, Store};
use value::{Map, Value, json};

use crate::{Scratch, answer, args, call, ids, kind, read};

fn shelved(store: &Arc<dyn Store>) -> Shelved {
    Shelved::new(Arc::clone(store), "agent".into())
}

fn write(shelved: &Shelved, config: &str, number: u64, value: &str) -> String {
    answer(shelved, call(kind(config), StoreVerb::Write, args("value", value), number, 1))
}

#[test]
fn what_one_process_writes_the_next_one_finds() {
    let folder = Scratch::new();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path().join("q.db")).unwrap());
    let vector = r#"{"protocol": "vector"}"#;
    let (one, other) = (shelved(&store), shelved(&store));
    let find = |shelved: &Shelved, text: &str| ids(&read(shelved, kind(vector), text));
    assert_eq!(find(&one, r#""cord""#), "");
    write(&one, vector, 1, r#"{"id": "a", "text": "a red cord"}"#);
    assert_eq!(find(&one, r#""cord""#), "a");
    assert_eq!(find(&other, r#""cords""#), "a");
    // Each sees what the other writes, and what it wrote itself.
    write(&other, vector, 2, r#"[{"id": "b", "text": "a blue cord"}, {"remove": "nobody"}]"#);
    write(&one, vector, 3, r#"{"id": "a", "text": "a knot"}"#);
    assert_eq!(find(&one, r#"{"text": "cord", "min_score": 0.1}"#), "b");
    assert_eq!(find(&other, r#"{"text": "knot", "min_score": 0.1}"#), "a");
    write(&one, vector, 4, r#"{"remove": ["a", "b"]}"#);
    assert_eq!(find(&other, r#""knot""#), "");
}

#[test]
fn an_effect_that_is_repeated_counts_once() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let shelved = shelved(&store);
    let vector = r#"{"protocol": "vector"}"#;
    for _ in 0..3 {
        write(&shelved, vector, 1, r#""no id""#);
        assert_eq!(store.shelf_read("agent/s").unwrap().len(), 1);
        assert_eq!(ids(&read(&shelved, kind(vector), r#""id""#)).split(' ').count(), 1);
    }
    let wrong = write(&shelved, r#"{"protocol": "doc"}"#, 2, "1");
    assert_eq!(wrong, "store: a number is no document: write an object");
    let wrong = read(&shelved, kind(vector), "7");
    assert_eq!(wrong, "store: a vector store is asked with a text or an object, not with a number");
}

#[test]
fn memories_are_trimmed_on_the_shelf_too() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let shelved = shelved(&store);
    let memory = r#"{"protocol": "memory", "keep": 2}"#;
    for (number, text) in [(1, "one"), (2, "two"), (3, "three")] {
        write(&shelved, memory, number, &format!(r#""{text}""#));
    }
    assert_eq!(store.shelf_read("agent/s").unwrap().len(), 2);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-3_i64..3).prop_map(Value::Int),
        "[ab ]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let name = "id|text|key|node|from|rel|to|nodes|edges|remove|retract|a";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::vec((name, inner), 0..4).prop_map(Value::map),
        ]
    })
}

proptest! {
    /// A store on a shelf, written to by two processes in turn, is the store of a run.
    #[test]
    fn a_shelf_is_like_a_run(
        protocol in prop::sample::select(vec!["vector", "graph", "doc", "memory", "fact"]),
        writes in prop::collection::vec((any::<bool>(), any::<bool>(), prop::option::of("[ab]"), any_value()), 1..8),
        query in any_value(),
    ) {
        let kind = kind(&format!(r#"{{"protocol": "{protocol}", "limit": 9}}"#).replace(
            r#""vector", "limit": 9"#, r#""vector""#,
        ));
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let both = [shelved(&store), shelved(&store)];
        let mut run = Contents::new(kind);
        for (number, (second, looks, key, value)) in (0..).zip(writes) {
            let shelved = &both[usize::from(second)];
            let key_arg = key.as_deref().map(|key| ("key", Value::from(key)));
            let args: Map = [("value", value.clone())].into_iter().chain(key_arg)
                .map(|(name, value)| (name.into(), value)).collect();
            let written = call(kind, StoreVerb::Write, args, number, number as i64);
            let now = written.now;
            let own = run.write(key.as_deref(), value, now);
            prop_assert_eq!(answer(shelved, written) == "null", own.is_ok());
            if looks {
                let all = call(kind, StoreVerb::ReadAll, Map::default(), 0, 0);
                prop_assert_eq!(json::parse(&answer(shelved, all)).unwrap(), run.to_value());
            }
        }
        let asked = call(kind, StoreVerb::Read, args_of(&query), 0, 100);
        let wanted = match run.read(Some(&query), asked.now) {
            Ok(value) => json::compact(&value),
            Err(fault) => format!("store: {}", fault.message),
        };
        for shelved in &both {
            prop_assert_eq!(&answer(shelved, asked.clone()), &wanted);
        }
    }
}

fn args_of(query: &Value) -> Map {
    [("key".into(), query.clone())].into_iter().collect()
}
