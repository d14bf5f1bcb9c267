//! What must hold of a store, whatever happened to it: all that was promised is there, and
//! nothing else than what was written.

use std::collections::BTreeMap;

use history::kinds::referenced;
use history::{BlobId, Link, OperationId, Stream, chain};
use store::{Entry, Store};

use crate::written;

/// What writers were told: each line of theirs is one promise of the store.
#[derive(Default)]
pub(crate) struct Promises {
    events: Vec<(Stream, u64, Link)>,
    names: BTreeMap<String, Vec<OperationId>>,
    blobs: Vec<BlobId>,
}

/// How far the streams were proven before, so that proving goes on from there.
#[derive(Default)]
pub(crate) struct Proven {
    streams: BTreeMap<Stream, (u64, Link)>,
}

impl Promises {
    /// Takes a line of a writer: `event STREAM SEQ LINK` or `written STREAM SEQ LINK` by its
    /// durability, `name NAME OPERATION` or `blob ID`. Says whether it is a promise.
    pub(crate) fn hear(&mut self, line: &str) -> bool {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["event" | "written", stream, seq, link] => self.events.push((
                Stream::from_name(stream).expect("a writer names streams"),
                seq.parse().expect("a writer numbers events"),
                Link::parse(link).expect("a writer prints links"),
            )),
            ["name", name, id] => {
                let id = OperationId::parse(id).expect("a writer prints operations");
                self.names.entry(name.to_string()).or_default().push(id);
            }
            ["blob", id] => self.blobs.push(BlobId::parse(id).expect("a writer prints hashes")),
            _ => return false,
        }
        true
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.events.len() + self.names.values().map(Vec::len).sum::<usize>() + self.blobs.len()
    }

    /// Whether they are kept.
    pub(crate) fn check(&self, store: &dyn Store) -> Result<(), String> {
        for (stream, seq, link) in &self.events {
            let found = store.read(stream, *seq, 1).map_err(failed)?;
            if found.first().map(|entry| (entry.seq, entry.link)) != Some((*seq, *link)) {
                return Err(format!("{stream}@{seq} was acknowledged and is lost"));
            }
        }
        for (name, promised) in &self.names {
            let ids = check_name(store, name)?;
            // The last move may have been made without anybody being told.
            let known = ids.windows(promised.len()).rev().take(2).any(|ids| ids == promised);
            if !known {
                return Err(format!("the moves of {name} are {ids:?}, promised {promised:?}"));
            }
        }
        for id in &self.blobs {
            check_blob(store, *id)?;
        }
        Ok(())
    }
}

impl Proven {
    /// Proves a whole store: all streams from their first event on, and all names.
    pub(crate) fn of(store: &dyn Store) -> Result<Proven, String> {
        let mut proven = Proven::default();
        proven.check(store)?;
        for (id, operation) in store.names().map_err(failed)? {
            if check_name(store, &operation.name)?.last() != Some(&id) {
                return Err(format!("{} is listed with another move", operation.name));
            }
        }
        Ok(proven)
    }

    /// Proves what was added since: the events are the ones that were written, without a gap,
    /// chained, with what they refer to.
    pub(crate) fn check(&mut self, store: &dyn Store) -> Result<(), String> {
        let mut after = None;
        loop {
            let page = store.streams(after.as_ref(), 100).map_err(failed)?;
            for info in &page {
                self.check_stream(store, &info.stream)?;
            }
            match page.last() {
                Some(last) => after = Some(last.stream.clone()),
                None => break,
            }
        }
        for stream in self.streams.keys() {
            if store.stream(stream).map_err(failed)?.is_none() {
                return Err(format!("{stream} was there before"));
            }
        }
        Ok(())
    }

    /// How many events were proven.
    pub(crate) fn events(&self) -> u64 {
        let first = |stream| written::origin(stream).map_or(0, |origin| origin.seq + 1);
        self.streams.iter().map(|(stream, (next, _))| next - first(stream)).sum()
    }

    /// How many streams were proven.
    pub(crate) fn streams(&self) -> usize {
        self.streams.len()
    }

    fn check_stream(&mut self, store: &dyn Store, stream: &Stream) -> Result<(), String> {
        let info = store.stream(stream).map_err(failed)?.ok_or("a stream is listed and unknown")?;
        let origin = written::origin(stream);
        if info.parent != origin || info.first != origin.as_ref().map_or(0, |place| place.seq + 1) {
            return Err(format!("{stream} does not come from {origin:?}: {info:?}"));
        }
        let (mut next, mut link) = match (self.streams.get(stream), &origin) {
            (Some((next, link)), _) => (*next, Some(*link)),
            (None, None) => (0, None),
            (None, Some(origin)) => {
                let parent = store.read(&origin.stream, origin.seq, 1).map_err(failed)?;
                let parent = parent.first().ok_or(format!("{origin} is gone"))?;
                (info.first, Some(parent.link))
            }
        };
        let genesis = chain::genesis(stream);
        loop {
            let page = store.read(stream, next, 500).map_err(failed)?;
            for entry in &page {
                link = Some(chain::link(&genesis, next, link, entry.event.id()));
                check_entry(store, stream, entry, next)?;
                if Some(entry.link) != link {
                    return Err(format!("{stream}@{next} has another link"));
                }
                next += 1;
            }
            if page.is_empty() {
                break;
            }
        }
        if (info.next, Some(info.link)) != (next, link) {
            return Err(format!("{stream} ends at {next}, not as {info:?} says"));
        }
        self.streams.insert(stream.clone(), (next, info.link));
        Ok(())
    }
}

fn check_entry(
    store: &dyn Store,
    stream: &Stream,
    entry: &Entry,
    expected: u64,
) -> Result<(), String> {
    if entry.seq != expected {
        return Err(format!("{stream} has {} where {expected} should be", entry.seq));
    }
    if entry.event != written::event(stream, entry.seq).event {
        return Err(format!("{stream}@{expected} is {}", entry.event.body()));
    }
    entry.event.members().values().filter_map(referenced).try_for_each(|id| check_blob(store, id))
}

fn check_blob(store: &dyn Store, id: BlobId) -> Result<(), String> {
    let bytes = store.blob(id).map_err(failed)?.ok_or(format!("the bytes of {id} are lost"))?;
    if value::Digest::of(&bytes) == id.0 { Ok(()) } else { Err(format!("{id} has other bytes")) }
}

/// Whether a name's moves are chained, and its last one points to something. The moves' ids.
fn check_name(store: &dyn Store, name: &str) -> Result<Vec<OperationId>, String> {
    let moves = store.operations(name).map_err(failed)?;
    let mut previous = None;
    for (id, operation) in &moves {
        if operation.name != name || operation.previous != previous || operation.id() != *id {
            return Err(format!("the moves of {name} are not chained"));
        }
        previous = Some(*id);
    }
    let last = store.name(name).map_err(failed)?;
    if last.as_ref() != moves.last() {
        return Err(format!("{name} does not stand where it was moved to"));
    }
    if let Some(target) = last.and_then(|(_, operation)| operation.target) {
        let found = store.read(&target.place.stream, target.place.seq, 1).map_err(failed)?;
        if found.first().map(|entry| (entry.seq, entry.link))
            != Some((target.place.seq, target.link))
        {
            return Err(format!("{name} points to {}, which is not there", target.place));
        }
    }
    Ok(moves.into_iter().map(|(id, _)| id).collect())
}

pub(crate) fn failed(error: impl std::fmt::Display) -> String {
    format!("cannot be read: {error}")
}
