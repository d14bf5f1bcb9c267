//! What lives as long as the run: stores and channels; and what is asked of what outlives it.

use std::collections::BTreeMap;

use graph::{Filled, Kind, Node, Verb};
use value::{Map, Text, Value, json};

use super::Run;
use super::fiber::Spot;
use crate::engine::world::Fault;

/// What is in them, by their names.
#[derive(Debug, Default)]
pub(super) struct Stores {
    by_key: BTreeMap<Text, Map>,
    in_order: BTreeMap<Text, Vec<Value>>,
}

impl Run<'_> {
    fn store_type(&self, name: &str) -> Option<&Text> {
        self.graph.declarations.of(Kind::Stores).get(name)?.get("store_type")?.as_text()
    }

    /// Whether there is the store or the channel that a node names.
    pub(super) fn is_declared(&self, node: &Node, verb: Verb) -> bool {
        let kind = match verb {
            Verb::Receive | Verb::Publish => Kind::Channels,
            _ => Kind::Stores,
        };
        let declared = self.graph.declarations.of(kind);
        node.target().is_some_and(|name| declared.contains_key(name))
    }

    /// Whether the store that a node names outlives the run.
    pub(super) fn is_persistent(&self, node: &Node) -> bool {
        let stores = self.graph.declarations.of(Kind::Stores);
        let store = node.target().and_then(|name| stores.get(name));
        let retention = store.and_then(|store| store.get("retention")?.as_text());
        retention.is_none_or(|word| &**word == "persistent")
    }

    /// Reads such a store: what is under the first argument, or all of it.
    pub(super) fn reads_persistent(
        &mut self,
        fiber: usize,
        spot: &Spot,
        node: &Node,
    ) -> Result<Value, Fault> {
        let mut args = vec![("store", node.target().cloned().into())];
        if let Some(Filled::Many(keys)) = node.operands.get("args") {
            args.extend(keys.first().map(|key| ("key", self.read(fiber, Some(key)))));
        }
        self.asks_store(spot, "read", &args)
    }

    /// Writes to such a store.
    pub(super) fn writes_persistent(
        &mut self,
        fiber: usize,
        spot: &Spot,
        node: &Node,
    ) -> Result<Value, Fault> {
        let value = self.shaped(fiber, node);
        self.asks_store(
            spot,
            "write",
            &[("store", node.target().cloned().into()), ("value", value)],
        )
    }

    /// Asks the world for what such a store does.
    pub(super) fn asks_store(
        &mut self,
        spot: &Spot,
        verb: &str,
        args: &[(&str, Value)],
    ) -> Result<Value, Fault> {
        let args = Value::map(args.iter().cloned());
        let request = format!("store.{verb} {}", json::canonical(&args));
        let (at, request) = self.asks(spot, request);
        self.world.tool(&at, &request)
    }

    /// Keeps a value under its key.
    pub(super) fn keeps_under(&mut self, store: &Text, key: Text, value: Value) {
        self.stores.by_key.entry(store.clone()).or_default().insert(key, value);
    }

    /// Values by key: the one of the first argument, or all. A queue: the first, which is taken.
    /// Anything else: all of it in order.
    pub(super) fn reads_store(&mut self, fiber: usize, node: &Node) -> Value {
        let name = node.target().expect("generated graphs name their stores").clone();
        let key = match node.operands.get("args") {
            Some(Filled::Many(args)) => args.first().map(|key| self.read(fiber, Some(key))),
            _ => None,
        };
        match self.store_type(&name).map_or("", |word| word) {
            "kv" | "blackboard" => {
                let map = self.stores.by_key.entry(name).or_default();
                match key {
                    Some(Value::Text(key)) => map.get(&key).cloned().unwrap_or_default(),
                    Some(key) => map.get(&json::canonical(&key)).cloned().unwrap_or_default(),
                    None => map.clone().into(),
                }
            }
            "queue" => {
                let queue = self.stores.in_order.entry(name).or_default();
                if queue.is_empty() { Value::Null } else { queue.remove(0) }
            }
            _ => Value::list(self.stores.in_order.get(&name).cloned().unwrap_or_default()),
        }
    }

    /// Each field under its own key, or the whole behind what is there.
    pub(super) fn writes_store(&mut self, fiber: usize, node: &Node) {
        let name = node.target().expect("generated graphs name their stores").clone();
        let value = self.shaped(fiber, node);
        match (self.store_type(&name).map_or("", |word| word), value) {
            ("kv" | "blackboard", Value::Map(members)) => {
                let map = self.stores.by_key.entry(name).or_default();
                for (key, value) in members.iter() {
                    map.insert(key.clone(), value.clone());
                }
            }
            (_, value) => self.stores.in_order.entry(name).or_default().push(value),
        }
    }

    /// All messages so far. They stay.
    pub(super) fn receives(&mut self, node: &Node) -> Value {
        let name = node.target().expect("generated graphs name their channels");
        Value::list(self.stores.in_order.get(name).cloned().unwrap_or_default())
    }

    /// What is asked of a cache or a queue: by an op, or by the call of an adapter that means the
    /// same.
    pub(super) fn asked_of_kept(&self, fiber: usize, node: &Node) -> Option<String> {
        let (space, verb) = node.adapter()?;
        let verb = verb.to_ascii_lowercase();
        let names: &[&str] = match (space, verb.as_str()) {
            ("cache", "get") => &["key", "default"],
            ("cache", "set") => &["key", "value"],
            ("queue", "put") => &["value"],
            ("queue", "get" | "pop" | "len") => &[],
            _ => return None,
        };
        let slots: &[&str] = match node.op.name() {
            "CacheGet" => &["name", "key", "fallback"],
            "CacheSet" => &["name", "key", "value"],
            _ => &["queue", "value"],
        };
        let given = match node.op.name() {
            "R" => self.arguments(fiber, node),
            _ => slots.iter().map(|slot| self.read(fiber, node.operands.one(slot))).collect(),
        };
        let mut given = given.into_iter();
        let name = given.next().and_then(|name| name.as_text().cloned());
        let store = format!("{space}/{}", name.unwrap_or_else(|| "".into()));
        let named = names.iter().copied().zip(given);
        // Null instead of what is not there says nothing.
        let named = named.filter(|(name, value)| *name != "default" || *value != Value::Null);
        let args = Value::map([("store", Value::text(store))].into_iter().chain(named));
        Some(format!("{space}.{verb} {}", json::canonical(&args)))
    }
}
