//! What an agent and a model say to each other at one node: the question, the tools that the model
//! wants, what they did, and once what does not fit about an answer.
//!
//! The model says what it wants, and never does it: each wish is a call like any other, asked of
//! the deciders, recorded, and made once. What a tool did, and that it failed, the model is told.
//! Only what may have happened and must not be repeated ends the talk: the model would repeat it.

use std::collections::BTreeSet;
use std::sync::Arc;

use history::kinds::records::Message;
use history::kinds::words::Role;
use history::{EventId, Timestamp};
use value::{Map, Text, Value};

use crate::call::{
    Answer, CallId, ModelAnswer, ModelCall, Offered, Pending, Reply, Request, Said, ToolUse,
};
use crate::change::{Change, Taken, What};
use crate::doubt::Doubt;
use crate::open::Why;
use crate::options::ToolContract;
use crate::plan::{ModelStep, NodeNo, Plan, PlanNode};
use crate::record::{Recorder, part, said};
use crate::request::{first_call, named, pending, tool_call};
use crate::run::{Fiber, FiberNo, Run};
use crate::{Fault, FaultKind};

/// The longest name of a tool that every provider takes.
const NAME_MAX: usize = 64;

/// What was said so far. It goes with the fiber, and ends with the node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Talk {
    prompt: Text,
    said: Vec<Said>,
    refs: Vec<EventId>,
    /// What the model wants, until it is told what came of it.
    pub(crate) wanted: Vec<Wanted>,
    /// How often the model has answered.
    turns: u64,
    /// When the question was first asked.
    began: Timestamp,
    /// The name of the question: all that follows belongs to it.
    turn: Text,
    /// What did not fit about an answer, once the model was told so.
    misfit: Option<Fault>,
}

/// A wish of the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    wish: ToolUse,
    /// The tool that is meant.
    tool: Option<Text>,
    /// The call that fulfils it.
    pub(crate) call: Option<CallId>,
    /// What came of it, with what that leaves in doubt.
    outcome: Option<(Result<Value, Fault>, Doubt)>,
}

impl Talk {
    /// The calls that are under way for it.
    pub(crate) fn calls(&self) -> impl Iterator<Item = CallId> {
        let open = self.wanted.iter().filter(|wanted| wanted.outcome.is_none());
        open.filter_map(|wanted| wanted.call)
    }

    /// Whether something has come of all that the model wants.
    fn is_settled(&self) -> bool {
        self.wanted.iter().all(|wanted| wanted.outcome.is_some())
    }

    /// What its calls leave in doubt.
    fn doubt(&self) -> Doubt {
        let settled = self.wanted.iter().filter_map(|wanted| wanted.outcome.as_ref());
        let doubts = settled.map(|(_, doubt)| doubt.beyond_its_node());
        doubts.max().unwrap_or(Doubt::Nothing)
    }

    fn lasts_ms(&self, now: Timestamp) -> u64 {
        u64::try_from(now.micros().saturating_sub(self.began.micros()) / 1_000).unwrap_or(0)
    }

    /// What was last heard, for whoever looks on.
    pub(crate) fn heard(&self) -> Value {
        let last = self.said.iter().rev().find_map(|said| match said {
            Said::Model(answer) => Some(answer),
            Said::Tools(_) | Said::Us(_) => None,
        });
        let text = last.map(|answer| answer.text.clone()).unwrap_or_else(|| "".into());
        let wishes = self.wanted.iter().map(|wanted| {
            let ToolUse { name, input, .. } = &wanted.wish;
            Value::map([("name", Value::Text(name.clone())), ("input", input.clone().into())])
        });
        let next = match self.said.last() {
            Some(Said::Us(text)) => ("told", Value::Text(text.clone())),
            _ => ("wants", Value::list(wishes)),
        };
        Value::map([("text", Value::Text(text)), next])
    }

    /// Calls that fulfil wishes have begun.
    pub(crate) fn called(&mut self, index: u32, call: CallId) {
        self.wanted[index as usize].call = Some(call);
    }

    /// Something came of a wish.
    pub(crate) fn settle(&mut self, index: u32, outcome: Result<Value, Fault>, doubt: Doubt) {
        self.wanted[index as usize].outcome = Some((outcome, doubt));
    }
}

