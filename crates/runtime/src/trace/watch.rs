//! From a change to the steps that tell of it. What a change does not say itself is read from the
//! run as it was before.

use graph::Expr;
use history::Event;
use history::kinds::{Kind, Sealed};
use value::{Text, Value};

use super::{Answered, Approval, Branch, By, Clause, Decided, Joined, Seen, Step, StepKind};
use crate::advance::Watch;
use crate::call::{CallId, Pending, Stage};
use crate::change::{Change, Kept, Taken, What};
use crate::fork::beneath;
use crate::frame::Frame;
use crate::open::{Waiting, Why};
use crate::plan::{self, Condition, LabelNo, NodeNo, Plan, PlanNode, Slot, Strategy, To};
use crate::run::{ActivationKind, FiberNo, GroupNo, Mode, Run};
use crate::{Fault, FaultKind, Request};

/// Makes steps of what it sees.
pub(super) struct Tracing<'a> {
    /// The last event before the one that is taken in.
    pub(super) before: u64,
    /// The one that is taken in.
    pub(super) seq: u64,
    pub(super) tell: &'a mut dyn FnMut(Step),
}

impl Watch for Tracing<'_> {
    fn see(&mut self, plan: &Plan, run: &Run, change: &Change) {
        let teller = Teller { plan, run };
        let events = change.events.len() as u64;
        let seq = if events == 0 { self.before } else { self.seq };
        teller.tell(change, &mut |fiber, at: Text, what| {
            (self.tell)(Step { seq, events, fiber, at, what });
        });
    }
}

struct Teller<'a> {
    plan: &'a Plan,
    run: &'a Run,
}

type Tell<'t> = dyn FnMut(FiberNo, Text, StepKind) + 't;

