//! Caches and memory: values by key, each with the time until which it is there. What its time is
//! over for is as if it were not there, whether or not somebody has taken it away.

use std::borrow::Cow;
use std::collections::BTreeMap;

use history::Timestamp;
use value::{Map, Text, Value, json};

use super::Deed;
use super::entries::{Edit, Entries};
use super::query::{refused, text_of};
use crate::Fault;

/// So many records answer a search that does not say.
const FOUND_MAX: usize = 5;

/// Numbers up to here are exact everywhere.
const EXACT_MAX: f64 = (1u64 << 53) as f64;

/// What writing comes to. `once` is another one for every effect, and the same for its attempts.
pub(super) fn edits(
    deed: Deed,
    args: &Map,
    now: Timestamp,
    once: &str,
) -> Result<Vec<Edit>, Fault> {
    let mut until = until(args.get("ttl_s"), now)?.map(|until| ("until", Value::Int(until)));
    let mut record = |members: &[&'static str]| {
        let at = ("at", Value::text(now.to_string()));
        let given = |name: &&'static str| Some((*name, args.get(name)?.clone()));
        let given = members.iter().filter_map(given);
        Value::map(given.chain([at]).chain(until.take()))
    };
    Ok(match deed {
        Deed::Set => {
            let value = args.get("value").cloned().unwrap_or_default();
            let value = Value::map([("value", value)].into_iter().chain(until));
            vec![Edit::Put { key: text_at(args, "key"), value }]
        }
        Deed::Remember => {
            let value = record(&["kind", "id", "payload", "learned_from", "edge_type"]);
            let key = key_of(args);
            // What was added to it before goes with it.
            vec![Edit::RemoveUnder { prefix: key.clone() }, Edit::Put { key, value }]
        }
        Deed::Append => {
            let value = record(&["kind", "id", "entry"]);
            vec![Edit::Put { key: format!("{}{once}", key_of(args)).into(), value }]
        }
        Deed::Forget => vec![Edit::RemoveUnder { prefix: key_of(args) }],
        Deed::Prune => vec![Edit::Forget(now.micros())],
        _ => Vec::new(),
    })
}

/// What reading gives.
pub(super) fn read(
    entries: &mut Entries,
    deed: Deed,
    args: &Map,
    now: Timestamp,
) -> Result<Value, Fault> {
    Ok(match deed {
        Deed::Get => cached(entries.get(&text_at(args, "key")), args, now),
        Deed::Recall => {
            let wanted = (text_at(args, "kind"), text_at(args, "id"));
            let all = collected(entries, now, |kind, id| *kind == wanted.0 && *id == wanted.1);
            all.into_iter().next().map(|record| record.payload()).into()
        }
        Deed::List => {
            let all = collected(entries, now, |kind, id| fits(args, kind, id));
            Value::list(all.into_iter().map(|record| record.shown()))
        }
        Deed::Load => {
            let all = collected(entries, now, |kind, id| fits(args, kind, id));
            Value::map(all.into_iter().map(|record| (record.id.clone(), record.payload())))
        }
        Deed::Search => {
            let text = args.get("text").map(text_of).unwrap_or_default().into_owned();
            let limit = whole(args.get("limit"), "limit")?.unwrap_or(FOUND_MAX);
            let found = entries.search(&text, limit, 0.0, searched, |row| is_there(row, now));
            Value::list(found.into_iter().map(|(score, row)| {
                let mut shown = row.as_map().cloned().unwrap_or_default();
                shown.insert("score".into(), Value::Float(score));
                Value::from(shown)
            }))
        }
        _ => Value::Null,
    })
}

/// What a cache gives for what it has behind a key: where there is nothing, or its time is over,
/// what is given instead.
pub fn cached(entry: Option<&Value>, args: &Map, now: Timestamp) -> Value {
    let found = entry.filter(|entry| is_there(entry, now)).and_then(|entry| entry.get("value"));
    found.or_else(|| args.get("default")).cloned().into()
}

/// The key that a cache keeps something behind.
pub fn cache_key(args: &Map) -> Text {
    text_at(args, "key")
}

/// A value as the name of something: text as it is, anything else as JSON.
pub(crate) fn name_of(value: &Value) -> Text {
    match value {
        Value::Text(text) => text.clone(),
        other => json::canonical(other).into(),
    }
}

