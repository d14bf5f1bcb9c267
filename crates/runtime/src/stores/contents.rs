//! What is in a store, and what reading and writing do with it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use graph::protocols::Protocol;
use history::Timestamp;
use value::{Map, Text, Value, json};

use super::entries::{Edit, Entries};
use super::query::refused;
use super::{Deed, StoreKind, doc, fact, links, memory, records, vector};
use crate::doubt::Happened;
use crate::{Fault, FaultKind};

/// What is in a store. A copy costs nothing until one of the two is written to.
#[derive(Clone, Debug)]
pub struct Contents {
    kind: StoreKind,
    held: Held,
}

/// Two stores are equal that hold the same, in the same order.
impl PartialEq for Contents {
    fn eq(&self, other: &Contents) -> bool {
        self.kind == other.kind && self.to_value() == other.to_value()
    }
}

#[derive(Clone, Debug)]
enum Held {
    ByKey(Arc<Map>),
    Waiting(Arc<VecDeque<Value>>),
    InOrder(Arc<Vec<Value>>),
    Entries(Entries),
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
            StoreKind::Records | StoreKind::Speaks(..) => Held::Entries(Entries::default()),
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
            Held::Entries(entries) => entries.is_empty(),
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
    /// A key for rows that is no object finds those with a member that equals it. What the
    /// protocols answer is in `graph::protocols`; the time is for those that forget.
    pub fn read(&mut self, key: Option<&Value>, now: Timestamp) -> Result<Value, Fault> {
        let kind = self.kind;
        Ok(match (&mut self.held, key) {
            (Held::Entries(entries), key) => return spoken(kind, entries, key, now),
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
        })
    }

    /// Writes: under a key, or each member of an object under its name; to the end of whatever
    /// has no keys.
    pub fn write(&mut self, key: Option<&str>, value: Value, now: Timestamp) -> Result<(), Fault> {
        if let Held::Entries(_) = &self.held {
            self.make(Contents::edits(self.kind, key, value, now)?);
            return Ok(());
        }
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
            (Held::Entries(_), ..) => {}
        }
        Ok(())
    }

    /// What writing to the store of a protocol comes to, whatever is in it: so that whoever keeps
    /// such a store outside of a run changes it in the same way.
    pub fn edits(
        kind: StoreKind,
        key: Option<&str>,
        value: Value,
        now: Timestamp,
    ) -> Result<Vec<Edit>, Fault> {
        let mut made = Vec::new();
        let StoreKind::Speaks(protocol, settings) = kind else { return Ok(made) };
        match protocol {
            Protocol::Vector => vector::edits(key, value, &mut made),
            Protocol::Doc => doc::edits(key, value, &mut made),
            Protocol::Memory => memory::edits(&settings, key, value, now, &mut made),
            Protocol::Graph => links::edits(&value, &mut made),
            Protocol::Fact => fact::edits(&value, &mut made),
        }?;
        Ok(made)
    }

    /// Makes such changes.
    pub fn make(&mut self, edits: Vec<Edit>) {
        if let Held::Entries(entries) = &mut self.held {
            edits.into_iter().for_each(|edit| entries.make(edit));
        }
    }

    /// What an adapter verb does to a cache, a queue or a memory, and what it gives. `once` is
    /// another one for every effect.
    pub fn does(
        &mut self,
        deed: Deed,
        args: &Map,
        now: Timestamp,
        once: &str,
    ) -> Result<Value, Fault> {
        match &mut self.held {
            Held::Waiting(values) => Ok(match deed {
                Deed::Put => {
                    if let Some(most) = room(args).filter(|most| values.len() >= *most) {
                        return Err(full(args, most));
                    }
                    Arc::make_mut(values).push_back(put(args));
                    put(args)
                }
                Deed::Take if values.is_empty() => Value::Null,
                Deed::Take => Arc::make_mut(values).pop_front().into(),
                _ => Value::count(values.len() as u64),
            }),
            Held::Entries(entries) if deed.reads() => match self.kind {
                StoreKind::Speaks(_, settings) => vector::found(entries, &settings, deed, args),
                _ => records::read(entries, deed, args, now),
            },
            _ => {
                self.make(Contents::edits_of(self.kind, deed, args, now, once)?);
                Ok(Value::Bool(true))
            }
        }
    }

    /// What writing by an adapter verb comes to, whatever is there. `once` is another one for
    /// every effect, and the same for all its attempts.
    pub fn edits_of(
        kind: StoreKind,
        deed: Deed,
        args: &Map,
        now: Timestamp,
        once: &str,
    ) -> Result<Vec<Edit>, Fault> {
        match kind {
            StoreKind::Speaks(..) => Ok(vec![vector::upserted(args)]),
            _ => records::edits(deed, args, now, once),
        }
    }

    /// Everything, as one value.
    pub fn to_value(&self) -> Value {
        match &self.held {
            Held::ByKey(map) => Value::Map(map.clone()),
            Held::Waiting(values) => Value::list(values.iter().cloned()),
            Held::InOrder(items) => Value::List(items.clone()),
            Held::Entries(entries) => match self.kind {
                StoreKind::Speaks(Protocol::Graph, _) => links::all(entries),
                _ => Value::list(entries.values().cloned()),
            },
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
            Held::Entries(entries) => {
                let values: Vec<Value> = match value {
                    Value::Map(both) if both.contains_key("nodes") => {
                        let lists = ["nodes", "edges"].map(|name| both.get(name));
                        let lists = lists.into_iter().flatten().filter_map(Value::as_list);
                        lists.flatten().cloned().collect()
                    }
                    _ => list().to_vec(),
                };
                values.into_iter().for_each(|value| entries.make(kept(kind, value)));
            }
        }
        contents
    }

    /// A store that keeps these items, each behind the key that it was kept behind.
    pub fn of_items(
        kind: StoreKind,
        items: impl IntoIterator<Item = (Option<Text>, Value)>,
    ) -> Contents {
        let mut contents = Contents::new(kind);
        let edits = items.into_iter().map(|(key, value)| match key {
            Some(key) => Edit::Put { key, value },
            None => Edit::Push(value),
        });
        contents.make(edits.collect());
        contents
    }

    /// The store of a protocol that keeps these values, each as it was kept before.
    pub fn of_values(kind: StoreKind, values: impl IntoIterator<Item = Value>) -> Contents {
        let mut contents = Contents::new(kind);
        contents.make(values.into_iter().map(|value| kept(kind, value)).collect());
        contents
    }
}

