//! Keeps everything in memory. This is the model that other backends are compared with, so it is
//! as simple as can be.

mod leases;
mod shelves;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{
    Archive, BlobId, Entry, EventId, Operation, OperationId, Place, Stream, StreamInfo, chain,
};
use value::Digest;

use crate::lease;
use crate::rules::{self, Move};
use crate::{
    Append, AppendError, Arrival, Durability, Expected, MoveError, Receipt, Store, StoreError,
};

/// A store that is gone with the process.
#[derive(Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
    arrived: Condvar,
    names: Mutex<BTreeMap<String, Vec<(OperationId, Operation)>>>,
    /// By the names of their streams.
    leases: Mutex<BTreeMap<String, lease::Kept>>,
    shelves: Mutex<BTreeMap<String, shelves::Kept>>,
}

#[derive(Default)]
struct Kept {
    /// By name.
    streams: BTreeMap<String, Events>,
    /// What has position 1 is the first.
    arrivals: Vec<Place>,
    blobs: BTreeMap<BlobId, Vec<u8>>,
}

/// A stream's own events.
struct Events {
    info: StreamInfo,
    entries: Vec<Entry>,
    /// What was added under a key.
    keys: BTreeMap<Digest, (Receipt, Vec<EventId>)>,
    /// From which event on all were written here, or none. Before the first one none were.
    written: Vec<(u64, bool)>,
}

impl Events {
    /// The event of this number, and those behind it.
    fn from(&self, seq: u64) -> &[Entry] {
        let skipped = usize::try_from(seq.saturating_sub(self.info.first)).unwrap_or(usize::MAX);
        self.entries.get(skipped..).unwrap_or_default()
    }

    fn of_kinds(
        &self,
        kinds: &[Kind],
        from: u64,
        until: u64,
    ) -> impl DoubleEndedIterator<Item = &Entry> {
        let wanted = move |entry: &&Entry| entry.seq < until && kinds.contains(&entry.event.kind());
        self.from(from).iter().filter(wanted)
    }

    /// Whether the event of this number was written here.
    fn is_own(&self, seq: u64) -> bool {
        let before = self.written.iter().rev().find(|(from, _)| *from <= seq);
        before.is_some_and(|(_, here)| *here)
    }

    /// What was answered when these events were added at this place, if they were.
    fn repeated(&self, first: u64, ids: &[EventId]) -> Option<Receipt> {
        let there = self.from(first).get(..ids.len())?;
        let is_same = first >= self.info.first
            && there.iter().zip(ids).all(|(entry, id)| entry.event.id() == *id);
        let last = there.last().filter(|_| is_same)?;
        Some(Receipt { first, link: last.link, repeated: true })
    }
}

impl Kept {
    fn entry(&self, place: &Place) -> Option<&Entry> {
        self.streams.get(&place.stream.name())?.from(place.seq).first()
    }

    /// What was answered before, or nothing if the events are new and belong where they should.
    fn check(
        &self,
        append: &Append<'_>,
        origin: Option<&Place>,
        ids: &[EventId],
    ) -> Result<Option<Receipt>, AppendError> {
        let stream = append.stream;
        let Some(events) = self.streams.get(&stream.name()) else {
            return match &append.expected {
                Expected::Next(expected) if *expected > 0 => Err(AppendError::Conflict {
                    stream: stream.clone(),
                    expected: *expected,
                    actual: 0,
                }),
                Expected::Fork(place) if origin.is_none() => {
                    Err(AppendError::NoOrigin(place.clone()))
                }
                _ => Ok(None),
            };
        };
        if let Some((receipt, before)) = append.key.and_then(|key| events.keys.get(&key)) {
            return if before == ids {
                Ok(Some(Receipt { repeated: true, ..receipt.clone() }))
            } else {
                Err(AppendError::KeyReused(stream.clone()))
            };
        }
        let info = &events.info;
        match append.expected {
            Expected::Next(expected) if expected == info.next => Ok(None),
            Expected::Next(expected) => match events.repeated(expected, ids) {
                Some(receipt) => Ok(Some(receipt)),
                None => Err(AppendError::Conflict {
                    stream: stream.clone(),
                    expected,
                    actual: info.next,
                }),
            },
            Expected::New if info.parent.is_some() => Err(AppendError::Exists(stream.clone())),
            Expected::Fork(_) if origin.is_none() || info.parent.as_ref() != origin => {
                Err(AppendError::Exists(stream.clone()))
            }
            Expected::New | Expected::Fork(_) => match events.repeated(info.first, ids) {
                Some(receipt) => Ok(Some(receipt)),
                None => Err(AppendError::Exists(stream.clone())),
            },
        }
    }

