//! From one kind of value to another.

use graph::truthy;
use value::json::{self, Problem};
use value::{Digest, Text, Value};

use super::{bounds, fault, not, numbers, text};
use crate::Fault;

/// A value as text: text as it is, anything else as JSON.
pub(crate) fn shown(value: &Value) -> Text {
    value.as_text().cloned().unwrap_or_else(|| json::compact(value).into())
}

pub(super) fn identity(args: &[Value]) -> Result<Value, Fault> {
    Ok(args[0].clone())
}

pub(super) fn str(args: &[Value]) -> Result<Value, Fault> {
    match &args[0] {
        Value::Text(text) => Ok(Value::Text(text.clone())),
        other => written(other),
    }
}

pub(super) fn stringify(args: &[Value]) -> Result<Value, Fault> {
    written(&args[0])
}

fn written(value: &Value) -> Result<Value, Fault> {
    bounds::inner(std::slice::from_ref(value))?;
    let text = json::compact(value);
    bounds::length(text.len())?;
    Ok(text.into())
}

pub(super) fn parse(args: &[Value]) -> Result<Value, Fault> {
    let (value, problems) = json::read(text(&args[0])?).map_err(|error| {
        let (line, column) = (error.line, error.column);
        fault(format!("it is not JSON: {} at line {line}, column {column}", error.message))
    })?;
    // A number that is rounded is still that number; of two members one would be lost.
    match problems.iter().find(|problem| matches!(problem, Problem::Duplicate { .. })) {
        Some(Problem::Duplicate { at }) => Err(fault(format!("`{at}` is given twice"))),
        _ => Ok(value),
    }
}

pub(super) fn int(args: &[Value]) -> Result<Value, Fault> {
    let number = match &args[0] {
        Value::Int(int) => Some(*int),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Float(float) => numbers::to_int(*float),
        Value::Text(text) => {
            let text = text.trim();
            let float = || text.parse::<f64>().ok().and_then(numbers::to_int);
            text.parse().ok().or_else(float)
        }
        other => return Err(not(other, "a number or text")),
    };
    let number = number.ok_or_else(|| fault("it is no whole number of 64 bits"))?;
    Ok(Value::Int(number))
}

pub(super) fn float(args: &[Value]) -> Result<Value, Fault> {
    let number = match &args[0] {
        Value::Int(int) => Some(*int as f64),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Float(float) => Some(*float),
        Value::Text(text) => text.trim().parse().ok(),
        other => return Err(not(other, "a number or text")),
    };
    let number = number.filter(|number| number.is_finite());
    Ok(Value::Float(number.ok_or_else(|| fault("it is no number"))?))
}

pub(super) fn bool(args: &[Value]) -> Result<Value, Fault> {
    Ok(truthy(&args[0]).into())
}

pub(super) fn kind(args: &[Value]) -> Result<Value, Fault> {
    let word = match &args[0] {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "float",
        Value::Text(_) => "string",
        Value::List(_) => "list",
        Value::Map(_) => "object",
    };
    Ok(word.into())
}

pub(super) fn hash(args: &[Value]) -> Result<Value, Fault> {
    let digest = match &args[0] {
        Value::Text(text) => Digest::of(text.as_bytes()),
        other => {
            bounds::inner(std::slice::from_ref(other))?;
            value::digest(other)
        }
    };
    let written = digest.to_string();
    Ok(written.strip_prefix("sha256:").unwrap_or(&written).into())
}
