//! Caches, queues and memory, on shelves. What a verb does is said in the core, by the same code
//! for those that end with their run.

use runtime::Fault;
use runtime::stores::{Contents, Deed, StoreKind, cache_key, cached, full, put, room};
use store::{AppendError, Change};
use value::{Map, Value};

use super::{Shelved, fault, once};
use crate::adapter::Call;

impl Shelved {
    /// Does what an adapter verb does, and says what that gives.
    pub(super) fn does(
        &self,
        shelf: &str,
        kind: StoreKind,
        deed: Deed,
        args: &Map,
        call: &Call,
    ) -> Result<Value, Fault> {
        let store = &*self.store;
        match deed {
            // One entry is read, however many there are.
            Deed::Get => {
                let found = store.shelf_get(shelf, &cache_key(args));
                let found = found.map_err(|error| fault(shelf, &error))?;
                Ok(cached(found.as_ref(), args, call.now))
            }
            Deed::Put => {
                let mut changes: Vec<Change> =
                    room(args).map(Change::IfFewer).into_iter().collect();
                changes.push(Change::Push(put(args)));
                match store.shelf_write(shelf, &changes, &once(call)) {
                    Ok(_) => Ok(put(args)),
                    Err(AppendError::ShelfFull { most, .. }) => Err(full(args, most)),
                    Err(error) => Err(fault(shelf, &error)),
                }
            }
            Deed::Take => {
                let taken = store.shelf_write(shelf, &[Change::Take], &once(call));
                Ok(taken.map_err(|error| fault(shelf, &error))?.unwrap_or_default())
            }
            Deed::Count => {
                let items = store.shelf_read(shelf).map_err(|error| fault(shelf, &error))?;
                Ok(Value::count(items.len() as u64))
            }
            _ if deed.reads() => self.spoken.with(store, shelf, kind, |contents| {
                contents.does(deed, args, call.now, &call.key)
            }),
            _ => {
                let edits = Contents::edits_of(kind, deed, args, call.now, &call.key)?;
                self.spoken.make(store, shelf, kind, edits, call)?;
                Ok(Value::Bool(true))
            }
        }
    }
}
