//! Whether a call of a tool may leave where a run has a policy. What the policy says comes from
//! outside and is recorded, so that whoever replays the run never asks it again.

use history::kinds::records::{EventRef, ExtRef, Ref};
use history::kinds::words::{ApprovalOutcome, InterruptionReason};
use history::kinds::{ApprovalDecided, ApprovalRequested, PolicyActivated, QuestionAsked};
use history::{EventId, Timestamp};
use value::{Digest, Text, Value, json};

use crate::call::{Answer, CallId, Pending, Question, Request, Stage, ToolCall};
use crate::change::{Change, Taken, What};
use crate::input::Refusal;
use crate::open::{Waiting, Why};
use crate::record::{Recorder, question_id};
use crate::request::later;
use crate::run::Run;
use crate::stores::{StoreUse, StoreVerb};
use crate::{Fault, FaultKind};

/// How long a person has where the policy does not say: a day.
pub const PATIENCE_MS: u64 = 24 * 60 * 60 * 1_000;

/// The word by which a person allows a call. Every other word denies it.
pub const APPROVE: &str = "approve";
/// The first word: who answers without looking takes that.
pub const DENY: &str = "deny";

/// So much of the arguments is shown to a person, in characters.
const SHOWN_MAX: usize = 4_000;

/// What a policy says about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What becomes of the call.
    pub outcome: Ruled,
    /// Why, in words.
    pub reason: Option<Text>,
    /// The policy, by its digest.
    pub policy: Text,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruled {
    /// It may leave.
    Allow,
    /// It may not, and its node fails.
    DenyContinue,
    /// It may not, and the run fails.
    DenyAbort,
    /// The policy gave no decision: it may not leave, and its node fails.
    Broken,
    /// A person decides.
    Ask {
        /// What they must be allowed to do.
        capability: Option<Text>,
        /// How long they have.
        expires_ms: u64,
    },
}

/// A policy that comes into force in a run that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyChange {
    /// Which, by its digest.
    pub policy: Text,
    /// Who has put it in force.
    pub actor: Option<Text>,
    /// Why.
    pub notes: Option<Text>,
}

impl Run {
    /// The policy that decides about its calls, by its digest.
    pub fn policy(&self) -> Option<&Text> {
        self.options.policy.as_ref()
    }

    /// The next call that waits for the policy.
    pub fn next_undecided(&self) -> Option<&Pending> {
        let call = self.open.next_undecided()?;
        self.open.get(call).map(|waiting| &waiting.pending)
    }
}

/// Whether a policy must be asked before a call leaves. Stores are no tools: what may be done to
/// them is declared. Of caches, queues and memory nothing is: they are adapters like any other.
pub(crate) fn needs_ruling(run: &Run, pending: &Pending) -> bool {
    let Some(policy) = &run.options.policy else { return false };
    is_tool(pending) && pending.allowed_by.as_ref() != Some(policy)
}

pub(crate) fn is_tool(pending: &Pending) -> bool {
    let is_store = |used: &StoreUse| !matches!(used.verb, StoreVerb::Does(_));
    matches!(&pending.request, Request::Tool(call) if !call.store.as_ref().is_some_and(is_store))
}

/// What a policy says is taken in.
pub(crate) fn ruled(
    run: &Run,
    call: CallId,
    ruling: &Ruling,
    ts: Timestamp,
) -> Result<Change, Refusal> {
    let waiting = run.open.get(call).ok_or(Refusal::NotWaiting)?;
    let pending = &waiting.pending;
    if pending.stage != Stage::Undecided {
        return Err(Refusal::NotWaiting);
    }
    // What another policy says does not count.
    let (Request::Tool(tool), true) =
        (&pending.request, run.options.policy.as_ref() == Some(&ruling.policy))
    else {
        return Err(Refusal::NotWaiting);
    };
    let mut recorder = Recorder::new(run, Some(&pending.at)).at_time(ts);
    let denied = |kind, outcome| {
        let reason = ruling.reason.as_deref().unwrap_or("no reason was given");
        let message = format!("the policy does not allow `{}`: {reason}", name(tool));
        (outcome, Some(Fault::new(kind, message)))
    };
    let (outcome, fault) = match &ruling.outcome {
        Ruled::Ask { capability, expires_ms } => {
            let expires = later(ts, *expires_ms);
            let question = question(run, pending, tool, ruling, capability.as_ref(), expires);
            return Ok(asked(run, pending, question, ts));
        }
        Ruled::Allow => (ApprovalOutcome::PolicyAllow, None),
        Ruled::DenyContinue => denied(FaultKind::Denied, ApprovalOutcome::PolicyDenyContinue),
        Ruled::DenyAbort => denied(FaultKind::Aborted, ApprovalOutcome::PolicyDenyAbort),
        Ruled::Broken => denied(FaultKind::Denied, ApprovalOutcome::EvaluatorError),
    };
    recorder.add(&ApprovalDecided {
        request: None,
        call: Some(EventRef { event_id: pending.intent }),
        outcome,
        actor: None,
        reason: ruling.reason.clone(),
        policy_digest: Some(ruling.policy.clone()),
        single_use: Some(true),
    });
    let what = match fault {
        None => What::Cleared { call, ts },
        Some(fault) => What::Denied { call, ts, fault: Box::new(fault) },
    };
    Ok(Change { events: recorder.events, what })
}

