//! Durations: `86400` is seconds, and text has units: `10s`, `5m`, `1h30m`.

/// The milliseconds that a text stands for.
pub(super) fn parse(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end = rest[end..]
            .find(|letter: char| letter.is_ascii_digit() || letter == '.')
            .map_or(rest.len(), |at| end + at);
        let each = match rest[end..unit_end].trim() {
            "ms" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hour" | "hours" => 3_600_000.0,
            "d" | "day" | "days" => 86_400_000.0,
            _ => return None,
        };
        let milliseconds = number * each;
        // Beyond this a float no longer counts every millisecond, and nobody waits that long.
        if !(0.0..9.0e15).contains(&milliseconds) {
            return None;
        }
        total = total.checked_add(milliseconds as i64)?;
        rest = rest[unit_end..].trim_start();
    }
    Some(total)
}

/// The milliseconds of so many seconds.
pub(super) fn of_seconds(seconds: i64) -> Option<i64> {
    seconds.checked_mul(1_000).filter(|milliseconds| *milliseconds >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_units() {
        for (text, milliseconds) in [
            ("10s", Some(10_000)),
            ("5m", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("1.5 s", Some(1_500)),
            ("250ms", Some(250)),
            ("2 days", Some(172_800_000)),
            ("10", None),
            ("", None),
            ("soon", None),
            ("-5m", None),
            ("1..5s", None),
            ("99999999999999999999d", None),
        ] {
            assert_eq!(parse(text), milliseconds, "{text}");
        }
        assert_eq!(of_seconds(86_400), Some(86_400_000));
        assert_eq!(of_seconds(-1), None);
        assert_eq!(of_seconds(i64::MAX), None);
    }
}
