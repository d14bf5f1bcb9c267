//! Arithmetic. Whole numbers go around at 64 bits, as they do in CLIPS.

use super::arguments::{Number, Outcome, number, whole};
use crate::field::Field;

/// From the left: whole as long as the numbers are, then not.
fn folded(args: &[Field], int: fn(i64, i64) -> i64, float: fn(f64, f64) -> f64) -> Outcome {
    let mut total = number(args, 0)?;
    for at in 1..args.len() {
        total = match (total, number(args, at)?) {
            (Number::Int(a), Number::Int(b)) => Number::Int(int(a, b)),
            (a, b) => Number::Float(float(a.float(), b.float())),
        };
    }
    Ok(total.field())
}

pub(super) fn add(args: &[Field]) -> Outcome {
    folded(args, i64::wrapping_add, |a, b| a + b)
}

pub(super) fn subtract(args: &[Field]) -> Outcome {
    folded(args, i64::wrapping_sub, |a, b| a - b)
}

pub(super) fn multiply(args: &[Field]) -> Outcome {
    folded(args, i64::wrapping_mul, |a, b| a * b)
}

pub(super) fn divide(args: &[Field]) -> Outcome {
    let mut total = number(args, 0)?.float();
    for at in 1..args.len() {
        let by = number(args, at)?.float();
        if by == 0.0 {
            return Err(by_zero());
        }
        total /= by;
    }
    Ok(Field::Float(total))
}

pub(super) fn divide_whole(args: &[Field]) -> Outcome {
    let mut total = number(args, 0)?.int();
    for at in 1..args.len() {
        let by = number(args, at)?.int();
        if by == 0 {
            return Err(by_zero());
        }
        total = total.checked_div(by).ok_or_else(overflow)?;
    }
    Ok(Field::Int(total))
}

pub(super) fn modulo(args: &[Field]) -> Outcome {
    match (number(args, 0)?, number(args, 1)?) {
        (Number::Int(_), Number::Int(0)) => Err(by_zero()),
        (Number::Int(a), Number::Int(b)) => Ok(Field::Int(a.checked_rem(b).ok_or_else(overflow)?)),
        (a, b) => {
            let (a, b) = (a.float(), b.float());
            if b == 0.0 {
                return Err(by_zero());
            }
            // Not `%`, which is exact: CLIPS rounds on the way.
            Ok(Field::Float(a - (a / b).trunc() * b))
        }
    }
}

fn by_zero() -> String {
    "it divides by zero".to_owned()
}

fn overflow() -> String {
    "the result does not fit into 64 bits".to_owned()
}

pub(super) fn abs(args: &[Field]) -> Outcome {
    Ok(match number(args, 0)? {
        Number::Int(number) => Field::Int(number.wrapping_abs()),
        Number::Float(number) => Field::Float(number.abs()),
    })
}

/// The first of those that no other beats.
fn best(args: &[Field], beats: fn(&Field, &Field) -> bool) -> Outcome {
    let mut best = number(args, 0)?.field();
    for at in 1..args.len() {
        let other = number(args, at)?.field();
        if beats(&other, &best) {
            best = other;
        }
    }
    Ok(best)
}

pub(super) fn min(args: &[Field]) -> Outcome {
    best(args, |a, b| super::order(a, b).is_some_and(std::cmp::Ordering::is_lt))
}

pub(super) fn max(args: &[Field]) -> Outcome {
    best(args, |a, b| super::order(a, b).is_some_and(std::cmp::Ordering::is_gt))
}

pub(super) fn integer(args: &[Field]) -> Outcome {
    Ok(Field::Int(number(args, 0)?.int()))
}

pub(super) fn float(args: &[Field]) -> Outcome {
    Ok(Field::Float(number(args, 0)?.float()))
}

/// To the nearest; of two, the one further from zero.
pub(super) fn round(args: &[Field]) -> Outcome {
    Ok(Field::Int(match number(args, 0)? {
        Number::Int(number) => number,
        Number::Float(number) => whole(number.round()),
    }))
}
