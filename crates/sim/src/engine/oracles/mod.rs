//! What must hold for every graph, whatever answers it and whatever goes wrong around it.

mod again;
mod approvals;
mod forks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graph::{Again, Graph};
use history::kinds::What;
use history::kinds::words::InterruptionReason;
use history::{Ledger, Stream};
use runtime::Plan;
use store::{Append, Archive, Durability, Expected, MemoryStore, append_checked};
use value::{Map, Text};

use super::blocks::Blocks;
use super::driven::{Budgets, Driver, Logged, Setup, fold};
use super::outcome::{Outcome, Status};
use super::unrest::{Unrest, differs, unlike};
use super::{Limits, World, naive};
use crate::Random;

/// One run in which everything must hold.
#[derive(Clone, Debug)]
pub struct Subject<'g> {
    /// What runs.
    pub graph: &'g Graph,
    /// What it is given.
    pub inputs: &'g Map,
    /// What the world, and everything that goes wrong, follows from.
    pub seed: u64,
}

/// The first thing that does not hold.
pub fn check(subject: &Subject<'_>) -> Result<(), String> {
    let plan = Plan::new(subject.graph).map_err(|why| format!("no plan: {why}"))?;
    let plan = Arc::new(plan);
    let limits = Limits::default();
    let world = World::seeded(subject.seed);
    let setup = Setup::of(&world, &limits);
    let begin = |setup: &Setup| Driver::begin(&plan, subject.graph, subject.inputs, &world, setup);
    let mut undisturbed = begin(&setup);
    undisturbed.to_end();
    let outcome = undisturbed.outcome();
    named("undisturbed", holds_for_logs(&undisturbed))?;
    named("naive", agrees(subject, &limits, &outcome))?;
    named("slices", same_events(begin(&setup), &undisturbed, subject.seed))?;
    named("doubt", again::forbidden(&undisturbed))?;
    let with_key = Setup { again: Again::WithKey, ..setup.clone() };
    let repeatable = match world.again {
        Again::WithKey => outcome.clone(),
        Again::Freely | Again::ByAsking => {
            let mut driver = begin(&with_key);
            driver.to_end();
            driver.outcome()
        }
    };
    named("pauses", pauses(begin(&with_key), &repeatable, subject.seed))?;
    named("crashes", crashes(begin(&with_key), &repeatable, subject.seed))?;
    named(
        "doubts",
        doubts(begin(&Setup { again: Again::ByAsking, ..setup.clone() }), subject.seed),
    )?;
    named("any order", any_order(&begin, &setup, subject.seed))?;
    named("forks", forks::the_same_way(&undisturbed, &outcome, subject.seed))?;
    if subject.seed.is_multiple_of(16) {
        named("store", stored(&undisturbed))?;
    }
    Ok(())
}

fn named(oracle: &str, held: Result<(), String>) -> Result<(), String> {
    held.map_err(|why| format!("{oracle}: {why}"))
}

/// The engine and the naive interpreter come to the same.
fn agrees(subject: &Subject<'_>, limits: &Limits, outcome: &Outcome) -> Result<(), String> {
    let mut world = World::seeded(subject.seed);
    let mut naive = naive::run(subject.graph, subject.inputs, &mut world, limits);
    let mut outcome = outcome.clone();
    let mut nodes = subject.graph.labels.values().flat_map(|label| &label.nodes);
    if nodes.any(|node| node.op.name() == "Fork") {
        // Whether a branch has changed it hangs on the words of its message.
        naive.state.remove("_error");
        outcome.state.remove("_error");
    }
    // What counts as a step is nobody's promise.
    let steps = Status::Failed("steps_exceeded".into());
    if naive == outcome || naive.status == steps || outcome.status == steps {
        return Ok(());
    }
    Err(format!("naive\n{naive}driven\n{outcome}"))
}

/// The live run is what its events amount to; they break no invariant, and time never goes back.
fn holds_for_logs(driver: &Driver<'_>) -> Result<(), String> {
    let folded = driver.refolded()?;
    if folded != driver.run {
        return Err(unlike("at the end", &folded, &driver.run));
    }
    both_ways(driver)?;
    approvals::hold(driver)?;
    lawful(&driver.log)
}

/// A history of which every event is read leads to the same run as one of which those are not read
/// that the engine derives.
fn both_ways(driver: &Driver<'_>) -> Result<(), String> {
    let read = fold(&driver.plan, &driver.log).map_err(|difference| differs(&difference))?;
    let unread = driver.follows.as_ref().map_err(|difference| differs(difference))?;
    if read.run() != unread.run() || read.is_between() != unread.is_between() {
        return Err(unlike("unread", unread.run(), read.run()));
    }
    Ok(())
}

