//! What was remembered, by time, by key or by what it says.

use history::Timestamp;
use runtime::stores::Contents;
use value::Value;
use value::json::parse;

use crate::{of, store};

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

fn remember(memory: &mut Contents, second: i64, value: &str) {
    memory.write(None, parse(value).unwrap(), at(second)).unwrap();
}

/// The texts of what is recalled.
fn recall(memory: &mut Contents, second: i64, query: &str) -> String {
    let query = (!query.is_empty()).then(|| parse(query).unwrap());
    let found = memory.read(query.as_ref(), at(second)).unwrap();
    let texts =
        found.as_list().unwrap().iter().map(|it| it.get("text").unwrap().as_text().unwrap());
    texts.map(|text| &**text).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_newest_come_first() {
    let mut memory = of("memory");
    remember(&mut memory, 1, r#""red cord""#);
    remember(&mut memory, 2, r#"{"text": "blue cord", "key": "ana"}"#);
    memory.write(Some("bo"), "red knot".into(), at(3)).unwrap();
    assert_eq!(recall(&mut memory, 9, ""), "red knot, blue cord, red cord");
    assert_eq!(recall(&mut memory, 9, r#"{"limit": 1}"#), "red knot");
    assert_eq!(recall(&mut memory, 9, r#"{"key": "ana"}"#), "blue cord");
    assert_eq!(recall(&mut memory, 9, r#"{"since": 7}"#), "red knot, blue cord");
    assert_eq!(recall(&mut memory, 9, r#"{"since": "1970-01-01T00:00:03Z"}"#), "red knot");
    assert_eq!(recall(&mut memory, 9, r#""cords""#), "red cord, blue cord");
    assert_eq!(recall(&mut memory, 9, r#"{"text": "red", "key": "bo"}"#), "red knot");
}

#[test]
fn what_is_remembered_again_is_new_again() {
    let mut memory = of("memory");
    remember(&mut memory, 1, r#"{"id": "a", "text": "one"}"#);
    remember(&mut memory, 2, r#""two""#);
    remember(&mut memory, 3, r#"{"id": "a", "text": "one more", "at": "ignored"}"#);
    assert_eq!(recall(&mut memory, 3, ""), "one more, two");
    // At one time the same is the same.
    remember(&mut memory, 4, r#""three""#);
    remember(&mut memory, 4, r#""three""#);
    assert_eq!(recall(&mut memory, 4, ""), "three, one more, two");
    remember(&mut memory, 5, r#"{"remove": "a"}"#);
    assert_eq!(recall(&mut memory, 5, ""), "three, two");
}

#[test]
fn the_old_is_forgotten() {
    let mut memory = store(r#"{"protocol": "memory", "keep": 3, "ttl_s": 10, "limit": 2}"#);
    for second in 0..5 {
        remember(&mut memory, second, &format!(r#""word {second}""#));
    }
    assert_eq!(memory.to_value().as_list().unwrap().len(), 3);
    assert_eq!(recall(&mut memory, 4, ""), "word 4, word 3");
    assert_eq!(recall(&mut memory, 12, r#"{"limit": 9}"#), "word 4, word 3");
    assert_eq!(recall(&mut memory, 14, ""), "");
    assert_eq!(recall(&mut memory, 12, r#""word""#), "word 3, word 4");
    let mut many = store(r#"{"protocol": "memory", "keep": 2}"#);
    remember(&mut many, 0, r#"["a", "b", "c"]"#);
    assert_eq!(recall(&mut many, 0, ""), "c, b");
    assert_eq!(many.read(Some(&Value::Null), at(0)), many.read(None, at(0)));
}
