//! Messages.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::script::{Finish, Said, pieces};

/// What stands behind every thought.
const SIGNATURE: &str = "signed-by-loopback";

/// What Anthropic would complain about.
pub(crate) fn complaint(headers: &BTreeMap<String, String>, body: &Json) -> Result<(), String> {
    for header in ["anthropic-version", "x-api-key"] {
        if !headers.contains_key(header) {
            return Err(format!("the header `{header}` is missing"));
        }
    }
    if body.get("model").and_then(Json::as_str).is_none_or(str::is_empty) {
        return Err("`model` is missing".into());
    }
    let most = body.get("max_tokens").and_then(Json::as_u64).ok_or("`max_tokens` is missing")?;
    let budget = body.pointer("/thinking/budget_tokens").and_then(Json::as_u64);
    if budget.is_some_and(|budget| budget >= most) {
        return Err("`max_tokens` must be greater than `thinking.budget_tokens`".into());
    }
    let thinks = matches!(
        body.pointer("/thinking/type").and_then(Json::as_str),
        Some("enabled" | "adaptive")
    );
    for tool in body.get("tools").and_then(Json::as_array).into_iter().flatten() {
        if tool.get("name").is_none() || !tool.get("input_schema").is_some_and(Json::is_object) {
            return Err(format!("{tool} is no tool"));
        }
    }
    let messages = body.get("messages").and_then(Json::as_array).ok_or("no `messages`")?;
    if messages.first().and_then(|first| first.get("role")) != Some(&json!("user")) {
        return Err("the first message must be the user's".into());
    }
    let mut open: Vec<Json> = Vec::new();
    let mut last = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Json::as_str).unwrap_or_default();
        if role == last {
            return Err(format!("message {at}: roles must alternate"));
        }
        last = role;
        let blocks = match message.get("content") {
            Some(Json::String(text)) if !text.trim().is_empty() => {
                vec![json!({"type": "text", "text": text})]
            }
            Some(Json::Array(blocks)) if !blocks.is_empty() => blocks.clone(),
            _ => return Err(format!("message {at} has no content")),
        };
        let of = |kind: &str| {
            blocks.iter().filter(|it| it["type"] == kind).cloned().collect::<Vec<Json>>()
        };
        if of("text").iter().any(|it| it["text"].as_str().is_none_or(|it| it.trim().is_empty())) {
            return Err(format!("message {at}: text content blocks must be non-empty"));
        }
        match role {
            "user" => {
                let mut answered: Vec<Json> =
                    of("tool_result").iter().map(|it| it["tool_use_id"].clone()).collect();
                answered.sort_by_key(Json::to_string);
                open.sort_by_key(Json::to_string);
                if answered != open {
                    return Err(format!("message {at} answers {answered:?} instead of {open:?}"));
                }
                open.clear();
            }
            "assistant" => {
                open = of("tool_use").iter().map(|it| it["id"].clone()).collect();
                if of("tool_use").iter().any(|it| !it["input"].is_object()) {
                    return Err(format!("message {at}: `input` must be an object"));
                }
                let thoughts = of("thinking");
                if thoughts.iter().any(|it| it["signature"] != SIGNATURE) {
                    return Err(format!("message {at}: invalid signature in a thinking block"));
                }
                if thinks && !open.is_empty() && blocks[0]["type"] != "thinking" {
                    return Err(format!("message {at} must begin with a thinking block"));
                }
            }
            _ => return Err(format!("message {at}: unexpected role `{role}`")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} were never answered")) }
}

fn finish(said: &Said) -> &'static str {
    match said.finish {
        Finish::Length => "max_tokens",
        Finish::Filtered => "refusal",
        Finish::Done if said.tools.is_empty() => "end_turn",
        Finish::Done => "tool_use",
    }
}

/// What is read from a cache is counted apart.
fn usage(said: &Said) -> Json {
    let (prompt, cached, completion) = said.tokens;
    json!({
        "input_tokens": prompt - cached,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": completion,
    })
}

fn blocks(said: &Said, nth: usize) -> Vec<Json> {
    let mut blocks = Vec::new();
    if let Some(thought) = &said.thought {
        blocks.push(json!({"type": "thinking", "thinking": thought, "signature": SIGNATURE}));
    }
    if !said.text.is_empty() {
        blocks.push(json!({"type": "text", "text": said.text}));
    }
    let tools = said.tools.iter().enumerate();
    blocks.extend(tools.map(|(at, (name, input))| {
        json!({"type": "tool_use", "id": format!("toolu_{nth}_{at}"), "name": name, "input": input})
    }));
    blocks
}

pub(crate) fn whole(said: &Said, nth: usize) -> Json {
    json!({
        "id": format!("msg_{nth}"),
        "type": "message",
        "role": "assistant",
        "model": "loopback",
        "content": blocks(said, nth),
        "stop_reason": finish(said),
        "usage": usage(said),
    })
}

fn event(kind: &str, mut body: Json) -> String {
    body["type"] = kind.into();
    format!("event: {kind}\ndata: {body}\n\n")
}

/// A piece of a text.
pub(crate) fn frame(text: &str) -> String {
    let delta = json!({"type": "text_delta", "text": text});
    event("content_block_delta", json!({"index": 0, "delta": delta}))
}

pub(crate) fn frames(said: &Said, nth: usize) -> Vec<String> {
    let mut begun = usage(said);
    begun["output_tokens"] = 1.into();
    let message =
        json!({"id": format!("msg_{nth}"), "role": "assistant", "content": [], "usage": begun});
    let mut frames =
        vec![event("message_start", json!({"message": message})), event("ping", json!({}))];
    for (index, block) in blocks(said, nth).into_iter().enumerate() {
        let (empty, deltas): (Json, Vec<Json>) = match block["type"].as_str() {
            Some("text") => {
                let text = block["text"].as_str().unwrap_or_default();
                let deltas = pieces(text).into_iter();
                let deltas = deltas.map(|it| json!({"type": "text_delta", "text": it}));
                (json!({"type": "text", "text": ""}), deltas.collect())
            }
            Some("thinking") => {
                let text = block["thinking"].as_str().unwrap_or_default();
                let deltas = pieces(text).into_iter();
                let deltas = deltas.map(|it| json!({"type": "thinking_delta", "thinking": it}));
                let signed = json!({"type": "signature_delta", "signature": SIGNATURE});
                let empty = json!({"type": "thinking", "thinking": "", "signature": ""});
                (empty, deltas.chain([signed]).collect())
            }
            _ => {
                let deltas = pieces(&block["input"].to_string()).into_iter();
                let deltas =
                    deltas.map(|it| json!({"type": "input_json_delta", "partial_json": it}));
                let mut empty = block.clone();
                empty["input"] = json!({});
                (empty, deltas.collect())
            }
        };
        frames.push(event("content_block_start", json!({"index": index, "content_block": empty})));
        frames.extend(
            deltas
                .into_iter()
                .map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))),
        );
        frames.push(event("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": finish(said)});
    let count = json!({"output_tokens": said.tokens.2});
    frames.push(event("message_delta", json!({"delta": delta, "usage": count})));
    frames.push(event("message_stop", json!({})));
    frames
}
