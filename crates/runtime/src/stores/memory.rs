//! What was remembered, by time, by key or by what it says.

use graph::protocols::Protocol;
use history::Timestamp;
use value::{Map, Text, Value, json};

use super::Settings;
use super::entries::{Edit, Entries};
use super::query::{Query, id_by_content, id_of, refused, removed, text_of};
use crate::Fault;

/// What writing a value comes to. A key is what it can be recalled by.
///
/// The same thing that is remembered twice at one time is one memory.
pub(super) fn edits(
    settings: &Settings,
    key: Option<&str>,
    value: Value,
    now: Timestamp,
    made: &mut Vec<Edit>,
) -> Result<(), Fault> {
    if let Some(ids) = removed(&value) {
        made.extend(ids?.into_iter().map(|key| Edit::Remove { key }));
        return Ok(());
    }
    if let (None, Value::List(items)) = (key, &value) {
        return items.iter().try_for_each(|item| edits(settings, None, item.clone(), now, made));
    }
    let own_key = key.map(|key| ("key", Value::text(key)));
    let at = Value::text(now.to_string());
    let members: Map = match value {
        Value::Map(members) => {
            members.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Value::Text(text) => [(Text::from("text"), Value::Text(text))].into_iter().collect(),
        other => [(Text::from("value"), other)].into_iter().collect(),
    };
    let said: Map = [("at", at)]
        .into_iter()
        .chain(own_key)
        .map(|(name, value)| (Text::from(name), value))
        .chain(
            members
                .into_iter()
                .filter(|(name, _)| **name != *"at" && (key.is_none() || **name != *"key")),
        )
        .collect();
    let said = Value::from(said);
    let id = id_of(&said).unwrap_or_else(|| id_by_content(&said));
    let value =
        super::query::with("id", Value::Text(id.clone()), said.as_map().unwrap_or(&Map::default()));
    // What is remembered again is new again.
    made.push(Edit::Remove { key: id.clone() });
    made.push(Edit::Put { key: id, value });
    // Once is enough for a list.
    made.retain(|edit| !matches!(edit, Edit::Trim(_)));
    made.push(Edit::Trim(settings.keep as usize));
    Ok(())
}

/// What answers a query.
pub(super) fn read(
    entries: &mut Entries,
    settings: &Settings,
    query: Option<&Value>,
    now: Timestamp,
) -> Result<Value, Fault> {
    let no_members = Map::default();
    let (members, text) = match query {
        None | Some(Value::Null) => (&no_members, None),
        Some(Value::Text(text)) => (&no_members, Some(text)),
        Some(Value::Map(members)) => (&**members, None),
        Some(other) => {
            return Err(refused(format!(
                "a memory is asked with a text or an object, not with {}",
                other.kind()
            )));
        }
    };
    let query = Query::new(Protocol::Memory, members, &["text", "key", "since", "limit"])?;
    let text = text.or(query.text("text")?);
    let limit = query.whole("limit", settings.limit)?;
    let since = since(&query, now)?;
    let key = query.get("key");
    let fits = |value: &Value| {
        let at = at(value);
        let is_known = settings.ttl_s.is_none_or(|ttl| now < after(at, ttl));
        is_known
            && since.is_none_or(|since| since <= at)
            && key.is_none_or(|key| value.get("key") == Some(key))
    };
    if let Some(text) = text {
        let found = entries.search(text, limit, 0.0, text_of, fits);
        return Ok(Value::list(found.into_iter().map(|(score, value)| {
            let mut shown = value.as_map().cloned().unwrap_or_default();
            shown.insert("score".into(), Value::Float(score));
            Value::from(shown)
        })));
    }
    let mut found: Vec<&Value> = entries.values().rev().filter(|value| fits(value)).collect();
    // Several runs write to one store, and their clocks need not agree with the order of writing.
    found.sort_by_key(|value| std::cmp::Reverse(at(value)));
    Ok(Value::list(found.into_iter().take(limit).cloned()))
}

/// When something was remembered; what does not say so is as old as can be.
fn at(value: &Value) -> Timestamp {
    let at = value.get("at").and_then(Value::as_text).and_then(|at| Timestamp::parse(at));
    at.unwrap_or(Timestamp::from_micros(i64::MIN))
}

fn after(at: Timestamp, seconds: u64) -> Timestamp {
    let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    Timestamp::from_micros(at.micros().saturating_add(micros))
}

/// A time, or how many seconds ago.
fn since(query: &Query<'_>, now: Timestamp) -> Result<Option<Timestamp>, Fault> {
    let wrong = |value: &Value| {
        refused(format!(
            "`since` is a time such as `2026-01-31T12:00:00Z` or a number of seconds, not {}",
            json::compact(value)
        ))
    };
    Ok(Some(match query.get("since") {
        None => return Ok(None),
        Some(value @ Value::Text(text)) => Timestamp::parse(text).ok_or_else(|| wrong(value))?,
        Some(Value::Int(seconds)) => {
            Timestamp::from_micros(now.micros().saturating_sub(seconds.saturating_mul(1_000_000)))
        }
        Some(Value::Float(seconds)) => {
            Timestamp::from_micros(now.micros().saturating_sub((seconds * 1e6) as i64))
        }
        Some(value) => return Err(wrong(value)),
    }))
}