/// What a node does that asks a model, whenever it is its turn.
pub(crate) fn go_on(
    plan: &Plan,
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    step: &ModelStep,
) -> Change {
    let Some(talk) = own.talk.as_deref() else {
        let call = first_call(plan, run, own, step, offered(plan, run, step.agent));
        let message = said(Role::User, &call.prompt);
        return ask(run, fiber, node, here, call, message, None);
    };
    let mut failures = talk.wanted.iter().filter_map(|wanted| match &wanted.outcome {
        Some((Err(fault), doubt)) if ends_talk(fault, *doubt) => Some(fault),
        _ => None,
    });
    if let Some(fault) = failures.next().filter(|_| talk.is_settled()) {
        return failed(fiber, node, fault.clone(), talk.doubt());
    }
    // The whole talk is one invocation: it has the time of one.
    let left_ms = step.timeout_ms.map(|most| most.saturating_sub(talk.lasts_ms(run.now)));
    if let (Some(0), Some(most)) = (left_ms, step.timeout_ms) {
        let message = format!("the talk with the model took longer than {most} ms");
        return failed(fiber, node, Fault::new(FaultKind::Timeout, message), talk.doubt());
    }
    if !talk.is_settled() {
        return fulfil(run, own, fiber, node, here, talk, left_ms);
    }
    let most = run.options.limits.talk;
    if talk.turns >= most {
        let message = format!("the model still wants something after {most} answers");
        return failed(fiber, node, Fault::new(FaultKind::Turns, message), Doubt::Nothing);
    }
    let mut call = first_call(plan, run, own, step, offered(plan, run, step.agent));
    call.prompt = talk.prompt.clone();
    call.talk = talk.said.clone();
    call.refs = talk.refs.clone();
    call.timeout_ms = left_ms;
    let message = if talk.wanted.is_empty() {
        match talk.said.last() {
            Some(Said::Us(text)) => said(Role::User, text),
            _ => unreachable!("a talk goes on with what a tool did, or with what we say"),
        }
    } else {
        let replies: Vec<Reply> = talk.wanted.iter().map(reply).collect();
        let message = told(&replies);
        call.talk.push(Said::Tools(replies));
        message
    };
    ask(run, fiber, node, here, call, message, Some(&talk.turn))
}

fn failed(fiber: FiberNo, node: NodeNo, fault: Fault, doubt: Doubt) -> Change {
    Change::derived(What::Failed { fiber, node, fault: Box::new(fault), doubt, pops: false })
}

fn ask(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    mut call: ModelCall,
    message: Message,
    turn: Option<&Text>,
) -> Change {
    let id = run.counts.calls + 1;
    let name = named(id, 'q');
    let mut recorder = Recorder::new(run, Some(&here.at));
    let turn = turn.unwrap_or(&name).clone();
    let intent = recorder.model_call((&name, &turn), &mut call, message);
    let mut pending = pending(run, here, (id, name), intent, Request::Model(Box::new(call)));
    pending.turn = Some(turn);
    let what = What::Requested { fiber, node, calls: vec![(pending, Why::Answer)] };
    Change { events: recorder.events, what }
}

/// All that the model wants is asked for at once: what it wants together does not hang together.
fn fulfil(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    talk: &Talk,
    left_ms: Option<u64>,
) -> Change {
    let mut recorder = Recorder::new(run, Some(&here.at));
    recorder.turn(Some(&talk.turn));
    let mut calls = Vec::new();
    let open = (0..).zip(&talk.wanted).filter(|(_, wanted)| wanted.outcome.is_none());
    for (index, wanted) in open {
        let Some(tool) = wanted.tool.clone() else { continue };
        let id = run.counts.calls + 1 + CallId::try_from(calls.len()).unwrap_or(CallId::MAX);
        let name = named(id, 'c');
        let mut call = tool_call(run, tool, wanted.wish.input.clone(), left_ms);
        let is_same = |(_, other): &(u32, &Wanted)| other.tool == wanted.tool;
        call.nth += (0..index).zip(&talk.wanted).filter(is_same).count() as u64;
        let intent = recorder.tool_call(&name, &call, own.cause);
        let request = Request::Tool(Box::new(call));
        let mut pending = pending(run, here, (id, name), intent, request);
        pending.turn = Some(talk.turn.clone());
        calls.push((pending, Why::Use(index)));
    }
    let what = What::Requested { fiber, node, calls };
    Change { events: recorder.events, what }
}

