//! A spec in the making: its lists, before they become text.

use value::{Map, Text, Value};

use super::layout;

/// A spec as objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    /// What stands before the lists.
    pub(super) head: Map,
    pub(super) entities: Vec<Map>,
    pub(super) processes: Vec<Map>,
    pub(super) edges: Vec<Map>,
    pub(super) schemas: Vec<Map>,
    /// What stands behind the lists.
    pub(super) tail: Map,
}

impl Sheet {
    /// The spec as text.
    pub(super) fn to_text(&self) -> String {
        let mut members = self.head.clone();
        let lists = [
            ("entities", &self.entities),
            ("processes", &self.processes),
            ("edges", &self.edges),
            ("schemas", &self.schemas),
        ];
        for (name, items) in lists {
            if !items.is_empty() || name != "schemas" {
                let items = items.iter().map(|item| Value::from(item.clone()));
                members.insert(name.into(), Value::list(items));
            }
        }
        members.extend(self.tail.iter().map(|(name, value)| (name.clone(), value.clone())));
        layout::document(&members)
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, kind: &str, from: &str, to: &str, members: Map) {
        let mut edge = named([("type", kind), ("from", from), ("to", to)]);
        edge.extend(members);
        self.edges.push(edge);
    }
}

/// An object of texts.
pub(super) fn named<const N: usize>(members: [(&str, &str); N]) -> Map {
    members.into_iter().map(|(name, value)| (Text::from(name), Value::text(value))).collect()
}

/// An object that begins with these members.
pub(super) fn beginning<const N: usize>(first: [(&str, &str); N], rest: &Value) -> Map {
    let mut object = named(first);
    for (name, value) in rest.as_map().into_iter().flat_map(Map::iter) {
        if !object.contains_key(name) {
            object.insert(name.clone(), value.clone());
        }
    }
    object
}