/// A whole number from 0 on, where one is given. Programs write numbers as text, too.
pub(super) fn whole(value: Option<&Value>, what: &str) -> Result<Option<usize>, Fault> {
    let Some(given) = value.filter(|value| !matches!(value, Value::Null)) else { return Ok(None) };
    match number(given).filter(|number| number.fract() == 0.0 && (0.0..1e9).contains(number)) {
        Some(number) => Ok(Some(number as usize)),
        None => {
            let given = json::compact(given);
            Err(refused(format!("`{what}` is a whole number from 0 on, not {given}")))
        }
    }
}

/// A number, or a text that is one.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// Until when something is there that is written now, in microseconds; forever where no time is
/// given, or none at all.
fn until(ttl_s: Option<&Value>, now: Timestamp) -> Result<Option<i64>, Fault> {
    let Some(given) = ttl_s.filter(|given| !matches!(given, Value::Null)) else { return Ok(None) };
    let seconds = number(given).ok_or_else(|| {
        refused(format!("a time to live is a number of seconds, not {}", json::compact(given)))
    })?;
    let until = (now.micros() as f64 + (seconds * 1e6).round()).clamp(-EXACT_MAX, EXACT_MAX);
    Ok((seconds != 0.0).then_some(until as i64))
}

fn is_there(row: &Value, now: Timestamp) -> bool {
    !matches!(row.get("until"), Some(Value::Int(until)) if *until <= now.micros())
}

fn text_at(args: &Map, name: &str) -> Text {
    args.get(name).map_or_else(|| "".into(), name_of)
}

/// Where the rows of a record are: behind keys that begin so, and no others'.
fn key_of(args: &Map) -> Text {
    let both = ["kind", "id"].map(|name| Value::Text(text_at(args, name)));
    json::canonical(&Value::list(both)).into()
}

fn fits(args: &Map, kind: &Text, id: &Text) -> bool {
    let given = |name: &str| args.get(name).filter(|value| !matches!(value, Value::Null));
    given("kind").is_none_or(|wanted| name_of(wanted) == *kind)
        && given("prefix").is_none_or(|prefix| id.starts_with(&*name_of(prefix)))
}

/// What was kept under one id, with what was added to it.
struct Record<'e> {
    id: Text,
    /// The row of the record itself, else the first that was added.
    first: &'e Value,
    kept: Option<&'e Value>,
    added: Vec<&'e Value>,
}

impl Record<'_> {
    fn payload(&self) -> Value {
        let kept = self.kept.cloned();
        if self.added.is_empty() {
            return kept.unwrap_or_default();
        }
        let begins = match kept {
            Some(Value::List(items)) => items.to_vec(),
            other => other.into_iter().collect(),
        };
        Value::list(begins.into_iter().chain(self.added.iter().copied().cloned()))
    }

    fn shown(&self) -> Value {
        let mut shown = self.first.as_map().cloned().unwrap_or_default();
        shown.remove("entry");
        shown.insert("payload".into(), self.payload());
        shown.into()
    }
}

/// The records that are there, in the order in which they were first written.
fn collected<'e>(
    entries: &'e Entries,
    now: Timestamp,
    wanted: impl Fn(&Text, &Text) -> bool,
) -> Vec<Record<'e>> {
    let mut all: Vec<Record<'e>> = Vec::new();
    let mut places: BTreeMap<(Text, Text), usize> = BTreeMap::new();
    for row in entries.values().filter(|row| is_there(row, now)) {
        let member = |name: &str| row.get(name).map_or_else(|| "".into(), name_of);
        let (kind, id) = (member("kind"), member("id"));
        if !wanted(&kind, &id) {
            continue;
        }
        let place = *places.entry((kind, id.clone())).or_insert_with(|| {
            all.push(Record { id, first: row, kept: None, added: Vec::new() });
            all.len() - 1
        });
        match row.get("entry") {
            Some(entry) => all[place].added.push(entry),
            None => all[place].kept = Some(row.get("payload").unwrap_or(&Value::Null)),
        }
    }
    all
}

/// What of a row is searched: its id, and what was kept.
fn searched(row: &Value) -> Cow<'_, str> {
    let id = row.get("id").map_or_else(|| "".into(), name_of);
    let said = row.get("payload").or_else(|| row.get("entry"));
    let said = said.map(text_of).unwrap_or_default();
    Cow::Owned(format!("{id}\n{said}"))
}