/// The events break no invariant, and time never goes back.
pub fn lawful(log: &[Logged]) -> Result<(), String> {
    let mut ledger = Ledger::default();
    let mut last = None;
    for (seq, Logged { sealed, fact }) in log.iter().enumerate() {
        let violations = ledger.check(&sealed.event, Some(fact), None);
        if !violations.is_empty() {
            return Err(format!("event {seq} breaks {violations:?}: {:?}", sealed.event));
        }
        ledger.apply(&sealed.event, Some(fact));
        if last.is_some_and(|last| fact.common.ts < last) {
            return Err(format!("event {seq} is earlier than the one before"));
        }
        last = Some(fact.common.ts);
    }
    Ok(())
}

fn ids(log: &[Logged]) -> Vec<history::EventId> {
    log.iter().map(|logged| logged.sealed.event.id()).collect()
}

/// The same inputs make the same events, however often somebody looks.
fn same_events(mut driver: Driver<'_>, first: &Driver<'_>, seed: u64) -> Result<(), String> {
    let mut unrest = Unrest::none(seed);
    unrest.slice = 1 + seed % 7;
    driver.through(&mut unrest)?;
    match ids(&driver.log) == ids(&first.log) && driver.run == first.run {
        true => Ok(()),
        false => Err("the same inputs made other events".to_string()),
    }
}

/// Pauses between two steps change nothing but that they are there.
fn pauses(mut driver: Driver<'_>, outcome: &Outcome, seed: u64) -> Result<(), String> {
    let mut unrest = Unrest::none(seed);
    unrest.slice = 1 + seed % 3;
    unrest.pauses = 8;
    driver.through(&mut unrest)?;
    holds_for_logs(&driver)?;
    same_outcome(&driver, outcome)
}

fn same_outcome(driver: &Driver<'_>, outcome: &Outcome) -> Result<(), String> {
    let own = driver.outcome();
    match own == *outcome {
        true => Ok(()),
        false => Err(format!("came to\n{own}in the place of\n{outcome}")),
    }
}

/// Crashes and duplicate answers change nothing where calls may run again.
fn crashes(mut driver: Driver<'_>, outcome: &Outcome, seed: u64) -> Result<(), String> {
    let mut unrest = Unrest::none(seed);
    unrest.crashes = 4;
    unrest.slice = 1 + seed % 5;
    unrest.duplicates = 3;
    driver.through(&mut unrest)?;
    holds_for_logs(&driver)?;
    same_outcome(&driver, outcome)
}

/// What must not run again does not: each call in doubt is named in an interruption.
fn doubts(mut driver: Driver<'_>, seed: u64) -> Result<(), String> {
    let mut unrest = Unrest::none(seed ^ 1);
    unrest.crashes = 5;
    unrest.slice = 1 + seed % 4;
    driver.through(&mut unrest)?;
    holds_for_logs(&driver)?;
    at_most_once(&driver)?;
    again::forbidden(&driver)?;
    let mut started: BTreeMap<history::EventId, Text> = BTreeMap::new();
    for Logged { sealed, fact } in &driver.log {
        match &fact.what {
            What::ToolCall(call) if call.effect_class.as_deref() == Some("at_most_once") => {
                started.insert(sealed.event.id(), call.call_id.clone());
            }
            What::ToolResult(result) => started.retain(|_, call| *call != result.call_id),
            What::ApprovalDecided(decided) if !decided.outcome.allows() => {
                decided.call.as_ref().and_then(|call| started.remove(&call.event_id));
            }
            What::Interruption(interruption) => {
                let is_crash = interruption.reason == Some(InterruptionReason::Crash);
                for affected in &interruption.affects {
                    if started.remove(&affected.event_id).is_none() && is_crash {
                        return Err("an interruption names a call that is not open".to_string());
                    }
                }
            }
            _ => {}
        }
    }
    match started.is_empty() {
        true => Ok(()),
        false => Err(format!("nobody knows what became of {started:?}")),
    }
}

