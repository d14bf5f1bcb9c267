//! Several processes work on one store at the same time, and are killed at any moment. Whatever
//! one of them was told holds for all, every place is given to one of them, and who is dead is in
//! nobody's way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use history::{Place, Stream, Target, Timestamp};
use sim::Random;
use store::{
    Change, Durability, Holder, Lease, Leases, MoveError, Shelves, SqliteStore, Store, StoreError,
};
use value::{Digest, Value};

use crate::concurrency::append_exactly;
use crate::kills::kills;
use crate::process::{Ended, Part, part, say};
use crate::proof::{Promises, Proven};
use crate::written::{Batch, operation};
use crate::{Folder, open, seed};

/// How many processes write at the same time.
const WRITERS: usize = 4;
/// Which of them a process is.
const WHO: &str = "QUIPU_WHO";
/// Where it begins its choices.
const CHOICES: &str = "QUIPU_CHOICES";
/// The last change of a shelf that the one before it began: `NUMBER CHANGE`.
const AGAIN: &str = "QUIPU_AGAIN";

const SHELF: &str = "shelf";
const HOUR_MS: u64 = 3_600_000;

/// The time never goes on: no lease ends by it.
fn now() -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000)
}

/// All that the writers were told.
#[derive(Default)]
struct Heard {
    promises: Promises,
    /// The events of the stream that all add to, each added by one of them.
    won: BTreeSet<u64>,
    /// Leases, each had by one of them.
    leases: BTreeSet<(String, u64)>,
    pushed: BTreeSet<String>,
    taken: BTreeSet<String>,
    /// The last change of a shelf that each of them began.
    again: BTreeMap<usize, String>,
}

impl Heard {
    fn hear(&mut self, who: usize, ended: Ended) {
        assert!(!ended.errors.contains("panicked"), "writer {who}: {}", ended.errors);
        for line in ended.lines {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["won", first, last] => {
                    let number = |word: &str| word.parse::<u64>().expect("a number");
                    for seq in number(first)..=number(last) {
                        assert!(self.won.insert(seq), "place {seq} was given to two");
                    }
                }
                ["lease", stream, epoch] => {
                    let lease = (stream.to_string(), epoch.parse().expect("a number"));
                    assert!(self.leases.insert(lease), "{line} was given to two");
                }
                ["try", ..] => {
                    self.again.insert(who, words[1..].join(" "));
                }
                ["pushed", value] => drop(self.pushed.insert(value.to_string())),
                // What was taken is said again when it is asked for again, to the next of the
                // same number only.
                ["took", number, value] => {
                    let first = self.taken.insert(value.to_string());
                    let asked = self.again.get(&who).map(String::as_str);
                    assert!(first || asked == Some(&format!("{number} take")), "{line}: twice");
                }
                _ => drop(self.promises.hear(&line)),
            }
        }
    }
}

#[test]
fn processes_that_write_and_die_together_lose_and_mix_up_nothing() {
    let (kills, seed) = (kills() / 4, seed());
    let folder = Folder::on_disk("processes");
    let path = folder.join("store.db");
    let mut random = Random::new(seed);
    let mut heard = Heard::default();
    let done = &AtomicBool::new(false);
    drop(open(&path).expect("it can be made"));
    let seen = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&path, done));
        let mut writers: Vec<Part> =
            (0..WRITERS).map(|who| start(&path, who, &mut random, &heard)).collect();
        for _ in 0..kills {
            let who = random.below(WRITERS);
            // One in four is killed while it opens the store, at the earliest.
            if !random.one_in(4) && !writers[who].wait_for("ready") {
                let ended = writers.swap_remove(who).kill();
                panic!("writer {who} of seed {seed} failed: {}", ended.errors);
            }
            std::thread::sleep(Duration::from_micros(random.below(40_000) as u64));
            let writer = writers.remove(who);
            heard.hear(who, writer.kill());
            writers.insert(who, start(&path, who, &mut random, &heard));
        }
        // All at once, so that they close the store together.
        writers.iter().for_each(|writer| assert!(writer.wait_for("ready"), "it was started"));
        writers.iter_mut().for_each(Part::go);
        for (who, writer) in writers.into_iter().enumerate() {
            let ended = writer.end(Duration::from_secs(60)).expect("it ends when it is told to");
            assert!(ended.status.success(), "writer {who} of seed {seed}: {}", ended.errors);
            heard.hear(who, ended);
        }
        done.store(true, Ordering::Release);
        watcher.join().expect("positions have no gaps")
    });
    assert_eq!(names(&folder), ["store.db"], "the last one to close it leaves one file");
    check(&path, seen, &heard).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
    println!(
        "{kills} of {WRITERS} writers killed: {} promises, {} places won, {} leases, {} pushed, \
         {} taken, {seen} events seen by a reader",
        heard.promises.count(),
        heard.won.len(),
        heard.leases.len(),
        heard.pushed.len(),
        heard.taken.len(),
    );
}

