//! Gemini's `generateContent`: what is asked, what an answer says, and how one is put together from its pieces.

use runtime::{ModelAnswer, ModelCall, Said};
use serde_json::{Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at, values};
use super::ask::{Shape, is_answered, or_nothing, worded};
use super::foreign;
use super::params::{Params, Thinking};
use super::retry::Trouble;
use super::stream::Piece;

/// No answer has more parts.
const PARTS_MAX: usize = 4096;

/// How ids begin that we made.
const MADE: &str = "call#";

/// What stands for the signature of a call that this model did not make.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The body of a question.
pub(super) fn body(model: &str, call: &ModelCall, params: &Params, shape: Option<Shape>) -> Json {
    let text = |text: &str| json!({"role": "user", "parts": [{"text": or_nothing(text)}]});
    let mut contents = vec![text(&call.prompt)];
    for (place, said) in call.talk.iter().enumerate() {
        contents.push(match said {
            Said::Us(said) => text(said),
            Said::Tools(replies) => {
                json!({"role": "user", "parts": replies.iter().map(response).collect::<Vec<_>>()})
            }
            Said::Model(answer) => {
                json!({"role": "model", "parts": parts(model, answer, is_answered(call, place))})
            }
        });
    }
    let mut config = json!({"maxOutputTokens": params.most()});
    if let Some(temperature) = params.temperature {
        config["temperature"] = temperature.into();
    }
    if !params.stop.is_empty() {
        config["stopSequences"] = params.stop.as_slice().into();
    }
    if let Some(thinking) = params.thinking.and_then(|thinking| thought(model, thinking)) {
        config["thinkingConfig"] = thinking;
    }
    if let Some(Shape::Schema(_, schema)) = shape {
        config["responseMimeType"] = "application/json".into();
        config["responseJsonSchema"] = schema;
    }
    let mut body = json!({"contents": contents, "generationConfig": config});
    if !call.system.is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": &*call.system}]});
    }
    if !call.tools.is_empty() {
        let tools: Vec<Json> = call.tools.iter().map(tool).collect();
        body["tools"] = json!([{"functionDeclarations": tools}]);
    }
    body
}

/// How much thought is asked for: later models know levels, the others how many tokens.
fn thought(model: &str, thinking: Thinking) -> Option<Json> {
    let has_levels = ["gemini-3", "gemma-4"].iter().any(|name| model.contains(name));
    let (level, budget) = match thinking {
        Thinking::None if has_levels => return None,
        // This one cannot do without, and says so when it is told to.
        Thinking::None if model.contains("2.5-pro") => return Some(json!({"thinkingBudget": 128})),
        Thinking::None => return Some(json!({"thinkingBudget": 0})),
        Thinking::Low => ("LOW", 1000),
        Thinking::High | Thinking::Extended => ("HIGH", 24000),
    };
    Some(match has_levels {
        true => json!({"thinkingLevel": level, "includeThoughts": true}),
        false => json!({"thinkingBudget": budget, "includeThoughts": true}),
    })
}

fn tool(offered: &runtime::Offered) -> Json {
    let mut tool =
        json!({"name": &*offered.name, "parametersJsonSchema": foreign::to_json(&offered.input)});
    if !offered.description.is_empty() {
        tool["description"] = (&*offered.description).into();
    }
    tool
}

fn response(reply: &runtime::Reply) -> Json {
    let name = &*reply.name;
    let response = json!({"name": name, "content": worded(reply)});
    let mut response = json!({"name": name, "response": response});
    if let Some(id) = given(&reply.id) {
        response["id"] = id.into();
    }
    json!({"functionResponse": response})
}

/// An id, unless we made it.
fn given(id: &str) -> Option<&str> {
    Some(id).filter(|id| !id.starts_with(MADE))
}

