//! What must hold at the end of every run.

use std::collections::BTreeMap;

use history::EventId;
use history::kinds::What;
use host::{load, replay};
use sim::engine::blocks::Blocks;
use sim::engine::driven::Logged;
use sim::engine::oracles::lawful;
use sim::engine::{Outcome, Status, comparable};
use value::Text;

use crate::ground::{Ground, Seen};

/// Everything that must hold whatever went wrong.
pub(crate) fn holds(ground: &Ground<'_>) -> Result<(), String> {
    let seen = ground.seen();
    if !seen.view.is_over() {
        return Err("it has not ended".into());
    }
    lawful(&seen.log)?;
    is_known(&seen.log)?;
    is_kept(ground, &seen)
}

/// What the store gives back is the run, and its replay has the same events.
fn is_kept(ground: &Ground<'_>, seen: &Seen<'_>) -> Result<(), String> {
    let (store, stream) = (&ground.store, &ground.stream);
    let loaded = load(store, stream, None, &mut Blocks::default());
    let loaded = loaded.map_err(|why| why.to_string())?;
    let replayed = replay(store, stream, Some(loaded.plan), &mut Blocks::default());
    let replayed = replayed.map_err(|why| why.to_string())?;
    match loaded.run == seen.view && [loaded.next, replayed] == [seen.log.len() as u64; 2] {
        true => Ok(()),
        false => Err(format!("stored is\n{:#?}\nand seen\n{:#?}", loaded.run, seen.view)),
    }
}

/// Whatever left was answered once, or an interruption says that nobody knows.
fn is_known(log: &[Logged]) -> Result<(), String> {
    let (mut asked, mut open) = (BTreeMap::new(), BTreeMap::<EventId, Text>::new());
    let mut answered: BTreeMap<Text, usize> = BTreeMap::new();
    for Logged { sealed, fact } in log {
        match &fact.what {
            What::ToolCall(call) => drop(asked.insert(sealed.event.id(), call.call_id.clone())),
            What::EffectStarted(started) => {
                let call = started.call.event_id;
                open.extend(asked.get(&call).map(|name| (call, name.clone())));
            }
            What::ToolResult(result) => {
                open.retain(|_, call| *call != result.call_id);
                *answered.entry(result.call_id.clone()).or_default() += 1;
            }
            What::ModelResponse(answer) => {
                *answered.entry(answer.request_id.clone()).or_default() += 1;
            }
            What::Interruption(interruption) => {
                for affected in &interruption.affects {
                    open.remove(&affected.event_id);
                }
            }
            _ => {}
        }
    }
    if let Some((call, times)) = answered.iter().find(|(_, times)| **times > 1) {
        return Err(format!("`{call}` was answered {times} times"));
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("nobody knows what became of {open:?}")),
    }
}

/// What the run came to.
pub(crate) fn outcome(seen: &Seen<'_>, plan: &runtime::Plan) -> Outcome {
    let run = &seen.view;
    let status = match (run.status(), run.failure()) {
        (runtime::Status::Done, _) => Status::Done(run.result().clone()),
        (_, failure) => {
            Status::Failed(failure.map_or("none", |failure| failure.fault.kind.word()).into())
        }
    };
    Outcome {
        status,
        state: comparable(&run.state(plan)),
        path: run.path(plan).0.cloned().collect(),
        effects: seen.desk.asked.clone(),
    }
}
