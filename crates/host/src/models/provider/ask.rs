//! From what the core asks to what a provider is sent.

use runtime::{ModelCall, Reply, Said};
use serde_json::{Map as Object, Value as Json, json};
use value::json as text;

use super::params::Params;
use super::{anthropic, foreign, gemini, openai};
use crate::models::named::{Protocol, Target};

/// What is said where a model once said nothing: providers refuse empty messages.
const NOTHING: &str = "(nothing)";

/// A request, ready to be sent.
pub(super) struct Asked {
    pub(super) mode: Mode,
    pub(super) body: Vec<u8>,
    /// Whether the shape of the answer is enforced by the provider.
    pub(super) is_shaped: bool,
}

/// Whether a stream is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The answer at once.
    Whole,
    /// The answer as it comes.
    Stream,
}

/// How the provider is made to keep to a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// To this one, under this name.
    Schema(String, Json),
    /// To JSON, at least.
    Any,
}

/// What is asked, or why it cannot be.
pub(super) fn asked(
    target: &Target,
    call: &ModelCall,
    shapes: bool,
    mode: Mode,
) -> Result<Asked, String> {
    let params = Params::read(&target.params, &call.params)?;
    let shape =
        call.shape.as_deref().filter(|_| shapes).and_then(|shape| shaped(target, call, shape));
    let is_shaped = shape.is_some();
    let body = match target.provider.protocol {
        Protocol::OpenAi => openai::body(&target.model, call, &params, shape, mode),
        Protocol::Anthropic => anthropic::body(&target.model, call, &params, shape, mode),
        Protocol::Gemini => gemini::body(&target.model, call, &params, shape),
    };
    let body = serde_json::to_vec(&body).map_err(|error| error.to_string())?;
    Ok(Asked { mode, body, is_shaped })
}

/// Where a request goes.
pub(super) fn url(target: &Target, mode: Mode) -> String {
    let base = &target.base_url;
    let has = |version: &str| base.ends_with(version);
    match target.provider.protocol {
        Protocol::OpenAi => format!("{base}/chat/completions"),
        Protocol::Anthropic => {
            let version = if has("/v1") { "" } else { "/v1" };
            format!("{base}{version}/messages")
        }
        Protocol::Gemini => {
            let version = if has("/v1beta") || has("/v1") { "" } else { "/v1beta" };
            let verb = match mode {
                Mode::Whole => "generateContent",
                Mode::Stream => "streamGenerateContent?alt=sse",
            };
            format!("{base}{version}/models/{}:{verb}", target.model)
        }
    }
}

/// What proves who asks.
pub(super) fn headers(target: &Target) -> Vec<(&'static str, String)> {
    let key = target.key.as_ref().map(crate::secrets::Secret::expose);
    let mut headers = Vec::new();
    match target.provider.protocol {
        Protocol::OpenAi => {
            headers.extend(key.map(|key| ("authorization", format!("Bearer {key}"))));
        }
        Protocol::Anthropic => {
            headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
            headers.push(("anthropic-version", "2023-06-01".to_owned()));
        }
        Protocol::Gemini => headers.extend(key.map(|key| ("x-goog-api-key", key.to_owned()))),
    }
    headers
}

/// How the provider is made to keep to a schema. The system text says it too: where the provider
/// cannot, the model still knows.
fn shaped(target: &Target, call: &ModelCall, shape: &value::Value) -> Option<Shape> {
    let shape = foreign::to_json(shape);
    let is_strict = is_closed(&shape);
    let name: String =
        call.schema.as_deref().unwrap_or("answer").chars().map(safe).take(64).collect();
    match target.provider.protocol {
        Protocol::OpenAi if is_strict => Some(Shape::Schema(name, closed(&shape, true))),
        Protocol::OpenAi => Some(Shape::Any),
        Protocol::Anthropic => is_strict.then(|| Shape::Schema(name, closed(&shape, false))),
        // It refuses tools and a shape together.
        Protocol::Gemini => call.tools.is_empty().then_some(Shape::Schema(name, shape)),
    }
}

fn safe(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }
}

