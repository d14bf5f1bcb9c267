//! Gemini's `generateContent`: what an answer says, and how one is put together from its pieces.

use genai::chat::{ContentPart, ToolCall};
use serde_json::{Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at};
use super::retry::Trouble;

/// No answer has more parts.
const PARTS_MAX: usize = 4096;

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
/// in the talk and in the answer, so that none comes twice. The library knows this form, and does
/// not send it back.
fn wanted(parts: &[Json], place: usize) -> Vec<Wanted> {
    let calls = parts.iter().filter_map(|part| part.get("functionCall"));
    let wanted = calls.enumerate().map(|(at, call)| {
        let name = text_at(call, "/name").unwrap_or_default();
        let own = text_at(call, "/id").filter(|id| !id.is_empty());
        let id = own.unwrap_or_else(|| format!("call#{name}#{}", place * PARTS_MAX + at));
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

/// What this kind of provider said, as it said it, each part with its signature. `place` is where
/// in the talk it stands.
pub(super) fn parts(items: &[Json], place: usize) -> Option<Vec<ContentPart>> {
    let [content] = items else { return None };
    let said = content.get("parts")?.as_array()?;
    let mut wanted = wanted(said, place).into_iter();
    let mut parts = Vec::new();
    for part in said {
        let signature = text_at(part, "/thoughtSignature");
        if part.get("functionCall").is_some() {
            let Wanted { id, name, input } = wanted.next()?;
            parts.push(ContentPart::ToolCall(ToolCall {
                call_id: id,
                fn_name: name,
                fn_arguments: input,
                thought_signatures: signature.map(|signature| vec![signature]),
            }));
            continue;
        }
        if part.get("thought") == Some(&Json::Bool(true)) {
            continue;
        }
        parts.extend(signature.map(ContentPart::ThoughtSignature));
        let text = text_at(part, "/text");
        parts.extend(text.filter(|text| !text.is_empty()).map(ContentPart::from_text));
    }
    (!parts.is_empty()).then_some(parts)
}
