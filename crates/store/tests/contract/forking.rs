//! Streams that go on from another one's event.

use history::{Lineage, Place, Stream, StreamInfo, Visit};
use store::{AppendError, Expected, Receipt, Store};

use crate::sample::{add, begin, events, fork, fork_events, links, own, place, plain, run};

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
    a_fork_begins_with_where_it_comes_from,
    only_runs_fork,
    a_fork_in_what_is_its_parents_part_forks_the_parent,
    a_fork_that_exists_is_refused_unless_it_is_the_same,
    a_forks_own_numbers_begin_behind_its_parents,
}

fn a_fork_is_numbered_and_chained_on_from_its_origin(store: &dyn Store) {
    begin(store, "a", 0, 5);
    let added = fork_events(store, &place("a", 2), 10..12);
    let receipt = add(store, "b", Expected::Fork(place("a", 2)), &added).unwrap();
    let origin = store.read(&run("a"), 2, 1).unwrap().remove(0);
    let link = links(&run("b"), 3, Some(origin.link), &added)[1];
    assert_eq!(receipt, Receipt { first: 3, link, repeated: false });
    let info =
        StreamInfo { stream: run("b"), parent: Some(place("a", 2)), first: 3, next: 5, link };
    assert_eq!(store.stream(&run("b")).unwrap(), Some(info));
    add(store, "b", Expected::Next(5), &events(12..13)).unwrap();
    let added = [added, events(12..13)].concat();
    assert_eq!(own(store, "b"), added);
    assert_eq!(own(store, "a"), events(0..5));
    assert_eq!(all(store, "b"), [events(0..3), added].concat());
}

fn a_fork_of_nothing_is_refused(store: &dyn Store) {
    begin(store, "a", 0, 2);
    for origin in [place("b", 0), place("a", 2), place("a", u64::MAX), place("c", 0)] {
        let refused = add(store, "c", Expected::Fork(origin.clone()), &events(5..6));
        assert!(matches!(refused, Err(AppendError::NoOrigin(place)) if place == origin));
    }
    assert_eq!(store.stream(&run("c")).unwrap(), None);
}

fn a_fork_begins_with_where_it_comes_from(store: &dyn Store) {
    begin(store, "a", 0, 5);
    fork(store, "b", place("a", 3), 10..12);
    let other = fork_events(store, &place("a", 2), 20..21);
    let behind = [events(20..21), fork_events(store, &place("a", 3), 20..21)].concat();
    for added in [events(20..21), other, behind] {
        let refused = add(store, "c", Expected::Fork(place("a", 3)), &added);
        assert!(
            matches!(&refused, Err(AppendError::NotFrom { origin, .. }) if *origin == place("a", 3)),
            "{refused:?}"
        );
    }
    // A fork that shares the event may name it too.
    let by_way_of_b = fork_events(store, &place("b", 3), 20..21);
    add(store, "c", Expected::Fork(place("a", 3)), &by_way_of_b).unwrap();
}

fn only_runs_fork(store: &dyn Store) {
    begin(store, "a", 0, 2);
    let agent = Stream::Agent("a".into());
    store.append(&plain(&agent, Expected::New, &events(0..1))).unwrap();
    let added = fork_events(store, &place("a", 0), 5..6);
    let from = Place::new(agent.clone(), 0);
    for (stream, at) in [(run("b"), from), (Stream::Agent("b".into()), place("a", 0))] {
        let refused = store.append(&plain(&stream, Expected::Fork(at), &added));
        assert!(matches!(refused, Err(AppendError::NotARun(Stream::Agent(_)))), "{refused:?}");
    }
}

fn a_fork_in_what_is_its_parents_part_forks_the_parent(store: &dyn Store) {
    begin(store, "a", 0, 5);
    let b = fork(store, "b", place("a", 3), 10..12);
    let c = fork(store, "c", place("b", 4), 20..21);
    for (id, origin, parent) in [
        ("d", place("b", 1), place("a", 1)),
        ("e", place("c", 3), place("a", 3)),
        ("f", place("c", 4), place("b", 4)),
    ] {
        let own = fork(store, id, origin.clone(), 30..31);
        let info = store.stream(&run(id)).unwrap().unwrap();
        assert_eq!((info.first, info.parent), (parent.seq + 1, Some(parent.clone())));
        // The same place by another name is the same request.
        assert!(add(store, id, Expected::Fork(parent.clone()), &own).unwrap().repeated);
        assert_eq!(all(store, id)[parent.seq as usize + 1..], own);
    }
    assert_eq!(all(store, "c"), [events(0..4), b[..1].into(), c].concat());
    assert_eq!(all(store, "d")[..2], events(0..2));
    assert_eq!(all(store, "e")[..4], events(0..4));
}

fn a_fork_that_exists_is_refused_unless_it_is_the_same(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let added = fork_events(store, &place("a", 1), 10..12);
    let first = add(store, "b", Expected::Fork(place("a", 1)), &added).unwrap();
    add(store, "b", Expected::Next(4), &events(12..13)).unwrap();
    let again = add(store, "b", Expected::Fork(place("a", 1)), &added).unwrap();
    assert_eq!(again, Receipt { repeated: true, ..first });
    for (expected, added) in [
        (Expected::Fork(place("a", 0)), fork_events(store, &place("a", 0), 10..12)),
        (Expected::Fork(place("a", 1)), fork_events(store, &place("a", 1), 11..12)),
        (Expected::Fork(place("nowhere", 1)), added.clone()),
        (Expected::New, added),
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
    fork(store, "b", place("a", 3), 10..12);
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
