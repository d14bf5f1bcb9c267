//! Any bit of a store's file may flip, and any part of its end may be missing. Either the damage
//! is named when the store is opened and checked, or everything in it is as it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use history::kinds::Kind;
use history::{Place, Stream, Target};
use sim::Random;
use store::{Durability, ExportError, Store, StoreError};
use value::Digest;

use crate::written::{Batch, fork, operation};
use crate::{Folder, open, seed};

/// How many bits the suite flips, besides those of the file's header.
const SAMPLE: usize = 3_000;

/// Looking at one file takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// The bytes that SQLite begins a file with, and the beginning of the schema behind them.
const HEADER: usize = 128;

#[test]
fn a_flipped_bit_is_named_or_changes_nothing() {
    let folder = Folder::in_memory("flips");
    let sound = sound_store(&folder);
    let bits = 8 * sound.len();
    let mut random = Random::new(seed());
    let mut sample =
        |count| (0..8 * HEADER).chain((0..count).map(|_| random.below(bits))).collect();
    let chosen: Vec<usize> = match std::env::var("QUIPU_FLIPS").as_deref() {
        Ok("all") => (0..bits).collect(),
        Ok(count) => sample(count.parse().expect("QUIPU_FLIPS is a number, or `all`")),
        Err(_) => sample(SAMPLE),
    };
    let changed = |index: usize| {
        let bit = chosen[index];
        let mut bytes = sound.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        (format!("bit {} of byte {}", bit % 8, bit / 8), bytes)
    };
    let counts = examine_all(&folder, &sound, chosen.len(), changed);
    println!("{} of {bits} bits flipped: {counts:?}", chosen.len());
}

#[test]
fn a_missing_end_is_named() {
    let folder = Folder::in_memory("ends");
    let sound = sound_store(&folder);
    let page = usize::from(u16::from_be_bytes([sound[16], sound[17]]));
    let mut random = Random::new(seed());
    // A file without a byte is what `touch` makes, and becomes a new store.
    let mut lengths: Vec<usize> = (page..sound.len()).step_by(page).collect();
    lengths.extend([1, 16, 99, 100, 101, 511, 512, sound.len() - 1]);
    lengths.extend((0..50).map(|_| 1 + random.below(sound.len() - 1)));
    let changed = |index: usize| {
        let length: usize = lengths[index];
        (format!("only {length} bytes"), sound[..length].to_vec())
    };
    let counts = examine_all(&folder, &sound, lengths.len(), changed);
    println!("{} truncations: {counts:?}", lengths.len());
    assert_eq!(counts.get("harmless"), None, "an end was missing");
}

/// The file of a store that holds something of everything, closed.
fn sound_store(folder: &Folder) -> Vec<u8> {
    let path = folder.join("sound.db");
    let store = open(&path).expect("nobody else writes");
    let mut target = None;
    for run in ["r1", "r2", "r3"] {
        let stream = Stream::run(run);
        let batches = [Batch::new(&stream, 0, 7), Batch::new(&stream, 7, 3)];
        for batch in batches {
            let receipt = batch.append(&store, Durability::Fsync).expect("nobody else writes");
            let place = Place::new(stream.clone(), batch.last());
            target = Some(Target { place, link: receipt.link });
        }
    }
    let target = target.expect("something was added");
    let forked = fork(&Place::new(Stream::run("r2"), 5));
    Batch::new(&forked, 6, 4).append(&store, Durability::Fsync).expect("nobody else writes");
    let first = operation("main", None, target.clone());
    let id = store.move_name(&first).expect("nobody else writes");
    store.move_name(&operation("main", Some(id), target.clone())).expect("nobody else writes");
    store.move_name(&operation("releases/1", None, target)).expect("nobody else writes");
    drop(store);
    let files: Vec<_> = std::fs::read_dir(&folder.0).expect("it is a folder").collect();
    assert_eq!(files.len(), 1, "a closed store is one file: {files:?}");
    let bytes = std::fs::read(&path).expect("it can be read");
    std::fs::remove_file(&path).expect("it can be removed");
    bytes
}

