//! The stores of a block while it runs: it sees what it was given, and its own writes.

use runtime::stores::StoreKind;
use value::{Map, Text, Value};

/// One store.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) name: Text,
    kind: StoreKind,
    contents: Value,
}

impl Store {
    pub(super) fn new(name: Text, kind: StoreKind, contents: Value) -> Store {
        Store { name, kind, contents }
    }

    /// `state.<name>.read(key)`
    pub(super) fn read(&mut self, key: Option<&str>) -> Value {
        read(self.kind, &mut self.contents, key)
    }

    /// `state.<name>.write(value, key=key)`
    pub(super) fn write(&mut self, key: Option<Text>, value: Value) {
        write(self.kind, &mut self.contents, key, value);
    }
}

fn read(kind: StoreKind, contents: &mut Value, key: Option<&str>) -> Value {
    match (kind, key) {
        (StoreKind::Kv | StoreKind::Blackboard, Some(key)) => {
            contents.get(key).cloned().unwrap_or_default()
        }
        (StoreKind::Queue, _) => {
            let mut items = list_of(contents);
            let first = if items.is_empty() { Value::Null } else { items.remove(0) };
            *contents = Value::list(items);
            first
        }
        (StoreKind::Kv | StoreKind::Blackboard, None) if *contents == Value::Null => {
            Map::default().into()
        }
        (_, _) if *contents == Value::Null => Value::list([]),
        (_, _) => contents.clone(),
    }
}

fn write(kind: StoreKind, contents: &mut Value, key: Option<Text>, value: Value) {
    if !matches!(kind, StoreKind::Kv | StoreKind::Blackboard) {
        let mut items = list_of(contents);
        items.push(value);
        *contents = Value::list(items);
        return;
    }
    let mut members = contents.as_map().cloned().unwrap_or_default();
    match (key, value) {
        (Some(key), value) => _ = members.insert(key, value),
        (None, Value::Map(more)) => {
            for (key, value) in more.iter() {
                members.insert(key.clone(), value.clone());
            }
        }
        // Something that has no members takes the place of all.
        (None, value) => {
            *contents = value;
            return;
        }
    }
    *contents = members.into();
}

fn list_of(contents: &Value) -> Vec<Value> {
    match contents {
        Value::List(items) => items.to_vec(),
        Value::Null => Vec::new(),
        other => vec![other.clone()],
    }
}
