//! What becomes of calls: made, answered, interrupted, given up.

use value::Value;

use crate::call::{CallId, Pending, Request, Stage};
use crate::change::{Spent, Taken};
use crate::doubt::Doubt;
use crate::open::{Waiting, Why};
use crate::plan::{NodeNo, Plan};
use crate::run::{Counts, FiberNo, Mode, Run};
use crate::step::mode_after;
use crate::{Fault, FaultKind};

impl Run {
    pub(super) fn answered(&mut self, plan: &Plan, call: CallId, taken: Taken) {
        let Some(waiting) = self.open.close(call) else { return };
        if waiting.why == Why::Answer {
            self.options.outputs.remove(&waiting.pending.at);
        }
        let cause = self.last_event;
        let own = self.own(waiting.fiber);
        own.cause = cause;
        match taken {
            Taken::Wrote { writes, output, to, spent } => {
                for (slot, value) in writes {
                    own.frame.set(slot, Some(value));
                }
                own.forget_tries(waiting.node);
                own.talk = None;
                if let Some(output) = output {
                    self.last_output = output;
                }
                self.spend(spent);
                self.wake(waiting.fiber, mode_after(to));
            }
            Taken::Again => {
                let count = own.tries(waiting.node) + 1;
                own.set_tries(waiting.node, count);
                self.wake(waiting.fiber, Mode::Go(waiting.node));
            }
            Taken::Fetched(store, value) => {
                own.errand.get_or_insert_default().fetched.push((store, value));
                self.wake(waiting.fiber, Mode::Go(waiting.node));
            }
            Taken::Acted(_) => {
                self.wake(waiting.fiber, Mode::Go(waiting.node));
                self.acted(plan, waiting.fiber, waiting.node);
            }
            Taken::Talked(talk, spent) => {
                own.talk = Some(talk);
                self.spend(spent);
                self.wake(waiting.fiber, Mode::Go(waiting.node));
            }
            Taken::Used(index, Ok(value)) => {
                self.used(&waiting, index, Ok(value), Doubt::Nothing);
            }
            Taken::Used(_, Err(fault)) => {
                let doubt = doubt(&waiting, &fault);
                self.fail(&waiting, fault, doubt);
            }
            Taken::Approved(call) => self.cleared(call),
            Taken::Disapproved(call, fault) => self.denied(call, fault),
            Taken::Failed(fault, spent) => {
                let doubt = doubt(&waiting, &fault);
                if waiting.why == Why::Answer && matches!(waiting.pending.request, Request::Tool(_))
                {
                    own.attempted(waiting.node, &waiting.pending, doubt);
                }
                self.spend(spent);
                self.fail(&waiting, fault, doubt);
            }
        }
    }

    /// Something came of one of the model's wishes. When something has of all, it is told.
    pub(super) fn used(
        &mut self,
        waiting: &Waiting,
        index: u32,
        outcome: Result<Value, Fault>,
        doubt: Doubt,
    ) {
        let own = self.own(waiting.fiber);
        let Some(talk) = &mut own.talk else { return };
        talk.settle(index, outcome, doubt);
        let next = talk.calls().next();
        match next {
            Some(call) => own.mode = Mode::Waits(call, waiting.node),
            None => self.wake(waiting.fiber, Mode::Go(waiting.node)),
        }
    }

    pub(super) fn spend(&mut self, spent: Spent) {
        if spent == Spent::default() {
            return;
        }
        let Counts { prompt_tokens, completion_tokens, .. } = &mut self.counts;
        *prompt_tokens = prompt_tokens.saturating_add(spent.prompt_tokens);
        *completion_tokens = completion_tokens.saturating_add(spent.completion_tokens);
        self.counts.cost = self.counts.cost.plus(spent.cost);
        let before = self.counts.dearest.unwrap_or_default();
        self.counts.dearest = Some(Spent {
            prompt_tokens: before.prompt_tokens.max(spent.prompt_tokens),
            completion_tokens: before.completion_tokens.max(spent.completion_tokens),
            cost: before.cost.max(spent.cost),
        });
    }

    pub(super) fn interrupted(&mut self, call: CallId) {
        let Some(waiting) = self.open.close(call) else { return };
        if let Request::Question(question) = &waiting.pending.request {
            let message = format!("`{}` got no answer that fits", question.prompt);
            if let Why::Approval { call, .. } = waiting.why {
                return self.denied(call, Fault::new(FaultKind::Denied, message));
            }
            let fault = Fault::new(FaultKind::Input, message);
            return self.fail(&waiting, fault, Doubt::Nothing);
        }
        let message = format!(
            "the process died while `{}` was under way (attempt {}): it may have happened",
            waiting.pending.at, waiting.pending.attempt
        );
        let fault = Fault::new(FaultKind::Interrupted, message);
        self.fail(&waiting, fault, Doubt::Unasked);
        self.abandoned.insert(call, waiting);
    }

    pub(super) fn requested(&mut self, fiber: FiberNo, node: NodeNo, calls: Vec<(Pending, Why)>) {
        let own = self.own(fiber);
        let turns = own.turns;
        let first = calls.first().map_or(0, |(pending, _)| pending.id);
        own.mode = Mode::Waits(first, node);
        self.ready.remove(&(turns, fiber));
        for (pending, why) in calls {
            self.counts.calls += 1;
            match &pending.request {
                Request::Model(_) => self.counts.requests += 1,
                Request::Question(_) => self.counts.questions += 1,
                Request::Tool(call) => {
                    self.counts.called((call.server.clone(), call.tool.clone()));
                }
                Request::Timer(_) => {}
            }
            if let (Why::Use(index), Some(talk)) = (why, &mut self.own(fiber).talk) {
                talk.called(index, pending.id);
            }
            self.open.insert(Waiting { pending, fiber, node, why });
        }
    }

    /// Nobody waits for a call any more. If it has left, its answer will still be noted.
    pub(super) fn abandon(&mut self, call: CallId) {
        if let Some(waiting) = self.open.close(call)
            && waiting.pending.stage == Stage::Started
        {
            self.abandoned.insert(call, waiting);
        }
    }
}

/// What a call leaves in doubt that failed.
fn doubt(waiting: &Waiting, fault: &Fault) -> Doubt {
    let doubt = match fault.is_in_doubt() {
        true => Doubt::of(&waiting.pending),
        false => Doubt::Nothing,
    };
    match waiting.why {
        Why::Answer => doubt,
        // A block that is tried again does what it does anew, and not with the keys from before.
        Why::Fetch
        | Why::Act
        | Why::Retry
        | Why::Expiry(_)
        | Why::Use(_)
        | Why::Approval { .. } => doubt.beyond_its_node(),
    }
}
