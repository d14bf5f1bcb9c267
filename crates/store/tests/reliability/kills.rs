//! A writer is killed at any moment. Whatever it was told to be durable, in whichever class, is
//! there when the store is opened again, and the writer can go on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use history::kinds::Blob;
use history::{Place, Stream, Target};
use sim::Random;
use store::{Durability, SqliteStore, Store};

use crate::process::{Ended, Part, part, say};
use crate::proof::{Promises, Proven};
use crate::written::{Batch, fork, operation};
use crate::{Folder, open, seed};

/// Where the writer begins its choices.
const CHOICES: &str = "QUIPU_CHOICES";
/// What the writer before was about to add: `STREAM FIRST` for each thread, by `;`.
const AGAIN: &str = "QUIPU_AGAIN";
/// How many were killed before.
const ROUND: &str = "QUIPU_ROUND";

const DURABILITIES: [Durability; 3] = [Durability::Os, Durability::Group, Durability::Fsync];

#[test]
fn nothing_acknowledged_is_lost_when_a_writer_is_killed() {
    let (kills, seed) = (kills(), seed());
    let folder = Folder::on_disk("kills");
    let path = folder.join("store.db");
    let mut random = Random::new(seed);
    let mut proven = Proven::default();
    let mut again = BTreeMap::new();
    let (mut promised, mut unheard, mut opening) = (0, 0, Duration::ZERO);
    for round in 0..kills {
        // One in three dies while somebody else reads, and goes on reading.
        let reader = (round > 0 && random.one_in(3)).then(|| SqliteStore::open_reader(&path));
        let reader = reader.transpose().expect("a store can be read beside its writer");
        let writer = Part::start("kills::writer", &path, &orders(&mut random, round, &again));
        // One in four is killed while it opens the store, at the earliest.
        if !random.one_in(4) {
            assert!(writer.wait_for("ready"), "the writer failed: {}", writer.kill().errors);
        }
        std::thread::sleep(Duration::from_micros(random.below(50_000) as u64));
        let (promises, tried) = heard(writer.kill(), &mut again);
        let begin = Instant::now();
        let store = match open(&path) {
            Ok(store) => store,
            Err(error) => panic!("kill {round} of seed {seed}: cannot be opened: {error}"),
        };
        opening += begin.elapsed();
        let checked = promises.check(&store).and_then(|()| proven.check(&store));
        let checked =
            checked.and_then(|()| reader.map_or(Ok(()), |reader| promises.check(&reader)));
        checked.unwrap_or_else(|broken| panic!("kill {round} of seed {seed}: {broken}"));
        promised += promises.count();
        unheard += tried;
    }
    let store = open(&path).expect("it was opened before");
    let proven = Proven::of(&store).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
    assert_eq!(store.check_files().expect("files can be read"), Vec::<String>::new());
    println!(
        "{kills} kills: {promised} acknowledgements kept, {unheard} appends cut off, {} events in \
         {} streams proven, opened again in {:.1} ms on average",
        proven.events(),
        proven.streams(),
        opening.as_secs_f64() * 1e3 / kills as f64,
    );
}

#[test]
fn a_store_is_whole_or_not_there_when_its_maker_is_killed() {
    let seed = seed();
    let folder = Folder::on_disk("makers");
    let mut random = Random::new(seed);
    for round in 0..kills() / 4 {
        let path = folder.join(&format!("{round}.db"));
        let mut again = BTreeMap::new();
        let maker = Part::start("kills::writer", &path, &orders(&mut random, 0, &again));
        std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
        let (promises, _) = heard(maker.kill(), &mut again);
        let store = match open(&path) {
            Ok(store) => store,
            Err(error) => panic!("kill {round} of seed {seed}: cannot be opened: {error}"),
        };
        let checked = promises.check(&store).and_then(|()| Proven::of(&store).map(drop));
        checked.unwrap_or_else(|broken| panic!("kill {round} of seed {seed}: {broken}"));
    }
}

/// How many writers are killed.
pub(crate) fn kills() -> u64 {
    std::env::var("QUIPU_KILLS")
        .map_or(200, |kills| kills.parse().expect("QUIPU_KILLS is a number"))
}

