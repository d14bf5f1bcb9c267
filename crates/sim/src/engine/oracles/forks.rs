//! What must hold for forks, from any event of a run.

use history::kinds::records::Origin;
use history::kinds::words::RunReason;
use history::kinds::{Common, RunStarted, What};
use runtime::{Fold, Input, Options, Request, Told, note};
use value::{Map, Value};

use super::super::blocks::Blocks;
use super::super::driven::{Driver, Logged, follow};
use super::super::outcome::Outcome;
use super::super::unrest::{Unrest, differs, unlike};
use super::{approvals, both_ways, lawful, same_outcome};
use crate::Random;

/// A run goes on from any of its events as it did. From one of them on most seeds, from all of
/// them on some.
pub(super) fn the_same_way(
    parent: &Driver<'_>,
    outcome: &Outcome,
    seed: u64,
) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0x666f_726b_7300);
    let count = parent.log.len();
    let everywhere = seed.is_multiple_of(20) && count <= 60;
    let places: Vec<usize> = match everywhere {
        true => (1..=count).collect(),
        false => vec![random.between(1, count)],
    };
    for place in places {
        let at = |why| format!("at event {}: {why}", place - 1);
        let (mut fork, is_between) = forked(parent, place, |_| {}).map_err(at)?;
        fork.go_on(None).map_err(|why| at(why.to_string()))?;
        let is_asked_again = approvals::asks_again(&fork);
        fork.to_end();
        // Who is asked again answers later.
        if !is_asked_again {
            same_outcome(&fork, outcome).map_err(at)?;
        }
        holds(&fork, is_between).map_err(at)?;
    }
    Ok(())
}

/// A run whose answers come in any order goes on from one of its events in another way: with
/// other values, and with answers that were given with the fork.
pub(super) fn another_way(parent: &Driver<'_>, unrest: &mut Unrest) -> Result<(), String> {
    let place = unrest.random.between(1, parent.log.len());
    let at = |why| format!("a fork at event {}: {why}", place - 1);
    let asked = parent
        .log
        .iter()
        .filter(|logged| matches!(logged.fact.what, What::ModelRequest(_) | What::ToolCall(_)));
    let asked: Vec<_> = asked.filter_map(|logged| logged.fact.common.at.clone()).collect();
    let is_live = unrest.random.one_in(2);
    let output = (!asked.is_empty()).then(|| unrest.random.pick(&asked).clone());
    let (mut fork, is_between) = forked(parent, place, |options| {
        options.live = is_live;
        options.outputs.extend(output.map(|at| (at, Value::text("given"))));
    })
    .map_err(at)?;
    if unrest.random.one_in(2) && !fork.run.is_over() {
        let values: Map =
            [("a".into(), Value::Int(9)), ("new".into(), Value::Null)].into_iter().collect();
        let events = note(&fork.plan, &mut fork.run, &Input::Set(values), fork.now);
        fork.append(events.map_err(|why| at(why.to_string()))?);
    }
    fork.through(unrest).map_err(at)?;
    holds(&fork, is_between).map_err(at)
}

fn holds(fork: &Driver<'_>, is_between: bool) -> Result<(), String> {
    let folded = fork.refolded()?;
    if folded != fork.run {
        return Err(unlike("at the end", &folded, &fork.run));
    }
    both_ways(fork)?;
    approvals::hold(fork)?;
    // Events of something that is not complete are told again, which breaks invariants.
    if is_between { Ok(()) } else { lawful(&fork.log) }
}

/// A fork that has not gone on yet, and whether its last event belongs to something that is not
/// complete.
fn forked<'g>(
    parent: &Driver<'g>,
    place: usize,
    change: impl FnOnce(&mut Options),
) -> Result<(Driver<'g>, bool), String> {
    let prefix = &parent.log[..place];
    let mut desk = parent.desk.anew();
    let mut folding = Fold::new(parent.plan.clone());
    let mut unheard = Vec::new();
    for (seq, logged) in (0..).zip(prefix) {
        follow(&mut folding, seq, logged).map_err(|difference| differs(&difference))?;
        unheard.push(logged);
        // What belongs to something that is not complete has not happened for a fork.
        if !folding.is_between() {
            unheard.drain(..).for_each(|logged| desk.hear(&logged.fact));
        }
    }
    let is_between = folding.is_between();
    let last = prefix.last().ok_or("a fork goes on from an event")?;
    let (plan, run) = (folding.plan().clone(), folding.run().clone());
    let mut options = run.options().clone();
    options.live = true;
    change(&mut options);
    let mut fork = Driver {
        plan,
        run,
        log: prefix.to_vec(),
        follows: Ok(folding),
        appends: Vec::new(),
        desk,
        now: last.fact.common.ts,
        blocks: Blocks::default(),
        room: parent.room,
    };
    let input = Input::Told(Box::new(began(&options, last, place)));
    let events = note(&fork.plan, &mut fork.run, &input, fork.now);
    fork.append(events.map_err(|why| why.to_string())?);
    if let Some(left) = fork.run.pending().find(|pending| {
        !matches!(pending.request, Request::Question(_) | Request::Timer(_))
            && pending.stage == runtime::Stage::Started
    }) {
        return Err(format!("`{}` has left before the fork went on", left.name));
    }
    Ok((fork, is_between))
}

fn began(options: &Options, last: &Logged, place: usize) -> Told {
    let started = RunStarted {
        reason: Some(RunReason::Fork),
        from: Some(Origin {
            run_id: "r1".into(),
            seq: i64::try_from(place - 1).unwrap_or(i64::MAX),
            event_id: last.sealed.event.id(),
        }),
        graph: Some("generated".into()),
        document: None,
        inputs: None,
        seed: None,
        versions: None,
        options: Some(options.to_map()),
    };
    let common = Common { run_id: Some("r2".into()), ..Common::at(last.fact.common.ts) };
    let event = common.seal(&started).event;
    Told { event, fork: Some(("r2".into(), started)) }
}
