//! The lines of the table.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use history::kinds::{Blob, Kind, Sealed};
use history::{Archive, Event, Place, Stream, Timestamp};
use sim::Random;
use store::{Append, Durability, Expected, Importing, SqliteStore, Store};
use value::Digest;

use crate::bare::{Bare, Commit};
use crate::measure::{Cost, Figure, Times, line, times};
use crate::written::{event, fork, step, text, turn};

/// How many events are added at once.
const BATCH: usize = 1_000;

/// So many events go through ours and through bare SQLite in turns, so that both meet the same
/// weather. The processor's clock is coarse: a chunk takes many of its ticks.
const CHUNK: usize = 20_000;

/// What may be asked of a long history without being noticed.
const AT_ONCE: Duration = Duration::from_millis(5);

/// Larger runs are not exported: the time grows as they do.
const TRANSFERRED_MAX: usize = 100_000;

/// A store beside a bare table of the same bytes.
struct Pair {
    path: PathBuf,
    store: SqliteStore,
    bare: Bare,
    run: Stream,
    size: usize,
    /// What filling the table took.
    filling: Duration,
}

/// All lines about a run of this many events.
pub(crate) fn of_size(folder: &Path, size: usize) {
    let mut pair = appended(folder, size);
    one_at_a_time(&pair);
    a_step_at_a_time(&pair);
    sixteen_at_a_time(&pair);
    forked(&pair);
    asked(&pair);
    if size <= TRANSFERRED_MAX {
        transferred(folder, &pair);
    }
    drop(pair.store);
    let opening = times(20, |_| drop(open(&pair.path)));
    line("open and close, median", size, Figure::Time(opening.median()), Figure::Time(AT_ONCE));
    pair.store = open(&pair.path);
    std::fs::remove_file(&pair.path).expect("it was made here");
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path).expect("nobody else writes")
}

fn add(
    store: &SqliteStore,
    stream: &Stream,
    expected: Expected,
    sealed: Vec<Sealed>,
    how: Durability,
) {
    let (events, blobs): (Vec<Event>, Vec<Vec<Blob>>) =
        sealed.into_iter().map(|sealed| (sealed.event, sealed.blobs)).unzip();
    let append = Append {
        stream,
        expected,
        events: &events,
        blobs: &blobs.concat(),
        key: None,
        durability: how,
        unverified: false,
    };
    store.append(&append).expect("nobody else writes");
}

/// Fills a store and a bare table, and says what each took.
fn appended(folder: &Path, size: usize) -> Pair {
    let path = folder.join(format!("store-{size}.db"));
    let store = open(&path);
    let bare = Bare::new(&folder.join(format!("bare-{size}.db")), &path);
    let run = Stream::run("r1");
    let filler = text(&mut Random::new(1), 500);
    let sealed = |at: usize| event("r1", at, size, &filler);
    let (mut ours, mut theirs, mut sealing) = (Cost::default(), Cost::default(), Cost::default());
    for chunk in (0..size).step_by(CHUNK) {
        let starts = || (chunk..(chunk + CHUNK).min(size)).step_by(BATCH);
        let ends = |start: usize| (start + BATCH).min(size);
        ours.add(|| {
            for start in starts() {
                let expected =
                    if start == 0 { Expected::New } else { Expected::Next(start as u64) };
                let batch = (start..ends(start)).map(sealed).collect();
                add(&store, &run, expected, batch, Durability::Group);
            }
        });
        let bodies: Vec<Vec<Event>> = sealing.add(|| {
            let batch = |start| (start..ends(start)).map(|at| sealed(at).event).collect();
            starts().map(batch).collect()
        });
        theirs.add(|| {
            for batch in &bodies {
                bare.insert(Commit::Synced, batch.iter().map(|event| event.body().as_bytes()));
            }
        });
    }
    let rate = |time| Figure::rate(size, time);
    line("append by 1,000, a CPU second", size, rate(ours.cpu), rate(theirs.cpu));
    line("  of which sealing alone", size, rate(ours.cpu), rate(sealing.cpu));
    line("append by 1,000, a second", size, rate(ours.wall), rate(theirs.wall));
    Pair { path, store, bare, run, size, filling: theirs.wall }
}

