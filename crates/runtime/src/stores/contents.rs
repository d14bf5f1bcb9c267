//! What is in a store, and what reading and writing do with it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use value::{Map, Value, json};

use super::StoreKind;
use crate::{Fault, FaultKind};

/// What is in a store. A copy costs nothing until one of the two is written to.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    kind: StoreKind,
    held: Held,
}

#[derive(Clone, Debug, PartialEq)]
enum Held {
    ByKey(Arc<Map>),
    Waiting(Arc<VecDeque<Value>>),
    InOrder(Arc<Vec<Value>>),
}

/// So many items answer a search.
pub const FOUND_MAX: usize = 5;

impl Contents {
    /// An empty store.
    pub fn new(kind: StoreKind) -> Contents {
        let held = match kind {
            StoreKind::Kv | StoreKind::Blackboard => Held::ByKey(Arc::default()),
            StoreKind::Queue => Held::Waiting(Arc::default()),
            StoreKind::File | StoreKind::Relational | StoreKind::Items => {
                Held::InOrder(Arc::default())
            }
        };
        Contents { kind, held }
    }

    /// What kind of store it is.
    pub fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match &self.held {
            Held::ByKey(map) => map.is_empty(),
            Held::Waiting(values) => values.is_empty(),
            Held::InOrder(items) => items.is_empty(),
        }
    }

    /// Reads.
    ///
    /// | kind | without a key | with one |
    /// |---|---|---|
    /// | kv, blackboard | everything | the value under the key, or null |
    /// | queue | takes the first value, or null | the same |
    /// | file | all values | the same |
    /// | relational | all rows | rows whose members equal those of the key |
    /// | others | all items | those whose JSON has a word of the key in it, best matches first |
    ///
    /// A key for rows that is no object finds those with a member that equals it.
    pub fn read(&mut self, key: Option<&Value>) -> Value {
        let kind = self.kind;
        match (&mut self.held, key) {
            (Held::ByKey(map), None) => Value::Map(map.clone()),
            (Held::ByKey(map), Some(Value::Text(key))) => map.get(key).cloned().into(),
            (Held::ByKey(map), Some(key)) => map.get(&json::compact(key)).cloned().into(),
            // Asking an empty queue again and again copies nothing.
            (Held::Waiting(values), _) if values.is_empty() => Value::Null,
            (Held::Waiting(values), _) => Arc::make_mut(values).pop_front().into(),
            (Held::InOrder(items), Some(key)) if kind == StoreKind::Relational => {
                Value::list(items.iter().filter(|row| answers(row, key)).cloned())
            }
            (Held::InOrder(items), Some(key)) if kind == StoreKind::Items => {
                Value::list(search(items, key))
            }
            (Held::InOrder(items), _) => Value::List(items.clone()),
        }
    }

    /// Writes: under a key, or each member of an object under its name; to the end of whatever
    /// has no keys.
    pub fn write(&mut self, key: Option<&str>, value: Value) -> Result<(), Fault> {
        let is_relational = self.kind == StoreKind::Relational;
        match (&mut self.held, key, value) {
            (Held::ByKey(map), Some(key), value) => {
                Arc::make_mut(map).insert(key.into(), value);
            }
            (Held::ByKey(map), None, Value::Map(members)) => {
                if map.is_empty() {
                    *map = members;
                } else {
                    let members = members.iter().map(|(key, value)| (key.clone(), value.clone()));
                    Arc::make_mut(map).extend(members);
                }
            }
            (Held::ByKey(_), None, other) => {
                return Err(refused(format!("{} needs a key to be kept under", other.kind())));
            }
            (Held::Waiting(values), _, value) => Arc::make_mut(values).push_back(value),
            (Held::InOrder(rows), _, value) if is_relational => match value {
                Value::List(added) => {
                    if let Some(other) = added.iter().find(|row| row.as_map().is_none()) {
                        return Err(refused(format!("{} is no row", other.kind())));
                    }
                    Arc::make_mut(rows).extend_from_slice(&added);
                }
                row @ Value::Map(_) => Arc::make_mut(rows).push(row),
                other => return Err(refused(format!("{} is no row", other.kind()))),
            },
            (Held::InOrder(items), _, value) => Arc::make_mut(items).push(value),
        }
        Ok(())
    }

    /// Everything, as one value.
    pub fn to_value(&self) -> Value {
        match &self.held {
            Held::ByKey(map) => Value::Map(map.clone()),
            Held::Waiting(values) => Value::list(values.iter().cloned()),
            Held::InOrder(items) => Value::List(items.clone()),
        }
    }

    /// What [`Contents::to_value`] gave. Null is an empty store; one other value where there
    /// should be a list is its only item.
    pub fn from_value(kind: StoreKind, value: &Value) -> Contents {
        let mut contents = Contents::new(kind);
        let list = || match value {
            Value::List(items) => items.clone(),
            Value::Null => Arc::default(),
            other => Arc::new(vec![other.clone()]),
        };
        match &mut contents.held {
            Held::ByKey(map) => {
                if let Value::Map(members) = value {
                    *map = members.clone();
                }
            }
            Held::Waiting(values) => *values = Arc::new(list().iter().cloned().collect()),
            Held::InOrder(items) => *items = list(),
        }
        contents
    }
}

fn refused(why: String) -> Fault {
    Fault::new(FaultKind::Store, why)
}

fn answers(row: &Value, query: &Value) -> bool {
    match query {
        Value::Map(query) => query.iter().all(|(name, value)| row.get(name) == Some(value)),
        other => row.as_map().is_some_and(|row| row.values().any(|value| value == other)),
    }
}

/// Stands in for a search by meaning: items by how many words of the text they have in them.
fn search(items: &[Value], text: &Value) -> Vec<Value> {
    let text = text.as_text().map_or_else(|| json::compact(text), |text| text.to_string());
    let text = text.to_lowercase();
    let words: BTreeSet<&str> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut found: Vec<(usize, &Value)> = items
        .iter()
        .filter_map(|item| {
            let item_text = json::compact(item).to_lowercase();
            let matches = words.iter().filter(|word| item_text.contains(**word)).count();
            (matches > 0).then_some((matches, item))
        })
        .collect();
    found.sort_by_key(|(matches, _)| Reverse(*matches));
    found.into_iter().take(FOUND_MAX).map(|(_, item)| item.clone()).collect()
}
