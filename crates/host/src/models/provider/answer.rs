//! From what a provider sent to what the core takes.

use std::sync::Arc;

use runtime::{ModelAnswer, ToolUse};
use serde_json::Value as Json;
use value::{Map, Text, Value};

use super::foreign;
use super::price::Price;
use super::retry::Trouble;
use crate::models::named::{Protocol, Target};

/// The largest answer that is taken: larger ones are no answers, and histories keep them for ever.
pub(super) const BYTES_MAX: usize = 16 << 20;

/// The most values that are taken in one answer, for the same reason.
pub(super) const VALUES_MAX: usize = 1 << 17;

/// How deeply what a model sends may be nested, as events can hold it.
const DEPTH_MAX: usize = 64;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Of the question, with those that the provider still had.
    pub(crate) prompt: u64,
    /// Those that it still had.
    pub(crate) cached: u64,
    /// Of the answer, with those of what was thought.
    pub(crate) completion: u64,
}

/// A tool that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Json,
}

/// How an answer ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum End {
    #[default]
    Fine,
    /// There was no room for more.
    Cut,
    /// The model or its provider did not want to, and why.
    Refused(String),
}

/// An answer, as every provider's is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) reasoning: Option<Text>,
    pub(super) uses: Vec<Wanted>,
    pub(super) items: Vec<Json>,
    pub(super) tokens: Tokens,
    pub(super) finish: Option<String>,
    pub(super) end: End,
}

/// Reads a whole body.
pub(super) fn read(protocol: Protocol, body: &Json, place: usize) -> Result<Given, Trouble> {
    match protocol {
        Protocol::OpenAi => super::openai::read(body),
        Protocol::Anthropic => super::anthropic::read(body),
        Protocol::Gemini => super::gemini::read(body, place),
    }
}

/// An answer that the core can take, or why there is none.
pub(super) fn settled(
    target: &Target,
    given: Given,
    is_shaped: bool,
) -> Result<ModelAnswer, Trouble> {
    let size = given.text.len() + given.items.iter().map(size).sum::<usize>();
    if size > BYTES_MAX {
        return Err(Trouble::too_large());
    }
    match given.end {
        End::Refused(why) => return Err(Trouble::refused(&why, given.finish)),
        End::Cut => return Err(cut(&given, is_shaped)),
        End::Fine => {}
    }
    let mut uses: Vec<ToolUse> = Vec::with_capacity(given.uses.len());
    for (at, wanted) in given.uses.into_iter().enumerate() {
        uses.push(tool_use(wanted, at, &uses)?);
    }
    if given.text.trim().is_empty() && uses.is_empty() {
        return Err(Trouble::empty(given.finish.as_deref()));
    }
    let price = target.price.clone().or_else(|| Price::known(&target.model));
    let cost = price.and_then(|price| price.of(&given.tokens));
    Ok(ModelAnswer {
        text: given.text.into(),
        reasoning: given.reasoning,
        uses,
        items: given.items.iter().filter_map(item).collect(),
        prompt_tokens: given.tokens.prompt,
        completion_tokens: given.tokens.completion,
        finish_reason: given.finish.map(Text::from),
        cost: cost.map(|cost| cost.to_string().into()),
    })
}

/// What the provider sent is kept as it is, unless no event could hold it.
fn item(item: &Json) -> Option<Arc<Map>> {
    let is_held = depth(item) <= DEPTH_MAX;
    match is_held.then(|| foreign::from_json(item)).flatten()? {
        Value::Map(map) => Some(map),
        _ => None,
    }
}

fn tool_use(wanted: Wanted, at: usize, before: &[ToolUse]) -> Result<ToolUse, Trouble> {
    let Wanted { id, name, input } = wanted;
    if name.is_empty() {
        return Err(Trouble::again("the model wanted a tool without saying which"));
    }
    let unreadable =
        || Trouble::again(format!("what the model wants to give `{name}` is no JSON object"));
    let input = match Some(input).filter(|input| depth(input) <= DEPTH_MAX) {
        Some(input) => foreign::from_json(&input),
        None => None,
    };
    let Some(Value::Map(input)) = input else { return Err(unreadable()) };
    // Answers are told apart by these: no two may be the same, and none may be empty.
    let is_taken = id.is_empty() || before.iter().any(|other| *other.id == *id);
    let id = if is_taken { format!("call_{}{}", id, at + 1) } else { id };
    Ok(ToolUse { id: id.into(), name: name.into(), input: Arc::unwrap_or_clone(input) })
}

fn cut(given: &Given, is_shaped: bool) -> Trouble {
    let so_far = if !given.uses.is_empty() {
        "in the middle of what it wanted to give a tool"
    } else if given.text.trim().is_empty() {
        "before it said anything, perhaps while it thought"
    } else if is_shaped || given.text.trim_start().starts_with(['{', '[']) {
        "in the middle of its JSON"
    } else {
        "in the middle of its text"
    };
    Trouble::cut(so_far, given.tokens.completion, given.finish.clone())
}

fn size(item: &Json) -> usize {
    match item {
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(name, it)| name.len() + size(it)).sum(),
        _ => 8,
    }
}

/// How many values something is made of.
pub(super) fn values(item: &Json) -> usize {
    match item {
        Json::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
        Json::Object(members) => 1 + members.values().map(values).sum::<usize>(),
        _ => 1,
    }
}

fn depth(item: &Json) -> usize {
    match item {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// A text somewhere in an answer.
pub(super) fn text_at(value: &Json, place: &str) -> Option<String> {
    value.pointer(place)?.as_str().map(str::to_owned)
}

/// A count somewhere in an answer.
pub(super) fn count(value: &Json, place: &str) -> u64 {
    value.pointer(place).and_then(Json::as_u64).unwrap_or(0)
}

/// Something that was said, unless it is nothing.
pub(super) fn said(text: Option<String>) -> Option<Text> {
    text.filter(|text| !text.trim().is_empty()).map(Text::from)
}
