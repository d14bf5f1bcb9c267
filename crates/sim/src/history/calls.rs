//! Calls of tools: wanted, made, allowed, started, finished.

use history::EventId;
use history::kinds::records::EventRef;
use history::kinds::words::{ApprovalOutcome, InterruptionReason, Role, ToolStatus};
use history::kinds::{
    ApprovalDecided, ApprovalRequested, EffectStarted, Interruption, Object, ToolCall, ToolResult,
};
use value::{Text, Value, digest};

use super::desk::Desk;
use super::run::Run;
use super::talk::{part, say};

/// A call that a model wants.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    call_id: Text,
    tool: &'static str,
    args: Object,
    correlation: Text,
    /// The response it stands in, once that is there.
    pub(super) by: Option<EventId>,
}

/// A call without its result.
#[derive(Clone, Debug)]
pub(super) struct Call {
    wanted: Wanted,
    event: EventId,
    attempts: i64,
    pub(super) stage: Stage,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    Made,
    /// Somebody was asked, by this event.
    Asked(EventId),
    Allowed,
    Denied,
    Started,
    Interrupted,
}

impl Wanted {
    pub(super) fn new(desk: &mut Desk, call_id: Text, correlation: Text) -> Wanted {
        let tool = desk.one_of(&["exec", "fetch", "track"]);
        Wanted { call_id, tool, args: desk.object(), correlation, by: None }
    }

    /// As it stands in a message.
    pub(super) fn part(&self) -> Object {
        part(vec![
            ("type", "tool_use".into()),
            ("id", self.call_id.clone().into()),
            ("name", self.tool.into()),
            ("input", Value::Map(self.args.clone())),
        ])
    }
}

pub(super) fn call(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(wanted) = run.wanted.pop() else { return false };
    let call = ToolCall {
        server: Some("runtime".into()),
        tool: Some(wanted.tool.into()),
        call_id: wanted.call_id.clone(),
        args: Some(wanted.args.clone()),
        requested_by: Some(EventRef { event_id: wanted.by.expect("the response was told before") }),
        effect_class: desk.maybe(|desk| desk.one_of(&["pure", "idempotent"]).into()),
    };
    let event = run.tell_about(desk, Some(wanted.correlation.clone()), call);
    run.calls.push(Call { wanted, event, attempts: 0, stage: Stage::Made });
    true
}

/// A call at one of these stages, taken out.
fn take(run: &mut Run, is_at: impl Fn(Stage) -> bool) -> Option<Call> {
    let at = run.calls.iter().position(|call| is_at(call.stage))?;
    Some(run.calls.remove(at))
}

/// Asks whether a call may run, or decides it.
pub(super) fn decide(run: &mut Run, desk: &mut Desk) -> bool {
    let is_open = |stage| matches!(stage, Stage::Made | Stage::Asked(_));
    let Some(mut call) = take(run, is_open) else { return false };
    let about = EventRef { event_id: call.event };
    let correlation = Some(call.wanted.correlation.clone());
    let request = match call.stage {
        Stage::Asked(request) => Some(EventRef { event_id: request }),
        _ => None,
    };
    if request.is_none() && desk.random.one_in(2) {
        let args = Value::Map(call.wanted.args.clone());
        let asked = ApprovalRequested {
            call: about,
            policy_digest: run.policy.clone(),
            args_digest: desk.maybe(|_| format!("{:x}", digest(&args)).into()),
            expires_at: desk.maybe(Desk::later),
        };
        call.stage = Stage::Asked(run.tell_about(desk, correlation, asked));
    } else {
        let is_allowed = !desk.random.one_in(4);
        let outcome = match (is_allowed, request.is_some()) {
            (true, true) => ApprovalOutcome::UserApprove,
            (true, false) => ApprovalOutcome::PolicyAllow,
            (false, true) => desk.one_of(&[
                ApprovalOutcome::UserDenyContinue,
                ApprovalOutcome::UserDenyAbort,
                ApprovalOutcome::Expired,
            ]),
            (false, false) => ApprovalOutcome::PolicyDenyContinue,
        };
        let decided = ApprovalDecided {
            actor: request.is_some().then(|| "ada".into()),
            request,
            call: Some(about),
            outcome,
            reason: desk.maybe(Desk::words),
            policy_digest: run.policy.clone(),
            single_use: desk.maybe(|_| true),
        };
        run.tell_about(desk, correlation, decided);
        call.stage = if is_allowed { Stage::Allowed } else { Stage::Denied };
    }
    run.calls.push(call);
    true
}

pub(super) fn start(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(mut call) = take(run, |stage| stage == Stage::Allowed) else { return false };
    call.attempts += 1;
    let started = EffectStarted {
        call: EventRef { event_id: call.event },
        attempt: Some(call.attempts),
        idem_key: Some(format!("key-{}", call.event).into()),
        lease_epoch: None,
    };
    run.tell_about(desk, Some(call.wanted.correlation.clone()), started);
    call.stage = Stage::Started;
    run.calls.push(call);
    true
}

pub(super) fn interrupt(run: &mut Run, desk: &mut Desk) -> bool {
    let can_stop = |stage| matches!(stage, Stage::Started | Stage::Denied);
    let Some(mut call) = take(run, can_stop) else { return false };
    let reason = match call.stage {
        Stage::Denied => InterruptionReason::ApprovalDenied,
        _ => desk.one_of(&[InterruptionReason::Crash, InterruptionReason::Shutdown]),
    };
    let affects = vec![EventRef { event_id: call.event }];
    let interruption = Interruption { reason: Some(reason), affects };
    run.tell_about(desk, Some(call.wanted.correlation.clone()), interruption);
    call.stage = Stage::Interrupted;
    run.calls.push(call);
    true
}

/// A call has its result, and sometimes a message says so.
pub(super) fn finish(run: &mut Run, desk: &mut Desk) -> bool {
    let is_settled = |stage| matches!(stage, Stage::Started | Stage::Denied | Stage::Interrupted);
    let is_ready = |stage| is_settled(stage) || stage == Stage::Made;
    let Some(call) = take(run, is_ready) else { return false };
    let status = match call.stage {
        Stage::Denied => ToolStatus::Canceled,
        Stage::Interrupted => ToolStatus::Interrupted,
        _ => desk.one_of(&[ToolStatus::Ok, ToolStatus::Ok, ToolStatus::Error, ToolStatus::Timeout]),
    };
    let is_ok = status == ToolStatus::Ok;
    let result = ToolResult {
        call_id: call.wanted.call_id.clone(),
        status: Some(status),
        result: Some(desk.object()),
        error: (!is_ok).then(|| desk.error()),
    };
    let output = Value::from(result.result.clone().map(Value::Map));
    run.tell_about(desk, Some(call.wanted.correlation), result);
    if desk.random.one_in(2) {
        let part = part(vec![
            ("type", "tool_result".into()),
            ("tool_call_id", call.wanted.call_id.into()),
            ("output", output),
            ("is_error", (!is_ok).into()),
        ]);
        say(run, desk, Role::Tool, vec![part]);
    }
    true
}
