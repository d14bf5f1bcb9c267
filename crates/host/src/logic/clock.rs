//! What the clock says to a block: the time that it was given. Python's own local time is UTC here.

use history::Timestamp;
use monty_types::{MontyDate, MontyDateTime, MontyObject, MontyTimeZone};

/// `datetime.now(..)`
pub(super) fn now(now: Timestamp, zone: Option<MontyTimeZone>) -> MontyObject {
    let offset = zone.as_ref().map(|zone| zone.offset_seconds);
    let shift = i64::from(offset.unwrap_or(0)) * 1_000_000;
    let fields = fields(Timestamp::from_micros(now.micros() + shift));
    MontyObject::DateTime(MontyDateTime {
        year: fields.year,
        month: fields.month,
        day: fields.day,
        hour: fields.hour,
        minute: fields.minute,
        second: fields.second,
        microsecond: fields.microsecond,
        offset_seconds: offset,
        timezone_name: zone.and_then(|zone| zone.name),
    })
}

/// `date.today()`
pub(super) fn today(now: Timestamp) -> MontyObject {
    let Fields { year, month, day, .. } = fields(now);
    MontyObject::Date(MontyDate { year, month, day })
}

/// A function of the module `time`, which the interpreter does not have; none if it is not one of
/// those that look at a clock.
pub(super) fn reading(function: &str, now: Timestamp) -> Option<MontyObject> {
    let micros = now.micros();
    Some(match function {
        "time" | "monotonic" | "perf_counter" | "process_time" => {
            MontyObject::Float(micros as f64 / 1e6)
        }
        "time_ns" | "monotonic_ns" | "perf_counter_ns" | "process_time_ns" => {
            // 1970 to 2262 fits; the calendar goes further.
            MontyObject::Int(micros.saturating_mul(1_000))
        }
        _ => return None,
    })
}

/// A moment on the calendar.
struct Fields {
    year: i32,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
    microsecond: u32,
}

/// The calendar library is behind the text that a timestamp is written as.
fn fields(moment: Timestamp) -> Fields {
    let text = moment.to_string();
    let digits = |from: usize, to: usize| -> u32 {
        text[from..to].parse().expect("a timestamp is written as 2026-11-15T17:10:34.000250Z")
    };
    let small = |from: usize| u8::try_from(digits(from, from + 2)).expect("two digits");
    Fields {
        year: i32::try_from(digits(0, 4)).expect("four digits"),
        month: small(5),
        day: small(8),
        hour: small(11),
        minute: small(14),
        second: small(17),
        microsecond: digits(20, 26),
    }
}