    fn add(
        &mut self,
        append: &Append<'_>,
        origin: Option<(Place, Entry)>,
        ids: Vec<EventId>,
    ) -> Receipt {
        let (stream, name) = (append.stream, append.stream.name());
        let genesis = chain::genesis(stream);
        let head = self.streams.get(&name).map(|events| (events.info.next, events.info.link));
        let head = head.or(origin.as_ref().map(|(place, entry)| (place.seq + 1, entry.link)));
        let first = head.map_or(0, |(next, _)| next);
        let mut entries = Vec::new();
        let mut previous = head.map(|(_, link)| link);
        for (seq, event) in (first..).zip(append.events) {
            let link = chain::link(&genesis, seq, previous, event.id());
            previous = Some(link);
            entries.push(Entry { seq, link, event: event.clone() });
            self.arrivals.push(Place::new(stream.clone(), seq));
        }
        let link = previous.expect("there is at least one event");
        let next = first + append.events.len() as u64;
        let parent = origin.map(|(place, _)| place);
        let events = self.streams.entry(name).or_insert_with(|| Events {
            info: StreamInfo { stream: stream.clone(), parent, first, next, link },
            entries: Vec::new(),
            keys: BTreeMap::new(),
            written: Vec::new(),
        });
        if events.is_own(first) == append.unverified {
            events.written.push((first, !append.unverified));
        }
        events.entries.extend(entries);
        (events.info.next, events.info.link) = (next, link);
        let receipt = Receipt { first, link, repeated: false };
        events.keys.extend(append.key.map(|key| (key, (receipt.clone(), ids))));
        receipt
    }

    fn keep(&mut self, blobs: &[Blob]) {
        for blob in blobs {
            self.blobs.entry(blob.id()).or_insert_with(|| blob.bytes().to_vec());
        }
    }
}

impl MemoryStore {
    /// A panic elsewhere leaves nothing half done: everything is checked before it is changed.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn names_kept(&self) -> MutexGuard<'_, BTreeMap<String, Vec<(OperationId, Operation)>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Archive for MemoryStore {
    type Error = StoreError;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, StoreError> {
        Ok(self.kept().streams.get(&stream.name()).map(|events| events.info.clone()))
    }

    fn streams(&self, after: Option<&Stream>, limit: usize) -> Result<Vec<StreamInfo>, StoreError> {
        let after = after.map_or(Bound::Unbounded, |stream| Bound::Excluded(stream.name()));
        let kept = self.kept();
        let streams = kept.streams.range((after, Bound::Unbounded));
        Ok(streams.take(limit).map(|(_, events)| events.info.clone()).collect())
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let kept = self.kept();
        let Some(events) = kept.streams.get(&stream.name()) else { return Ok(Vec::new()) };
        Ok(events.from(from).iter().take(limit).cloned().collect())
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let kept = self.kept();
        let Some(events) = kept.streams.get(&stream.name()) else { return Ok(Vec::new()) };
        Ok(events.of_kinds(kinds, from, until).take(limit).cloned().collect())
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, StoreError> {
        let kept = self.kept();
        let Some(events) = kept.streams.get(&stream.name()) else { return Ok(None) };
        Ok(events.of_kinds(kinds, 0, until).next_back().cloned())
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, StoreError> {
        let kept = self.kept();
        let found = kept.arrivals.iter().filter_map(|place| {
            let id = kept.entry(place)?.event.id();
            id.to_string().starts_with(prefix).then(|| (place.clone(), id))
        });
        Ok(found.take(limit).collect())
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept().blobs.get(&id).cloned())
    }
}

impl Store for MemoryStore {
    fn append(&self, append: &Append<'_>) -> Result<Receipt, AppendError> {
        rules::check_events(append)?;
        let origin = rules::origin(self, append)?;
        let needed = rules::blobs_needed(append);
        let ids: Vec<EventId> = append.events.iter().map(|event| event.id()).collect();
        let mut kept = self.kept();
        let before = kept.check(append, origin.as_ref().map(|(place, _)| place), &ids)?;
        let receipt = match before {
            Some(receipt) => receipt,
            None => {
                if let Some(missing) = needed.iter().find(|id| !kept.blobs.contains_key(id)) {
                    return Err(AppendError::NoBlob(*missing));
                }
                kept.add(append, origin, ids)
            }
        };
        kept.keep(append.blobs);
        drop(kept);
        self.arrived.notify_all();
        Ok(receipt)
    }

