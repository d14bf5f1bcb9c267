//! Comparisons. Those of numbers mix whole and other numbers; `eq` and `neq` do not.

use std::cmp::Ordering;

use super::arguments::{Number, Outcome, number};
use crate::field::Field;

/// How two numbers compare: whole ones exactly, others as floats.
#[inline]
pub(crate) fn order(a: &Field, b: &Field) -> Option<Ordering> {
    #[expect(clippy::cast_precision_loss, reason = "as CLIPS mixes whole and other numbers")]
    match (a, b) {
        (Field::Int(a), Field::Int(b)) => Some(a.cmp(b)),
        (Field::Int(a), Field::Float(b)) => (*a as f64).partial_cmp(b),
        (Field::Float(a), Field::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Field::Float(a), Field::Float(b)) => a.partial_cmp(b),
        _ => None,
    }
}

fn compared(a: Number, b: Number) -> Option<Ordering> {
    order(&a.field(), &b.field())
}

/// Whether each number stands so to the one before it.
fn chain(args: &[Field], fits: fn(Option<Ordering>) -> bool) -> Outcome {
    let mut before = number(args, 0)?;
    for at in 1..args.len() {
        let next = number(args, at)?;
        if !fits(compared(before, next)) {
            return Ok(Field::Bool(false));
        }
        before = next;
    }
    Ok(Field::Bool(true))
}

/// Whether each number after the first stands so to the first.
fn each(args: &[Field], fits: fn(Option<Ordering>) -> bool) -> Outcome {
    let first = number(args, 0)?;
    for at in 1..args.len() {
        if !fits(compared(first, number(args, at)?)) {
            return Ok(Field::Bool(false));
        }
    }
    Ok(Field::Bool(true))
}

pub(super) fn less(args: &[Field]) -> Outcome {
    chain(args, |order| order.is_some_and(Ordering::is_lt))
}

pub(super) fn at_most(args: &[Field]) -> Outcome {
    chain(args, |order| order.is_some_and(Ordering::is_le))
}

pub(super) fn more(args: &[Field]) -> Outcome {
    chain(args, |order| order.is_some_and(Ordering::is_gt))
}

pub(super) fn at_least(args: &[Field]) -> Outcome {
    chain(args, |order| order.is_some_and(Ordering::is_ge))
}

pub(super) fn same_number(args: &[Field]) -> Outcome {
    each(args, |order| order == Some(Ordering::Equal))
}

pub(super) fn other_number(args: &[Field]) -> Outcome {
    each(args, |order| order != Some(Ordering::Equal))
}

pub(super) fn same(args: &[Field]) -> Outcome {
    Ok(Field::Bool(args[1..].iter().all(|arg| *arg == args[0])))
}

pub(super) fn other(args: &[Field]) -> Outcome {
    Ok(Field::Bool(args[1..].iter().all(|arg| *arg != args[0])))
}

pub(super) fn not(args: &[Field]) -> Outcome {
    Ok(Field::Bool(!args[0].holds()))
}
