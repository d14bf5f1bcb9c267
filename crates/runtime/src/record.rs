//! Writes the events of a run: what came from outside, and what leaves.

use std::sync::Arc;

use history::EventId;
use history::kinds::records::{EventRef, Message, Ref, Usage};
use history::kinds::words::{
    ApprovalOutcome, Exit, InterruptionReason, Role, TimeSource, ToolStatus,
};
use history::kinds::{
    ApprovalDecided, Body, Common, EffectStarted, Interruption, MessageCreated, ModelRequest,
    ModelResponse, QuestionAnswered, QuestionAsked, RunCancelled, RunFinished, RunPaused, Sealed,
    StateSet, Substitution, TimeObserved, TimerFired, TimerSet, ToolCall, ToolResult, What,
};
use value::{Digest, Map, Text, Value};

use crate::call::{ModelAnswer, ModelCall, Offered, Pending, Question, ToolCall as Call};
use crate::run::Run;
use crate::{Fault, FaultKind, talk};

/// No answer counts for more tokens, whoever says so: numbers up to here are exact everywhere.
pub(crate) const TOKENS_MAX: u64 = 1 << 53;

/// Writes events that belong together: same time, same node, one after the other.
pub(crate) struct Recorder<'a> {
    run: &'a Run,
    common: Common,
    pub(crate) events: Vec<Sealed>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(run: &'a Run, at: Option<&Text>) -> Recorder<'a> {
        let common = Common {
            agent_id: Some(run.agent.clone()),
            run_id: Some(run.id.clone()),
            at: at.cloned(),
            derived: run.derived.map(|digest| format!("{digest:x}")[..16].into()),
            ..Common::at(run.now)
        };
        Recorder { run, common, events: Vec::new() }
    }

    /// The same, at another time.
    pub(crate) fn at_time(mut self, ts: history::Timestamp) -> Recorder<'a> {
        self.common.ts = ts;
        self
    }

    pub(crate) fn add(&mut self, body: &(impl Body + Clone + Into<What>)) -> EventId {
        let sealed = self.common.seal_with_fact(body);
        let id = sealed.event.id();
        self.events.push(sealed);
        // Only the first one after a computation carries its digest.
        self.common.derived = None;
        id
    }

    /// What follows belongs to this.
    pub(crate) fn turn(&mut self, turn: Option<&Text>) {
        self.common.correlation_id = turn.cloned();
    }

    /// A question to a model: what is new in it, and the request.
    pub(crate) fn model_call(
        &mut self,
        (name, turn): (&Text, &Text),
        call: &mut ModelCall,
        message: Message,
    ) -> EventId {
        self.turn(Some(turn));
        let message = self.add(&MessageCreated { message });
        call.refs.push(message);
        self.add(&ModelRequest {
            model: Some(call.model.clone()),
            params: Some(Arc::new(call.params.clone())),
            input_refs: Some(call.refs.iter().copied().map(Ref::Event).collect()),
            tools_spec: (!call.tools.is_empty()).then(|| tools_spec(&call.tools)),
            request_id: Some(name.clone()),
        })
    }

    /// What a model said: the message, and that it answered.
    pub(crate) fn model_answer(
        &mut self,
        pending: &Pending,
        answer: &ModelAnswer,
    ) -> (EventId, EventId) {
        self.turn(pending.turn.as_ref());
        let message = self.add(&MessageCreated {
            message: Message {
                content: Some(talk::parts(answer)),
                items: (!answer.items.is_empty()).then(|| answer.items.clone()),
                ..said(Role::Assistant, &answer.text)
            },
        });
        let count = |tokens: u64| i64::try_from(tokens.min(TOKENS_MAX)).ok();
        let response = self.add(&ModelResponse {
            request_id: pending.name.clone(),
            output_ref: Some(message.to_string().into()),
            usage: Some(Usage {
                prompt_tokens: count(answer.prompt_tokens),
                completion_tokens: count(answer.completion_tokens),
                total_tokens: count(answer.prompt_tokens.saturating_add(answer.completion_tokens)),
            }),
            finish_reason: answer.finish_reason.clone(),
            reasoning_ref: None,
            stream_ref: None,
            attempt: Some(i64::from(pending.attempt)),
            cost: answer.cost.clone(),
            error: None,
        });
        (message, response)
    }

    pub(crate) fn model_failure(&mut self, pending: &Pending, fault: &Fault) -> EventId {
        self.turn(pending.turn.as_ref());
        self.add(&ModelResponse {
            request_id: pending.name.clone(),
            output_ref: None,
            usage: None,
            finish_reason: Some("error".into()),
            reasoning_ref: None,
            stream_ref: None,
            attempt: Some(i64::from(pending.attempt)),
            cost: None,
            error: Some(fault.to_error()),
        })
    }

    pub(crate) fn tool_call(
        &mut self,
        name: &Text,
        call: &Call,
        cause: Option<EventId>,
    ) -> EventId {
        self.add(&ToolCall {
            server: Some(call.server.clone()),
            tool: Some(call.tool.clone()),
            call_id: name.clone(),
            args: Some(Arc::new(call.args.clone())),
            requested_by: cause.map(|event_id| EventRef { event_id }),
            effect_class: Some(
                match call.again {
                    graph::Again::Freely => "pure",
                    graph::Again::WithKey => "idempotent",
                    graph::Again::ByAsking => "at_most_once",
                }
                .into(),
            ),
        })
    }

    pub(crate) fn effect_started(&mut self, pending: &Pending, attempt: u32) -> EventId {
        self.turn(pending.turn.as_ref());
        let idem_key = Some(idempotency_key(&self.run.id, pending.key));
        let call = EventRef { event_id: pending.intent };
        self.add(&EffectStarted {
            call,
            attempt: Some(i64::from(attempt)),
            idem_key,
            lease_epoch: None,
        })
    }

    pub(crate) fn tool_result(
        &mut self,
        pending: &Pending,
        outcome: Result<&Value, &Fault>,
    ) -> EventId {
        self.turn(pending.turn.as_ref());
        let (status, result, error) = match outcome {
            Ok(value) => {
                let result: Map = [("value".into(), value.clone())].into_iter().collect();
                (ToolStatus::Ok, Some(Arc::new(result)), None)
            }
            Err(fault) => {
                let status = match fault.kind {
                    FaultKind::Timeout => ToolStatus::Timeout,
                    FaultKind::Cancelled => ToolStatus::Canceled,
                    _ => ToolStatus::Error,
                };
                // Spec 5 wants a result in every case.
                (status, Some(Arc::default()), Some(fault.to_error()))
            }
        };
        self.add(&ToolResult { call_id: pending.name.clone(), status: Some(status), result, error })
    }

    pub(crate) fn question(&mut self, question: &Question) -> EventId {
        self.add(&QuestionAsked {
            question_id: question.id.clone(),
            prompt: Some(question.prompt.clone()),
            schema: question.schema.clone(),
            options: (!question.options.is_empty()).then(|| question.options.clone()),
            default: question.default.clone(),
            expires: question.expires,
            capability: question.capability.clone(),
            call: None,
        })
    }

    pub(crate) fn question_answer(
        &mut self,
        id: &Text,
        answer: &Value,
        actor: Option<&Text>,
    ) -> EventId {
        self.add(&QuestionAnswered {
            question_id: id.clone(),
            answer: Some(answer.clone()),
            actor: actor.cloned(),
        })
    }

    pub(crate) fn timer(&mut self, name: &Text, due: history::Timestamp) -> EventId {
        self.add(&TimerSet { timer: name.clone(), due: Some(due) })
    }

    pub(crate) fn timer_fired(&mut self, name: &Text) -> EventId {
        self.add(&TimerFired { timer: name.clone() })
    }

    pub(crate) fn observed(&mut self, source: TimeSource, value: Value) -> EventId {
        self.add(&TimeObserved { source, value })
    }

    pub(crate) fn denied(&mut self, call: Option<EventId>, reason: &Text) -> EventId {
        self.add(&ApprovalDecided {
            request: None,
            call: call.map(|event_id| EventRef { event_id }),
            outcome: ApprovalOutcome::PolicyDenyContinue,
            actor: None,
            reason: Some(reason.clone()),
            policy_digest: None,
            single_use: None,
        })
    }

    pub(crate) fn interruption(&mut self, reason: InterruptionReason, calls: Vec<EventId>) {
        let affects = calls.into_iter().map(|event_id| EventRef { event_id }).collect();
        self.add(&Interruption { reason: Some(reason), affects });
    }

    pub(crate) fn substitution(&mut self, original: EventId, replacement: EventId) {
        self.add(&Substitution {
            original_event: EventRef { event_id: original },
            replacement_event: EventRef { event_id: replacement },
            reason: Some("given with the fork".into()),
        });
    }

    pub(crate) fn state_set(&mut self, values: &Map) -> EventId {
        self.add(&StateSet { values: Arc::new(values.clone()) })
    }

    pub(crate) fn paused(&mut self, reason: Option<&Text>, step: Option<u64>) -> EventId {
        self.add(&RunPaused { reason: reason.cloned(), step: step.map(bounded) })
    }

    pub(crate) fn cancelled(
        &mut self,
        reason: Option<&Text>,
        actor: Option<&Text>,
        step: Option<u64>,
    ) -> EventId {
        self.add(&RunCancelled {
            reason: reason.cloned(),
            actor: actor.cloned(),
            step: step.map(bounded),
        })
    }

    pub(crate) fn finished(
        &mut self,
        outcome: Result<&Value, &Fault>,
        step: Option<u64>,
    ) -> EventId {
        self.add(&RunFinished {
            exit: Some(if outcome.is_ok() { Exit::Success } else { Exit::Error }),
            summary_ref: None,
            result: outcome.ok().cloned(),
            error: outcome.err().map(Fault::to_error),
            step: step.map(bounded),
        })
    }
}

