//! Two stores that are told the same say the same: the one in memory, which is simple, and the
//! one in a file, which two have open, and open again now and then.

use std::fmt::Debug;
use std::time::Duration;

use history::kinds::{Blob, Kind};
use history::{Event, Operation, Place, Stream, Target, Timestamp};
use proptest::prelude::*;
use sim::Random;
use store::{Append, Change, Durability, Expected, Holder, Lease, MemoryStore, SqliteStore, Store};
use value::{Digest, Value};

use crate::sample::{Folder, event_of, event_with, fork_events, plain, run};

fn cases() -> ProptestConfig {
    let slow = std::env::var_os("QUIPU_SLOW").is_some();
    ProptestConfig { cases: if slow { 200 } else { 24 }, ..ProptestConfig::default() }
}

/// Few streams, events, keys and names, so that requests meet each other.
fn streams() -> Vec<Stream> {
    let mut streams: Vec<Stream> = ["a", "b", "c", "d", "e"].map(run).into();
    streams.extend([Stream::Agent("a".into()), Stream::Store]);
    streams
}

fn blob(random: &mut Random) -> Blob {
    Blob::new(vec![b'x'; random.below(6)])
}

fn event(random: &mut Random) -> Event {
    let kind = *random.pick(&["tool_call", "tool_result", "x.other"]);
    match random.below(12) {
        0 => event_with(&blob(random)),
        _ => event_of(kind, random.below(3) as u64),
    }
}

fn place(random: &mut Random) -> Place {
    Place::new(random.pick(&streams()).clone(), random.below(12) as u64)
}

