//! A store in memory that is watched: it counts the events it hands out, and its disk is full
//! after so many writes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{BlobId, EventId, Operation, OperationId, Place, Stream, Timestamp};
use store::{
    Append, AppendError, Archive, Arrival, Change, Durability, Entry, Held, Holder, Item, Lease,
    Leases, MemoryStore, MoveError, Receipt, Shelves, Store, StoreError, StreamInfo,
};
use value::{Digest, Value};

/// The store.
pub struct WatchedStore {
    /// What it is made of: whoever asks this one is not counted.
    pub inner: MemoryStore,
    handed_out: AtomicUsize,
    room: AtomicUsize,
}

impl Default for WatchedStore {
    fn default() -> WatchedStore {
        WatchedStore::with_room(usize::MAX)
    }
}

impl WatchedStore {
    /// Nothing yet, and room for so many writes.
    pub fn with_room(writes: usize) -> WatchedStore {
        let inner = MemoryStore::default();
        WatchedStore { inner, handed_out: AtomicUsize::new(0), room: AtomicUsize::new(writes) }
    }

    /// Makes room for all writes that come.
    pub fn make_room(&self) {
        self.room.store(usize::MAX, Ordering::Relaxed);
    }

    /// How many events were handed out since this was asked.
    pub fn count(&self) -> usize {
        self.handed_out.swap(0, Ordering::Relaxed)
    }

    fn counted(&self, entries: Vec<Entry>) -> Vec<Entry> {
        self.handed_out.fetch_add(entries.len(), Ordering::Relaxed);
        entries
    }

    fn write(&self) -> Result<(), StoreError> {
        let take = |room: usize| room.checked_sub(1);
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(|_| ()).map_err(|_| StoreError::Full)
    }
}

impl Archive for WatchedStore {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        self.inner.stream(stream)
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        self.inner.streams(after, limit)
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner.read(stream, from, limit).map(|found| self.counted(found))
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let found = self.inner.read_kinds(stream, kinds, from, until, limit);
        found.map(|found| self.counted(found))
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        let found = self.inner.last_of(stream, kinds, until)?;
        Ok(self.counted(found.into_iter().collect()).pop())
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        self.inner.find(prefix, limit)
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.blob(id)
    }
}

impl Store for WatchedStore {
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        self.write()?;
        self.inner.append(append)
    }

    fn written_here(&self, stream: &Stream, from: u64, until: u64) -> Result<bool, StoreError> {
        self.inner.written_here(stream, from, until)
    }

    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError> {
        self.inner.watch(after, limit, patience)
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        self.inner.last_position()
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        self.inner.blobs(after, limit)
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        self.inner.has_blob(id)
    }

    fn put_blobs(&self, blobs: &[Blob], durability: Durability) -> Result<(), AppendError> {
        self.write()?;
        self.inner.put_blobs(blobs, durability)
    }

    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError> {
        self.write()?;
        self.inner.remove_blobs(ids, seen)
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.inner.names()
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        self.inner.name(name)
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.inner.operations(name)
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        self.write()?;
        self.inner.move_name(operation)
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        self.inner.check_files()
    }
}

impl Leases for WatchedStore {
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        self.inner.acquire(stream, holder, now, ttl_ms)
    }

    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError> {
        self.inner.renew(stream, lease, now, ttl_ms)
    }

    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError> {
        self.inner.release(stream, lease)
    }
}

impl Shelves for WatchedStore {
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError> {
        self.inner.shelf_read(shelf)
    }

    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError> {
        self.inner.shelf_get(shelf, key)
    }

    fn shelf_writes(&self, shelf: &str) -> Result<u64, StoreError> {
        self.inner.shelf_writes(shelf)
    }

    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError> {
        self.write()?;
        self.inner.shelf_write(shelf, changes, key)
    }
}
