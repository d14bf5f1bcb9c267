//! From the beginning of a run to its end, through as many processes as it takes.

use host::{
    Answered, Capabilities, DriveError, Driver, Stopped, When, Who, World, answer_as, give,
};
use runtime::{Input, Plan, Refusal, Run};
use sim::engine::blocks::Blocks;
use value::{Text, Value};

use crate::ground::{Due, Ground, Happening};
use crate::process::{LEASE_MICROS, Process, Role};

/// So many processes one run takes at most.
const LIVES_MAX: usize = 400;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stopped(Stopped),
    Died,
    Held,
    TakenOver,
}

/// Drives a run to its end.
pub(crate) fn through(ground: &Ground<'_>) -> Result<(), String> {
    for _ in 0..LIVES_MAX {
        let end = live(ground, Role::Drives)?;
        if let Some(wrong) = ground.seen().wrong.take() {
            return Err(wrong);
        }
        let is_begun = !ground.seen().log.is_empty();
        match end {
            End::Stopped(Stopped::Over) => return Ok(()),
            End::Stopped(Stopped::Waiting | Stopped::Paused) => somebody_replies(ground),
            // Nobody may drive it before its lease is over.
            End::Held => ground.pass(LEASE_MICROS),
            End::Died | End::TakenOver => {}
        }
        let cancels = ground.unrest().cancels;
        if is_begun && ground.unrest().strikes(cancels) {
            cancel(ground);
        }
    }
    Err(format!("it does not end: {:?}", ground.seen().view))
}

/// A process drives the run, as far as it comes.
pub(crate) fn live(ground: &Ground<'_>, role: Role) -> Result<End, String> {
    let process = Process::new(ground, role);
    let clock = || process.look();
    let world = World {
        store: &process,
        adapter: &process,
        dispatcher: &process.dispatcher,
        people: &process,
        clock: &clock,
        stop: &process.stop,
        progress: &|_: &Plan, _: &Run| {},
    };
    let mut logic = Blocks::default();
    let is_new = ground.seen().log.is_empty();
    let driver = match is_new {
        true => Driver::begin(&world, &mut logic, ground.pinned.plan.clone(), ground.begin()),
        false => Driver::resume(&world, &mut logic, ground.stream.clone()),
    };
    let stopped = driver.and_then(|driver| {
        let mut driver = driver.ruled_by(&process);
        let stopped = driver.drive()?;
        Ok((stopped, driver.run().clone()))
    });
    match stopped {
        _ if process.is_dead() => Ok(End::Died),
        Ok((stopped, run)) => {
            is_stored(ground, &run).map_err(|why| format!("{stopped:?}: {why}"))?;
            let left_behind = process.dispatcher.under_way();
            let unanswered = process.unanswered();
            ground.happens(match stopped {
                Stopped::Over => Happening::Ended,
                Stopped::Waiting => Happening::Waited,
                Stopped::Paused => Happening::Paused,
            });
            if left_behind > 0 {
                return Err(format!("{stopped:?}: {left_behind} calls are left behind"));
            }
            // What can be made again is given up by a pause.
            if !unanswered.is_empty() && stopped != Stopped::Paused {
                return Err(format!("{stopped:?}: nobody waited for {unanswered:?}"));
            }
            Ok(End::Stopped(stopped))
        }
        Err(DriveError::Held { .. }) if !ground.unrest().is_calm => {
            ground.happens(Happening::Held);
            Ok(End::Held)
        }
        Err(DriveError::TakenOver) if ground.unrest().standstills > 0 => {
            ground.happens(Happening::TakenOver);
            Ok(End::TakenOver)
        }
        Err(error) => Err(format!("a process failed: {error}")),
    }
}

/// What the driver has is what the store gives back.
fn is_stored(ground: &Ground<'_>, run: &Run) -> Result<(), String> {
    let seen = ground.seen();
    if seen.view == *run || seen.stored() == run {
        return Ok(());
    }
    Err(format!("stored is\n{:#?}\nand driven\n{run:#?}", seen.view))
}

/// Nobody drives the run: time passes until something happens to it.
fn somebody_replies(ground: &Ground<'_>) {
    let due = ground.seen().next_due();
    match due {
        None => {}
        // Somebody looks too early.
        Some(_) if ground.unrest().strikes(4) => {}
        Some(Due::Moment(at)) => ground.wait_until(at),
        Some(Due::Reply(at, question, value)) => {
            ground.wait_until(at);
            answer(ground, &question, &value);
            if ground.unrest().random.one_in(3) {
                answer(ground, &question, &value);
            }
        }
    }
}

/// Somebody answers a question, in a process that may die over it.
pub(crate) fn answer(ground: &Ground<'_>, question: &Text, value: &Value) {
    loop {
        let is_open = ground.seen().open_questions().iter().any(|(open, _)| open == question);
        let process = Process::new(ground, Role::Gives);
        let (stream, now) = (&ground.stream, ground.now());
        let logic = &mut Blocks::default();
        let answered = answer_as(&process, logic, stream, question, value, &who(), now);
        match answered {
            Ok(Answered::Taken) if is_open => return ground.happens(Happening::Answered),
            Ok(Answered::Before { answer, .. }) if answer == *value && !is_open => {
                return ground.happens(Happening::AnsweredBefore);
            }
            // It expired, nobody waits any more.
            Ok(Answered::Refused(_)) if !ground.unrest().is_calm => return,
            Err(_) if process.is_dead() => {}
            other => return ground.wrong(format!("an answer to `{question}`: {other:?}")),
        }
    }
}

/// Somebody ends the run.
pub(crate) fn cancel(ground: &Ground<'_>) {
    loop {
        let process = Process::new(ground, Role::Gives);
        let logic = &mut Blocks::default();
        let given = give(&process, &ground.stream, logic, ground.now(), When::AtOnce, |run| {
            let step = run.can_go_on().then(|| run.steps());
            Some(Input::Cancel { reason: Some("enough".into()), actor: None, step })
        });
        match given {
            Ok(Ok(())) => return ground.happens(Happening::Cancelled),
            Ok(Err(Refusal::Over)) => return,
            Err(_) if process.is_dead() => {}
            other => return ground.wrong(format!("it cannot be cancelled: {other:?}")),
        }
    }
}

/// Somebody who may answer everything that the world asks for.
fn who() -> Who {
    let capabilities = [("ada".into(), ["approve.calls".into()].into())].into();
    Who { name: Some("ada".into()), capabilities: Capabilities::new(capabilities) }
}
