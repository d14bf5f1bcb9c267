//! Anthropic's messages: what is asked, what an answer says, and how one is put together from its pieces.

use runtime::{ModelAnswer, ModelCall, Said};
use serde_json::{Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at, values};
use super::ask::{Mode, Shape, is_answered, or_nothing, output};
use super::params::{Params, Thinking};
use super::retry::Trouble;
use super::stream::Piece;
use super::{foreign, transport};

/// No answer has more parts.
const BLOCKS_MAX: usize = 1024;

/// The body of a question.
pub(super) fn body(
    model: &str,
    call: &ModelCall,
    params: &Params,
    shape: Option<Shape>,
    mode: Mode,
) -> Json {
    let text = |text: &str| json!({"type": "text", "text": or_nothing(text)});
    let mut messages = vec![("user", vec![text(&call.prompt)])];
    for (place, said) in call.talk.iter().enumerate() {
        let (role, blocks) = match said {
            Said::Us(said) => ("user", vec![text(said)]),
            Said::Tools(replies) => ("user", replies.iter().map(result).collect()),
            Said::Model(answer) => ("assistant", blocks(answer, is_answered(call, place))),
        };
        // Roles alternate: what we say after tools have answered belongs to their message.
        match messages.last_mut() {
            Some((last, said)) if *last == role => said.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages = messages.into_iter();
    let messages: Vec<Json> =
        messages.map(|(role, blocks)| json!({"role": role, "content": blocks})).collect();
    let mut body = json!({
        "model": model,
        "max_tokens": params.most(),
        "stream": mode == Mode::Stream,
        "messages": messages,
    });
    if !call.system.is_empty() {
        body["system"] = (&*call.system).into();
    }
    if !call.tools.is_empty() {
        body["tools"] = call.tools.iter().map(tool).collect();
    }
    if let Some(temperature) = params.temperature {
        body["temperature"] = temperature.into();
    }
    if !params.stop.is_empty() {
        body["stop_sequences"] = params.stop.as_slice().into();
    }
    think(&mut body, model, params.thinking);
    if let Some(Shape::Schema(_, schema)) = shape {
        body["output_config"]["format"] = json!({"type": "json_schema", "schema": schema});
    }
    body
}

/// How much thought is asked for: later models are told how hard to try, the others how long they
/// may think.
fn think(body: &mut Json, model: &str, thinking: Option<Thinking>) {
    let is_named = ["fable", "mythos"].iter().any(|name| model.contains(name));
    let version = version(model);
    let is_adaptive = is_named || version >= (4, 6);
    let (effort, budget) = match thinking {
        None => return,
        Some(Thinking::None) => {
            // These think unless they are told not to.
            if version >= (5, 0) && !is_named {
                body["thinking"] = json!({"type": "disabled"});
            }
            return;
        }
        Some(Thinking::Low) => ("low", 1024),
        Some(Thinking::High) => ("high", 24000),
        Some(Thinking::Extended) => ("max", 24000),
    };
    if is_adaptive {
        body["thinking"] = json!({"type": "adaptive", "display": "summarized"});
        body["output_config"]["effort"] = effort.into();
    } else {
        body["thinking"] = json!({"type": "enabled", "budget_tokens": budget});
    }
}

/// The version in a name such as `claude-opus-4-6-20260101` or `claude-3-7-sonnet`.
fn version(model: &str) -> (u32, u32) {
    // Dates are longer.
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 2);
    let mut parts = model.split('-').skip_while(|part| number(part).is_none());
    let mut next = || parts.next().and_then(number).unwrap_or(0);
    (next(), next())
}

fn tool(offered: &runtime::Offered) -> Json {
    let mut tool =
        json!({"name": &*offered.name, "input_schema": foreign::to_json(&offered.input)});
    if !offered.description.is_empty() {
        tool["description"] = (&*offered.description).into();
    }
    tool
}

fn result(reply: &runtime::Reply) -> Json {
    json!({
        "type": "tool_result",
        "tool_use_id": &*reply.id,
        "content": output(reply),
        "is_error": reply.is_error,
    })
}

/// Something that a model said. What this kind of provider said goes back as it came, thoughts with
/// their signatures; from another only what everybody understands.
fn blocks(answer: &ModelAnswer, is_answered: bool) -> Vec<Json> {
    // What is asked again without its tools having answered would be refused.
    let own = own(answer).filter(|_| is_answered || answer.uses.is_empty());
    own.unwrap_or_else(|| {
        let mut blocks = Vec::new();
        let uses = answer.uses.iter().filter(|_| is_answered).map(|it| {
            let input = foreign::map_to_json(&it.input);
            json!({"type": "tool_use", "id": &*it.id, "name": &*it.name, "input": input})
        });
        if !answer.text.trim().is_empty() || !is_answered || answer.uses.is_empty() {
            blocks.push(json!({"type": "text", "text": or_nothing(&answer.text)}));
        }
        blocks.extend(uses);
        blocks
    })
}

fn own(answer: &ModelAnswer) -> Option<Vec<Json>> {
    let mut uses = answer.uses.iter();
    let mut blocks = Vec::with_capacity(answer.items.len());
    for item in &answer.items {
        let mut block = foreign::map_to_json(item);
        match block.get("type")?.as_str()? {
            "text" if text_at(&block, "/text").is_none_or(|text| text.trim().is_empty()) => {
                continue;
            }
            // By the id that we know it by: a server may have given none.
            "tool_use" => block["id"] = (&*uses.next()?.id).into(),
            _ => {}
        }
        blocks.push(block);
    }
    (!blocks.is_empty()).then_some(blocks)
}

/// Reads a whole body.
pub(super) fn read(body: &Json) -> Result<Given, Trouble> {
    if body.get("type").and_then(Json::as_str) == Some("error") {
        return Err(Trouble::reported(body.get("error").unwrap_or(body)));
    }
    let blocks = body.get("content").and_then(Json::as_array);
    let blocks = blocks.ok_or_else(|| Trouble::garbage("it has no `content`"))?;
    let of = |kind: &'static str| {
        blocks.iter().filter(move |block| block.get("type").and_then(Json::as_str) == Some(kind))
    };
    let finish = text_at(body, "/stop_reason");
    let end = match finish.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => End::Cut,
        Some("refusal") => End::Refused("the model declined to answer".into()),
        _ => End::Fine,
    };
    let uses = of("tool_use").map(|block| Wanted {
        id: text_at(block, "/id").unwrap_or_default(),
        name: text_at(block, "/name").unwrap_or_default(),
        input: block.get("input").cloned().unwrap_or_else(|| json!({})),
    });
    let thoughts: Vec<String> =
        of("thinking").filter_map(|block| text_at(block, "/thinking")).collect();
    let fresh = count(body, "/usage/input_tokens");
    let cached = count(body, "/usage/cache_read_input_tokens");
    let written = count(body, "/usage/cache_creation_input_tokens");
    Ok(Given {
        text: of("text").filter_map(|block| text_at(block, "/text")).collect(),
        reasoning: said(Some(thoughts.join("\n\n"))),
        uses: uses.collect(),
        items: blocks.clone(),
        tokens: Tokens {
            prompt: fresh.saturating_add(cached).saturating_add(written),
            cached,
            completion: count(body, "/usage/output_tokens"),
        },
        finish,
        end,
    })
}

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    blocks: Vec<(u64, Json, String)>,
    finish: Json,
    usage: serde_json::Map<String, Json>,
    error: Option<Json>,
}

