//! What a graph says of its caches and queues.

use std::collections::BTreeMap;

use value::{Map, Text, Value};

use crate::stores::number;

/// By their names. What is not declared has no bounds.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    caches: BTreeMap<Text, Cache>,
    queues: BTreeMap<Text, i64>,
}

#[derive(Debug, Default)]
struct Cache {
    ttl_s: Option<Value>,
    default: Option<Value>,
}

impl Declared {
    /// What `capabilities` says: `cache.NAME.ttl`, `cache.NAME.default`, `queue.NAME.maxSize`.
    /// Numbers may be written as text, and 0 says nothing.
    pub(crate) fn of(capabilities: &Map) -> Declared {
        let named = |kind: &str| {
            let all = capabilities.get(kind).and_then(Value::as_map);
            all.into_iter().flat_map(|all| all.iter())
        };
        let some = |value: &&Value| !matches!(value, Value::Null);
        let above_zero = |value: &&Value| number(value).is_some_and(|number| number > 0.0);
        let caches = named("cache").map(|(name, said)| {
            let ttl_s = said.get("ttl").filter(above_zero).cloned();
            (name.clone(), Cache { ttl_s, default: said.get("default").filter(some).cloned() })
        });
        let queues = named("queue").filter_map(|(name, said)| {
            let most = said.get("maxSize").filter(above_zero).and_then(number)?;
            Some((name.clone(), most as i64))
        });
        Declared { caches: caches.collect(), queues: queues.collect() }
    }

    /// For how long a cache keeps what nothing else is said of.
    pub(crate) fn ttl_s(&self, cache: &str) -> Option<&Value> {
        self.caches.get(cache)?.ttl_s.as_ref()
    }

    /// What a cache gives where it has nothing.
    pub(crate) fn instead(&self, cache: &str) -> Option<&Value> {
        self.caches.get(cache)?.default.as_ref()
    }

    /// How many values a queue holds at most.
    pub(crate) fn max_size(&self, queue: &str) -> Option<i64> {
        self.queues.get(queue).copied()
    }
}
