//! The only place where a run changes. It decides nothing: what is to happen is in the change.

mod approvals;
mod branches;
mod calls;

use history::Timestamp;
use history::kinds::Sealed;
use value::{Text, Value};

use crate::call::{Pending, Request};
use crate::change::{Began, Change, Kept, What};
use crate::doubt::Doubt;
use crate::frame::Frame;
use crate::open::{Waiting, Why};
use crate::plan::{Edition, NodeNo, Operand, Plan, Slot, Step, To};
use crate::run::{
    Activation, ActivationKind, Effect, Failure, Fiber, FiberNo, Mode, Run, Status, Try, Turns,
};
use crate::step::mode_after;
use crate::{Fault, FaultKind};

/// So much of the path is kept.
const PATH_MAX: usize = 10_000;

impl Run {
    /// Takes a change in, and hands on the events that record it.
    pub(crate) fn apply(&mut self, plan: &Plan, change: Change) -> Vec<Sealed> {
        let last_event = change.last_event();
        if last_event.is_some() {
            self.last_event = last_event;
            self.derived = None;
        }
        match change.what {
            What::Began(began) => self.began(plan, *began),
            What::Answered { call, ts, taken } => {
                self.now = ts;
                self.answered(plan, call, *taken);
            }
            What::Late { call, ts, spent } => {
                self.now = ts;
                self.spend(spent);
                self.abandoned.remove(&call);
            }
            What::Left { call, ts } => {
                self.now = ts;
                self.open.left(call);
            }
            What::Interrupted { calls, ts } => {
                self.now = ts;
                for call in calls {
                    self.interrupted(call);
                }
            }
            What::WasSet { values, ts } => {
                self.now = ts;
                self.was_set(plan, values);
            }
            What::Noted { ts } => self.now = ts,
            What::Entered { fiber, label } => {
                self.counts.visits += 1;
                if self.path.len() < PATH_MAX {
                    self.path.push(label);
                }
                let mode = plan.label(label).entry.map_or(Mode::Back(None), Mode::Go);
                let own = self.own(fiber);
                let before = own.turns;
                own.turns += 1;
                own.mode = mode;
                let after = own.turns;
                self.ready.remove(&(before, fiber));
                self.ready.insert((after, fiber));
            }
            What::Moved { fiber, node, to } | What::Decided { fiber, node, to, .. } => {
                self.counts.steps += 1;
                self.go_on(fiber, node, to);
            }
            What::Wrote { fiber, node, slot, value, to } => {
                self.counts.steps += 1;
                if !change.events.is_empty() {
                    self.counts.ids += 1;
                }
                if let Some(slot) = slot {
                    self.own(fiber).frame.set(slot, Some(value));
                }
                self.go_on(fiber, node, to);
            }
            What::Called { fiber, node, label } => {
                self.counts.steps += 1;
                let own = self.own(fiber);
                own.stack.push(Activation { node, kind: ActivationKind::Call });
                own.mode = Mode::Enter(label);
            }
            What::LoopBegan { fiber, node, items } => {
                self.counts.steps += 1;
                let own = self.own(fiber);
                let kind = match plan.node(node).step {
                    Step::Loop { item, .. } => {
                        let is_scoped = plan.edition >= Edition::Third;
                        let before = is_scoped.then(|| (item, own.frame.get(item).cloned()));
                        ActivationKind::Loop(Turns { items, next: 0, before })
                    }
                    _ => ActivationKind::While(0),
                };
                own.stack.push(Activation { node, kind });
                own.mode = Mode::Back(None);
            }
            What::Turned { fiber, item, last, body, first, .. } => {
                self.counts.steps += 1;
                let entry = plan.label(body).entry.map_or(Mode::Back(None), Mode::Go);
                let own = self.own(fiber);
                for (slot, value) in last.into_iter().chain(item) {
                    own.frame.set(slot, Some(value));
                }
                match own.stack.last_mut().map(|activation| &mut activation.kind) {
                    Some(ActivationKind::Loop(turns)) => turns.next += 1,
                    Some(ActivationKind::While(turns)) => *turns += 1,
                    Some(ActivationKind::Call) | None => {}
                }
                own.mode = if first { Mode::Enter(body) } else { entry };
            }
            What::TurnReturned { fiber, slot, value } => {
                let own = self.own(fiber);
                own.frame.set(slot, Some(value));
                own.mode = Mode::Back(None);
            }
            What::CameBack { fiber, node, slot, value, to } => {
                let own = self.own(fiber);
                if let Step::Call { also: Some(also), .. } = plan.node(node).step {
                    own.frame.set(also, Some(value.clone()));
                }
                if let Some(slot) = slot {
                    own.frame.set(slot, Some(value));
                }
                self.pop(fiber);
                self.go_on(fiber, node, to);
            }
            What::Returned { fiber, node, value } => {
                self.counts.steps += 1;
                // Who returns nothing has only come to the end.
                let is_bare =
                    matches!(plan.node(node).step, Step::Return(Operand::Lit(Value::Null)));
                self.own(fiber).mode = Mode::Back((!is_bare).then_some(value));
            }
            What::Failed { fiber, node, fault, doubt, pops } => {
                self.counts.steps += 1;
                if pops {
                    self.pop(fiber);
                }
                let own = self.own(fiber);
                own.errand = None;
                own.talk = None;
                own.mode = own.failing(node, *fault, &plan.node(node).at, doubt);
            }
            What::LogicFailed { fiber, node, fault } => {
                self.counts.steps += 1;
                self.counts.calls += 1;
                self.counts.blocks += 1;
                let own = self.own(fiber);
                own.errand = None;
                own.mode = own.failing(node, *fault, &plan.node(node).at, Doubt::Nothing);
            }
            What::TriedAgain { fiber, node, count } => self.tried_again(fiber, node, count),
            What::Handled { fiber, node, handler } => {
                let slot = plan.error;
                let own = self.own(fiber);
                let mode = std::mem::replace(&mut own.mode, Mode::Enter(handler));
                if let Mode::Failing(_, failure) = mode {
                    own.frame.set(slot, Some(failure.fault.to_value()));
                }
                own.forget_tries(node);
            }
            What::Unwound { fiber } => {
                let caller = self.own(fiber).stack.last().map(|activation| activation.node);
                self.pop(fiber);
                let own = self.own(fiber);
                if let (Some(node), Mode::Failing(failed, failure)) = (caller, &mut own.mode) {
                    *failed = node;
                    failure.doubt = failure.doubt.beyond_its_node();
                }
            }
            What::Forked { fiber, node, branches } => self.forked(plan, fiber, node, branches),
            What::Arrived { fiber } => self.arrived(fiber),
            What::BranchFailed { fiber, failure, .. } => self.branch_failed(fiber, failure),
            What::Joined { group, frame } => {
                let group = self.dissolve(group);
                let owner = self.back_from(&group);
                owner.frame = frame;
                owner.cause = group.cause.or(owner.cause);
                // The label that begins with a join begins when the join is met.
                owner.mode = group.label.map_or(Mode::Go(group.join), Mode::Enter);
                if self.is_own_join(self.fiber(group.owner), group.join) {
                    self.arrived(group.owner);
                }
            }
            What::JoinFailed { group, failure } => {
                let group = self.dissolve(group);
                let owner = self.back_from(&group);
                owner.mode = Mode::Failing(group.join, failure);
            }
            What::Ran { fiber, node, done, digest } => {
                self.counts.steps += 1;
                self.counts.blocks += 1;
                self.derived = Some(digest);
                self.ran(plan, fiber, node, *done);
            }
            What::StoreChanged { fiber, node, kept, slot, value } => {
                self.counts.steps += 1;
                match *kept {
                    Kept::Store(at, contents) => self.stores[at as usize] = *contents,
                    Kept::Channel(at, channel) => self.channels[at as usize] = *channel,
                    Kept::Named(id, contents) => drop(self.kept.insert(id, *contents)),
                }
                if let Some(slot) = slot {
                    self.own(fiber).frame.set(slot, Some(value));
                }
                self.go_on(fiber, node, plan.node(node).next);
            }
            What::Requested { fiber, node, calls } => {
                self.counts.steps += 1;
                self.requested(fiber, node, calls);
            }
            What::Allowed { call, cost } => {
                self.counts.cost = self.counts.cost.plus(cost);
                self.open.allow(call);
            }
            What::Refused { call, fault } => self.denied(call, *fault),
            What::Undecided { call } => self.open.undecided(call),
            What::Cleared { call, ts } => {
                self.now = ts;
                self.cleared(call);
            }
            What::Denied { call, ts, fault } => {
                self.now = ts;
                self.denied(call, *fault);
            }
            What::AskedFor { call, ts, calls } => {
                self.now = ts;
                self.asked_for(call, *calls);
            }
            What::PolicyChanged { policy, ts } => self.policy_changed(policy, ts),
            What::Finished { ts, status, result, failure } => {
                self.now = ts;
                self.finished(status, result, failure, last_event);
            }
        }
        change.events
    }

