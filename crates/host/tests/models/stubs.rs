//! Answers that are made up.

use std::sync::Arc;

use host::models::Stub;
use value::{Map, Value};

use crate::question::{ask, question};

#[test]
fn answers_follow_the_schema_and_the_number_of_the_question() {
    let stub = Stub::new(Arc::new(|schema, turn| {
        let sample = |name: &str| -> Map {
            let members = [(name, Value::text("stub:title")), ("k", Value::Int(turn.into()))];
            members.map(|(name, value)| (name.into(), value)).into_iter().collect()
        };
        (schema == "Draft").then(|| sample("title"))
    }));
    let mut asked = question(3, "Write a title.");
    asked.schema = Some("Draft".into());
    assert_eq!(ask(&stub, asked.clone()), r#"{"title":"stub:title","k":3} (6 + 7)"#);
    asked.schema = Some("Darft".into());
    assert_eq!(ask(&stub, asked.clone()), "model: there is no schema `Darft` to answer in");
    asked.schema = None;
    assert_eq!(ask(&stub, asked), "stub text (6 + 2)");
}
