//! Many threads at once, readers beside them, and everybody told clearly who was faster.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use history::{Place, Stream, Target};
use store::{AppendError, Archive, Durability, MoveError, SqliteStore, Store};

use crate::process::{Part, part, say};
use crate::proof::Proven;
use crate::written::{Batch, operation};
use crate::{Folder, open};

/// How many events the process that writes adds at once.
const WHOLE: u64 = 7;

#[test]
fn a_second_process_sees_whole_appends_and_adds_its_own() {
    const LOOKS: u64 = 100;
    let folder = Folder::on_disk("second");
    let path = folder.join("store.db");
    let first = Part::start("concurrency::holder", &path, &[]);
    assert!(first.wait_for("ready"), "the first process writes");
    let mut before = 0;
    for look in 0..LOOKS {
        let own = Batch::new(&Stream::run("r2"), look, 1);
        let added = open(&path).map(|store| own.append(&store, Durability::Group));
        added.expect("it can be opened").expect("nobody else adds to this stream");
        let reader = match SqliteStore::open_reader(&path) {
            Ok(reader) => reader,
            Err(error) => panic!("look {look}: {error:?}"),
        };
        let info = reader.stream(&Stream::run("r1")).expect("it can be read");
        let seen = info.expect("it was begun").next;
        let page = reader.read(&Stream::run("r1"), seen - WHOLE, usize::MAX);
        let whole = page.expect("it can be read").len() as u64;
        assert_eq!((seen % WHOLE, whole % WHOLE), (0, 0), "look {look}: a part of an append");
        assert!(seen >= before, "look {look}: {seen} after {before}");
        before = seen;
    }
    let ended = first.end(Duration::from_secs(30)).expect("it ends when it is told to");
    assert!(ended.status.success(), "{}", ended.errors);
    let store = open(&path).expect("the first process is gone");
    let proven = Proven::of(&store).expect("what the first process wrote is there");
    println!("{LOOKS} looks at {} events", proven.events());
}

/// Not a test of its own: the process that writes first, until its input ends.
#[test]
fn holder() {
    let Some(path) = part() else { return };
    let store = open(&path).expect("it can be made");
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = std::io::stdin().read_line(&mut String::new());
            done.store(true, Ordering::Release);
        });
        let stream = Stream::run("r1");
        for batch in 0.. {
            let batch = Batch::new(&stream, batch * WHOLE, WHOLE);
            batch.append(&store, Durability::Os).expect("it writes");
            if batch.first == 0 {
                say("ready");
            }
            if done.load(Ordering::Acquire) {
                break;
            }
        }
    });
}

#[test]
fn each_place_is_given_to_one_of_many_threads() {
    const THREADS: u64 = 8;
    const EACH: u64 = 40;
    let folder = Folder::on_disk("places");
    let store = &open(&folder.join("store.db")).expect("nobody else writes");
    let stream = &Stream::run("r1");
    Batch::new(stream, 0, 1).append(store, Durability::Os).expect("nobody else writes");
    let conflicts: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    let mut conflicts = 0;
                    let mut won = 0;
                    while won < EACH {
                        let info = store.stream(stream).expect("it can be read");
                        let next = info.expect("it was begun").next;
                        // Events of different lengths, so that nobody has the same batch.
                        let batch = Batch::new(stream, next, 1 + thread);
                        match append_exactly(store, &batch) {
                            Ok(()) => won += 1,
                            Err(AppendError::Conflict { expected, actual, .. }) => {
                                assert_eq!(expected, next);
                                assert!(actual > next);
                                conflicts += 1;
                            }
                            Err(other) => panic!("{other}"),
                        }
                    }
                    conflicts
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).sum()
    });
    let added = (1..=THREADS).map(|size| size * EACH).sum::<u64>();
    assert_eq!(Proven::of(store).map(|proven| proven.events()), Ok(1 + added));
    println!("{added} events by {THREADS} threads, {conflicts} conflicts");
}

