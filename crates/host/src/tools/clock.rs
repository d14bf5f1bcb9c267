//! The built-in tool `clock`. It knows no time but the run's own.

use history::Timestamp;
use value::Value;

use super::builtin::Arguments;
use super::duration;

const SECOND: i64 = 1_000_000;

pub(super) fn run(arguments: &Arguments<'_>) -> Result<Value, String> {
    let operation = match arguments.get("operation") {
        None => "now",
        Some(_) => arguments.operation(&["now", "parse", "format", "add"])?,
    };
    match operation {
        "parse" => Ok(seconds(time(arguments.text("time")?.ok_or("`time` is missing")?)?)),
        "format" => {
            let seconds = arguments.get("seconds").ok_or("`seconds` is missing")?;
            Ok(written(Timestamp::from_micros(micros("seconds", seconds)?)))
        }
        "add" => {
            let from = arguments.text("time")?.map_or(Ok(arguments.now), |text| time(text))?;
            let length = arguments.get("duration").ok_or("`duration` is missing")?;
            let sum = from.micros().checked_add(length_micros(length)?);
            let sum = sum.filter(|sum| Timestamp::from_micros(*sum).micros() == *sum);
            sum.map(|sum| written(Timestamp::from_micros(sum)))
                .ok_or_else(|| "the time is beyond the calendar".to_owned())
        }
        _ => Ok(written(arguments.now)),
    }
}

fn written(time: Timestamp) -> Value {
    time.to_string().into()
}

fn time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| {
        format!("`{text}` is no time: write it as in RFC 3339, such as `2026-01-31T09:30:00Z`")
    })
}

/// A whole number where it can be one.
fn seconds(time: Timestamp) -> Value {
    if time.micros() % SECOND == 0 {
        return Value::Int(time.micros() / SECOND);
    }
    Value::Float(time.micros() as f64 / SECOND as f64)
}

fn length_micros(length: &Value) -> Result<i64, String> {
    let Value::Text(text) = length else { return micros("duration", length) };
    let length = duration::parse_signed(text).and_then(|length| length.as_micros().try_into().ok());
    length.ok_or_else(|| format!("`{text}` is no duration: write it such as `1h 30m`"))
}

/// The microseconds of so many seconds.
fn micros(name: &str, seconds: &Value) -> Result<i64, String> {
    let too_large = || format!("`{name}` is too large");
    match seconds {
        Value::Int(seconds) => seconds.checked_mul(SECOND).ok_or_else(too_large),
        Value::Float(seconds) => {
            let micros = (seconds * SECOND as f64).round();
            if micros.abs() < i64::MAX as f64 { Ok(micros as i64) } else { Err(too_large()) }
        }
        other => Err(format!("`{name}` must be a number, but is {}", other.kind())),
    }
}
