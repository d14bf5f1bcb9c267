//! Which value comes first; sorting by a field.

use std::cmp::Ordering;

use value::{Text, Value, json};

use crate::{Misfit, list, misfit};

/// A list sorted by a field of its items. Numbers come before texts, texts before booleans, lists
/// and objects, and those before items without the field and nulls; descending it is the other way
/// round. Equal items keep their order. Null is an empty list.
pub fn sort(items: &Value, field: &str, descending: bool) -> Result<Value, Misfit> {
    Ok(Value::list(sorted(list(items)?, |item| item.get(field), descending)))
}

/// Sorts by a part of each item.
pub(crate) fn sorted<'v>(
    items: &'v [Value],
    part: impl Fn(&'v Value) -> Option<&'v Value>,
    descending: bool,
) -> Vec<Value> {
    let mut keyed: Vec<(Key, &Value)> =
        items.iter().map(|item| (part(item).map_or(Key::Missing, Key::of), item)).collect();
    keyed.sort_by(|(one, _), (other, _)| if descending { other.cmp(one) } else { one.cmp(other) });
    keyed.into_iter().map(|(_, item)| item.clone()).collect()
}

/// What a value is sorted by. The order of the variants is the order of kinds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(Number),
    Text(Text),
    Bool(bool),
    /// Lists and objects have no order of their own; this one is at least always the same.
    Written(String),
    Missing,
}

impl Key {
    fn of(value: &Value) -> Key {
        match value {
            Value::Null => Key::Missing,
            Value::Bool(value) => Key::Bool(*value),
            Value::Int(int) => Key::Number(Number::Int(*int)),
            Value::Float(float) => Key::Number(Number::Float(*float)),
            Value::Text(text) => Key::Text(text.clone()),
            Value::List(_) | Value::Map(_) => Key::Written(json::canonical(value)),
        }
    }
}

/// A number with an exact order: sorting breaks where 2^53 + 1 is less than, and also as much as,
/// its neighbour.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    /// INVARIANT: finite, as in values.
    Float(f64),
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Int(one), Number::Int(other)) => one.cmp(other),
            (Number::Float(one), Number::Float(other)) => {
                one.partial_cmp(other).unwrap_or(Ordering::Equal)
            }
            (Number::Int(int), Number::Float(float)) => int_to_float(*int, *float),
            (Number::Float(float), Number::Int(int)) => int_to_float(*int, *float).reverse(),
        }
    }
}

fn int_to_float(int: i64, float: f64) -> Ordering {
    match crate::numbers::to_int(float) {
        Some(below) => {
            int.cmp(&below).then_with(|| 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal))
        }
        None if float > 0.0 => Ordering::Less,
        None => Ordering::Greater,
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

/// The order of two numbers or two texts; nothing else has one.
pub(crate) fn comparable(one: &Value, other: &Value) -> Result<Ordering, Misfit> {
    let number = |value: &Value| match value {
        Value::Int(int) => Some(Number::Int(*int)),
        Value::Float(float) => Some(Number::Float(*float)),
        _ => None,
    };
    let order = match (one, other) {
        (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
        _ => number(one).zip(number(other)).map(|(one, other)| one.cmp(&other)),
    };
    order.ok_or_else(|| misfit(format!("{} and {} have no order", one.kind(), other.kind())))
}
