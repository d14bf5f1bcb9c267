//! A store as one process sees it: when the process has died, it sees nothing any more.

use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{BlobId, Event, EventId, Operation, OperationId, Place, Stream, Timestamp};
use store::{
    Append, AppendError, Archive, Arrival, Change, Durability, Entry, Held, Holder, Item, Lease,
    Leases, MoveError, Receipt, Shelves, Store, StoreError, StreamInfo,
};
use value::{Digest, Value};

use crate::ground::Happening;
use crate::process::{Death, Process};

impl Process<'_, '_> {
    fn alive(&self) -> Result<&store::MemoryStore, StoreError> {
        match self.is_dead() {
            false => Ok(&self.ground.store),
            true => Err(StoreError::Unusable("the process is dead".into())),
        }
    }

    fn die(&self, death: Death) -> StoreError {
        self.kill(death);
        StoreError::Unusable("the process dies here".into())
    }
}

impl Archive for Process<'_, '_> {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        // Whoever asks this looks whether others have written.
        if self.ground.seen().view.is_over() {
            self.release_tools();
        }
        self.alive()?.stream(stream)
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        self.alive()?.streams(after, limit)
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.alive()?.read(stream, from, limit)
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.alive()?.read_kinds(stream, kinds, from, until, limit)
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        self.alive()?.last_of(stream, kinds, until)
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        self.alive()?.find(prefix, limit)
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.alive()?.blob(id)
    }
}

impl Leases for Process<'_, '_> {
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        let acquired = self.alive()?.acquire(stream, holder, now, ttl_ms)?;
        self.keep(acquired.as_ref().ok().copied());
        Ok(acquired)
    }

    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError> {
        self.alive()?.renew(stream, lease, now, ttl_ms)
    }

    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError> {
        self.alive()?.release(stream, lease)
    }
}

impl Shelves for Process<'_, '_> {
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError> {
        self.alive()?.shelf_read(shelf)
    }

    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError> {
        self.alive()?.shelf_get(shelf, key)
    }

    fn shelf_writes(&self, shelf: &str) -> Result<u64, StoreError> {
        self.alive()?.shelf_writes(shelf)
    }

    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError> {
        self.alive()?.shelf_write(shelf, changes, key)
    }
}

impl Store for Process<'_, '_> {
    /// The process may die right before, or when the events are there and nobody was told.
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        self.alive()?;
        self.before_append();
        let mut unrest = self.ground.unrest();
        let deaths = unrest.deaths;
        let death = unrest.strikes(deaths).then(|| unrest.random.one_in(2));
        drop(unrest);
        if death == Some(false) {
            return Err(self.die(Death::BeforeAppend).into());
        }
        let receipt = self.ground.store.append(append).inspect_err(|error| {
            if matches!(error, AppendError::Conflict { .. }) {
                self.ground.happens(Happening::Conflict);
            }
        })?;
        if !receipt.repeated {
            let events: &[Event] = append.events;
            self.ground.hear(events);
        }
        match death {
            Some(_) => Err(self.die(Death::AfterAppend).into()),
            None => {
                self.after_append();
                Ok(receipt)
            }
        }
    }

    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError> {
        self.alive()?.watch(after, limit, patience)
    }

    fn written_here(&self, stream: &Stream, from: u64, until: u64) -> Result<bool, StoreError> {
        self.alive()?.written_here(stream, from, until)
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        self.alive()?.last_position()
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        self.alive()?.blobs(after, limit)
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        self.alive()?.has_blob(id)
    }

    fn put_blobs(&self, blobs: &[Blob], durability: Durability) -> Result<(), AppendError> {
        self.alive()?.put_blobs(blobs, durability)
    }

    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError> {
        self.alive()?.remove_blobs(ids, seen)
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.alive()?.names()
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        self.alive()?.name(name)
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.alive()?.operations(name)
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        self.alive()?.move_name(operation)
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        self.alive()?.check_files()
    }
}