/// Examines files that were changed, on two threads. How many went which way.
fn examine_all(
    folder: &Folder,
    sound: &[u8],
    count: usize,
    changed: impl Fn(usize) -> (String, Vec<u8>) + Sync,
) -> BTreeMap<&'static str, usize> {
    let reference = folder.join("reference.db");
    std::fs::write(&reference, sound).expect("there is room");
    let expected = open(&reference).and_then(|store| contents(&store));
    let expected = &expected.expect("a sound store can be read");
    assert_eq!(examine(&reference, expected), Ok("harmless"));
    let (next, changed) = (&AtomicUsize::new(0), &changed);
    let work = |thread: usize| {
        let home = folder.join(&format!("thread-{thread}"));
        let mut outcomes = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return outcomes;
            }
            let (what, bytes) = changed(index);
            std::fs::create_dir_all(&home).expect("there is room");
            let path = home.join("store.db");
            std::fs::write(&path, bytes).expect("there is room");
            let _watch = Watch::over(what.clone());
            let outcome = catch_unwind(AssertUnwindSafe(|| examine(&path, expected)));
            let outcome = outcome.unwrap_or(Err("a panic".to_string()));
            outcomes.push(outcome.map_err(|why| format!("{what}: {why}")));
            std::fs::remove_dir_all(&home).expect("it was made");
        }
    };
    let outcomes = std::thread::scope(|scope| {
        let other = scope.spawn(|| work(1));
        let mut outcomes = work(0);
        outcomes.extend(other.join().expect("whatever goes wrong is an outcome"));
        outcomes
    });
    let mut counts = BTreeMap::new();
    let mut silent = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(outcome) => *counts.entry(outcome).or_default() += 1,
            Err(why) => silent.push(why),
        }
    }
    assert!(silent.is_empty(), "{} changes not noticed:\n{}", silent.len(), silent.join("\n"));
    counts
}

/// Whoever pages through a damaged index may do so for ever. Nothing stops a thread, so that the
/// whole process ends, and says what it was about.
struct Watch {
    /// The watching thread ends when this is dropped.
    _done: Sender<()>,
}

impl Watch {
    #[expect(clippy::print_stderr, reason = "the process is about to end")]
    fn over(what: String) -> Watch {
        let (done, wait) = channel();
        std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("{what}: no end");
                std::process::abort();
            }
        });
        Watch { _done: done }
    }
}

/// The first line that is another one.
fn difference(expected: &str, found: &str) -> String {
    let short =
        |line: Option<&str>| line.unwrap_or("nothing").chars().take(300).collect::<String>();
    let (mut expected, mut found) = (expected.lines(), found.lines());
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return "the same lines".to_string(),
            (before, after) if before == after => {}
            (before, after) => return format!("{}\n became {}", short(before), short(after)),
        }
    }
}

/// What became of a change. An error is a change that nobody noticed.
fn examine(path: &Path, expected: &str) -> Result<&'static str, String> {
    let Ok(store) = open(path) else { return Ok("named when opened") };
    let found = contents(&store);
    if found.as_ref().is_ok_and(|found| found == expected) {
        return Ok("harmless");
    }
    match store::verify(&store, &mut |_| {}) {
        Err(_) => Ok("in the way of `verify`"),
        Ok(verified) if verified.damaged > 0 => Ok("named by `verify`"),
        Ok(_) => match found {
            Ok(found) => Err(difference(expected, &found)),
            Err(error) => Err(format!("`verify` finds nothing, but there is: {error}")),
        },
    }
}

/// The export, and all else that can be asked of a store: a damaged index shows too.
fn contents(store: &dyn Store) -> Result<String, StoreError> {
    let kinds = [Kind::RunStarted, Kind::AgentForked, Kind::MessageCreated, Kind::ToolResult];
    let mut out = String::new();
    let mut note = |what: &dyn std::fmt::Debug| {
        writeln!(out, "{what:?}").expect("writing to text cannot fail");
    };
    for info in store.streams(None, 1_000)? {
        let stream = &info.stream;
        note(&store.stream(stream)?);
        for entry in store.read(stream, 0, 1_000)? {
            note(&store.find(&entry.event.id().to_string(), 10)?);
            note(&entry);
        }
        note(&store.read_kinds(stream, &kinds, 0, u64::MAX, 1_000)?.len());
        for kind in kinds {
            note(&store.last_of(stream, &[kind], u64::MAX)?.map(|entry| entry.seq));
        }
        note(&info);
    }
    for arrival in store.watch(0, 1_000, Duration::ZERO)? {
        note(&(arrival.position, arrival.stream, arrival.entry.link));
    }
    for (id, length) in store.blobs(None, 1_000)? {
        note(&(id, length, store.blob(id)?.map(|bytes| Digest::of(&bytes))));
    }
    // A store whose numbers went astray might be exported for ever.
    let mut exported = vec![0; 1 << 20];
    let mut room = &mut exported[..];
    let count = store::export(store, None, &mut room).map_err(|error| match error {
        ExportError::Store(error) => error,
        other => panic!("an export without an end: {other}"),
    })?;
    let left = room.len();
    note(&(count, String::from_utf8_lossy(&exported[..exported.len() - left])));
    for (id, operation) in store.names()? {
        note(&(id, store.name(&operation.name)?, store.operations(&operation.name)?));
    }
    Ok(out)
}
