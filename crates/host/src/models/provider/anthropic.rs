//! Anthropic's messages: what an answer says, and how one is put together from its pieces.

use genai::chat::{ContentPart, ToolCall};
use serde_json::{Value as Json, json};

use super::answer::{End, Given, Tokens, Wanted, count, said, text_at};
use super::retry::Trouble;

/// No answer has more parts.
const BLOCKS_MAX: usize = 1024;

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
                block["input"] = serde_json::from_str(&input).unwrap_or(Json::String(input));
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

/// What this kind of provider said, as it said it: thoughts with their signatures first.
pub(super) fn parts(items: &[Json]) -> Option<Vec<ContentPart>> {
    let kind = |block: &Json| block.get("type").and_then(Json::as_str).map(str::to_owned);
    if items.is_empty() || items.iter().any(|block| kind(block).is_none()) {
        return None;
    }
    let part = |block: &Json| match kind(block).as_deref() {
        Some("text") => text_at(block, "/text")
            .filter(|text| !text.trim().is_empty())
            .map(ContentPart::from_text),
        Some("tool_use") => Some(ContentPart::ToolCall(ToolCall {
            call_id: text_at(block, "/id")?,
            fn_name: text_at(block, "/name")?,
            fn_arguments: block.get("input").cloned().unwrap_or_else(|| json!({})),
            thought_signatures: None,
        })),
        _ => Some(ContentPart::from_custom(block.clone(), None)),
    };
    let parts: Vec<ContentPart> = items.iter().filter_map(part).collect();
    (!parts.is_empty()).then_some(parts)
}
