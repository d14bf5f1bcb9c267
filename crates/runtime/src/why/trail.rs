//! What led to an event, gathered step by step. Of a run of any length only that is kept: for each
//! fiber the last decision and the last processes, and what is open.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use value::Text;

use super::Why;
use super::explain::{decision, is_decision};
use crate::plan::Plan;
use crate::trace::{Branch, Step, StepKind};

/// So much of the path is told.
const PATH_MAX: usize = 20;

/// What led to an event. It is given every step of the run, up to the event or further.
pub struct Trail {
    /// The number of the event.
    seq: u64,
    fibers: BTreeMap<u32, Fiber>,
    /// Calls that are not answered, by their names.
    asked: BTreeMap<Text, Step>,
    /// Forks that are not joined, by their numbers.
    forked: BTreeMap<u32, Step>,
    /// The step that the event tells of; where it tells of none, the last before it.
    last: Option<Step>,
    /// Whether the event tells of the last step.
    is_told: bool,
    /// What comes now comes after the event.
    is_over: bool,
}

#[derive(Default)]
struct Fiber {
    way: Way,
    /// The nodes that called a label which has not come back, and the way to each.
    calls: Vec<(Text, Way)>,
    /// Its last step is a question, so that the next may belong to it.
    is_asking: bool,
    /// A call of it was interrupted: the answer may come even when it has ended.
    is_in_doubt: bool,
}

/// How a fiber came to where it is.
#[derive(Clone, Default)]
struct Way {
    /// The last decision, behind the steps that explain it.
    decided: Arc<Vec<Step>>,
    path: VecDeque<Text>,
}

impl Trail {
    /// Of the event with this number.
    pub fn new(seq: u64) -> Trail {
        Trail {
            seq,
            fibers: BTreeMap::new(),
            asked: BTreeMap::new(),
            forked: BTreeMap::new(),
            last: None,
            is_told: false,
            is_over: false,
        }
    }

    /// Takes the next step in.
    pub fn add(&mut self, step: Step) {
        if self.is_over {
            return;
        }
        let first = (step.seq + 1).saturating_sub(step.events);
        self.is_told = step.events > 0 && first <= self.seq && self.seq <= step.seq;
        self.is_over = self.is_told || step.seq >= self.seq;
        if self.is_over && !self.is_told {
            return;
        }
        if let Some(Step { fiber, what: StepKind::Arrived, .. }) = &self.last
            && !self.fibers.get(fiber).is_some_and(|fiber| fiber.is_in_doubt)
        {
            self.fibers.remove(fiber);
        }
        self.follow(&step);
        self.last = Some(step);
    }

    /// Why the run came to the event; nothing where there is none. `plan` is the one that the run
    /// goes by.
    pub fn why(&self, plan: &Plan, run: &str) -> Option<Why> {
        let last = self.last.as_ref()?;
        let way = &self.fibers.get(&last.fiber)?.way;
        let decided = match &last.what {
            // That it ended counts only where it is asked about itself.
            StepKind::Finished { failure: Some(_), .. } => {
                decision(plan, std::slice::from_ref(last))
            }
            _ => decision(plan, &way.decided),
        };
        let event = match self.is_told {
            true => last.to_string().into(),
            false => "an event that decides nothing".into(),
        };
        let path = way.path.iter().cloned().collect();
        Some(Why { run: run.into(), seq: self.seq, event, decided, path })
    }

    fn follow(&mut self, step: &Step) {
        let explained = self.explained(step);
        let fiber = self.fibers.entry(step.fiber).or_default();
        let call = |fiber: &Fiber| fiber.calls.iter().rposition(|(node, _)| *node == step.at);
        match &step.what {
            StepKind::Entered => {
                fiber.way.path.push_back(step.at.clone());
                if fiber.way.path.len() > PATH_MAX {
                    fiber.way.path.pop_front();
                }
            }
            StepKind::Called { .. } => fiber.calls.push((step.at.clone(), fiber.way.clone())),
            // What was decided inside of the call does not matter any more.
            StepKind::CameBack { turns: None, .. } => {
                if let Some(at) = call(fiber) {
                    fiber.way = fiber.calls.swap_remove(at).1;
                    fiber.calls.truncate(at);
                }
            }
            StepKind::Unwound { .. } => {
                if let Some(at) = call(fiber) {
                    fiber.calls.truncate(at);
                }
            }
            _ if is_decision(step) => fiber.decides(step, explained),
            _ => {}
        }
        fiber.is_asking = matches!(step.what, StepKind::Decided(_));
        fiber.is_in_doubt |= matches!(step.what, StepKind::Interrupted { .. });
        if let StepKind::Forked { branches, .. } = &step.what {
            let way = fiber.way.clone();
            let begun =
                |branch: &Branch| (branch.fiber, Fiber { way: way.clone(), ..Fiber::default() });
            self.fibers.extend(branches.iter().map(begun));
        }
    }

    /// The step that tells what this one ends: the request, or the fork.
    fn explained(&mut self, step: &Step) -> Option<Step> {
        match &step.what {
            StepKind::Requested { call, .. } => {
                self.asked.insert(call.clone(), step.clone());
                None
            }
            StepKind::Forked { group, .. } => {
                self.forked.insert(*group, step.clone());
                None
            }
            StepKind::Answered(answered) => self.asked.remove(&answered.call),
            StepKind::Ruled(approval) if approval.denies() => self.asked.remove(&approval.call),
            StepKind::Ruled(approval) => self.asked.get(&approval.call).cloned(),
            StepKind::Refused { call, .. } => self.asked.remove(call),
            StepKind::Joined(joined) => self.forked.remove(&joined.group),
            _ => None,
        }
    }
}

impl Fiber {
    fn decides(&mut self, step: &Step, explained: Option<Step>) {
        let is_next = self.is_asking
            && matches!((&step.what, self.way.decided.last().map(|last| &last.what)),
                (StepKind::Decided(_), Some(StepKind::Decided(before)))
                    if before.to.as_ref() == Some(&step.at));
        if is_next {
            // A question that another led to belongs to it.
            Arc::make_mut(&mut self.way.decided).push(step.clone());
        } else {
            self.way.decided = Arc::new(explained.into_iter().chain([step.clone()]).collect());
        }
    }
}
