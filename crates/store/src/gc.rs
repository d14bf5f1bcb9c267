//! Forgets large values that nothing refers to. Whatever looks like a reference is one.

use std::collections::BTreeSet;

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

/// How much is looked at, or removed, at once.
const PAGE: usize = 512;

/// Forgets every large value that no event refers to, itself or by way of another value.
///
/// Nobody may write meanwhile: values that are kept before the event that refers to them would
/// be taken for forgotten ones. Only values that were there before the events were looked at are
/// removed, so that an append that brings its own values is safe.
pub fn gc(store: &dyn Store, clean: Clean) -> Result<Cleaned, AppendError> {
    let there = all_blobs(store)?;
    let marked = reachable(store, mentioned_by_events(store)?)?;
    let unused: Vec<(BlobId, u64)> =
        there.into_iter().filter(|(id, _)| !marked.contains(id)).collect();
    let cleaned = Cleaned {
        removed: unused.len() as u64,
        bytes: unused.iter().map(|(_, bytes)| bytes).sum(),
    };
    if clean == Clean::Remove {
        let ids: Vec<BlobId> = unused.into_iter().map(|(id, _)| id).collect();
        for page in ids.chunks(PAGE) {
            store.remove_blobs(page)?;
        }
    }
    Ok(cleaned)
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
pub(crate) fn reachable(
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
