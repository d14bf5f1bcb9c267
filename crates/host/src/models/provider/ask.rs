//! From what the core asks to what a provider is sent.

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatRole, ContentPart, JsonSpec,
    MessageContent, Tool, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget, adapter::AdapterKind};
use runtime::{ModelAnswer, ModelCall, Reply, Said};
use serde_json::{Value as Json, json};
use value::json as text;

use super::params::Params;
use super::{anthropic, foreign, gemini, openai};
use crate::models::named::{Protocol, Target};

/// Tools that Gemini takes for its own, whatever they are.
const GEMINI_TOOLS: [&str; 4] =
    ["googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"];

/// What is said where a model once said nothing: providers refuse empty messages.
const NOTHING: &str = "(nothing)";

/// A request, ready to be sent as often as it takes.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) request: ChatRequest,
    pub(super) options: ChatOptions,
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

/// What is asked, or why it cannot be.
pub(super) fn asked(target: &Target, call: &ModelCall, shapes: bool) -> Result<Asked, String> {
    let params = Params::read(&target.params, &call.params)?;
    let mut options = params.options(target).with_capture_raw_body(true);
    let format =
        call.shape.as_deref().filter(|_| shapes).and_then(|shape| format(target, call, shape));
    let is_shaped = format.is_some();
    options.response_format = format;
    let mut request = ChatRequest::from_user(or_nothing(&call.prompt));
    if !call.system.is_empty() {
        request = request.with_system(&*call.system);
    }
    for (place, said) in call.talk.iter().enumerate() {
        // What we say after tools have answered belongs to their message where roles alternate.
        if let (Said::Us(text), Protocol::Anthropic) = (said, target.provider.protocol)
            && let Some(last) = request.messages.last_mut().filter(|it| it.role == ChatRole::Tool)
        {
            let block = json!({"type": "text", "text": or_nothing(text)});
            last.content.push(ContentPart::from_custom(block, None));
            continue;
        }
        request.messages.extend(message(target.provider.protocol, call, place, said));
    }
    if !call.tools.is_empty() {
        request = request.with_tools(tools(target, call)?);
    }
    Ok(Asked { request, options, is_shaped })
}

/// Where a request goes, and with which key. The library looks nothing up: it is told all of it.
pub(super) fn service(target: &Target, mode: Mode) -> ServiceTarget {
    let base = &target.base_url;
    let has = |version: &str| base.ends_with(version);
    let (kind, url) = match target.provider.protocol {
        Protocol::OpenAi => (AdapterKind::OpenAI, format!("{base}/chat/completions")),
        Protocol::Anthropic => {
            let version = if has("/v1") { "" } else { "/v1" };
            (AdapterKind::Anthropic, format!("{base}{version}/messages"))
        }
        Protocol::Gemini => {
            let version = if has("/v1beta") || has("/v1") { "" } else { "/v1beta" };
            let verb = match mode {
                Mode::Whole => "generateContent",
                Mode::Stream => "streamGenerateContent?alt=sse",
            };
            (AdapterKind::Gemini, format!("{base}{version}/models/{}:{verb}", target.model))
        }
    };
    ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{base}/")),
        auth: AuthData::RequestOverride { url, headers: headers(target) },
        model: ModelIden::new(kind, named(&target.model)),
    }
}

/// A name as the library passes it on: what stands before `::` it takes for something else.
fn named(model: &str) -> String {
    if model.contains("::") { format!("own::{model}") } else { model.to_owned() }
}

/// What proves who asks.
pub(super) fn headers(target: &Target) -> Headers {
    let key = target.key.as_ref().map(super::Secret::expose);
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
    let headers: Vec<(String, String)> =
        headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Headers::from(headers)
}

