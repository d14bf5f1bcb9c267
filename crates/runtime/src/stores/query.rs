//! Reads what stores are asked and given, and says what is wrong with it.

use std::borrow::Cow;

use graph::protocols::Protocol;
use value::{Map, Text, Value, digest, json};

use crate::{Fault, FaultKind};

pub(super) fn refused(why: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Store, why.into())
}

/// The members of a query. One that is null was not given: a schema fills in what is missing so.
pub(super) struct Query<'q> {
    members: &'q Map,
    of: &'static str,
}

impl<'q> Query<'q> {
    /// A query that has none but these members.
    pub(super) fn new(of: Protocol, members: &'q Map, known: &[&str]) -> Result<Query<'q>, Fault> {
        let of = of.def().word;
        let unknown = members
            .iter()
            .find(|(name, value)| !matches!(value, Value::Null) && !known.contains(&&***name));
        if let Some((name, _)) = unknown {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            return Err(refused(format!(
                "a query of a {of} store has no `{name}`: it can have {}",
                known.join(", ")
            )));
        }
        Ok(Query { members, of })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'q Value> {
        self.members.get(name).filter(|value| !matches!(value, Value::Null))
    }

    fn wrong(&self, name: &str, wanted: &str) -> Fault {
        let value = self.get(name).map_or("missing", Value::kind);
        refused(format!("`{name}` in a query of a {} store is {value}, not {wanted}", self.of))
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'q Text>, Fault> {
        let text = self.get(name).map(|value| value.as_text().ok_or(()));
        text.transpose().map_err(|()| self.wrong(name, "text"))
    }

    pub(super) fn id(&self, name: &str) -> Result<Option<Text>, Fault> {
        let id = self.get(name).map(|value| id_text(value).ok_or(()));
        id.transpose().map_err(|()| self.wrong(name, "text or a whole number"))
    }

    pub(super) fn map(&self, name: &str) -> Result<Option<&'q Map>, Fault> {
        let map = self.get(name).map(|value| value.as_map().ok_or(()));
        map.transpose().map_err(|()| self.wrong(name, "an object"))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Fault> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// A whole number from 0 on.
    pub(super) fn whole(&self, name: &str, default: u32) -> Result<usize, Fault> {
        let number = match self.get(name) {
            None => return Ok(default as usize),
            Some(Value::Int(number)) => usize::try_from(*number).ok(),
            // A model writes `5.0` as readily as `5`.
            Some(Value::Float(number)) if number.fract() == 0.0 && (0.0..1e9).contains(number) => {
                Some(*number as usize)
            }
            Some(_) => None,
        };
        number.ok_or_else(|| self.wrong(name, "a whole number from 0 on"))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number as f64)),
            Some(Value::Float(number)) => Ok(Some(*number)),
            Some(_) => Err(self.wrong(name, "a number")),
        }
    }
}

/// An id: text, or a whole number as text.
pub(super) fn id_text(value: &Value) -> Option<Text> {
    match value {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        Value::Int(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// The id that an object says it has.
pub(super) fn id_of(value: &Value) -> Option<Text> {
    value.get("id").and_then(id_text)
}

/// An id that follows from what a value says.
pub(super) fn id_by_content(value: &Value) -> Text {
    format!("{:x}", digest(value))[..16].into()
}

/// What an object wants done that has this one member: the items behind it, one or a list.
pub(super) fn only<'v>(value: &'v Value, member: &str) -> Option<&'v [Value]> {
    let members = value.as_map().filter(|members| members.len() == 1)?;
    let wanted = members.get(member)?;
    Some(wanted.as_list().unwrap_or_else(|| std::slice::from_ref(wanted)))
}

/// The ids that `{remove: ...}` names.
pub(super) fn removed(value: &Value) -> Option<Result<Vec<Text>, Fault>> {
    let ids = only(value, "remove")?.iter();
    let ids = ids.map(|id| {
        id_text(id).ok_or_else(|| {
            refused(format!("what is removed is named by its id, not by {}", id.kind()))
        })
    });
    Some(ids.collect())
}

/// An object with one member before its others.
pub(super) fn with(name: &str, value: Value, others: &Map) -> Value {
    let others = others.iter().filter(|(own, _)| ***own != *name);
    let others = others.map(|(name, value)| (name.clone(), value.clone()));
    Value::map([(Text::from(name), value)].into_iter().chain(others))
}

/// What of a value is searched: a text is its own; of an object `text`, else `content`, else all
/// texts in it but its `id`, in their order.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::Map(members) => {
            let given = ["text", "content"].iter().find_map(|name| members.get(name)?.as_text());
            match given {
                Some(text) => Cow::Borrowed(text),
                None => Cow::Owned(texts_in(members)),
            }
        }
        other => Cow::Owned(json::compact(other)),
    }
}

fn texts_in(members: &Map) -> String {
    let mut all = String::new();
    let own = members.iter().filter(|(name, _)| ***name != *"id");
    let mut left: Vec<&Value> = own.map(|(_, value)| value).collect();
    left.reverse();
    while let Some(value) = left.pop() {
        match value {
            Value::Text(text) => {
                if !all.is_empty() {
                    all.push('\n');
                }
                all.push_str(text);
            }
            Value::List(items) => left.extend(items.iter().rev()),
            Value::Map(members) => {
                let begin = left.len();
                left.extend(members.values());
                left[begin..].reverse();
            }
            _ => {}
        }
    }
    all
}

/// Whether a value has these members, itself or in its `metadata`.
pub(super) fn has(value: &Value, members: &Map) -> bool {
    let metadata = value.get("metadata");
    members.iter().filter(|(_, wanted)| !matches!(wanted, Value::Null)).all(|(name, wanted)| {
        let own = value.get(name).or_else(|| metadata?.get(name));
        own.is_some_and(|own| is_wanted(own, wanted))
    })
}

/// A list of what is wanted means any of it.
pub(super) fn is_wanted(own: &Value, wanted: &Value) -> bool {
    own == wanted || wanted.as_list().is_some_and(|any| any.contains(own))
}
