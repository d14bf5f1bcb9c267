//! One decision: what happens next in a run, if anything can.

use std::sync::Arc;

use value::{Text, Value};

use crate::approval::needs_ruling;
use crate::change::{Change, What};
use crate::decide::{Verdict, decide, estimate};
use crate::doubt::Doubt;
use crate::filter::filter;
use crate::frame::Frame;
use crate::logic::Logic;
use crate::plan::{Condition, Edition, LabelNo, NodeNo, Operand, Plan, Slot, Step, To};
use crate::record::Recorder;
use crate::run::{ActivationKind, Effect, Failure, Fiber, FiberNo, Mode, Run, Status};
use crate::{Fault, FaultKind, Request, blocks, fork, kept, request};

/// What happens next; nothing while the run waits, or is over.
pub(crate) fn step(plan: &Plan, run: &Run, logic: &mut dyn Logic) -> Option<Change> {
    if run.status != Status::Running {
        return None;
    }
    if run.counts.steps >= run.options.limits.steps {
        let most = run.options.limits.steps;
        let fault = Fault::new(FaultKind::Steps, format!("{most} steps"));
        return Some(finish_failed(run, Failure::new(fault, None)));
    }
    if let Some(group) = run.settled.front() {
        return Some(fork::settle(plan, run, *group));
    }
    if let Some(call) = run.next_queued() {
        return Some(decided(plan, run, call));
    }
    let number = whose_turn(plan, run)?;
    let fiber = run.fiber(number);
    Some(match &fiber.mode {
        Mode::Enter(label) if comes_to_join(plan, run, fiber, *label) => {
            Change::derived(What::Arrived { fiber: number })
        }
        Mode::Enter(label) => {
            if run.counts.visits >= run.options.limits.visits {
                let most = run.options.limits.visits;
                let at = &plan.label(*label).id;
                let fault = Fault::new(
                    FaultKind::Visits,
                    format!("{most} processes were begun, and `{at}` would be one more"),
                );
                let entry = plan.label(*label).entry.map(|entry| plan.node(entry).at.clone());
                return Some(finish_failed(run, Failure::new(fault, entry)));
            }
            Change::derived(What::Entered { fiber: number, label: *label })
        }
        Mode::Go(node) => go(plan, run, logic, number, fiber, *node),
        Mode::Back(value) => back(plan, run, number, fiber, value.as_ref()),
        Mode::Failing(node, failure) => failing(plan, run, number, fiber, *node, failure),
        Mode::Waits(..) | Mode::AtJoin(..) => unreachable!("only those that can go on have a turn"),
    })
}

/// Which fiber goes on: the one whose turn it is until it comes to the next process; then the one
/// that has begun the fewest, among equals the oldest.
fn whose_turn(plan: &Plan, run: &Run) -> Option<FiberNo> {
    if let Some(turn) = run.turn
        && let Some(fiber) = run.fibers.get(&turn)
    {
        match &fiber.mode {
            Mode::Go(_) | Mode::Back(_) | Mode::Failing(..) => return Some(turn),
            // A join that it is waited for at is no process.
            Mode::Enter(label) if comes_to_join(plan, run, fiber, *label) => return Some(turn),
            Mode::Waits(..) if run.is_held_up() => return None,
            Mode::Enter(_) | Mode::Waits(..) | Mode::AtJoin(..) => {}
        }
    }
    run.ready.first().map(|(_, fiber)| *fiber)
}

/// Whether a label begins with the join that the fork of this branch waits at: then the branch has
/// come to it, and the label begins when the fiber that waits goes on.
fn comes_to_join(plan: &Plan, run: &Run, fiber: &Fiber, label: LabelNo) -> bool {
    plan.label(label).entry.is_some_and(|entry| run.is_own_join(fiber, entry))
}

/// A call may leave, if the deciders say so.
fn decided(plan: &Plan, run: &Run, call: crate::CallId) -> Change {
    let waiting = run.open.get(call).expect("what is queued is open");
    let pending = &waiting.pending;
    let mut recorder = Recorder::new(run, Some(&pending.at));
    if let Some(change) = request::given_output(plan, run, waiting) {
        return change;
    }
    match decide(plan, run, pending) {
        Verdict::Allow if needs_ruling(run, pending) => Change::derived(What::Undecided { call }),
        Verdict::Allow => {
            let cost = estimate(run, &pending.request);
            Change::derived(What::Allowed { call, cost })
        }
        Verdict::Deny(fault) => {
            let is_tool = matches!(pending.request, Request::Tool(_));
            recorder.denied(is_tool.then_some(pending.intent), &fault.message);
            let what = What::Refused { call, fault: Box::new(fault) };
            Change { events: recorder.events, what }
        }
    }
}

