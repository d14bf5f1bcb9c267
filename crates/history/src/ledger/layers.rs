//! A map that only grows and that forks cheaply.

use std::sync::Arc;

/// A map whose clones share all but its last entries. An entry that is put in again counts
/// instead of the one before.
///
/// Entries are frozen in sorted layers, each more than twice as large as the next, so that there
/// are few of them: putting in costs about `log n`, a clone copies one pointer for each layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layers<K, V> {
    /// INVARIANT: sorted by key, no key twice. A list, because it is cloned for every append.
    recent: Vec<(K, V)>,
    frozen: Vec<Arc<Vec<(K, V)>>>,
}

/// From so many entries on they are frozen.
const RECENT_MAX: usize = 32;

impl<K, V> Default for Layers<K, V> {
    fn default() -> Layers<K, V> {
        Layers { recent: Vec::new(), frozen: Vec::new() }
    }
}

impl<K: Ord + Clone, V: Clone> Layers<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let mut layers =
            std::iter::once(&self.recent).chain(self.frozen.iter().rev().map(|it| &**it));
        layers.find_map(|layer| {
            let place = layer.binary_search_by(|(own, _)| own.borrow().cmp(key)).ok()?;
            Some(&layer[place].1)
        })
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        match self.recent.binary_search_by(|(own, _)| own.cmp(&key)) {
            Ok(place) => self.recent[place].1 = value,
            Err(place) => self.recent.insert(place, (key, value)),
        }
        if self.recent.len() < RECENT_MAX {
            return;
        }
        let mut layer = std::mem::take(&mut self.recent);
        while let Some(older) = self.frozen.pop_if(|older| older.len() <= 2 * layer.len()) {
            layer = merged(Arc::unwrap_or_clone(older), layer);
        }
        self.frozen.push(Arc::new(layer));
    }
}

/// Both in order; where both have a key, the newer one counts.
fn merged<K: Ord, V>(older: Vec<(K, V)>, newer: Vec<(K, V)>) -> Vec<(K, V)> {
    let mut all = Vec::with_capacity(older.len() + newer.len());
    let mut older = older.into_iter().peekable();
    for entry in newer {
        while let Some(before) = older.next_if(|before| before.0 < entry.0) {
            all.push(before);
        }
        older.next_if(|before| before.0 == entry.0);
        all.push(entry);
    }
    all.extend(older);
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_like_any_map(entries in prop::collection::vec((0..500u16, any::<u8>()), 0..2000)) {
            let mut ours = Layers::default();
            let mut sorted = BTreeMap::new();
            for (key, value) in entries {
                ours.insert(key, value);
                sorted.insert(key, value);
            }
            for key in 0..500 {
                prop_assert_eq!(ours.get(&key), sorted.get(&key));
            }
        }
    }

    #[test]
    fn a_clone_shares_what_is_frozen() {
        let mut map = Layers::default();
        for key in 0..100_000u64 {
            map.insert(key, ());
        }
        let mut clone = map.clone();
        clone.insert(u64::MAX, ());
        assert!(map.frozen.len() < 20, "{} layers", map.frozen.len());
        let mut pairs = map.frozen.iter().zip(&clone.frozen);
        assert!(pairs.all(|(own, other)| Arc::ptr_eq(own, other)));
        assert_eq!((map.get(&u64::MAX), clone.get(&u64::MAX)), (None, Some(&())));
    }
}