/// A request; most often one that can be fulfilled.
fn request(random: &mut Random, model: &dyn Store, tell: &mut impl FnMut(&Append<'_>)) {
    let stream = random.pick(&streams()).clone();
    let next = model.stream(&stream).unwrap().map_or(0, |info| info.next);
    let expected = match random.below(9) {
        0 => Expected::New,
        1 => Expected::Fork(place(random)),
        2 => Expected::Next(random.below(8) as u64),
        3 => Expected::Next(next.saturating_sub(random.below(4) as u64)),
        _ => Expected::Next(next),
    };
    let mut events: Vec<Event> = (0..random.below(5)).map(|_| event(random)).collect();
    // Now and then what stands there already.
    if let Expected::Next(from) = expected
        && from < next
        && random.one_in(2)
    {
        let there = model.read(&stream, from, events.len()).unwrap();
        events = there.into_iter().map(|entry| entry.event).collect();
    }
    // Most often a fork says where it comes from.
    if let Expected::Fork(at) = &expected
        && at.stream.run_id().is_some()
        && history::Lineage::locate(model, at).unwrap().is_some()
        && !random.one_in(6)
    {
        let number = random.below(3) as u64;
        events = fork_events(model, at, number..number + 2);
    }
    let blobs: Vec<Blob> = (0..random.below(3)).map(|_| blob(random)).collect();
    let append = Append {
        blobs: &blobs,
        key: random.one_in(3).then(|| Digest::of(&[random.below(5) as u8])),
        durability: *random.pick(&[Durability::Os, Durability::Group, Durability::Fsync]),
        unverified: random.one_in(4),
        ..plain(&stream, expected, &events)
    };
    tell(&append);
}

fn operation(random: &mut Random, model: &dyn Store) -> Operation {
    let name = (*random.pick(&["main", "x/y", "z"])).to_string();
    let last = model.name(&name).unwrap().map(|(id, _)| id);
    let place = place(random);
    let lineage = history::Lineage::of(model, &place.stream, None).unwrap();
    let entry = lineage.and_then(|lineage| lineage.entry(model, place.seq).unwrap());
    let link = entry.map(|entry| entry.link).filter(|_| !random.one_in(8));
    let link = link.unwrap_or(history::Link(Digest::of(b"no link")));
    Operation {
        name,
        previous: if random.one_in(6) { None } else { last },
        target: (!random.one_in(6)).then_some(Target { place, link }),
        ts: Timestamp::from_micros(random.below(2) as i64),
        actor: None,
        reason: random.one_in(3).then(|| "because".into()),
    }
}

/// Asks both, and compares what they say.
fn same<T: Debug>(model: &dyn Store, store: &dyn Store, ask: impl Fn(&dyn Store) -> T) {
    assert_eq!(format!("{:?}", ask(model)), format!("{:?}", ask(store)));
}

fn ask(random: &mut Random, model: &dyn Store, store: &dyn Store) {
    let Place { stream, seq: from } = place(random);
    let (until, limit) = (random.below(20) as u64, random.below(12));
    let kinds = [Kind::ToolCall, Kind::ToolResult, Kind::Unknown, Kind::RunStarted];
    let kinds = &kinds[random.below(2)..random.between(2, 4)];
    match random.below(8) {
        0 => same(model, store, |store| store.read(&stream, from, limit)),
        1 => same(model, store, |store| store.read_kinds(&stream, kinds, from, until, limit)),
        2 => same(model, store, |store| store.last_of(&stream, kinds, until)),
        3 => same(model, store, |store| store.streams(Some(&stream), limit)),
        4 => {
            let digits = event(random).id().to_string();
            let length = *random.pick(&[0, 1, 3, 4, 5, 16, 20, 64]);
            same(model, store, |store| store.find(&digits[..length], limit));
        }
        7 => same(model, store, |store| store.written_here(&stream, from, until)),
        5 => same(model, store, |store| store.watch(from, limit, Duration::ZERO)),
        6 => {
            let id = blob(random).id();
            same(model, store, |store| (store.blob(id), store.blobs(Some(id), limit)));
        }
        _ => same(model, store, |store| (store.name("main"), store.operations("x/y"))),
    }
}

fn lease(random: &mut Random, model: &dyn Store, store: &dyn Store) {
    let (stream, lease) = (place(random).stream, Lease { epoch: random.below(4) as u64 });
    let now = Timestamp::from_micros(random.below(9) as i64 * 1_000);
    let (holder, ttl) = (Holder::named(format!("{}", random.below(3))), random.below(9) as u64);
    match random.below(4) {
        0 => same(model, store, |store| store.release(&stream, &lease)),
        1 => same(model, store, |store| store.renew(&stream, &lease, now, ttl)),
        _ => same(model, store, |store| store.acquire(&stream, &holder, now, ttl)),
    }
}

fn shelve(random: &mut Random, model: &dyn Store, store: &dyn Store) {
    let key = |random: &mut Random| format!("k{}", random.below(3));
    let change = |random: &mut Random| match random.below(5) {
        0 => Change::Set { key: key(random).into(), value: Value::Int(random.below(9) as i64) },
        1 => Change::Push(Value::Int(random.below(9) as i64)),
        2 => Change::Remove { key: key(random).into() },
        3 => Change::Trim(random.below(5)),
        _ => Change::Take,
    };
    let changes: Vec<Change> = (0..random.below(4)).map(|_| change(random)).collect();
    let (found, once) = (key(random), Digest::of(&[random.below(40) as u8]));
    same(model, store, |store| store.shelf_write("s", &changes, &once));
    same(model, store, |store| {
        (store.shelf_get("s", &found), store.shelf_read("s"), store.shelf_writes("s"))
    });
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_both_are_told_they_both_say(seed: u64) {
        let mut random = Random::new(seed);
        let folder = Folder::new();
        let model = MemoryStore::default();
        let open = || SqliteStore::open(folder.file("store")).unwrap();
        // Two that have it open: what one of them remembers, the other one may have changed.
        let mut files = [None, None];
        for _ in 0..120 {
            let random = &mut random;
            let file = &mut files[random.below(2)];
            if random.one_in(20) {
                drop(file.take());
            }
            let store = file.get_or_insert_with(open);
            match random.below(24) {
                0 => {
                    let (ids, seen) = ([blob(random).id()], random.below(60) as u64);
                    same(&model, store, |store| store.remove_blobs(&ids, seen));
                }
                1 => {
                    let blobs = [blob(random), blob(random)];
                    same(&model, store, |store| store.put_blobs(&blobs, Durability::Os));
                }
                2..6 => {
                    let operation = operation(random, &model);
                    same(&model, store, |store| store.move_name(&operation));
                }
                6..13 => request(random, &model, &mut |append| {
                    same(&model, store, |store| store.append(append));
                }),
                13..16 => lease(random, &model, store),
                16..19 => shelve(random, &model, store),
                _ => ask(random, &model, store),
            }
        }
        let store = files[0].take().unwrap_or_else(open);
        same(&model, &store, |store| {
            let arrivals = store.watch(0, usize::MAX, Duration::ZERO);
            let streams = store.streams(None, usize::MAX);
            let shelf = store.shelf_read("s");
            (arrivals, streams, store.blobs(None, usize::MAX), store.names(), shelf)
        });
        prop_assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
    }
}
