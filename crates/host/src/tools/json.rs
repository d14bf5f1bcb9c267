//! The built-in tool `json`.

use value::Value;
use value::json;

use super::builtin::Arguments;

pub(super) fn run(arguments: &Arguments<'_>) -> Result<Value, String> {
    match arguments.operation(&["parse", "get", "pretty"])? {
        "get" => {
            let pointer = arguments.text("pointer")?.ok_or("`pointer` is missing")?;
            let whole = document(arguments)?;
            let found = get(&whole, pointer)?.or_else(|| arguments.get("default"));
            found.cloned().ok_or_else(|| format!("nothing is at `{pointer}`"))
        }
        "pretty" => Ok(Value::text(json::pretty(&document(arguments)?))),
        _ => parse(arguments.subject("text")?),
    }
}

/// The value itself, else what the text says.
fn document(arguments: &Arguments<'_>) -> Result<Value, String> {
    match arguments.get("value") {
        Some(value) => Ok(value.clone()),
        None => parse(arguments.subject("text")?),
    }
}

fn parse(text: &str) -> Result<Value, String> {
    json::parse(text).map_err(|error| {
        format!(
            "the text is not JSON: {}, in line {}, column {}",
            error.message, error.line, error.column
        )
    })
}

fn get<'a>(whole: &'a Value, pointer: &str) -> Result<Option<&'a Value>, String> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(format!("`{pointer}` is no pointer: it must begin with `/`"));
    }
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let mut at = Some(whole);
    for step in steps {
        at = at.and_then(|value| match value {
            Value::Map(members) => members.get(&step),
            Value::List(items) => items.get(index(&step)?),
            _ => None,
        });
    }
    Ok(at)
}

/// RFC 6901 knows one way to write an index: no sign, no leading zero.
fn index(step: &str) -> Option<usize> {
    let is_plain = step == "0" || !step.starts_with(['0', '+']);
    step.parse().ok().filter(|_| is_plain)
}