/// No effect that must not run again was carried out twice, and no call was answered twice. Calls
/// with one key are one effect: it leaves again only where it has not happened.
fn at_most_once(driver: &Driver<'_>) -> Result<(), String> {
    let mut answered: BTreeMap<Text, usize> = BTreeMap::new();
    let (mut keys, mut names) = (BTreeMap::new(), BTreeMap::new());
    let mut may_have_happened: BTreeSet<Text> = BTreeSet::new();
    for Logged { sealed, fact } in &driver.log {
        match &fact.what {
            What::ToolCall(call) if call.effect_class.as_deref() == Some("at_most_once") => {
                names.insert(sealed.event.id(), call.call_id.clone());
                let times = driver.desk.carried_out.get(&call.call_id).copied().unwrap_or(0);
                if times > 1 {
                    return Err(format!("`{}` was carried out {times} times", call.call_id));
                }
            }
            What::EffectStarted(left) => {
                let Some(name) = names.get(&left.call.event_id) else { continue };
                let key = left.idem_key.clone().unwrap_or_else(|| "".into());
                keys.insert(name.clone(), key.clone());
                if !may_have_happened.insert(key) {
                    return Err(format!("`{name}` left again, and may have happened"));
                }
            }
            What::ToolResult(result) => {
                *answered.entry(result.call_id.clone()).or_default() += 1;
                let error = result.error.as_ref().map(runtime::Fault::from_error);
                if let (Some(fault), Some(key)) = (error, keys.get(&result.call_id))
                    && !fault.is_in_doubt()
                {
                    may_have_happened.remove(key);
                }
            }
            What::ModelResponse(answer) => {
                *answered.entry(answer.request_id.clone()).or_default() += 1;
            }
            _ => {}
        }
    }
    match answered.iter().find(|(_, times)| **times > 1) {
        None => Ok(()),
        Some((call, times)) => Err(format!("`{call}` was answered {times} times")),
    }
}

/// Whatever the order of answers, the budgets and the clock, a run ends and its log tells all.
fn any_order<'g>(
    begin: &dyn Fn(&Setup) -> Driver<'g>,
    setup: &Setup,
    seed: u64,
) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0x616e_7920_6f72_6465);
    let mut maybe = |most: usize| random.one_in(3).then(|| random.between(1, most) as u64);
    let budgets = Budgets {
        in_flight: maybe(3),
        tokens: maybe(400),
        time_ms: maybe(200_000),
        calls: maybe(4),
        room: None,
    };
    let again = *random.pick(&[Again::Freely, Again::WithKey, Again::ByAsking]);
    let blocks = Blocks { limits: random.one_in(2).then(|| random.clone()) };
    let budgets = Budgets { room: *random.pick(&[None, None, Some(1), Some(2)]), ..budgets };
    let mut driver = begin(&Setup { in_turn: false, again, budgets, blocks, ..setup.clone() });
    let mut unrest = Unrest {
        random: random.clone(),
        slice: *random.pick(&[1, 2, 5, 50_000]),
        pauses: *random.pick(&[0, 9]),
        crashes: *random.pick(&[0, 0, 6]),
        duplicates: *random.pick(&[0, 4]),
        late: *random.pick(&[0, 1, 3]),
        cancels: *random.pick(&[0, 0, 12, 40]),
        jumps_ms: *random.pick(&[0, 40, 100_000]),
        elsewhere: *random.pick(&[0, 3]),
        policies: *random.pick(&[0, 3, 5]),
        any_order: true,
    };
    driver.through(&mut unrest)?;
    holds_for_logs(&driver)?;
    at_most_once(&driver)?;
    again::forbidden(&driver)?;
    forks::another_way(&driver, &mut unrest)
}

/// A store takes the events as the engine hands them out, and gives them back.
fn stored(driver: &Driver<'_>) -> Result<(), String> {
    let store = MemoryStore::default();
    let stream = Stream::run("r1");
    let mut ledger = Ledger::default();
    let mut from = 0;
    for until in &driver.appends {
        let batch = &driver.log[from..*until];
        let events: Vec<_> = batch.iter().map(|logged| logged.sealed.event.clone()).collect();
        let blobs: Vec<_> =
            batch.iter().flat_map(|logged| logged.sealed.blobs.iter().cloned()).collect();
        let append = Append {
            stream: &stream,
            expected: if from == 0 { Expected::New } else { Expected::Next(from as u64) },
            events: &events,
            blobs: &blobs,
            key: None,
            durability: Durability::Os,
            unverified: false,
        };
        append_checked(&store, &mut ledger, &append).map_err(|why| why.to_string())?;
        from = *until;
    }
    let entries = store.read(&stream, 0, driver.log.len() + 1).map_err(|why| why.to_string())?;
    let mut read = Vec::new();
    for entry in entries {
        let fact = store.fact(&entry.event).map_err(|why| why.to_string())?;
        let fact = fact.ok_or("an event cannot be read")?;
        let sealed = history::kinds::Sealed { event: entry.event, blobs: Vec::new(), fact: None };
        read.push(Logged { sealed, fact });
    }
    fold(&driver.plan, &read).map_err(|difference| differs(&difference))?;
    match ids(&read) == ids(&driver.log) {
        true => Ok(()),
        false => Err("the store gives back other events".to_string()),
    }
}
