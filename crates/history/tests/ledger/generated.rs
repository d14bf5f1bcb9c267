//! Generated histories are lawful, and a ledger that was cloned anywhere goes on like one that
//! took everything in from the start. A failing case is one number.

use std::collections::BTreeMap;

use history::kinds::Fact;
use history::{BlobId, Event, Ledger, Stream};
use proptest::prelude::*;
use sim::history::{Piece, histories};
use value::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("QUIPU_SLOW").is_some() { 500 } else { 40 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn generated_histories_are_lawful(seed: u64) {
        let mut blobs = BTreeMap::new();
        // Each stream with the ledger behind each event of its lineage: clones share most of it.
        let mut streams: BTreeMap<Stream, (Vec<Event>, Vec<Ledger>)> = BTreeMap::new();
        for Piece { stream, fork_of, events, blobs: kept } in histories(seed, 300) {
            for blob in kept {
                let text = std::str::from_utf8(blob.bytes()).unwrap();
                blobs.insert(blob.id(), json::read(text).unwrap().0);
            }
            let shared = fork_of.map(|place| {
                let until = usize::try_from(place.seq).unwrap() + 1;
                let (events, ledgers) = &streams[&place.stream];
                (events[..until].to_vec(), ledgers[..until].to_vec())
            });
            let (all, ledgers) = streams.entry(stream).or_insert(shared.unwrap_or_default());
            for event in events {
                let mut ledger = ledgers.last().cloned().unwrap_or_default();
                let fact = fact(&event, &blobs);
                let found = ledger.check(&event, fact.as_ref(), None);
                prop_assert!(found.is_empty(), "{found:?}: {}", event.body());
                ledger.apply(&event, fact.as_ref());
                ledgers.push(ledger);
                all.push(event);
            }
        }
        for (events, ledgers) in streams.values() {
            let mut whole = Ledger::default();
            events.iter().for_each(|event| whole.apply(event, fact(event, &blobs).as_ref()));
            prop_assert_eq!(Some(&whole), ledgers.last());
        }
    }
}

fn fact(event: &Event, blobs: &BTreeMap<BlobId, Value>) -> Option<Fact> {
    event.fact_with(|id| blobs.get(&id).cloned())
}
