//! A store that counts the events it hands out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{BlobId, EventId, Operation, OperationId, Place, Stream, Timestamp};
use store::{
    Append, AppendError, Archive, Arrival, Change, Durability, Entry, Held, Holder, Item, Lease,
    Leases, MemoryStore, MoveError, Receipt, Shelves, Store, StoreError, StreamInfo,
};
use value::{Digest, Value};

#[derive(Default)]
pub(crate) struct Counted {
    store: MemoryStore,
    events: AtomicUsize,
}

impl Counted {
    /// How many events were handed out since this was asked.
    pub(crate) fn count(&self) -> usize {
        self.events.swap(0, Ordering::Relaxed)
    }

    fn counted(&self, entries: Vec<Entry>) -> Vec<Entry> {
        self.events.fetch_add(entries.len(), Ordering::Relaxed);
        entries
    }
}

impl Archive for Counted {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        self.store.stream(stream)
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        self.store.streams(after, limit)
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.store.read(stream, from, limit).map(|found| self.counted(found))
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let found = self.store.read_kinds(stream, kinds, from, until, limit);
        found.map(|found| self.counted(found))
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        let found = self.store.last_of(stream, kinds, until)?;
        Ok(self.counted(found.into_iter().collect()).pop())
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        self.store.find(prefix, limit)
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.blob(id)
    }
}

impl Store for Counted {
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        self.store.append(append)
    }

    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError> {
        self.store.watch(after, limit, patience)
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        self.store.last_position()
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        self.store.blobs(after, limit)
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        self.store.has_blob(id)
    }

    fn put_blobs(&self, blobs: &[Blob], durability: Durability) -> Result<(), AppendError> {
        self.store.put_blobs(blobs, durability)
    }

    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError> {
        self.store.remove_blobs(ids, seen)
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.store.names()
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        self.store.name(name)
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.store.operations(name)
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        self.store.move_name(operation)
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        self.store.check_files()
    }
}

impl Leases for Counted {
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        self.store.acquire(stream, holder, now, ttl_ms)
    }

    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError> {
        self.store.renew(stream, lease, now, ttl_ms)
    }

    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError> {
        self.store.release(stream, lease)
    }
}

impl Shelves for Counted {
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError> {
        self.store.shelf_read(shelf)
    }

    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError> {
        self.store.shelf_get(shelf, key)
    }

    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError> {
        self.store.shelf_write(shelf, changes, key)
    }
}
