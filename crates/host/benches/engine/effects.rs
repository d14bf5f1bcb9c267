//! Steps that call a tool, at every durability.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use graph::Again;
use history::Stream;
use host::{Adapter, Call, Calling, Stopped};
use store::{MemoryStore, SqliteStore, Store};
use value::{Map, Value};

use crate::Scale;
use crate::bare::Bare;
use crate::graphs::{Made, calling_fan_out, calling_loop, inputs};
use crate::table::{Figure, Taken, aside, line, median, rounds, times, took};
use crate::world::{Counts, answer, drive, given};

/// LangGraph's step with its SQLite saver, as it was measured for the issue; `bench/peers`
/// measures it again beside ours.
const LANGGRAPH_SQLITE: Duration = Duration::from_micros(1_150);

/// A whole run, from its beginning to its end.
pub(crate) fn whole(store: &dyn Store, made: &Made, given: Map, again: Again) -> Taken {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let run = format!("r{}", NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let (stopped, taken) = took(|| drive(store, &Counts, made, &run, given, again));
    assert_eq!(stopped, Stopped::Over);
    taken
}

pub(crate) fn in_memory(scale: &Scale) {
    for (what, again) in [("free to run again", Again::Freely), ("with a key", Again::WithKey)] {
        for steps in [1_000, 10_000, 100_000].map(|steps| scale.of(steps)) {
            let made = calling_loop(steps);
            let measured = rounds(9, || whole(&MemoryStore::default(), &made, given(), again));
            let limit = Duration::from_micros(10);
            times(&format!("effect in memory, {what}"), steps, measured, limit);
        }
    }
}

/// Calls that are all open at the same time must not cost more, each, the more there are: whether
/// most of them wait, or all have left.
pub(crate) fn open_at_once(scale: &Scale) {
    for calls in [100, 1_000, 10_000].map(|calls| scale.of(calls)) {
        let items = Value::list((0..calls as i64).map(Value::Int));
        let given = || inputs([("items", items.clone())]);
        let store = MemoryStore::default;
        let (mut made, limit) = (calling_fan_out(), Duration::from_micros(20));
        let measured = rounds(5, || whole(&store(), &made, given(), Again::WithKey));
        times("call of a branch, all open at once", calls, measured, limit);
        made.in_flight = calls as u64;
        let measured = rounds(5, || whole(&store(), &made, given(), Again::Freely));
        times("call of a branch, all under way at once", calls, measured, limit);
    }
}

/// Between two calls of the tool lies one step. Each call also inserts one bare row, so that both
/// meet the same disk at the same time.
struct Alternating {
    bare: Mutex<Bare>,
    bytes: Vec<u8>,
    times: Mutex<Times>,
}

#[derive(Default)]
struct Times {
    left: Option<Instant>,
    steps: Vec<Duration>,
    rows: Vec<Duration>,
}

impl Adapter for Alternating {
    fn call(&self, call: Call) -> Calling {
        let came = Instant::now();
        let mut times = self.times.lock().expect("nothing panics here");
        let step = times.left.map(|left| came - left);
        times.steps.extend(step);
        let bare = self.bare.lock().expect("nothing panics here");
        let begin = Instant::now();
        bare.insert(&self.bytes);
        times.rows.push(begin.elapsed());
        let answer = answer(&call);
        times.left = Some(Instant::now());
        Calling::Now(answer)
    }
}

/// The bytes of all events between two calls.
fn bytes_of_a_step(store: &dyn Store, run: &str) -> usize {
    let entries = store.read(&Stream::run(run), 3, 3).expect("it was written");
    entries.iter().map(|entry| entry.event.body().len()).sum()
}

/// Medians of a step and of a bare row, taken in turns.
fn beside_a_row(scale: &Scale, again: Again, synchronous: &str) -> (Duration, Duration, usize) {
    let name = synchronous.to_lowercase();
    let (path, bare) = (scale.file(&format!("ours-{name}")), scale.file(&format!("bare-{name}")));
    let store = SqliteStore::open(&path).expect("a file can be made");
    drive(&store, &Counts, &calling_loop(50), "before", given(), again);
    let bytes = vec![b'x'; bytes_of_a_step(&store, "before")];
    let length = bytes.len();
    let bare = Mutex::new(Bare::new(&bare, &path, synchronous));
    let adapter = Alternating { bare, bytes, times: Mutex::default() };
    let made = calling_loop(scale.of(3_000));
    drive(&store, &adapter, &made, "measured", given(), again);
    let times = adapter.times.into_inner().expect("nothing panics here");
    (median(times.steps), median(times.rows), length)
}

pub(crate) fn on_the_disk(scale: &Scale) {
    let steps = scale.of(3_000);
    let (step, row, bytes) = beside_a_row(scale, Again::WithKey, "FULL");
    let limit = Figure::Time(row.mul_f64(1.2));
    line("effect on the disk (fsync), against 1.2 bare rows", steps, Figure::Time(step), limit);
    aside("one bare row, fsynced, of the same bytes", steps, Figure::Time(row));
    aside("bytes of a step's events", 1, Figure::Bytes(bytes as f64));
    aside("how many of it one step of LangGraph takes", 1, Figure::times(LANGGRAPH_SQLITE, step));
}

pub(crate) fn past_a_crash(scale: &Scale) {
    let steps = scale.of(3_000);
    let (step, row, bytes) = beside_a_row(scale, Again::Freely, "NORMAL");
    let limit = Figure::Time(LANGGRAPH_SQLITE / 15);
    line(
        "effect that survives the process, against LangGraph/15",
        steps,
        Figure::Time(step),
        limit,
    );
    aside("one bare row, not synced, of the same bytes", steps, Figure::Time(row));
    aside("bytes of a step's events", 1, Figure::Bytes(bytes as f64));
}

pub(crate) fn concurrent(scale: &Scale) {
    let each = scale.of(1_000);
    let made = calling_loop(each);
    for runs in [1, 8, 64] {
        let path = scale.file(&format!("concurrent-{runs}"));
        let store = SqliteStore::open(path).expect("a file can be made");
        let ((), taken) = took(|| {
            std::thread::scope(|scope| {
                for _ in 0..runs {
                    scope.spawn(|| whole(&store, &made, given(), Again::WithKey));
                }
            });
        });
        let steps = runs * each;
        match runs {
            64 => {
                let limit = Figure::Rate(15_000.0);
                line(
                    "effects on the disk of 64 runs",
                    steps,
                    Figure::rate(steps, taken.wall),
                    limit,
                );
            }
            _ => aside(&format!("of {runs}"), steps, Figure::rate(steps, taken.wall)),
        }
    }
}
