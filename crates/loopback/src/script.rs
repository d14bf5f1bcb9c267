//! What the model does next.

use std::time::Duration;

use serde_json::{Value as Json, json};

/// Why the model stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// It is done, or wants tools.
    #[default]
    Done,
    /// There is no room for more.
    Length,
    /// The provider does not like it.
    Filtered,
}

/// Something that the model says.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its text.
    pub text: String,
    /// What it thinks before that; it is signed.
    pub thought: Option<String>,
    /// The tools that it wants, with what they are given.
    pub tools: Vec<(String, Json)>,
    /// Why it stops.
    pub finish: Finish,
    /// Tokens of the question, of those the ones that were still there, and of the answer.
    pub tokens: (u64, u64, u64),
    /// How long it takes before each piece.
    pub pause: Duration,
}

/// How the server fails.
#[derive(Clone, Debug)]
pub enum Failing {
    /// With a status, a body and headers.
    Status(u16, Json, Vec<(String, String)>),
    /// With a body that is no answer: its content type, and what it holds.
    Garbage(String, String),
    /// It breaks off in the middle of this.
    Dropped(Box<Said>),
    /// It never answers.
    Hangs,
    /// It never stops: one piece of an answer after the other.
    Endless,
    /// It never stops, and no line of what it sends has an end.
    EndlessLine,
    /// It refuses with this status, and never stops to say why.
    EndlessError(u16),
    /// It sends a gibibyte, packed into a few megabytes.
    Packed,
}

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// The model answers.
    Say(Box<Said>),
    /// It does not.
    Fail(Failing),
}

impl Default for Said {
    fn default() -> Said {
        Said {
            text: String::new(),
            thought: None,
            tools: Vec::new(),
            finish: Finish::Done,
            tokens: (11, 4, 7),
            pause: Duration::ZERO,
        }
    }
}

impl Act {
    /// A text.
    pub fn text(text: &str) -> Act {
        Act::Say(Box::new(Said { text: text.to_owned(), ..Said::default() }))
    }

    /// Wishes for tools.
    pub fn tools<const N: usize>(tools: [(&str, Json); N]) -> Act {
        let tools = tools.map(|(name, input)| (name.to_owned(), input)).into();
        Act::Say(Box::new(Said { tools, ..Said::default() }))
    }

    /// An error with a status, as providers word it.
    pub fn status(status: u16, message: &str) -> Act {
        let body = json!({"error": {"message": message, "type": "error", "code": status}});
        Act::Fail(Failing::Status(status, body, Vec::new()))
    }

    /// The same with a header.
    #[must_use]
    pub fn with_header(self, name: &str, value: &str) -> Act {
        match self {
            Act::Fail(Failing::Status(status, body, mut headers)) => {
                headers.push((name.to_owned(), value.to_owned()));
                Act::Fail(Failing::Status(status, body, headers))
            }
            other => other,
        }
    }

    /// Breaks off in the middle of a text.
    pub fn dropped(text: &str) -> Act {
        let said = Said { text: text.to_owned(), ..Said::default() };
        Act::Fail(Failing::Dropped(Box::new(said)))
    }

    /// Reads one entry of a script: a text, or an object such as `{"tools": [{"name", "input"}]}`,
    /// `{"status": 429, "retry_after": "1"}`, `{"drop": "half a text"}` or `{"hang": true}`.
    pub fn parse(entry: &Json) -> Result<Act, String> {
        let text = |name: &str| entry.get(name).and_then(Json::as_str);
        if let Some(text) = entry.as_str() {
            return Ok(Act::text(text));
        }
        if let Some(status) = entry.get("status").and_then(Json::as_u64) {
            let act =
                Act::status(u16::try_from(status).unwrap_or(500), text("message").unwrap_or("no"));
            return Ok(match text("retry_after") {
                Some(after) => act.with_header("retry-after", after),
                None => act,
            });
        }
        if let Some(half) = text("drop") {
            return Ok(Act::dropped(half));
        }
        if entry.get("hang").is_some() {
            return Ok(Act::Fail(Failing::Hangs));
        }
        if let Some(garbage) = text("garbage") {
            return Ok(Act::Fail(Failing::Garbage("text/html".to_owned(), garbage.to_owned())));
        }
        let tool = |tool: &Json| {
            let name = tool.get("name").and_then(Json::as_str)?.to_owned();
            Some((name, tool.get("input").cloned().unwrap_or_else(|| json!({}))))
        };
        let wanted = entry.get("tools").and_then(Json::as_array);
        let tools: Option<Vec<_>> = wanted.into_iter().flatten().map(tool).collect();
        let is_answer =
            entry.get("text").is_some() || entry.get("json").is_some() || wanted.is_some();
        match (is_answer, tools) {
            (true, Some(tools)) => {
                let json = entry.get("json").map(Json::to_string);
                let text = text("text").map(str::to_owned).or(json).unwrap_or_default();
                let thought = entry.get("thought").and_then(Json::as_str).map(str::to_owned);
                let pause = entry.get("pause_ms").and_then(Json::as_u64).unwrap_or(0);
                let pause = Duration::from_millis(pause);
                Ok(Act::Say(Box::new(Said { text, thought, tools, pause, ..Said::default() })))
            }
            _ => Err(format!("`{entry}` is nothing that a model does")),
        }
    }
}

/// A text in about three pieces, so that streams have some.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let size = letters.len().div_ceil(3).max(1);
    letters.chunks(size).map(|piece| piece.iter().collect()).collect()
}