impl Teller<'_> {
    fn at(&self, node: NodeNo) -> Text {
        self.plan.node(node).at.clone()
    }

    fn label(&self, label: LabelNo) -> Text {
        self.plan.label(label).id.clone()
    }

    fn to(&self, to: To) -> Option<Text> {
        target(self.plan, to)
    }

    fn name(&self, slot: Slot) -> Text {
        self.run.name(self.plan, slot).clone()
    }

    fn seen(&self, fiber: FiberNo, condition: &Condition) -> Seen {
        let frame = &self.run.fiber(fiber).frame;
        let looked_at = Expr::parse(&condition.text).map_or_else(
            |_| {
                let slots = condition.slots();
                let held = slots.iter().map(|slot| (self.name(*slot), frame.get(*slot)));
                held.map(|(name, value)| (name, value.cloned().into())).collect()
            },
            |expr| self.looked_at(&expr, frame),
        );
        Seen { text: condition.text.clone(), values: looked_at }
    }

    fn looked_at(&self, expr: &Expr, frame: &Frame) -> Vec<(Text, Value)> {
        let mut values: Vec<(Text, Value)> = Vec::new();
        for path in expr.paths() {
            let written: Text = path.to_string().into();
            if values.iter().any(|(known, _)| *known == written) {
                continue;
            }
            let root = self.run.slot(self.plan, path.root()).and_then(|slot| frame.get(slot));
            let members = &path.parts()[1..];
            let found = root
                .and_then(|root| members.iter().try_fold(root, |value, member| value.get(member)));
            values.push((written, found.cloned().into()));
        }
        values
    }

    fn tell(&self, change: &Change, tell: &mut Tell<'_>) {
        match &change.what {
            What::Began(began) => {
                let inputs = began.inputs.iter().cloned().collect();
                let from = began.from.as_ref();
                let from = from.map(|from| format!("{}@{}", from.run_id, from.seq).into());
                tell(0, "".into(), StepKind::Began { inputs, from });
            }
            What::WasSet { values, .. } => {
                tell(0, "".into(), StepKind::Given { values: values.clone() });
            }
            What::Noted { .. } => {}
            What::PolicyChanged { policy, .. } => {
                tell(0, "".into(), StepKind::PolicyChanged { policy: policy.clone() });
            }
            What::Entered { fiber, label } => tell(*fiber, self.label(*label), StepKind::Entered),
            What::Finished { status, result, failure, .. } => {
                let (status, result, failure) = (*status, result.clone(), failure.clone());
                tell(0, "".into(), StepKind::Finished { status, result, failure });
            }
            What::Answered { .. }
            | What::Late { .. }
            | What::Interrupted { .. }
            | What::Requested { .. }
            | What::Allowed { .. }
            | What::Left { .. }
            | What::Undecided { .. }
            | What::Cleared { .. }
            | What::Denied { .. }
            | What::AskedFor { .. }
            | What::Refused { .. } => self.tell_of_calls(change, tell),
            What::Forked { .. }
            | What::Arrived { .. }
            | What::BranchFailed { .. }
            | What::Joined { .. }
            | What::JoinFailed { .. } => self.tell_of_branches(&change.what, tell),
            What::Failed { .. }
            | What::LogicFailed { .. }
            | What::TriedAgain { .. }
            | What::Handled { .. }
            | What::Unwound { .. } => self.tell_of_failures(&change.what, tell),
            What::Called { .. }
            | What::LoopBegan { .. }
            | What::Turned { .. }
            | What::TurnReturned { .. }
            | What::CameBack { .. }
            | What::Returned { .. } => self.tell_of_labels(&change.what, tell),
            What::Moved { .. }
            | What::Decided { .. }
            | What::Wrote { .. }
            | What::Ran { .. }
            | What::StoreChanged { .. } => self.tell_of_nodes(&change.what, tell),
        }
    }

    fn tell_of_nodes(&self, what: &What, tell: &mut Tell<'_>) {
        match what {
            // A gate with only one way still has a text that says so.
            What::Moved { fiber, node, to } => {
                let here = self.plan.node(*node);
                if let Some(clause) = clause(here, true) {
                    let (to, clause) = (self.to(*to), Some(clause));
                    let decided = Decided { condition: None, holds: true, to, clause };
                    tell(*fiber, here.at.clone(), StepKind::Decided(Box::new(decided)));
                }
            }
            What::Decided { fiber, node, holds, to } => {
                let here = self.plan.node(*node);
                let condition = match &here.step {
                    plan::Step::If { condition, .. } => Some(self.seen(*fiber, condition)),
                    _ => None,
                };
                let clause = clause(here, *holds);
                let decided = Decided { condition, holds: *holds, to: self.to(*to), clause };
                tell(*fiber, here.at.clone(), StepKind::Decided(Box::new(decided)));
            }
            What::Wrote { fiber, node, slot: Some(slot), value, .. } => {
                let (name, value) = (self.name(*slot), value.clone());
                tell(*fiber, self.at(*node), StepKind::Wrote { name, value });
            }
            What::Ran { fiber, node, done, .. } => {
                tell(*fiber, self.at(*node), StepKind::Ran { done: done.clone() });
            }
            What::StoreChanged { fiber, node, kept, slot, value } => {
                let (verb, id) = self.kept(&self.plan.node(*node).step, kept);
                let wrote = slot.map(|slot| (self.name(slot), value.clone()));
                tell(*fiber, self.at(*node), StepKind::Kept { verb, id, wrote });
            }
            // What is written to no name is not worth a line.
            _ => {}
        }
    }

    fn kept(&self, step: &plan::Step, kept: &Kept) -> (&'static str, Text) {
        let store = |at: &u32| self.plan.stores[*at as usize].id.clone();
        let channel = |at: &u32| self.plan.channels[*at as usize].id.clone();
        match step {
            plan::Step::ReadStore { store: at, .. } => ("store.read", store(at)),
            plan::Step::WriteStore { store: at, .. } => ("store.write", store(at)),
            plan::Step::Receive { channel: at, .. } => ("channel.receive", channel(at)),
            plan::Step::Publish { channel: at, .. } => ("channel.publish", channel(at)),
            plan::Step::Keep(step) => {
                let id = match kept {
                    Kept::Named(id, _) => id.split_once('/').map_or(&**id, |(_, name)| name),
                    Kept::Store(..) | Kept::Channel(..) => "",
                };
                (step.def.word, id.into())
            }
            _ => unreachable!("only these keep something"),
        }
    }

    fn tell_of_labels(&self, what: &What, tell: &mut Tell<'_>) {
        match what {
            What::Called { fiber, node, label } => {
                tell(*fiber, self.at(*node), StepKind::Called { label: self.label(*label) });
            }
            What::LoopBegan { fiber, node, items } => {
                let is_loop = matches!(self.plan.node(*node).step, plan::Step::Loop { .. });
                let items = is_loop.then_some(items.len() as u64);
                tell(*fiber, self.at(*node), StepKind::Looped { items });
            }
            What::Turned { fiber, node, item, .. } => {
                let turn = self.turns(*fiber).unwrap_or(0) + 1;
                let item = item.as_ref().map(|(slot, item)| (self.name(*slot), item.clone()));
                let condition = self.loop_condition(*fiber, *node);
                tell(*fiber, self.at(*node), StepKind::Turned { turn, item, condition });
            }
            What::CameBack { fiber, node, slot, value, to } => {
                let came_back = StepKind::CameBack {
                    name: slot.map(|slot| self.name(slot)),
                    value: value.clone(),
                    turns: self.turns(*fiber),
                    condition: self.loop_condition(*fiber, *node),
                    to: self.to(*to),
                };
                tell(*fiber, self.at(*node), came_back);
            }
            What::Returned { fiber, node, value } => {
                tell(*fiber, self.at(*node), StepKind::Returned { value: value.clone() });
            }
            _ => {}
        }
    }

    /// How many turns the loop that a fiber is in has begun.
    fn turns(&self, fiber: FiberNo) -> Option<u64> {
        match &self.run.fiber(fiber).stack.last()?.kind {
            ActivationKind::Call => None,
            ActivationKind::Loop(turns) => Some(turns.next as u64),
            ActivationKind::While(turns) => Some(*turns),
        }
    }

    fn loop_condition(&self, fiber: FiberNo, node: NodeNo) -> Option<Seen> {
        match &self.plan.node(node).step {
            plan::Step::While { condition, .. } => Some(self.seen(fiber, condition)),
            _ => None,
        }
    }

    fn tell_of_failures(&self, what: &What, tell: &mut Tell<'_>) {
        match what {
            What::Failed { fiber, node, fault, .. } | What::LogicFailed { fiber, node, fault } => {
                tell(*fiber, self.at(*node), StepKind::Failed { fault: (**fault).clone() });
            }
            What::TriedAgain { fiber, node, count } => {
                tell(*fiber, self.at(*node), self.tried_again(*fiber, *node, *count, 0));
            }
            What::Handled { fiber, node, handler } => {
                let (handler, fault) = (self.label(*handler), self.fault(*fiber));
                tell(*fiber, self.at(*node), StepKind::Handled { handler, fault });
            }
            What::Unwound { fiber } => {
                if let Some(caller) = self.run.fiber(*fiber).stack.last() {
                    let fault = self.fault(*fiber);
                    tell(*fiber, self.at(caller.node), StepKind::Unwound { fault });
                }
            }
            _ => {}
        }
    }

    fn tried_again(&self, fiber: FiberNo, node: NodeNo, attempt: u32, delay_ms: u64) -> StepKind {
        let of = self.plan.node(node).retry.as_ref().map_or(0, |retry| retry.count);
        StepKind::TriedAgain { attempt, of, delay_ms, fault: self.fault(fiber) }
    }

    /// How the node has failed that a fiber is at.
    fn fault(&self, fiber: FiberNo) -> Fault {
        match &self.run.fiber(fiber).mode {
            Mode::Failing(_, failure) => failure.fault.clone(),
            _ => Fault::new(FaultKind::Failed, ""),
        }
    }

    fn tell_of_branches(&self, what: &What, tell: &mut Tell<'_>) {
        match what {
            What::Forked { fiber, node, branches } => {
                let plan::Step::Fork { join, .. } = self.plan.node(*node).step else { return };
                let first = self.run.counts.fibers;
                let branches = (first..).zip(branches).map(|(fiber, (label, item))| Branch {
                    fiber,
                    label: self.label(*label),
                    item: item.as_ref().map(|(_, item)| item.clone()),
                });
                let forked = StepKind::Forked {
                    group: self.run.counts.groups + 1,
                    join: self.at(join),
                    strategy: self.strategy(join),
                    branches: branches.collect(),
                };
                tell(*fiber, self.at(*node), forked);
            }
            What::Arrived { fiber } => {
                let group = self.run.fiber(*fiber).group.map(|(group, _)| group);
                let join = group.map(|group| self.at(self.run.groups[&group].join));
                tell(*fiber, join.unwrap_or_else(|| "".into()), StepKind::Arrived);
            }
            What::BranchFailed { fiber, node, failure } => {
                let fault = failure.fault.clone();
                tell(*fiber, self.at(*node), StepKind::BranchFailed { fault });
            }
            What::Joined { group, frame } => {
                let base = &self.run.fiber(self.run.groups[group].owner).frame;
                let changed = frame.changed_from(base);
                let merged = changed.map(|(slot, value)| (self.name(slot), value.cloned()));
                self.joined(*group, Ok(merged.collect()), tell);
            }
            What::JoinFailed { group, failure } => {
                self.joined(*group, Err(failure.fault.clone()), tell);
            }
            _ => {}
        }
    }

    fn joined(
        &self,
        number: GroupNo,
        outcome: Result<Vec<(Text, Option<Value>)>, Fault>,
        tell: &mut Tell<'_>,
    ) {
        let group = &self.run.groups[&number];
        let place = |fiber: &FiberNo| match self.run.fiber(*fiber).group {
            Some((own, place)) if own == number => Some(place),
            _ => None,
        };
        let mut cancelled: Vec<u32> = beneath(self.run, group).iter().filter_map(place).collect();
        cancelled.sort_unstable();
        let joined = Joined {
            group: number,
            strategy: self.strategy(group.join),
            needed: group.needed,
            branches: group.branches,
            succeeded: group.succeeded.keys().copied().collect(),
            failed: group.failed.keys().copied().collect(),
            cancelled,
            outcome,
        };
        tell(group.owner, self.at(group.join), StepKind::Joined(Box::new(joined)));
    }

    fn strategy(&self, join: NodeNo) -> Text {
        match &self.plan.node(join).step {
            plan::Step::Join { strategy, .. } => match strategy {
                Strategy::All => "all".into(),
                Strategy::Any => "any".into(),
                Strategy::Race => "race".into(),
                Strategy::Quorum(None) => "quorum".into(),
                Strategy::Quorum(Some(count)) => format!("quorum:{count}").into(),
            },
            _ => unreachable!("a fork leads to a join"),
        }
    }

    fn waiting(&self, call: CallId) -> Option<&Waiting> {
        self.run.open.get(call).or_else(|| self.run.abandoned.get(&call))
    }

    fn tell_of_calls(&self, change: &Change, tell: &mut Tell<'_>) {
        let mut about = |call: CallId, what: &dyn Fn(&Waiting) -> StepKind| {
            if let Some(waiting) = self.waiting(call) {
                tell(waiting.fiber, waiting.pending.at.clone(), what(waiting));
            }
        };
        let ruled = |waiting: &Waiting| {
            let ruled = Approval::of(&waiting.pending.name, &change.events);
            StepKind::Ruled(Box::new(ruled.expect("the events of a ruling say what it is")))
        };
        match &change.what {
            What::Cleared { call, .. }
            | What::Denied { call, .. }
            | What::AskedFor { call, .. } => about(*call, &ruled),
            What::Requested { fiber, node, calls, .. } => {
                let Some((first, why)) = calls.first() else { return };
                let step = match (why, &first.request) {
                    (Why::Retry, Request::Timer(due)) => {
                        let attempt = self.run.fiber(*fiber).tries(*node) + 1;
                        let delay = due.micros().saturating_sub(self.run.now.micros()) / 1_000;
                        let delay = u64::try_from(delay).unwrap_or(0);
                        self.tried_again(*fiber, *node, attempt, delay)
                    }
                    _ => {
                        let (call, request) = (first.name.clone(), first.request.clone());
                        StepKind::Requested { call, request }
                    }
                };
                tell(*fiber, self.at(*node), step);
                // A question is told of with its timer; what a model wants is told of one by one.
                for (other, why) in calls.iter().skip(1) {
                    if let Why::Use(_) = why {
                        let (call, request) = (other.name.clone(), other.request.clone());
                        tell(*fiber, self.at(*node), StepKind::Requested { call, request });
                    }
                }
            }
            What::Left { call, .. } => about(*call, &|waiting| {
                let Pending { name, attempt, stage, .. } = &waiting.pending;
                let again = u32::from(*stage == Stage::Started);
                StepKind::Left { call: name.clone(), attempt: attempt + again }
            }),
            // Not worth a line: nothing is recorded.
            What::Allowed { .. } => {}
            What::Refused { call, fault } => about(*call, &|waiting| StepKind::Refused {
                call: waiting.pending.name.clone(),
                fault: (**fault).clone(),
            }),
            What::Interrupted { calls, .. } => {
                for call in calls {
                    about(*call, &|waiting| StepKind::Interrupted {
                        call: waiting.pending.name.clone(),
                        attempt: waiting.pending.attempt,
                    });
                }
            }
            What::Late { call, .. } => about(*call, &|waiting| {
                let (call, answer) = (waiting.pending.name.clone(), Ok(Value::Null));
                let (wrote, to) = (Vec::new(), None);
                let answered = Answered { call, by: By::TooLate, answer, wrote, to };
                StepKind::Answered(Box::new(answered))
            }),
            What::Answered { taken, .. }
                if let Taken::Approved(call) | Taken::Disapproved(call, _) = &**taken =>
            {
                about(*call, &ruled);
            }
            What::Answered { call, taken, .. } => about(*call, &|waiting| {
                StepKind::Answered(Box::new(self.answered(waiting, taken, &change.events)))
            }),
            _ => {}
        }
    }

    fn answered(&self, waiting: &Waiting, taken: &Taken, events: &[Sealed]) -> Answered {
        // What a moment without an answer answers is the question.
        let asked = match waiting.why {
            Why::Expiry(question) => self.waiting(question).unwrap_or(waiting),
            Why::Answer
            | Why::Retry
            | Why::Fetch
            | Why::Act
            | Why::Use(_)
            | Why::Approval { .. } => waiting,
        };
        let call = asked.pending.name.clone();
        let by = by(waiting, events);
        match taken {
            Taken::Wrote { writes, output, to, .. } => {
                let wrote: Vec<(Text, Value)> =
                    writes.iter().map(|(slot, value)| (self.name(*slot), value.clone())).collect();
                let last = wrote.last().map(|(_, value)| value.clone());
                let answer = Ok(output.clone().or(last).into());
                Answered { call, by, answer, wrote, to: self.to(*to) }
            }
            Taken::Again => {
                let to = Some(waiting.pending.at.clone());
                Answered { call, by, answer: Ok(Value::Null), wrote: Vec::new(), to }
            }
            Taken::Fetched(_, value) => {
                let (answer, to) = (Ok(value.clone()), Some(waiting.pending.at.clone()));
                Answered { call, by, answer, wrote: Vec::new(), to }
            }
            Taken::Acted(value) => {
                let to = match self.run.owes_one(waiting.fiber) {
                    true => self.to(self.plan.node(waiting.node).next),
                    false => Some(waiting.pending.at.clone()),
                };
                Answered { call, by, answer: Ok(value.clone()), wrote: Vec::new(), to }
            }
            Taken::Talked(talk, _) => {
                let (answer, to) = (Ok(talk.heard()), Some(waiting.pending.at.clone()));
                Answered { call, by, answer, wrote: Vec::new(), to }
            }
            Taken::Used(_, outcome) => {
                let (answer, to) = (outcome.clone(), Some(waiting.pending.at.clone()));
                Answered { call, by, answer, wrote: Vec::new(), to }
            }
            // Told as rulings.
            Taken::Approved(_) | Taken::Disapproved(..) => {
                Answered { call, by, answer: Ok(Value::Null), wrote: Vec::new(), to: None }
            }
            Taken::Failed(fault, _) => {
                let answer = Err(fault.clone());
                Answered { call, by, answer, wrote: Vec::new(), to: None }
            }
        }
    }
}

