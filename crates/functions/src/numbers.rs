//! Arithmetic. Whole numbers stay whole and never wrap; others stay finite.

use value::Value;

use crate::{Misfit, bounds, list, misfit, not, order, whole};

enum Pair {
    Ints(i64, i64),
    Floats(f64, f64),
}

fn pair(one: &Value, other: &Value) -> Result<Pair, Misfit> {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => Ok(Pair::Ints(*one, *other)),
        _ => Ok(Pair::Floats(number(one)?, number(other)?)),
    }
}

fn number(value: &Value) -> Result<f64, Misfit> {
    match value {
        Value::Int(int) => Ok(*int as f64),
        Value::Float(float) => Ok(*float),
        other => Err(not(other, "a number")),
    }
}

fn int(result: Option<i64>) -> Result<Value, Misfit> {
    result.map(Value::Int).ok_or_else(|| misfit("the result does not fit into 64 bits"))
}

fn float(result: f64) -> Result<Value, Misfit> {
    if result.is_finite() {
        Ok(Value::Float(result))
    } else {
        Err(misfit("the result is no number"))
    }
}

/// The whole number below a float's point, if it fits.
pub(crate) fn to_int(float: f64) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    (-BEYOND..BEYOND).contains(&float).then_some(float as i64)
}

/// A counter that nobody has set yet begins at 0, as it does in conditions.
fn counted(arg: &Value) -> &Value {
    match arg {
        Value::Null => &Value::Int(0),
        other => other,
    }
}

/// Sums of numbers; texts and lists are put together.
pub(crate) fn add(args: &[Value]) -> Result<Value, Misfit> {
    if args.iter().all(|arg| arg.as_text().is_some()) {
        let texts: Vec<&str> = args.iter().filter_map(|arg| arg.as_text().map(|t| &**t)).collect();
        bounds::length(texts.iter().map(|text| text.len()).sum())?;
        return Ok(texts.concat().into());
    }
    if args.iter().all(|arg| arg.as_list().is_some()) {
        return crate::lists::chain(args);
    }
    let mut sum = counted(&args[0]).clone();
    for arg in args[1..].iter().map(counted) {
        let (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) = (&sum, arg) else {
            let kinds = format!("{} and {}", sum.kind(), arg.kind());
            return Err(misfit(format!(
                "{kinds} cannot be added; `concat` makes one text of both"
            )));
        };
        sum = match pair(&sum, arg)? {
            Pair::Ints(one, other) => int(one.checked_add(other))?,
            Pair::Floats(one, other) => float(one + other)?,
        };
    }
    Ok(sum)
}

pub(crate) fn sub(args: &[Value]) -> Result<Value, Misfit> {
    match pair(counted(&args[0]), counted(&args[1]))? {
        Pair::Ints(one, other) => int(one.checked_sub(other)),
        Pair::Floats(one, other) => float(one - other),
    }
}

pub(crate) fn mul(args: &[Value]) -> Result<Value, Misfit> {
    let mut product = counted(&args[0]).clone();
    for arg in args[1..].iter().map(counted) {
        product = match pair(&product, arg)? {
            Pair::Ints(one, other) => int(one.checked_mul(other))?,
            Pair::Floats(one, other) => float(one * other)?,
        };
    }
    Ok(product)
}

fn divisor(value: &Value) -> Result<f64, Misfit> {
    match number(value)? {
        0.0 => Err(misfit("nothing can be divided by zero")),
        divisor => Ok(divisor),
    }
}

pub(crate) fn div(args: &[Value]) -> Result<Value, Misfit> {
    float(number(&args[0])? / divisor(&args[1])?)
}

pub(crate) fn idiv(args: &[Value]) -> Result<Value, Misfit> {
    divisor(&args[1])?;
    match pair(&args[0], &args[1])? {
        Pair::Ints(one, other) => {
            let below = |quotient: i64| {
                let is_cut = one % other != 0 && (one < 0) != (other < 0);
                quotient - i64::from(is_cut)
            };
            int(one.checked_div(other).map(below))
        }
        Pair::Floats(one, other) => float((one / other).floor()),
    }
}

/// What is left has the sign of the divisor, as in Python.
pub(crate) fn modulo(args: &[Value]) -> Result<Value, Misfit> {
    divisor(&args[1])?;
    match pair(&args[0], &args[1])? {
        Pair::Ints(one, other) => {
            let rest = one.checked_rem(other).unwrap_or(0);
            let is_turned = rest != 0 && (rest < 0) != (other < 0);
            Ok(Value::Int(if is_turned { rest + other } else { rest }))
        }
        Pair::Floats(one, other) => {
            let rest = one % other;
            let is_turned = rest != 0.0 && (rest < 0.0) != (other < 0.0);
            float(if is_turned { rest + other } else { rest })
        }
    }
}