/// Single events, each of which waits for the disk or for the system.
fn one_at_a_time(pair: &Pair) {
    let filler = text(&mut Random::new(2), 500);
    for (what, durability, commit) in [
        ("append of one, synced, median", Durability::Fsync, Commit::Synced),
        ("append of one, in a group of one, median", Durability::Group, Commit::Synced),
        ("append of one, to the system, median", Durability::Os, Commit::Written),
    ] {
        let run = format!("one-{durability:?}");
        let stream = Stream::run(run.as_str());
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for at in 0..300 {
            let begin = Instant::now();
            let sealed = event(&run, at, usize::MAX, &filler);
            let expected = if at == 0 { Expected::New } else { Expected::Next(at as u64) };
            let body = sealed.event.clone();
            add(&pair.store, &stream, expected, vec![sealed], durability);
            ours.push(begin.elapsed());
            let begin = Instant::now();
            pair.bare.insert(commit, [body.body().as_bytes()]);
            theirs.push(begin.elapsed());
        }
        let median = |times| Figure::Time(Times::of(times).median());
        line(what, pair.size, median(ours), median(theirs));
    }
}

/// Three small events at once, beside one row with all their bytes.
fn a_step_at_a_time(pair: &Pair) {
    const STEPS: usize = 600;
    let filler = text(&mut Random::new(6), 500);
    for (what, durability, commit) in [
        ("append of three, synced, beside one row", Durability::Fsync, Commit::Synced),
        ("append of three, to the system", Durability::Os, Commit::Written),
    ] {
        let run = format!("steps-{durability:?}");
        let stream = Stream::run(run.as_str());
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for at in 0..STEPS {
            let events = step(&run, at, &filler).map(|sealed| sealed.event);
            let row: Vec<u8> = events.iter().flat_map(|event| event.body().bytes()).collect();
            let append = Append {
                stream: &stream,
                expected: Expected::Next(3 * at as u64),
                events: &events,
                blobs: &[],
                key: None,
                durability,
                unverified: false,
            };
            let begin = Instant::now();
            pair.store.append(&append).expect("nobody else writes");
            ours.push(begin.elapsed());
            let begin = Instant::now();
            pair.bare.insert(commit, [&row[..]]);
            theirs.push(begin.elapsed());
        }
        let median = |times| Figure::Time(Times::of(times).median());
        line(what, pair.size, median(ours), median(theirs));
    }
}

/// Sixteen threads that each wait for the disk, together.
fn sixteen_at_a_time(pair: &Pair) {
    const THREADS: usize = 16;
    const EACH: usize = 100;
    let filler = text(&mut Random::new(3), 500);
    let single = times(200, |_| pair.bare.insert(Commit::Synced, [&filler.as_bytes()[..400]]));
    let mut cost = Cost::default();
    cost.add(|| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (store, filler) = (&pair.store, &filler);
                scope.spawn(move || {
                    let run = format!("group-{thread}");
                    let stream = Stream::run(run.as_str());
                    for at in 0..EACH {
                        let expected =
                            if at == 0 { Expected::New } else { Expected::Next(at as u64) };
                        let sealed = vec![event(&run, at, usize::MAX, filler)];
                        add(store, &stream, expected, sealed, Durability::Group);
                    }
                });
            }
        });
    });
    let measured = Figure::rate(THREADS * EACH, cost.wall);
    line("group of 16 threads", pair.size, measured, Figure::rate(1, single.median()));
}

/// Forks in the middle of the run.
fn forked(pair: &Pair) {
    let place = Place::new(pair.run.clone(), pair.size as u64 / 2);
    let origin = pair.store.read(&place.stream, place.seq, 1).expect("it can be read");
    let origin = origin.first().expect("it was added").event.id();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for at in 0..100 {
        let begin = Instant::now();
        let run = format!("fork-{at}");
        let sealed = fork(&run, &place, origin);
        let bodies = sealed.clone().map(|sealed| sealed.event);
        let stream = Stream::run(run.as_str());
        let expected = Expected::Fork(place.clone());
        add(&pair.store, &stream, expected, sealed.into(), Durability::Fsync);
        ours.push(begin.elapsed());
        let begin = Instant::now();
        pair.bare.insert(Commit::Synced, bodies.iter().map(|event| event.body().as_bytes()));
        theirs.push(begin.elapsed());
    }
    let median = |times| Figure::Time(Times::of(times).median());
    line("fork, median", pair.size, median(ours), median(theirs));
}

