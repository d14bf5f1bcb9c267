//! The value model: what a frame holds, what a literal is, what a document is made of.
//!
//! JSON text comes in through [`json::parse`], and goes out through [`json::compact`],
//! [`json::pretty`] or, for hashing, [`json::canonical`]. Nothing here knows about graphs.
//!
//! ```
//! let value = value::json::parse(r#"{"b": 1.0, "a": [true, null]}"#).unwrap();
//! assert_eq!(value::json::canonical(&value), r#"{"a":[true,null],"b":1}"#);
//! assert_eq!(value.get("b"), Some(&value::Value::Int(1)));
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod digest;
pub mod json;
mod ordered;
mod pointer;

use std::sync::Arc;

pub use digest::{Digest, digest};
pub use ordered::Ordered;
pub use pointer::{At, Part, Pointer};

/// Shared text: cloning it copies a pointer.
pub type Text = Arc<str>;

/// An object. It keeps the order in which members were written, and compares without it.
pub type Map = Ordered<Value>;

/// A JSON value. Cloning is cheap: compound values are shared.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written without point and exponent.
    Int(i64),
    /// Any other number. INVARIANT: finite.
    Float(f64),
    /// Text.
    Text(Text),
    /// A list.
    List(Arc<Vec<Value>>),
    /// An object.
    Map(Arc<Map>),
}

impl Value {
    /// Text from anything that can be shared text.
    pub fn text(text: impl Into<Text>) -> Value {
        Value::Text(text.into())
    }

    /// A list of the given items.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(Arc::new(items.into_iter().collect()))
    }

    /// How many, how much or the how manieth. Nothing that is counted comes near the largest number.
    pub fn count(number: impl TryInto<i64>) -> Value {
        Value::Int(number.try_into().unwrap_or(i64::MAX))
    }

    /// An object with the given members, in this order.
    pub fn map<K: Into<Text>>(members: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Map(Arc::new(members.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }

    /// A member of an object; nothing for any other value.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// What kind of value this is, in words for a person.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) | Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }
}

/// Numbers compare as numbers: `1` is `1.0`, as in canonical JSON.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => {
                *int as f64 == *float
            }
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::text(value)
    }
}

impl From<Text> for Value {
    fn from(value: Text) -> Value {
        Value::Text(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::text(value)
    }
}

impl From<Map> for Value {
    fn from(value: Map) -> Value {
        Value::Map(Arc::new(value))
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