/// Something that a model said. What this kind of provider said goes back as it said it, each part
/// with its signature; from another only what everybody understands.
fn parts(model: &str, answer: &ModelAnswer, is_answered: bool) -> Vec<Json> {
    // What is asked again without its tools having answered would be refused.
    let own = own(answer).filter(|_| is_answered || answer.uses.is_empty());
    let mut parts = own.unwrap_or_else(|| {
        let mut parts = Vec::new();
        if !answer.text.trim().is_empty() || !is_answered || answer.uses.is_empty() {
            parts.push(json!({"text": or_nothing(&answer.text)}));
        }
        parts.extend(answer.uses.iter().filter(|_| is_answered).map(|it| {
            let mut call = json!({"name": &*it.name, "args": foreign::map_to_json(&it.input)});
            if let Some(id) = given(&it.id) {
                call["id"] = id.into();
            }
            json!({"functionCall": call})
        }));
        parts
    });
    // These refuse a turn whose first call is not signed.
    if model.contains("gemini-3")
        && let Some(call) = parts.iter_mut().find(|part| part.get("functionCall").is_some())
        && call.get("thoughtSignature").is_none()
    {
        call["thoughtSignature"] = UNSIGNED.into();
    }
    parts
}

fn own(answer: &ModelAnswer) -> Option<Vec<Json>> {
    let [content] = answer.items.as_slice() else { return None };
    let content = foreign::map_to_json(content);
    let mut uses = answer.uses.iter();
    let mut parts = Vec::new();
    for part in content.get("parts")?.as_array()? {
        let is_empty = part.get("text").is_some_and(|text| text == "");
        let is_signed = part.get("thoughtSignature").is_some();
        if part.get("thought") == Some(&Json::Bool(true)) || (is_empty && !is_signed) {
            continue;
        }
        let mut part = part.clone();
        if let Some(call) = part.get_mut("functionCall").and_then(Json::as_object_mut) {
            // By the id that we know it by: a server may have given one twice.
            match given(&uses.next()?.id) {
                Some(id) => call.insert("id".to_owned(), id.into()),
                None => call.remove("id"),
            };
        }
        parts.push(part);
    }
    (!parts.is_empty()).then_some(parts)
}

/// Reads a whole body. `place` is where in the talk it will stand.
pub(super) fn read(body: &Json, place: usize) -> Result<Given, Trouble> {
    if let Some(error) = body.get("error") {
        return Err(Trouble::reported(error));
    }
    let tokens = Tokens {
        prompt: count(body, "/usageMetadata/promptTokenCount")
            .saturating_add(count(body, "/usageMetadata/toolUsePromptTokenCount")),
        cached: count(body, "/usageMetadata/cachedContentTokenCount"),
        completion: count(body, "/usageMetadata/candidatesTokenCount")
            .saturating_add(count(body, "/usageMetadata/thoughtsTokenCount")),
    };
    let blocked = text_at(body, "/promptFeedback/blockReason");
    let Some(candidate) = body.pointer("/candidates/0") else {
        let reason = blocked.ok_or_else(|| Trouble::garbage("it has no `candidates`"))?;
        let end = End::Refused(format!("the question was blocked ({reason})"));
        return Ok(Given { tokens, finish: Some(reason), end, ..Given::default() });
    };
    let finish = text_at(candidate, "/finishReason");
    let end = match finish.as_deref() {
        None | Some("STOP" | "FINISH_REASON_UNSPECIFIED") => End::Fine,
        Some("MAX_TOKENS") => End::Cut,
        Some("MALFORMED_FUNCTION_CALL") => {
            return Err(Trouble::again("the model wanted a tool in a form that cannot be read"));
        }
        Some(reason) => End::Refused(format!("it stopped the answer ({reason})")),
    };
    let content = candidate.get("content").filter(|content| content.is_object());
    let parts = content.and_then(|content| content.get("parts")).and_then(Json::as_array);
    let parts: &[Json] = parts.map_or(&[], Vec::as_slice);
    let is_thought = |part: &&Json| part.get("thought") == Some(&Json::Bool(true));
    let text = parts.iter().filter(|part| !is_thought(part)).filter_map(|it| text_at(it, "/text"));
    let thought = parts.iter().filter(is_thought).filter_map(|it| text_at(it, "/text"));
    Ok(Given {
        text: text.collect(),
        reasoning: said(Some(thought.collect())),
        uses: wanted(parts, place),
        items: content.cloned().into_iter().collect(),
        tokens,
        finish,
        end,
    })
}

