//! What leaves the core: questions to models, tools, people and the clock.

use std::sync::Arc;

use functions::shown;
use history::kinds::words::InterruptionReason;
use history::{EventId, Timestamp};
use value::{Map, Text, Value, json};

use crate::call::{
    Answer, CallId, ModelAnswer, ModelCall, Offered, Pending, Question, Request, Stage, ToolCall,
};
use crate::change::{Change, What};
use crate::open::{Waiting, Why};
use crate::options::ToolContract;
use crate::plan::{
    Agent, AskStep, EffectStep, ModelStep, NodeNo, Operand, Plan, PlanNode, Step, ToolStep,
};
use crate::record::{Recorder, question_id};
use crate::run::{Fiber, FiberNo, Run};
use crate::schema::SchemaId;
use crate::step::value_of;
use crate::{Fault, answer, talk, transact};
use graph::Again;

/// A node asks for something.
pub(crate) fn request(
    plan: &Plan,
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
) -> Result<Change, Fault> {
    match &here.step {
        Step::Model(step) => Ok(talk::go_on(plan, run, own, fiber, node, here, step)),
        Step::Tool(step) => {
            Ok(match chosen(own, step) {
                Ok(name) => {
                    let call = tool(plan, run, own, step, name);
                    tool_change(run, own, fiber, node, here, call)
                }
                // Whoever chose it can choose again.
                Err(unknown) => {
                    let (slot, value, to) = (step.out, Value::text(unknown), here.next);
                    Change::derived(What::Wrote { fiber, node, slot, value, to })
                }
            })
        }
        Step::Effect(step) => {
            let call = effect(plan, run, own, step);
            Ok(tool_change(run, own, fiber, node, here, call))
        }
        Step::Transact(step) => {
            let call = transact::call(run, own, &here.at, step)?;
            Ok(tool_change(run, own, fiber, node, here, call))
        }
        Step::Ask(step) => Ok(ask(run, own, fiber, node, here, step)),
        Step::Sleep(time) => {
            let delay = match value_of(&own.frame, time) {
                Value::Int(delay) => u64::try_from(delay).unwrap_or(0),
                Value::Float(delay) => delay.max(0.0) as u64,
                _ => 0,
            };
            Ok(match delay {
                0 => Change::derived(What::Moved { fiber, node, to: here.next }),
                delay => timer_change(run, fiber, node, here, delay, Why::Answer),
            })
        }
        _ => unreachable!("only these leave"),
    }
}

pub(crate) fn named(id: CallId, prefix: char) -> Text {
    format!("{prefix}{id}").into()
}

pub(crate) fn pending(
    run: &Run,
    here: &PlanNode,
    (id, name): (CallId, Text),
    intent: EventId,
    request: Request,
) -> Pending {
    Pending {
        id,
        name,
        turn: None,
        intent,
        key: intent,
        at: here.at.clone(),
        request,
        attempt: 1,
        stage: Stage::Queued,
        allowed_by: None,
        since: run.now,
    }
}

/// What a model is asked first.
pub(crate) fn first_call(
    plan: &Plan,
    run: &Run,
    own: &Fiber,
    step: &ModelStep,
    tools: Arc<Vec<Offered>>,
) -> ModelCall {
    let agent = &plan.agents[step.agent as usize];
    let object = |object: Map| Text::from(json::compact(&object.into()));
    let prompt = match (&step.text, step.input) {
        (Some(text), _) => shown(&value_of(&own.frame, text)),
        (None, Some(schema)) => object(shaped(plan, run, own, schema)),
        (None, None) => object(visible(plan, run, own)),
    };
    let schema = step.output.as_ref().map(|(schema, ..)| *schema);
    ModelCall {
        agent: agent.id.clone(),
        model: model(run.options.model.as_ref(), run.options.llm.as_ref(), agent),
        system: system(plan, step),
        prompt,
        talk: Vec::new(),
        refs: Vec::new(),
        tools,
        shape: step.shape.clone(),
        schema: schema.map(|schema| plan.schemas.schema(schema).name.clone()),
        params: agent.params.clone(),
        timeout_ms: step.timeout_ms,
        turn: run.counts.requests + 1,
    }
}

/// The model that is asked: one for all, the agent's own, or the one for whoever has none.
pub(crate) fn model(all: Option<&Text>, other: Option<&Text>, agent: &Agent) -> Text {
    let own = (!agent.model.is_empty()).then_some(&agent.model);
    all.or(own).or(other).unwrap_or(&agent.model).clone()
}

/// Who the model is, and in which shape it must answer.
pub(crate) fn system(plan: &Plan, step: &ModelStep) -> Text {
    let mut system = plan.agents[step.agent as usize].prompt.to_string();
    if let Some((schema, ..)) = &step.output {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&plan.schemas.instruction(*schema));
    }
    system.into()
}

