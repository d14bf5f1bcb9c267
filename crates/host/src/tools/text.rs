//! The built-in tool `text`.

use value::{Text, Value};

use super::builtin::{ANSWER_MAX, Arguments};

const OPERATIONS: &[&str] =
    &["upper", "lower", "trim", "length", "words", "replace", "split", "join"];

pub(super) fn run(arguments: &Arguments<'_>) -> Result<Value, String> {
    let operation = arguments.operation(OPERATIONS)?;
    if operation == "join" {
        return join(arguments);
    }
    let text = arguments.subject("text")?;
    Ok(match operation {
        "upper" => text.to_uppercase().into(),
        "lower" => text.to_lowercase().into(),
        "trim" => text.trim().into(),
        "length" => count(text.chars().count()),
        "words" => count(text.split_whitespace().count()),
        "replace" => replace(arguments, text)?,
        _ => match arguments.text("separator")? {
            Some(separator) if separator.is_empty() => {
                return Err("`separator` must not be empty".to_owned());
            }
            Some(separator) => Value::list(text.split(&**separator).map(Value::from)),
            None => Value::list(text.split_whitespace().map(Value::from)),
        },
    })
}

fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn replace(arguments: &Arguments<'_>, text: &Text) -> Result<Value, String> {
    let find = arguments.text("find")?.filter(|find| !find.is_empty());
    let find = find.ok_or("`find` must be there, and not be empty")?;
    let with = arguments.text("with")?.map_or("", |with| with);
    let places = text.matches(&**find).count();
    bounded(text.len().saturating_add(places.saturating_mul(with.len())))?;
    Ok(text.replace(&**find, with).into())
}

fn join(arguments: &Arguments<'_>) -> Result<Value, String> {
    let items = arguments.get("items").ok_or("`items` is missing")?;
    let items = items
        .as_list()
        .ok_or_else(|| format!("`items` must be a list of texts, but is {}", items.kind()))?;
    let pieces: Option<Vec<&str>> =
        items.iter().map(|item| item.as_text().map(|text| &**text)).collect();
    let pieces = pieces.ok_or("`items` must be a list of texts, but not all of them are")?;
    let separator = arguments.text("separator")?.map_or(" ", |separator| separator);
    let text: usize = pieces.iter().map(|piece| piece.len()).sum();
    bounded(text.saturating_add(pieces.len().saturating_mul(separator.len())))?;
    Ok(pieces.join(separator).into())
}

/// A small call can ask for a huge text.
fn bounded(length: usize) -> Result<(), String> {
    if length <= ANSWER_MAX {
        return Ok(());
    }
    Err(format!("the answer would be longer than {ANSWER_MAX} bytes"))
}