fn bounded(step: u64) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}

/// A message that is nothing but text.
pub(crate) fn said(role: Role, text: &Text) -> Message {
    let text = part([("text", Value::Text(text.clone())), ("type", "text".into())]);
    Message { id: None, role: Some(role), content: Some(vec![text]), created_at: None, items: None }
}

/// A part of a message.
pub(crate) fn part(members: impl IntoIterator<Item = (&'static str, Value)>) -> Arc<Map> {
    let members = members.into_iter().map(|(name, value)| (name.into(), value));
    Arc::new(members.collect())
}

/// The tools of a request, as the model is told of them.
fn tools_spec(tools: &[Offered]) -> Value {
    Value::list(tools.iter().map(|tool| {
        Value::map([
            ("name", Value::Text(tool.name.clone())),
            ("description", Value::Text(tool.description.clone())),
            ("input_schema", tool.input.clone()),
        ])
    }))
}

/// The key under which an effect may run again: the same for every attempt, another in every fork.
/// It follows from the event that first said what is wanted.
pub fn idempotency_key(run: &str, first: EventId) -> Text {
    format!("{:x}", Digest::of(format!("effect\n{run}\n{first}").as_bytes())).into()
}

/// The name of a question. It is in the event that asks, so that it follows from what was before.
pub(crate) fn question_id(run: &str, at: &str, number: u32) -> Text {
    let digest = Digest::of(format!("question\n{run}\n{at}\n{number}").as_bytes());
    format!("{digest:x}")[..12].into()
}