/// Adds a batch without a key; what is there already counts as a conflict.
pub(crate) fn append_exactly(store: &dyn Store, batch: &Batch) -> Result<(), AppendError> {
    let receipt = store.append(&store::Append {
        stream: &batch.stream,
        expected: store::Expected::Next(batch.first),
        events: &batch.events,
        blobs: &batch.blobs,
        key: None,
        unverified: false,
        durability: Durability::Group,
    })?;
    let stream = batch.stream.clone();
    let conflict = AppendError::Conflict { stream, expected: batch.first, actual: u64::MAX };
    if receipt.repeated { Err(conflict) } else { Ok(()) }
}

#[test]
fn readers_see_whole_appends_in_their_order() {
    const BATCHES: u64 = 300;
    const SIZE: u64 = 7;
    let folder = Folder::on_disk("readers");
    let store = &open(&folder.join("store.db")).expect("nobody else writes");
    let streams = [Stream::run("r1"), Stream::run("r2")];
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for stream in &streams {
            scope.spawn(move || {
                let (mut seen, mut looks) = (0, 0_u64);
                while !done.load(Ordering::Acquire) || looks == 0 {
                    let info = store.stream(stream).expect("it can be read");
                    let next = info.as_ref().map_or(0, |info| info.next);
                    assert!(next >= seen && next.is_multiple_of(SIZE), "{next} after {seen}");
                    let from = next.saturating_sub(2 * SIZE);
                    let entries = store.read(stream, from, 1_000).expect("it can be read");
                    let numbers: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
                    let until = from + entries.len() as u64;
                    assert_eq!(numbers, (from..until).collect::<Vec<_>>());
                    assert!(until >= next && until.is_multiple_of(SIZE), "{until} after {next}");
                    seen = until;
                    looks += 1;
                }
            });
        }
        scope.spawn(move || {
            let (mut position, mut nexts) = (0, [0; 2]);
            loop {
                let was_done = done.load(Ordering::Acquire);
                let arrivals =
                    store.watch(position, 1_000, Duration::from_millis(5)).expect("it is watched");
                if arrivals.is_empty() && was_done {
                    assert_eq!(nexts, [BATCHES / 2 * SIZE; 2]);
                    break;
                }
                for arrival in arrivals {
                    assert!(arrival.position > position);
                    position = arrival.position;
                    let next = &mut nexts[usize::from(arrival.stream != Stream::run("r1"))];
                    assert_eq!(arrival.entry.seq, *next);
                    *next += 1;
                }
            }
        });
        let durabilities = [Durability::Os, Durability::Group, Durability::Fsync];
        for batch in 0..BATCHES {
            let stream = &streams[(batch % 2) as usize];
            let durability = durabilities[(batch % 3) as usize];
            let added = Batch::new(stream, batch / 2 * SIZE, SIZE).append(store, durability);
            added.expect("nobody else writes");
        }
        done.store(true, Ordering::Release);
    });
}

#[test]
fn a_name_is_moved_by_one_of_two() {
    const MOVES: usize = 100;
    let folder = Folder::on_disk("names");
    let store = &open(&folder.join("store.db")).expect("nobody else writes");
    let batch = Batch::new(&Stream::run("r1"), 0, 1);
    let receipt = batch.append(store, Durability::Os).expect("nobody else writes");
    let target = &Target { place: Place::new(batch.stream, 0), link: receipt.link };
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                let mut moved = 0;
                while moved < MOVES {
                    let previous = store.name("main").expect("it can be read").map(|(id, _)| id);
                    let mut operation = operation("main", previous, target.clone());
                    operation.actor = Some(format!("thread {thread}"));
                    match store.move_name(&operation) {
                        Ok(id) => {
                            assert_eq!(id, operation.id());
                            moved += 1;
                        }
                        Err(MoveError::Conflict { actual, .. }) => assert_ne!(actual, previous),
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
    });
    Proven::of(store).expect("the moves are chained");
    assert_eq!(store.operations("main").expect("it can be read").len(), 2 * MOVES);
}
