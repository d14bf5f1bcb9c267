//! Writes histories out, in the one order that does not depend on a store (`history::line`).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use history::kinds::records::Origin;
use history::line::{write_blob, write_event, write_operation};
use history::{BlobId, Operation, OperationId, Stream, StreamInfo, references};
use value::Value;

use crate::{Store, StoreError, folder};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// Streams.
    pub runs: u64,
    /// Events.
    pub events: u64,
    /// Names, each with all of its moves.
    pub names: u64,
    /// Large values.
    pub blobs: u64,
}

/// Nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no such stream. The caller tells the user.
    #[error("there is no `{0}`")]
    NoStream(Stream),
    /// The output cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[from] io::Error),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// How many events are read at once.
const PAGE: usize = 512;

/// Writes everything, or some runs with what they need to be imported alone: the runs they go on
/// from, as a whole, the names that never pointed anywhere else, and the values they refer to.
///
/// What others write meanwhile may be part of it, but never without what it follows.
pub fn export(
    store: &dyn Store,
    selected: Option<&[Stream]>,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    // First what points at events, then where streams end, so that every target is among them.
    let names: Vec<(OperationId, String)> =
        store.names()?.into_iter().map(|(id, operation)| (id, operation.name)).collect();
    let streams = match selected {
        Some(selected) => {
            for stream in selected {
                store.stream(stream)?.ok_or_else(|| ExportError::NoStream(stream.clone()))?;
            }
            with_origins(store, Streams::new(), selected.to_vec())?
        }
        None => whole(store, all(store)?)?,
    };
    let until = ends(&streams);
    let mut exporter = Exporter {
        store,
        out,
        exported: Exported::default(),
        carried: selected.map(|_| BTreeSet::new()),
    };
    for info in streams.values() {
        exporter.events(info, until[&info.stream])?;
    }
    for (last, name) in names {
        let operations = moves(store, &name, last)?;
        if selected.is_none() || stays_within(&operations, &until) {
            exporter.name(&operations)?;
        }
    }
    match exporter.carried.take() {
        Some(carried) => exporter.some_blobs(carried)?,
        None => exporter.all_blobs()?,
    }
    exporter.out.flush()?;
    Ok(exporter.exported)
}

/// Streams by their whole names, which is the order they are written in.
type Streams = BTreeMap<String, StreamInfo>;

fn all(store: &dyn Store) -> Result<Streams, StoreError> {
    let mut streams = Streams::new();
    let mut after: Option<Stream> = None;
    loop {
        let page = store.streams(after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { return Ok(streams) };
        after = Some(last.stream.clone());
        streams.extend(page.into_iter().map(|info| (info.stream.name(), info)));
    }
}

/// All streams that were listed, which is done page by page: what a fork goes on from may have
/// begun behind a page that was read before.
fn whole(store: &dyn Store, listed: Streams) -> Result<Streams, StoreError> {
    let parents = listed.values().filter_map(|info| Some(&info.parent.as_ref()?.stream));
    let missing = parents.filter(|parent| !listed.contains_key(&parent.name())).cloned().collect();
    with_origins(store, listed, missing)
}

/// These streams, and those that are left with all that they go on from.
fn with_origins(
    store: &dyn Store,
    mut streams: Streams,
    mut left: Vec<Stream>,
) -> Result<Streams, StoreError> {
    while let Some(stream) = left.pop() {
        if streams.contains_key(&stream.name()) {
            continue;
        }
        let info = store.stream(&stream)?.ok_or_else(|| {
            StoreError::Damaged(format!("a run goes on from `{stream}`, which is lost").into())
        })?;
        if let Some(parent) = &info.parent {
            left.push(parent.stream.clone());
            // A fork may name a fork as its origin although the event is of the run before that.
            let first = store.read(&info.stream, info.first, 1)?;
            let origin = first.first().and_then(|entry| entry.event.members().remove("from"));
            left.extend(origin.as_ref().and_then(named_run));
        }
        streams.insert(info.stream.name(), info);
    }
    Ok(streams)
}

fn named_run(from: &Value) -> Option<Stream> {
    Origin::from_members(from.as_map()?).map(|origin| Stream::Run(origin.run_id))
}

/// Behind the last event of each stream that is written. Streams are listed one after another;
/// what a fork goes on from may have been added after its parent was listed.
fn ends(streams: &Streams) -> BTreeMap<Stream, u64> {
    let mut ends: BTreeMap<Stream, u64> =
        streams.values().map(|info| (info.stream.clone(), info.next)).collect();
    for parent in streams.values().filter_map(|info| info.parent.as_ref()) {
        if let Some(end) = ends.get_mut(&parent.stream) {
            *end = (*end).max(parent.seq + 1);
        }
    }
    ends
}

/// The moves of a name up to one of them.
fn moves(
    store: &dyn Store,
    name: &str,
    last: OperationId,
) -> Result<Vec<(OperationId, Operation)>, StoreError> {
    let mut operations = store.operations(name)?;
    let end = operations.iter().position(|(id, _)| *id == last);
    operations.truncate(end.map_or(operations.len(), |end| end + 1));
    Ok(operations)
}

/// Whether a name always pointed to these streams. A part of its moves could not be imported.
fn stays_within(operations: &[(OperationId, Operation)], streams: &BTreeMap<Stream, u64>) -> bool {
    let mut targets =
        operations.iter().filter_map(|(_, operation)| operation.target.as_ref()).peekable();
    targets.peek().is_some() && targets.all(|target| streams.contains_key(&target.place.stream))
}

struct Exporter<'a> {
    store: &'a dyn Store,
    out: &'a mut dyn Write,
    exported: Exported,
    /// What goes with the events, if only that is wanted.
    carried: Option<BTreeSet<BlobId>>,
}

