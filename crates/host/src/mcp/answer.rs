//! What a server answers, as a run takes it.

use rmcp::model::{CallToolResult, ContentBlock, ReadResourceResult, ResourceContents};
use runtime::FaultKind;
use value::{Value, json};

use super::trouble::{Left, Standing, Trouble, cut};

/// What a tool answered: structured content as it is, else its text, else its parts.
pub(super) fn of_tool(result: &CallToolResult) -> Result<Value, Trouble> {
    if result.is_error == Some(true) {
        return Err(reported(cut(&error_text(result))));
    }
    if let Some(structured) = &result.structured_content {
        return kept(structured);
    }
    match result.content.as_slice() {
        [] => Ok(Value::Null),
        parts => match texts(parts) {
            Some(text) => Ok(text.into()),
            None => kept(&result.content),
        },
    }
}

/// What a resource holds: its text, or its parts where it has several or is not text.
pub(super) fn of_resource(result: &ReadResourceResult) -> Result<Value, Trouble> {
    match result.contents.as_slice() {
        [ResourceContents::TextResourceContents { text, .. }] => Ok(text.as_str().into()),
        _ => kept(&result.contents),
    }
}

/// The texts of parts that are nothing else, one below the other.
fn texts(parts: &[ContentBlock]) -> Option<String> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    texts.map(|texts| texts.join("\n"))
}

fn error_text(result: &CallToolResult) -> String {
    let said = texts(&result.content).filter(|text| !text.trim().is_empty());
    said.or_else(|| result.structured_content.as_ref().map(ToString::to_string))
        .unwrap_or_else(|| "the tool failed and does not say why".to_owned())
}

/// A value in the form in which histories give it back.
fn kept(value: &impl serde::Serialize) -> Result<Value, Trouble> {
    let text = serde_json::to_string(value).map_err(|error| unusable(error.to_string()))?;
    json::parse(&text).map_err(|error| unusable(error.message))
}

/// An answer that nobody can use: what was asked for was done.
fn unusable(why: String) -> Trouble {
    let message = format!("the answer cannot be kept: {why}");
    Trouble {
        left: Left::Lost,
        session: Standing::Goes,
        ..Trouble::before(FaultKind::Tool, message)
    }
}

fn reported(message: String) -> Trouble {
    Trouble { left: Left::Reported, ..Trouble::before(FaultKind::Tool, message) }
}
