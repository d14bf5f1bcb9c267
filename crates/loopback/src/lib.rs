//! A model on loopback: a real HTTP server that speaks as OpenAI, Anthropic and Gemini do, says
//! what a test wants it to say, and fails as a test wants it to fail. It refuses what the real ones
//! refuse, and remembers what it was asked.
//!
//! ```
//! let model = loopback::Model::script([loopback::Act::text("hello")]);
//! let base_url = model.openai(); // http://127.0.0.1:PORT/v1
//! assert!(model.seen().is_empty());
//! ```

mod anthropic;
mod gemini;
mod openai;
mod packed;
mod script;
mod serve;

pub use script::{Act, Failing, Finish, Said};
pub use serve::Model;

use serde_json::Value as Json;

/// Which protocol a request spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
    /// `generateContent`.
    Gemini,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Protocol::OpenAi, Protocol::Anthropic, Protocol::Gemini];
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which request it is, from 1 on.
    pub nth: usize,
    /// How it spoke.
    pub protocol: Protocol,
    /// Where it went.
    pub path: String,
    /// Its headers, by their names in small letters.
    pub headers: std::collections::BTreeMap<String, String>,
    /// What it said.
    pub body: Json,
    /// Whether it wants the answer as it comes.
    pub is_stream: bool,
    /// What a real provider would have complained about.
    pub complaint: Option<String>,
}

impl Seen {
    /// The texts of the last message that somebody else than the model said.
    pub fn last_text(&self) -> String {
        match self.protocol {
            Protocol::OpenAi | Protocol::Anthropic => texts(self.body.pointer("/messages")),
            Protocol::Gemini => texts(self.body.pointer("/contents")),
        }
    }
}

fn texts(messages: Option<&Json>) -> String {
    let last = messages.and_then(Json::as_array).and_then(|all| all.last());
    let content = last.and_then(|last| last.get("content").or_else(|| last.get("parts")));
    match content {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => {
            let text = |part: &Json| Some(part.get("text")?.as_str()?.to_owned());
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