/// How the provider is made to keep to a schema. The system text says it too: where the provider
/// cannot, the model still knows.
fn format(target: &Target, call: &ModelCall, shape: &value::Value) -> Option<ChatResponseFormat> {
    let shape = foreign::to_json(shape);
    let is_strict = is_closed(&shape);
    let name: String =
        call.schema.as_deref().unwrap_or("answer").chars().map(safe).take(64).collect();
    let spec = JsonSpec::new(name, shape);
    match target.provider.protocol {
        Protocol::OpenAi if is_strict => Some(spec.into()),
        Protocol::OpenAi => Some(ChatResponseFormat::JsonMode),
        Protocol::Anthropic => is_strict.then(|| spec.into()),
        // It refuses tools and a shape together.
        Protocol::Gemini => call.tools.is_empty().then(|| spec.into()),
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

fn tools(target: &Target, call: &ModelCall) -> Result<Vec<Tool>, String> {
    let one = |offered: &runtime::Offered| {
        let name = &*offered.name;
        if target.provider.protocol == Protocol::Gemini && GEMINI_TOOLS.contains(&name) {
            return Err(format!("Gemini has a tool `{name}` of its own: give yours another name"));
        }
        let mut tool = Tool::new(name).with_schema(foreign::to_json(&offered.input));
        if !offered.description.is_empty() {
            tool = tool.with_description(&*offered.description);
        }
        Ok(tool)
    };
    call.tools.iter().map(one).collect()
}

/// Something that was said, as messages. What the same kind of provider said goes back as it came,
/// with what it signed; from another only the parts that everybody understands.
fn message(protocol: Protocol, call: &ModelCall, place: usize, said: &Said) -> Vec<ChatMessage> {
    match said {
        Said::Us(text) => vec![ChatMessage::user(or_nothing(text))],
        Said::Tools(replies) => replies_message(protocol, replies),
        Said::Model(answer) => {
            let items: Vec<Json> =
                answer.items.iter().map(|item| foreign::map_to_json(item)).collect();
            let own = match protocol {
                Protocol::OpenAi => openai::parts(&items, answer),
                Protocol::Anthropic => anthropic::parts(&items),
                Protocol::Gemini => gemini::parts(&items, place),
            };
            // What is asked again without its tools having answered would be refused.
            let answered = matches!(call.talk.get(place + 1), Some(Said::Tools(_)));
            let parts = own.filter(|_| answered || answer.uses.is_empty());
            let parts = parts.unwrap_or_else(|| normalised(answer, answered));
            vec![ChatMessage::assistant(MessageContent::from_parts(parts))]
        }
    }
}

/// The parts that every provider understands.
fn normalised(answer: &ModelAnswer, with_uses: bool) -> Vec<ContentPart> {
    let mut parts = Vec::new();
    let uses = answer.uses.iter().filter(|_| with_uses);
    let uses: Vec<ContentPart> = uses
        .map(|it| {
            ContentPart::ToolCall(ToolCall {
                call_id: it.id.to_string(),
                fn_name: it.name.to_string(),
                fn_arguments: foreign::map_to_json(&it.input),
                thought_signatures: None,
            })
        })
        .collect();
    if !answer.text.is_empty() || uses.is_empty() {
        parts.push(ContentPart::from_text(or_nothing(&answer.text)));
    }
    parts.extend(uses);
    parts
}

/// What tools did. Only Anthropic has a mark for what went wrong; the others are told in words.
fn replies_message(protocol: Protocol, replies: &[Reply]) -> Vec<ChatMessage> {
    let parts = replies.iter().map(|reply| {
        let output = match &reply.output {
            value::Value::Text(text) => text.to_string(),
            other => text::compact(other),
        };
        match (protocol, reply.is_error) {
            (Protocol::Anthropic, is_error) => ContentPart::from_custom(
                json!({
                    "type": "tool_result",
                    "tool_use_id": &*reply.id,
                    "content": output,
                    "is_error": is_error,
                }),
                None,
            ),
            (_, is_error) => {
                let content =
                    if is_error { json!({ "error": output }).to_string() } else { output };
                let response = ToolResponse::new(&*reply.id, content).with_fn_name(&*reply.name);
                ContentPart::ToolResponse(response)
            }
        }
    });
    let content = MessageContent::from_parts(parts.collect::<Vec<_>>());
    vec![ChatMessage { role: ChatRole::Tool, content, options: None }]
}

fn or_nothing(text: &str) -> String {
    if text.trim().is_empty() { NOTHING.to_owned() } else { text.to_owned() }
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
}
