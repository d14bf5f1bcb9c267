//! Texts, found by a text that is like them.

use graph::protocols::Protocol;
use value::{Map, Text, Value};

use super::entries::{Edit, Entries};
use super::query::{Query, has, id_by_content, id_of, refused, removed, text_of, with};
use super::records::{name_of, whole};
use super::{Deed, Settings};
use crate::Fault;

/// What writing a value comes to. A key becomes the id.
pub(super) fn edits(key: Option<&str>, value: Value, made: &mut Vec<Edit>) -> Result<(), Fault> {
    if let Some(ids) = removed(&value) {
        made.extend(ids?.into_iter().map(|key| Edit::Remove { key }));
        return Ok(());
    }
    let value = match (key, value) {
        (None, Value::List(items)) => {
            return items.iter().try_for_each(|item| edits(None, item.clone(), made));
        }
        (Some(key), Value::Map(members)) => with("id", Value::text(key), &members),
        (Some(key), value) => {
            let text = text_of(&value).into_owned();
            Value::map([("id", Value::text(key)), ("text", Value::text(text))])
        }
        (None, value) => value,
    };
    made.push(held(value));
    Ok(())
}

/// How a document is kept: behind its id, where it has one.
pub(super) fn held(value: Value) -> Edit {
    match id_of(&value) {
        Some(key) => Edit::Put { key, value },
        None => Edit::Push(value),
    }
}

/// What answers a query.
pub(super) fn read(
    entries: &mut Entries,
    settings: &Settings,
    query: Option<&Value>,
) -> Result<Value, Fault> {
    let no_members = Map::default();
    let (query, text) = match query {
        None => return Ok(Value::list(entries.values().cloned())),
        Some(Value::Null) => (&no_members, Some(Text::from(""))),
        Some(Value::Text(text)) => (&no_members, Some(text.clone())),
        Some(Value::Map(members)) => (&**members, None),
        Some(other) => {
            return Err(refused(format!(
                "a vector store is asked with a text or an object, not with {}",
                other.kind()
            )));
        }
    };
    let query = Query::new(Protocol::Vector, query, &["text", "top_k", "filter", "min_score"])?;
    let text = text.or(query.text("text")?.cloned());
    let count = query.whole("top_k", settings.limit)?;
    let min_score = query.number("min_score")?.unwrap_or(f64::from(settings.min_score) / 1e6);
    let filter = query.map("filter")?;
    let fits = |value: &Value| filter.is_none_or(|filter| has(value, filter));
    let found = match text {
        Some(text) => entries.search(&text, count, min_score, text_of, fits),
        // Without a text nothing is better than anything else.
        None => {
            entries.values().filter(|value| fits(value)).take(count).map(|it| (0.0, it)).collect()
        }
    };
    Ok(Value::list(found.into_iter().map(|(score, value)| shown(score, value))))
}

/// What keeping a text by its id comes to.
pub(super) fn upserted(args: &Map) -> Edit {
    let id = args.get("id").map_or_else(|| "".into(), name_of);
    let text = args.get("text").map(text_of).unwrap_or_default().into_owned();
    let metadata = args.get("metadata").filter(|given| !matches!(given, Value::Null));
    let metadata = metadata.map(|metadata| ("metadata", metadata.clone()));
    let own = [("id", Value::Text(id.clone())), ("text", Value::text(text))];
    Edit::Put { key: id, value: Value::map(own.into_iter().chain(metadata)) }
}

/// The texts that are like a text, or like one of them, which is not found itself.
pub(super) fn found(
    entries: &mut Entries,
    settings: &Settings,
    deed: Deed,
    args: &Map,
) -> Result<Value, Fault> {
    let count = whole(args.get("top_k"), "top_k")?.unwrap_or(settings.limit as usize);
    let least = f64::from(settings.min_score) / 1e6;
    let id = (deed == Deed::Similar).then(|| args.get("id").map_or_else(|| "".into(), name_of));
    let text = match &id {
        Some(id) => match entries.get(id) {
            Some(kept) => text_of(kept).into_owned(),
            None => return Ok(Value::list([])),
        },
        None => args.get("text").map(text_of).unwrap_or_default().into_owned(),
    };
    let is_other = |value: &Value| id.is_none() || id_of(value) != id;
    let found = entries.search(&text, count, least, text_of, is_other);
    Ok(Value::list(found.into_iter().map(|(score, value)| shown(score, value))))
}

/// A match: its id, its text and its score, then whatever else it has.
fn shown(score: f64, value: &Value) -> Value {
    let id = id_of(value).unwrap_or_else(|| id_by_content(value));
    let own = [
        ("id", Value::Text(id)),
        ("text", Value::text(text_of(value).into_owned())),
        ("score", Value::Float(score)),
    ];
    let own_names = own.clone().map(|(name, _)| name);
    let others = value.as_map().into_iter().flat_map(Map::iter);
    let others = others.filter(|(name, _)| !own_names.contains(&&***name));
    let others = others.map(|(name, value)| (name.clone(), value.clone()));
    Value::map(own.map(|(name, value)| (Text::from(name), value)).into_iter().chain(others))
}
