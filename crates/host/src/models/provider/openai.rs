//! Chat completions: what an answer says, and how one is put together from its pieces.

use genai::chat::{ContentPart, ToolCall};
use runtime::ModelAnswer;
use serde_json::{Map as Object, Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at};
use super::retry::Trouble;

/// Members of a piece that are not continued by the next one.
const WHOLE: [&str; 5] = ["role", "id", "type", "name", "index"];

/// No answer wants more tools, nor has more pieces side by side.
const PIECES_MAX: usize = 256;

/// Reads a whole body.
pub(super) fn read(body: &Json) -> Result<Given, Trouble> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(Trouble::reported(error));
    }
    let choice =
        body.pointer("/choices/0").ok_or_else(|| Trouble::garbage("it has no `choices`"))?;
    let message = choice.get("message").filter(|message| message.is_object());
    let message = message.ok_or_else(|| Trouble::garbage("its choice has no `message`"))?;
    let finish = text_at(choice, "/finish_reason");
    let refusal = text_at(message, "/refusal").filter(|text| !text.is_empty());
    let end = match (finish.as_deref(), refusal) {
        (_, Some(refusal)) => End::Refused(refusal),
        (Some("length"), _) => End::Cut,
        (Some("content_filter"), _) => End::Refused("its content filter stopped the answer".into()),
        _ => End::Fine,
    };
    let calls = message.get("tool_calls").and_then(Json::as_array);
    let uses = calls.into_iter().flatten().map(|call| Wanted {
        id: text_at(call, "/id").unwrap_or_default(),
        name: text_at(call, "/function/name").unwrap_or_default(),
        input: match call.pointer("/function/arguments") {
            Some(Json::String(text)) if text.trim().is_empty() => json!({}),
            Some(Json::String(text)) => {
                serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
            }
            Some(other) => other.clone(),
            None => json!({}),
        },
    });
    let reasoning =
        text_at(message, "/reasoning_content").or_else(|| text_at(message, "/reasoning"));
    Ok(Given {
        text: content(message),
        reasoning: said(reasoning),
        uses: uses.collect(),
        items: vec![message.clone()],
        tokens: Tokens {
            prompt: count(body, "/usage/prompt_tokens"),
            cached: count(body, "/usage/prompt_tokens_details/cached_tokens"),
            completion: count(body, "/usage/completion_tokens"),
        },
        finish,
        end,
    })
}

/// Mostly a text; some send a list of parts.
fn content(message: &Json) -> String {
    match message.get("content") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => {
            parts.iter().filter_map(|part| text_at(part, "/text")).collect()
        }
        _ => String::new(),
    }
}

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    message: Object<String, Json>,
    finish: Json,
    usage: Json,
}

impl Pieces {
    pub(super) fn take(&mut self, frame: &Json) {
        if let Some(delta) = frame.pointer("/choices/0/delta").and_then(Json::as_object) {
            merge(&mut self.message, delta);
        }
        let taken = [("/choices/0/finish_reason", &mut self.finish), ("/usage", &mut self.usage)];
        for (place, kept) in taken {
            if let Some(found) = frame.pointer(place).filter(|found| !found.is_null()) {
                *kept = found.clone();
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        !self.finish.is_null()
    }

    /// As if it had come at once.
    pub(super) fn whole(mut self) -> Json {
        if let Some(Json::Array(calls)) = self.message.get_mut("tool_calls") {
            calls.iter_mut().filter_map(Json::as_object_mut).for_each(|call| {
                call.remove("index");
            });
        }
        json!({
            "choices": [{"message": self.message, "finish_reason": self.finish}],
            "usage": self.usage,
        })
    }
}

fn merge(into: &mut Object<String, Json>, delta: &Object<String, Json>) {
    for (name, piece) in delta {
        match (into.get_mut(name), piece) {
            (_, Json::Null) => {}
            (Some(Json::String(text)), Json::String(more)) if !WHOLE.contains(&name.as_str()) => {
                text.push_str(more);
            }
            (Some(Json::String(_)), Json::String(more)) if more.is_empty() => {}
            (Some(Json::Object(kept)), Json::Object(more)) => merge(kept, more),
            (Some(Json::Array(kept)), Json::Array(more)) => {
                more.iter().for_each(|item| merge_item(kept, item));
            }
            (None, Json::Array(more)) => {
                let mut kept = Vec::new();
                more.iter().for_each(|item| merge_item(&mut kept, item));
                into.insert(name.clone(), kept.into());
            }
            _ => {
                into.insert(name.clone(), piece.clone());
            }
        }
    }
}

/// A piece says which item it continues. The number is the server's: it is looked up, and nothing
/// is made room for.
fn merge_item(kept: &mut Vec<Json>, item: &Json) {
    let index = item.get("index");
    let same = kept.iter().position(|known| index.is_some() && known.get("index") == index);
    match (same, item.as_object()) {
        (Some(at), Some(more)) => {
            if let Some(known) = kept[at].as_object_mut() {
                merge(known, more);
            }
        }
        _ if kept.len() < PIECES_MAX => kept.push(item.clone()),
        _ => {}
    }
}

/// What this kind of provider said, as it said it.
pub(super) fn parts(items: &[Json], answer: &ModelAnswer) -> Option<Vec<ContentPart>> {
    let [message] = items else { return None };
    if message.get("role").and_then(Json::as_str) != Some("assistant")
        || message.get("parts").is_some()
    {
        return None;
    }
    let mut parts = Vec::new();
    let details = message.get("reasoning_details").and_then(Json::as_array);
    parts
        .extend(details.into_iter().flatten().map(|it| ContentPart::from_custom(it.clone(), None)));
    let text = content(message);
    if !text.is_empty() {
        parts.push(ContentPart::from_text(text));
    }
    // By what we made of them: a provider may have given no ids.
    parts.extend(answer.uses.iter().map(|it| {
        ContentPart::ToolCall(ToolCall {
            call_id: it.id.to_string(),
            fn_name: it.name.to_string(),
            fn_arguments: super::foreign::map_to_json(&it.input),
            thought_signatures: None,
        })
    }));
    // Those who think aloud between tools want to be reminded of it; others never send it.
    if let Some(thought) =
        text_at(message, "/reasoning_content").filter(|_| !answer.uses.is_empty())
    {
        parts.push(ContentPart::ReasoningContent(thought));
    }
    (!parts.is_empty()).then_some(parts)
}
