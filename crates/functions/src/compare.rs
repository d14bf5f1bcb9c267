//! Comparisons and what follows from them.

use value::Value;

use crate::Misfit;
use crate::order::comparable;

pub(crate) fn eq(args: &[Value]) -> Result<Value, Misfit> {
    Ok((args[0] == args[1]).into())
}

pub(crate) fn ne(args: &[Value]) -> Result<Value, Misfit> {
    Ok((args[0] != args[1]).into())
}

pub(crate) fn lt(args: &[Value]) -> Result<Value, Misfit> {
    Ok(comparable(&args[0], &args[1])?.is_lt().into())
}

pub(crate) fn lte(args: &[Value]) -> Result<Value, Misfit> {
    Ok(comparable(&args[0], &args[1])?.is_le().into())
}

pub(crate) fn gt(args: &[Value]) -> Result<Value, Misfit> {
    Ok(comparable(&args[0], &args[1])?.is_gt().into())
}

pub(crate) fn gte(args: &[Value]) -> Result<Value, Misfit> {
    Ok(comparable(&args[0], &args[1])?.is_ge().into())
}

pub(crate) fn and(args: &[Value]) -> Result<Value, Misfit> {
    Ok(args.iter().all(truthy).into())
}

pub(crate) fn or(args: &[Value]) -> Result<Value, Misfit> {
    Ok(args.iter().any(truthy).into())
}

pub(crate) fn not(args: &[Value]) -> Result<Value, Misfit> {
    Ok((!truthy(&args[0])).into())
}

pub(crate) fn choose(args: &[Value]) -> Result<Value, Misfit> {
    let chosen = if truthy(&args[0]) { args.get(1) } else { args.get(2) };
    Ok(chosen.cloned().into())
}

pub(crate) fn contains(args: &[Value]) -> Result<Value, Misfit> {
    Ok(is_in(&args[1], &args[0]).into())
}

/// Whether a value counts as true, by the rules of Python.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(int) => *int != 0,
        Value::Float(float) => *float != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(map) => !map.is_empty(),
    }
}

/// Whether a list has this item, a text this part, an object this member.
pub fn is_in(item: &Value, whole: &Value) -> bool {
    match (whole, item) {
        (Value::List(items), item) => items.contains(item),
        (Value::Text(whole), Value::Text(part)) => whole.contains(&**part),
        (Value::Map(map), Value::Text(key)) => map.contains_key(key),
        _ => false,
    }
}
