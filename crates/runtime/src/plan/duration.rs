//! Lengths of time as graphs write them.

use value::Value;

/// Milliseconds: as a number, or as a text like `30s`, `1h 30m`, `1.5 days` or `PT30S`. Nothing
/// where it cannot be read: a time that is not meant must not be waited for.
pub(super) fn read(written: &Value) -> Option<u64> {
    match written {
        Value::Int(number) => u64::try_from(*number).ok(),
        Value::Text(text) => parse(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    // `P1DT2H`: the same parts, and months look like minutes where they stand before the `T`.
    let parts = match text.strip_prefix('p') {
        None => text,
        Some(rest) => {
            let (days, times) = rest.split_once('t').unwrap_or((rest, ""));
            if days.contains('m') || (rest.contains('t') && times.is_empty()) {
                return None;
            }
            format!("{days}{times}")
        }
    };
    let mut rest = parts.trim_start();
    let mut sum = None;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, behind) = rest.split_at(end);
        let behind = behind.trim_start();
        let end = behind.find(|letter: char| !letter.is_ascii_alphabetic());
        let (unit, behind) = behind.split_at(end.unwrap_or(behind.len()));
        let part = part(number, unit_ms(unit)?)?;
        sum = Some(sum.unwrap_or(0u64).checked_add(part)?);
        rest = behind.trim_start();
    }
    sum
}

fn unit_ms(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        "w" | "week" | "weeks" => 604_800_000,
        _ => return None,
    })
}

/// So many of a unit; what is finer than a millisecond is left out.
fn part(number: &str, unit: u64) -> Option<u64> {
    let (whole, behind) = number.split_once('.').unwrap_or((number, "0"));
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    let digits = u32::try_from(behind.len()).ok().filter(|digits| *digits <= 9)?;
    let finer = behind.parse::<u64>().ok()?.checked_mul(unit)? / 10u64.pow(digits);
    whole.checked_add(finer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_units() {
        for (text, milliseconds) in [
            ("1s", Some(1_000)),
            ("5m", Some(300_000)),
            (" 1h30m ", Some(5_400_000)),
            ("1h 30 min", Some(5_400_000)),
            ("1.5s", Some(1_500)),
            ("250ms", Some(250)),
            ("2 days", Some(172_800_000)),
            ("1w", Some(604_800_000)),
            ("PT1S", Some(1_000)),
            ("P1DT2H", Some(93_600_000)),
            ("P1M", None),
            ("P1DT", None),
            ("P", None),
            ("-5m", None),
            ("10", None),
            ("", None),
            ("soon", None),
            ("1 month", None),
            ("1.s", None),
            ("s", None),
            ("1..5s", None),
            ("99999999999999999999d", None),
            ("1.9999999999s", None),
            ("größer", None),
        ] {
            assert_eq!(read(&Value::text(text)), milliseconds, "{text}");
        }
        assert_eq!(read(&Value::Int(5)), Some(5));
        assert_eq!(read(&Value::Int(-5)), None);
        assert_eq!(read(&Value::Bool(true)), None);
    }
}