fn question(
    run: &Run,
    about: &Pending,
    tool: &ToolCall,
    ruling: &Ruling,
    capability: Option<&Text>,
    expires: Timestamp,
) -> Question {
    let number = run.counts.questions + 1;
    Question {
        id: question_id(&run.id, &about.at, number),
        prompt: format!("{}{}", beginning(tool), ruling.reason.as_deref().unwrap_or("")).into(),
        schema: None,
        options: vec![DENY.into(), APPROVE.into()],
        default: None,
        expires: Some(expires),
        capability: capability.cloned(),
        nth: u64::from(number),
    }
}

/// A person is asked: what they are asked about, the question, and when it is too late.
fn asked(run: &Run, about: &Pending, question: Question, ts: Timestamp) -> Change {
    let mut recorder = Recorder::new(run, Some(&about.at)).at_time(ts);
    let call = EventRef { event_id: about.intent };
    let expires = question.expires.unwrap_or(ts);
    let request = recorder.add(&ApprovalRequested {
        call: call.clone(),
        policy_digest: run.options.policy.clone(),
        args_digest: args_digest(about),
        expires_at: Some(expires),
    });
    let asks = recorder.add(&QuestionAsked {
        question_id: question.id.clone(),
        prompt: Some(question.prompt.clone()),
        schema: None,
        options: Some(question.options.clone()),
        default: None,
        expires: Some(expires),
        capability: question.capability.clone(),
        call: Some(call),
    });
    let id = run.counts.calls + 1;
    let timer: Text = format!("t{}", id + 1).into();
    let ends = recorder.timer(&timer, expires);
    let pending = |id, name, intent, request| Pending {
        id,
        name,
        turn: None,
        intent,
        key: intent,
        at: about.at.clone(),
        request,
        attempt: 1,
        stage: Stage::Queued,
        allowed_by: None,
        since: ts,
    };
    let asks = pending(id, format!("p{id}").into(), asks, Request::Question(Box::new(question)));
    let ends = pending(id + 1, timer, ends, Request::Timer(expires));
    let calls = [(asks, Why::Approval { call: about.id, request }), (ends, Why::Expiry(id))];
    let what = What::AskedFor { call: about.id, ts, calls: Box::new(calls) };
    Change { events: recorder.events, what }
}

/// What was meant to be called, so that nothing else can be allowed in its place.
fn args_digest(about: &Pending) -> Option<Text> {
    let Request::Tool(tool) = &about.request else { return None };
    let args = json::canonical(&tool.args.clone().into());
    Some(format!("{:x}", Digest::of(args.as_bytes())).into())
}

/// What a person or a moment says about a call.
pub(crate) fn decided(
    run: &Run,
    waiting: &Waiting,
    answer: &Answer,
    ts: Timestamp,
    recorder: &mut Recorder<'_>,
) -> Option<Taken> {
    let question = match waiting.why {
        Why::Expiry(question) => run.open.get(question)?,
        _ => waiting,
    };
    let Why::Approval { call, request } = question.why else { return None };
    let about = &run.open.get(call)?.pending;
    let Request::Tool(tool) = &about.request else { return None };
    let (answer, actor) = match answer {
        Answer::Person(value, actor) => (Some(value), actor.as_ref()),
        _ => (None, None),
    };
    let expires = match &question.pending.request {
        Request::Question(question) => question.expires,
        _ => None,
    };
    let is_late = expires.is_some_and(|expires| ts >= expires);
    let (outcome, fault) = match answer {
        Some(answer) if !is_late && is_approval(answer) => (ApprovalOutcome::UserApprove, None),
        Some(_) if !is_late => {
            let who = actor.map_or("somebody", |actor| &**actor);
            (ApprovalOutcome::UserDenyContinue, Some(format!("{who} denied `{}`", name(tool))))
        }
        _ => {
            let message = format!("nobody approved `{}` in time", name(tool));
            (ApprovalOutcome::Expired, Some(message))
        }
    };
    recorder.add(&ApprovalDecided {
        request: Some(EventRef { event_id: request }),
        call: Some(EventRef { event_id: about.intent }),
        outcome,
        actor: actor.cloned(),
        reason: None,
        policy_digest: run.options.policy.clone(),
        single_use: Some(true),
    });
    Some(match fault {
        None => Taken::Approved(call),
        Some(message) => Taken::Disapproved(call, Fault::new(FaultKind::Denied, message)),
    })
}

