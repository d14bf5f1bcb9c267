//! Files that somebody or something has spoiled: whatever is in them, the store stays sound, and
//! the right file brings what is right.

use std::io::Cursor;

use history::Archive;
use history::line::Line;
use sim::{Random, WatchedStore};
use store::{Importing, Store, import};

use crate::round::fill;
use crate::shelf::{Shelf, file, noon};

/// Lines of an export, some of them as events that stand alone.
fn lines(random: &mut Random, seed: u64) -> Vec<String> {
    let shelf = Shelf::memory();
    fill(&shelf, seed, 60);
    let bare_of_all = random.one_in(3);
    let exported = shelf.export();
    let alone = |line: &str| match Line::read(line) {
        Ok(Line::Event { event, .. }) => Some(value::json::canonical(&event.value())),
        _ => None,
    };
    let lines = exported.lines().map(|line| match alone(line) {
        Some(event) if bare_of_all => event,
        _ => line.to_string(),
    });
    lines.collect()
}

fn spoil(random: &mut Random, lines: &mut Vec<String>) {
    for _ in 0..random.between(1, 4) {
        let at = random.below(lines.len());
        let other = random.below(lines.len());
        match random.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 => lines[at] = "{\"kind\":".into(),
            4 => lines.truncate(at.max(1)),
            5 => {
                let cut = lines[at].len() / 2;
                let cut = (cut..).find(|cut| lines[at].is_char_boundary(*cut)).unwrap();
                lines[at].truncate(cut);
            }
            _ => {
                let digit = char::from(b"0123456789abcdef\"{}:,x"[random.below(22)]);
                let letters: Vec<(usize, char)> = lines[at].char_indices().collect();
                if let Some((start, letter)) = letters.get(random.below(letters.len().max(1))) {
                    let range = *start..*start + letter.len_utf8();
                    lines[at].replace_range(range, &digit.to_string());
                }
            }
        }
        if lines.is_empty() {
            return;
        }
    }
}

fn seeds() -> std::ops::Range<u64> {
    if std::env::var_os("QUIPU_SLOW").is_some() { 0..2000 } else { 0..60 }
}

#[test]
fn a_spoilt_file_leaves_the_store_sound_and_changes_nothing_twice() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        let right = lines(&mut random, seed);
        let mut spoilt = right.clone();
        spoil(&mut random, &mut spoilt);
        let shelf = Shelf::memory();
        shelf.import(file(&right[..random.below(right.len())]));
        let before = shelf.export();
        shelf.import(file(&spoilt));
        let damage = shelf.verify();
        assert!(damage.iter().all(|what| what.ends_with("which is not there")), "seed {seed}");
        // What was there is there.
        let after = shelf.export();
        assert!(before.lines().all(|line| after.contains(line)), "seed {seed}");
        let again = shelf.import(file(&spoilt)).done;
        assert_eq!((again.added, again.blobs, again.names), (0, 0, 0), "seed {seed}");
        assert!(shelf.export() == after, "seed {seed}");
    }
}

#[test]
fn a_rehearsal_says_what_an_import_says() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        let right = lines(&mut random, seed);
        let mut spoilt = right.clone();
        if !random.one_in(4) {
            spoil(&mut random, &mut spoilt);
        }
        let part = file(&right[..random.below(right.len())]);
        let [strict, lenient] = [(); 2].map(|()| Shelf::memory());
        strict.import(&part);
        lenient.import(&part);
        let before = strict.export();
        let said = strict.import_strictly(file(&spoilt));
        let other = lenient.import(file(&spoilt));
        assert_eq!(said.codes(), other.codes(), "seed {seed}");
        if said.done.refused {
            assert!(strict.export() == before, "seed {seed}");
        } else {
            assert_eq!(said.done, other.done, "seed {seed}");
            assert!(strict.export() == lenient.export(), "seed {seed}");
        }
    }
}

#[test]
fn an_import_that_breaks_off_anywhere_is_completed_by_the_next() {
    let from = Shelf::memory();
    fill(&from, 3, 200);
    let exported = from.export();
    for room in 0..60 {
        let store = WatchedStore::with_room(room);
        let importing = Importing { file: "f".into(), strict: false, now: noon() };
        let import =
            || import(&store, &mut Cursor::new(exported.as_bytes()), &importing, &mut |_, _| {});
        let broken = import().err();
        let is_full = broken.is_some();
        if let Some(store::BrokenOff { done, why }) = broken {
            assert!(why.to_string().starts_with("the disk is full"), "{why}");
            let streams = store.inner.streams(None, usize::MAX).unwrap();
            let events = streams.iter().map(|info| info.next - info.first).sum();
            let blobs = store.inner.blobs(None, usize::MAX).unwrap().len() as u64;
            let there = (events, streams.len() as u64, blobs);
            assert_eq!((done.added, done.runs, done.blobs), there, "after {room}");
        }
        let verified = store::verify(&store.inner, &mut |_| {}).unwrap();
        assert_eq!(verified.damage, [], "after {room}");
        store.make_room();
        import().unwrap();
        let mut out = Vec::new();
        store::export(&store.inner, None, &mut out).unwrap();
        assert!(out == exported.as_bytes(), "after {room}");
        if !is_full {
            return;
        }
    }
    panic!("it never came to its end");
}
