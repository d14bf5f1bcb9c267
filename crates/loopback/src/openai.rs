//! Chat completions.

use serde_json::{Value as Json, json};

use crate::script::{Finish, Said, pieces};

/// What OpenAI would complain about.
pub(crate) fn complaint(body: &Json) -> Result<(), String> {
    let model = body.get("model").and_then(Json::as_str).unwrap_or_default();
    if model.is_empty() {
        return Err("`model` is missing".into());
    }
    if body.get("max_tokens").or_else(|| body.get("max_completion_tokens")).is_none() {
        return Err("no limit to the answer".into());
    }
    if let Some(format) = body.pointer("/response_format/json_schema") {
        let name = format.get("name").and_then(Json::as_str).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
            return Err(format!("`{name}` is no name of a schema"));
        }
        strict(format.get("schema").unwrap_or(&Json::Null), "schema")?;
    }
    for tool in body.get("tools").and_then(Json::as_array).into_iter().flatten() {
        if tool.get("type") != Some(&json!("function")) || tool.pointer("/function/name").is_none()
        {
            return Err(format!("{tool} is no tool"));
        }
    }
    let messages = body.get("messages").and_then(Json::as_array).ok_or("no `messages`")?;
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Json::as_str).unwrap_or_default();
        let content = message.get("content");
        if role == "tool" {
            let id = message.get("tool_call_id").and_then(Json::as_str).unwrap_or_default();
            let place = open.iter().position(|known| *known == id);
            let place = place.ok_or(format!("message {at} answers `{id}`, which nobody wants"))?;
            open.remove(place);
            continue;
        }
        if !open.is_empty() {
            return Err(format!("message {at} comes before the answers to {open:?}"));
        }
        match role {
            "system" | "user"
                if content.and_then(Json::as_str).is_some_and(|it| !it.is_empty()) => {}
            "assistant" => {
                let calls = message.get("tool_calls").and_then(Json::as_array);
                for call in calls.into_iter().flatten() {
                    let arguments = call.pointer("/function/arguments").and_then(Json::as_str);
                    let arguments: Option<Json> =
                        arguments.and_then(|text| serde_json::from_str(text).ok());
                    if !arguments.is_some_and(|arguments| arguments.is_object()) {
                        return Err(format!("message {at} has arguments that are no object"));
                    }
                    open.push(call.get("id").and_then(Json::as_str).unwrap_or_default());
                }
            }
            _ => return Err(format!("message {at} is no message: {message}")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} were never answered")) }
}

/// Strict schemas are closed, and want everything.
fn strict(schema: &Json, at: &str) -> Result<(), String> {
    if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
        if schema.get("additionalProperties") != Some(&Json::Bool(false)) {
            return Err(format!("`additionalProperties` of {at} must be false"));
        }
        let required = schema.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
        for (name, inner) in properties {
            if !required.iter().any(|known| known == name) {
                return Err(format!("`{name}` of {at} must be required"));
            }
            strict(inner, name)?;
        }
    } else if schema.get("type") == Some(&json!("object")) {
        return Err(format!("{at} has no properties"));
    }
    schema.get("items").map_or(Ok(()), |items| strict(items, at))
}

fn finish(said: &Said) -> &'static str {
    match said.finish {
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
        Finish::Done if said.tools.is_empty() => "stop",
        Finish::Done => "tool_calls",
    }
}

fn usage(said: &Said) -> Json {
    let (prompt, cached, completion) = said.tokens;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

fn calls(said: &Said, nth: usize) -> Vec<Json> {
    let tools = said.tools.iter().enumerate();
    tools
        .map(|(at, (name, input))| {
            json!({
                "id": format!("call_{nth}_{at}"),
                "type": "function",
                "function": {"name": name, "arguments": input.to_string()},
            })
        })
        .collect()
}

pub(crate) fn whole(said: &Said, nth: usize) -> Json {
    let mut message = json!({"role": "assistant", "content": said.text});
    if let Some(thought) = &said.thought {
        message["reasoning_content"] = thought.as_str().into();
    }
    if !said.tools.is_empty() {
        message["tool_calls"] = calls(said, nth).into();
    }
    json!({
        "id": format!("chatcmpl-{nth}"),
        "object": "chat.completion",
        "model": "loopback",
        "choices": [{"index": 0, "message": message, "finish_reason": finish(said)}],
        "usage": usage(said),
    })
}

fn event(delta: Json, finish: Json) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"object": "chat.completion.chunk", "choices": [choice]}))
}

/// A piece of a text.
pub(crate) fn frame(text: &str) -> String {
    event(json!({"content": text}), Json::Null)
}

pub(crate) fn frames(said: &Said, nth: usize) -> Vec<String> {
    let mut frames = vec![event(json!({"role": "assistant", "content": ""}), Json::Null)];
    let thought = said.thought.as_deref().map(pieces).unwrap_or_default();
    frames.extend(thought.iter().map(|it| event(json!({"reasoning_content": it}), Json::Null)));
    frames.extend(pieces(&said.text).iter().filter(|it| !it.is_empty()).map(|it| frame(it)));
    for (at, call) in calls(said, nth).into_iter().enumerate() {
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
        let mut first = call.clone();
        first["index"] = at.into();
        first["function"]["arguments"] = "".into();
        frames.push(event(json!({"tool_calls": [first]}), Json::Null));
        frames.extend(pieces(&arguments).iter().map(|piece| {
            let delta = json!({"index": at, "function": {"arguments": piece}});
            event(json!({"tool_calls": [delta]}), Json::Null)
        }));
    }
    frames.push(event(json!({}), finish(said).into()));
    frames.push(format!("data: {}\n\n", json!({"choices": [], "usage": usage(said)})));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}
