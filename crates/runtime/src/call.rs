//! What the core asks of the world, and what comes back.

use std::sync::Arc;

use history::{EventId, Timestamp};
use value::{Map, Text, Value, json};

use crate::Fault;
use crate::stores::StoreUse;
use graph::{Again, Touches};

/// The number of a call: `c1`, `q1`, `t1` in events. They count over the run's whole lineage.
pub type CallId = u32;

/// Something that the run waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Which.
    pub id: CallId,
    /// Its name in events.
    pub name: Text,
    /// What it belongs to: the first question of a talk with a model, in all of that talk.
    pub turn: Option<Text>,
    /// The event that says what is wanted.
    pub intent: EventId,
    /// The event that its idempotency key follows from: its own, or where its node is tried again
    /// that of the first attempt.
    pub key: EventId,
    /// The node that wants it, as `label/n1`.
    pub at: Text,
    /// What is wanted.
    pub request: Request,
    /// Which attempt this is, from 1 on.
    pub attempt: u32,
    /// How far it has come.
    pub stage: Stage,
    /// The policy under which it was allowed, by its digest, where one has to allow it.
    pub allowed_by: Option<Text>,
    /// When it was asked for; where its node is tried again and it leaves traces, when that was
    /// first.
    pub since: Timestamp,
}

impl Pending {
    /// Whether somebody makes it now: it has left, or is a question.
    pub fn is_made(&self) -> bool {
        self.stage == Stage::Started || matches!(self.request, Request::Question(_))
    }
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It waits for room, or for people and moments.
    Queued,
    /// The policy must say whether it may leave.
    Undecided,
    /// A person must say whether it may leave.
    Asked,
    /// It may leave. That it does is recorded before, by whoever makes it.
    Leaving,
    /// It left, as far as the history knows: without an answer it is in doubt after a crash.
    Started,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A model's answer.
    Model(Box<ModelCall>),
    /// What a tool, a persistent store or any other adapter does.
    Tool(Box<ToolCall>),
    /// A person's answer.
    Question(Box<Question>),
    /// A moment.
    Timer(Timestamp),
}

/// A question to a model, with all that was said since it was first asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// Which agent asks.
    pub agent: Text,
    /// Which model is asked.
    pub model: Text,
    /// Who the model is, and in which shape it must answer.
    pub system: Text,
    /// What is asked.
    pub prompt: Text,
    /// What was said since then, at the same node.
    pub talk: Vec<Said>,
    /// The events of these messages, the question's first. They follow from the run.
    pub refs: Vec<EventId>,
    /// The tools that the model may want.
    pub tools: Arc<Vec<Offered>>,
    /// The name of the schema that the answer must fit; none for free text.
    pub schema: Option<Text>,
    /// The same schema, as JSON Schema.
    pub shape: Option<Arc<Value>>,
    /// Temperature, limits and so on, as the author gave them.
    pub params: Map,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    /// Which call to a model this is in the run's lineage, from 1 on.
    pub turn: u32,
}

impl ModelCall {
    /// What is new in it: the question, or what was last said in answer to the model.
    pub fn news(&self) -> String {
        match self.talk.last() {
            Some(Said::Us(text)) => text.to_string(),
            Some(Said::Tools(replies)) => {
                let each = replies.iter().map(|reply| {
                    let said = if reply.is_error { "failed with" } else { "answered" };
                    format!("{} {said} {}", reply.name, json::compact(&reply.output))
                });
                each.collect::<Vec<_>>().join("; ")
            }
            Some(Said::Model(_)) | None => self.prompt.to_string(),
        }
    }

    /// Whether another one asks for the same: whose run it is does not matter.
    pub(crate) fn asks_same(&self, other: &ModelCall) -> bool {
        let asks = |call: &ModelCall| ModelCall { refs: Vec::new(), ..call.clone() };
        asks(self) == asks(other)
    }
}

/// Something that was said after the question.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// By the model.
    Model(Arc<ModelAnswer>),
    /// By the tools that it wanted, in its order.
    Tools(Vec<Reply>),
    /// By us: what does not fit about its answer.
    Us(Text),
}

/// What a tool did, as the model is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Which of the model's wishes it answers.
    pub id: Text,
    /// The tool, as the model knows it.
    pub name: Text,
    /// What it answered, or what went wrong.
    pub output: Value,
    /// It is what went wrong.
    pub is_error: bool,
}

/// A tool that a model may want.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Its id.
    pub tool: Text,
    /// As the model knows it: letters, digits, `_` and `-`, at most 64 of them.
    pub name: Text,
    /// What it does.
    pub description: Text,
    /// The JSON Schema of what it is given.
    pub input: Value,
}

/// A tool that a model wants to be called.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// How the model tells its wishes apart.
    pub id: Text,
    /// The tool, as the model knows it.
    pub name: Text,
    /// What it is to be given.
    pub input: Map,
}

/// A call of a tool or another adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The namespace: `tool`, `store`, `http`, ...
    pub server: Text,
    /// The tool's name, or the verb.
    pub tool: Text,
    /// What it is given.
    pub args: Map,
    /// What it touches.
    pub touches: Touches,
    /// How it may run again.
    pub again: Again,
    /// Which call of this tool it is in the run's lineage, from 1 on.
    pub nth: u64,
    /// The store, where it is one.
    pub store: Option<StoreUse>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
}

impl ToolCall {
    /// The namespace of the tools that an agent declares.
    pub(crate) const TOOLS: &str = "tool";

    /// What it is called in contracts, limits and `quipu.toml`: a tool by its id, anything else as
    /// `namespace.VERB`.
    pub fn name(&self) -> Text {
        match &*self.server == ToolCall::TOOLS {
            true => self.tool.clone(),
            false => format!("{}.{}", self.server, self.tool).into(),
        }
    }
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Names it to whoever answers. It follows from the event that asked.
    pub id: Text,
    /// What is asked.
    pub prompt: Text,
    /// A JSON Schema that the answer must fit.
    pub schema: Option<Value>,
    /// What can be chosen from.
    pub options: Vec<Value>,
    /// What counts when nobody answers in time.
    pub default: Option<Value>,
    /// Until when.
    pub expires: Option<Timestamp>,
    /// What whoever answers must be allowed to do.
    pub capability: Option<Text>,
    /// Which question it is in the run's lineage, from 1 on.
    pub nth: u64,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A model's.
    Model(Box<ModelAnswer>),
    /// A tool's or a store's.
    Value(Value),
    /// A person's, with who it was.
    Person(Value, Option<Text>),
    /// The moment has come.
    Due,
    /// Nothing: it failed.
    Failed(Fault),
}

/// A value, or why there is none.
impl From<Result<Value, Fault>> for Answer {
    fn from(result: Result<Value, Fault>) -> Answer {
        result.map_or_else(Answer::Failed, Answer::Value)
    }
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// The text.
    pub text: Text,
    /// What it thought, where it says so.
    pub reasoning: Option<Text>,
    /// The tools that it wants before it goes on.
    pub uses: Vec<ToolUse>,
    /// What the provider sent, as it is.
    pub items: Vec<Arc<Map>>,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Why it stopped, in the provider's word.
    pub finish_reason: Option<Text>,
    /// What it cost, as a decimal number.
    pub cost: Option<Text>,
}

impl Question {
    /// Why an answer cannot be taken, in words for whoever gives it.
    pub fn refuses(&self, answer: &Value) -> Option<String> {
        crate::answer::refused(self, answer)
    }
}
