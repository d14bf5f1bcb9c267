//! Keeps everything in one SQLite file. Nothing outside this folder knows SQL.
//!
//! Any number of processes write and read at the same time: SQLite lets one write at a time, and
//! the others wait. Within a process, those who write are brought together by `queue` and work at
//! the `desk`; who reads has a connection of `connect`.

mod check;
mod connect;
mod desk;
mod fault;
mod filesystem;
mod leases;
mod queue;
mod read;
mod schema;
mod shelves;
mod write;

pub use schema::APPLICATION_ID;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use connect::Readers;
use desk::{Desk, Until};
use history::kinds::{Blob, Kind};
use history::{Archive, BlobId, Entry, EventId, Operation, OperationId, Place, Stream, StreamInfo};
use queue::{Queue, Request};
use read::Of;
use schema::Contents;

use crate::rules::{self, Move};
use crate::{Append, AppendError, Arrival, Durability, MoveError, Receipt, Store, StoreError};

/// Ids go into the index in batches of so many events; younger ones are looked through.
const ID_BATCH: i64 = 4_096;

/// Kinds go into theirs in batches of so many. They fill few pages of it, and who asks for kinds
/// asks often.
const KIND_BATCH: i64 = 1_024;

/// The index of ids is apart for so many positions.
const ID_SPAN: i64 = 64 * ID_BATCH;

/// How often who watches looks for what other processes wrote.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A store in one file. While it is open there are others beside it; closing it (dropping it)
/// leaves the one, unless somebody else has it open.
pub struct SqliteStore {
    path: PathBuf,
    readers: Readers,
    writer: Option<Writer>,
}

struct Writer {
    queue: Queue,
    /// Empty once it is closed.
    desk: Mutex<Option<Desk>>,
    seen: Mutex<Seen>,
    arrived: Condvar,
}

#[derive(Default)]
struct Seen {
    /// The position of the last event that can be seen, as far as this process wrote it.
    last: u64,
    /// How many wait for more. Telling nobody would cost a call of the system.
    watchers: usize,
}

impl SqliteStore {
    /// Opens a store for writing and reading, beside whoever has it open, and makes it if there is
    /// none.
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        let path = connect::locate(path.as_ref())?;
        connect::look(&path)?;
        let desk = Desk::open(connect::writer(&path)?, &path)?;
        let readers = Readers::open(&path)?;
        let writer = Writer {
            queue: Queue::default(),
            desk: Mutex::new(Some(desk)),
            seen: Mutex::default(),
            arrived: Condvar::new(),
        };
        Ok(SqliteStore { path, readers, writer: Some(writer) })
    }

    /// Opens a store for reading, beside whoever has it open.
    pub fn open_reader(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        let path = path.as_ref();
        if !path.exists() {
            let path = path.display();
            return Err(StoreError::Unusable(format!("there is no store `{path}`")));
        }
        let path = connect::locate(path)?;
        if connect::look(&path)? == Contents::Nothing {
            return Err(StoreError::Unusable(format!("`{}` is empty", path.display())));
        }
        Ok(SqliteStore { readers: Readers::open(&path)?, path, writer: None })
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        let path = self.path.display();
        self.writer
            .as_ref()
            .ok_or_else(|| StoreError::Unusable(format!("`{path}` is open for reading only")))
    }

    /// Waits so long, or until this process has written an event behind this position.
    fn wait_for(&self, after: u64, patience: Duration) {
        let Some(writer) = &self.writer else { return std::thread::sleep(patience) };
        let mut seen = writer.seen();
        seen.watchers += 1;
        let waited = writer.arrived.wait_timeout_while(seen, patience, |seen| seen.last <= after);
        let (mut seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        seen.watchers -= 1;
    }
}