/// The run is over, because it failed.
pub(crate) fn finish_failed(run: &Run, failure: Failure) -> Change {
    let mut recorder = Recorder::new(run, None);
    request::give_up(run.open.iter(), &mut recorder);
    recorder.finished(Err(&failure.fault), None);
    let failure = Some(Box::new(failure));
    let (ts, status, result) = (run.now, Status::Failed, Value::Null);
    let what = What::Finished { ts, status, result, failure };
    Change { events: recorder.events, what }
}

/// What an operand stands for; null where it was never written.
pub(crate) fn value_of(frame: &Frame, operand: &Operand) -> Value {
    match operand {
        Operand::Lit(value) => value.clone(),
        Operand::Var(slot) => frame.get(*slot).cloned().unwrap_or(Value::Null),
    }
}

fn go(
    plan: &Plan,
    run: &Run,
    logic: &mut dyn Logic,
    fiber: FiberNo,
    own: &Fiber,
    node: NodeNo,
) -> Change {
    let here = plan.node(node);
    let frame = &own.frame;
    let to = here.next;
    let wrote = |slot, value| Change::derived(What::Wrote { fiber, node, slot, value, to });
    let outcome = match &here.step {
        Step::Pass => return Change::derived(What::Moved { fiber, node, to }),
        Step::Set { to: slot, from } => return wrote(Some(*slot), value_of(frame, from)),
        Step::Compute { to: slot, function, args } => {
            let args: Vec<Value> = args.iter().map(|arg| value_of(frame, arg)).collect();
            function.call(&args).map(|value| wrote(*slot, value)).map_err(Fault::from)
        }
        Step::Filter { to: slot, list, field, cmp, value } => {
            let (list, value) = (value_of(frame, list), value_of(frame, value));
            let kept = filter(&list, field, *cmp, &value);
            kept.map(|value| wrote(Some(*slot), value)).map_err(Fault::from)
        }
        Step::Sort { to: slot, list, field, descending } => {
            let list = value_of(frame, list);
            let sorted = functions::sort(&list, field, *descending);
            sorted.map(|value| wrote(Some(*slot), value)).map_err(Fault::from)
        }
        Step::If { condition, then, otherwise } => {
            let holds = condition.holds(frame);
            let to = if holds { *then } else { *otherwise };
            return Change::derived(What::Decided { fiber, node, holds, to });
        }
        Step::Call { label, .. } => too_deep(run, own)
            .map(|()| Change::derived(What::Called { fiber, node, label: *label })),
        // A loop without a turn calls nothing, and writes nothing.
        Step::Loop { list, after, .. } => items(&value_of(frame, list)).and_then(|items| {
            if items.is_empty() {
                return Ok(Change::derived(What::Moved { fiber, node, to: *after }));
            }
            too_deep(run, own)?;
            Ok(Change::derived(What::LoopBegan { fiber, node, items }))
        }),
        Step::While { condition, limit, after, .. } => {
            if !condition.holds(frame) {
                return Change::derived(What::Decided { fiber, node, holds: false, to: *after });
            }
            match limit {
                0 => Err(still_holds(condition, 0)),
                _ => too_deep(run, own).map(|()| {
                    Change::derived(What::LoopBegan { fiber, node, items: Arc::default() })
                }),
            }
        }
        Step::Return(operand) => {
            let value = value_of(frame, operand);
            return Change::derived(What::Returned { fiber, node, value });
        }
        Step::Enforce(policy) => {
            policy.enforce(frame).map(|()| Change::derived(What::Moved { fiber, node, to }))
        }
        Step::Fail { code } => {
            let kind = FaultKind::of(code);
            let message = match kind {
                FaultKind::Unresolved => {
                    let gate = here.at.split('/').next().unwrap_or_default();
                    format!("no branch of `{gate}` applies; `quipu why` shows what it saw")
                }
                _ => format!("`{}` fails with `{code}`", here.at),
            };
            Err(Fault::new(kind, message))
        }
        Step::Unready(message) => Err(Fault::new(FaultKind::Missing, message.clone())),
        Step::Clock { form, out } => return kept::clock(run, fiber, node, here, *form, *out),
        Step::Uuid { out } => return kept::uuid(run, fiber, node, here, *out),
        Step::Logic { block, given, returned: _ } => {
            blocks::run(plan, run, logic, own, fiber, node, *block, given.as_deref())
        }
        Step::Fork { over, branches, item, .. } => {
            fork::begin(run, own, fiber, node, over.as_ref(), branches, *item)
        }
        // A branch that comes to its own join is finished; anybody else passes.
        Step::Join { .. } => {
            let is_own = run.is_own_join(own, node);
            return Change::derived(match is_own {
                true => What::Arrived { fiber },
                false => What::Moved { fiber, node, to },
            });
        }
        Step::ReadStore { .. }
        | Step::WriteStore { .. }
        | Step::Receive { .. }
        | Step::Publish { .. }
        | Step::Keep(_) => kept::keep(plan, run, own, fiber, node, here),
        Step::Model(_)
        | Step::Tool(_)
        | Step::Effect(_)
        | Step::Transact(_)
        | Step::Ask(_)
        | Step::Sleep(_) => request::request(plan, run, own, fiber, node, here),
    };
    outcome.unwrap_or_else(|fault| failed(fiber, node, fault, false))
}