    pub(crate) fn own(&mut self, fiber: FiberNo) -> &mut Fiber {
        if self.turn != Some(fiber) {
            self.turn = Some(fiber);
        }
        self.fibers.get_mut(&fiber).expect("a change is about a fiber that is there")
    }

    pub(crate) fn go_on(&mut self, fiber: FiberNo, node: NodeNo, to: To) {
        let own = self.own(fiber);
        own.forget_tries(node);
        own.mode = mode_after(to);
    }

    fn pop(&mut self, fiber: FiberNo) {
        let own = self.own(fiber);
        let activation = own.stack.pop();
        if let Some(Activation { kind: ActivationKind::Loop(turns), .. }) = activation
            && let Some((item, before)) = turns.before
        {
            own.frame.set(item, before);
        }
        let depth = own.depth();
        own.tries.retain(|one| one.depth <= depth);
    }

    fn tried_again(&mut self, fiber: FiberNo, node: NodeNo, count: u32) {
        let own = self.own(fiber);
        own.set_tries(node, count);
        own.mode = Mode::Go(node);
    }

    /// The slot of a name, old or new.
    pub(crate) fn intern(&mut self, plan: &Plan, name: &Text) -> Slot {
        if let Some(slot) = self.slot(plan, name) {
            return slot;
        }
        let slot = plan.names.len() + self.more_names.len();
        let slot = Slot::try_from(slot).expect("there are fewer names than that");
        self.more_names.push(name.clone());
        self.more_slots.insert(name.clone(), slot);
        slot
    }

