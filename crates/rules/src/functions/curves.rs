//! Roots, powers, logarithms and angles.
//!
//! They are computed by a library of their own and not by the platform's, which differ in the last
//! digit: facts are the same only if all digits are.

use super::arguments::{Outcome, number};
use crate::field::Field;

/// What is nearer to zero counts as zero where one divides by it.
const NEAR_ZERO: f64 = 1e-15;

/// What is nearer to zero has no inverse that can be worked with.
const TINY: f64 = 1e-25;

fn of(args: &[Field], curve: fn(f64) -> f64) -> Outcome {
    Ok(Field::Float(curve(number(args, 0)?.float())))
}

/// Only where the number is one for which the curve is defined.
fn within(args: &[Field], defined: fn(f64) -> bool, curve: fn(f64) -> f64) -> Outcome {
    let at = number(args, 0)?.float();
    // What is no number stays none.
    if !(defined(at) || at.is_nan()) {
        return Err(undefined(&args[0]));
    }
    Ok(Field::Float(curve(at)))
}

/// Only where what one divides by is not too near to zero.
fn ratio(args: &[Field], over: fn(f64) -> f64, under: fn(f64) -> f64) -> Outcome {
    let at = number(args, 0)?.float();
    let under = under(at);
    if under.abs() < NEAR_ZERO {
        return Err(undefined(&args[0]));
    }
    Ok(Field::Float(over(at) / under))
}

fn undefined(at: &Field) -> String {
    format!("it has no value for `{at}`")
}

pub(super) fn sqrt(args: &[Field]) -> Outcome {
    within(args, |at| at >= 0.0, f64::sqrt)
}

pub(super) fn exp(args: &[Field]) -> Outcome {
    of(args, libm::exp)
}

pub(super) fn log(args: &[Field]) -> Outcome {
    within(args, |at| at > 0.0, libm::log)
}

pub(super) fn log10(args: &[Field]) -> Outcome {
    within(args, |at| at > 0.0, libm::log10)
}

pub(super) fn power(args: &[Field]) -> Outcome {
    let (base, exponent) = (number(args, 0)?.float(), number(args, 1)?.float());
    if (base == 0.0 && exponent <= 0.0) || (base < 0.0 && exponent.trunc() != exponent) {
        return Err(format!("`{}` has no power `{}`", args[0], args[1]));
    }
    Ok(Field::Float(libm::pow(base, exponent)))
}

pub(super) fn pi(_: &[Field]) -> Outcome {
    Ok(Field::Float(std::f64::consts::PI))
}

pub(super) fn sin(args: &[Field]) -> Outcome {
    of(args, libm::sin)
}

pub(super) fn cos(args: &[Field]) -> Outcome {
    of(args, libm::cos)
}

pub(super) fn tan(args: &[Field]) -> Outcome {
    ratio(args, libm::sin, libm::cos)
}

pub(super) fn sec(args: &[Field]) -> Outcome {
    ratio(args, |_| 1.0, libm::cos)
}

pub(super) fn csc(args: &[Field]) -> Outcome {
    ratio(args, |_| 1.0, libm::sin)
}

pub(super) fn cot(args: &[Field]) -> Outcome {
    ratio(args, libm::cos, libm::sin)
}

pub(super) fn asin(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() <= 1.0, libm::asin)
}

pub(super) fn acos(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() <= 1.0, libm::acos)
}

pub(super) fn atan(args: &[Field]) -> Outcome {
    of(args, libm::atan)
}

pub(super) fn atan2(args: &[Field]) -> Outcome {
    let (y, x) = (number(args, 0)?.float(), number(args, 1)?.float());
    if y == 0.0 && x == 0.0 {
        return Err("a point at the origin has no angle".to_owned());
    }
    Ok(Field::Float(libm::atan2(y, x)))
}

pub(super) fn asec(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() >= 1.0, |at| libm::acos(at.recip()))
}

pub(super) fn acsc(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() >= 1.0, |at| libm::asin(at.recip()))
}

pub(super) fn acot(args: &[Field]) -> Outcome {
    of(
        args,
        |at| if at.abs() <= TINY { std::f64::consts::FRAC_PI_2 } else { libm::atan(at.recip()) },
    )
}

pub(super) fn sinh(args: &[Field]) -> Outcome {
    of(args, libm::sinh)
}

pub(super) fn cosh(args: &[Field]) -> Outcome {
    of(args, libm::cosh)
}

pub(super) fn tanh(args: &[Field]) -> Outcome {
    of(args, libm::tanh)
}

pub(super) fn sech(args: &[Field]) -> Outcome {
    of(args, |at| libm::cosh(at).recip())
}

pub(super) fn csch(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() > TINY, |at| libm::sinh(at).recip())
}

pub(super) fn coth(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() > TINY, |at| libm::tanh(at).recip())
}

pub(super) fn asinh(args: &[Field]) -> Outcome {
    of(args, |at| libm::log(at + (at * at + 1.0).sqrt()))
}

pub(super) fn acosh(args: &[Field]) -> Outcome {
    within(args, |at| at >= 1.0, |at| libm::log(at + (at * at - 1.0).sqrt()))
}

pub(super) fn atanh(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() < 1.0, |at| 0.5 * libm::log((1.0 + at) / (1.0 - at)))
}

pub(super) fn asech(args: &[Field]) -> Outcome {
    within(
        args,
        |at| at > 0.0 && at <= 1.0,
        |at| libm::log(at.recip() + ((at * at).recip() - 1.0).sqrt()),
    )
}

pub(super) fn acsch(args: &[Field]) -> Outcome {
    within(args, |at| at != 0.0, |at| libm::log(at.recip() + ((at * at).recip() + 1.0).sqrt()))
}

pub(super) fn acoth(args: &[Field]) -> Outcome {
    within(args, |at| at.abs() > 1.0, |at| 0.5 * libm::log((at + 1.0) / (at - 1.0)))
}

pub(super) fn degrees_to_radians(args: &[Field]) -> Outcome {
    of(args, |at| at * std::f64::consts::PI / 180.0)
}

pub(super) fn radians_to_degrees(args: &[Field]) -> Outcome {
    of(args, |at| at * 180.0 / std::f64::consts::PI)
}

pub(super) fn degrees_to_gradians(args: &[Field]) -> Outcome {
    of(args, |at| at / 0.9)
}

pub(super) fn gradians_to_degrees(args: &[Field]) -> Outcome {
    of(args, |at| at * 0.9)
}

#[cfg(test)]
mod tests {
    use super::{log10, power};
    use crate::field::Field;

    #[test]
    fn powers_that_are_whole_are_exact() {
        for base in -40i64..=40 {
            for exponent in 1..=20u32 {
                let Some(exact) = base.checked_pow(exponent).filter(|of| of.abs() < 1 << 53) else {
                    continue;
                };
                let computed = power(&[Field::Int(base), Field::Int(exponent.into())]);
                assert_eq!(computed, Ok(Field::Float(exact as f64)), "{base} to the {exponent}");
            }
        }
    }

    #[test]
    fn powers_of_ten_have_whole_logarithms() {
        for exponent in 0..=22 {
            let number = Field::Float(format!("1e{exponent}").parse().unwrap());
            assert_eq!(log10(&[number]), Ok(Field::Float(f64::from(exponent))), "{exponent}");
        }
    }
}
