//! Streams that go on from another one's event.

use history::{Lineage, StreamInfo, Visit};
use store::{AppendError, Expected, Receipt, Store};

use crate::sample::{add, begin, events, links, own, place, run};

/// All events of a run with its parents', by their numbers.
fn all(store: &dyn Store, id: &str) -> Vec<history::Event> {
    let lineage = Lineage::of(store, &run(id), None).unwrap().unwrap();
    let mut all = Vec::new();
    lineage
        .visit(store, None, 0, |_, entry| {
            assert_eq!(entry.seq, all.len() as u64);
            all.push(entry.event);
            Visit::More
        })
        .unwrap();
    all
}

contract! {
    a_fork_is_numbered_and_chained_on_from_its_origin,
    a_fork_of_nothing_is_refused,
    a_fork_in_what_is_its_parents_part_forks_the_parent,
    a_fork_that_exists_is_refused_unless_it_is_the_same,
    a_forks_own_numbers_begin_behind_its_parents,
}

fn a_fork_is_numbered_and_chained_on_from_its_origin(store: &dyn Store) {
    begin(store, "a", 0, 5);
    let added = events(10..12);
    let receipt = add(store, "b", Expected::Fork(place("a", 2)), &added).unwrap();
    let origin = store.read(&run("a"), 2, 1).unwrap().remove(0);
    let link = links(&run("b"), 3, Some(origin.link), &added)[1];
    assert_eq!(receipt, Receipt { first: 3, link, repeated: false });
    let info =
        StreamInfo { stream: run("b"), parent: Some(place("a", 2)), first: 3, next: 5, link };
    assert_eq!(store.stream(&run("b")).unwrap(), Some(info));
    add(store, "b", Expected::Next(5), &events(12..13)).unwrap();
    assert_eq!(own(store, "b"), events(10..13));
    assert_eq!(own(store, "a"), events(0..5));
    assert_eq!(all(store, "b"), events([0, 1, 2, 10, 11, 12]));
}

fn a_fork_of_nothing_is_refused(store: &dyn Store) {
    begin(store, "a", 0, 2);
    for origin in [place("b", 0), place("a", 2), place("a", u64::MAX), place("c", 0)] {
        let refused = add(store, "c", Expected::Fork(origin.clone()), &events(5..6));
        assert!(matches!(refused, Err(AppendError::NoOrigin(place)) if place == origin));
    }
    assert_eq!(store.stream(&run("c")).unwrap(), None);
}

fn a_fork_in_what_is_its_parents_part_forks_the_parent(store: &dyn Store) {
    begin(store, "a", 0, 5);
    add(store, "b", Expected::Fork(place("a", 3)), &events(10..12)).unwrap();
    add(store, "c", Expected::Fork(place("b", 4)), &events(20..21)).unwrap();
    for (id, origin, parent) in [
        ("d", place("b", 1), place("a", 1)),
        ("e", place("c", 3), place("a", 3)),
        ("f", place("c", 4), place("b", 4)),
    ] {
        add(store, id, Expected::Fork(origin.clone()), &events(30..31)).unwrap();
        let info = store.stream(&run(id)).unwrap().unwrap();
        assert_eq!((info.first, info.parent), (parent.seq + 1, Some(parent)));
        // The same place by another name is the same request.
        assert!(add(store, id, Expected::Fork(origin), &events(30..31)).unwrap().repeated);
    }
    assert_eq!(all(store, "c"), events([0, 1, 2, 3, 10, 20]));
    assert_eq!(all(store, "d"), events([0, 1, 30]));
    assert_eq!(all(store, "e"), events([0, 1, 2, 3, 30]));
}

fn a_fork_that_exists_is_refused_unless_it_is_the_same(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let first = add(store, "b", Expected::Fork(place("a", 1)), &events(10..12)).unwrap();
    add(store, "b", Expected::Next(4), &events(12..13)).unwrap();
    let again = add(store, "b", Expected::Fork(place("a", 1)), &events(10..12)).unwrap();
    assert_eq!(again, Receipt { repeated: true, ..first });
    for (expected, added) in [
        (Expected::Fork(place("a", 0)), events(10..12)),
        (Expected::Fork(place("a", 1)), events(11..12)),
        (Expected::Fork(place("nowhere", 1)), events(10..12)),
        (Expected::New, events(10..12)),
    ] {
        let refused = add(store, "b", expected, &added);
        assert!(matches!(refused, Err(AppendError::Exists(stream)) if stream == run("b")));
    }
    // A stream that began by itself is no fork of anything.
    let refused = add(store, "a", Expected::Fork(place("nowhere", 0)), &events(0..3));
    assert!(matches!(refused, Err(AppendError::Exists(_))));
}

fn a_forks_own_numbers_begin_behind_its_parents(store: &dyn Store) {
    begin(store, "a", 0, 5);
    add(store, "b", Expected::Fork(place("a", 3)), &events(10..12)).unwrap();
    let numbers = |from| -> Vec<u64> {
        let entries = store.read(&run("b"), from, 10).unwrap();
        entries.into_iter().map(|entry| entry.seq).collect()
    };
    assert_eq!(numbers(0), [4, 5]);
    assert_eq!(numbers(3), [4, 5]);
    assert_eq!(numbers(5), [5]);
    assert_eq!(numbers(6), [0; 0]);
    // What stands there is the parent's, so that this is no repetition.
    let refused = add(store, "b", Expected::Next(2), &events(2..3));
    assert!(matches!(refused, Err(AppendError::Conflict { expected: 2, actual: 6, .. })));
}
