//! Calls of tools: who allowed them, whether they left, what came back.

use value::Text;

use super::course::Course;
use super::layers::Layers;
use super::{Violation, brief};
use crate::EventId;
use crate::kinds::words::ApprovalOutcome;
use crate::kinds::{ApprovalDecided, EffectStarted, Kind, ToolCall, ToolResult, What};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls {
    /// Each call, by the brief of its event.
    calls: Layers<u64, Call>,
    /// Which event's call has an id.
    ids: Layers<Text, u64>,
    /// Each request for approval, by the brief of its event.
    requests: Layers<u64, Request>,
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: Text,
    approval: Approval,
    has_result: bool,
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
        /// The idempotency key and the last attempt of the effect that it was used for.
        used: Option<(Option<Text>, Option<i64>)>,
    },
    /// Nobody decided, or nobody could. It can be asked again.
    Failed(ApprovalOutcome),
    /// It was denied, for good.
    Denied(ApprovalOutcome),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    call: u64,
    decided: bool,
}

impl Calls {
    /// `policy` is the one in force.
    pub(super) fn check(
        &self,
        id: EventId,
        what: &What,
        course: &Course,
        policy: Option<&Text>,
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
            What::EffectStarted(effect) => self.check_effect(effect, policy, found),
            What::ApprovalDecided(ApprovalDecided { request: Some(request), .. })
                if self.requests.get(&brief(request.event_id)).is_some_and(|own| own.decided) =>
            {
                found.push(Violation::SecondDecision { request: request.event_id });
            }
            _ => {}
        }
        self.check_kinds(what, course, found);
    }

    fn check_effect(
        &self,
        effect: &EffectStarted,
        policy: Option<&Text>,
        found: &mut Vec<Violation>,
    ) {
        let Some(call) = self.calls.get(&brief(effect.call.event_id)) else { return };
        let call_id = call.id.clone();
        match &call.approval {
            Approval::NotAsked => {}
            Approval::Asked => found.push(Violation::EffectUndecided { call_id }),
            Approval::Failed(outcome) | Approval::Denied(outcome) => {
                found.push(Violation::EffectDenied { call_id, outcome: outcome.clone() });
            }
            Approval::Allowed { once, policy: decided_under, used } => {
                // Another attempt of the same effect needs no decision of its own.
                let is_retry = used.as_ref().is_some_and(|(key, attempt)| {
                    key.is_some() && *key == effect.idem_key && *attempt < effect.attempt
                });
                if *once && used.is_some() && !is_retry {
                    found.push(Violation::DecisionUsed { call_id: call_id.clone() });
                }
                if let (Some(decided_under), Some(in_force)) = (decided_under, policy)
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
        let is_call = |id: EventId| self.calls.get(&brief(id)).is_some();
        let is_request = |id: EventId| self.requests.get(&brief(id)).is_some();
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

    pub(super) fn apply(&mut self, id: EventId, what: &What) {
        match what {
            What::ToolCall(call) => {
                let id = brief(id);
                let call_id = call.call_id.clone();
                let approval = Approval::NotAsked;
                self.ids.insert(call_id.clone(), id);
                self.calls.insert(id, Call { id: call_id, approval, has_result: false });
            }
            What::ToolResult(result) => {
                if let Some(event) = self.ids.get(&result.call_id).copied() {
                    self.change(event, |call| call.has_result = true);
                }
            }
            What::EffectStarted(effect) => self.change(brief(effect.call.event_id), |call| {
                if let Approval::Allowed { used, .. } = &mut call.approval {
                    *used = Some((effect.idem_key.clone(), effect.attempt));
                }
            }),
            What::ApprovalRequested(event) => {
                let call = brief(event.call.event_id);
                self.requests.insert(brief(id), Request { call, decided: false });
                self.decide(call, Approval::Asked);
            }
            What::ApprovalDecided(event) => {
                let asked = event.request.as_ref().map(|request| brief(request.event_id));
                let request = asked.and_then(|asked| Some((asked, *self.requests.get(&asked)?)));
                if let Some((asked, request)) = request {
                    self.requests.insert(asked, Request { decided: true, ..request });
                }
                let call = request.map(|(_, request)| request.call);
                let named = event.call.as_ref().map(|call| brief(call.event_id));
                if let Some(call) = call.or(named) {
                    self.decide(call, Approval::from(event));
                }
            }
            _ => {}
        }
    }

    fn find(&self, call_id: &Text) -> Option<&Call> {
        self.calls.get(self.ids.get(call_id)?)
    }

    fn decide(&mut self, call: u64, approval: Approval) {
        self.change(call, |call| {
            if !matches!(call.approval, Approval::Denied(_)) {
                call.approval = approval;
            }
        });
    }

    fn change(&mut self, event: u64, change: impl FnOnce(&mut Call)) {
        if let Some(mut call) = self.calls.get(&event).cloned() {
            change(&mut call);
            self.calls.insert(event, call);
        }
    }
}

impl From<&ApprovalDecided> for Approval {
    fn from(event: &ApprovalDecided) -> Approval {
        use ApprovalOutcome as Outcome;
        match &event.outcome {
            Outcome::PolicyAllow | Outcome::UserApprove => Approval::Allowed {
                once: event.single_use.unwrap_or(true),
                policy: event.policy_digest.clone(),
                used: None,
            },
            Outcome::PolicyDenyContinue
            | Outcome::PolicyDenyAbort
            | Outcome::UserDenyContinue
            | Outcome::UserDenyAbort => Approval::Denied(event.outcome.clone()),
            Outcome::Expired | Outcome::EvaluatorError => Approval::Failed(event.outcome.clone()),
            // What another system means by its own word is not ours to say.
            Outcome::Other(_) => Approval::NotAsked,
        }
    }
}
