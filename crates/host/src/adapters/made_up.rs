//! What adapters answer beside a model that makes its answers up, where nothing is bound to them: of
//! the shape that the real one has, so that what comes after it can be rehearsed.

use runtime::ToolCall;
use value::{Value, json};

use super::text;

/// How long a made-up text is at most, in characters.
const TEXT_MAX: usize = 200;

/// The answer to a call that is not made.
pub(crate) fn made_up(tool: &ToolCall) -> Value {
    let given = match tool.args.get("target") {
        None | Some(Value::Null) => String::new(),
        Some(Value::Text(text)) => text.to_string(),
        Some(other) => json::compact(other),
    };
    let said = format!("stub-tool:{}:{given}", tool.name());
    let said: Value = said.chars().take(TEXT_MAX).collect::<String>().into();
    let path = || text(&tool.args).map_or(Value::Null, |path| Value::Text(path.clone()));
    match (&*tool.server, &*tool.tool) {
        ("http", _) => Value::map([
            ("status", Value::Int(200)),
            ("headers", Value::map::<&str>([])),
            ("body", said),
        ]),
        ("fs", "LIST") => Value::map([("entries", Value::list([])), ("is_cut", false.into())]),
        ("fs", "WRITE") => Value::map([("path", path()), ("bytes", Value::Int(0))]),
        ("fs", "DELETE") => Value::map([("path", path())]),
        ("sqlite", "QUERY") => Value::list([]),
        ("sqlite", _) => Value::map([("rows", Value::Int(0))]),
        ("core" | "txn", _) => Value::Null,
        _ => said,
    }
}
