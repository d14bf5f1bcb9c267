//! A store that forgets: what is added to it is read back, and the store below stays as it is.
//! `strict` tries an import on it first.
//!
//! Bodies are put aside in a file; about 200 bytes of each new event are kept in memory.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{
    Archive, BlobId, Entry, Event, EventId, Link, Operation, OperationId, Place, Stream,
    StreamInfo, Timestamp, chain,
};
use value::{Digest, Value};

use crate::rules::{self, Move};
use crate::spool::Spool;
use crate::{
    Append, AppendError, Arrival, Change, Durability, Expected, Held, Holder, Item, Lease, Leases,
    MoveError, Receipt, Shelves, Store, StoreError,
};

pub(super) struct Rehearsal<'a> {
    below: &'a dyn Store,
    kept: Mutex<Kept>,
}

struct Kept {
    spool: Spool,
    end: u64,
    /// By name. Only streams that were added to.
    streams: BTreeMap<String, Added>,
    places: BTreeMap<EventId, Vec<Place>>,
    blobs: BTreeMap<BlobId, Aside>,
    names: BTreeMap<String, Vec<(OperationId, Operation)>>,
}

/// Bytes in the file.
#[derive(Clone, Copy)]
struct Aside {
    offset: u64,
    length: usize,
}

struct Added {
    info: StreamInfo,
    /// The number of the first event that was added.
    from: u64,
    events: Vec<Noted>,
}

#[derive(Clone, Copy)]
struct Noted {
    id: EventId,
    link: Link,
    kind: Kind,
    body: Aside,
}

impl<'a> Rehearsal<'a> {
    pub(super) fn new(below: &'a dyn Store) -> io::Result<Rehearsal<'a>> {
        let kept = Kept {
            spool: Spool::new()?,
            end: 0,
            streams: BTreeMap::new(),
            places: BTreeMap::new(),
            blobs: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        Ok(Rehearsal { below, kept: Mutex::new(kept) })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What no import does is not rehearsed: better an error than an answer that leaves out what was
/// added.
fn not_needed() -> StoreError {
    StoreError::Unusable("this store only rehearses an import".into())
}

fn system(error: io::Error) -> StoreError {
    StoreError::System(Box::new(error))
}

impl Kept {
    fn put(&mut self, bytes: &[u8]) -> Result<Aside, StoreError> {
        let aside = Aside { offset: self.end, length: bytes.len() };
        self.spool.seek(SeekFrom::Start(self.end)).map_err(system)?;
        self.spool.write_all(bytes).map_err(system)?;
        self.end += bytes.len() as u64;
        Ok(aside)
    }

    fn get(&mut self, aside: Aside) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; aside.length];
        self.spool.seek(SeekFrom::Start(aside.offset)).map_err(system)?;
        self.spool.read_exact(&mut bytes).map_err(system)?;
        Ok(bytes)
    }

    fn entry(&mut self, seq: u64, event: Noted) -> Result<Entry, StoreError> {
        let damaged = || StoreError::Damaged("what was put aside has changed".into());
        let body = String::from_utf8(self.get(event.body)?).map_err(|_| damaged())?;
        let read = Event::from_store(event.id, event.kind, body).ok_or_else(damaged)?;
        Ok(Entry { seq, link: event.link, event: read })
    }
}

impl Archive for Rehearsal<'_> {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        let added = self.kept().streams.get(&stream.name()).map(|added| added.info.clone());
        match added {
            Some(info) => Ok(Some(info)),
            None => self.below.stream(stream),
        }
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        let below = self.below.streams(after, limit)?;
        let mut streams: BTreeMap<String, StreamInfo> =
            below.into_iter().map(|info| (info.stream.name(), info)).collect();
        let after = after.map(Stream::name);
        for (name, added) in &self.kept().streams {
            if after.as_ref().is_none_or(|after| name > after) {
                streams.insert(name.clone(), added.info.clone());
            }
        }
        Ok(streams.into_values().take(limit).collect())
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.below.read(stream, from, limit)?;
        let mut kept = self.kept();
        let Some(added) = kept.streams.get(&stream.name()) else { return Ok(entries) };
        let from = from.max(added.from);
        let skipped = usize::try_from(from - added.from).unwrap_or(usize::MAX);
        let room = limit - entries.len();
        let events: Vec<Noted> = added.events.iter().skip(skipped).take(room).copied().collect();
        for (seq, event) in (from..).zip(events) {
            entries.push(kept.entry(seq, event)?);
        }
        Ok(entries)
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.below.read_kinds(stream, kinds, from, until, limit)?;
        let mut kept = self.kept();
        let Some(added) = kept.streams.get(&stream.name()) else { return Ok(entries) };
        let events: Vec<(u64, Noted)> = (added.from..)
            .zip(added.events.iter().copied())
            .filter(|(seq, event)| (from..until).contains(seq) && kinds.contains(&event.kind))
            .take(limit - entries.len())
            .collect();
        for (seq, event) in events {
            entries.push(kept.entry(seq, event)?);
        }
        Ok(entries)
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        let mut kept = self.kept();
        let last = kept.streams.get(&stream.name()).and_then(|added| {
            let events = added.events.iter().enumerate().rev();
            let mut events = events.map(|(at, event)| (added.from + at as u64, *event));
            events.find(|(seq, event)| *seq < until && kinds.contains(&event.kind))
        });
        match last {
            Some((seq, event)) => kept.entry(seq, event).map(Some),
            None => self.below.last_of(stream, kinds, until),
        }
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        let mut found = self.below.find(prefix, limit)?;
        let kept = self.kept();
        // Whoever imports asks for whole ids only.
        let added = EventId::parse(prefix).and_then(|id| kept.places.get_key_value(&id));
        let places =
            added.into_iter().flat_map(|(id, places)| places.iter().map(move |at| (at, id)));
        let room = limit - found.len();
        found.extend(places.take(room).map(|(place, id)| (place.clone(), *id)));
        Ok(found)
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        let mut kept = self.kept();
        match kept.blobs.get(&id).copied() {
            Some(aside) => kept.get(aside).map(Some),
            None => self.below.blob(id),
        }
    }
}

