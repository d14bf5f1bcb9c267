//! Medians, and the table that is printed.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

/// What something took in several rounds, the shortest first.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Times {
        times.sort();
        Times(times)
    }

    pub(crate) fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    /// What it takes when nobody else wants the processor.
    pub(crate) fn least(&self) -> Duration {
        self.0[0]
    }
}

/// So many rounds; one before them warms up.
pub(crate) fn rounds(count: usize, mut act: impl FnMut() -> Duration) -> Times {
    act();
    Times::of((0..count).map(|_| act()).collect())
}

/// How long something took.
pub(crate) fn took<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let done = act();
    (done, begin.elapsed())
}

/// Something measured.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    Time(Duration),
    /// Things in a second.
    Rate(f64),
    Bytes(f64),
    /// So many times as much as something else.
    Times(f64),
}

impl Figure {
    /// So many things in so much time.
    pub(crate) fn rate(count: usize, time: Duration) -> Figure {
        Figure::Rate(count as f64 / time.as_secs_f64().max(1e-9))
    }

    /// What each of so many things took.
    pub(crate) fn each(count: usize, time: Duration) -> Figure {
        Figure::Time(Duration::from_secs_f64(time.as_secs_f64() / count.max(1) as f64))
    }

    /// How many times as long as something else.
    pub(crate) fn times(time: Duration, other: Duration) -> Figure {
        Figure::Times(time.as_secs_f64() / other.as_secs_f64().max(1e-12))
    }

    fn number(self) -> f64 {
        match self {
            Figure::Time(time) => time.as_secs_f64(),
            Figure::Rate(number) | Figure::Bytes(number) | Figure::Times(number) => number,
        }
    }

    fn shown(self) -> String {
        match self {
            Figure::Time(time) if time < Duration::from_micros(1) => {
                format!("{:.1} ns", time.as_secs_f64() * 1e9)
            }
            Figure::Time(time) if time < Duration::from_millis(10) => {
                format!("{:.1} us", time.as_secs_f64() * 1e6)
            }
            Figure::Time(time) => format!("{:.1} ms", time.as_secs_f64() * 1e3),
            Figure::Rate(rate) => format!("{rate:.0} /s"),
            Figure::Bytes(bytes) if bytes < 1e5 => format!("{bytes:.0} B"),
            Figure::Bytes(bytes) => format!("{:.1} MB", bytes / 1e6),
            Figure::Times(times) => format!("{times:.2} x"),
        }
    }

    /// Whether more of it is better.
    fn is_rate(self) -> bool {
        matches!(self, Figure::Rate(_))
    }
}

pub(crate) fn heading() {
    load();
    let (median, least, limit) = ("median", "least", "limit");
    println!("{:<55} {:>9} {median:>11} {least:>11} {limit:>11}  ratio", "what", "of");
}

/// How busy the machine is, without which no figure means much.
pub(crate) fn load() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("load {} on {cores} cores", load.trim_end());
}

/// One line: a figure beside its limit.
pub(crate) fn line(what: &str, count: usize, measured: Figure, limit: Figure) {
    row(what, count, measured, None, limit);
}

/// One line: what each of so many things took, beside its limit.
pub(crate) fn times(what: &str, count: usize, times: &Times, limit: Duration) {
    let each = |time| Figure::each(count, time);
    row(what, count, each(times.median()), Some(each(times.least())), Figure::Time(limit));
}

/// One line: how many things a second there were, beside the limit.
pub(crate) fn rates(what: &str, count: usize, times: &Times, limit: f64) {
    let rate = |time| Figure::rate(count, time);
    row(what, count, rate(times.median()), Some(rate(times.least())), Figure::Rate(limit));
}

fn row(what: &str, count: usize, measured: Figure, least: Option<Figure>, limit: Figure) {
    let ratio = measured.number() / limit.number();
    let is_within = if limit.is_rate() { ratio >= 1.0 } else { ratio <= 1.0 };
    let remark = if is_within { "" } else { "  missed" };
    let least = least.map(Figure::shown).unwrap_or_default();
    let (measured, limit) = (measured.shown(), limit.shown());
    println!("{what:<55} {count:>9} {measured:>11} {least:>11} {limit:>11} {ratio:>6.2}{remark}");
}

/// One line without a limit: how a figure grows, or what another one is made of.
pub(crate) fn aside(what: &str, count: usize, measured: Figure) {
    println!("  {what:<53} {count:>9} {:>11}", measured.shown());
}

/// A figure for `bench/peers`.
pub(crate) fn json(figure: &str, shape: &str, steps: usize, time: Duration) {
    let us = time.as_secs_f64() * 1e6 / steps as f64;
    println!(
        r#"{{"system": "quipu", "figure": "{figure}", "shape": "{shape}", "steps": {steps}, "us": {us:.3}}}"#
    );
}
