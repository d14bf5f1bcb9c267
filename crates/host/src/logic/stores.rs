//! The stores of a block while it runs: it sees what it was given, and its own writes.

use history::Timestamp;
use runtime::stores::{Contents, StoreKind};
use runtime::{BlockStore, Fault, StoreAct};
use value::{Text, Value};

/// One store.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) id: Text,
    /// What the block may read, or what reading comes to.
    shown: Result<Contents, Fault>,
    /// What it has written where it cannot read: it is still told what cannot be written.
    hidden: Contents,
    now: Timestamp,
}

/// Why a block gets no answer.
pub(super) enum Unread {
    /// It may not read, and cannot catch that.
    Refused(Fault),
    /// It asked for what there is not.
    Wrong(Fault),
}

impl Store {
    pub(super) fn new(store: &BlockStore, given: &Result<Value, Fault>, now: Timestamp) -> Store {
        let shown = match given {
            Ok(held) => Ok(Contents::from_value(store.kind, held)),
            Err(fault) => Err(fault.clone()),
        };
        Store { id: store.id.clone(), shown, hidden: Contents::new(store.kind), now }
    }

    /// `state.<id>.read(key)`, with what it did to the store.
    pub(super) fn read(
        &mut self,
        key: Option<&Value>,
    ) -> Result<(Value, Option<StoreAct>), Unread> {
        let contents = self.shown.as_mut().map_err(|fault| Unread::Refused(fault.clone()))?;
        let takes = contents.kind() == StoreKind::Queue && !contents.is_empty();
        let act = takes.then(|| StoreAct::Take { store: self.id.clone() });
        let value = contents.read(key, self.now).map_err(Unread::Wrong)?;
        Ok((value, act))
    }

    /// `state.<id>.write(value, key=key)`, with what it did to the store.
    pub(super) fn write(&mut self, key: Option<Text>, value: Value) -> Result<StoreAct, Fault> {
        let contents = self.shown.as_mut().unwrap_or(&mut self.hidden);
        contents.write(key.as_deref(), value.clone(), self.now)?;
        Ok(StoreAct::Write { store: self.id.clone(), key, value })
    }
}
