//! The stores of protocols, on shelves.
//!
//! What such a store answers is said in the core, by the same code for stores of a run. Here what
//! is on a shelf is kept at hand, with its index, for as long as nobody else writes to it: so a
//! search reads the shelf once for each process, and not once for each question.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use runtime::Fault;
use runtime::stores::{Contents, Edit, StoreKind, StoreVerb};
use store::{Change, Store};
use value::{Map, Value};

use super::{fault, once};
use crate::adapter::Call;

/// What is at hand, by shelf.
#[derive(Default)]
pub(super) struct Spoken {
    at_hand: Mutex<BTreeMap<String, AtHand>>,
}

struct AtHand {
    contents: Contents,
    /// How many times the shelf had been written to.
    writes: u64,
}

impl Spoken {
    pub(super) fn done(
        &self,
        store: &dyn Store,
        shelf: &str,
        kind: StoreKind,
        verb: StoreVerb,
        args: &Map,
        call: &Call,
    ) -> Result<Value, Fault> {
        match verb {
            StoreVerb::Write => self.write(store, shelf, kind, args, call),
            StoreVerb::Read => self.read(store, shelf, kind, args.get("key"), call),
            StoreVerb::ReadAll | StoreVerb::Does(_) => {
                self.with(store, shelf, kind, |contents| Ok(contents.to_value()))
            }
        }
    }

    fn read(
        &self,
        store: &dyn Store,
        shelf: &str,
        kind: StoreKind,
        query: Option<&Value>,
        call: &Call,
    ) -> Result<Value, Fault> {
        self.with(store, shelf, kind, |contents| contents.read(query, call.now))
    }

    /// What is on a shelf now.
    pub(super) fn with<T>(
        &self,
        store: &dyn Store,
        shelf: &str,
        kind: StoreKind,
        ask: impl FnOnce(&mut Contents) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut all = self.at_hand();
        let writes = store.shelf_writes(shelf).map_err(|error| fault(shelf, &error))?;
        let is_current =
            |at_hand: &AtHand| at_hand.writes == writes && at_hand.contents.kind() == kind;
        if !all.get(shelf).is_some_and(is_current) {
            // Whoever writes between the two is in what is read and not in the number: then it is
            // read once more the next time.
            let items = store.shelf_read(shelf).map_err(|error| fault(shelf, &error))?;
            let contents = match kind {
                StoreKind::Records => {
                    Contents::of_items(kind, items.into_iter().map(|item| (item.key, item.value)))
                }
                _ => Contents::of_values(kind, items.into_iter().map(|item| item.value)),
            };
            all.insert(shelf.to_owned(), AtHand { contents, writes });
        }
        match all.get_mut(shelf) {
            Some(at_hand) => ask(&mut at_hand.contents),
            None => ask(&mut Contents::new(kind)),
        }
    }

    fn write(
        &self,
        store: &dyn Store,
        shelf: &str,
        kind: StoreKind,
        args: &Map,
        call: &Call,
    ) -> Result<Value, Fault> {
        let key = args.get("key").and_then(Value::as_text).map(|key| &**key);
        let value = args.get("value").cloned().unwrap_or_default();
        let edits = Contents::edits(kind, key, value, call.now)?;
        self.make(store, shelf, kind, edits, call)
    }

    /// Makes changes on the shelf, and in what is at hand.
    pub(super) fn make(
        &self,
        store: &dyn Store,
        shelf: &str,
        kind: StoreKind,
        edits: Vec<Edit>,
        call: &Call,
    ) -> Result<Value, Fault> {
        let changes: Vec<Change> = edits.iter().map(change).collect();
        let mut all = self.at_hand();
        store.shelf_write(shelf, &changes, &once(call)).map_err(|error| fault(shelf, &error))?;
        let Some(at_hand) = all.get_mut(shelf) else { return Ok(Value::Null) };
        // Only where this was the one write since, what is at hand can follow it. A second attempt
        // may have written before, and then the one write is somebody else's.
        let can_follow = call.attempt <= 1 && at_hand.contents.kind() == kind;
        match store.shelf_writes(shelf) {
            Ok(writes) if writes == at_hand.writes => {}
            Ok(writes) if writes == at_hand.writes + 1 && can_follow => {
                at_hand.contents.make(edits);
                at_hand.writes = writes;
            }
            _ => drop(all.remove(shelf)),
        }
        Ok(Value::Null)
    }

    fn at_hand(&self) -> MutexGuard<'_, BTreeMap<String, AtHand>> {
        self.at_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn change(edit: &Edit) -> Change {
    match edit.clone() {
        Edit::Put { key, value } => Change::Set { key, value },
        Edit::Push(value) => Change::Push(value),
        Edit::Remove { key } => Change::Remove { key },
        Edit::Trim(left) => Change::Trim(left),
        Edit::RemoveUnder { prefix } => Change::RemoveUnder { prefix },
        Edit::Forget(until) => Change::Forget(until),
    }
}
