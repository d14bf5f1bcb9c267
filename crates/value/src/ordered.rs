//! A map from text that keeps the order of insertion.
//!
//! Most objects have a handful of members: those are searched in place, which is faster and
//! smaller than any table. Large ones get an index, so that nothing is ever quadratic.

use std::collections::BTreeMap;
use std::ops::Index;

use crate::Text;

/// A map from text to values, in order of insertion. Order does not count in comparisons.
#[derive(Clone, Debug)]
pub struct Ordered<V> {
    entries: Vec<(Text, V)>,
    #[expect(clippy::box_collection, reason = "most maps have none: 8 bytes instead of 24")]
    /// INVARIANT: there from `INDEX_FROM` entries on, and then it has every key's place.
    index: Option<Box<BTreeMap<Text, u32>>>,
}

impl<V> Ordered<V> {
    /// From so many entries on there is an index.
    pub(crate) const INDEX_FROM: usize = 24;

    /// Takes members over, in a piece of memory of their exact size. Among fewer than
    /// `INDEX_FROM` the caller has seen to it that none is there twice; among more, the names of
    /// those that are come back, and the first of each counts.
    pub(crate) fn from_members(members: &mut Vec<(Text, V)>) -> (Ordered<V>, Vec<Text>) {
        if members.len() < Self::INDEX_FROM {
            #[expect(clippy::drain_collect, reason = "the caller keeps its room")]
            let entries = members.drain(..).collect();
            return (Ordered { entries, index: None }, Vec::new());
        }
        let mut map = Ordered::with_capacity(members.len());
        let mut repeated = Vec::new();
        for (key, value) in members.drain(..) {
            if !map.insert_new(key.clone(), value) {
                repeated.push(key);
            }
        }
        (map, repeated)
    }

    /// An empty map with room for so many entries.
    pub fn with_capacity(capacity: usize) -> Ordered<V> {
        Ordered { entries: Vec::with_capacity(capacity), index: None }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).map(|place| *place as usize),
            None => self.entries.iter().position(|(own, _)| **own == *key),
        }
    }

    /// Whether there is an entry of this name.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// The value of this name.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    /// The value of this name with its key, which can be shared.
    pub fn get_key_value(&self, key: &str) -> Option<(&Text, &V)> {
        self.place(key).map(|place| (&self.entries[place].0, &self.entries[place].1))
    }

    /// The value of this name, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.place(key).map(|place| &mut self.entries[place].1)
    }

    /// The first entry.
    pub fn first(&self) -> Option<(&Text, &V)> {
        self.entries.first().map(|(key, value)| (key, value))
    }

    /// Puts a value under a name and gives back what was there. A known name keeps its place.
    pub fn insert(&mut self, key: Text, value: V) -> Option<V> {
        match self.place(&key) {
            Some(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            None => {
                self.push_new(key, value);
                None
            }
        }
    }

    /// Adds an entry unless there is one of this name; says whether it did.
    pub fn insert_new(&mut self, key: Text, value: V) -> bool {
        let is_new = self.place(&key).is_none();
        if is_new {
            self.push_new(key, value);
        }
        is_new
    }

    fn push_new(&mut self, key: Text, value: V) {
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), place_number(self.entries.len()));
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() >= Self::INDEX_FROM {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let places = self
            .entries
            .iter()
            .enumerate()
            .map(|(place, (key, _))| (key.clone(), place_number(place)));
        self.index = Some(Box::new(places.collect()));
    }

    /// Takes an entry out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let (_, value) = self.entries.remove(self.place(key)?);
        self.index = None;
        if self.entries.len() >= Self::INDEX_FROM {
            self.build_index();
        }
        Some(value)
    }

    /// All entries.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// All names.
    pub fn keys(&self) -> impl Iterator<Item = &Text> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }
}

fn place_number(place: usize) -> u32 {
    u32::try_from(place).expect("a map has fewer than 2^32 entries")
}

impl<V> Default for Ordered<V> {
    fn default() -> Ordered<V> {
        Ordered { entries: Vec::new(), index: None }
    }
}

impl<V: PartialEq> PartialEq for Ordered<V> {
    fn eq(&self, other: &Ordered<V>) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<V> Index<&str> for Ordered<V> {
    type Output = V;

    fn index(&self, key: &str) -> &V {
        self.get(key).unwrap_or_else(|| panic!("there is no entry `{key}`"))
    }
}

impl<V> Extend<(Text, V)> for Ordered<V> {
    fn extend<I: IntoIterator<Item = (Text, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<V> FromIterator<(Text, V)> for Ordered<V> {
    fn from_iter<I: IntoIterator<Item = (Text, V)>>(entries: I) -> Ordered<V> {
        let entries = entries.into_iter();
        let mut map = Ordered::with_capacity(entries.size_hint().0);
        map.extend(entries);
        map
    }
}

impl<V> IntoIterator for Ordered<V> {
    type Item = (Text, V);
    type IntoIter = std::vec::IntoIter<(Text, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, V> IntoIterator for &'a Ordered<V> {
    type Item = (&'a Text, &'a V);
    type IntoIter =
        std::iter::Map<std::slice::Iter<'a, (Text, V)>, fn(&'a (Text, V)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

impl<'a, V> IntoIterator for &'a mut Ordered<V> {
    type Item = (&'a Text, &'a mut V);
    type IntoIter =
        std::iter::Map<std::slice::IterMut<'a, (Text, V)>, fn(&'a mut (Text, V)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The same edits to a sorted map and to ours give the same content, small or large.
        #[test]
        fn behaves_like_any_map(edits in prop::collection::vec((0..60u8, any::<Option<i32>>()), 0..200)) {
            let mut ours = Ordered::default();
            let mut sorted = BTreeMap::new();
            for (key, value) in edits {
                let key: Text = format!("k{key}").into();
                match value {
                    Some(value) => prop_assert_eq!(ours.insert(key.clone(), value), sorted.insert(key, value)),
                    None => prop_assert_eq!(ours.remove(&key), sorted.remove(&key)),
                }
                prop_assert_eq!(ours.len(), sorted.len());
            }
            for number in 0..60 {
                let key = format!("k{number}");
                prop_assert_eq!(ours.get(&key), sorted.get(&*key));
            }
            let reversed: Ordered<i32> = ours.clone().into_iter().rev().collect();
            prop_assert_eq!(reversed, ours);
        }
    }
}
