//! What holds for every fork of every history, and for every folder. A failing case is one number.

use std::fs;

use history::plan::Wish;
use history::{Ledger, Lineage, Place, Visit};
use proptest::prelude::*;
use sim::Random;
use store::folder::{restore, snapshot};
use store::fork::fork;
use store::{Append, Archive as _, Durability, Expected, MemoryStore, Store};
use value::json;

use crate::request;
use crate::scratch::{Scratch, tree};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: if std::env::var_os("QUIPU_SLOW").is_some() { 500 } else { 20 },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever a run did, it can be forked at every event, and the fork is lawful.
    #[test]
    fn every_event_of_a_run_can_be_forked_from(seed: u64) {
        let store = MemoryStore::default();
        let mut places = Vec::new();
        for piece in sim::history::histories(seed, 60) {
            let next = store.stream(&piece.stream).unwrap().map(|info| info.next);
            let append = Append {
                stream: &piece.stream,
                expected: piece.fork_of.map_or(Expected::Next(next.unwrap_or(0)), Expected::Fork),
                events: &piece.events,
                blobs: &piece.blobs,
                key: None,
                durability: Durability::Os,
                unverified: false,
            };
            let first = store.append(&append).unwrap().first;
            if piece.stream.run_id().is_some() {
                let numbers = first..first + piece.events.len() as u64;
                places.extend(numbers.map(|seq| Place::new(piece.stream.clone(), seq)));
            }
        }
        let mut random = Random::new(seed);
        for (number, place) in places.into_iter().enumerate() {
            let ledger = folded(&store, &place);
            let resources: Vec<String> =
                ledger.live().writable().into_iter().map(|id| id.to_string()).collect();
            let wish = |_: &String| match random.one_in(2) {
                true => Wish::KeepByParent,
                false => Wish::Discard,
            };
            let wishes: Vec<Wish> = resources.iter().map(wish).collect();
            let wishes: Vec<(&str, Wish)> =
                resources.iter().map(String::as_str).zip(wishes).collect();
            let forked = fork(&store, &place, &request(&format!("fork-{number}"), &wishes)).unwrap();
            let last = store.stream(&forked.first.stream).unwrap().unwrap().next - 1;
            let ledger = folded(&store, &Place::new(forked.first.stream, last));
            prop_assert!(ledger.live().writable().is_empty());
        }
    }

    /// Whatever is in a folder is in its copy, and both have one manifest.
    #[test]
    fn every_folder_is_had_back(seed: u64) {
        let (scratch, store, mut random) =
            (Scratch::new(), MemoryStore::default(), Random::new(seed));
        fill(&mut random, &scratch, "work", 3);
        fs::create_dir_all(scratch.path("work")).unwrap();
        let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
        restore(&store, kept.manifest, &scratch.path("copy")).unwrap();
        prop_assert_eq!(tree(&scratch.path("copy")), tree(&scratch.path("work")));
        let again = snapshot(&store, &scratch.path("copy"), Durability::Os).unwrap();
        prop_assert_eq!(again, kept);
    }
}

/// The events up to a place, which must be lawful.
fn folded(store: &dyn Store, place: &Place) -> Ledger {
    let mut ledger = Ledger::default();
    let lineage = Lineage::of(store, &place.stream, Some(place.seq + 1)).unwrap().unwrap();
    let blob = |id| {
        let bytes = store.blob(id).unwrap()?;
        Some(json::read(std::str::from_utf8(&bytes).unwrap()).unwrap().0)
    };
    let apply = |at: Place, entry: store::Entry| {
        let fact = entry.event.fact_with(blob);
        let found = ledger.check(&entry.event, fact.as_ref(), None);
        assert_eq!(found, [], "{at}: {}", entry.event.body());
        ledger.apply(&entry.event, fact.as_ref());
        Visit::More
    };
    lineage.visit(store, None, 0, apply).unwrap();
    ledger
}

/// Some files, folders and links, with names that sort in every way around `/`.
fn fill(random: &mut Random, scratch: &Scratch, folder: &str, depth: usize) {
    for name in ["a", "a-b", "a.b", "a b", "a0", "é", "日本", "'\"$`"] {
        let path = format!("{folder}/{name}");
        match random.below(6) {
            0 if depth > 0 => fill(random, scratch, &path, depth - 1),
            1 => fs::create_dir_all(scratch.path(&path)).unwrap(),
            2 | 3 => {
                let content = vec![b'x'; random.below(3) * random.below(5000)];
                scratch.write(&path, &content);
            }
            4 => link(random, scratch, &path),
            _ => {}
        }
    }
}

#[cfg(unix)]
fn link(random: &mut Random, scratch: &Scratch, path: &str) {
    let path = scratch.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let target = *random.pick(&["a", "../..", "/", "a b/nowhere"]);
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn link(_: &mut Random, _: &Scratch, _: &str) {}