fn start(path: &Path, who: usize, random: &mut Random, heard: &Heard) -> Part {
    let again = heard.again.get(&who).cloned().unwrap_or_default();
    let orders = [(WHO, who.to_string()), (CHOICES, random.number().to_string()), (AGAIN, again)];
    Part::start("processes::writer", path, &orders)
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("")).expect("it is a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.map(|entry| entry.file_name());
    entries.map(|entry| name(entry).expect("a name").to_string_lossy().into_owned()).collect()
}

/// Reads beside the writers until they are done: every event comes at the next position. How many
/// came.
fn watch(path: &Path, done: &AtomicBool) -> u64 {
    let reader = SqliteStore::open_reader(path).expect("a store can be read beside its writers");
    let mut position = 0;
    loop {
        let was_done = done.load(Ordering::Acquire);
        let page = reader.watch(position, 1_000, Duration::from_millis(20)).expect("it is watched");
        if page.is_empty() && was_done {
            return position;
        }
        for arrival in page {
            position += 1;
            assert_eq!(arrival.position, position);
        }
    }
}

/// Whether a store holds what the writers were told, and nothing is wrong with it.
fn check(path: &Path, seen: u64, heard: &Heard) -> Result<(), String> {
    let store = open(path).map_err(|error| error.to_string())?;
    heard.promises.check(&store)?;
    let proven = Proven::of(&store)?;
    let verified = store::verify(&store, &mut |_| {}).map_err(|error| error.to_string())?;
    if !verified.damage.is_empty() {
        return Err(format!("{:?}", verified.damage));
    }
    let last = store.last_position().map_err(|error| error.to_string())?;
    if (last, last) != (seen, proven.events()) {
        return Err(format!("{last} events, {seen} seen, {} proven", proven.events()));
    }
    // Every change of the shelf was made once, or is still to be taken.
    let items = store.shelf_read(SHELF).map_err(|error| error.to_string())?;
    let left: Vec<String> =
        items.iter().map(|item| item.value.as_text().expect("texts").to_string()).collect();
    let all: BTreeSet<String> = left.iter().chain(&heard.taken).cloned().collect();
    if all != heard.pushed || left.len() + heard.taken.len() != all.len() {
        return Err(format!("{left:?} are left, {:?} were taken", heard.taken));
    }
    Ok(())
}

/// Not a test of its own: a process that does everything beside others, until its input ends.
#[test]
fn writer() {
    let Some(path) = part() else { return };
    let variable = |name| std::env::var(name).expect("whoever starts a writer sets it");
    let who: u64 = variable(WHO).parse().expect("a number");
    let mut random = Random::new(variable(CHOICES).parse().expect("a number"));
    let store = open(&path).expect("a store can be opened beside its writers");
    say("ready");
    let again = variable(AGAIN);
    let mut number = 0;
    if let Some((last, change)) = again.split_once(' ') {
        number = last.parse().expect("a number");
        shelve(&store, who, number, change);
    }
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = std::io::stdin().read_line(&mut String::new());
            done.store(true, Ordering::Release);
        });
        let (store, choices) = (&store, Random::new(random.number()));
        scope.spawn(move || {
            let mut random = choices;
            while !done.load(Ordering::Acquire) {
                append_own(store, &Stream::run(format!("own-{who}")), &mut random);
                append_shared(store, 1 + who);
            }
        });
        while !done.load(Ordering::Acquire) {
            match random.below(4) {
                0 => drive(store, &Stream::run(format!("driven-{}", random.below(3)))),
                1 => move_name(store, who),
                _ => {
                    number += 1;
                    shelve(store, who, number, if random.one_in(3) { "take" } else { "push" });
                }
            }
        }
    });
}

/// Adds to a stream that only this process writes to.
fn append_own(store: &dyn Store, stream: &Stream, random: &mut Random) {
    let next = store.stream(stream).expect("streams can be read").map_or(0, |info| info.next);
    let batch = Batch::at(stream, next);
    let durability = *random.pick(&[Durability::Os, Durability::Group, Durability::Fsync]);
    let receipt = batch.append(store, durability).expect("nobody else adds to it");
    assert!(!receipt.repeated);
    say(&format!("event {} {} {}", stream.name(), batch.last(), receipt.link));
}

/// Adds to a stream that all write to, until it was this process.
fn append_shared(store: &dyn Store, size: u64) {
    let stream = Stream::run("shared");
    loop {
        let next = store.stream(&stream).expect("streams can be read").map_or(0, |info| info.next);
        let batch = Batch::new(&stream, next, size);
        match append_exactly(store, &batch) {
            Ok(()) => return say(&format!("won {} {}", batch.first, batch.last())),
            Err(store::AppendError::Conflict { actual, .. }) => assert!(actual > next),
            Err(other) => panic!("{other}"),
        }
    }
}

