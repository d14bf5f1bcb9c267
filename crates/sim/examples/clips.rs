//! Holds our rules against CLIPS: `cargo run --release -p quipu-sim --example clips -- [--programs N]
//! [--seed N] [--list 1]`. Programs that differ are printed, made small; then it ends with 1.
//! With `--list 1` the seeds of those that have no answer are printed, too.
#![expect(clippy::print_stdout, reason = "it is a command")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sim::rules::{Clips, Verdict, case, check, quipu};

/// So many differences are told before it stops: the rest is most likely the same mistake.
const DIFFERENCES_MAX: usize = 40;

fn main() -> ExitCode {
    let (mut programs, mut first) = (10_000, 1);
    let mut listed = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match (word.as_str(), words.next().and_then(|number| number.parse().ok())) {
            ("--programs", Some(number)) => programs = number,
            ("--seed", Some(number)) => first = number,
            ("--list", Some(number)) => listed = number != 0,
            _ => {
                println!("usage: clips [--programs N] [--seed N] [--list 1]");
                return ExitCode::from(2);
            }
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clips");
    if let Err(why) = Clips::install(&folder) {
        println!("CLIPS cannot be asked: {why}");
        return ExitCode::from(2);
    }
    let counts: Mutex<BTreeMap<Verdict, usize>> = Mutex::default();
    let next = AtomicU64::new(first);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let Ok(mut clips) = Clips::install(&folder) else { return };
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + programs || told(&counts) >= DIFFERENCES_MAX {
                        break;
                    }
                    let (verdict, difference) = check(&mut clips, quipu, &case(seed));
                    if let Ok(mut counts) = counts.lock() {
                        *counts.entry(verdict).or_default() += 1;
                        let is_answered = matches!(verdict, Verdict::Equal | Verdict::BothReject);
                        if listed && !is_answered {
                            println!("--- seed {seed}: {verdict}");
                        }
                        if let Some(difference) = difference {
                            println!("--- seed {seed}\n{difference}\n");
                        }
                    }
                }
            });
        }
    });
    for (verdict, count) in counts.lock().iter().flat_map(|counts| counts.iter()) {
        println!("{count:>7} {verdict}");
    }
    if told(&counts) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn told(counts: &Mutex<BTreeMap<Verdict, usize>>) -> usize {
    counts.lock().ok().and_then(|counts| counts.get(&Verdict::Different).copied()).unwrap_or(0)
}
