//! JSON Schema at the border: compiled once, and never able to hold anybody up.
//!
//! A schema may come from a server or a spec that nobody here wrote. So it is small, names nothing
//! outside of itself, its patterns are searched in linear time, and before a value is held against
//! it, it is counted how long that will take.

mod work;

use std::fmt;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value as Json;
use value::{Value, json};

/// Larger schemas were not written for a tool.
const BYTES_MAX: usize = 256 << 10;

/// How deep a schema may nest: the library that reads it goes down as deep.
const DEPTH_MAX: usize = 64;

/// How large one compiled pattern may become, in bytes.
const PATTERN_MAX: usize = 1 << 20;

/// After so many misfits nobody reads on.
const MISFITS_MAX: usize = 10;

/// How much of one misfit is told, in characters: it may quote the value.
const SHOWN_MAX: usize = 200;

/// A schema that values are held against.
pub struct JsonSchema {
    written: Json,
    validator: Validator,
    /// Only schemas that come back to themselves can take more time than they and a value are long.
    may_take_long: bool,
}

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// Where in the value, as an RFC 6901 pointer.
    pub at: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "the whole" } else { &self.at };
        write!(f, "{at}: {}", self.message)
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsonSchema").field(&self.written).finish()
    }
}

impl JsonSchema {
    /// Compiles a schema, or says why it cannot be used.
    pub fn new(schema: &Value) -> Result<JsonSchema, String> {
        if !matches!(schema, Value::Map(_) | Value::Bool(_)) {
            return Err(format!("a JSON Schema is an object, and this is {}", schema.kind()));
        }
        let length = json::compact(schema).len();
        if length > BYTES_MAX {
            return Err(format!("it is {length} bytes long, and {BYTES_MAX} is the most"));
        }
        let written = to_json(schema);
        let found = work::survey(&written, DEPTH_MAX)?;
        let patterns = PatternOptions::regex().size_limit(PATTERN_MAX).dfa_size_limit(PATTERN_MAX);
        let validator = jsonschema::options()
            .with_pattern_options(patterns)
            .build(&written)
            .map_err(|error| shortened(&format!("{error} (at `{}`)", error.instance_path())))?;
        Ok(JsonSchema { written, validator, may_take_long: found.may_take_long })
    }

    /// Where a value does not fit, up to a few places.
    pub fn misfits(&self, value: &Value) -> Vec<Misfit> {
        let value = to_json(value);
        if self.may_take_long && work::is_too_much(&self.written, &value) {
            let message = "it cannot be told whether this fits: the schema comes back to itself \
                           so often that it would take too long";
            return vec![Misfit { at: String::new(), message: message.to_owned() }];
        }
        let errors = self.validator.iter_errors(&value).take(MISFITS_MAX);
        errors
            .map(|error| Misfit {
                at: error.instance_path().to_string(),
                message: shortened(&error.to_string()),
            })
            .collect()
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        None => text.to_owned(),
        // What is wrong stands at the end, and the value that it is wrong with before it.
        Some(_) => {
            let letters: Vec<char> = text.chars().collect();
            let half = SHOWN_MAX / 2;
            let (start, end) = (&letters[..half], &letters[letters.len() - half..]);
            format!("{}...{}", String::from_iter(start), String::from_iter(end))
        }
    }
}

/// A value as libraries want it.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(is) => Json::Bool(*is),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => Json::from(*number),
        Value::Text(text) => Json::String(text.to_string()),
        Value::List(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Map(members) => {
            members.iter().map(|(name, value)| (name.to_string(), to_json(value))).collect()
        }
    }
}
