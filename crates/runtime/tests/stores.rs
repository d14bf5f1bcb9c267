//! What stores and channels do with what is written to them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use history::Timestamp;
use proptest::prelude::*;
use runtime::FaultKind;
use runtime::stores::{Channel, Contents, FOUND_MAX, StoreKind};
use value::Value;
use value::json::{compact, parse};

const NOW: Timestamp = Timestamp::EPOCH;

fn filled(store_type: &str, written: &[(Option<&str>, &str)]) -> Contents {
    let mut contents = Contents::new(StoreKind::of(store_type));
    for (key, value) in written {
        contents.write(*key, parse(value).unwrap(), NOW).unwrap();
    }
    contents
}

fn read(contents: &mut Contents, key: &str) -> String {
    let key = (!key.is_empty()).then(|| parse(key).unwrap());
    compact(&contents.read(key.as_ref(), NOW).unwrap())
}

#[test]
fn a_store_by_key_merges_what_is_written() {
    for store_type in ["kv", "blackboard"] {
        let mut store = filled(
            store_type,
            &[(None, r#"{"a": 1, "b": 1}"#), (Some("a"), "[2]"), (None, r#"{"c": 3}"#)],
        );
        assert_eq!(read(&mut store, ""), r#"{"a":[2],"b":1,"c":3}"#);
        assert_eq!(read(&mut store, "\"a\""), "[2]");
        assert_eq!(read(&mut store, "\"z\""), "null");
        store.write(Some("7"), Value::Null, NOW).unwrap();
        assert_eq!(read(&mut store, "7"), "null");
        let fault = store.write(None, "text".into(), NOW).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Store);
        assert_eq!(&*fault.message, "text needs a key to be kept under");
    }
}

#[test]
fn a_queue_gives_each_value_once() {
    let mut queue = filled("queue", &[(None, "1"), (Some("ignored"), "[2]")]);
    let fork = queue.clone();
    assert_eq!(read(&mut queue, ""), "1");
    assert_eq!(read(&mut queue, "\"key\""), "[2]");
    assert_eq!(read(&mut queue, ""), "null");
    assert_eq!(compact(&fork.to_value()), "[1,[2]]");
}

#[test]
fn a_file_gives_everything() {
    let mut file = filled("file", &[(None, "\"one\""), (None, r#"{"two": 2}"#)]);
    assert_eq!(read(&mut file, ""), r#"["one",{"two":2}]"#);
    assert_eq!(read(&mut file, "\"one\""), r#"["one",{"two":2}]"#);
}

#[test]
fn rows_are_found_by_their_members() {
    let rows = r#"[{"id": 2, "at": "b"}, {"id": 3, "at": "a"}]"#;
    let mut table = filled("relational", &[(None, r#"{"id": 1, "at": "a"}"#), (None, rows)]);
    assert_eq!(read(&mut table, r#"{"at": "a"}"#), r#"[{"id":1,"at":"a"},{"id":3,"at":"a"}]"#);
    assert_eq!(read(&mut table, r#"{"at": "a", "id": 3.0}"#), r#"[{"id":3,"at":"a"}]"#);
    assert_eq!(read(&mut table, r#"{"no": null}"#), "[]");
    assert_eq!(read(&mut table, "\"b\""), r#"[{"id":2,"at":"b"}]"#);
    assert_eq!(table.read(None, NOW).unwrap().as_list().unwrap().len(), 3);
    for bad in ["1", "[{}, 2]"] {
        let fault = table.write(None, parse(bad).unwrap(), NOW).unwrap_err();
        assert_eq!(&*fault.message, "a number is no row");
    }
    assert_eq!(table.read(None, NOW).unwrap().as_list().unwrap().len(), 3);
}

#[test]
fn items_are_found_by_words() {
    let texts = ["Quick fox", "slow dog", "a quick brown dog", "cat"];
    let mut items = Contents::new(StoreKind::of("knowledge_graph"));
    for text in texts {
        items.write(None, Value::map([("text", Value::from(text))]), NOW).unwrap();
    }
    let found = |items: &mut Contents, text: &str| {
        let found = items.read(Some(&text.into()), NOW).unwrap();
        let texts = found.as_list().unwrap().iter().map(|item| compact(item.get("text").unwrap()));
        texts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(&mut items, "QUICK dog?"), r#""a quick brown dog" "Quick fox" "slow dog""#);
    assert_eq!(found(&mut items, "bird"), "");
    assert_eq!(found(&mut items, ""), "");
    assert_eq!(items.read(None, NOW).unwrap().as_list().unwrap().len(), 4);
    for _ in 0..10 {
        items.write(None, "dog".into(), NOW).unwrap();
    }
    let found = items.read(Some(&"dog".into()), NOW).unwrap();
    assert_eq!(found.as_list().unwrap().len(), FOUND_MAX);
}

fn channel(members: &[(&str, &str)]) -> Channel {
    Channel::new(&Value::map(members.iter().map(|(name, value)| (*name, Value::from(*value)))))
}

fn after(channel: &mut Channel, messages: &[&str]) -> String {
    for message in messages {
        channel.publish(parse(message).unwrap()).unwrap();
    }
    compact(&channel.receive())
}

#[test]
fn a_topic_shows_what_it_keeps() {
    let a_b = &[r#"{"x": 1, "y": 1}"#, r#"{"x": 2}"#][..];
    for (retention, reducer, shown, again) in [
        ("all", "append", r#"[{"x":1,"y":1},{"x":2}]"#, r#"[{"x":1,"y":1},{"x":2}]"#),
        ("all", "custom", r#"[{"x":1,"y":1},{"x":2}]"#, r#"[{"x":1,"y":1},{"x":2}]"#),
        ("all", "replace", r#"{"x":2}"#, r#"{"x":2}"#),
        ("all", "merge", r#"{"x":2,"y":1}"#, r#"{"x":2,"y":1}"#),
        ("last", "append", r#"[{"x":2}]"#, r#"[{"x":2}]"#),
        ("last", "merge", r#"{"x":2}"#, r#"{"x":2}"#),
        ("none", "append", r#"[{"x":1,"y":1},{"x":2}]"#, "[]"),
        ("none", "replace", r#"{"x":2}"#, "null"),
        ("windowed", "merge", r#"{"x":2,"y":1}"#, r#"{"x":2,"y":1}"#),
    ] {
        for kind in ["topic", "broadcast"] {
            let declared = [("channel_type", kind), ("retention", retention), ("reducer", reducer)];
            let mut channel = channel(&declared);
            assert_eq!(after(&mut channel, a_b), shown, "{declared:?}");
            assert_eq!(compact(&channel.receive()), again, "{declared:?}");
        }
    }
    let mut merging = channel(&[("reducer", "merge")]);
    assert_eq!(merging.publish(1.into()).unwrap_err().kind, FaultKind::Store);
}

#[test]
fn a_buffer_has_an_end() {
    let windowed = parse(r#"{"retention": "windowed", "buffer_size": 2}"#).unwrap();
    assert_eq!(after(&mut Channel::new(&windowed), &["1", "2", "3"]), "[2,3]");
    let mut long = channel(&[("retention", "windowed")]);
    (0..250).for_each(|number| long.publish(number.into()).unwrap());
    assert_eq!(long.receive().as_list().unwrap().len(), 100);
    let topic = parse(r#"{"channel_type": "topic", "buffer_size": 2}"#).unwrap();
    assert_eq!(after(&mut Channel::new(&topic), &["1", "2", "3"]), "[2,3]");
    let queue = parse(r#"{"channel_type": "queue", "buffer_size": 2}"#).unwrap();
    let mut queue = Channel::new(&queue);
    queue.publish(1.into()).unwrap();
    queue.publish(2.into()).unwrap();
    let fault = queue.publish(3.into()).unwrap_err();
    assert_eq!(&*fault.message, "the channel is full: it holds 2 messages");
    assert_eq!(
        [queue.receive(), queue.receive(), queue.receive()],
        [1.into(), 2.into(), Value::Null]
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::Int),
        "[a-c ]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::vec(("[a-c]", inner), 0..3).prop_map(Value::map),
        ]
    })
}

proptest! {
    /// A fork of a store, and a store that was written down, go on like the store itself.
    #[test]
    fn copies_go_on_alike(
        kind in prop::sample::select(vec!["kv", "queue", "file", "relational", "ontology", "vector"]),
        before in prop::collection::vec((prop::option::of("[a-c]"), any_value()), 0..6),
        key in prop::option::of(any_value()),
        after in any_value(),
    ) {
        let mut store = Contents::new(StoreKind::of(kind));
        for (key, value) in before {
            let _ = store.write(key.as_deref(), value, NOW);
        }
        let kept = store.to_value();
        let mut again = Contents::from_value(store.kind(), &kept);
        let fork = store.clone();
        prop_assert_eq!(store.read(key.as_ref(), NOW), again.read(key.as_ref(), NOW));
        let written = store.write(Some("a"), after.clone(), NOW);
        prop_assert_eq!(written, again.write(Some("a"), after, NOW));
        prop_assert_eq!(&store, &again);
        prop_assert_eq!(fork.to_value(), kept);
    }
}