pub(crate) fn failed(fiber: FiberNo, node: NodeNo, fault: Fault, pops: bool) -> Change {
    let doubt = Doubt::Nothing;
    Change::derived(What::Failed { fiber, node, fault: Box::new(fault), doubt, pops })
}

fn too_deep(run: &Run, fiber: &Fiber) -> Result<(), Fault> {
    let most = run.options.limits.depth;
    match (fiber.stack.len() as u64) < most {
        true => Ok(()),
        false => Err(Fault::new(FaultKind::Depth, format!("{most} calls within each other"))),
    }
}

fn still_holds(condition: &Condition, limit: u64) -> Fault {
    let message = format!("`{}` still holds after {limit} turns", condition.text);
    Fault::new(FaultKind::Turns, message)
}

/// The items that a loop or a fork goes over.
pub(crate) fn items(value: &Value) -> Result<Arc<Vec<Value>>, Fault> {
    match value {
        Value::Null => Ok(Arc::default()),
        Value::List(items) => Ok(items.clone()),
        Value::Map(map) => Ok(Arc::new(map.keys().map(|key| Value::Text(key.clone())).collect())),
        other => {
            let message = format!("a list is needed, not {}", other.kind());
            Err(Fault::new(FaultKind::Function, message))
        }
    }
}

/// A label has ended: what called it goes on.
fn back(plan: &Plan, run: &Run, fiber: FiberNo, own: &Fiber, value: Option<&Value>) -> Change {
    let Some(activation) = own.stack.last() else {
        return match own.group {
            Some(_) => Change::derived(What::Arrived { fiber }),
            None => finish_done(run, value),
        };
    };
    let node = activation.node;
    let here = plan.node(node);
    let value = value.cloned().unwrap_or(Value::Null);
    // Only what a turn has really returned counts, and it does at once.
    let (at_once, is_kept) = match plan.edition {
        Edition::Second => (false, true),
        Edition::Third => (value != Value::Null, value != Value::Null),
    };
    let over = |last: Slot, to, value| {
        let slot = is_kept.then_some(last);
        Change::derived(What::CameBack { fiber, node, slot, value, to })
    };
    let turned = |item, last: Slot, body, first, value| {
        let last = at_once.then_some((last, value));
        Change::derived(What::Turned { fiber, node, item, last, body, first })
    };
    match (&activation.kind, &here.step) {
        (ActivationKind::Loop(turns), Step::Loop { item, body, after, last, .. }) => {
            match turns.items.get(turns.next) {
                Some(one) => {
                    turned(Some((*item, one.clone())), *last, *body, turns.next == 0, value)
                }
                None => over(*last, *after, value),
            }
        }
        (
            ActivationKind::While(turns),
            Step::While { condition, limit, body, after, last, looks_at_last },
        ) => {
            // Written by itself where it decides what comes next, and where the loop fails.
            if at_once && (*looks_at_last || turns >= limit) {
                return Change::derived(What::TurnReturned { fiber, slot: *last, value });
            }
            if !condition.holds(&own.frame) {
                return over(*last, *after, value);
            }
            if turns >= limit {
                return failed(fiber, node, still_holds(condition, *limit), true);
            }
            turned(None, *last, *body, *turns == 0, value)
        }
        (_, Step::Call { out, .. }) => {
            let (slot, to) = (Some(*out), here.next);
            Change::derived(What::CameBack { fiber, node, slot, value, to })
        }
        _ => unreachable!("a node that calls is a call or a loop"),
    }
}