impl Writer {
    /// Works while nobody else does.
    fn alone<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut Desk) -> Result<T, E>,
    ) -> Result<T, E> {
        match self.desk.lock() {
            Ok(mut desk) => work(desk.as_mut().expect("it is closed by dropping only")),
            Err(_) => Err(StoreError::Poisoned("the writer panicked".into()).into()),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, request: Request<'_>) -> Result<Receipt, AppendError> {
        self.queue.serve(request, |requests| {
            let done = self.alone(|desk| {
                let outcomes = desk.append(requests);
                if let Some(last) = desk.remembered.last {
                    let mut seen = self.seen();
                    seen.last = last.cast_unsigned();
                    if seen.watchers > 0 {
                        self.arrived.notify_all();
                    }
                }
                Ok(outcomes)
            });
            done.unwrap_or_else(|error: StoreError| write::shared(error, requests.len()))
        })
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        let _closing = connect::closing(&self.path);
        self.readers.close();
        if let Some(writer) = &mut self.writer {
            let desk = writer.desk.get_mut().unwrap_or_else(PoisonError::into_inner);
            desk.take().into_iter().for_each(Desk::close);
        }
    }
}

impl Archive for SqliteStore {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        self.readers.with(|connection| read::stream(connection, stream))
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        self.readers.with(|connection| read::streams(connection, after, limit))
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.with(|connection| read::read(connection, stream, from, limit))
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.readers
            .with(|connection| read::read_kinds(connection, stream, kinds, from, until, limit))
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        self.readers.with(|connection| read::last_of(connection, stream, kinds, until))
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        self.readers.with(|connection| read::find(connection, prefix, limit))
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.with(|connection| read::blob(connection, id))
    }
}

impl Store for SqliteStore {
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        rules::check_events(append)?;
        let writer = self.writer()?;
        let digest = || write::digest(append.events.iter().map(|event| event.id()));
        writer.append(Request {
            stream: Cow::Borrowed(append.stream),
            expected: append.expected.clone(),
            events: Cow::Borrowed(append.events),
            blobs: Cow::Borrowed(append.blobs),
            key: append.key.map(|key| (key, digest())),
            durability: append.durability,
            origin: rules::origin(self, append)?.map(|(place, entry)| (place, entry.link)),
            needed: rules::blobs_needed(append).into_iter().collect(),
            here: !append.unverified,
        })
    }

    fn written_here(&self, stream: &Stream, from: u64, until: u64) -> Result<bool, StoreError> {
        self.readers.with(|connection| Ok(read::written_here(connection, stream, from, until)?))
    }

    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError> {
        let arrivals = || self.readers.with(|connection| read::arrivals(connection, after, limit));
        if limit == 0 {
            return Ok(Vec::new());
        }
        let begin = Instant::now();
        loop {
            let found = arrivals()?;
            let left = patience.saturating_sub(begin.elapsed());
            if !found.is_empty() || left.is_zero() {
                return Ok(found);
            }
            self.wait_for(after, left.min(LOOK_AGAIN));
        }
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        self.readers.with(|connection| Ok(read::last_position(connection)?.cast_unsigned()))
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        self.readers.with(|connection| read::blobs(connection, after, limit))
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        self.readers.with(|connection| Ok(read::has_blob(connection, id)?))
    }

    fn put_blobs(&self, blobs: &[Blob], durability: Durability) -> Result<(), AppendError> {
        rules::check_blobs(blobs)?;
        let until = durability.until();
        self.writer()?.alone(|desk| Ok(desk.transaction(until, |desk| desk.keep(blobs))?))
    }

    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError> {
        let remove = |desk: &mut Desk| desk.remove(ids, seen);
        self.writer()?.alone(|desk| Ok(desk.transaction(Until::Disk, remove)?))
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.readers.with(|connection| read::operations(connection, Of::Names))
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        let last = self.readers.with(|connection| read::operations(connection, Of::Last(name)))?;
        Ok(last.into_iter().next())
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        self.readers.with(|connection| read::operations(connection, Of::All(name)))
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        // While nobody else writes, what can be read is all there is.
        let check = || rules::check_move(self, self.name(&operation.name)?.as_ref(), operation);
        self.writer()?.alone(|desk| {
            desk.transaction(Until::Disk, |desk| match check() {
                Ok(Move::Make(id)) => desk.note(id, operation).map(|()| Ok(id)),
                Ok(Move::Made(id)) => Ok(Ok(id)),
                Err(refused) => Ok(Err(refused)),
            })?
        })
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        self.readers.with(check::check)
    }
}
