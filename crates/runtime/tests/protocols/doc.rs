//! Documents by id, found by their fields.

use crate::{NOW, ask, of, refusal, write};

#[test]
fn documents_are_put_got_found_and_removed() {
    let mut docs = of("doc");
    write(&mut docs, r#"{"id": "a", "n": 2, "open": true}"#);
    write(&mut docs, r#"[{"id": 7, "n": 1, "open": true}, {"id": "c", "n": 3}]"#);
    docs.write(Some("d"), value::json::parse(r#"{"id": "x", "n": 1}"#).unwrap(), NOW).unwrap();
    assert_eq!(ask(&mut docs, r#""a""#), r#"{"id":"a","n":2,"open":true}"#);
    assert_eq!(ask(&mut docs, "7"), r#"{"id":"7","n":1,"open":true}"#);
    assert_eq!(ask(&mut docs, r#"{"id": "d"}"#), r#"{"id":"d","n":1}"#);
    assert_eq!(ask(&mut docs, r#""x""#), "null");
    let found = r#"[{"id":"7","n":1,"open":true},{"id":"a","n":2,"open":true}]"#;
    assert_eq!(ask(&mut docs, r#"{"where": {"open": true}, "order_by": "n"}"#), found);
    assert_eq!(
        ask(&mut docs, r#"{"open": true, "n": [1, 5]}"#),
        r#"[{"id":"7","n":1,"open":true}]"#
    );
    let last = r#"{"order_by": "n", "descending": true, "skip": 1, "limit": 1}"#;
    assert_eq!(ask(&mut docs, last), r#"[{"id":"a","n":2,"open":true}]"#);
    // A field that must be null may be missing.
    assert_eq!(ask(&mut docs, r#"{"open": null, "n": 3}"#), r#"[{"id":"c","n":3}]"#);
    write(&mut docs, r#"{"id": "a", "n": 0}"#);
    write(&mut docs, r#"{"remove": [7, "c"]}"#);
    assert_eq!(ask(&mut docs, "{}"), r#"[{"id":"a","n":0},{"id":"d","n":1}]"#);
}

#[test]
fn the_same_words_without_an_id_are_one_document() {
    let mut docs = of("doc");
    write(&mut docs, r#"{"a": 1, "b": 2}"#);
    write(&mut docs, r#"{"b": 2, "a": 1.0}"#);
    write(&mut docs, r#"{"a": 2}"#);
    assert_eq!(docs.to_value().as_list().unwrap().len(), 2);
    assert_eq!(refusal(&mut docs, "1"), "a number is no document: write an object");
    let why = "what is removed is named by its id, not by an object";
    assert_eq!(refusal(&mut docs, r#"{"remove": {"a": 2}}"#), why);
}
