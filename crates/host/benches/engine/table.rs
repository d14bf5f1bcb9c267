//! Medians, and the table that is printed.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

/// What something took.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    /// By the clock on the wall.
    pub(crate) wall: Duration,
    /// On the processor, by this thread.
    pub(crate) cpu: Duration,
}

/// Does something, and says what it took.
pub(crate) fn took<T>(act: impl FnOnce() -> T) -> (T, Taken) {
    let (cpu, begin) = (processor(), Instant::now());
    let done = act();
    let wall = begin.elapsed();
    (done, Taken { wall, cpu: processor().saturating_sub(cpu) })
}

/// What this thread has had of the processor, as Linux counts it.
fn processor() -> Duration {
    // What is counted is brought up to date when a thread makes room for others.
    std::thread::yield_now();
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = counted.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The medians of what several rounds took; one before them warms up.
pub(crate) fn rounds(count: usize, mut act: impl FnMut() -> Taken) -> Taken {
    act();
    medians((0..count).map(|_| act()).collect())
}

/// The median of each.
pub(crate) fn medians(taken: Vec<Taken>) -> Taken {
    let wall = median(taken.iter().map(|taken| taken.wall).collect());
    Taken { wall, cpu: median(taken.iter().map(|taken| taken.cpu).collect()) }
}

/// The one in the middle.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
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
    let (median, cpu, limit) = ("median", "processor", "limit");
    println!("{:<55} {:>9} {median:>11} {cpu:>11} {limit:>11}  ratio", "what", "of");
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

/// One line: what each of so many things took of the processor, beside its limit.
pub(crate) fn times(what: &str, count: usize, taken: Taken, limit: Duration) {
    let each = |time| Figure::each(count, time);
    row(what, count, each(taken.wall), Some(each(taken.cpu)), Figure::Time(limit));
}

/// One line: how many things a second there were, beside the limit.
pub(crate) fn rates(what: &str, count: usize, taken: Taken, limit: f64) {
    let rate = |time| Figure::rate(count, time);
    row(what, count, rate(taken.wall), Some(rate(taken.cpu)), Figure::Rate(limit));
}

/// Where one thread waits for nothing, what it had of the processor counts: who else wanted it is
/// no matter of ours.
fn row(what: &str, count: usize, measured: Figure, cpu: Option<Figure>, limit: Figure) {
    let ratio = cpu.unwrap_or(measured).number() / limit.number();
    let is_within = if limit.is_rate() { ratio >= 1.0 } else { ratio <= 1.0 };
    let remark = if is_within { "" } else { "  missed" };
    let cpu = cpu.map(Figure::shown).unwrap_or_default();
    let (measured, limit) = (measured.shown(), limit.shown());
    println!("{what:<55} {count:>9} {measured:>11} {cpu:>11} {limit:>11} {ratio:>6.2}{remark}");
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
