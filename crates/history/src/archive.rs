//! What can be asked of whatever keeps events. Queries and checks are written against this, so
//! that they need no store.

use value::Value;

use crate::kinds::{Blob, Fact, Kind};
use crate::{BlobId, Event, EventId, Link, Place, Stream};

/// An event at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The number in its stream.
    pub seq: u64,
    /// The link.
    pub link: Link,
    /// The event.
    pub event: Event,
}

/// What is known of a stream without reading its events.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamInfo {
    /// Which one.
    pub stream: Stream,
    /// The last event that is its parent's, for a fork.
    pub parent: Option<Place>,
    /// The number of its first own event.
    pub first: u64,
    /// The number that its next event will have.
    pub next: u64,
    /// The link of its last event.
    pub link: Link,
}

/// Keeps events, and hands them out.
pub trait Archive {
    /// Why it could not.
    type Error;

    /// What is known of a stream; nothing if there is none.
    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, Self::Error>;

    /// All streams, by name (the order of [`Stream::name`]): at most `limit` behind `after`.
    fn streams(&self, after: Option<&Stream>, limit: usize)
    -> Result<Vec<StreamInfo>, Self::Error>;

    /// A stream's own events from a number on, at most `limit`. A fork's events before its first
    /// are its parent's: ask there.
    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, Self::Error>;

    /// The same, but only events of these kinds, and only those before `until`.
    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, Self::Error>;

    /// A stream's last own event of these kinds before `until`.
    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, Self::Error>;

    /// Where events stand whose ids begin with these hexadecimal digits, at most `limit` places,
    /// in the order in which the store got them.
    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, Self::Error>;

    /// The bytes behind a hash.
    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, Self::Error>;

    /// The JSON value behind a hash; nothing if it is not there, or is something else.
    fn value(&self, id: BlobId) -> Result<Option<Value>, Self::Error> {
        Ok(self.blob(id)?.as_deref().and_then(Blob::read))
    }

    /// What an event says, with the values that stand behind hashes as far as they are there.
    fn fact(&self, event: &Event) -> Result<Option<Fact>, Self::Error> {
        let mut failed = None;
        let fact = event.fact_with(|id| {
            self.value(id).unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        failed.map_or(Ok(fact), Err)
    }
}
