//! Values on their way into the interpreter and out of it.

use std::fmt;

use monty_types::MontyObject;
use value::{Map, Text, Value};

/// How deep a value may nest. JSON is read down to 120, and what records a value stands around it.
const DEPTH_MAX: usize = 100;

/// A value as Python has it.
pub(super) fn to_python(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(flag) => MontyObject::Bool(*flag),
        Value::Int(number) => MontyObject::Int(*number),
        Value::Float(number) => MontyObject::Float(*number),
        Value::Text(text) => MontyObject::String(text.as_ref().to_owned()),
        Value::List(items) => MontyObject::List(items.iter().map(to_python).collect()),
        Value::Map(members) => map_to_python(members),
    }
}

/// An object as a dict.
pub(super) fn map_to_python(members: &Map) -> MontyObject {
    let pair = |(key, value): (&Text, &Value)| {
        (MontyObject::String(key.as_ref().to_owned()), to_python(value))
    };
    MontyObject::dict(members.iter().map(pair).collect::<Vec<_>>())
}

/// Whether Python still has what it was given, without a copy of either. The order of members
/// counts, and so does whether a number has a point: a later block would see the difference.
pub(super) fn is_same(given: &Value, now: &MontyObject) -> bool {
    match (given, now) {
        (Value::Null, MontyObject::None) => true,
        (Value::Bool(given), MontyObject::Bool(now)) => given == now,
        (Value::Int(given), MontyObject::Int(now)) => given == now,
        (Value::Float(given), MontyObject::Float(now)) => given == now,
        (Value::Text(given), MontyObject::String(now)) => **given == **now,
        (Value::List(given), MontyObject::List(now)) => {
            given.len() == now.len()
                && given.iter().zip(now).all(|(given, now)| is_same(given, now))
        }
        (Value::Map(given), MontyObject::Dict(now)) => {
            given.len() == now.len()
                && given.iter().zip(now).all(|((key, given), (name, now))| {
                    matches!(name, MontyObject::String(name) if **key == **name)
                        && is_same(given, now)
                })
        }
        _ => false,
    }
}

/// Something of Python that is no JSON: where it is in the value, and what it is.
#[derive(Debug, PartialEq)]
pub(super) struct NoJson {
    path: String,
    what: String,
}

impl NoJson {
    fn new(what: impl Into<String>) -> NoJson {
        NoJson { path: String::new(), what: what.into() }
    }

    /// As part of a list or dict, under a place like `[2]`.
    pub(super) fn under(mut self, place: impl fmt::Display) -> NoJson {
        self.path.insert_str(0, &place.to_string());
        self
    }
}

impl fmt::Display for NoJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.what)
    }
}

/// A value of Python as JSON, if it is any. A tuple is a list.
pub(super) fn from_python(object: MontyObject) -> Result<Value, NoJson> {
    plain(object, 0)
}

fn plain(object: MontyObject, depth: usize) -> Result<Value, NoJson> {
    Ok(match object {
        MontyObject::None => Value::Null,
        MontyObject::Bool(flag) => Value::Bool(flag),
        MontyObject::Int(number) => Value::Int(number),
        MontyObject::BigInt(number) => match i64::try_from(number) {
            Ok(number) => Value::Int(number),
            Err(_) => return Err(NoJson::new("is a whole number beyond 64 bits")),
        },
        MontyObject::Float(number) if number.is_finite() => Value::Float(number),
        MontyObject::Float(number) => {
            return Err(NoJson::new(format!("is {number}, which is no number in JSON")));
        }
        MontyObject::String(text) => Value::text(text),
        MontyObject::List(_) | MontyObject::Tuple(_) | MontyObject::Dict(_)
            if depth == DEPTH_MAX =>
        {
            return Err(NoJson::new(format!("nests deeper than {DEPTH_MAX}")));
        }
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::NamedTuple { values: items, .. } => {
            let item = |(at, item)| {
                plain(item, depth + 1).map_err(|no_json| no_json.under(format_args!("[{at}]")))
            };
            let items: Result<Vec<_>, _> = items.into_iter().enumerate().map(item).collect();
            Value::List(items?.into())
        }
        MontyObject::Dict(pairs) => {
            let mut members = Map::with_capacity(pairs.len());
            for (key, value) in pairs {
                let MontyObject::String(key) = key else {
                    return Err(NoJson::new(format!("has the key {key}, which is no text")));
                };
                let value = plain(value, depth + 1)
                    .map_err(|no_json| no_json.under(format_args!("[{key:?}]")))?;
                members.insert(key.into(), value);
            }
            members.into()
        }
        MontyObject::Cycle(..) => return Err(NoJson::new("contains itself")),
        other => return Err(NoJson::new(format!("is {}", kind(&other)))),
    })
}

/// What a value without a place in JSON is, with what to do about it where that is plain.
fn kind(object: &MontyObject) -> &'static str {
    match object {
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => "a set: use `sorted(..)` or `list(..)`",
        MontyObject::Bytes(_) => "bytes: use `.decode()`",
        MontyObject::Date(_) | MontyObject::DateTime(_) | MontyObject::Time(_) => {
            "a date or time: use `.isoformat()`"
        }
        MontyObject::TimeDelta(_) => "a duration: use `.total_seconds()`",
        MontyObject::Path(_) => "a path: use `str(..)`",
        MontyObject::Exception { .. } => "an exception: use `str(..)`",
        MontyObject::Function { .. } | MontyObject::BuiltinFunction(_) => "a function",
        MontyObject::Type(_) => "a class",
        MontyObject::ClassInstance(_) => "an object of a class: use a dict",
        // What the interpreter cannot hand over it describes.
        MontyObject::Repr(text) if text.starts_with("<function") => "a function",
        MontyObject::Repr(text) if text == "<deeply nested>" => "nested too deep",
        _ => "nothing that JSON has",
    }
}
