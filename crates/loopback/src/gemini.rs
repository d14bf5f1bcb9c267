//! `generateContent`.

use serde_json::{Value as Json, json};

use crate::script::{Finish, Said, pieces};

/// What stands beside a wish for a tool that was thought about.
const SIGNATURE: &str = "signed-by-loopback";

/// The tool whose calls must come back signed: the server has no memory of what it signed.
const SIGNED: &str = "signed";

/// What Gemini would complain about.
pub(crate) fn complaint(path: &str, body: &Json) -> Result<(), String> {
    if !path.contains(":generateContent") && !path.contains(":streamGenerateContent?alt=sse") {
        return Err(format!("`{path}` is no call"));
    }
    if body.pointer("/generationConfig/maxOutputTokens").is_none() {
        return Err("no limit to the answer".into());
    }
    let shaped = body.pointer("/generationConfig/responseMimeType").is_some();
    if shaped && body.get("tools").is_some() {
        return Err("function calling with a response mime type is unsupported".into());
    }
    let contents = body.get("contents").and_then(Json::as_array).ok_or("no `contents`")?;
    let mut wanted: Vec<Json> = Vec::new();
    let mut last = "model";
    for (at, content) in contents.iter().enumerate() {
        let role = content.get("role").and_then(Json::as_str).unwrap_or_default();
        let may_follow = role != last || (role == "user" && wanted.is_empty() && at > 0);
        if !may_follow || !["user", "model"].contains(&role) {
            return Err(format!("content {at}: roles must alternate"));
        }
        last = role;
        let parts = content.get("parts").and_then(Json::as_array).cloned().unwrap_or_default();
        if parts.is_empty() {
            return Err(format!("content {at} has no parts"));
        }
        if parts.iter().any(|part| part.get("text").and_then(Json::as_str) == Some("")) {
            return Err(format!("content {at} has an empty text"));
        }
        let names = |member: &str| -> Vec<Json> {
            parts.iter().filter_map(|it| it.get(member)).map(|it| it["name"].clone()).collect()
        };
        if role == "user" {
            if names("functionResponse") != wanted {
                return Err(format!("content {at} does not answer {wanted:?}"));
            }
            wanted.clear();
        } else {
            wanted = names("functionCall");
            let is_unsigned = |part: &&Json| {
                part.pointer("/functionCall/name") == Some(&json!(SIGNED))
                    && part.get("thoughtSignature") != Some(&json!(SIGNATURE))
            };
            if parts.iter().any(|part| is_unsigned(&part)) {
                return Err(format!("content {at} lacks a thought signature"));
            }
        }
    }
    if last == "user" { Ok(()) } else { Err("the last content must be the user's".into()) }
}

fn finish(said: &Said) -> &'static str {
    match said.finish {
        Finish::Length => "MAX_TOKENS",
        Finish::Filtered => "SAFETY",
        Finish::Done => "STOP",
    }
}

/// What was thought is counted apart.
fn usage(said: &Said) -> Json {
    let (prompt, cached, completion) = said.tokens;
    let thought = if said.thought.is_some() { completion.min(2) } else { 0 };
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion - thought,
        "thoughtsTokenCount": thought,
        "totalTokenCount": prompt + completion,
    })
}

/// Calls have no ids, as with most of its models.
fn calls(said: &Said) -> Vec<Json> {
    let tools = said.tools.iter().enumerate();
    tools
        .map(|(at, (name, input))| {
            let mut part = json!({"functionCall": {"name": name, "args": input}});
            if at == 0 && said.thought.is_some() {
                part["thoughtSignature"] = SIGNATURE.into();
            }
            part
        })
        .collect()
}

fn body(parts: Vec<Json>, finish: Option<&str>, usage: Json) -> Json {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "loopback"})
}

pub(crate) fn whole(said: &Said, _: usize) -> Json {
    let mut parts = Vec::new();
    parts.extend(said.thought.iter().map(|it| json!({"text": it, "thought": true})));
    if !said.text.is_empty() {
        parts.push(json!({"text": said.text}));
    }
    parts.extend(calls(said));
    body(parts, Some(finish(said)), usage(said))
}

/// A piece of a text.
pub(crate) fn frame(text: &str) -> String {
    format!("data: {}\n\n", body(vec![json!({"text": text})], None, json!({})))
}

pub(crate) fn frames(said: &Said, _: usize) -> Vec<String> {
    let mut parts: Vec<Json> = Vec::new();
    let thought = said.thought.as_deref().map(pieces).unwrap_or_default();
    parts.extend(thought.into_iter().map(|it| json!({"text": it, "thought": true})));
    parts.extend(
        pieces(&said.text).into_iter().filter(|it| !it.is_empty()).map(|it| json!({"text": it})),
    );
    parts.extend(calls(said));
    let last = parts.pop().into_iter().collect();
    let mut frames: Vec<Json> =
        parts.into_iter().map(|part| body(vec![part], None, usage(said))).collect();
    frames.push(body(last, Some(finish(said)), usage(said)));
    frames.iter().map(|frame| format!("data: {frame}\n\n")).collect()
}
