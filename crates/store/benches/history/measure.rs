//! Clocks, medians, and the table that is printed.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

/// What something took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    /// On all processors together.
    pub(crate) cpu: Duration,
    /// By the clock on the wall.
    pub(crate) wall: Duration,
}

impl Cost {
    /// Does something, and adds what it took.
    pub(crate) fn add<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let (cpu, begin) = (cpu(), Instant::now());
        let done = act();
        self.wall += begin.elapsed();
        self.cpu += self::cpu() - cpu;
        done
    }
}

/// What this process used so far: `utime` and `stime` of `/proc/self/stat`, in hundredths of a
/// second.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program stands in parentheses, and may hold anything.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_whitespace().skip(11).take(2);
    Duration::from_millis(ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10)
}

/// How long each of some things took.
pub(crate) fn times(count: usize, mut act: impl FnMut(usize)) -> Times {
    let once = |index| {
        let begin = Instant::now();
        act(index);
        begin.elapsed()
    };
    Times::of((0..count).map(once).collect())
}

/// How long things took, the shortest first.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Times {
        times.sort();
        Times(times)
    }

    /// The time that so many of a hundred do not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        self.0[((self.0.len() - 1) * percent).div_ceil(100)]
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

pub(crate) fn heading() {
    load();
    println!("{:<44} {:>9} {:>16} {:>16} {:>7}", "what", "events", "measured", "limit", "ratio");
}

/// How busy the machine is, without which no figure means much.
pub(crate) fn load() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("load {} on {cores} cores", load.trim_end());
}

/// One line: a figure beside its limit.
pub(crate) fn line(what: &str, events: usize, measured: Figure, limit: Figure) {
    let ratio = measured.number() / limit.number();
    println!("{what:<44} {events:>9} {:>16} {:>16} {ratio:>7.2}", measured.shown(), limit.shown());
}

/// Something measured.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    Time(Duration),
    /// Things in a second.
    Rate(f64),
    Bytes(f64),
    Times(f64),
}

impl Figure {
    /// So many things in so much time.
    pub(crate) fn rate(count: usize, time: Duration) -> Figure {
        Figure::Rate(count as f64 / time.as_secs_f64().max(1e-9))
    }

    fn number(self) -> f64 {
        match self {
            Figure::Time(time) => time.as_secs_f64(),
            Figure::Rate(number) | Figure::Bytes(number) | Figure::Times(number) => number,
        }
    }

    fn shown(self) -> String {
        match self {
            Figure::Time(time) if time < Duration::from_millis(10) => {
                format!("{:.1} us", time.as_secs_f64() * 1e6)
            }
            Figure::Time(time) => format!("{:.1} ms", time.as_secs_f64() * 1e3),
            Figure::Rate(rate) => format!("{rate:.0} /s"),
            Figure::Bytes(bytes) => format!("{bytes:.0} B"),
            Figure::Times(times) => format!("{times:.3} x"),
        }
    }
}
