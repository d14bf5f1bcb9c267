//! The functions that generated graphs use, and no others.

use std::cmp::Ordering;

use graph::Cmp;
use value::Value;

use crate::engine::world::Fault;

/// What a function of these arguments gives.
pub(super) fn apply(name: &str, args: &[Value]) -> Result<Value, Fault> {
    let bad = || Fault::new("function");
    let whole = |value: &Value| match value {
        Value::Int(number) => Ok(*number),
        Value::Null => Ok(0),
        _ => Err(bad()),
    };
    let text = |value: &Value| value.as_text().cloned().ok_or_else(bad);
    match (name, args) {
        ("add", [a, b]) => whole(a)?.checked_add(whole(b)?).map(Value::Int).ok_or_else(bad),
        ("sub", [a, b]) => whole(a)?.checked_sub(whole(b)?).map(Value::Int).ok_or_else(bad),
        ("mul", [a, b]) => whole(a)?.checked_mul(whole(b)?).map(Value::Int).ok_or_else(bad),
        ("eq", [a, b]) => Ok(Value::Bool(a == b)),
        (
            "lt",
            [a @ (Value::Int(_) | Value::Float(_)), b @ (Value::Int(_) | Value::Float(_))]
            | [a @ Value::Text(_), b @ Value::Text(_)],
        ) => Ok(Value::Bool(Cmp::Lt.holds(a, b))),
        ("not", [a]) => Ok(Value::Bool(!graph::truthy(a))),
        ("concat", [a, b]) => Ok(Value::text(format!("{}{}", text(a)?, text(b)?))),
        ("len", [Value::Null]) => Ok(Value::Int(0)),
        ("len", [Value::Map(map)]) => Ok(Value::Int(map.len() as i64)),
        ("len", [Value::List(items)]) => Ok(Value::Int(items.len() as i64)),
        ("len", [Value::Text(text)]) => Ok(Value::Int(text.chars().count() as i64)),
        ("get", [Value::Map(map), Value::Text(key)]) => {
            Ok(map.get(key).cloned().unwrap_or_default())
        }
        ("get", [Value::Null, _]) => Ok(Value::Null),
        ("push", [Value::List(items), item]) => {
            Ok(Value::list(items.iter().cloned().chain([item.clone()])))
        }
        _ => Err(bad()),
    }
}

/// An order of all values: null, booleans, numbers, text, then whatever else, as equals.
pub(super) fn order(left: &Value, right: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::Text(_) => 3,
        Value::List(_) | Value::Map(_) => 4,
    };
    let by_value = || match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        _ if Cmp::Lt.holds(left, right) => Ordering::Less,
        _ if Cmp::Gt.holds(left, right) => Ordering::Greater,
        _ => Ordering::Equal,
    };
    rank(left).cmp(&rank(right)).then_with(by_value)
}
