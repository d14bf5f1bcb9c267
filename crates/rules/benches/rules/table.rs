//! The rows, for people and for programs.

use value::{Value, json};

use crate::jobs::{Job, Kind};

/// What one engine takes for a job: microseconds of the whole, or of one cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// Asserting the facts.
    pub(crate) assert_us: f64,
    /// Running.
    pub(crate) run_us: f64,
    /// How many rules fired; both engines must agree.
    pub(crate) fired: u64,
}

impl Figure {
    /// Both together: engines differ in when they do their work.
    pub(crate) fn us(&self) -> f64 {
        self.assert_us + self.run_us
    }
}

pub(crate) fn heading() {
    println!(
        "{:<10}{:<26}{:>10}{:>14}{:>14}{:>8}  CLIPS measured by",
        "program", "size", "fired", "quipu µs", "CLIPS µs", "times"
    );
}

pub(crate) fn row(job: &Job, ours: &Figure, clips: Option<&(Figure, String)>) {
    let (theirs, times, by) = match clips {
        None if matches!(job.kind, Kind::Fork { .. }) => (String::new(), String::new(), "has none"),
        None => (String::new(), String::new(), "not installed"),
        Some((figure, by)) => {
            let times = format!("{:.2}", figure.us() / ours.us());
            (format!("{:.2}", figure.us()), times, by.as_str())
        }
    };
    let differs = clips.is_some_and(|(figure, _)| figure.fired != ours.fired);
    let note = if differs { ", and fires another number of rules" } else { "" };
    println!(
        "{:<10}{:<26}{:>10}{:>14.2}{theirs:>14}{times:>8}  {by}{note}",
        job.name,
        job.size,
        ours.fired,
        ours.us(),
    );
}

pub(crate) fn line(job: &Job, ours: &Figure, clips: Option<&(Figure, String)>) {
    let figure = |figure: &Figure| {
        Value::map([
            ("assert_us", Value::Float(figure.assert_us)),
            ("run_us", Value::Float(figure.run_us)),
            ("fired", Value::count(figure.fired)),
        ])
    };
    let mut members = vec![
        ("program", job.name.into()),
        ("size", job.size.as_str().into()),
        ("quipu", figure(ours)),
    ];
    if let Some((theirs, by)) = clips {
        members.push(("clips", figure(theirs)));
        members.push(("clips_by", by.as_str().into()));
    }
    println!("{}", json::compact(&Value::map(members)));
}