/// What becomes of what a model said, where the talk goes on: it wants something, or its answer
/// does not fit and it was not told so before.
pub(crate) fn goes_on(
    own: &Fiber,
    pending: &Pending,
    call: &ModelCall,
    answer: &ModelAnswer,
    misfit: Option<&Fault>,
    message: EventId,
) -> Option<Taken> {
    let so_far = own.talk.as_deref();
    let earlier = so_far.and_then(|talk| talk.misfit.clone());
    let misfit = misfit.filter(|_| earlier.is_none() && answer.uses.is_empty());
    if answer.uses.is_empty() && misfit.is_none() {
        return None;
    }
    let mut heard = call.talk.clone();
    heard.push(Said::Model(Arc::new(answer.clone())));
    heard.extend(misfit.map(|fault| Said::Us(correction(fault))));
    let wanted = answer.uses.iter().map(|wish| want(call, wish)).collect();
    let refs = call.refs.iter().copied().chain([message]).collect();
    let turns = so_far.map_or(0, |talk| talk.turns) + 1;
    let began = so_far.map_or(pending.since, |talk| talk.began);
    let turn = so_far.map_or(&pending.name, |talk| &talk.turn).clone();
    let prompt = call.prompt.clone();
    let misfit = earlier.or_else(|| misfit.cloned());
    let talk = Talk { prompt, said: heard, refs, wanted, turns, began, turn, misfit };
    Some(Taken::Talked(Box::new(talk), crate::answer::spent(answer)))
}

fn want(call: &ModelCall, wish: &ToolUse) -> Wanted {
    let offered = call.tools.iter().find(|offered| offered.name == wish.name);
    let outcome = match offered {
        Some(_) => None,
        None => {
            let known: Vec<&str> = call.tools.iter().map(|offered| &*offered.name).collect();
            let message = match known.as_slice() {
                [] => format!("there is no tool `{}`, and no other one", wish.name),
                known => {
                    format!("there is no tool `{}`; there are: {}", wish.name, known.join(", "))
                }
            };
            Some((Err(Fault::new(FaultKind::Missing, message)), Doubt::Nothing))
        }
    };
    Wanted {
        wish: wish.clone(),
        tool: offered.map(|offered| offered.tool.clone()),
        call: None,
        outcome,
    }
}

/// Nothing came where a model was asked again for an answer that fits: it is the answer that came
/// which has failed.
pub(crate) fn in_vain(own: &Fiber, fault: &Fault) -> Option<Fault> {
    let talk = own.talk.as_deref()?;
    let Some(Said::Us(_)) = talk.said.last() else { return None };
    let misfit = talk.misfit.clone()?;
    let message = format!("{}; asked again, the model failed: {}", misfit.message, fault.message);
    Some(Fault { message: message.into(), ..misfit })
}

/// Whether a model must not hear of a failure and go on: what may have happened it would repeat,
/// and what ends the run ends the talk.
fn ends_talk(fault: &Fault, doubt: Doubt) -> bool {
    doubt != Doubt::Nothing
        || fault.kind.is_fatal()
        || matches!(fault.kind, FaultKind::Interrupted | FaultKind::Cancelled)
}

fn reply(wanted: &Wanted) -> Reply {
    let (output, is_error) = match &wanted.outcome {
        Some((Ok(value), _)) => (value.clone(), false),
        Some((Err(fault), _)) => (fault.to_value(), true),
        None => (Value::Null, true),
    };
    Reply { id: wanted.wish.id.clone(), name: wanted.wish.name.clone(), output, is_error }
}

/// The message that tells a model what its tools did.
fn told(replies: &[Reply]) -> Message {
    let parts = replies.iter().map(|reply| {
        let mut members = vec![
            ("type", Value::text("tool_result")),
            ("tool_call_id", Value::Text(reply.id.clone())),
            ("output", reply.output.clone()),
        ];
        members.extend(reply.is_error.then_some(("is_error", true.into())));
        part(members)
    });
    Message {
        id: None,
        role: Some(Role::Tool),
        content: Some(parts.collect()),
        created_at: None,
        items: None,
    }
}