fn finish_done(run: &Run, value: Option<&Value>) -> Change {
    let result = value.cloned().unwrap_or_else(|| run.last_output.clone());
    let mut recorder = Recorder::new(run, None);
    request::give_up(run.open.iter(), &mut recorder);
    recorder.finished(Ok(&result), None);
    let what = What::Finished { ts: run.now, status: Status::Done, result, failure: None };
    Change { events: recorder.events, what }
}

/// A node has failed: its guards are asked, then those of what called its label.
fn failing(
    plan: &Plan,
    run: &Run,
    fiber: FiberNo,
    own: &Fiber,
    node: NodeNo,
    failure: &Failure,
) -> Change {
    let here = plan.node(node);
    let fault = &failure.fault;
    if fault.kind.is_fatal() {
        return finish_failed(run, failure.clone());
    }
    // The branches of a join are gone: to run it again would be to pass it.
    let is_join = matches!(here.step, Step::Join { .. });
    if let Some(retry) = here.retry.as_ref().filter(|_| !is_join) {
        let count = own.tries(node);
        let is_meant =
            retry.errors.is_empty() || retry.errors.iter().any(|code| **code == *fault.kind.word());
        let is_allowed = fault.kind.may_be_tried_again() && failure.doubt != Doubt::Unasked;
        if count < retry.count && is_meant && is_allowed {
            let count = count + 1;
            return match retry.delay_ms(count) {
                0 => Change::derived(What::TriedAgain { fiber, node, count }),
                delay => request::delay(run, fiber, node, here, delay),
            };
        }
    }
    if let Some(handler) = here.handler {
        return Change::derived(What::Handled { fiber, node, handler });
    }
    if !own.stack.is_empty() {
        return Change::derived(What::Unwound { fiber });
    }
    match own.group {
        Some(_) => {
            let doubt = failure.doubt.beyond_its_node();
            let failure = Box::new(Failure { doubt, ..failure.clone() });
            Change::derived(What::BranchFailed { fiber, node, failure })
        }
        None => finish_failed(run, failure.clone()),
    }
}

impl Failure {
    /// A failure that nothing has told of yet, and that leaves nothing in doubt.
    pub(crate) fn new(fault: Fault, at: Option<Text>) -> Failure {
        Failure { fault, at, event: None, doubt: Doubt::Nothing }
    }

    /// The same, of a node.
    pub(crate) fn at(fault: Fault, at: &Text) -> Failure {
        Failure::new(fault, Some(at.clone()))
    }
}

impl Fiber {
    /// How often a node was tried again since control came to it.
    pub(crate) fn tries(&self, node: NodeNo) -> u32 {
        let depth = self.depth();
        let own = self.tries.iter().find(|one| one.depth == depth && one.node == node);
        own.map_or(0, |one| one.count)
    }

    /// The effect that was attempted since control came to a node, where it failed.
    pub(crate) fn effect(&self, node: NodeNo) -> Option<Effect> {
        let depth = self.depth();
        self.tries.iter().find(|one| one.depth == depth && one.node == node)?.effect
    }

    pub(crate) fn depth(&self) -> u32 {
        u32::try_from(self.stack.len()).unwrap_or(u32::MAX)
    }
}

/// Where a fiber is after it goes this way.
pub(crate) fn mode_after(to: To) -> Mode {
    match to {
        To::End => Mode::Back(None),
        To::Node(node) => Mode::Go(node),
        To::Label(label) => Mode::Enter(label),
    }
}
