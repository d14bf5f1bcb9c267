//! Durations as people write them: `30s`, `1h 30m`, `250ms`, `2 days`, `PT30S`.

use std::time::Duration;

use jiff::{SignedDuration, Span, SpanRelativeTo};

/// Beyond this nobody waits, and no calendar goes.
const LONGEST: SignedDuration = SignedDuration::from_hours(9_999 * 366 * 24);

/// The length that a text stands for, which may be below zero. A day has 24 hours; months and
/// years have no length that would be the same everywhere.
pub(crate) fn parse_signed(text: &str) -> Option<SignedDuration> {
    let span: Span = text.trim().parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (length.abs() <= LONGEST).then_some(length)
}

/// The length that a text stands for, from zero on.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    parse_signed(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_units() {
        for (text, milliseconds) in [
            ("30s", Some(30_000)),
            ("1h30m", Some(5_400_000)),
            ("1h 30m", Some(5_400_000)),
            ("1.5s", Some(1_500)),
            ("250ms", Some(250)),
            ("2 days", Some(172_800_000)),
            ("1w", Some(604_800_000)),
            ("PT30S", Some(30_000)),
            ("-5m", None),
            ("10", None),
            ("", None),
            ("soon", None),
            ("1 month", None),
            ("99999999999999999999d", None),
        ] {
            assert_eq!(parse(text), milliseconds.map(Duration::from_millis), "{text}");
        }
        assert_eq!(parse_signed("-5m"), Some(SignedDuration::from_mins(-5)));
    }
}
