//! The generator of histories keeps its promises, so that other tests may rely on them.

use std::collections::{BTreeMap, BTreeSet};

use history::kinds::{ROWS, flaws, referenced};
use history::{Event, EventId, Stream};
use sim::history::histories;

#[test]
fn pieces_can_be_appended_in_order() {
    for seed in 0..40 {
        let mut streams: BTreeMap<Stream, (u64, Vec<EventId>)> = BTreeMap::new();
        for piece in histories(seed, 300) {
            assert!(!piece.events.is_empty(), "seed {seed}");
            let is_new = !streams.contains_key(&piece.stream);
            let (next, ids) = streams.entry(piece.stream.clone()).or_default();
            if let Some(parent) = &piece.fork_of {
                assert!(is_new, "seed {seed}: {} forks twice", piece.stream);
                *next = parent.seq + 1;
            }
            *next += piece.events.len() as u64;
            ids.extend(piece.events.iter().map(Event::id));
            let next = *next;
            if let Some(parent) = &piece.fork_of {
                assert!(streams[&parent.stream].0 > parent.seq, "seed {seed}: {parent}");
                assert!(next > parent.seq);
            }
        }
        for (stream, (_, ids)) in streams {
            let distinct: BTreeSet<_> = ids.iter().collect();
            assert_eq!(distinct.len(), ids.len(), "seed {seed}: {stream} says something twice");
        }
    }
}

#[test]
fn every_event_is_whole_and_stands_in_its_stream() {
    for seed in 0..40 {
        for piece in histories(seed, 300) {
            let blobs: BTreeSet<_> = piece.blobs.iter().map(|blob| blob.id()).collect();
            for event in &piece.events {
                let members = event.members();
                assert_eq!(flaws(&members), [], "seed {seed}: {}", event.body());
                assert_eq!(Event::stream(&members), piece.stream, "seed {seed}");
                for id in members.values().filter_map(referenced) {
                    assert!(blobs.contains(&id), "seed {seed}: {id}");
                }
            }
        }
    }
}

#[test]
fn every_kind_happens() {
    let events = (0..20).flat_map(|seed| histories(seed, 1000)).flat_map(|piece| piece.events);
    let kinds: BTreeSet<_> = events.map(|event| event.kind()).collect();
    let missing: Vec<_> = ROWS.iter().filter(|row| !kinds.contains(&row.kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
