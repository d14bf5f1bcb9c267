//! A run as it is compared: what it did, what it asked for, and what it came to.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{Text, Value};

use crate::call::Request;
use crate::plan::Plan;
use crate::run::Run;
use crate::trace::{By, Step, StepKind};
use crate::{Fault, FaultKind};

/// A run with everything it did.
pub struct Story {
    /// Its id.
    pub run: Text,
    /// What it goes by now.
    pub plan: Arc<Plan>,
    /// The run after its last step.
    pub end: Run,
    /// What it did.
    pub steps: Vec<Step>,
    /// What it asked of the world.
    pub effects: Vec<Effect>,
}

/// Something that was asked of the world.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The node that asked, as `label/n1`.
    pub at: Text,
    /// The name of the call in events.
    pub call: Text,
    /// What was asked for.
    pub request: Request,
    /// What came back; nothing where it is still open, or was given up.
    pub answer: Option<Result<Value, Fault>>,
    /// The number of the event that asked.
    pub seq: u64,
}

impl Story {
    /// The story of a run: what its events come to, and the steps that were seen with them.
    pub fn new(run: impl Into<Text>, plan: Arc<Plan>, end: Run, steps: Vec<Step>) -> Story {
        let effects = effects(&steps);
        Story { run: run.into(), plan, end, steps, effects }
    }
}

/// The calls of models, tools and people, in the order in which they were made.
fn effects(steps: &[Step]) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    let mut places: BTreeMap<Text, usize> = BTreeMap::new();
    for step in steps {
        match &step.what {
            StepKind::Requested { request: Request::Timer(_), .. } => {}
            StepKind::Requested { call, request } => {
                places.insert(call.clone(), effects.len());
                effects.push(Effect {
                    at: step.at.clone(),
                    call: call.clone(),
                    request: request.clone(),
                    answer: None,
                    seq: step.seq,
                });
            }
            StepKind::Answered(answered) if answered.by != By::TooLate => {
                if let Some(place) = places.get(&answered.call) {
                    effects[*place].answer = Some(answered.answer.clone());
                }
            }
            StepKind::Ruled(approval) if approval.denies() => {
                if let Some(place) = places.get(&approval.call) {
                    let fault = Fault::new(FaultKind::Denied, approval.to_string());
                    effects[*place].answer = Some(Err(fault));
                }
            }
            StepKind::Refused { call, fault } => {
                if let Some(place) = places.get(call) {
                    effects[*place].answer = Some(Err(fault.clone()));
                }
            }
            _ => {}
        }
    }
    effects
}

/// Whether two requests ask for the same: whose run it is, and when, does not matter.
pub(super) fn asks_same(a: &Request, b: &Request) -> bool {
    match (a, b) {
        (Request::Timer(_), Request::Timer(_)) => true,
        (Request::Question(a), Request::Question(b)) => {
            a.prompt == b.prompt && a.options == b.options && a.schema == b.schema
        }
        (Request::Model(a), Request::Model(b)) => a.asks_same(b),
        (a, b) => a == b,
    }
}
