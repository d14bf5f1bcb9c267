//! Between a run's events and the world: it hears what is asked for, asks the world once for each
//! call, and keeps what the world says, so that a call that leaves again is answered the same.

use std::collections::BTreeMap;

use graph::Graph;
use history::kinds::words::Role;
use history::kinds::{Fact, What};
use runtime::{Answer, Fault, FaultKind, Happened, ModelAnswer, Pending, Request, ToolUse};
use value::{Map, Text, Value, json};

use super::outcome::Asked;
use super::world::{Doubt, Fault as Trouble, Reply, World};

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
                    "store" => format!("store.{tool} {args}"),
                    _ => format!("{server}.{tool}"),
                };
                let request = self.asks(&at, request);
                let answer = match self.world.tool(&at, &request) {
                    Ok(value) => Answer::Value(value),
                    Err(trouble) => Answer::Failed(fault(trouble)),
                };
                self.said.insert(call.call_id.clone(), Said::Answer(answer));
            }
            What::QuestionAsked(question) => {
                let prompt = question.prompt.as_deref().unwrap_or_default();
                let request = self.asks(&at, format!("person {prompt}"));
                let options = question.options.as_deref().unwrap_or_default();
                let expires = question.expires.map(|expires| {
                    let wait = expires.micros() - fact.common.ts.micros();
                    u64::try_from(wait / 1_000).unwrap_or(0)
                });
                let reply = self.world.person(&at, &request, options, expires);
                self.said.insert(question.question_id.clone(), Said::Person(reply));
            }
            _ => {}
        }
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

fn fault(trouble: Trouble) -> Fault {
    let fault = Fault::new(FaultKind::of(&trouble.code), trouble.message);
    match trouble.doubt {
        // What a busy tool did before it said so is no doubt.
        Doubt::None if &*trouble.code == "busy" => fault.reported().with_happened(Happened::Maybe),
        Doubt::None => fault,
        Doubt::Here | Doubt::FurtherOut => fault.with_happened(Happened::Maybe),
    }
}
