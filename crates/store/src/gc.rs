//! Forgets large values that nothing refers to. Whatever looks like a reference is one.

use std::collections::BTreeSet;
use std::time::Duration;

use history::{BlobId, Stream, references};

use crate::{AppendError, Store, StoreError};

/// What was forgotten, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// How many values.
    pub removed: u64,
    /// How many bytes they have.
    pub bytes: u64,
}

/// Whether to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clean {
    /// Only count.
    DryRun,
    /// Remove them.
    Remove,
}

/// How much is looked at, at once.
const PAGE: usize = 512;

/// Forgets every large value that no event refers to, itself or by way of another value.
///
/// Others may write meanwhile: only values that were there before the events were looked at are
/// removed, and none that an event refers to which came since. A value that was kept without an
/// event may be gone when the event comes; then the append is refused for lack of it.
pub fn gc(store: &dyn Store, clean: Clean) -> Result<Cleaned, AppendError> {
    let there = all_blobs(store)?;
    let mut seen = store.last_position()?;
    let mut marked = reachable(store, mentioned_by_events(store)?)?;
    loop {
        let unused = there.iter().filter(|(id, _)| !marked.contains(id));
        let (ids, sizes): (Vec<BlobId>, Vec<u64>) = unused.copied().unzip();
        // All at once: what is left must not refer to what is gone, if an event refers to it then.
        if ids.is_empty() || clean == Clean::DryRun || store.remove_blobs(&ids, seen)? {
            return Ok(Cleaned { removed: ids.len() as u64, bytes: sizes.iter().sum() });
        }
        mark_since(store, &mut seen, &mut marked)?;
    }
}

/// Marks what events refer to that came behind a position, which moves to the last of them.
fn mark_since(
    store: &dyn Store,
    seen: &mut u64,
    marked: &mut BTreeSet<BlobId>,
) -> Result<(), StoreError> {
    loop {
        let page = store.watch(*seen, PAGE, Duration::ZERO)?;
        let Some(last) = page.last() else { return Ok(()) };
        *seen = last.position;
        let mentioned =
            page.iter().flat_map(|arrival| references::mentioned(arrival.entry.event.body()));
        let new: BTreeSet<BlobId> = mentioned.filter(|id| !marked.contains(id)).collect();
        marked.extend(reachable(store, new)?);
    }
}

fn all_blobs(store: &dyn Store) -> Result<Vec<(BlobId, u64)>, StoreError> {
    let mut blobs: Vec<(BlobId, u64)> = Vec::new();
    loop {
        let page = store.blobs(blobs.last().map(|(id, _)| *id), PAGE)?;
        if page.is_empty() {
            return Ok(blobs);
        }
        blobs.extend(page);
    }
}

fn mentioned_by_events(store: &dyn Store) -> Result<BTreeSet<BlobId>, StoreError> {
    let mut found = BTreeSet::new();
    let mut after: Option<Stream> = None;
    loop {
        let streams = store.streams(after.as_ref(), PAGE)?;
        let Some(last) = streams.last() else { return Ok(found) };
        after = Some(last.stream.clone());
        for info in streams {
            let mut from = info.first;
            loop {
                let page = store.read(&info.stream, from, PAGE)?;
                let Some(last) = page.last() else { break };
                from = last.seq + 1;
                for entry in &page {
                    found.extend(references::mentioned(entry.event.body()));
                }
            }
        }
    }
}

/// These, and all that they refer to in turn.
fn reachable(
    store: &dyn Store,
    mentioned: BTreeSet<BlobId>,
) -> Result<BTreeSet<BlobId>, StoreError> {
    let mut left: Vec<BlobId> = mentioned.iter().copied().collect();
    let mut reached = mentioned;
    while let Some(id) = left.pop() {
        let Some(bytes) = store.blob(id)? else { continue };
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        left.extend(references::mentioned(text).filter(|id| reached.insert(*id)));
    }
    Ok(reached)
}