/// How many values a queue may hold, where that is said.
pub fn room(args: &Map) -> Option<usize> {
    match args.get("max_size")? {
        Value::Int(most) => usize::try_from(*most).ok(),
        _ => None,
    }
}

/// The value that is put on a queue.
pub fn put(args: &Map) -> Value {
    args.get("value").cloned().into()
}

/// Why nothing can be put on a queue.
pub fn full(args: &Map, most: usize) -> Fault {
    let id = args.get("store").and_then(Value::as_text).map_or("", |id| id);
    let message = format!("`{id}` is full: it holds {most} values at most (`maxSize`)");
    Fault::new(FaultKind::Store, message).with_happened(Happened::No)
}

/// How a value goes back to where it came from.
fn kept(kind: StoreKind, value: Value) -> Edit {
    let StoreKind::Speaks(protocol, _) = kind else { return Edit::Push(value) };
    match (protocol, value) {
        (Protocol::Graph, Value::Map(members)) => {
            links::held(&members).unwrap_or(Edit::Push(Value::Map(members)))
        }
        (Protocol::Fact, value) => match fact::key(&value) {
            Ok(key) => Edit::Put { key, value },
            Err(_) => Edit::Push(value),
        },
        (_, value) => vector::held(value),
    }
}

/// What the store of a protocol answers.
fn spoken(
    kind: StoreKind,
    entries: &mut Entries,
    query: Option<&Value>,
    now: Timestamp,
) -> Result<Value, Fault> {
    let StoreKind::Speaks(protocol, settings) = kind else { return Ok(Value::Null) };
    match protocol {
        Protocol::Vector => vector::read(entries, &settings, query),
        Protocol::Doc => doc::read(entries, &settings, query),
        Protocol::Memory => memory::read(entries, &settings, query, now),
        Protocol::Graph => links::read(entries, &settings, query),
        Protocol::Fact => fact::read(entries, &settings, query),
    }
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
