//! Statements, found by patterns.

use graph::protocols::Protocol;
use value::{Map, Text, Value, digest};

use super::Settings;
use super::entries::{Edit, Entries};
use super::query::{Query, only, refused};
use crate::Fault;

/// What writing a value comes to. A fact is all that it says; a key says nothing.
pub(super) fn edits(value: &Value, made: &mut Vec<Edit>) -> Result<(), Fault> {
    if let Some(facts) = only(value, "retract") {
        return facts.iter().try_for_each(|fact| {
            made.push(Edit::Remove { key: key(fact)? });
            Ok(())
        });
    }
    if let Value::List(items) = value {
        return items.iter().try_for_each(|item| edits(item, made));
    }
    made.push(Edit::Put { key: key(value)?, value: value.clone() });
    Ok(())
}

/// What a fact is known by. Facts that compare equal have one key, whatever their order.
pub(super) fn key(fact: &Value) -> Result<Text, Fault> {
    match fact {
        Value::Map(_) => Ok(format!("{:x}", digest(fact))[..32].into()),
        other => Err(refused(format!("{} is no fact: write an object", other.kind()))),
    }
}

/// How many comparisons one query may take.
const WORK_MAX: usize = 2_000_000;

/// What answers a query.
pub(super) fn read(
    entries: &Entries,
    settings: &Settings,
    query: Option<&Value>,
) -> Result<Value, Fault> {
    let members = match query {
        None => return Ok(Value::list(entries.values().cloned())),
        Some(Value::Map(members)) => &**members,
        Some(other) => {
            return Err(refused(format!(
                "a fact store is asked with a pattern, which is an object, not with {}",
                other.kind()
            )));
        }
    };
    if members.get("match").is_none_or(|patterns| patterns.as_list().is_none()) {
        let nothing = Map::default();
        let found = entries.values().filter(|fact| matched(fact, members, &nothing).is_some());
        return Ok(Value::list(found.take(settings.limit as usize).cloned()));
    }
    let query = Query::new(Protocol::Fact, members, &["match", "limit"])?;
    let limit = query.whole("limit", settings.limit)?;
    let patterns = query.get("match").and_then(Value::as_list).unwrap_or_default();
    let patterns: Option<Vec<&Map>> = patterns.iter().map(Value::as_map).collect();
    let patterns =
        patterns.ok_or_else(|| refused("`match` is a list of patterns, which are objects"))?;
    together(entries, &patterns, limit)
}

/// What the variables stand for where all patterns hold, each way once, in the order of the facts.
fn together(entries: &Entries, patterns: &[&Map], limit: usize) -> Result<Value, Fault> {
    let mut ways = vec![Map::default()];
    let mut work = 0;
    for pattern in patterns {
        let mut next: Vec<Map> = Vec::new();
        for way in &ways {
            for fact in entries.values() {
                work += 1;
                if work > WORK_MAX {
                    return Err(refused(format!(
                        "the patterns take more than {WORK_MAX} comparisons: put the one that \
                         fewest facts fit first"
                    )));
                }
                next.extend(matched(fact, pattern, way));
            }
        }
        ways = next;
    }
    let mut told: Vec<Value> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for way in ways.into_iter().map(Value::from) {
        if told.len() == limit {
            break;
        }
        if known.insert(digest(&way)) {
            told.push(way);
        }
    }
    Ok(Value::list(told))
}

/// What the variables stand for where a fact fits a pattern; nothing where it does not.
fn matched(fact: &Value, pattern: &Map, before: &Map) -> Option<Map> {
    let mut bound: Option<Map> = None;
    for (name, wanted) in pattern {
        let own = fact.get(name)?;
        match variable(wanted) {
            None if own == wanted => {}
            None => return None,
            Some(variable) => {
                let known = bound.as_ref().unwrap_or(before).get(variable);
                match known {
                    Some(known) if known == own => {}
                    Some(_) => return None,
                    None => {
                        let bound = bound.get_or_insert_with(|| before.clone());
                        bound.insert(variable.into(), own.clone());
                    }
                }
            }
        }
    }
    Some(bound.unwrap_or_else(|| before.clone()))
}

/// The name of a variable: `?x` is `x`. A `?` alone stands for anything, each for itself.
fn variable(wanted: &Value) -> Option<&str> {
    wanted.as_text()?.strip_prefix('?').filter(|name| !name.is_empty())
}
