//! What was decided about a tool call.

use std::collections::BTreeMap;

use value::{Text, Value};

use super::{maybe, shown};
use crate::kinds::words::ApprovalOutcome;
use crate::kinds::{ApprovalDecided, ApprovalRequested};
use crate::{EventId, Place, Timestamp};

/// What is known of whether a call may run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Approval {
    /// Where somebody is asked.
    pub requested: Option<Place>,
    /// The policy under which they are.
    pub policy_digest: Option<Text>,
    /// The decision that counts.
    pub decision: Option<Decision>,
    /// Decisions that came too late to count.
    pub later: Vec<Decision>,
}

/// A decision about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Where it is.
    pub place: Place,
    /// What it is. What was allowed too late is `expired`.
    pub outcome: ApprovalOutcome,
    /// Who decided.
    pub actor: Option<Text>,
    /// Why.
    pub reason: Option<Text>,
    /// The policy by which it was decided.
    pub policy_digest: Option<Text>,
}

/// The requests for approval so far.
#[derive(Default)]
pub(super) struct Requests(BTreeMap<EventId, Request>);

struct Request {
    call: EventId,
    expires_at: Option<Timestamp>,
    is_decided: bool,
}

impl Requests {
    pub(super) fn ask(&mut self, id: EventId, event: &ApprovalRequested) {
        let (call, expires_at) = (event.call.event_id, event.expires_at);
        self.0.insert(id, Request { call, expires_at, is_decided: false });
    }

    /// Which call a decision is about, the decision, and whether it is the first of its request.
    pub(super) fn decide(
        &mut self,
        place: Place,
        ts: Timestamp,
        event: &ApprovalDecided,
    ) -> Option<(EventId, Decision, bool)> {
        let request = event.request.as_ref();
        let request = request.and_then(|request| self.0.get_mut(&request.event_id));
        let call = event.about(|_| request.as_ref().map(|request| request.call))?;
        let expires_at = request.as_ref().and_then(|request| request.expires_at);
        let decided = request.map(|request| std::mem::replace(&mut request.is_decided, true));
        let decision = Decision {
            place,
            outcome: event.outcome_at(ts, expires_at),
            actor: event.actor.clone(),
            reason: event.reason.clone(),
            policy_digest: event.policy_digest.clone(),
        };
        Some((call, decision, decided != Some(true)))
    }
}

impl Approval {
    /// Somebody is asked, perhaps again. What was denied stays so.
    pub(super) fn ask(&mut self, place: Place, event: &ApprovalRequested) {
        if !self.outcome().is_some_and(ApprovalOutcome::denies) {
            let policy_digest = event.policy_digest.clone();
            let requested = Some(place);
            *self = Approval { requested, policy_digest, ..Approval::default() };
        }
    }

    pub(super) fn decide(&mut self, decision: Decision, is_first: bool) {
        if is_first && !self.outcome().is_some_and(ApprovalOutcome::denies) {
            self.decision = Some(decision);
        } else {
            self.later.push(decision);
        }
    }

    /// What was decided, if anything was.
    pub fn outcome(&self) -> Option<&ApprovalOutcome> {
        self.decision.as_ref().map(|decision| &decision.outcome)
    }

    /// Whether the call may run.
    pub fn allows(&self) -> bool {
        self.outcome().is_some_and(ApprovalOutcome::allows)
    }

    pub(super) fn words(&self) -> String {
        let outcome = self.outcome().map_or("waits for approval", ApprovalOutcome::word);
        let actor = self.decision.as_ref().and_then(|decision| decision.actor.as_ref());
        let actor = actor.map(|actor| format!(" by {actor}"));
        format!("({outcome}{})", actor.unwrap_or_default())
    }

    pub(super) fn value(&self) -> Value {
        let decision = self.decision.as_ref();
        let policy = decision.and_then(|decision| decision.policy_digest.as_ref());
        let policy = policy.or(self.policy_digest.as_ref());
        Value::map([
            ("requested", maybe(self.requested.as_ref())),
            ("decided", maybe(decision.map(|decision| &decision.place))),
            ("outcome", self.outcome().map(ApprovalOutcome::word).into()),
            ("actor", decision.and_then(|decision| decision.actor.clone()).into()),
            ("reason", decision.and_then(|decision| decision.reason.clone()).into()),
            ("policy_digest", policy.cloned().into()),
            ("later_decisions", Value::list(self.later.iter().map(Decision::value))),
        ])
    }
}

impl Decision {
    fn value(&self) -> Value {
        Value::map([
            ("decided", shown(&self.place)),
            ("outcome", self.outcome.word().into()),
            ("actor", self.actor.clone().into()),
            ("reason", self.reason.clone().into()),
            ("policy_digest", self.policy_digest.clone().into()),
        ])
    }
}
