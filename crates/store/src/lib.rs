//! Keeps histories: one trait, and the backends that fulfil it.
//!
//! A store knows what events are and in which order they stand; it knows nothing of what they
//! mean. `memory` and `sqlite` pass the same contract suite (`tests/contract`).
//!
//! Every method may be called from any thread, and blocks until it is done.
//!
//! ```
//! use history::{Event, Stream};
//! use store::{Append, Archive, Durability, Expected, MemoryStore, Store};
//! let store = MemoryStore::default();
//! let run = Stream::run("r1");
//! let events = [Event::read(r#"{"kind": "x.greeting"}"#).unwrap()];
//! let append = Append {
//!     stream: &run,
//!     expected: Expected::New,
//!     events: &events,
//!     blobs: &[],
//!     key: None,
//!     durability: Durability::Group,
//!     unverified: false,
//! };
//! let receipt = store.append(&append).unwrap();
//! assert_eq!(store.read(&run, 0, 10).unwrap()[0].link, receipt.link);
//! assert!(store.append(&append).unwrap().repeated);
//! ```

mod checked;
mod directories;
mod error;
mod export;
pub mod folder;
pub mod fork;
mod gc;
mod import;
mod lease;
mod live;
mod memory;
pub mod merge;
pub mod names;
mod rules;
mod shelf;
mod spool;
mod sqlite;
mod verify;

use std::time::Duration;

pub use checked::{append_checked, append_known};
pub use error::{AppendError, Damage, MoveError, StoreError};
pub use export::{ExportError, Exported, export};
pub use gc::{Clean, Cleaned, gc};
use history::kinds::Blob;
pub use history::{Archive, Entry, StreamInfo};
use history::{BlobId, Event, Link, Operation, OperationId, Place, Stream};
pub use import::{BrokenOff, ImportError, Imported, Importing, Input, Tell, import};
pub use lease::{Held, Holder, Lease, Leases};
pub use memory::MemoryStore;
pub use shelf::{Change, Item, Shelves};
pub use spool::{Spool, spool};
pub use sqlite::{APPLICATION_ID, SqliteStore};
use value::Digest;
pub use verify::{Verified, verify};

/// No event and no value that a store keeps has more bytes. SQLite would take a little more.
pub const VALUE_MAX: usize = 1_000_000_000 - 1_024;

/// What must have happened before an append is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The operating system has it: it survives the death of the process.
    Os,
    /// It is on the disk, together with everything else that waited at the same time.
    Group,
    /// It is on the disk, and waits for nobody else.
    Fsync,
}

/// Where an append belongs.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// The stream does not exist yet. Its first event is number 0.
    New,
    /// The stream does not exist yet, and goes on from this event of another run.
    Fork(Place),
    /// The next event of the stream has this number. A stream that does not exist begins at 0.
    Next(u64),
}

/// Events to be added to one stream, all of them or none.
#[derive(Clone, Debug)]
pub struct Append<'a> {
    /// Which stream.
    pub stream: &'a Stream,
    /// Where in it.
    pub expected: Expected,
    /// What. There must be at least one.
    pub events: &'a [Event],
    /// The values that stand beside them.
    pub blobs: &'a [Blob],
    /// Names the request, so that it can be made again: the same events under the same key are
    /// added once, whatever `expected` says the second time.
    pub key: Option<Digest>,
    /// When it counts as done.
    pub durability: Durability,
    /// Whether somebody else has written the events: it is an import. They may refer to bytes that
    /// are not there, and the store remembers that they were not written here.
    pub unverified: bool,
}

/// What an append did.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// The number of the first event.
    pub first: u64,
    /// The link of the last event.
    pub link: Link,
    /// Whether the events were there before, by the same key or at the same place.
    pub repeated: bool,
}

/// An event in the order in which the store got it.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Its place in that order. Watching goes on behind it.
    pub position: u64,
    /// Its stream.
    pub stream: Stream,
    /// The event.
    pub entry: Entry,
}

/// Keeps events, names and large values, and beside them leases and shelves. What it can be asked
/// is in [`Archive`].
pub trait Store: Archive<Error = StoreError> + Leases + Shelves + Send + Sync {
    /// Adds events. Nothing of it can be seen before all of it is as durable as asked for.
    /// Events that stand there already, by their key or their place, are not added again, and
    /// not refused; the blobs that came with them are kept all the same.
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError>;

    /// Whether all of a stream's own events from a number on, up to another one, were written here:
    /// none came by an import. What is not known was not, and so was a stream that is not there.
    /// This is kept beside the events, and is in no export: a history cannot say it of itself.
    fn written_here(&self, stream: &Stream, from: u64, until: u64) -> Result<bool, StoreError>;

    /// Events of all streams in the order in which the store got them, at most `limit` behind
    /// `after`. Waits up to `patience` for the first one.
    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError>;

    /// The position of the last event; 0 if there is none.
    fn last_position(&self) -> Result<u64, StoreError>;

    /// The hashes there are bytes behind, in order, with how many: at most `limit` behind `after`.
    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError>;

    /// Whether there are bytes behind a hash, without reading them.
    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError>;

    /// Keeps bytes behind their hashes.
    fn put_blobs(&self, blobs: &[Blob], durability: Durability) -> Result<(), AppendError>;

    /// Forgets bytes. Whoever calls this has made sure that no event up to this position refers to
    /// them. If there are events behind it, which may, nothing is forgotten. Says whether it was.
    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError>;

    /// All names that were ever given, in order, each with its last operation.
    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError>;

    /// The last operation on a name.
    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError>;

    /// All operations on a name, from the first on.
    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError>;

    /// Moves a name, if it still stands where the operation says. A target must exist; a move
    /// that does not go forward on one line of history needs a reason. The operation that was
    /// the last one on its name is not done again, and not refused.
    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError>;

    /// Damage that the store finds in its own files, in words; nothing when they are sound.
    /// `verify` reads all events besides.
    fn check_files(&self) -> Result<Vec<String>, StoreError>;
}