impl Exporter<'_> {
    fn events(&mut self, info: &StreamInfo, until: u64) -> Result<(), ExportError> {
        let mut text = String::new();
        let mut from = info.first;
        while from < until {
            let left = usize::try_from(until - from).unwrap_or(PAGE);
            let page = self.store.read(&info.stream, from, left.min(PAGE))?;
            let Some(last) = page.last() else { break };
            from = last.seq + 1;
            text.clear();
            for entry in &page {
                write_event(&mut text, &info.stream, entry);
                if let Some(found) = &mut self.carried
                    && entry.event.body().contains("blob")
                {
                    let members = entry.event.members();
                    found.extend(references::carried(&members));
                    if let Some(list) = references::snapshot(&members) {
                        found.insert(list);
                        let bytes = self.store.blob(list)?.unwrap_or_default();
                        found.extend(folder::contents(&bytes));
                    }
                }
            }
            self.out.write_all(text.as_bytes())?;
            self.exported.events += page.len() as u64;
        }
        self.exported.runs += 1;
        Ok(())
    }

    fn name(&mut self, operations: &[(OperationId, Operation)]) -> Result<(), ExportError> {
        let mut text = String::new();
        for (id, operation) in operations {
            write_operation(&mut text, *id, operation);
        }
        self.out.write_all(text.as_bytes())?;
        self.exported.names += 1;
        Ok(())
    }

    fn all_blobs(&mut self) -> Result<(), ExportError> {
        let mut after = None;
        loop {
            let page = self.store.blobs(after, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(*last);
            for (id, _) in page {
                self.blob(id)?;
            }
        }
    }

    fn some_blobs(&mut self, carried: BTreeSet<BlobId>) -> Result<(), ExportError> {
        for id in carried {
            self.blob(id)?;
        }
        Ok(())
    }

    fn blob(&mut self, id: BlobId) -> Result<(), ExportError> {
        // What somebody else has cleaned away meanwhile, nothing refers to.
        if let Some(bytes) = self.store.blob(id)? {
            let mut text = String::new();
            write_blob(&mut text, id, &bytes);
            self.out.write_all(text.as_bytes())?;
            self.exported.blobs += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use history::{Event, Place};

    use super::*;
    use crate::{Append, Durability, Expected, MemoryStore};

    #[test]
    fn what_began_behind_a_page_that_was_read_is_found() {
        let store = MemoryStore::default();
        let mut from = String::new();
        let mut expected = Expected::New;
        for (seq, run) in (0..).zip(["a", "b", "c"]) {
            let text = format!(r#"{{"kind":"run_started","run_id":"{run}"{from}}}"#);
            let (stream, events) = (Stream::run(run), [Event::read(&text).unwrap()]);
            let id = events[0].id();
            let append = Append {
                stream: &stream,
                expected,
                events: &events,
                blobs: &[],
                key: None,
                durability: Durability::Os,
                unverified: false,
            };
            store.append(&append).unwrap();
            from = format!(r#","from":{{"run_id":"{run}","seq":{seq},"event_id":"{id}"}}"#);
            expected = Expected::Fork(Place::new(stream, seq));
        }
        let listed = all(&store).unwrap();
        let mut late = listed.clone();
        late.retain(|name, _| name == "run:c");
        assert_eq!(whole(&store, late).unwrap(), listed);
    }
}
