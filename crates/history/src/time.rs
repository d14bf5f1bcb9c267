//! Times as events write them.

use std::fmt;

/// A moment, to the microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The beginning of 1970.
    pub const EPOCH: Timestamp = Timestamp(0);

    /// From microseconds since 1970. Moments that no calendar date of four digits has become the
    /// nearest that has one.
    pub fn from_micros(micros: i64) -> Timestamp {
        // 0001-01-01T00:00:00Z, and 9999-12-30T22:00:00Z, the last that the calendar library has.
        Timestamp(micros.clamp(-62_135_596_800_000_000, 253_402_207_200_000_000))
    }

    /// Microseconds since 1970.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Reads any RFC 3339 time; digits beyond the microsecond do not count.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Timestamp::from_micros(moment.as_microsecond()))
    }

    /// Whether a text is a time as events write them: in UTC with `Z`, to any precision.
    pub fn is_utc(text: &str) -> bool {
        let is_plain = text.as_bytes().get(10) == Some(&b'T') && text.ends_with('Z');
        is_plain && Timestamp::parse(text).is_some()
    }
}

/// The way in which it is written here: in UTC, six digits behind the second, and `Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_microsecond(self.0).expect("clamped when made");
        write!(f, "{moment:.6}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc_to_any_precision() {
        let text = "2026-11-15T17:10:34.000250Z";
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        for utc in [text, "2026-11-15T17:10:34Z", "2026-11-15T17:10:34.123Z"] {
            assert!(Timestamp::is_utc(utc), "{utc}");
        }
        for other in
            ["2026-11-15T18:10:34.000250+01:00", "2026-11-15 17:10:34Z", "2026-11-15", "now", ""]
        {
            assert!(!Timestamp::is_utc(other), "{other}");
        }
        for end in [i64::MIN, i64::MAX] {
            assert!(Timestamp::is_utc(&Timestamp::from_micros(end).to_string()));
        }
    }
}
