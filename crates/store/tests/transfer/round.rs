//! Any backend's export, imported into any other and exported again, is the same bytes.

use history::{Operation, Stream};
use sim::Random;
use store::Expected;

use crate::shelf::Shelf;

/// Fills a store with a generated history, with names that were moved, and with bytes.
pub(crate) fn fill(shelf: &Shelf, seed: u64, size: usize) {
    let mut random = Random::new(seed);
    let mut runs: Vec<Stream> = Vec::new();
    for piece in sim::history::histories(seed, size) {
        let next = shelf.0.stream(&piece.stream).unwrap().map(|info| info.next);
        let expected = match (next, piece.fork_of) {
            (Some(next), _) => Expected::Next(next),
            (None, Some(place)) => Expected::Fork(place),
            (None, None) => Expected::New,
        };
        shelf.append_with(&piece.stream, expected, &piece.events, &piece.blobs);
        runs.push(piece.stream);
        if random.one_in(5) {
            let name = format!("name-{}", random.below(4));
            shelf.name(&name, random.pick(&runs), Some("a test"));
        }
    }
    if let Some((id, last)) = shelf.0.names().unwrap().pop() {
        let reason = Some("no longer".into());
        let removed = Operation { previous: Some(id), target: None, reason, ..last };
        shelf.0.move_name(&removed).unwrap();
    }
    let odd = [history::kinds::Blob::new([0xff, 0]), history::kinds::Blob::new("")];
    shelf.0.put_blobs(&odd, store::Durability::Os).unwrap();
}

#[test]
fn exports_are_the_same_wherever_they_have_been() {
    let slow = std::env::var_os("QUIPU_SLOW").is_some();
    let (seeds, size) = if slow { (10, 3000) } else { (3, 300) };
    for seed in 0..seeds {
        for from in Shelf::all() {
            fill(&from, seed, size);
            let exported = from.export();
            for into in Shelf::all() {
                let said = into.import(&exported);
                assert_eq!(said.findings, [""; 0], "seed {seed}");
                assert!(into.export() == exported, "seed {seed}");
                assert_eq!(into.verify(), [""; 0], "seed {seed}");
                let again = into.import(&exported).done;
                assert_eq!((again.added, again.blobs, again.names), (0, 0, 0), "seed {seed}");
                assert_eq!(again.repeated, said.done.added, "seed {seed}");
                assert!(into.export() == exported, "seed {seed}");
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_completed_by_the_whole_one() {
    let from = Shelf::memory();
    fill(&from, 1, 60);
    let exported = from.export();
    let mut random = Random::new(1);
    for _ in 0..12 {
        let cut = random.below(exported.len());
        for into in Shelf::all() {
            into.import(&exported.as_bytes()[..cut]);
            let damage = into.verify();
            assert!(damage.iter().all(|what| what.ends_with("which is not there")), "{damage:?}");
            let said = into.import(&exported);
            assert_eq!(said.findings, [""; 0], "cut at {cut}");
            assert!(into.export() == exported, "cut at {cut}");
        }
    }
}

#[test]
fn an_export_in_any_order_of_runs_is_the_same_history() {
    let from = Shelf::memory();
    fill(&from, 2, 120);
    let exported = from.export();
    let stream =
        |line: &str| line.rsplit_once(",\"stream\":").map(|(_, stream)| stream.to_string());
    let (events, rest): (Vec<&str>, Vec<&str>) =
        exported.lines().partition(|line| line.starts_with("{\"event\":"));
    let mut streams: Vec<&[&str]> = events.chunk_by(|a, b| stream(a) == stream(b)).collect();
    assert!(streams.len() > 5);
    streams.reverse();
    let lines: Vec<&str> = streams.concat().into_iter().chain(rest).collect();
    for into in Shelf::all() {
        assert_eq!(into.import(crate::shelf::file(&lines)).findings, [""; 0]);
        assert!(into.export() == exported);
    }
}