/// The tools that are wanted. Where Gemini gives no id we make one: of the tool and of the places
/// in the talk and in the answer, so that none comes twice. It is never sent back.
fn wanted(parts: &[Json], place: usize) -> Vec<Wanted> {
    let calls = parts.iter().filter_map(|part| part.get("functionCall"));
    let wanted = calls.enumerate().map(|(at, call)| {
        let name = text_at(call, "/name").unwrap_or_default();
        let own = text_at(call, "/id").filter(|id| !id.is_empty());
        let id = own.unwrap_or_else(|| format!("{MADE}{name}#{}", place * PARTS_MAX + at));
        let input = call.get("args").filter(|args| !args.is_null()).cloned();
        Wanted { id, name, input: input.unwrap_or_else(|| json!({})) }
    });
    wanted.collect()
}

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    parts: Vec<Json>,
    finish: Json,
    usage: Json,
    blocked: Json,
    error: Option<Json>,
}

impl Pieces {
    pub(super) fn take(&mut self, frame: &Json) {
        if frame.get("error").is_some() {
            self.error = Some(frame.clone());
        }
        let parts = frame.pointer("/candidates/0/content/parts").and_then(Json::as_array);
        parts.into_iter().flatten().for_each(|part| self.part(part));
        let taken = [
            ("/candidates/0/finishReason", &mut self.finish),
            ("/usageMetadata", &mut self.usage),
            ("/promptFeedback", &mut self.blocked),
        ];
        for (place, kept) in taken {
            if let Some(found) = frame.pointer(place).filter(|found| !found.is_null()) {
                *kept = found.clone();
            }
        }
    }

    /// Texts that follow each other are one, unless a signature stands between them.
    fn part(&mut self, part: &Json) {
        let is_plain = |part: &Json| {
            part.as_object()
                .is_some_and(|it| it.keys().all(|key| key == "text" || key == "thought"))
        };
        if let (Some(last), Some(more)) =
            (self.parts.last_mut(), part.get("text").and_then(Json::as_str))
            && is_plain(last)
            && is_plain(part)
            && last.get("thought") == part.get("thought")
            && let Some(Json::String(text)) = last.get_mut("text")
        {
            text.push_str(more);
        } else if self.parts.len() < PARTS_MAX {
            self.parts.push(part.clone());
        }
    }

    pub(super) fn values(&self) -> usize {
        let parts: usize = self.parts.iter().map(values).sum();
        parts + values(&self.usage) + values(&self.blocked)
    }

    pub(super) fn is_over(&self) -> bool {
        self.error.is_some() || !self.finish.is_null() || !self.blocked.is_null()
    }

    /// As if it had come at once.
    pub(super) fn whole(self) -> Json {
        if let Some(error) = self.error {
            return error;
        }
        let mut body = json!({"usageMetadata": self.usage});
        if !self.finish.is_null() || !self.parts.is_empty() {
            body["candidates"] = json!([{
                "content": {"role": "model", "parts": self.parts},
                "finishReason": self.finish,
            }]);
        }
        if !self.blocked.is_null() {
            body["promptFeedback"] = self.blocked;
        }
        body
    }
}

/// What a piece says.
pub(super) fn heard(frame: &Json, says: &mut dyn FnMut(Piece<'_>)) {
    let parts = frame.pointer("/candidates/0/content/parts").and_then(Json::as_array);
    for part in parts.into_iter().flatten() {
        let Some(text) = part.get("text").and_then(Json::as_str) else { continue };
        let is_thought = part.get("thought") == Some(&Json::Bool(true));
        says(if is_thought { Piece::Thought(text) } else { Piece::Text(text) });
    }
}