fn is_approval(answer: &Value) -> bool {
    answer.as_text().is_some_and(|word| word.trim().to_lowercase() == APPROVE)
}

/// Another policy is in force from now on. What was asked under the one before it is taken back.
pub(crate) fn changed(run: &Run, change: &PolicyChange, ts: Timestamp) -> Change {
    let mut recorder = Recorder::new(run, None).at_time(ts);
    recorder.add(&PolicyActivated {
        policy_ref: change.policy.clone(),
        notes: change.notes.clone(),
        actor: change.actor.clone(),
        tests_summary: None,
        path_or_uri: Some(kept(&change.policy)),
    });
    let withdrawn: Vec<EventId> = run.open.approval_questions().collect();
    if !withdrawn.is_empty() {
        recorder.interruption(InterruptionReason::Canceled, withdrawn);
    }
    let what = What::PolicyChanged { policy: change.policy.clone(), ts };
    Change { events: recorder.events, what }
}

/// A policy is kept beside the events, under its digest.
fn kept(policy: &Text) -> Ref {
    Ref::Ext(ExtRef { kind: "blob".into(), id: policy.clone() })
}

fn name(tool: &ToolCall) -> String {
    format!("{}.{}", tool.server, tool.tool)
}

/// The exact arguments, as long as a person can read them; they are in the event of the call.
fn beginning(tool: &ToolCall) -> String {
    let args = json::canonical(&tool.args.clone().into());
    let digest = Digest::of(args.as_bytes());
    let shown = match args.char_indices().nth(SHOWN_MAX) {
        None => args,
        Some((end, _)) => {
            format!("{}... ({} bytes, {digest})", &args[..end], args.len())
        }
    };
    format!("May `{}` be called with {}? ", visible(&name(tool)), visible(&shown))
}

/// A text in which nothing hides: what turns the order of letters round, or shows as nothing, is
/// written as JSON can write it.
fn visible(text: &str) -> String {
    let is_hidden = |letter: &char| {
        letter.is_control()
            || matches!(*letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(&letter) {
            false => shown.push(letter),
            true => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    shown.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    shown
}

/// The ruling that made a question, from what was recorded of it.
pub(crate) fn ruling_of(
    run: &Run,
    call: CallId,
    asked: &QuestionAsked,
    ts: Timestamp,
) -> Option<Ruling> {
    let Request::Tool(tool) = &run.open.get(call)?.pending.request else { return None };
    let reason = asked.prompt.as_ref()?.strip_prefix(&*beginning(tool))?;
    let expires_ms = asked.expires?.micros().checked_sub(ts.micros())? / 1_000;
    Some(Ruling {
        outcome: Ruled::Ask {
            capability: asked.capability.clone(),
            expires_ms: u64::try_from(expires_ms).ok()?,
        },
        reason: (!reason.is_empty()).then(|| reason.into()),
        policy: run.options.policy.clone()?,
    })
}

/// The ruling that an event records, where a policy has made it and not the engine itself.
pub(crate) fn ruling_in(decided: &ApprovalDecided) -> Option<Ruling> {
    let outcome = match decided.outcome {
        ApprovalOutcome::PolicyAllow => Ruled::Allow,
        ApprovalOutcome::PolicyDenyContinue => Ruled::DenyContinue,
        ApprovalOutcome::PolicyDenyAbort => Ruled::DenyAbort,
        ApprovalOutcome::EvaluatorError => Ruled::Broken,
        _ => return None,
    };
    Some(Ruling { outcome, reason: decided.reason.clone(), policy: decided.policy_digest.clone()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_in_what_a_person_is_asked() {
        let shown = visible("{\"to\":\"a\u{202e}b\u{200b}\u{e0041}é😀\"}\u{1b}[2J");
        let expected = r#"{"to":"a\u202eb\u200b\udb40\udc41é😀"}\u001b[2J"#;
        assert_eq!(shown, expected);
    }
}