/// What a model is told about an answer that does not fit.
fn correction(fault: &Fault) -> Text {
    let mut text = format!("This cannot be used: {}.\n", fault.message);
    let listed = fault.details.as_ref().and_then(|details| details.get("violations"));
    for violation in listed.and_then(Value::as_list).into_iter().flat_map(|items| items.iter()) {
        let word =
            |name: &str| violation.get(name).and_then(Value::as_text).map_or("", |text| text);
        text.push_str(&match word("at") {
            "" => format!("- {}\n", word("message")),
            at => format!("- at `{at}`: {}\n", word("message")),
        });
    }
    text.push_str("Answer again, with one JSON object of the shape that was asked for.");
    text.into()
}

/// The tools that an agent may want: those it was given that something answers.
fn offered(plan: &Plan, run: &Run, agent: u32) -> Arc<Vec<Offered>> {
    let mut names: BTreeSet<Text> = BTreeSet::new();
    let tools = plan.agents[agent as usize].tools.iter();
    let answered = tools.filter(|tool| is_answered(run, &tool.id));
    let offered = answered.map(|tool| {
        let said = run.options.offers.get(&tool.id);
        let name = unused(&mut names, &tool.id);
        let described = said.and_then(|said| said.description.clone());
        let input = match tool.input {
            Some(schema) => plan.schemas.json_schema_of_values(schema),
            None => said.and_then(|said| said.input.clone()).unwrap_or_else(any_input),
        };
        let description = tool.description.clone().or(described);
        let description = description.unwrap_or_else(|| tool.label.clone());
        Offered { tool: tool.id.clone(), name, description, input }
    });
    Arc::new(offered.collect())
}

/// Whether a tool is there, and more than a stub.
fn is_answered(run: &Run, tool: &Text) -> bool {
    run.options.tools.get(tool).is_some_and(|contract: &ToolContract| !contract.made_up)
}

/// What a tool is given of which nothing is known.
fn any_input() -> Value {
    let text = Value::map([("type", Value::text("string"))]);
    Value::map([
        ("type", Value::text("object")),
        ("properties", Value::map([("input", text)])),
        ("required", Value::list([Value::text("input")])),
    ])
}

/// A tool's id as every provider takes it, and as no other tool is called.
fn unused(names: &mut BTreeSet<Text>, id: &str) -> Text {
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let plain = |letter: char| if is_taken(letter) { letter } else { '_' };
    let name: String = id.chars().map(plain).take(NAME_MAX).collect();
    let mut found = Text::from(&*name);
    for number in 2.. {
        if names.insert(found.clone()) {
            break;
        }
        let tail = format!("_{number}");
        let head: String = name.chars().take(NAME_MAX - tail.len()).collect();
        found = format!("{head}{tail}").into();
    }
    found
}

/// What came of a wish, from what a call answered.
pub(crate) fn used(index: u32, answer: &Answer) -> Taken {
    let outcome = match answer {
        Answer::Failed(fault) => Err(fault.clone()),
        Answer::Value(value) => Ok(value.clone()),
        _ => Ok(Value::Null),
    };
    Taken::Used(index, outcome)
}

/// What a message says that a model made, as it is recorded: what it thought, said, and wants.
pub(crate) fn parts(answer: &ModelAnswer) -> Vec<Arc<Map>> {
    let text = |kind: &str, text: &Text| {
        part([("text", Value::Text(text.clone())), ("type", Value::text(kind))])
    };
    let mut parts: Vec<Arc<Map>> =
        answer.reasoning.iter().map(|one| text("reasoning", one)).collect();
    if !answer.text.is_empty() || answer.uses.is_empty() {
        parts.push(text("text", &answer.text));
    }
    parts.extend(answer.uses.iter().map(|wish| {
        part([
            ("type", Value::text("tool_use")),
            ("id", Value::Text(wish.id.clone())),
            ("name", Value::Text(wish.name.clone())),
            ("input", wish.input.clone().into()),
        ])
    }));
    parts
}

/// The same, read again.
pub(crate) fn read(message: &Message) -> Option<ModelAnswer> {
    let mut answer = ModelAnswer::default();
    for part in message.content.as_deref()? {
        let text = |name: &str| part.get(name).and_then(Value::as_text).cloned();
        match text("type").as_deref() {
            Some("text") => answer.text = text("text")?,
            Some("reasoning") => answer.reasoning = Some(text("text")?),
            Some("tool_use") => answer.uses.push(ToolUse {
                id: text("id")?,
                name: text("name")?,
                input: part.get("input")?.as_map()?.clone(),
            }),
            _ => return None,
        }
    }
    answer.items = message.items.clone().unwrap_or_default();
    Some(answer)
}
