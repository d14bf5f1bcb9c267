//! What must not be repeated is not: as `docs/running.md` says it of calls in doubt, held against
//! what the trace of a run tells.

use std::collections::BTreeMap;

use graph::Again;
use runtime::{Fold, Request, Step, StepKind, trace, trace_rest};
use value::Text;

use super::super::blocks::Blocks;
use super::super::driven::{Driver, Logged};
use super::super::unrest::differs;

/// A call of a tool that must not be repeated just so.
#[derive(Clone, Debug)]
struct Call {
    name: Text,
    /// The node that made it.
    at: Text,
    again: Again,
    /// Whether it has left.
    is_under_way: bool,
}

/// What is known of one fiber.
#[derive(Debug, Default)]
struct Fiber {
    /// The call that it waits for.
    waits: Option<Call>,
    /// Its calls in doubt: what fails because of them, or is tried again.
    here: Vec<Call>,
    /// Those that came to it from a label it called, or a branch.
    from_within: Vec<Call>,
    /// The fork it waits for.
    forked: Option<u32>,
}

#[derive(Debug, Default)]
struct Watch {
    fibers: BTreeMap<u32, Fiber>,
    /// The fibers of each fork.
    forks: BTreeMap<u32, Vec<u32>>,
}

/// Nothing was tried again that is in doubt, but with its key.
pub(super) fn forbidden(driver: &Driver<'_>) -> Result<(), String> {
    let mut fold = Fold::new(driver.plan.clone());
    let mut watch = Watch::default();
    let mut found = None;
    let mut see = |step: Step| {
        if let Err(why) = watch.see(&step) {
            found.get_or_insert(format!("event {}: {step}: {why}", step.seq));
        }
    };
    for (seq, Logged { sealed, fact }) in (0..).zip(&driver.log) {
        trace(&mut fold, seq, &sealed.event, fact, &mut Blocks::default(), &mut see)
            .map_err(|difference| differs(&difference))?;
    }
    trace_rest(&mut fold, driver.log.len() as u64, &mut Blocks::default(), &mut see);
    found.map_or(Ok(()), Err)
}

impl Watch {
    fn see(&mut self, step: &Step) -> Result<(), String> {
        let fiber = self.fibers.entry(step.fiber).or_default();
        match &step.what {
            StepKind::Requested { call: name, request: Request::Tool(call) } => {
                let (name, at, again) = (name.clone(), step.at.clone(), call.again);
                let call = Call { name, at, again, is_under_way: false };
                fiber.waits = (again != Again::Freely).then_some(call);
            }
            StepKind::Left { call, .. } => {
                let own = fiber.waits.as_mut().filter(|own| own.name == *call);
                own.into_iter().for_each(|own| own.is_under_way = true);
            }
            StepKind::Interrupted { call, .. } => {
                fiber.here.extend(fiber.waits.take_if(|own| own.name == *call));
            }
            StepKind::Answered(answered) => {
                let own = fiber.waits.take_if(|own| own.name == answered.call);
                match (&answered.answer, own) {
                    (Err(fault), Some(own)) if fault.is_in_doubt() => fiber.here.push(own),
                    // It has happened, with the key that all attempts had.
                    (Ok(_), Some(_)) => fiber.here.clear(),
                    _ => {}
                }
            }
            StepKind::Refused { .. } => fiber.waits = None,
            StepKind::Ruled(approval) if approval.denies() => fiber.waits = None,
            StepKind::Unwound { .. } => fiber.from_within.append(&mut fiber.here),
            StepKind::Handled { .. } => {
                fiber.here.clear();
                fiber.from_within.clear();
            }
            StepKind::TriedAgain { .. } => {
                let mut here = fiber.here.iter();
                let unlike = |call: &&Call| call.again != Again::WithKey || call.at != step.at;
                if let Some(call) = here.find(unlike).or(fiber.from_within.first()) {
                    return Err(format!("`{}` at {} may have happened", call.name, call.at));
                }
            }
            StepKind::Forked { group, branches, .. } => {
                fiber.forked = Some(*group);
                self.forks.insert(*group, branches.iter().map(|branch| branch.fiber).collect());
            }
            StepKind::Joined(joined) => {
                let in_doubt = self.dissolve(joined.group);
                let owner = self.fibers.entry(step.fiber).or_default();
                owner.forked = None;
                if joined.outcome.is_err() {
                    owner.from_within.extend(in_doubt);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The branches of a fork are gone. Says what they leave in doubt.
    fn dissolve(&mut self, group: u32) -> Vec<Call> {
        let mut in_doubt = Vec::new();
        let mut gone = self.forks.remove(&group).unwrap_or_default();
        while let Some(fiber) = gone.pop() {
            let Some(fiber) = self.fibers.remove(&fiber) else { continue };
            in_doubt.extend(fiber.waits.filter(|call| call.is_under_way));
            in_doubt.extend(fiber.here);
            in_doubt.extend(fiber.from_within);
            gone.extend(
                fiber.forked.and_then(|inner| self.forks.remove(&inner)).unwrap_or_default(),
            );
        }
        in_doubt
    }
}
