//! What answers `R namespace.VERB`: the adapters that are built in, each as far as `quipu.toml` lets
//! it. What is not built in is a tool that is bound to the namespace or the verb; the registry
//! knows those.

mod env;
mod fs;
mod http;
mod made_up;
mod sqlite;

use graph::{Again, Touches, contracts};
use runtime::{Answer, Fault, FaultKind, Happened, Request, ToolCall, ToolContract};
use value::{Map, Text, Value, json};

pub(crate) use self::env::Env;
pub(crate) use self::fs::Fs;
pub(crate) use self::http::Http;
pub(crate) use self::made_up::made_up;
pub(crate) use self::sqlite::{Right, Sqlite};
use crate::adapter::{Adapter, Call, Calling, Contract};
use crate::registry::is_bare;

/// The namespaces that have a meaning of their own: no tool is looked for under their names alone.
pub(crate) const BUILT_IN: &[&str] = &[
    "agent",
    "cache",
    "channel",
    "core",
    "fs",
    "http",
    "llm",
    "llm_query",
    "logic",
    "memory",
    "queue",
    "sqlite",
    "store",
    "tool",
    "tools",
    "txn",
];

/// What `[adapters]` says.
#[derive(Clone, Debug, Default)]
pub struct Adapters {
    pub(crate) http: Option<Http>,
    pub(crate) fs: Option<Fs>,
    pub(crate) sqlite: Option<Sqlite>,
    pub(crate) env: Option<Env>,
    /// The model of whoever asks one without naming it.
    pub llm: Option<Text>,
}

impl Adapters {
    /// What is known of a verb, where something answers it.
    pub(crate) fn contract(&self, space: &str, verb: &str) -> Option<ToolContract> {
        self.of(space, verb)?;
        let Contract { touches, again } = of_verb(space, verb);
        Some(ToolContract { touches, again, ..ToolContract::UNKNOWN })
    }

    /// Whoever answers a verb.
    pub(crate) fn of(&self, space: &str, verb: &str) -> Option<&dyn Adapter> {
        match (space, verb) {
            ("http", _) => self.http.as_ref().map(|one| one as &dyn Adapter),
            ("fs", _) => self.fs.as_ref().map(|one| one as &dyn Adapter),
            ("sqlite" | "txn", _) => self.sqlite.as_ref().map(|one| one as &dyn Adapter),
            ("core", "ENV") => self.env.as_ref().map(|one| one as &dyn Adapter),
            _ => None,
        }
    }

    /// What there is, and whether it can be used. Nothing is asked or opened for that.
    pub fn look(&self) -> Vec<(&'static str, Result<String, String>)> {
        let mut found = Vec::new();
        found.extend(self.http.as_ref().map(|one| ("http", one.look())));
        found.extend(self.fs.as_ref().map(|one| ("fs", one.look())));
        found.extend(self.sqlite.as_ref().map(|one| ("sqlite", one.look())));
        found.extend(self.env.as_ref().map(|one| ("env", one.look())));
        found.extend(self.llm.as_ref().map(|model| ("llm", Ok(format!("asks `{model}`")))));
        found
    }
}

/// What is known of a verb.
pub(crate) fn of_verb(space: &str, verb: &str) -> Contract {
    let known = contracts::find(space, verb).unwrap_or(&contracts::UNKNOWN);
    Contract { touches: known.touches, again: known.again }
}

/// Why nothing answers, and what to write so that something does.
pub(crate) fn unbound(tool: &ToolCall) -> Calling {
    let name = tool.name();
    let word = |member: &str| tool.args.get(member).and_then(Value::as_text);
    if let ("txn", Some(adapter)) = (&*tool.server, word("adapter"))
        && &**adapter != "sqlite"
    {
        return sqlite::other_adapter(word("target").map_or("", |name| name), adapter);
    }
    let section = match (&*tool.server, &*tool.tool) {
        ("http", _) => {
            let host = http::to_be_listed(&tool.args).unwrap_or_else(|| "api.example.com".into());
            format!("[adapters.http]\nallow = [{}]\n", quoted(&host))
        }
        ("fs", verb) => {
            let right = quoted(&verb.to_ascii_lowercase());
            format!("[adapters.fs]\nroot = \"./data\"\nallow = [{right}]\n")
        }
        ("sqlite", "QUERY") => "[adapters.sqlite]\npath = \"./app.db\"\n".to_owned(),
        ("sqlite" | "txn", _) => {
            "[adapters.sqlite]\npath = \"./app.db\"\nallow = [\"query\", \"execute\"]\n".to_owned()
        }
        ("core", _) => {
            return Env { allow: Vec::new() }.denied(text(&tool.args).map_or("NAME", |name| name));
        }
        (space, _) if BUILT_IN.contains(&space) => {
            return missing(format!("nothing answers `{name}`"));
        }
        (space, _) => {
            let key = if is_bare(space) { space.to_owned() } else { quoted(space) };
            format!(
                "[tools.{key}]             # all its verbs, or [tools.{}]\n\
                 command = [\"./program\"]  # or `mcp`, `http`, `shell`, `builtin`, ...\n",
                quoted(&name)
            )
        }
    };
    missing(format!("nothing answers `{name}`; write in quipu.toml:\n\n{section}"))
}

fn quoted(text: &str) -> String {
    json::compact(&Value::text(text))
}

/// Nothing is there that could be called.
pub(crate) fn missing(message: String) -> Calling {
    failed(Fault::new(FaultKind::Missing, message))
}

/// The operator has not allowed it.
fn denied(message: String) -> Calling {
    failed(Fault::new(FaultKind::Denied, message))
}

/// It cannot be done like that.
fn refused(message: String) -> Calling {
    failed(Fault::new(FaultKind::Tool, message))
}

/// A call that has not left.
fn failed(fault: Fault) -> Calling {
    Calling::Now(Answer::Failed(fault.with_happened(Happened::No)))
}

/// The call of an adapter, taken apart.
fn taken(call: &Call) -> Option<&ToolCall> {
    match &call.request {
        Request::Tool(tool) => Some(tool),
        _ => None,
    }
}

/// The first argument, where it is text.
fn text(args: &Map) -> Option<&Text> {
    args.get("target").and_then(Value::as_text)
}

/// The other arguments.
fn others(args: &Map) -> &[Value] {
    args.get("args").and_then(Value::as_list).unwrap_or_default()
}

/// What a tool is given that is bound to an adapter. One that is bound to exactly this verb, and is
/// called with an object alone, is given that.
pub(crate) fn for_tool(tool: &ToolCall, is_exact: bool) -> Map {
    let alone = match (tool.args.get("target"), tool.args.len()) {
        (Some(Value::Map(object)), 1) if is_exact => Some(object),
        _ => None,
    };
    if let Some(object) = alone {
        return (**object).clone();
    }
    let mut args = tool.args.clone();
    args.insert("verb".into(), Value::Text(tool.tool.clone()));
    args
}

/// Nothing is called, so that nothing is touched, whatever it would do.
pub(crate) fn made_up_contract() -> ToolContract {
    let (touches, again) = (Touches::Nothing, Again::Freely);
    ToolContract { touches, again, made_up: true, ..ToolContract::UNKNOWN }
}
