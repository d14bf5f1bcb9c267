//! Comparisons and what follows from them.

use graph::{Cmp, truthy};
use value::Value;

use super::order::comparable;
use crate::Fault;

pub(super) fn eq(args: &[Value]) -> Result<Value, Fault> {
    Ok((args[0] == args[1]).into())
}

pub(super) fn ne(args: &[Value]) -> Result<Value, Fault> {
    Ok((args[0] != args[1]).into())
}

pub(super) fn lt(args: &[Value]) -> Result<Value, Fault> {
    Ok(comparable(&args[0], &args[1])?.is_lt().into())
}

pub(super) fn lte(args: &[Value]) -> Result<Value, Fault> {
    Ok(comparable(&args[0], &args[1])?.is_le().into())
}

pub(super) fn gt(args: &[Value]) -> Result<Value, Fault> {
    Ok(comparable(&args[0], &args[1])?.is_gt().into())
}

pub(super) fn gte(args: &[Value]) -> Result<Value, Fault> {
    Ok(comparable(&args[0], &args[1])?.is_ge().into())
}

pub(super) fn and(args: &[Value]) -> Result<Value, Fault> {
    Ok(args.iter().all(truthy).into())
}

pub(super) fn or(args: &[Value]) -> Result<Value, Fault> {
    Ok(args.iter().any(truthy).into())
}

pub(super) fn not(args: &[Value]) -> Result<Value, Fault> {
    Ok((!truthy(&args[0])).into())
}

pub(super) fn choose(args: &[Value]) -> Result<Value, Fault> {
    let chosen = if truthy(&args[0]) { args.get(1) } else { args.get(2) };
    Ok(chosen.cloned().into())
}

pub(super) fn contains(args: &[Value]) -> Result<Value, Fault> {
    Ok(Cmp::Contains.holds(&args[0], &args[1]).into())
}
