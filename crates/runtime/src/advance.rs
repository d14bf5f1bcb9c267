//! Step and apply, until only what comes from outside can change anything.

use history::Timestamp;
use history::kinds::Sealed;

use crate::call::{CallId, Pending};
use crate::change::{Change, What};
use crate::input::{Input, Refusal, receive};
use crate::logic::Logic;
use crate::plan::Plan;
use crate::recorded::recorded;
use crate::run::Run;
use crate::step::step;

/// After so many steps at most whoever drives a run is asked again, so that it can be stopped.
const SLICE: u64 = 50_000;

/// How far a run came.
#[derive(Clone, Debug, Default)]
pub struct Advanced {
    /// What must be stored before anything of it is visible.
    pub events: Vec<Sealed>,
    /// It could go on at once.
    pub more: bool,
    /// The calls to make when the events are stored, and the questions to ask.
    pub calls: Vec<CallId>,
    /// Calls that had left were given up: nobody waits for them any more.
    pub gave_up: bool,
}

/// Says of a call that may leave whether there is room for it, and keeps that room for it. Where
/// one call of a tool finds none, no other one of that tool does.
pub type HasRoom<'a> = dyn FnMut(&Pending) -> bool + 'a;

/// Sees what happens.
pub(crate) trait Watch {
    /// Before a change is taken in.
    fn see(&mut self, plan: &Plan, run: &Run, change: &Change);
}

/// Nobody looks.
impl Watch for () {
    fn see(&mut self, _: &Plan, _: &Run, _: &Change) {}
}

/// Takes an input, if there is one, and goes on as far as that leads: for whoever makes the calls
/// that leave. Those without room may leave the next time. The events must be stored before the run
/// is shown to anybody; if they cannot be, it must be read again from its events.
pub fn advance(
    plan: &Plan,
    run: &mut Run,
    input: Option<&Input>,
    now: Timestamp,
    logic: &mut dyn Logic,
    has_room: &mut HasRoom<'_>,
) -> Result<Advanced, Refusal> {
    advance_for(SLICE, plan, run, input, now, logic, has_room)
}

/// The same, for so many steps at most.
pub fn advance_for(
    steps: u64,
    plan: &Plan,
    run: &mut Run,
    input: Option<&Input>,
    now: Timestamp,
    logic: &mut dyn Logic,
    has_room: &mut HasRoom<'_>,
) -> Result<Advanced, Refusal> {
    let mut advanced = Advanced::default();
    if let Some(input) = input {
        let change = receive(plan, run, &recorded(input), now)?;
        advanced.take(plan, run, change);
    }
    let until = run.steps() + steps;
    loop {
        advanced.go_on(until, plan, run, logic);
        if advanced.more {
            return Ok(advanced);
        }
        // Whatever may leave does, when nothing else can happen.
        let Some(call) = run.open.next_leaving(&mut *has_room) else { return Ok(advanced) };
        let change = receive(plan, run, &Input::Leave(call), now)?;
        advanced.take(plan, run, change);
    }
}

/// Goes on without an input, and lets nothing leave: for those who make no calls now.
pub fn rest(plan: &Plan, run: &mut Run, logic: &mut dyn Logic) -> Advanced {
    let mut advanced = Advanced::default();
    advanced.go_on(run.steps() + SLICE, plan, run, logic);
    advanced
}

impl Advanced {
    fn go_on(&mut self, until: u64, plan: &Plan, run: &mut Run, logic: &mut dyn Logic) {
        while let Some(change) = step(plan, run, logic) {
            let before = run.steps();
            self.take(plan, run, change);
            // Only behind a step that counts: that is where a run can be said to have stopped.
            if run.steps() >= until || (run.steps() > before && logic.is_enough()) {
                self.more = true;
                return;
            }
        }
    }

    fn take(&mut self, plan: &Plan, run: &mut Run, change: Change) {
        let call = match &change.what {
            What::Allowed { call, .. } | What::Left { call, .. } => Some(*call),
            What::Requested { calls, .. } => calls.first().map(|(pending, _)| pending.id),
            What::AskedFor { calls, .. } => calls.first().map(|(pending, _)| pending.id),
            _ => None,
        };
        let abandoned = run.abandoned.len();
        self.events.append(&mut run.apply(plan, change));
        self.gave_up |= run.abandoned.len() > abandoned;
        let may_be_made = |call: &CallId| run.pending_call(*call).is_some_and(Pending::is_made);
        self.calls.extend(call.filter(may_be_made));
    }
}

/// Takes an input in, and goes no further.
pub fn note(
    plan: &Plan,
    run: &mut Run,
    input: &Input,
    ts: Timestamp,
) -> Result<Vec<Sealed>, Refusal> {
    let change = receive(plan, run, &recorded(input), ts)?;
    Ok(run.apply(plan, change))
}