    fn began(&mut self, plan: &Plan, began: Began) {
        let is_fork = began.from.is_some();
        self.id = began.run;
        if !is_fork {
            self.agent = began.agent;
        }
        // How much of its time a run has used goes with it into a fork, whenever that begins. It is
        // never less than nothing, whatever an imported history says.
        let used = if is_fork { self.now.micros().saturating_sub(self.began.micros()) } else { 0 };
        let used = used.max(0);
        self.began = Timestamp::from_micros(began.ts.micros().saturating_sub(used));
        self.now = began.ts;
        self.options = began.options;
        self.from = began.from;
        if is_fork {
            // What was under way is the parent's: here nothing has left yet.
            for one in self.fibers.values_mut().flat_map(|fiber| &mut fiber.tries) {
                one.effect =
                    one.effect.map(|effect| Effect { attempts: 0, since: began.ts, ..effect });
            }
            self.abandoned.clear();
            self.open.begin_anew(began.ts);
            return;
        }
        self.seed = began.seed;
        self.status = Status::Running;
        let mut frame = Frame::with_room(plan.names.len());
        for (slot, value) in &plan.initial {
            frame.set(*slot, Some(value.clone()));
        }
        for (name, value) in began.inputs {
            let slot = self.intern(plan, &name);
            frame.set(slot, Some(value));
        }
        let cause = self.last_event;
        let fiber = Fiber {
            frame,
            mode: Mode::Enter(plan.entry),
            stack: Vec::new(),
            group: None,
            turns: 0,
            tries: Vec::new(),
            cause,
            errand: None,
            talk: None,
        };
        self.fibers.insert(0, fiber);
        self.counts.fibers = 1;
        self.ready.insert((0, 0));
    }

