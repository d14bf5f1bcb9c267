//! Between a run's events and the world: it hears what is asked for, asks the world once for each
//! call, and keeps what the world says, so that a call that leaves again is answered the same.

use std::collections::BTreeMap;

use graph::Graph;
use history::kinds::words::Role;
use history::kinds::{Fact, QuestionAsked, What};
use history::{EventId, Timestamp};
use runtime::{
    Answer, Fault, FaultKind, Happened, ModelAnswer, Pending, Request, Ruled, Ruling, ToolUse,
};
use value::{Map, Text, Value, json};

use super::outcome::Asked;
use super::world::{Doubt, Fault as Trouble, Reply, Verdict, World};

/// How it is written that a person is asked whether a call may be made. What was to be called stands
/// before it.
pub(super) const MAY_IT: &str = "person may it";

/// What the world says about one call.
#[derive(Clone, Debug)]
enum Said {
    Answer(Answer),
    Person(Reply),
}

/// Asks the world in the place of a run.
#[derive(Clone, Debug)]
pub struct Desk<'g> {
    graph: &'g Graph,
    world: World,
    /// What the run has asked a model, by the event that holds it.
    prompt: Option<Text>,
    said: BTreeMap<Text, Said>,
    /// What the policy says, by the names of calls.
    verdicts: BTreeMap<Text, Verdict>,
    /// What people who were asked about calls do: the same when they are asked again.
    about: BTreeMap<EventId, Reply>,
    /// Everything that was asked for, in this order.
    pub asked: Vec<Asked>,
    /// How often each call was carried out.
    pub carried_out: BTreeMap<Text, usize>,
}

impl<'g> Desk<'g> {
    /// A desk where nobody has asked for anything.
    pub fn new(graph: &'g Graph, world: World) -> Desk<'g> {
        Desk {
            graph,
            world,
            prompt: None,
            said: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            about: BTreeMap::new(),
            asked: Vec::new(),
            carried_out: BTreeMap::new(),
        }
    }

    /// The same world, before anybody has asked for anything.
    pub fn anew(&self) -> Desk<'g> {
        Desk::new(self.graph, self.world.anew())
    }

    /// Takes one of the run's events in, if it asks for something.
    pub fn hear(&mut self, fact: &Fact) {
        let at = fact.common.at.clone().unwrap_or_else(|| "".into());
        match &fact.what {
            What::MessageCreated(created) => {
                let content = created.message.content.as_deref().unwrap_or_default();
                self.prompt = match created.message.role {
                    Some(Role::Tool) => {
                        let told = Value::list(content.iter().map(|part| told(part)));
                        Some(json::compact(&told).into())
                    }
                    _ => content.first().and_then(|part| part.get("text")?.as_text().cloned()),
                };
            }
            What::ModelRequest(request) => {
                let name = request.request_id.clone().unwrap_or_else(|| "".into());
                // What is no JSON is our own words, about an answer that does not fit.
                let prompt = match json::parse(self.prompt.as_deref().unwrap_or("null")) {
                    Ok(prompt) => json::canonical(&prompt),
                    Err(_) => "again".to_string(),
                };
                let tools: Vec<Text> = names(request.tools_spec.as_ref());
                let request = self.asks(&at, format!("model {prompt}"));
                let fields = self.fields(&at);
                let said = self.world.model(&at, &request, fields.as_deref(), &tools);
                let answer = match said {
                    Ok(heard) => Answer::Model(Box::new(ModelAnswer {
                        prompt_tokens: prompt.len() as u64,
                        completion_tokens: heard.text.len() as u64,
                        text: heard.text.into(),
                        uses: (1..).zip(heard.wishes).map(wish).collect(),
                        finish_reason: Some("stop".into()),
                        cost: Some("0.0001".into()),
                        ..ModelAnswer::default()
                    })),
                    Err(trouble) => Answer::Failed(fault(trouble)),
                };
                self.said.insert(name, Said::Answer(answer));
            }
            // A block that failed is no call: its answer is in the next event.
            What::ToolCall(call) if call.server.as_deref() == Some("logic") => {}
            What::ToolCall(call) => {
                let tool = call.tool.as_deref().unwrap_or_default();
                let server = call.server.as_deref().unwrap_or_default();
                let args = call.args.as_deref().cloned().unwrap_or_default();
                let args = json::canonical(&args.into());
                let request = match server {
                    "tool" => format!("tool {tool} {args}"),
                    "store" | "cache" | "queue" => format!("{server}.{tool} {args}"),
                    _ => format!("{server}.{tool}"),
                };
                let request = self.asks(&at, request);
                let answer = match self.world.tool(&at, &request) {
                    Ok(value) => Answer::Value(value),
                    Err(trouble) => Answer::Failed(fault(trouble)),
                };
                self.said.insert(call.call_id.clone(), Said::Answer(answer));
                if server != "store" && server != "channel" {
                    let verdict = self.world.policy(&at, &request);
                    self.verdicts.insert(call.call_id.clone(), verdict);
                }
            }
            What::QuestionAsked(QuestionAsked {
                call: Some(call),
                question_id,
                options,
                expires,
                ..
            }) => {
                let reply = match self.about.get(&call.event_id) {
                    Some(reply) => reply.clone(),
                    None => {
                        let request = self.asks(&at, MAY_IT.to_string());
                        let options = options.as_deref().unwrap_or_default();
                        let time = expires.map(|expires| wait(fact, expires));
                        self.world.person(&at, &request, options, time)
                    }
                };
                self.about.insert(call.event_id, reply.clone());
                self.said.insert(question_id.clone(), Said::Person(reply));
            }
            What::QuestionAsked(question) => {
                let prompt = question.prompt.as_deref().unwrap_or_default();
                let request = self.asks(&at, format!("person {prompt}"));
                let options = question.options.as_deref().unwrap_or_default();
                let expires = question.expires.map(|expires| wait(fact, expires));
                let reply = self.world.person(&at, &request, options, expires);
                self.said.insert(question.question_id.clone(), Said::Person(reply));
            }
            _ => {}
        }
    }

