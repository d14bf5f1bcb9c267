//! Shelves in memory.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use value::{Digest, Value};

use super::MemoryStore;
use crate::{AppendError, Change, Item, Shelves, StoreError, shelf};

/// One shelf.
#[derive(Default)]
pub(super) struct Kept {
    items: Vec<Item>,
    /// What was done under a key, and what it took.
    written: BTreeMap<Digest, (Digest, Option<Value>)>,
}

impl Kept {
    fn make(&mut self, change: &Change) -> Option<Value> {
        match change {
            Change::Set { key, value } => {
                let item = Item { key: Some(key.clone()), value: value.clone() };
                match self.items.iter_mut().find(|item| item.key.as_ref() == Some(key)) {
                    Some(before) => *before = item,
                    None => self.items.push(item),
                }
            }
            Change::Push(value) => self.items.push(Item { key: None, value: value.clone() }),
            Change::Take => {
                let first = self.items.iter().position(|item| item.key.is_none())?;
                return Some(self.items.remove(first).value);
            }
            Change::Remove { key } => self.items.retain(|item| item.key.as_ref() != Some(key)),
            Change::Trim(left) => drop(self.items.drain(..self.items.len().saturating_sub(*left))),
            Change::RemoveUnder { prefix } => self
                .items
                .retain(|item| !item.key.as_ref().is_some_and(|key| key.starts_with(&**prefix))),
            Change::Forget(until) => self.items.retain(
                |item| !matches!(item.value.get("until"), Some(Value::Int(own)) if own <= until),
            ),
            // It was looked at before the first change.
            Change::IfFewer(_) => {}
        }
        None
    }
}

impl MemoryStore {
    fn shelves_kept(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelves for MemoryStore {
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError> {
        Ok(self.shelves_kept().get(shelf).map(|kept| kept.items.clone()).unwrap_or_default())
    }

    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError> {
        let shelves = self.shelves_kept();
        let Some(kept) = shelves.get(shelf) else { return Ok(None) };
        let found = kept.items.iter().find(|item| item.key.as_deref() == Some(key));
        Ok(found.map(|item| item.value.clone()))
    }

    fn shelf_writes(&self, shelf: &str) -> Result<u64, StoreError> {
        Ok(self.shelves_kept().get(shelf).map_or(0, |kept| kept.written.len() as u64))
    }

    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError> {
        let digest = shelf::check(shelf, changes)?;
        let mut shelves = self.shelves_kept();
        let kept = shelves.entry(shelf.to_string()).or_default();
        match kept.written.get(key) {
            Some((before, taken)) if *before == digest => return Ok(taken.clone()),
            Some(_) => return Err(AppendError::ShelfKeyReused(shelf.to_string())),
            None => {}
        }
        if let Some(most) = shelf::room(changes).filter(|most| kept.items.len() >= *most) {
            return Err(AppendError::ShelfFull { shelf: shelf.to_string(), most });
        }
        let mut taken = None;
        for change in changes {
            let made = kept.make(change);
            if matches!(change, Change::Take) {
                taken = made;
            }
        }
        kept.written.insert(*key, (digest, taken.clone()));
        Ok(taken)
    }
}
