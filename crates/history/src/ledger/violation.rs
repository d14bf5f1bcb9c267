//! What an event can contradict, in words.

use std::fmt;

use diagnostics::{Code, codes};
use value::{Pointer, Text};

use crate::kinds::Kind;
use crate::kinds::words::{ApprovalOutcome, PolicyDecision};
use crate::plan::Refusal;
use crate::{EventId, Timestamp};

/// An invariant that an event breaks. Members that are named like the event's hold what it says.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the members are those of the event")]
pub enum Violation {
    /// A result of a call that nobody made.
    ResultWithoutCall { call_id: Text },
    /// A call has a result already, and nothing says that this one replaces it.
    SecondResult { call_id: Text },
    /// An effect leaves while somebody still has to decide about it.
    EffectUndecided { call_id: Text },
    /// An effect leaves that was not allowed.
    EffectDenied { call_id: Text, outcome: ApprovalOutcome },
    /// An effect leaves by a decision that another one was made with.
    DecisionUsed { call_id: Text },
    /// An effect leaves by a decision under a policy that is no longer in force.
    DecisionOutdated { call_id: Text, decided_under: Text, in_force: Text },
    /// A restore of something that cannot be restored, without saying so.
    RestoreUnsupported { resource: Text, imperative: bool },
    /// A fork's plan for resources cannot be followed.
    BrokenPlan(Refusal),
    /// A branch writes to a resource that another one keeps.
    HeldElsewhere { resource: Text, branch: Text },
    /// A policy is in force that nobody proposed, or that was turned down.
    PolicyNotProposed { policy: Text, turned_down: Option<PolicyDecision> },
    /// A policy is in force whose tests failed.
    PolicyTestsFailed { policy: Text, failed: i64 },
    /// A response to a request that nobody made.
    ResponseWithoutRequest { request_id: Text },
    /// A request has a response already, and this is no later attempt.
    SecondResponse { request_id: Text, attempt: i64 },
    /// An event is replaced by an earlier one, or by itself.
    SubstitutionBackwards { original: EventId, replacement: EventId },
    /// A time that is far from when the event was recorded.
    ClockSuspect { ts: Timestamp, recorded: Timestamp },
    /// Two calls with one id.
    CallIdReused { call_id: Text },
    /// A run's first event is something else than its start.
    NotStarted { run: Text, kind: Kind },
    /// A run starts although it has started.
    StartedTwice { run: Text },
    /// A fork says that it comes from elsewhere than it does: a number and an event.
    WrongOrigin { claimed: Option<(i64, EventId)>, actual: (i64, EventId) },
    /// Something happens in a run that has ended.
    AfterTheEnd { kind: Kind },
    /// An answer to a question that nobody asked.
    AnswerWithoutQuestion { question_id: Text },
    /// A question was answered already.
    SecondAnswer { question_id: Text },
    /// A request for approval was decided already.
    SecondDecision { request: EventId },
    /// A decision names another call than its request is about.
    DecisionOfAnother { call: EventId, asked_about: EventId },
    /// A moment came that nobody waited for.
    TimerNotSet { timer: Text },
    /// Something was closed that is not open.
    HandleNotOpen { handle: Text },
    /// A reference to an event that is not part of this history.
    UnknownEvent { member: &'static str, index: Option<usize>, id: EventId },
    /// A reference to an event of another kind than it must be.
    WrongKind { member: &'static str, id: EventId, needed: Kind },
    /// A resource that nobody registered.
    UnknownResource { resource: Text },
}

impl Violation {
    /// Whether what is missing may have been said outside of the run: policies and resources are
    /// often an agent's, and stand in the agent's stream.
    pub fn may_be_the_agents(&self) -> bool {
        matches!(
            self,
            Violation::PolicyNotProposed { turned_down: None, .. }
                | Violation::UnknownResource { .. }
                | Violation::BrokenPlan(Refusal::NotLive { .. })
        )
    }

    /// Its code, which has a page.
    pub fn code(&self) -> &'static Code {
        match self {
            Violation::ResultWithoutCall { .. } => &codes::RESULT_WITHOUT_CALL,
            Violation::SecondResult { .. } => &codes::SECOND_RESULT,
            Violation::EffectUndecided { .. } => &codes::EFFECT_UNDECIDED,
            Violation::EffectDenied { .. } => &codes::EFFECT_DENIED,
            Violation::DecisionUsed { .. } => &codes::DECISION_USED,
            Violation::DecisionOutdated { .. } => &codes::DECISION_OUTDATED,
            Violation::RestoreUnsupported { .. } => &codes::RESTORE_UNSUPPORTED,
            Violation::BrokenPlan(_) => &codes::BROKEN_PLAN,
            Violation::HeldElsewhere { .. } => &codes::HELD_ELSEWHERE,
            Violation::PolicyNotProposed { .. } => &codes::POLICY_NOT_PROPOSED,
            Violation::PolicyTestsFailed { .. } => &codes::POLICY_TESTS_FAILED,
            Violation::ResponseWithoutRequest { .. } => &codes::RESPONSE_WITHOUT_REQUEST,
            Violation::SecondResponse { .. } => &codes::SECOND_RESPONSE,
            Violation::SubstitutionBackwards { .. } => &codes::SUBSTITUTION_BACKWARDS,
            Violation::ClockSuspect { .. } => &codes::CLOCK_SUSPECT,
            Violation::CallIdReused { .. } => &codes::CALL_ID_REUSED,
            Violation::NotStarted { .. } => &codes::NOT_STARTED,
            Violation::StartedTwice { .. } => &codes::STARTED_TWICE,
            Violation::WrongOrigin { .. } => &codes::WRONG_ORIGIN,
            Violation::AfterTheEnd { .. } => &codes::AFTER_THE_END,
            Violation::AnswerWithoutQuestion { .. } => &codes::ANSWER_WITHOUT_QUESTION,
            Violation::SecondAnswer { .. } => &codes::SECOND_ANSWER,
            Violation::SecondDecision { .. } => &codes::SECOND_DECISION,
            Violation::DecisionOfAnother { .. } => &codes::DECISION_OF_ANOTHER,
            Violation::TimerNotSet { .. } => &codes::TIMER_NOT_SET,
            Violation::HandleNotOpen { .. } => &codes::HANDLE_NOT_OPEN,
            Violation::UnknownEvent { .. } => &codes::UNKNOWN_EVENT,
            Violation::WrongKind { .. } => &codes::REFERENCE_OF_ANOTHER_KIND,
            Violation::UnknownResource { .. } => &codes::UNKNOWN_RESOURCE,
        }
    }

    /// The member it is about, from the event on.
    pub fn pointer(&self) -> Pointer {
        let member = match self {
            Violation::ResultWithoutCall { .. }
            | Violation::SecondResult { .. }
            | Violation::CallIdReused { .. } => "call_id",
            Violation::EffectUndecided { .. }
            | Violation::EffectDenied { .. }
            | Violation::DecisionUsed { .. }
            | Violation::DecisionOutdated { .. }
            | Violation::DecisionOfAnother { .. } => "call",
            Violation::RestoreUnsupported { .. } => "outcome",
            Violation::BrokenPlan(_) => "volume_plan",
            Violation::HeldElsewhere { .. } | Violation::UnknownResource { .. } => "resource_ref",
            Violation::PolicyNotProposed { .. } | Violation::PolicyTestsFailed { .. } => {
                "policy_ref"
            }
            Violation::ResponseWithoutRequest { .. } | Violation::SecondResponse { .. } => {
                "request_id"
            }
            Violation::SubstitutionBackwards { .. } => "replacement_event",
            Violation::ClockSuspect { .. } => "ts",
            Violation::NotStarted { .. }
            | Violation::StartedTwice { .. }
            | Violation::AfterTheEnd { .. } => "kind",
            Violation::WrongOrigin { .. } => "from",
            Violation::AnswerWithoutQuestion { .. } | Violation::SecondAnswer { .. } => {
                "question_id"
            }
            Violation::SecondDecision { .. } => "request",
            Violation::TimerNotSet { .. } => "timer",
            Violation::HandleNotOpen { .. } => "handle_ref",
            Violation::UnknownEvent { member, index: Some(index), .. } => {
                return Pointer::root().child(member).child(index);
            }
            Violation::UnknownEvent { member, .. } | Violation::WrongKind { member, .. } => member,
        };
        Pointer::root().child(member)
    }

    /// Whether it says that something is missing, which may be where nobody can look.
    pub(super) fn is_about_absence(&self) -> bool {
        matches!(
            self,
            Violation::ResultWithoutCall { .. }
                | Violation::NotStarted { .. }
                | Violation::PolicyNotProposed { turned_down: None, .. }
                | Violation::BrokenPlan(Refusal::NotLive { .. })
                | Violation::ResponseWithoutRequest { .. }
                | Violation::AnswerWithoutQuestion { .. }
                | Violation::TimerNotSet { .. }
                | Violation::HandleNotOpen { .. }
                | Violation::UnknownEvent { .. }
                | Violation::UnknownResource { .. }
        )
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let text = match self {
            Violation::ResultWithoutCall { .. } => {
                "record the `tool_call` before its result, with the same `call_id`"
            }
            Violation::SecondResult { .. } => {
                "the first one counts; a `substitution` can put another in its place"
            }
            Violation::EffectUndecided { .. } => "wait for the `approval_decided` that allows it",
            Violation::EffectDenied { .. } => {
                "what was not allowed must not run; make another call"
            }
            Violation::DecisionUsed { .. } => {
                "ask again; only a later attempt with the same `idem_key` needs no decision of its own"
            }
            Violation::DecisionOutdated { .. } => "decide again under the policy that is in force",
            Violation::RestoreUnsupported { .. } => {
                "the only outcome there can be is `unsupported`"
            }
            Violation::BrokenPlan(refusal) => return refusal.help(),
            Violation::HeldElsewhere { .. } => {
                "attach it read-only, fork with a snapshot of it, or record its transfer first"
            }
            Violation::PolicyNotProposed { .. } => {
                "record its `policy_proposed` first, or name the person who set it as `actor`"
            }
            Violation::PolicyTestsFailed { .. } => {
                "a policy needs tests that pass before it counts"
            }
            Violation::ResponseWithoutRequest { .. } => {
                "record the `model_request` before it, with the same `request_id`"
            }
            Violation::SecondResponse { attempt, .. } => {
                return format!("if it is another attempt, say so: `\"attempt\": {}`", attempt + 1);
            }
            Violation::SubstitutionBackwards { .. } => {
                "the replacement is the later one of the two"
            }
            Violation::ClockSuspect { .. } => "look at the clock of the machine that it comes from",
            Violation::CallIdReused { .. } => "give every call of a run and its forks its own id",
            Violation::NotStarted { .. } => "a run begins with `run_started`",
            Violation::StartedTwice { .. } => "give a new run a new id",
            Violation::WrongOrigin { .. } => {
                "`from` names the last event that the fork shares, with its run and number"
            }
            Violation::AfterTheEnd { .. } => {
                "only what was seen late may follow; to go on, fork the run"
            }
            Violation::AnswerWithoutQuestion { .. } => {
                "record the `question_asked` before it, with the same `question_id`"
            }
            Violation::SecondAnswer { .. } => "the first answer counts; ask a new question",
            Violation::SecondDecision { .. } => "the first decision counts; ask for another one",
            Violation::DecisionOfAnother { .. } => {
                "the call of the request counts; leave `call` out"
            }
            Violation::TimerNotSet { .. } => "record the `timer_set` before it",
            Violation::HandleNotOpen { .. } => "record the `handle_opened` before it",
            Violation::UnknownEvent { .. } => {
                "name an event that came before, in this run or in those it was forked from"
            }
            Violation::WrongKind { needed, .. } => {
                return format!("name the `{}` that is meant", needed.name());
            }
            Violation::UnknownResource { .. } => "record its `resource_registered` first",
        };
        text.into()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::ResultWithoutCall { call_id } => {
                write!(f, "a result of `{call_id}`, but there is no such call")
            }
            Violation::SecondResult { call_id } => {
                write!(f, "the call `{call_id}` has a result already")
            }
            Violation::EffectUndecided { call_id } => {
                write!(f, "`{call_id}` runs before it was decided whether it may")
            }
            Violation::EffectDenied { call_id, outcome } => {
                write!(f, "`{call_id}` runs although the decision was `{}`", outcome.word())
            }
            Violation::DecisionUsed { call_id } => {
                write!(f, "`{call_id}` runs again by a decision that was for once")
            }
            Violation::DecisionOutdated { call_id, decided_under, in_force } => write!(
                f,
                "`{call_id}` was allowed under the policy `{decided_under}`, but `{in_force}` is in force",
            ),
            Violation::RestoreUnsupported { resource, imperative: true } => {
                write!(f, "`{resource}` is imperative, so that no snapshot can restore it")
            }
            Violation::RestoreUnsupported { resource, imperative: false } => {
                write!(f, "`{resource}` has no capability `restore`")
            }
            Violation::BrokenPlan(refusal) => refusal.fmt(f),
            Violation::HeldElsewhere { resource, branch } => {
                write!(f, "`{resource}` is attached for writing, but the branch `{branch}` has it")
            }
            Violation::PolicyNotProposed { policy, turned_down: None } => {
                write!(f, "the policy `{policy}` comes into force, but nobody proposed it")
            }
            Violation::PolicyNotProposed { policy, turned_down: Some(decision) } => {
                write!(f, "the policy `{policy}` comes into force, but was {}", decision.word())
            }
            Violation::PolicyTestsFailed { policy, failed } => {
                write!(f, "the policy `{policy}` comes into force with {failed} failed ")?;
                f.write_str(if *failed == 1 { "test" } else { "tests" })
            }
            Violation::ResponseWithoutRequest { request_id } => {
                write!(f, "a response to `{request_id}`, but there is no such request")
            }
            Violation::SecondResponse { request_id, .. } => {
                write!(f, "the request `{request_id}` has a response already")
            }
            Violation::SubstitutionBackwards { original, replacement }
                if original == replacement =>
            {
                write!(f, "`{original}` would replace itself")
            }
            Violation::SubstitutionBackwards { original, replacement } => {
                write!(f, "`{replacement}` would replace `{original}`, which comes after it")
            }
            Violation::ClockSuspect { ts, recorded } => {
                let side = if ts < recorded { "before" } else { "after" };
                write!(f, "`{ts}` is more than a day {side} the event was recorded")
            }
            Violation::CallIdReused { call_id } => {
                write!(f, "there is a call `{call_id}` already")
            }
            Violation::NotStarted { run, kind } => {
                write!(f, "the run `{run}` begins with `{}`", kind.name())
            }
            Violation::StartedTwice { run } => write!(f, "the run `{run}` has started already"),
            Violation::WrongOrigin { claimed: None, actual: (seq, _) } => {
                write!(f, "the fork does not say that it comes from event {seq}")
            }
            Violation::WrongOrigin { claimed: Some((claimed, _)), actual: (seq, _) }
                if claimed != seq =>
            {
                write!(f, "the fork says that it comes from event {claimed}, but it follows {seq}")
            }
            Violation::WrongOrigin { claimed: Some((_, id)), actual: (seq, actual) } => {
                write!(f, "the fork says that event {seq} is `{id}`, but it is `{actual}`")
            }
            Violation::AfterTheEnd { kind } => {
                write!(f, "`{}` in a run that has ended", kind.name())
            }
            Violation::AnswerWithoutQuestion { question_id } => {
                write!(f, "an answer to `{question_id}`, but there is no such question")
            }
            Violation::SecondAnswer { question_id } => {
                write!(f, "the question `{question_id}` was answered already")
            }
            Violation::SecondDecision { request } => {
                write!(f, "the request `{request}` was decided already")
            }
            Violation::DecisionOfAnother { call, asked_about } => {
                write!(f, "the decision is about `{call}`, but its request about `{asked_about}`")
            }
            Violation::TimerNotSet { timer } => {
                write!(f, "the timer `{timer}` fires, but is not set")
            }
            Violation::HandleNotOpen { handle } => {
                write!(f, "the handle `{handle}` is closed, but is not open")
            }
            Violation::UnknownEvent { member, id, .. } => {
                write!(f, "`{member}` names `{id}`, which is not in this history")
            }
            Violation::WrongKind { member, id, needed } => {
                write!(f, "`{member}` names `{id}`, which is no `{}`", needed.name())
            }
            Violation::UnknownResource { resource } => {
                write!(f, "nobody registered the resource `{resource}`")
            }
        }
    }
}