impl Store for Rehearsal<'_> {
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        let stream = append.stream;
        let (parent, first, mut link) = match (&append.expected, self.stream(stream)?) {
            (Expected::New, None) => (None, 0, None),
            (Expected::Fork(place), None) => match rules::origin(self, append)? {
                Some((owner, entry)) => (Some(owner), entry.seq + 1, Some(entry.link)),
                None => return Err(AppendError::NoOrigin(place.clone())),
            },
            (Expected::Next(expected), Some(info)) if *expected == info.next => {
                (info.parent, info.next, Some(info.link))
            }
            (Expected::Next(expected), info) => {
                let (stream, expected) = (stream.clone(), *expected);
                let actual = info.map_or(0, |info| info.next);
                return Err(AppendError::Conflict { stream, expected, actual });
            }
            (_, Some(_)) => return Err(AppendError::Exists(stream.clone())),
        };
        let own_first = self.stream(stream)?.map_or(first, |info| info.first);
        let genesis = chain::genesis(stream);
        let mut kept = self.kept();
        let mut events = Vec::with_capacity(append.events.len());
        for (seq, event) in (first..).zip(append.events) {
            let next = chain::link(&genesis, seq, link, event.id());
            let body = kept.put(event.body().as_bytes())?;
            events.push(Noted { id: event.id(), link: next, kind: event.kind(), body });
            kept.places.entry(event.id()).or_default().push(Place::new(stream.clone(), seq));
            link = Some(next);
        }
        let link = link.ok_or(AppendError::Empty)?;
        let next = first + events.len() as u64;
        let info = StreamInfo { stream: stream.clone(), parent, first: own_first, next, link };
        let added = kept.streams.entry(stream.name());
        let added = added.or_insert(Added { info: info.clone(), from: first, events: Vec::new() });
        added.info = info;
        added.events.extend(events);
        Ok(Receipt { first, link, repeated: false })
    }

    fn written_here(&self, _: &Stream, _: u64, _: u64) -> Result<bool, StoreError> {
        Err(not_needed())
    }

    fn watch(&self, _: u64, _: usize, _: Duration) -> Result<Vec<Arrival>, StoreError> {
        Err(not_needed())
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        Err(not_needed())
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        let mut blobs: BTreeMap<BlobId, u64> =
            self.below.blobs(after, limit)?.into_iter().collect();
        let kept = self.kept();
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let added = kept.blobs.range((after, Bound::Unbounded)).take(limit);
        blobs.extend(added.map(|(id, aside)| (*id, aside.length as u64)));
        Ok(blobs.into_iter().take(limit).collect())
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        Ok(self.kept().blobs.contains_key(&id) || self.below.has_blob(id)?)
    }

    fn put_blobs(&self, blobs: &[Blob], _: Durability) -> Result<(), AppendError> {
        let mut kept = self.kept();
        for blob in blobs {
            let aside = kept.put(blob.bytes())?;
            kept.blobs.insert(blob.id(), aside);
        }
        Ok(())
    }

    fn remove_blobs(&self, _: &[BlobId], _: u64) -> Result<bool, AppendError> {
        Err(not_needed().into())
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        Err(not_needed())
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        Ok(self.operations(name)?.pop())
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        let mut operations = self.below.operations(name)?;
        operations.extend(self.kept().names.get(name).into_iter().flatten().cloned());
        Ok(operations)
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        let last = self.name(&operation.name)?;
        match rules::check_move(self, last.as_ref(), operation)? {
            Move::Made(id) => Ok(id),
            Move::Make(id) => {
                let mut kept = self.kept();
                let moves = kept.names.entry(operation.name.clone()).or_default();
                moves.push((id, operation.clone()));
                Ok(id)
            }
        }
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        Err(not_needed())
    }
}

impl Leases for Rehearsal<'_> {
    fn acquire(
        &self,
        _: &Stream,
        _: &Holder,
        _: Timestamp,
        _: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        Err(not_needed())
    }

    fn renew(&self, _: &Stream, _: &Lease, _: Timestamp, _: u64) -> Result<bool, StoreError> {
        Err(not_needed())
    }

    fn release(&self, _: &Stream, _: &Lease) -> Result<(), StoreError> {
        Err(not_needed())
    }
}

impl Shelves for Rehearsal<'_> {
    fn shelf_read(&self, _: &str) -> Result<Vec<Item>, StoreError> {
        Err(not_needed())
    }

    fn shelf_get(&self, _: &str, _: &str) -> Result<Option<Value>, StoreError> {
        Err(not_needed())
    }

    fn shelf_writes(&self, _: &str) -> Result<u64, StoreError> {
        Err(not_needed())
    }

    fn shelf_write(&self, _: &str, _: &[Change], _: &Digest) -> Result<Option<Value>, AppendError> {
        Err(not_needed().into())
    }
}
