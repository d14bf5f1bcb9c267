//! How long things took: from what was asked to what came of it.

use std::collections::BTreeMap;

use value::{Map, Text, Value};

use crate::kinds::Kind;
use crate::{Event, Timestamp};

/// Remembers what is open in a run that is looked at from its beginning.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    open: BTreeMap<(Asked, Text), Timestamp>,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Run,
    Model,
    Tool,
    Approval,
    Question,
    Timer,
}

impl Timing {
    /// Takes note of an event, and says how many microseconds what it ends has taken.
    pub fn observe(&mut self, event: &Event, members: &Map) -> Option<i64> {
        let ts = Event::ts(members)?;
        let text = |name: &str| members.get(name).and_then(Value::as_text).cloned();
        let referenced = |name: &str| members.get(name)?.get("event_id")?.as_text().cloned();
        let begins = match event.kind() {
            Kind::RunStarted => Some((Asked::Run, Some("".into()))),
            Kind::ModelRequest => {
                let id = text("request_id").unwrap_or_else(|| event.id().to_string().into());
                Some((Asked::Model, Some(id)))
            }
            Kind::ToolCall => Some((Asked::Tool, text("call_id"))),
            Kind::ApprovalRequested => Some((Asked::Approval, Some(event.id().to_string().into()))),
            Kind::QuestionAsked => Some((Asked::Question, text("question_id"))),
            Kind::TimerSet => Some((Asked::Timer, text("timer"))),
            _ => None,
        };
        if let Some((asked, Some(id))) = begins {
            self.open.insert((asked, id), ts);
            return None;
        }
        let ends = match event.kind() {
            Kind::RunFinished | Kind::RunCancelled => (Asked::Run, Some("".into())),
            Kind::ModelResponse => (Asked::Model, text("request_id")),
            Kind::ToolResult => (Asked::Tool, text("call_id")),
            Kind::ApprovalDecided => (Asked::Approval, referenced("request")),
            Kind::QuestionAnswered => (Asked::Question, text("question_id")),
            Kind::TimerFired => (Asked::Timer, text("timer")),
            _ => return None,
        };
        let begun = self.open.remove(&(ends.0, ends.1?))?;
        // Clocks may go backwards; nothing takes less than no time.
        (ts >= begun).then(|| ts.micros() - begun.micros())
    }
}

/// How long something took, in the units that a person would use.
pub fn duration_words(micros: i64) -> String {
    const MILLI: i64 = 1_000;
    const SECOND: i64 = 1_000 * MILLI;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match micros {
        ..SECOND => format!("{} ms", micros / MILLI),
        SECOND..MINUTE => format!("{}.{} s", micros / SECOND, micros % SECOND / (100 * MILLI)),
        MINUTE..HOUR => format!("{} min {} s", micros / MINUTE, micros % MINUTE / SECOND),
        HOUR..DAY => format!("{} h {} min", micros / HOUR, micros % HOUR / MINUTE),
        DAY.. => format!("{} d {} h", micros / DAY, micros % DAY / HOUR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_units_of_people() {
        for (micros, words) in [
            (999, "0 ms"),
            (999_999, "999 ms"),
            (1_170_000, "1.1 s"),
            (60_000_000, "1 min 0 s"),
            (3_661_000_000, "1 h 1 min"),
            (90_000_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration_words(micros), words);
        }
    }

    #[test]
    fn an_answer_takes_as_long_as_it_was_waited_for() {
        let at = |second: u8, rest: &str| {
            let ts = format!("2026-01-01T00:00:{second:02}.000000Z");
            Event::read(&format!(r#"{{"ts":"{ts}",{rest}}}"#)).unwrap()
        };
        let mut timing = Timing::default();
        let mut took = |event: &Event| timing.observe(event, &event.members());
        assert_eq!(took(&at(0, r#""kind":"run_started""#)), None);
        assert_eq!(took(&at(1, r#""kind":"tool_call","call_id":"c1""#)), None);
        assert_eq!(took(&at(2, r#""kind":"tool_call","call_id":"c2""#)), None);
        assert_eq!(took(&at(4, r#""kind":"tool_result","call_id":"c1""#)), Some(3_000_000));
        assert_eq!(took(&at(5, r#""kind":"tool_result","call_id":"c1""#)), None);
        assert_eq!(took(&at(1, r#""kind":"tool_result","call_id":"c2""#)), None);
        assert_eq!(took(&at(9, r#""kind":"run_finished""#)), Some(9_000_000));
    }
}
