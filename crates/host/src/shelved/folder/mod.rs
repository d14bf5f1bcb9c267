//! A folder whose text files can be searched like a vector store. Nothing is written to it.
//!
//! Which folder that is says `quipu.toml`, never a spec: what a spec could name, it could read.

mod passages;
mod walk;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use graph::protocols::Protocol;
use history::Timestamp;
use runtime::stores::{Contents, Settings, StoreKind, StoreVerb};
use runtime::{Answer, Fault, FaultKind, Happened, Request};
use value::{Digest, Value};

use crate::adapter::{Call, Calling};
use walk::{Seen, Stamp};

/// A folder that a store shows.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The endings of names that count as text, without the point.
    endings: Vec<String>,
    limits: FolderLimits,
    known: Mutex<Known>,
}

/// How much of a folder is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderLimits {
    /// So many files; one more is an error, because nobody should search a part unawares.
    pub files_max: usize,
    /// So many bytes of all files together; one more is an error too.
    pub bytes_max: u64,
    /// So many bytes of one file; a larger one is left out.
    pub file_bytes_max: u64,
}

impl Default for FolderLimits {
    fn default() -> FolderLimits {
        FolderLimits { files_max: 10_000, bytes_max: 64 << 20, file_bytes_max: 2 << 20 }
    }
}

/// The endings that count as text where nobody says others.
pub(crate) const ENDINGS: &[&str] =
    &["md", "markdown", "txt", "text", "rst", "adoc", "org", "tex", "csv"];

/// What was seen of a folder the last time.
#[derive(Debug, Default)]
struct Known {
    files: BTreeMap<String, Read>,
    contents: Option<Contents>,
}

/// A file that was read.
#[derive(Debug)]
struct Read {
    stamp: Stamp,
    /// Whether it was old enough when it was read: a file that changes twice within the clock's
    /// tick has the same time and size, and other bytes.
    is_settled: bool,
    hash: Digest,
    /// Nothing where it is no text, or too large.
    passages: Option<Vec<Value>>,
}

/// After so long nobody writes with the same time again.
const SETTLED: Duration = Duration::from_secs(2);

impl Folder {
    /// The files with these endings, or with the usual ones, below a folder.
    pub fn new(path: PathBuf, endings: Option<Vec<String>>, limits: FolderLimits) -> Folder {
        let usual = || ENDINGS.iter().map(|ending| (*ending).to_owned()).collect();
        let endings = endings.unwrap_or_else(usual);
        Folder { path, endings, limits, known: Mutex::default() }
    }

    /// What is in it, in a few words, or why it cannot be read.
    pub fn look(&self) -> Result<String, String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.refreshed(known).map_err(|fault| fault.message.to_string())?;
        let read = known.files.values().filter_map(|file| file.passages.as_ref());
        let (files, passages) = read.fold((0, 0), |(files, all), own| (files + 1, all + own.len()));
        let left_out = known.files.len() - files;
        let also = if left_out == 0 { String::new() } else { format!(", {left_out} left out") };
        Ok(format!("{}: {files} files, {passages} passages{also}", self.path.display()))
    }

    pub(super) fn call(self: Arc<Folder>, call: Call) -> Calling {
        Calling::Later(Box::pin(async move {
            let reading = tokio::task::spawn_blocking(move || self.answer(&call));
            match reading.await {
                Ok(Ok(value)) => Answer::Value(value),
                Ok(Err(fault)) => Answer::Failed(fault),
                Err(_) => Answer::Failed(Fault::new(FaultKind::Store, "the folder was not read")),
            }
        }))
    }

    fn answer(&self, call: &Call) -> Result<Value, Fault> {
        let used = match &call.request {
            Request::Tool(tool) => tool.store.as_ref().map(|store| (tool, store)),
            _ => None,
        };
        let Some((tool, store)) = used else {
            return Err(Fault::new(FaultKind::Store, "no store is named"));
        };
        let StoreKind::Speaks(Protocol::Vector, settings) = store.kind else {
            let message = format!(
                "store `{}` shows a folder, which only a vector store can: write `store_type: \
                 vector`, or take `[stores.{}]` out of quipu.toml",
                store.id, store.id
            );
            return Err(Fault::new(FaultKind::Store, message).with_happened(Happened::No));
        };
        match store.verb {
            StoreVerb::Write | StoreVerb::Does(_) => {
                let message = format!(
                    "store `{}` shows the folder {}: it can be read only",
                    store.id,
                    self.path.display()
                );
                Err(Fault::new(FaultKind::Denied, message).with_happened(Happened::No))
            }
            StoreVerb::Read => self.read(settings, tool.args.get("key"), call.now),
            StoreVerb::ReadAll => self.read(settings, None, call.now),
        }
    }

    /// What answers a query, as the files are now.
    fn read(
        &self,
        settings: Settings,
        query: Option<&Value>,
        now: Timestamp,
    ) -> Result<Value, Fault> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = self.refreshed(known)?;
        let kind = StoreKind::Speaks(Protocol::Vector, settings);
        let Known { files, contents } = &mut *known;
        let all = || {
            let passages = files.values().filter_map(|file| file.passages.as_ref());
            Contents::of_values(kind, passages.flatten().cloned())
        };
        if contents.as_ref().is_none_or(|contents| contents.kind() != kind) {
            *contents = Some(all());
        }
        contents.get_or_insert_with(all).read(query, now)
    }

    /// What is known, once it is what there is.
    fn refreshed<'k>(
        &self,
        mut known: std::sync::MutexGuard<'k, Known>,
    ) -> Result<std::sync::MutexGuard<'k, Known>, Fault> {
        let mut before = std::mem::take(&mut known.files);
        let mut is_changed = false;
        let mut now = BTreeMap::new();
        let walked = walk::files(&self.path, &self.endings, self.limits, &mut |seen: Seen<'_>| {
            let old = before.remove(seen.path);
            let same = old.as_ref().is_some_and(|old| old.is_settled && old.stamp == seen.stamp);
            let file = match old {
                Some(old) if same => old,
                old => {
                    let read = read(&seen, self.limits);
                    is_changed |= old.is_none_or(|old| old.hash != read.hash);
                    read
                }
            };
            now.insert(seen.path.to_owned(), file);
        });
        // What is gone is no longer found either.
        is_changed |= !before.is_empty();
        known.files = now;
        if is_changed || walked.is_err() {
            known.contents = None;
        }
        walked.map_err(|why| {
            Fault::new(FaultKind::Store, format!("the folder {}: {why}", self.path.display()))
                .with_happened(Happened::No)
        })?;
        Ok(known)
    }
}

fn read(seen: &Seen<'_>, limits: FolderLimits) -> Read {
    let bytes = seen.bytes(limits.file_bytes_max);
    let hash = Digest::of(bytes.as_deref().unwrap_or_default());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let written = Duration::from_secs(u64::try_from(seen.stamp.seconds).unwrap_or(0));
    Read {
        stamp: seen.stamp,
        is_settled: age > written + SETTLED,
        hash,
        passages: text.map(|text| passages::of(seen.path, &text)),
    }
}
