//! Values as a history gives them back. It keeps canonical JSON: members in the order of their
//! names, and `1.0` as `1`. What a run takes in must be that from the beginning: were it read again
//! later, its prompts and its logic would be others.

use std::borrow::Cow;
use std::sync::Arc;

use value::{Map, Value};

use crate::call::Answer;
use crate::fault::Fault;
use crate::input::{Begin, Input};

/// An input as it would be read from the history.
pub(crate) fn recorded(input: &Input) -> Cow<'_, Input> {
    match input {
        Input::Begin(begin) if !is_map_recorded(&begin.inputs) => {
            let inputs = recorded_map(&begin.inputs);
            Cow::Owned(Input::Begin(Box::new(Begin { inputs, ..(**begin).clone() })))
        }
        Input::Set(values) if !is_map_recorded(values) => {
            Cow::Owned(Input::Set(recorded_map(values)))
        }
        Input::Answer(call, answer) => match recorded_answer(answer) {
            Some(answer) => Cow::Owned(Input::Answer(*call, answer)),
            None => Cow::Borrowed(input),
        },
        _ => Cow::Borrowed(input),
    }
}

/// Nothing where it would come back as it is.
fn recorded_answer(answer: &Answer) -> Option<Answer> {
    match answer {
        Answer::Value(value) if !is_recorded(value) => Some(Answer::Value(recorded_value(value))),
        Answer::Person(value, actor) if !is_recorded(value) => {
            Some(Answer::Person(recorded_value(value), actor.clone()))
        }
        Answer::Failed(Fault { kind, message, details: Some(details) })
            if !is_recorded(details) =>
        {
            let details = Some(recorded_value(details));
            Some(Answer::Failed(Fault { kind: kind.clone(), message: message.clone(), details }))
        }
        Answer::Model(answer)
            if !answer.uses.iter().all(|wish| is_map_recorded(&wish.input))
                || !answer.items.iter().all(|item| is_map_recorded(item)) =>
        {
            let mut answer = answer.clone();
            for wish in &mut answer.uses {
                wish.input = recorded_map(&wish.input);
            }
            for item in &mut answer.items {
                *item = Arc::new(recorded_map(item));
            }
            Some(Answer::Model(answer))
        }
        _ => None,
    }
}

fn recorded_value(value: &Value) -> Value {
    match value {
        Value::Float(number) => whole(*number).map_or_else(|| value.clone(), Value::Int),
        Value::List(items) => Value::list(items.iter().map(recorded_value)),
        Value::Map(map) => recorded_map(map).into(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => value.clone(),
    }
}

fn recorded_map(map: &Map) -> Map {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    members.into_iter().map(|(name, value)| (name.clone(), recorded_value(value))).collect()
}

/// The whole number that a float is written as, and then read as.
fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (number.fract() == 0.0 && number.abs() < LIMIT).then_some(number as i64)
}

/// Whether a value comes back as it is.
fn is_recorded(value: &Value) -> bool {
    match value {
        Value::Float(number) => whole(*number).is_none(),
        Value::List(items) => items.iter().all(is_recorded),
        Value::Map(map) => is_map_recorded(map),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
    }
}

fn is_map_recorded(map: &Map) -> bool {
    let names = map.keys().zip(map.keys().skip(1));
    names.into_iter().all(|(one, next)| one.encode_utf16().lt(next.encode_utf16()))
        && map.values().all(is_recorded)
}

#[cfg(test)]
mod tests {
    use value::json;

    use super::*;

    #[test]
    fn a_value_is_what_its_canonical_json_is_read_as() {
        for text in [
            r#"{"b":1,"a":{"z":[{"d":1,"c":2}],"y":2}}"#,
            "[1.0, -0.0, 0.5, 1e3, 1e18, 9.3e18, 1e21, 1e300, -9223372036854775808.0]",
            r#"{"é":1,"e":2,"\ufb33":3,"😀":4}"#,
            r#"{"a":1,"b":[true,null,"x"]}"#,
            "12345678901234567",
        ] {
            let (value, _) = json::read(text).unwrap();
            let (read, _) = json::read(&json::canonical(&value)).unwrap();
            let own = recorded_value(&value);
            assert_eq!(json::compact(&own), json::compact(&read), "{text}");
            assert!(is_recorded(&own), "{text}");
            let same = json::compact(&value) == json::compact(&read);
            assert_eq!(is_recorded(&value), same, "{text}");
        }
    }
}