    fn written_here(&self, stream: &Stream, from: u64, until: u64) -> Result<bool, StoreError> {
        let kept = self.kept();
        let Some(events) = kept.streams.get(&stream.name()) else { return Ok(false) };
        let others = |(seq, here): &(u64, bool)| !here && *seq > from && *seq < until;
        let begin = from.max(events.info.first);
        Ok(events.is_own(begin) && !events.written.iter().any(others))
    }

    fn watch(
        &self,
        after: u64,
        limit: usize,
        patience: Duration,
    ) -> Result<Vec<Arrival>, StoreError> {
        let skipped = usize::try_from(after).unwrap_or(usize::MAX);
        let nothing = |kept: &mut Kept| limit > 0 && kept.arrivals.len() <= skipped;
        let (kept, _) = self
            .arrived
            .wait_timeout_while(self.kept(), patience, nothing)
            .unwrap_or_else(PoisonError::into_inner);
        let arrivals = kept.arrivals.iter().enumerate().skip(skipped).take(limit);
        let arrivals = arrivals.map(|(before, place)| Arrival {
            position: before as u64 + 1,
            stream: place.stream.clone(),
            entry: kept.entry(place).expect("it has arrived").clone(),
        });
        Ok(arrivals.collect())
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        Ok(self.kept().arrivals.len() as u64)
    }

    fn blobs(&self, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, u64)>, StoreError> {
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.kept();
        let blobs = kept.blobs.range((after, Bound::Unbounded)).take(limit);
        Ok(blobs.map(|(id, bytes)| (*id, bytes.len() as u64)).collect())
    }

    fn has_blob(&self, id: BlobId) -> Result<bool, StoreError> {
        Ok(self.kept().blobs.contains_key(&id))
    }

    fn put_blobs(&self, blobs: &[Blob], _: Durability) -> Result<(), AppendError> {
        rules::check_blobs(blobs)?;
        self.kept().keep(blobs);
        Ok(())
    }

    fn remove_blobs(&self, ids: &[BlobId], seen: u64) -> Result<bool, AppendError> {
        let ids: BTreeSet<&BlobId> = ids.iter().collect();
        let mut kept = self.kept();
        if kept.arrivals.len() as u64 > seen {
            return Ok(false);
        }
        kept.blobs.retain(|id, _| !ids.contains(id));
        Ok(true)
    }

    fn names(&self) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        Ok(self.names_kept().values().filter_map(|operations| operations.last().cloned()).collect())
    }

    fn name(&self, name: &str) -> Result<Option<(OperationId, Operation)>, StoreError> {
        Ok(self.names_kept().get(name).and_then(|operations| operations.last().cloned()))
    }

    fn operations(&self, name: &str) -> Result<Vec<(OperationId, Operation)>, StoreError> {
        Ok(self.names_kept().get(name).cloned().unwrap_or_default())
    }

    fn move_name(&self, operation: &Operation) -> Result<OperationId, MoveError> {
        let mut names = self.names_kept();
        let last = names.get(&operation.name).and_then(|operations| operations.last());
        match rules::check_move(self, last, operation)? {
            Move::Made(id) => Ok(id),
            Move::Make(id) => {
                let operations = names.entry(operation.name.clone()).or_default();
                operations.push((id, operation.clone()));
                Ok(id)
            }
        }
    }

    fn check_files(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}