impl Pieces {
    pub(super) fn take(&mut self, frame: &Json) {
        let index = || frame.get("index").and_then(Json::as_u64).unwrap_or(0);
        match frame.get("type").and_then(Json::as_str) {
            Some("message_start") => self.count(frame.pointer("/message/usage")),
            Some("content_block_start") if self.blocks.len() < BLOCKS_MAX => {
                let block = frame.get("content_block").cloned().unwrap_or_default();
                self.blocks.push((index(), block, String::new()));
            }
            Some("content_block_delta") => self.delta(index(), frame.get("delta")),
            Some("message_delta") => {
                if let Some(reason) = frame.pointer("/delta/stop_reason").filter(|it| !it.is_null())
                {
                    self.finish = reason.clone();
                }
                self.count(frame.get("usage"));
            }
            Some("error") => self.error = Some(frame.clone()),
            _ => {}
        }
    }

    /// Each piece adds to the block that it names.
    fn delta(&mut self, index: u64, delta: Option<&Json>) {
        let block = self.blocks.iter_mut().rev().find(|(known, ..)| *known == index);
        let (Some((_, block, input)), Some(delta)) = (block, delta) else { return };
        if let Some(piece) = delta.get("partial_json").and_then(Json::as_str) {
            input.push_str(piece);
        }
        for member in ["text", "thinking", "signature"] {
            let Some(piece) = delta.get(member).and_then(Json::as_str) else { continue };
            match block.get_mut(member) {
                Some(Json::String(text)) => text.push_str(piece),
                _ => block[member] = piece.into(),
            }
        }
    }

    /// The last count of each kind is the one that holds.
    fn count(&mut self, usage: Option<&Json>) {
        let counts = usage.and_then(Json::as_object).into_iter().flatten();
        let counts = counts.filter(|(_, count)| !count.is_null());
        self.usage.extend(counts.map(|(name, count)| (name.clone(), count.clone())));
    }

    pub(super) fn values(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|(_, block, _)| values(block)).sum();
        blocks + self.usage.values().map(values).sum::<usize>()
    }

    pub(super) fn is_over(&self) -> bool {
        self.error.is_some() || !self.finish.is_null()
    }

    /// As if it had come at once.
    pub(super) fn whole(self) -> Json {
        if let Some(error) = self.error {
            return error;
        }
        let blocks = self.blocks.into_iter().map(|(_, mut block, input)| {
            if !input.trim().is_empty() && block.is_object() {
                block["input"] = transport::read(input.as_bytes()).unwrap_or(Json::String(input));
            }
            block
        });
        json!({
            "content": blocks.collect::<Vec<_>>(),
            "stop_reason": self.finish,
            "usage": self.usage,
        })
    }
}

/// What a piece says.
pub(super) fn heard(frame: &Json, says: &mut dyn FnMut(Piece<'_>)) {
    let text = |member: &str| frame.get("delta")?.get(member)?.as_str();
    if let Some(thought) = text("thinking") {
        says(Piece::Thought(thought));
    }
    if let Some(text) = text("text") {
        says(Piece::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_versions() {
        for (name, found) in [
            ("claude-opus-4-6", (4, 6)),
            ("claude-opus-4-20250514", (4, 0)),
            ("claude-sonnet-4-5-20250929", (4, 5)),
            ("claude-3-7-sonnet-20250219", (3, 7)),
            ("claude-sonnet-5", (5, 0)),
            ("claude-x", (0, 0)),
            ("", (0, 0)),
        ] {
            assert_eq!(version(name), found, "{name}");
        }
    }
}
