//! Events to try things with, and folders for stores.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use history::kinds::Blob;
use history::{Event, Lineage, Link, Place, Stream, chain};
use store::{Append, AppendError, Durability, Expected, Receipt, Store};

/// A folder that is gone with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path.canonicalize().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of what is in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An event of a kind, told from others by a number.
pub(crate) fn event_of(kind: &str, number: u64) -> Event {
    let ts = "2026-01-01T00:00:00.000000Z";
    Event::read(&format!(r#"{{"kind": "{kind}", "n": {number}, "ts": "{ts}"}}"#)).unwrap()
}

/// An event of no known kind.
pub(crate) fn event(number: u64) -> Event {
    event_of("x.sample", number)
}

pub(crate) fn events(numbers: impl IntoIterator<Item = u64>) -> Vec<Event> {
    numbers.into_iter().map(event).collect()
}

/// An event that refers to bytes.
pub(crate) fn event_with(blob: &Blob) -> Event {
    let text = format!(r#"{{"kind": "x.large", "value": {{"$blob": "{}"}}}}"#, blob.id());
    Event::read(&text).unwrap()
}

pub(crate) fn run(id: &str) -> Stream {
    Stream::run(id)
}

pub(crate) fn place(id: &str, seq: u64) -> Place {
    Place::new(run(id), seq)
}

/// A request without anything unusual.
pub(crate) fn plain<'a>(stream: &'a Stream, expected: Expected, events: &'a [Event]) -> Append<'a> {
    Append {
        stream,
        expected,
        events,
        blobs: &[],
        key: None,
        durability: Durability::Os,
        unverified: false,
    }
}

pub(crate) fn add(
    store: &dyn Store,
    id: &str,
    expected: Expected,
    events: &[Event],
) -> Result<Receipt, AppendError> {
    store.append(&plain(&run(id), expected, events))
}

/// What a fork may begin with: a start that says where it comes from, told from others by the
/// first number, then events of the other numbers.
pub(crate) fn fork_events(store: &dyn Store, at: &Place, mut numbers: Range<u64>) -> Vec<Event> {
    let origin = Lineage::locate(store, at).unwrap().unwrap().1.event.id();
    let (run, seq, number) = (at.stream.run_id().unwrap(), at.seq, numbers.next().unwrap());
    let start = format!(
        r#"{{"kind": "run_started", "n": {number},
            "from": {{"run_id": "{run}", "seq": {seq}, "event_id": "{origin}"}}}}"#
    );
    std::iter::once(Event::read(&start).unwrap()).chain(numbers.map(event)).collect()
}

/// A fork with such events.
pub(crate) fn fork(store: &dyn Store, id: &str, at: Place, numbers: Range<u64>) -> Vec<Event> {
    let added = fork_events(store, &at, numbers);
    add(store, id, Expected::Fork(at), &added).unwrap();
    added
}

/// A run with as many events, numbered from a number on.
pub(crate) fn begin(store: &dyn Store, id: &str, from: u64, count: u64) -> Receipt {
    add(store, id, Expected::New, &events(from..from + count)).unwrap()
}

/// The links that events have behind a link.
pub(crate) fn links(
    stream: &Stream,
    first: u64,
    before: Option<Link>,
    events: &[Event],
) -> Vec<Link> {
    let mut previous = before;
    let link = |(seq, event): (u64, &Event)| {
        let link = chain::link(&chain::genesis(stream), seq, previous, event.id());
        previous = Some(link);
        link
    };
    (first..).zip(events).map(link).collect()
}

/// The events of a run, as far as they are its own.
pub(crate) fn own(store: &dyn Store, id: &str) -> Vec<Event> {
    let entries = store.read(&run(id), 0, usize::MAX).unwrap();
    entries.into_iter().map(|entry| entry.event).collect()
}
