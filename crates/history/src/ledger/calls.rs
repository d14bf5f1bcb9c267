//! Calls of tools: who allowed them, whether they left, what came back.

use value::Text;

use super::Violation;
use super::course::Course;
use super::layers::Layers;
use super::policies::Policies;
use crate::kinds::words::ApprovalOutcome;
use crate::kinds::{ApprovalDecided, EffectStarted, Fact, Kind, ToolCall, ToolResult, What};
use crate::{EventId, Timestamp};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls {
    /// Each call, by its event.
    calls: Layers<EventId, Call>,
    /// Which event's call has an id.
    ids: Layers<Text, EventId>,
    /// Each request for approval, by its event.
    requests: Layers<EventId, Request>,
    /// How many runs the lineage has so far: what one was allowed no other is.
    runs: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: Text,
    approval: Approval,
    has_result: bool,
    is_tool: bool,
}

/// What is known about whether a call may run. An allow of the built-in deciders leaves no event,
/// so that a call nobody was asked about may run.
#[derive(Clone, Debug, PartialEq)]
enum Approval {
    NotAsked,
    Asked,
    Allowed {
        once: bool,
        policy: Option<Text>,
        /// The run that it was said to.
        run: u32,
        /// The idempotency key and the last attempt of the effect that it was used for.
        used: Option<(Option<Text>, Option<i64>)>,
    },
    /// It was denied, which is for good, or nobody decided, so that it can be asked again.
    NotAllowed(ApprovalOutcome),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    call: EventId,
    expires_at: Option<Timestamp>,
    decided: bool,
}

impl Calls {
    pub(super) fn check(
        &self,
        id: EventId,
        what: &What,
        course: &Course,
        policies: &Policies,
        found: &mut Vec<Violation>,
    ) {
        match what {
            What::ToolCall(ToolCall { call_id, .. }) if self.ids.get(call_id).is_some() => {
                found.push(Violation::CallIdReused { call_id: call_id.clone() });
            }
            What::ToolResult(ToolResult { call_id, .. }) => match self.find(call_id) {
                None => found.push(Violation::ResultWithoutCall { call_id: call_id.clone() }),
                Some(call) if call.has_result && !course.promised(id) => {
                    found.push(Violation::SecondResult { call_id: call_id.clone() });
                }
                Some(_) => {}
            },
            What::EffectStarted(effect) => self.check_effect(effect, policies, found),
            What::ApprovalDecided(event) => self.check_decision(event, found),
            _ => {}
        }
        self.check_kinds(what, course, found);
    }

    fn check_decision(&self, event: &ApprovalDecided, found: &mut Vec<Violation>) {
        let Some(asked) = event.request.as_ref().map(|request| request.event_id) else { return };
        let Some(request) = self.requests.get(&asked) else { return };
        if request.decided {
            found.push(Violation::SecondDecision { request: asked });
        }
        if let Some(call) = event.call.as_ref().map(|call| call.event_id)
            && call != request.call
        {
            found.push(Violation::DecisionOfAnother { call, asked_about: request.call });
        }
    }

    fn check_effect(
        &self,
        effect: &EffectStarted,
        policies: &Policies,
        found: &mut Vec<Violation>,
    ) {
        let Some(call) = self.calls.get(&effect.call.event_id) else { return };
        let call_id = call.id.clone();
        match &call.approval {
            Approval::NotAsked if policies.must_allow() && call.is_tool => {
                found.push(Violation::EffectUndecided { call_id });
            }
            Approval::NotAsked => {}
            Approval::Asked => found.push(Violation::EffectUndecided { call_id }),
            Approval::NotAllowed(outcome) => {
                found.push(Violation::EffectDenied { call_id, outcome: outcome.clone() });
            }
            Approval::Allowed { run, .. } if policies.must_allow() && *run != self.runs => {
                found.push(Violation::EffectUndecided { call_id });
            }
            Approval::Allowed { once, policy: decided_under, used, run: _ } => {
                // Another attempt of the same effect needs no decision of its own.
                let is_retry = used.as_ref().is_some_and(|(key, attempt)| {
                    key.is_some() && *key == effect.idem_key && *attempt < effect.attempt
                });
                if *once && used.is_some() && !is_retry {
                    found.push(Violation::DecisionUsed { call_id: call_id.clone() });
                }
                if let (Some(decided_under), Some(in_force)) = (decided_under, policies.in_force())
                    && decided_under != in_force
                    && !is_retry
                {
                    let (decided_under, in_force) = (decided_under.clone(), in_force.clone());
                    found.push(Violation::DecisionOutdated { call_id, decided_under, in_force });
                }
            }
        }
    }