/// Whether a schema says of every place what may be there. Strict modes close all objects, so that
/// one that is open would have to stay empty.
fn is_closed(schema: &Json) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let all = |member: &str| {
        members.get(member).and_then(Json::as_array).is_some_and(|all| all.iter().all(is_closed))
    };
    if members.contains_key("enum") || members.contains_key("const") {
        return true;
    }
    if members.contains_key("anyOf") || members.contains_key("oneOf") {
        return all("anyOf") || all("oneOf");
    }
    let is = |kind: &str| match members.get("type") {
        Some(Json::String(word)) => word == kind,
        Some(Json::Array(words)) => words.iter().any(|word| word == kind),
        _ => false,
    };
    if is("object") {
        let properties = members.get("properties").and_then(Json::as_object);
        let is_open =
            !matches!(members.get("additionalProperties"), None | Some(Json::Bool(false)));
        return !is_open
            && properties.is_some_and(|all| !all.is_empty() && all.values().all(is_closed));
    }
    if is("array") {
        return members.get("items").is_some_and(is_closed);
    }
    members.contains_key("type")
}

/// The same schema, as strict modes want it: objects say that they are closed, and for some also
/// that all of their members are there.
fn closed(schema: &Json, wants_all: bool) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let inner = |it: &Json| closed(it, wants_all);
    let member = |(name, it): (&String, &Json)| {
        let it = match (name.as_str(), it) {
            ("properties" | "$defs", Json::Object(all)) => {
                all.iter().map(|(name, it)| (name.clone(), inner(it))).collect()
            }
            ("anyOf" | "oneOf" | "allOf", Json::Array(all)) => all.iter().map(inner).collect(),
            ("items", it) => inner(it),
            (_, it) => it.clone(),
        };
        (name.clone(), it)
    };
    let mut made: Object<String, Json> = members.iter().map(member).collect();
    if let Some(properties) = members.get("properties").and_then(Json::as_object) {
        made.insert("additionalProperties".to_owned(), Json::Bool(false));
        if wants_all {
            let names = properties.keys().map(|name| Json::from(name.as_str()));
            made.insert("required".to_owned(), names.collect());
        }
    }
    made.into()
}

/// Whether the tools that were wanted at a place of the talk have answered.
pub(super) fn is_answered(call: &ModelCall, place: usize) -> bool {
    matches!(call.talk.get(place + 1), Some(Said::Tools(_)))
}

/// What a tool did, as a text.
pub(super) fn output(reply: &Reply) -> String {
    match &reply.output {
        value::Value::Text(text) => text.to_string(),
        other => text::compact(other),
    }
}

/// The same for those who have no mark for what went wrong: they are told in words.
pub(super) fn worded(reply: &Reply) -> String {
    let output = output(reply);
    if reply.is_error { json!({ "error": output }).to_string() } else { output }
}

pub(super) fn or_nothing(text: &str) -> &str {
    if text.trim().is_empty() { NOTHING } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_schemas_are_strict() {
        for (schema, closed) in [
            (json!({"type": "object", "properties": {"a": {"type": "string"}}}), true),
            (
                json!({"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}),
                true,
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}}),
                true,
            ),
            (json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}), true),
            (
                json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}),
                true,
            ),
            (json!({"type": "object"}), false),
            (json!({"type": "object", "properties": {}}), false),
            (json!({"type": "object", "properties": {"a": {}}}), false),
            (json!({"type": "object", "properties": {"a": {"type": "object"}}}), false),
            (json!({"type": "object", "properties": {"a": {"type": "array"}}}), false),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}),
                false,
            ),
            (json!(true), false),
        ] {
            assert_eq!(is_closed(&schema), closed, "{schema}");
        }
    }

    #[test]
    fn strict_schemas_are_closed_all_the_way_down() {
        let inner = json!({"type": "object", "properties": {"b": {"type": "string"}}});
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "array", "items": inner}, "c": {"anyOf": [inner, {"type": "null"}]}},
            "required": ["a"]});
        let inner = json!({"type": "object", "properties": {"b": {"type": "string"}},
            "additionalProperties": false, "required": ["b"]});
        let all = json!({"type": "object", "properties": {
            "a": {"type": "array", "items": inner}, "c": {"anyOf": [inner, {"type": "null"}]}},
            "required": ["a", "c"], "additionalProperties": false});
        assert_eq!(closed(&schema, true), all);
        assert_eq!(closed(&schema, false)["required"], json!(["a"]));
        assert_eq!(closed(&schema, false)["properties"]["a"]["items"].get("required"), None);
    }
}
