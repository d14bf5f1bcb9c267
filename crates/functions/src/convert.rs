//! From one kind of value to another.

use value::json::{self, Problem};
use value::{Digest, Text, Value};

use crate::compare::truthy;
use crate::{Misfit, bounds, misfit, not, numbers, text};

/// A value as text: text as it is, anything else as JSON.
pub fn shown(value: &Value) -> Text {
    value.as_text().cloned().unwrap_or_else(|| json::compact(value).into())
}

pub(crate) fn identity(args: &[Value]) -> Result<Value, Misfit> {
    Ok(args[0].clone())
}

pub(crate) fn str(args: &[Value]) -> Result<Value, Misfit> {
    match &args[0] {
        Value::Text(text) => Ok(Value::Text(text.clone())),
        other => written(other),
    }
}

pub(crate) fn stringify(args: &[Value]) -> Result<Value, Misfit> {
    written(&args[0])
}

fn written(value: &Value) -> Result<Value, Misfit> {
    bounds::inner(std::slice::from_ref(value))?;
    let text = json::compact(value);
    bounds::length(text.len())?;
    Ok(text.into())
}

pub(crate) fn parse(args: &[Value]) -> Result<Value, Misfit> {
    let (value, problems) = json::read(text(&args[0])?).map_err(|error| {
        let (line, column) = (error.line, error.column);
        misfit(format!("it is not JSON: {} at line {line}, column {column}", error.message))
    })?;
    // A number that is rounded is still that number; of two members one would be lost.
    match problems.iter().find(|problem| matches!(problem, Problem::Duplicate { .. })) {
        Some(Problem::Duplicate { at }) => Err(misfit(format!("`{at}` is given twice"))),
        _ => Ok(value),
    }
}

pub(crate) fn int(args: &[Value]) -> Result<Value, Misfit> {
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
    let number = number.ok_or_else(|| misfit("it is no whole number of 64 bits"))?;
    Ok(Value::Int(number))
}

pub(crate) fn float(args: &[Value]) -> Result<Value, Misfit> {
    let number = match &args[0] {
        Value::Int(int) => Some(*int as f64),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Float(float) => Some(*float),
        Value::Text(text) => text.trim().parse().ok(),
        other => return Err(not(other, "a number or text")),
    };
    let number = number.filter(|number| number.is_finite());
    Ok(Value::Float(number.ok_or_else(|| misfit("it is no number"))?))
}

pub(crate) fn bool(args: &[Value]) -> Result<Value, Misfit> {
    Ok(truthy(&args[0]).into())
}

pub(crate) fn kind(args: &[Value]) -> Result<Value, Misfit> {
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

pub(crate) fn hash(args: &[Value]) -> Result<Value, Misfit> {
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
