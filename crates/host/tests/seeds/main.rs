//! The host on generated graphs: what it lets leave, and what it makes of processes that die, of
//! pauses, of answers that come late, and of others who write.
//!
//! `QUIPU_SEEDS=100000 cargo test -p quipu-host --test seeds` takes more seeds than the tests do by
//! themselves; `QUIPU_SEED` begins elsewhere.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod dying;
mod ground;
mod lives;
mod oracles;
mod people;
mod process;
mod unrest;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use host::pinned::pin;
use sim::Random;
use sim::engine::blocks::Blocks;
use sim::engine::driven::{Budgets, Driver, Setup};
use sim::engine::{Limits, World, graphs};

use crate::ground::{Ground, HAPPENINGS, Happened, Happening};
use crate::unrest::{Unrest, again};

/// How many seeds the suite takes.
const SEEDS: u64 = 1_000;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name)
        .map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn everything_holds_on_every_seed() {
    let first = number("QUIPU_SEED", 0);
    let until = first + number("QUIPU_SEEDS", SEEDS);
    let (next, failed) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let counted = Mutex::new(Happened::new());
    let counts = || counted.lock().expect("nobody panics with it");
    let failures = || failed.lock().expect("nobody panics with it");
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= until || failures().len() >= 3 {
                        break;
                    }
                    match checked(seed) {
                        Ok(happened) => count(&mut counts(), happened),
                        Err(why) => failures().push(format!("seed {seed}: {why}")),
                    }
                }
            });
        }
    });
    let failed = failures().join("\n\n");
    assert!(failed.is_empty(), "{failed}\n`QUIPU_SEED=SEED QUIPU_SEEDS=1` runs one of them again");
    let missing: Vec<_> = HAPPENINGS.iter().filter(|it| !counts().contains_key(*it)).collect();
    assert!(until - first < SEEDS || missing.is_empty(), "this never happened: {missing:?}");
}

/// A clock that is put back between two looks.
#[test]
fn a_moment_that_has_come_stays_so() {
    assert_eq!(check(167).err(), None);
}

/// Branches that wake at the same moment, while one of them waits for a model that answers at once.
#[test]
fn immediate_answers_come_before_moments() {
    assert_eq!(check(667).err(), None);
}

/// A write that comes back after somebody with another clock has ended the run.
#[test]
fn a_late_answer_is_not_earlier_than_the_end() {
    assert_eq!(check(753).err(), None);
}

fn count(counts: &mut Happened, happened: Happened) {
    for (what, times) in happened {
        *counts.entry(what).or_default() += times;
    }
}

/// How large the graph of a seed is. Every process reads it again.
fn size_of(seed: u64) -> usize {
    3 + usize::try_from(seed % 12).expect("it is small")
}

/// A mistake that the host or the engine notices itself is a failure of the seed like any other.
fn checked(seed: u64) -> Result<Happened, String> {
    catch_unwind(|| check(seed)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panic: {}", said.unwrap_or_default()))
    })
}

/// What happened with a seed, or the first thing that does not hold.
fn check(seed: u64) -> Result<Happened, String> {
    let (graph, inputs) = (graphs::graph(seed, size_of(seed)), graphs::inputs(seed));
    let pinned = pin(&graph).map_err(|why| why.to_string())?;
    let unrest = Unrest::of(seed);
    let setup = setup(seed, &unrest);
    let is_calm = unrest.is_calm;
    let ground = Ground::new(&graph, &pinned, seed, &setup, &inputs, unrest);
    lives::through(&ground)?;
    oracles::holds(&ground)?;
    let seen = ground.seen();
    let happened = seen.happened.clone();
    if !is_calm || happened.contains_key(&Happening::Interrupted) {
        return Ok(happened);
    }
    let world = World::seeded(seed);
    let mut undisturbed = Driver::begin(&pinned.plan, &graph, &inputs, &world, &setup);
    undisturbed.to_end();
    let (own, expected) = (oracles::outcome(&seen, &pinned.plan), undisturbed.outcome());
    match own == expected {
        true => Ok(happened),
        false => Err(format!("came to\n{own}in the place of\n{expected}")),
    }
}

fn has_policy(seed: u64) -> bool {
    World::seeded(seed).has_policy
}

fn setup(seed: u64, unrest: &Unrest) -> Setup {
    let mut random = Random::new(seed ^ 0x0073_6574_7570);
    let mut maybe =
        |most: usize| (!unrest.is_calm && random.one_in(3)).then(|| random.between(1, most) as u64);
    let budgets = Budgets {
        in_flight: maybe(3),
        room: None,
        tokens: maybe(400),
        time_ms: maybe(200_000),
        calls: maybe(4),
    };
    let (in_turn, again) = (unrest.is_calm, again(seed));
    // Every process reads the run from its beginning.
    let limits = Limits { visits: 40, ..Limits::default() };
    Setup {
        limits,
        in_turn,
        again,
        budgets,
        blocks: Blocks::default(),
        has_policy: has_policy(seed),
    }
}
