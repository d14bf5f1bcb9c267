//! What is kept of runs: to read them again, and while they wait.

use std::path::Path;

use graph::Again;
use history::Stream;
use host::{Stopped, load};
use runtime::NoLogic;
use store::{MemoryStore, SqliteStore, Store};
use value::Map;

use crate::Scale;
use crate::graphs::{calling_loop, question};
use crate::table::{Figure, Taken, aside, line, rates, rounds, took};
use crate::world::{Counts, drive, given};

pub(crate) fn replay(scale: &Scale) {
    let stores: [(&str, Box<dyn Store>); 2] = [
        ("memory", Box::<MemoryStore>::default()),
        ("SQLite", {
            let path = scale.file("replay");
            Box::new(SqliteStore::open(path).expect("a file can be made"))
        }),
    ];
    for (what, store) in stores {
        for steps in [1_000, 10_000, 100_000].map(|steps| scale.of(steps)) {
            let (run, made) = (format!("r{steps}"), calling_loop(steps));
            drive(&*store, &Counts, &made, &run, given(), Again::Freely);
            let mut events = 0;
            let measured = rounds(7, || {
                let (loaded, taken) =
                    took(|| load(&*store, &Stream::run(&*run), None, &mut NoLogic));
                let loaded = loaded.unwrap_or_else(|error| panic!("{error:?}"));
                assert!(loaded.run.is_over());
                events = loaded.next as usize;
                taken
            });
            rates(&format!("events read again, from {what}"), events, measured, 150_000.0);
        }
    }
}

/// Begins runs and drives each until it waits, from several threads that share one wait for the
/// disk.
pub(crate) fn waiting(scale: &Scale) {
    const THREADS: usize = 16;
    let made = question();
    let path = scale.file("waiting");
    let store = SqliteStore::open(&path).expect("a file can be made");
    let each = scale.of(100_000).div_ceil(THREADS);
    let runs = each * THREADS;
    let begin_some = |name: &str, count: usize| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (made, store) = (&made, &store);
                scope.spawn(move || {
                    for number in 0..count {
                        let run = format!("{name}-{thread}-{number}");
                        let inputs = Map::default();
                        let stopped = drive(store, &Counts, made, &run, inputs, Again::Freely);
                        assert_eq!(stopped, Stopped::Waiting);
                    }
                });
            }
        });
    };
    // What the threads themselves and the file's cache take is there before.
    begin_some("before", 10);
    let before = resident();
    let ((), taken) = took(|| begin_some("run", each));
    let grown = resident().saturating_sub(before);
    let limit = Figure::Bytes(100e6);
    line("resident memory of waiting runs", runs, Figure::Bytes(grown as f64), limit);
    aside("runs begun, asked and left waiting", runs, Figure::rate(runs, taken.wall));
    drop(store);
    let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
    aside("on the disk, for each run", runs, Figure::Bytes(bytes as f64 / runs as f64));
    report_reopened(&path, runs);
}

/// A process that comes later keeps as little.
fn report_reopened(path: &Path, runs: usize) {
    let before = resident();
    let store = SqliteStore::open(path).expect("it was just closed");
    let (found, taken): (usize, Taken) = took(|| {
        let (mut after, mut found) = (None, 0);
        loop {
            let page = history::Archive::streams(&store, after.as_ref(), 1_000);
            let page = page.expect("it can be read");
            found += page.len();
            match page.last() {
                Some(last) => after = Some(last.stream.clone()),
                None => break found,
            }
        }
    });
    assert!(found >= runs);
    aside("to find them all again", runs, Figure::Time(taken.wall));
    let grown = resident().saturating_sub(before);
    aside("resident memory after that", runs, Figure::Bytes(grown as f64));
}

/// What this process has in memory.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4_096
}
