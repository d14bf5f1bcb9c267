//! Checks millions of seeds: `cargo run --release -p quipu-sim --example soak -- --seeds 1000000
//! [--from N]`. A seed that fails is printed, made small, and written to `crates/sim/cases/`,
//! where the tests find it from then on.
#![expect(clippy::print_stdout, reason = "it is a command")]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use sim::engine::soak::{failure, oracle_of, smallest};

/// So many seeds may fail before it stops: the rest is most likely the same mistake.
const FAILURES_MAX: u64 = 10;

fn main() -> Result<(), String> {
    let (mut seeds, mut from) = (100_000, 0);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = words.next().and_then(|number| number.parse().ok());
        match (word.as_str(), number) {
            ("--seeds", Some(number)) => seeds = number,
            ("--from", Some(number)) => from = number,
            _ => return Err("usage: soak [--seeds N] [--from N]".to_string()),
        }
    }
    // Mistakes that the engine notices itself are told with their seed.
    std::panic::set_hook(Box::new(|_| {}));
    let (next, failures, begin) = (AtomicU64::new(from), AtomicU64::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while failures.load(Ordering::Relaxed) < FAILURES_MAX {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + seeds {
                        break;
                    }
                    if let Some(why) = failure(seed) {
                        failures.fetch_add(1, Ordering::Relaxed);
                        keep(seed, &why);
                    }
                    let done = seed - from + 1;
                    if done.is_multiple_of(50_000) {
                        let rate = done as f64 / begin.elapsed().as_secs_f64();
                        println!("{done} seeds, {rate:.0} a second");
                    }
                }
            });
        }
    });
    let done = next.load(Ordering::Relaxed).min(from + seeds) - from;
    let (took, failed) = (begin.elapsed().as_secs_f64(), failures.load(Ordering::Relaxed));
    println!("{done} seeds from {from} in {took:.0} s: {failed} failed");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} seeds failed")) }
}

/// Tells of a failure, makes it small, and writes it down.
fn keep(seed: u64, why: &str) {
    println!("seed {seed} fails\n{why}");
    let oracle = oracle_of(why).replace(' ', "-");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let path = folder.join(format!("{oracle}-{seed}.json"));
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, smallest(seed, why).to_file(seed)));
    match written {
        Ok(()) => println!("seed {seed} is written to {}", path.display()),
        Err(error) => println!("seed {seed} cannot be written to {}: {error}", path.display()),
    }
}