/// Questions at random places.
fn asked(pair: &Pair) {
    const QUESTIONS: usize = 500;
    let Pair { store, run, size, .. } = pair;
    let mut random = Random::new(4);
    let mut places: Vec<usize> = (0..QUESTIONS).map(|_| random.below(*size - 100)).collect();
    let bare = times(QUESTIONS, |at| assert!(pair.bare.read(places[at] + 1, 100) > 0));
    let page = times(QUESTIONS, |at| {
        let page = store.read(run, places[at] as u64, 100).expect("it can be read");
        assert_eq!(page.len(), 100);
    });
    line("page of 100, p50, beside bare rows", *size, time(&page, 50), time(&bare, 50));
    percentiles("page of 100", *size, &page);
    places.reverse();
    percentiles(
        "resources as of a place",
        *size,
        &times(QUESTIONS, |at| {
            let until = places[at] as u64;
            let kinds = [Kind::ResourceAttached, Kind::ResourceDetached];
            let found = store.read_kinds(run, &kinds, 0, until, 1_000).expect("it can be read");
            let last = store.last_of(run, &[Kind::MessageCreated], until).expect("it can be read");
            assert!(!found.is_empty() || until == 0);
            assert!(last.is_some() || until < 2);
        }),
    );
    let prefixes: Vec<String> = places
        .iter()
        .map(|place| {
            let found = store.read(run, *place as u64, 1).expect("it can be read");
            found[0].event.id().to_string()[..12].to_string()
        })
        .collect();
    percentiles(
        "found by the first digits of an id",
        *size,
        &times(QUESTIONS, |at| {
            assert_eq!(store.find(&prefixes[at], 2).expect("it can be read").len(), 1);
        }),
    );
}

/// Everything out, in again, and read.
fn transferred(folder: &Path, pair: &Pair) {
    let Pair { store, size, .. } = pair;
    let file = folder.join(format!("export-{size}.jsonl"));
    let took = |act: &mut dyn FnMut()| {
        let begin = Instant::now();
        act();
        begin.elapsed()
    };
    let created = |path: &Path| BufWriter::new(File::create(path).expect("there is room"));
    let exporting = took(&mut || {
        store::export(store, None, &mut created(&file)).expect("there is room");
    });
    let text = std::fs::read(&file).expect("it was made here");
    let copying = took(&mut || {
        let mut copy = created(&folder.join(format!("copy-{size}.jsonl")));
        pair.bare.read(0, *size);
        copy.write_all(&text).and_then(|()| copy.flush()).expect("there is room");
    });
    let rate = |time| Figure::rate(*size, time);
    line("export, a second, beside a bare copy", *size, rate(exporting), rate(copying));

    let imported = open(&folder.join(format!("imported-{size}.db")));
    let importing = Importing {
        file: "export.jsonl".into(),
        strict: false,
        now: Timestamp::from_micros(i64::MAX),
    };
    let import = took(&mut || {
        let mut input = BufReader::new(File::open(&file).expect("it was made here"));
        let done = store::import(&imported, &mut input, &importing, &mut |_, _| {});
        let done = done.expect("what was exported is imported");
        assert_eq!(done.left, 0);
    });
    line("import, a second, beside bare inserts", *size, rate(import), rate(pair.filling));
    let verifying = took(&mut || {
        let verified = store::verify(store, &mut |_| {}).expect("it can be read");
        assert_eq!(verified.damage, Vec::new());
    });
    let hashing = took(&mut || {
        black_box(Digest::of(&text));
    });
    line("verify, a second, beside hashing alone", *size, rate(verifying), rate(hashing));
}

fn time(times: &Times, percent: usize) -> Figure {
    Figure::Time(times.percentile(percent))
}

fn percentiles(what: &str, size: usize, times: &Times) {
    for percent in [50, 99] {
        let what = format!("{what}, p{percent}");
        line(&what, size, time(times, percent), Figure::Time(AT_ONCE));
    }
}

/// The size on the disk of a conversation whose turns have this many bytes of text.
pub(crate) fn of_conversation(folder: &Path, turns: usize, bytes: usize) {
    const OVERHEAD_MAX: f64 = 2_048.0;
    const RATIO_MAX: f64 = 1.3;
    let path = folder.join(format!("turns-{turns}-{bytes}.db"));
    let store = open(&path);
    let run = Stream::run("r1");
    let mut random = Random::new(5);
    let mut events = 0;
    for at in 0..turns {
        let prompt = text(&mut random, bytes / 2);
        let answer = text(&mut random, bytes / 2);
        let sealed = turn("r1", at, &prompt, &answer);
        let expected = if at == 0 { Expected::New } else { Expected::Next(events) };
        events += sealed.len() as u64;
        add(&store, &run, expected, sealed.into(), Durability::Os);
    }
    drop(store);
    let size = std::fs::metadata(&path).expect("it was made here").len() as f64;
    let payload = (turns * bytes) as f64;
    let what = format!("{turns} turns of {bytes} bytes");
    let events = 4 * turns;
    if bytes < 4_096 {
        let beyond = Figure::Bytes((size - payload) / turns as f64);
        line(&format!("{what}: more for each"), events, beyond, Figure::Bytes(OVERHEAD_MAX));
    } else {
        let ratio = Figure::Times(size / payload);
        line(&format!("{what}: size by payload"), events, ratio, Figure::Times(RATIO_MAX));
    }
    std::fs::remove_file(&path).expect("it was made here");
}