fn by(waiting: &Waiting, events: &[Sealed]) -> By {
    let of_kind = |kind| events.iter().map(|one| &one.event).find(|event| event.kind() == kind);
    let actor = |event: &Event| event.members().get("actor").and_then(Value::as_text).cloned();
    if of_kind(Kind::Substitution).is_some() {
        return By::Fork;
    }
    match (&waiting.pending.request, waiting.why) {
        (_, Why::Expiry(_)) => By::Nobody,
        (Request::Question(_), _) => By::Person(of_kind(Kind::QuestionAnswered).and_then(actor)),
        (Request::Timer(_), _) => By::Clock,
        (Request::Model(_) | Request::Tool(_), _) => By::World,
    }
}

/// Where a way leads, as it is shown; nothing where the label ends.
pub(crate) fn target(plan: &Plan, to: To) -> Option<Text> {
    match to {
        To::End => None,
        To::Node(node) => Some(plan.node(node).at.clone()),
        To::Label(label) => Some(plan.label(label).id.clone()),
    }
}

/// The author's text behind a node: its own clause where it holds, else the one that always does,
/// if that comes next.
pub(crate) fn clause(here: &PlanNode, holds: bool) -> Option<Clause> {
    let own = here.clause.as_ref()?;
    let noted = own.get("else").filter(|_| !holds).unwrap_or(own);
    let text = |name| noted.get(name).and_then(Value::as_text).cloned();
    Some(Clause { source: text("source")?, text: text("text").unwrap_or_else(|| "".into()) })
}
