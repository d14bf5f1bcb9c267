//! What was said, in the form in which the conventions write messages.

use value::{Map, Text, Value, json};

use crate::kinds::records::Message;
use crate::kinds::words::Role;

/// A message.
pub(super) fn message(message: &Message, finish_reason: Option<&Text>) -> Value {
    let parts = message.content.iter().flatten().map(|members| part(members));
    let mut told = vec![
        ("role", Value::text(message.role.as_ref().map_or("unknown", Role::word))),
        ("parts", Value::list(parts)),
    ];
    told.extend(finish_reason.map(|reason| ("finish_reason", Value::Text(reason.clone()))));
    Value::map(told)
}

/// A part of a message. Providers have more kinds than we know: those stay as they are.
fn part(members: &Map) -> Value {
    let own = |name: &str| members.get(name).cloned().unwrap_or_default();
    let kind = members.get("type").and_then(Value::as_text).map(|kind| &**kind);
    let told = match kind {
        Some("text") => vec![("type", "text".into()), ("content", own("text"))],
        Some("reasoning") => vec![("type", "reasoning".into()), ("content", own("text"))],
        Some("image_url") => {
            vec![("type", "uri".into()), ("modality", "image".into()), ("uri", own("url"))]
        }
        Some("tool_use") => vec![
            ("type", "tool_call".into()),
            ("id", own("id")),
            ("name", own("name")),
            ("arguments", own("input")),
        ],
        Some("tool_result") => vec![
            ("type", "tool_call_response".into()),
            ("id", own("tool_call_id")),
            ("response", own("output")),
        ],
        _ => return members.clone().into(),
    };
    Value::map(told)
}

/// Who a model is told to be.
pub(super) fn instructions(text: &Text) -> Value {
    let part = Value::map([("type", "text".into()), ("content", Value::Text(text.clone()))]);
    written(&Value::list([part]))
}

/// What somebody says that is no message, as the one message that it amounts to.
pub(super) fn spoken(role: &'static str, value: &Value) -> Value {
    let part = Value::map([("type", "text".into()), ("content", written(value))]);
    let message = Value::map([("role", role.into()), ("parts", Value::list([part]))]);
    written(&Value::list([message]))
}

/// Any value as the text of an attribute: not every collector takes more than texts and numbers.
pub(super) fn written(value: &Value) -> Value {
    match value {
        Value::Text(_) => value.clone(),
        other => json::compact(other).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Field;

    #[test]
    fn parts_are_told_as_the_conventions_write_them() {
        let said = json::parse(
            r#"{"role": "assistant", "content": [
                {"type": "reasoning", "text": "hm"},
                {"type": "text", "text": "I look"},
                {"type": "tool_use", "id": "c1", "name": "find", "input": {"of": 7}},
                {"type": "tool_result", "tool_call_id": "c1", "output": [1], "is_error": false},
                {"type": "image_url", "url": "https://example.org/a.png"},
                {"type": "audio", "id": 3}]}"#,
        );
        let said = Message::read(&said.unwrap()).unwrap();
        let told = message(&said, Some(&"tool_use".into()));
        assert_eq!(told.get("role"), Some(&"assistant".into()));
        assert_eq!(told.get("finish_reason"), Some(&"tool_use".into()));
        assert_eq!(
            json::compact(told.get("parts").unwrap()),
            concat!(
                r#"[{"type":"reasoning","content":"hm"},{"type":"text","content":"I look"},"#,
                r#"{"type":"tool_call","id":"c1","name":"find","arguments":{"of":7}},"#,
                r#"{"type":"tool_call_response","id":"c1","response":[1]},"#,
                r#"{"type":"uri","modality":"image","uri":"https://example.org/a.png"},"#,
                r#"{"type":"audio","id":3}]"#
            )
        );
    }
}
