//! Questions to models on loopback.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diagnostics::Source;
use history::Timestamp;
use host::config::Config;
use host::models::{Named, Patience, Piece, Providers, Speaker, Variables, Voice};
use host::{Adapter, Call, Calling};
use loopback::{Model, Protocol};
use runtime::{Answer, Fault, ModelAnswer, ModelCall, Offered, Request};
use value::{Map, Text, Value, json};

/// The key that nobody may ever see.
pub(crate) const CANARY: &str = "sk-canary-7f3a9c5e1b2d4860";

/// A name whose provider speaks this protocol.
pub(crate) fn model_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenAi => "gpt-4o-mini",
        Protocol::Anthropic => "claude-sonnet-4-5",
        Protocol::Gemini => "gemini-2.5-flash",
    }
}

/// Variables that lead to a model on loopback.
pub(crate) fn variables(base: &str, url: &str) -> Variables {
    let (base, url) = (base.to_owned(), url.to_owned());
    Arc::new(move |name| match name {
        "OPENAI_BASE_URL" => Some(base.clone()),
        "ANTHROPIC_BASE_URL" | "GEMINI_BASE_URL" => Some(url.clone()),
        "OPENAI_API_KEY" | "ANTHROPIC_API_KEY" | "GEMINI_API_KEY" => Some(CANARY.to_owned()),
        _ => None,
    })
}

pub(crate) fn patience() -> Patience {
    let (first, longest) = (Duration::from_millis(4), Duration::from_millis(20));
    Patience { attempts: 4, first, longest }
}

pub(crate) fn providers(model: &Model) -> Providers {
    let variables = variables(&model.openai(), &model.url());
    Providers::new(&Config::default(), variables).with_patience(patience())
}

/// The same, as `quipu.toml` says.
pub(crate) fn configured(model: &Model, toml: &str) -> Providers {
    let toml = toml.replace("LOOPBACK", &model.openai());
    let config = Config::parse(&Source::new("quipu.toml", toml), Path::new("/nowhere")).unwrap();
    Providers::new(&config, variables(&model.openai(), &model.url())).with_patience(patience())
}

pub(crate) fn question(model: &str) -> ModelCall {
    ModelCall {
        agent: "writer".into(),
        model: model.into(),
        system: "You write. Answer in JSON.".into(),
        prompt: "What is it?".into(),
        talk: Vec::new(),
        refs: Vec::new(),
        tools: Arc::default(),
        shape: None,
        schema: None,
        params: Map::default(),
        timeout_ms: Some(60_000),
        turn: 1,
    }
}

pub(crate) fn value(text: &str) -> Value {
    json::parse(text).unwrap()
}

pub(crate) fn map(text: &str) -> Map {
    value(text).as_map().unwrap().clone()
}

pub(crate) fn offered(name: &str) -> Offered {
    Offered {
        tool: name.into(),
        name: name.into(),
        description: "looks something up".into(),
        input: value(r#"{"type": "object", "properties": {"q": {"type": "string"}}}"#),
    }
}

pub(crate) fn call(question: ModelCall) -> Call {
    Call {
        run: "run-1".into(),
        at: "write/n1".into(),
        request: Request::Model(Box::new(question)),
        key: "key-1".into(),
        attempt: 1,
        now: Timestamp::from_micros(0),
    }
}

/// Asks, and waits for the answer.
pub(crate) fn ask(providers: Providers, question: ModelCall) -> Result<ModelAnswer, Fault> {
    ask_all(providers, vec![question]).remove(0)
}

/// Asks one question after the other.
pub(crate) fn ask_all(
    providers: Providers,
    questions: Vec<ModelCall>,
) -> Vec<Result<ModelAnswer, Fault>> {
    let named = Named::new(Arc::new(providers), None, Default::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut answers = Vec::new();
        for question in questions {
            let Calling::Later(future) = named.call(call(question)) else {
                panic!("a provider takes time")
            };
            answers.push(match future.await {
                Answer::Model(answer) => Ok(*answer),
                Answer::Failed(fault) => Err(fault),
                other => panic!("no model answers {other:?}"),
            });
        }
        answers
    })
}

/// Everything that was heard, one line for each piece.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<String>>);

impl Heard {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The pieces of the answer, put together.
    pub(crate) fn text(&self) -> String {
        self.lines()
            .iter()
            .filter_map(|line| line.strip_prefix("text ").map(str::to_owned))
            .collect()
    }
}

impl Voice for Heard {
    fn says(&self, speaker: &Speaker, piece: Piece<'_>) {
        let Speaker { run, at, agent, .. } = speaker;
        assert_eq!((&**run, &**at, &**agent), ("run-1", "write/n1", "writer"));
        self.0.lock().unwrap().push(match piece {
            Piece::Text(text) => format!("text {text}"),
            Piece::Thought(text) => format!("thought {text}"),
            Piece::Broken => "broken".into(),
            Piece::End => "end".into(),
        });
    }
}

/// A detail of a fault.
pub(crate) fn detail(fault: &Fault, name: &str) -> Option<Value> {
    fault.details.as_ref()?.get(name).cloned()
}

pub(crate) fn text(text: &str) -> Option<Text> {
    Some(text.into())
}