    fn was_set(&mut self, plan: &Plan, values: Vec<(Text, Value)>) {
        for (name, value) in values {
            let slot = self.intern(plan, &name);
            for fiber in self.fibers.values_mut() {
                fiber.frame.set(slot, Some(value.clone()));
            }
            // Branches that are finished must not bring back what was before.
            for group in self.groups.values_mut() {
                for frame in group.succeeded.values_mut() {
                    frame.set(slot, Some(value.clone()));
                }
                let items = group.items.iter_mut().filter(|(item, _)| *item == slot);
                items.for_each(|(_, item)| *item = value.clone());
            }
        }
    }

    fn wake(&mut self, fiber: FiberNo, mode: Mode) {
        let own = self.own(fiber);
        if matches!(mode, Mode::Failing(..)) {
            own.errand = None;
            own.talk = None;
        }
        own.mode = mode;
        let turns = own.turns;
        self.ready.insert((turns, fiber));
    }

    /// A call has failed, and with it the node that made it, unless it is for a model to know.
    fn fail(&mut self, waiting: &Waiting, fault: Fault, doubt: Doubt) {
        let is_tool = matches!(waiting.pending.request, Request::Tool(_));
        self.counts.denied += u64::from(is_tool && fault.kind == FaultKind::Denied);
        if let Why::Use(index) = waiting.why {
            return self.used(waiting, index, Err(fault), doubt);
        }
        let at = &waiting.pending.at;
        let mode = self.own(waiting.fiber).failing(waiting.node, fault, at, doubt);
        self.wake(waiting.fiber, mode);
    }

    fn finished(
        &mut self,
        status: Status,
        result: Value,
        failure: Option<Box<Failure>>,
        event: Option<history::EventId>,
    ) {
        self.status = status;
        self.result = result;
        self.error = failure.map(|failure| Box::new(Failure { event, ..*failure }));
        self.open.ids().into_iter().for_each(|call| self.abandon(call));
        if let Some(first) = self.fibers.remove(&0) {
            self.last_frame = first.frame;
        }
        self.fibers.clear();
        self.ready.clear();
        self.groups.clear();
        self.settled.clear();
        self.turn = None;
    }
}

impl Fiber {
    /// A node has failed by itself. What earlier attempts left in doubt still is.
    fn failing(&self, node: NodeNo, fault: Fault, at: &Text, doubt: Doubt) -> Mode {
        let doubt = self.effect(node).map_or(doubt, |effect| effect.doubt.max(doubt));
        Mode::Failing(node, Box::new(Failure { doubt, ..Failure::at(fault, at) }))
    }

    fn forget_tries(&mut self, node: NodeNo) {
        if !self.tries.is_empty() {
            let depth = self.depth();
            self.tries.retain(|one| one.depth != depth || one.node != node);
        }
    }

    fn set_tries(&mut self, node: NodeNo, count: u32) {
        let effect = self.effect(node);
        self.forget_tries(node);
        let depth = self.depth();
        self.tries.push(Try { depth, node, count, effect });
    }

    /// An attempt at an effect has failed.
    fn attempted(&mut self, node: NodeNo, pending: &Pending, doubt: Doubt) {
        let doubt = self.effect(node).map_or(doubt, |before| before.doubt.max(doubt));
        let (key, since) = (pending.key, pending.since);
        let effect = Effect { key, since, attempts: pending.attempt, doubt };
        let (depth, count) = (self.depth(), self.tries(node));
        self.forget_tries(node);
        self.tries.push(Try { depth, node, count, effect: Some(effect) });
    }
}