/// The object of a schema's fields, as far as the frame has them.
pub(crate) fn shaped(plan: &Plan, run: &Run, own: &Fiber, schema: SchemaId) -> Map {
    let get = |name: &str| own.frame.get(run.slot(plan, name)?).cloned();
    let objects = own.frame.iter().filter_map(|(slot, value)| Some((slot, value.as_map()?)));
    let mut objects: Vec<(&Text, &Map)> =
        objects.map(|(slot, object)| (run.name(plan, slot), object)).collect();
    // Names have no order of their own: the numbers of slots are the plan's business.
    objects.sort_by_key(|(name, _)| *name);
    plan.schemas.input(schema, get, objects.iter().map(|(_, object)| *object))
}

/// Everything in the frame but names that begin with `_`.
pub(crate) fn visible(plan: &Plan, run: &Run, own: &Fiber) -> Map {
    let all = own.frame.iter().map(|(slot, value)| (run.name(plan, slot), value));
    let shown = all.filter(|(name, _)| !name.starts_with('_'));
    shown.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn tool(plan: &Plan, run: &Run, own: &Fiber, step: &ToolStep, tool: Text) -> ToolCall {
    let args = match step.input {
        Some(schema) => shaped(plan, run, own, schema),
        None => {
            let given = step.texts.iter().filter_map(|slot| own.frame.get(*slot));
            let first = given.into_iter().find(|value| graph::truthy(value)).cloned();
            [("input".into(), first.unwrap_or_else(|| "".into()))].into_iter().collect()
        }
    };
    tool_call(run, tool, args, step.timeout_ms)
}

/// A call of one of the agent's tools.
pub(crate) fn tool_call(run: &Run, tool: Text, args: Map, timeout_ms: Option<u64>) -> ToolCall {
    let unknown = ToolContract::UNKNOWN;
    let contract = run.options.tools.get(&tool).unwrap_or(&unknown);
    let server = ToolCall::TOOLS.into();
    ToolCall {
        nth: run.counts.nth_of(&server, &tool),
        server,
        tool,
        args,
        touches: contract.touches,
        again: contract.again,
        store: None,
        timeout_ms,
    }
}

/// Which tool is meant: the one there is, or the one that the frame names. Where it names none of
/// those that there are, it is told which there are.
fn chosen(own: &Fiber, step: &ToolStep) -> Result<Text, String> {
    let named = match &step.tool {
        Operand::Lit(value) => value.as_text().cloned(),
        Operand::Var(slot) => own.frame.get(*slot).and_then(Value::as_text).cloned(),
    };
    let wanted = named.unwrap_or_else(|| "".into());
    if step.choices.is_empty() {
        return Ok(wanted);
    }
    let trimmed = wanted.trim();
    let is_meant = |name: &Text| name.to_lowercase() == trimmed.to_lowercase();
    let labelled = step.choices.iter().find(|choice| is_meant(&choice.label));
    let found = labelled.or_else(|| step.choices.iter().find(|choice| is_meant(&choice.tool)));
    found.map(|choice| choice.tool.clone()).ok_or_else(|| {
        let labels: Vec<&str> = step.choices.iter().map(|choice| &*choice.label).collect();
        format!("Unknown tool: {trimmed}. There are: {}.", labels.join(", "))
    })
}

fn effect(plan: &Plan, run: &Run, own: &Fiber, step: &EffectStep) -> ToolCall {
    let mut args = match step.input {
        Some(schema) => shaped(plan, run, own, schema),
        None => Map::default(),
    };
    if let Some(target) = &step.target {
        args.insert("target".into(), value_of(&own.frame, target));
    }
    if !step.args.is_empty() {
        let list = step.args.iter().map(|arg| value_of(&own.frame, arg));
        args.insert("args".into(), Value::list(list));
    }
    let open = step.within.and_then(|slot| own.frame.get(slot)).and_then(Value::as_text);
    if let Some(id) = open {
        args.insert("txid".into(), Value::Text(id.clone()));
    }
    let mut call = ToolCall {
        nth: run.counts.nth_of(&step.server, &step.tool),
        server: step.server.clone(),
        tool: step.tool.clone(),
        args,
        touches: step.touches,
        again: step.again,
        store: None,
        timeout_ms: step.timeout_ms,
    };
    bind(run, &mut call);
    call
}

/// What is known of whatever answers a call counts more than what is known of its verb.
pub(crate) fn bind(run: &Run, call: &mut ToolCall) {
    if let Some(contract) = run.options.tools.get(&call.name()) {
        (call.touches, call.again) = (contract.touches, contract.again);
    }
}

pub(crate) fn tool_change(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    call: ToolCall,
) -> Change {
    let id = run.counts.calls + 1;
    let name = named(id, 'c');
    let mut recorder = Recorder::new(run, Some(&here.at));
    let intent = recorder.tool_call(&name, &call, own.cause);
    let says_the_same = is_recorded_when_it_leaves(&call);
    let mut pending = pending(run, here, (id, name), intent, Request::Tool(Box::new(call)));
    // An effect that is tried again is the same effect: whoever did it once knows its key.
    if let Some(effect) = own.effect(node) {
        pending.key = effect.key;
        pending.attempt = effect.attempts.saturating_add(1);
        // What only looks sees the time that it is now.
        if says_the_same {
            pending.since = effect.since;
        }
    }
    let what = What::Requested { fiber, node, calls: vec![(pending, Why::Answer)] };
    Change { events: recorder.events, what }
}

fn ask(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    step: &AskStep,
) -> Change {
    let prompt = shown(&value_of(&own.frame, &step.prompt));
    let expires = step.expires_ms.map(|delay| later(run.now, delay));
    let id = run.counts.calls + 1;
    let question = Question {
        id: question_id(&run.id, &here.at, run.counts.questions + 1),
        prompt,
        schema: step.schema.clone(),
        options: step.options.clone(),
        default: step.default.as_ref().map(|default| value_of(&own.frame, default)),
        expires,
        capability: step.capability.clone(),
        nth: u64::from(run.counts.questions) + 1,
    };
    let mut recorder = Recorder::new(run, Some(&here.at));
    let intent = recorder.question(&question);
    let request = Request::Question(Box::new(question));
    let mut calls = vec![(pending(run, here, (id, named(id, 'p')), intent, request), Why::Answer)];
    if let Some(due) = expires {
        let name = named(id + 1, 't');
        let intent = recorder.timer(&name, due);
        let timer = pending(run, here, (id + 1, name), intent, Request::Timer(due));
        calls.push((timer, Why::Expiry(id)));
    }
    let what = What::Requested { fiber, node, calls };
    Change { events: recorder.events, what }
}

pub(crate) fn later(now: Timestamp, delay_ms: u64) -> Timestamp {
    let delay = i64::try_from(delay_ms).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_micros(now.micros().saturating_add(delay))
}

fn timer_change(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    delay_ms: u64,
    why: Why,
) -> Change {
    let due = later(run.now, delay_ms);
    let id = run.counts.calls + 1;
    let name = named(id, 't');
    let mut recorder = Recorder::new(run, Some(&here.at));
    let intent = recorder.timer(&name, due);
    let timer = pending(run, here, (id, name), intent, Request::Timer(due));
    let what = What::Requested { fiber, node, calls: vec![(timer, why)] };
    Change { events: recorder.events, what }
}

/// A node that failed waits before it is tried again.
pub(crate) fn delay(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    delay_ms: u64,
) -> Change {
    timer_change(run, fiber, node, here, delay_ms, Why::Retry)
}

/// Whether it must be known, before a call leaves, that it may have happened.
pub(crate) fn is_recorded_when_it_leaves(call: &ToolCall) -> bool {
    call.again != Again::Freely
}

/// What a fork was told that this node answers.
pub(crate) fn given_output(plan: &Plan, run: &Run, waiting: &Waiting) -> Option<Change> {
    // What a block of logic reads and writes on its way is not what its node answers.
    if waiting.why != Why::Answer {
        return None;
    }
    let value = run.options.outputs.get(&waiting.pending.at)?;
    let answer = match &waiting.pending.request {
        Request::Model(_) => Answer::Model(Box::new(ModelAnswer {
            text: shown(value),
            finish_reason: Some("given".into()),
            ..ModelAnswer::default()
        })),
        Request::Tool(_) => Answer::Value(value.clone()),
        Request::Question(_) | Request::Timer(_) => return None,
    };
    Some(answer::answered(plan, run, waiting, &answer, run.now, true))
}

/// The events of calls that are given up.
pub(crate) fn affected<'a>(calls: impl Iterator<Item = &'a Waiting>) -> Vec<EventId> {
    let told = calls.filter(|waiting| !matches!(waiting.pending.request, Request::Timer(_)));
    told.map(|waiting| waiting.pending.intent).collect()
}

/// Says which calls nobody waits for any more.
pub(crate) fn give_up<'a>(calls: impl Iterator<Item = &'a Waiting>, recorder: &mut Recorder<'_>) {
    let intents = affected(calls);
    if !intents.is_empty() {
        recorder.interruption(InterruptionReason::Canceled, intents);
    }
}

/// Logic failed: what it was, and how it ended, are told together.
pub(crate) fn failed_at_once(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    call: &ToolCall,
    fault: Fault,
) -> Change {
    let id = run.counts.calls + 1;
    let name = named(id, 'c');
    let mut recorder = Recorder::new(run, Some(&here.at));
    let intent = recorder.tool_call(&name, call, own.cause);
    let request = Request::Tool(Box::new(call.clone()));
    let pending = pending(run, here, (id, name), intent, request);
    recorder.tool_result(&pending, Err(&fault));
    let what = What::LogicFailed { fiber, node, fault: Box::new(fault) };
    Change { events: recorder.events, what }
}