/// What a writer is told.
fn orders(
    random: &mut Random,
    round: u64,
    again: &BTreeMap<String, String>,
) -> [(&'static str, String); 3] {
    let again = again.values().cloned().collect::<Vec<_>>().join(";");
    [(CHOICES, random.number().to_string()), (AGAIN, again), (ROUND, round.to_string())]
}

/// What a writer was promised, and how many appends it had begun without hearing of them. The
/// last one that each thread began is noted in `again`.
fn heard(ended: Ended, again: &mut BTreeMap<String, String>) -> (Promises, usize) {
    assert!(!ended.errors.contains("panicked"), "the writer failed: {}", ended.errors);
    let mut promises = Promises::default();
    let mut begun = BTreeSet::new();
    for line in ended.lines {
        match line.split_once(' ') {
            Some(("try", batch)) => {
                let (thread, batch) = batch.split_once(' ').expect("a thread tries a batch");
                begun.insert(thread.to_string());
                again.insert(thread.to_string(), batch.to_string());
            }
            Some(("done", thread)) => {
                begun.remove(thread);
            }
            _ => {
                promises.hear(&line);
            }
        }
    }
    (promises, begun.len())
}

/// Not a test of its own: the process that is killed.
#[test]
fn writer() {
    let Some(path) = part() else { return };
    let variable = |name| std::env::var(name).expect("whoever starts a writer sets it");
    let mut random = Random::new(variable(CHOICES).parse().expect("a number"));
    let round: u64 = variable(ROUND).parse().expect("a number");
    let mut again = Some(variable(AGAIN));
    // Closed and opened over and over: the log goes into the file then.
    loop {
        let store = open(&path).expect("a store can be opened after a kill");
        if let Some(again) = again.take() {
            say("ready");
            repeat(&store, &again);
        }
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (store, random) = (&store, Random::new(random.number()));
                scope.spawn(move || work(store, thread, round, random));
            }
        });
    }
}

/// Asks for the appends again that the writer before may or may not have made: afterwards they
/// were made once.
fn repeat(store: &dyn Store, again: &str) {
    for batch in again.split(';').filter(|batch| !batch.is_empty()) {
        let (stream, first) = batch.split_once(' ').expect("a stream and a number");
        let stream = Stream::from_name(stream).expect("a stream");
        let batch = Batch::at(&stream, first.parse().expect("a number"));
        let before = store.stream(&stream).expect("streams can be read");
        let was_there = before.is_some_and(|info| info.next > batch.first);
        let receipt = batch.append(store, Durability::Group).expect("an append can be repeated");
        assert_eq!((receipt.first, receipt.repeated), (batch.first, was_there), "{stream}");
        say(&format!("event {} {} {}", stream.name(), batch.last(), receipt.link));
    }
}

/// Adds to runs that only this thread writes to, a while.
fn work(store: &dyn Store, thread: u64, round: u64, mut random: Random) {
    let own =
        |stream: &Stream| stream.run_id().is_some_and(|id| id.starts_with(&format!("r{thread}-")));
    let listed = store.streams(None, 100_000).expect("streams can be listed");
    let mut streams: BTreeMap<Stream, u64> = listed
        .into_iter()
        .filter(|info| own(&info.stream))
        .map(|info| (info.stream, info.next))
        .collect();
    // One name for many rounds, but not for all: its moves are read each time.
    let name = format!("heads/r{thread}/{}", round / 50);
    let mut previous = store.name(&name).expect("names can be read").map(|(id, _)| id);
    for _ in 0..random.between(2, 15) {
        let (stream, first) = choose(&streams, thread, &mut random);
        let batch = Batch::at(&stream, first);
        say(&format!("try {thread} {} {first}", stream.name()));
        let receipt = batch
            .append(store, *random.pick(&DURABILITIES))
            .unwrap_or_else(|error| panic!("{stream}@{first}: {error}"));
        say(&format!("event {} {} {}", stream.name(), batch.last(), receipt.link));
        say(&format!("done {thread}"));
        streams.insert(stream.clone(), batch.last() + 1);
        if random.one_in(5) {
            let place = Place::new(stream, batch.last());
            let target = Target { place, link: receipt.link };
            let id = store.move_name(&operation(&name, previous, target)).expect("a name moves");
            say(&format!("name {name} {id}"));
            previous = Some(id);
        }
        if random.one_in(12) {
            let blob = Blob::new(random.number().to_be_bytes().repeat(random.between(1, 3_000)));
            store
                .put_blobs(std::slice::from_ref(&blob), *random.pick(&DURABILITIES))
                .expect("bytes can be kept");
            say(&format!("blob {}", blob.id()));
        }
    }
}

/// A stream to add to: one of those there are, a new one, or a fork.
fn choose(streams: &BTreeMap<Stream, u64>, thread: u64, random: &mut Random) -> (Stream, u64) {
    /// So many streams are enough for each thread.
    const STREAMS: usize = 40;
    if streams.is_empty() || (streams.len() < STREAMS && random.one_in(40)) {
        return (Stream::run(format!("r{thread}-{}", streams.len())), 0);
    }
    let (stream, next) =
        streams.iter().nth(random.below(streams.len())).expect("it is below the length");
    if streams.len() < STREAMS && random.one_in(20) {
        let place = Place::new(stream.clone(), next - 1);
        let forked = fork(&place);
        if !streams.contains_key(&forked) {
            return (forked, place.seq + 1);
        }
    }
    (stream.clone(), *next)
}
