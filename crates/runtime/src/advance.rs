//! Step and apply, until only what comes from outside can change anything.

use history::Timestamp;
use history::kinds::Sealed;

use crate::change::Change;
use crate::input::{Input, Refusal, receive};
use crate::logic::Logic;
use crate::plan::Plan;
use crate::recorded::recorded;
use crate::run::Run;
use crate::step::step;

/// After so many steps whoever drives a run is asked again, so that it can be stopped.
const SLICE: u64 = 50_000;

/// How far a run came.
#[derive(Clone, Debug, Default)]
pub struct Advanced {
    /// What must be stored before anything of it is visible.
    pub events: Vec<Sealed>,
    /// It could go on at once.
    pub more: bool,
}

/// Sees what happens.
pub(crate) trait Watch {
    /// Before a change is taken in.
    fn see(&mut self, plan: &Plan, run: &Run, change: &Change);
}

/// Nobody looks.
impl Watch for () {
    fn see(&mut self, _: &Plan, _: &Run, _: &Change) {}
}

/// Takes an input, if there is one, and goes on as far as that leads. The events must be stored
/// before the run is shown to anybody; if they cannot be, it must be read again from its events.
pub fn advance(
    plan: &Plan,
    run: &mut Run,
    input: Option<(&Input, Timestamp)>,
    logic: &mut dyn Logic,
) -> Result<Advanced, Refusal> {
    advance_for(SLICE, plan, run, input, logic)
}

/// The same, for so many steps at most.
pub fn advance_for(
    steps: u64,
    plan: &Plan,
    run: &mut Run,
    input: Option<(&Input, Timestamp)>,
    logic: &mut dyn Logic,
) -> Result<Advanced, Refusal> {
    let mut advanced = Advanced::default();
    if let Some((input, ts)) = input {
        let change = receive(plan, run, &recorded(input), ts)?;
        advanced.events.append(&mut run.apply(plan, change));
    }
    let until = run.steps() + steps;
    while let Some(change) = step(plan, run, logic) {
        advanced.events.append(&mut run.apply(plan, change));
        if run.steps() >= until {
            advanced.more = true;
            break;
        }
    }
    Ok(advanced)
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