pub(crate) fn pow(args: &[Value]) -> Result<Value, Misfit> {
    if number(&args[0])? == 0.0 && number(&args[1])? < 0.0 {
        return Err(misfit("nothing can be divided by zero"));
    }
    match pair(&args[0], &args[1])? {
        Pair::Ints(base, exponent) if exponent >= 0 => {
            int(u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)))
        }
        Pair::Ints(base, exponent) => float((base as f64).powf(exponent as f64)),
        Pair::Floats(base, exponent) => float(base.powf(exponent)),
    }
}

pub(crate) fn abs(args: &[Value]) -> Result<Value, Misfit> {
    match &args[0] {
        Value::Int(number) => int(number.checked_abs()),
        other => float(number(other)?.abs()),
    }
}

fn rounded(value: &Value, how: fn(f64) -> f64) -> Result<Value, Misfit> {
    match value {
        Value::Int(number) => Ok(Value::Int(*number)),
        other => int(to_int(how(number(other)?))),
    }
}

pub(crate) fn ceil(args: &[Value]) -> Result<Value, Misfit> {
    rounded(&args[0], f64::ceil)
}

pub(crate) fn floor(args: &[Value]) -> Result<Value, Misfit> {
    rounded(&args[0], f64::floor)
}

/// Halves go to the even neighbour, as in Python.
pub(crate) fn round(args: &[Value]) -> Result<Value, Misfit> {
    let Some(digits) = args.get(1) else { return rounded(&args[0], f64::round_ties_even) };
    let digits = whole(digits)?;
    if !(0..=15).contains(&digits) {
        return Err(misfit("digits are from 0 to 15"));
    }
    if let Value::Int(number) = args[0] {
        return Ok(Value::Int(number));
    }
    let number = number(&args[0])?;
    // As text a number is rounded by what it is, and not by what ten times it would be.
    let text = format!("{number:.*}", usize::try_from(digits).unwrap_or(0));
    float(text.parse().unwrap_or(number))
}

fn extreme(args: &[Value], is_better: fn(std::cmp::Ordering) -> bool) -> Result<Value, Misfit> {
    let values = match args {
        [Value::List(items)] => items,
        values => values,
    };
    let (first, rest) =
        values.split_first().ok_or_else(|| misfit("there is nothing to choose from"))?;
    order::comparable(first, first)?;
    let mut best = first;
    for value in rest {
        if is_better(order::comparable(value, best)?) {
            best = value;
        }
    }
    Ok(best.clone())
}

pub(crate) fn min(args: &[Value]) -> Result<Value, Misfit> {
    extreme(args, std::cmp::Ordering::is_lt)
}

pub(crate) fn max(args: &[Value]) -> Result<Value, Misfit> {
    extreme(args, std::cmp::Ordering::is_gt)
}

pub(crate) fn clamp(args: &[Value]) -> Result<Value, Misfit> {
    let [value, low, high] = args else { return Err(misfit("it takes 3 arguments")) };
    if order::comparable(low, high)?.is_gt() {
        return Err(misfit("the lower end is above the upper end"));
    }
    let below = order::comparable(value, low)?.is_lt();
    let above = order::comparable(value, high)?.is_gt();
    Ok(if below {
        low
    } else if above {
        high
    } else {
        value
    }
    .clone())
}

pub(crate) fn range(args: &[Value]) -> Result<Value, Misfit> {
    let (start, end, step) = match args {
        [end] => (0, whole(end)?, 1),
        [start, end] => (whole(start)?, whole(end)?, 1),
        [start, end, step, ..] => (whole(start)?, whole(end)?, whole(step)?),
        [] => (0, 0, 1),
    };
    let distance = i128::from(end) - i128::from(start);
    let step = i128::from(step);
    if step == 0 {
        return Err(misfit("the step is zero"));
    }
    let count = if (distance > 0) == (step > 0) {
        (distance.abs() + step.abs() - 1) / step.abs()
    } else {
        0
    };
    let count = usize::try_from(count).ok().filter(|count| *count <= bounds::RANGE_MAX);
    let count = count.ok_or_else(|| misfit(format!("more than {} numbers", bounds::RANGE_MAX)))?;
    let numbers = (0..count).map_while(|at| {
        let number = i128::from(start) + i128::try_from(at).ok()? * step;
        i64::try_from(number).ok().map(Value::Int)
    });
    Ok(Value::list(numbers))
}

/// The items whose score reaches a bound.
pub(crate) fn filter_high_score(args: &[Value]) -> Result<Value, Misfit> {
    let bound = number(&args[1])?;
    let field =
        args.get(2).map_or(Ok("score"), |field| crate::text(field).map(|field| &**field))?;
    let is_high = |item: &&Value| {
        item.get(field).is_some_and(|score| number(score).is_ok_and(|score| score >= bound))
    };
    Ok(Value::list(list(&args[0])?.iter().filter(is_high).cloned()))
}