    /// A member that names an event of the lineage, but of another kind than it must.
    fn check_kinds(&self, what: &What, course: &Course, found: &mut Vec<Violation>) {
        let is_call = |id: EventId| self.calls.get(&id).is_some();
        let is_request = |id: EventId| self.requests.get(&id).is_some();
        let (call, request) = match what {
            What::EffectStarted(event) => (Some(&event.call), None),
            What::ApprovalRequested(event) => (Some(&event.call), None),
            What::ApprovalDecided(event) => (event.call.as_ref(), event.request.as_ref()),
            _ => return,
        };
        let mut push = |member, id, needed| {
            if course.has(id) {
                found.push(Violation::WrongKind { member, id, needed });
            }
        };
        if let Some(call) = call.filter(|call| !is_call(call.event_id)) {
            push("call", call.event_id, Kind::ToolCall);
        }
        if let Some(request) = request.filter(|request| !is_request(request.event_id)) {
            push("request", request.event_id, Kind::ApprovalRequested);
        }
    }

    pub(super) fn apply(&mut self, id: EventId, fact: &Fact) {
        match &fact.what {
            What::RunStarted(_) => self.runs += 1,
            What::ToolCall(call) => {
                let call_id = call.call_id.clone();
                let approval = Approval::NotAsked;
                // What may be done to stores is declared.
                let is_tool = !matches!(call.server.as_deref(), Some("store" | "channel"));
                self.ids.insert(call_id.clone(), id);
                self.calls.insert(id, Call { id: call_id, approval, has_result: false, is_tool });
            }
            What::ToolResult(result) => {
                if let Some(event) = self.ids.get(&result.call_id).copied() {
                    self.change(event, |call| call.has_result = true);
                }
            }
            What::EffectStarted(effect) => self.change(effect.call.event_id, |call| {
                if let Approval::Allowed { used, .. } = &mut call.approval {
                    *used = Some((effect.idem_key.clone(), effect.attempt));
                }
            }),
            What::ApprovalRequested(event) => {
                let (call, expires_at) = (event.call.event_id, event.expires_at);
                self.requests.insert(id, Request { call, expires_at, decided: false });
                self.decide(call, Approval::Asked);
            }
            What::ApprovalDecided(event) => {
                let asked = event.request.as_ref().map(|request| request.event_id);
                let request = asked.and_then(|asked| self.requests.get(&asked)).copied();
                // Of several decisions about one request, the first counts.
                if request.is_some_and(|request| request.decided) {
                    return;
                }
                if let (Some(asked), Some(request)) = (asked, request) {
                    self.requests.insert(asked, Request { decided: true, ..request });
                }
                let expires_at = request.and_then(|request| request.expires_at);
                if let Some(call) = event.about(|_| request.map(|request| request.call)) {
                    let outcome = event.outcome_at(fact.common.ts, expires_at);
                    self.decide(call, Approval::of(outcome, event, self.runs));
                }
            }
            _ => {}
        }
    }

    fn find(&self, call_id: &Text) -> Option<&Call> {
        self.calls.get(self.ids.get(call_id)?)
    }

    fn decide(&mut self, call: EventId, approval: Approval) {
        self.change(call, |call| {
            if !matches!(&call.approval, Approval::NotAllowed(outcome) if outcome.denies()) {
                call.approval = approval;
            }
        });
    }

    fn change(&mut self, event: EventId, change: impl FnOnce(&mut Call)) {
        if let Some(mut call) = self.calls.get(&event).cloned() {
            change(&mut call);
            self.calls.insert(event, call);
        }
    }
}

impl Approval {
    fn of(outcome: ApprovalOutcome, event: &ApprovalDecided, run: u32) -> Approval {
        if !outcome.allows() {
            return Approval::NotAllowed(outcome);
        }
        let (once, policy) = (event.single_use.unwrap_or(true), event.policy_digest.clone());
        Approval::Allowed { once, policy, run, used: None }
    }
}
