//! Values at the border to libraries that have their own.

use serde_json::Value as Json;
use value::{Map, Value, json};

pub(super) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => Json::from(*number),
        Value::Text(text) => Json::from(&**text),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(map) => map_to_json(map),
    }
}

pub(super) fn map_to_json(map: &Map) -> Json {
    Json::Object(map.iter().map(|(name, value)| (name.to_string(), to_json(value))).collect())
}

/// A value from outside. Numbers and depths that a run cannot hold are refused where texts are
/// read, so that it is read as one.
pub(super) fn from_json(value: &Json) -> Option<Value> {
    json::parse(&value.to_string()).ok()
}