    /// What the policy says about a call. It says the same every time.
    pub fn ruling(&self, name: &Text, policy: &Text) -> Ruling {
        let outcome = match self.verdicts.get(name) {
            Some(Verdict::Allow) => Ruled::Allow,
            Some(Verdict::Deny) => Ruled::DenyContinue,
            Some(Verdict::Abort) => Ruled::DenyAbort,
            Some(Verdict::Nonsense) => Ruled::Broken,
            Some(Verdict::Ask(time)) => {
                let capability = (time % 2 == 0).then(|| "approve.calls".into());
                Ruled::Ask { capability, expires_ms: *time }
            }
            None => unreachable!("`{name}` is no call of a tool"),
        };
        let reason = (outcome != Ruled::Allow).then(|| "the world says so".into());
        Ruling { outcome, reason, policy: policy.clone() }
    }

    /// Carries a call out that has left. It says the same every time.
    pub fn carry_out(&mut self, pending: &Pending) -> Answer {
        self.carry_out_named(&pending.name)
    }

    /// The same, for who knows only its name.
    pub fn carry_out_named(&mut self, name: &Text) -> Answer {
        *self.carried_out.entry(name.clone()).or_default() += 1;
        self.answer_to(name)
    }

    /// The same, without counting it.
    pub fn answer(&self, pending: &Pending) -> Answer {
        self.answer_to(&pending.name)
    }

    fn answer_to(&self, name: &Text) -> Answer {
        match self.said.get(name) {
            Some(Said::Answer(answer)) => answer.clone(),
            other => unreachable!("`{name}` was asked for, not {other:?}"),
        }
    }

    /// What the person who is asked does.
    pub fn reply(&self, pending: &Pending) -> &Reply {
        let Request::Question(question) = &pending.request else {
            unreachable!("only questions are replied to")
        };
        match self.said.get(&question.id) {
            Some(Said::Person(reply)) => reply,
            other => unreachable!("`{}` was asked, not {other:?}", question.id),
        }
    }

    fn asks(&mut self, at: &Text, request: String) -> Text {
        let request: Text = request.into();
        self.asked.push(Asked { at: at.clone(), request: request.clone() });
        request
    }

    /// The fields of the schema that a model's answer must fit.
    fn fields(&self, at: &str) -> Option<Vec<Value>> {
        let (label, node) = at.rsplit_once('/')?;
        let node = self.graph.labels.get(label)?.node(node)?;
        let schema = node.operands.text("output")?;
        Some(self.graph.declarations.fields(schema).map(|(_, field)| field.clone()).collect())
    }
}

/// What a model is told of one of its wishes: what came of it, or that it failed.
fn told(part: &Map) -> Value {
    match part.get("is_error") {
        Some(_) => "failed".into(),
        None => part.get("output").cloned().unwrap_or_default(),
    }
}

fn names(tools: Option<&Value>) -> Vec<Text> {
    let tools = tools.and_then(Value::as_list).unwrap_or_default().iter();
    tools.filter_map(|tool| tool.get("name")?.as_text().cloned()).collect()
}

fn wish((number, (name, input)): (u32, (Text, Map))) -> ToolUse {
    ToolUse { id: format!("w{number}").into(), name, input }
}

/// How many milliseconds are left when a question is asked.
fn wait(fact: &Fact, expires: Timestamp) -> u64 {
    u64::try_from((expires.micros() - fact.common.ts.micros()) / 1_000).unwrap_or(0)
}

fn fault(trouble: Trouble) -> Fault {
    let fault = Fault::new(FaultKind::of(&trouble.code), trouble.message);
    match trouble.doubt {
        // What a busy tool did before it said so is no doubt.
        Doubt::None if &*trouble.code == "busy" => fault.reported().with_happened(Happened::Maybe),
        Doubt::None => fault,
        Doubt::Here | Doubt::FurtherOut => fault.with_happened(Happened::Maybe),
    }
}
