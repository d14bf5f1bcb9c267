//! Chat completions: what is asked, what an answer says, and how one is put together from its pieces.

use runtime::{ModelAnswer, ModelCall, Said};
use serde_json::{Map as Object, Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at, values};
use super::ask::{Mode, Shape, is_answered, or_nothing, worded};
use super::params::{Params, Thinking};
use super::retry::Trouble;
use super::stream::Piece;
use super::{foreign, transport};

/// Members of a piece that are not continued by the next one.
const WHOLE: [&str; 5] = ["role", "id", "type", "name", "index"];

/// No answer wants more tools, nor has more pieces side by side.
const PIECES_MAX: usize = 256;

/// The body of a question.
pub(super) fn body(
    model: &str,
    call: &ModelCall,
    params: &Params,
    shape: Option<Shape>,
    mode: Mode,
) -> Json {
    let mut messages = Vec::with_capacity(call.talk.len() + 2);
    if !call.system.is_empty() {
        messages.push(json!({"role": "system", "content": &*call.system}));
    }
    messages.push(json!({"role": "user", "content": or_nothing(&call.prompt)}));
    for (place, said) in call.talk.iter().enumerate() {
        match said {
            Said::Us(text) => messages.push(json!({"role": "user", "content": or_nothing(text)})),
            Said::Tools(replies) => messages.extend(replies.iter().map(|reply| {
                json!({"role": "tool", "tool_call_id": &*reply.id, "content": worded(reply)})
            })),
            Said::Model(answer) => messages.push(message(answer, is_answered(call, place))),
        }
    }
    let is_stream = mode == Mode::Stream;
    let mut body = json!({"model": model, "stream": is_stream, "messages": messages});
    if is_stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    if !call.tools.is_empty() {
        body["tools"] = call.tools.iter().map(tool).collect();
    }
    match shape {
        Some(Shape::Schema(name, schema)) => {
            let schema = json!({"name": name, "strict": true, "schema": schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        Some(Shape::Any) => body["response_format"] = json!({"type": "json_object"}),
        None => {}
    }
    let limit = if is_later(model) { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = params.most().into();
    if let Some(temperature) = params.temperature {
        body["temperature"] = temperature.into();
    }
    if !params.stop.is_empty() {
        body["stop"] = params.stop.as_slice().into();
    }
    let effort = match params.thinking {
        Some(Thinking::Low) => Some("low"),
        Some(Thinking::High | Thinking::Extended) => Some("high"),
        // Only these take it; the others do not think unless they are asked to.
        Some(Thinking::None) if model.starts_with("gpt-5.") => Some("none"),
        Some(Thinking::None) | None => None,
    };
    if let Some(effort) = effort {
        body["reasoning_effort"] = effort.into();
    }
    body
}

/// OpenAI's own models from `gpt-5` and `o1` on have another word for the limit.
fn is_later(model: &str) -> bool {
    let begins = |prefix: &str, digits: std::ops::RangeInclusive<char>| {
        let digit = model.strip_prefix(prefix).and_then(|rest| rest.chars().next());
        digit.is_some_and(|digit| digits.contains(&digit))
    };
    begins("gpt-", '5'..='9') || begins("o", '1'..='9')
}

fn tool(offered: &runtime::Offered) -> Json {
    let mut function =
        json!({"name": &*offered.name, "parameters": foreign::to_json(&offered.input)});
    if !offered.description.is_empty() {
        function["description"] = (&*offered.description).into();
    }
    json!({"type": "function", "function": function})
}

/// Something that a model said. What this kind of provider said goes back as it said it; from
/// another only what everybody understands.
fn message(answer: &ModelAnswer, is_answered: bool) -> Json {
    let own = match answer.items.as_slice() {
        [item] => Some(foreign::map_to_json(item)).filter(|item| {
            item.get("role").is_some_and(|role| role == "assistant") && item.get("parts").is_none()
        }),
        _ => None,
    };
    // What is asked again without its tools having answered would be refused.
    let own = own.filter(|_| is_answered || answer.uses.is_empty());
    let text = own.as_ref().map_or_else(|| answer.text.to_string(), content);
    // By what we made of them: a provider may have given no ids.
    let calls = answer.uses.iter().filter(|_| is_answered).map(|it| {
        let arguments = foreign::map_to_json(&it.input).to_string();
        json!({"id": &*it.id, "type": "function",
            "function": {"name": &*it.name, "arguments": arguments}})
    });
    let calls: Vec<Json> = calls.collect();
    let (has_calls, said) = (!calls.is_empty(), text.as_str());
    let said = if has_calls { said } else { or_nothing(said) };
    let mut message = json!({"role": "assistant", "content": said});
    if has_calls {
        message["tool_calls"] = calls.into();
    }
    // Those who think aloud between tools want to be reminded of it; others never send it.
    for (member, is_wanted) in [("reasoning_content", has_calls), ("reasoning_details", true)] {
        let thought = own.as_ref().and_then(|own| own.get(member));
        if let Some(thought) = thought.filter(|it| is_wanted && !it.is_null()) {
            message[member] = thought.clone();
        }
    }
    message
}

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
                transport::read(text.as_bytes()).unwrap_or_else(|_| Json::String(text.clone()))
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
    error: Option<Json>,
}

impl Pieces {
    pub(super) fn take(&mut self, frame: &Json) {
        if frame.get("error").is_some_and(|error| !error.is_null()) {
            self.error = Some(frame.clone());
        }
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
        self.error.is_some() || !self.finish.is_null()
    }

    pub(super) fn values(&self) -> usize {
        self.message.values().map(values).sum()
    }

    /// As if it had come at once.
    pub(super) fn whole(mut self) -> Json {
        if let Some(error) = self.error {
            return error;
        }
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

/// What a piece says.
pub(super) fn heard(frame: &Json, says: &mut dyn FnMut(Piece<'_>)) {
    let Some(delta) = frame.pointer("/choices/0/delta") else { return };
    let text = |member: &str| delta.get(member).and_then(Json::as_str);
    if let Some(thought) = text("reasoning_content").or_else(|| text("reasoning")) {
        says(Piece::Thought(thought));
    }
    if let Some(text) = text("content") {
        says(Piece::Text(text));
    }
}
