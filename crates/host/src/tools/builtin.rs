//! The tools that are built in: one table, from which the registry and the reference follow.
//!
//! A built-in tool computes. It reaches nothing outside but the run's own time.

use graph::{Again, Touches};
use history::Timestamp;
use runtime::{Fault, FaultKind, Happened, Request};
use value::{Map, Text, Value};

use super::{arithmetic, clock, detailed, json, text};
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described};

/// A tool that is built in.
#[derive(Debug)]
pub struct Builtin {
    /// What `builtin = "..."` calls it, and which tool ids it answers by itself.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// What it can be given: a name, and what it means.
    pub arguments: &'static [(&'static str, &'static str)],
    /// What it touches: nothing, or the clock.
    pub touches: Touches,
    run: fn(&Arguments<'_>) -> Result<Value, String>,
}

/// Every tool that is built in.
pub static BUILTINS: &[Builtin] = &[
    Builtin {
        name: "calculator",
        doc: "Computes an expression of numbers, `+ - * / % **` and parentheses. \
              Whole numbers are exact to 2^53, and beyond that the nearest float.",
        arguments: &[("expression", "such as `2 * (3 + 4)`; also `tool_input` or `input`")],
        touches: Touches::Nothing,
        run: arithmetic::run,
    },
    Builtin {
        name: "json",
        doc: "Reads JSON, looks into it, and writes it for people.",
        arguments: &[
            ("operation", "`parse`, `get` or `pretty`"),
            ("text", "the JSON to read; also `tool_input` or `input`"),
            ("value", "what to look into or write, in place of `text`"),
            ("pointer", "for `get`: an RFC 6901 pointer such as `/items/0`"),
            ("default", "for `get`: what counts when nothing is there"),
        ],
        touches: Touches::Nothing,
        run: json::run,
    },
    Builtin {
        name: "text",
        doc: "Changes, splits and counts text.",
        arguments: &[
            (
                "operation",
                "`upper`, `lower`, `trim`, `length`, `words`, `replace`, `split` or `join`",
            ),
            ("text", "what to work on; also `tool_input` or `input`"),
            ("find", "for `replace`: what is replaced everywhere"),
            ("with", "for `replace`: by what; nothing when it is left out"),
            ("separator", "for `split` and `join`; any white space, and a space, when left out"),
            ("items", "for `join`: the pieces"),
        ],
        touches: Touches::Nothing,
        run: text::run,
    },
    Builtin {
        name: "clock",
        doc: "Tells the run's time, and computes with times (RFC 3339, in UTC).",
        arguments: &[
            ("operation", "`now` (when left out), `parse`, `format` or `add`"),
            ("time", "for `parse` and `add`: a time; for `add` the run's own when left out"),
            ("seconds", "for `format`: seconds since 1970"),
            ("duration", "for `add`: such as `1h 30m` or `-2 days`, or a number of seconds"),
        ],
        touches: Touches::Clock,
        run: clock::run,
    },
];

impl Builtin {
    /// The one of this name, exactly.
    pub fn find(name: &str) -> Option<&'static Builtin> {
        BUILTINS.iter().find(|tool| tool.name == name)
    }

    /// Computes its answer.
    pub fn run(&self, given: &Map, now: Timestamp) -> Result<Value, Fault> {
        (self.run)(&Arguments { given, now }).map_err(|message| {
            let details = [("tool", Value::text(self.name))];
            let message = format!("{}: {message}", self.name);
            detailed(FaultKind::Tool, message, details).with_happened(Happened::No)
        })
    }
}

impl Adapter for &'static Builtin {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        Calling::Now(self.run(&tool.args, call.now).into())
    }
}

impl Bound for &'static Builtin {
    fn contract(&self) -> Contract {
        Contract { touches: self.touches, again: Again::Freely }
    }

    fn described(&self) -> Described {
        let properties = self
            .arguments
            .iter()
            .map(|(name, doc)| (*name, Value::map([("description", Value::text(*doc))])));
        let input =
            Value::map([("type", Value::text("object")), ("properties", Value::map(properties))]);
        Described { description: Some(self.doc.into()), input: Some(input), output: None }
    }

    fn is_certain(&self) -> bool {
        true
    }

    fn look(&self) -> Result<String, String> {
        Ok(format!("built in, as `{}`", self.name))
    }
}

/// What a built-in tool is given.
pub(super) struct Arguments<'a> {
    given: &'a Map,
    /// The run's time.
    pub(super) now: Timestamp,
}

/// No answer of a built-in tool is longer, in bytes.
pub(super) const ANSWER_MAX: usize = 16 << 20;

impl<'a> Arguments<'a> {
    /// An argument; null counts as left out.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !matches!(value, Value::Null))
    }

    /// An argument that is there only as text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a Text>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{name}` must be text, but is {}", other.kind())),
        }
    }

    /// The text that it is all about, under its own name or under those that agents use.
    pub(super) fn subject(&self, name: &str) -> Result<&'a Text, String> {
        for name in [name, "tool_input", "input"] {
            if let Some(text) = self.text(name)? {
                return Ok(text);
            }
        }
        Err(format!("`{name}` is missing"))
    }

    /// Which of the operations is wanted.
    pub(super) fn operation(&self, known: &[&'static str]) -> Result<&'static str, String> {
        let listed = known.join("`, `");
        let Some(wanted) = self.text("operation")? else {
            return Err(format!("`operation` is missing: it is one of `{listed}`"));
        };
        let found = known.iter().find(|name| ***name == **wanted);
        found.copied().ok_or_else(|| format!("unknown operation `{wanted}`: there are `{listed}`"))
    }
}