/// Takes a lease, if nobody has it who lives.
fn drive(store: &dyn Store, stream: &Stream) {
    match store.acquire(stream, &Holder::this_process(), now(), HOUR_MS).expect("it can be asked") {
        Ok(lease) => {
            say(&format!("lease {} {}", stream.name(), lease.epoch));
            assert!(store.renew(stream, &lease, now(), HOUR_MS).expect("it can be asked"));
            store.release(stream, &lease).expect("it can be given back");
            assert!(!store.renew(stream, &lease, now(), HOUR_MS).expect("it can be asked"));
        }
        Err(held) => assert_ne!(held.holder, Holder::this_process()),
    }
}

fn move_name(store: &dyn Store, who: u64) {
    let Some(info) = store.stream(&Stream::run("shared")).expect("streams can be read") else {
        return;
    };
    let target = Target { place: Place::new(info.stream, info.next - 1), link: info.link };
    let previous = store.name("main").expect("names can be read").map(|(id, _)| id);
    let mut operation = operation("main", previous, target);
    operation.actor = Some(format!("writer {who}"));
    match store.move_name(&operation) {
        Ok(_) => {}
        Err(MoveError::Conflict { actual, .. }) => assert_ne!(actual, previous),
        Err(other) => panic!("{other}"),
    }
}

/// Changes the shelf. Asked for again under the same number, it is the same change.
fn shelve(store: &dyn Store, who: u64, number: u64, change: &str) {
    say(&format!("try {number} {change}"));
    let value = format!("{who}-{number}");
    let change = match change {
        "push" => Change::Push(Value::text(value.as_str())),
        _ => Change::Take,
    };
    let key = Digest::of(value.as_bytes());
    let taken = store.shelf_write(SHELF, std::slice::from_ref(&change), &key);
    match (change, taken.expect("a shelf can be changed")) {
        (Change::Push(_), taken) => {
            assert_eq!(taken, None);
            say(&format!("pushed {value}"));
        }
        (_, Some(taken)) => say(&format!("took {number} {}", taken.as_text().expect("a text"))),
        (_, None) => {}
    }
}

#[test]
fn processes_make_a_store_together() {
    let folder = Folder::on_disk("together");
    for round in 0..kills() / 10 {
        let path = folder.join(&format!("{round}.db"));
        let mut makers: Vec<Part> = (0..WRITERS)
            .map(|who| Part::start("processes::maker", &path, &[(WHO, who.to_string())]))
            .collect();
        makers.iter().for_each(|maker| assert!(maker.wait_for("ready"), "it was started"));
        makers.iter_mut().for_each(Part::go);
        for maker in makers {
            let ended = maker.end(Duration::from_secs(60)).expect("it ends");
            assert!(ended.status.success(), "round {round}: {}", ended.errors);
        }
        assert_eq!(names(&folder), [format!("{round}.db")], "round {round}");
        let store = open(&path).expect("it was made");
        assert_eq!(Proven::of(&store).map(|proven| proven.streams()), Ok(WRITERS));
        assert_eq!(store.check_files().expect("files can be read"), Vec::<String>::new());
        drop(store);
        std::fs::remove_file(&path).expect("it was made");
    }
}

/// Not a test of its own: one of those who make a store.
#[test]
fn maker() {
    let Some(path) = part() else { return };
    let who = std::env::var(WHO).expect("whoever starts a maker sets it");
    say("ready");
    std::io::stdin().read_line(&mut String::new()).expect("it ends");
    let store = open(&path).expect("whoever makes it, it is there");
    let batch = Batch::new(&Stream::run(format!("own-{who}")), 0, 3);
    batch.append(&store, Durability::Group).expect("nobody else adds to it");
}

#[test]
fn the_lease_of_a_killed_process_is_taken_at_once() {
    let folder = Folder::on_disk("leases");
    let path = folder.join("store.db");
    let store = open(&path).expect("it can be made");
    let stream = Stream::run("r1");
    let own = Holder::this_process();
    for round in 0..10 {
        let holder = Part::start("processes::holder", &path, &[]);
        assert!(holder.wait_for("leased"), "{}", holder.kill().errors);
        let held = store.acquire(&stream, &own, now(), HOUR_MS).expect("it can be asked");
        let held = held.expect_err("the holder lives");
        assert_ne!(held.holder, own);
        holder.kill();
        let lease = store.acquire(&stream, &own, now(), HOUR_MS).expect("it can be asked");
        assert_eq!(lease, Ok(Lease { epoch: 2 * round + 2 }), "nobody lives who has it");
        store.release(&stream, &lease.expect("it was taken")).expect("it can be given back");
    }
}

/// Not a test of its own: a process that takes a lease and keeps it.
#[test]
fn holder() {
    let Some(path) = part() else { return };
    let store = open(&path).expect("a store can be opened beside its writers");
    let lease = store.acquire(&Stream::run("r1"), &Holder::this_process(), now(), HOUR_MS);
    let lease: Result<_, StoreError> = lease.map(|lease| lease.expect("nobody has it"));
    lease.expect("it can be asked");
    say("leased");
    let _ = std::io::stdin().read_line(&mut String::new());
}
