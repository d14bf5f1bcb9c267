//! Documents by id, found by their fields.

use graph::protocols::Protocol;
use value::{Map, Value};

use super::Settings;
use super::entries::{Edit, Entries};
use super::query::{Query, id_by_content, id_of, id_text, is_wanted, refused, removed, with};
use crate::Fault;

/// What writing a value comes to. A key becomes the id.
pub(super) fn edits(key: Option<&str>, value: Value, made: &mut Vec<Edit>) -> Result<(), Fault> {
    if let Some(ids) = removed(&value) {
        made.extend(ids?.into_iter().map(|key| Edit::Remove { key }));
        return Ok(());
    }
    match (key, value) {
        (None, Value::List(items)) => {
            items.iter().try_for_each(|item| edits(None, item.clone(), made))
        }
        (key, Value::Map(members)) => {
            let id = key.map(Into::into).or_else(|| id_of(&Value::Map(members.clone())));
            let id = id.unwrap_or_else(|| id_by_content(&Value::Map(members.clone())));
            let value = with("id", Value::Text(id.clone()), &members);
            made.push(Edit::Put { key: id, value });
            Ok(())
        }
        (_, other) => Err(refused(format!("{} is no document: write an object", other.kind()))),
    }
}

const WORDS: [&str; 6] = ["id", "where", "order_by", "descending", "limit", "skip"];

/// What answers a query.
pub(super) fn read(
    entries: &Entries,
    settings: &Settings,
    query: Option<&Value>,
) -> Result<Value, Fault> {
    let no_members = Map::default();
    let members = match query {
        None => &no_members,
        Some(Value::Null) => return Ok(Value::Null),
        Some(Value::Map(members)) => &**members,
        Some(id) => {
            let id = id_text(id).ok_or_else(|| {
                refused(format!(
                    "a doc store is asked with an id or an object, not with {}",
                    id.kind()
                ))
            })?;
            return Ok(entries.get(&id).cloned().into());
        }
    };
    // An object of other members says itself what the fields must be.
    let is_plain = members.keys().any(|name| !WORDS.contains(&&**name));
    let query = Query::new(Protocol::Doc, if is_plain { &no_members } else { members }, &WORDS)?;
    if let Some(id) = query.id("id")? {
        return Ok(entries.get(&id).cloned().into());
    }
    let wanted = if is_plain { Some(members) } else { query.map("where")? };
    let (limit, skip) = (query.whole("limit", settings.limit)?, query.whole("skip", 0)?);
    let fits = |value: &&Value| {
        let mut wanted = wanted.into_iter().flat_map(Map::iter);
        wanted.all(|(name, wanted)| is_wanted(value.get(name).unwrap_or(&Value::Null), wanted))
    };
    let found = entries.values().filter(fits).cloned();
    let Some(field) = query.text("order_by")? else {
        return Ok(Value::list(found.skip(skip).take(limit)));
    };
    let sorted = functions::sort(&Value::list(found), field, query.flag("descending")?)?;
    let sorted = sorted.as_list().unwrap_or_default().iter();
    Ok(Value::list(sorted.skip(skip).take(limit).cloned()))
}
