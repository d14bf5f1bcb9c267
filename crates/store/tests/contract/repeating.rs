//! Requests that are made again, because nobody knows whether the first one was heard.

use history::kinds::Blob;
use store::{Append, AppendError, Expected, Receipt, Store};
use value::Digest;

use crate::sample::{add, begin, event, events, fork_events, own, place, plain, run};

contract! {
    the_same_events_under_the_same_key_are_added_once,
    a_key_for_other_events_is_refused,
    a_key_belongs_to_its_stream,
    a_refused_request_does_not_use_up_its_key,
    events_that_stand_at_their_place_are_not_added_again,
    events_of_which_only_some_stand_there_are_a_conflict,
    the_same_event_may_stand_in_many_places,
    what_comes_with_a_repeated_request_is_kept,
    what_was_written_here_is_known_from_what_was_brought,
}

fn the_same_events_under_the_same_key_are_added_once(store: &dyn Store) {
    let (stream, added, key) = (run("a"), events(0..2), Some(Digest::of(b"key")));
    let first = store.append(&Append { key, ..plain(&stream, Expected::New, &added) }).unwrap();
    assert!(!first.repeated);
    add(store, "a", Expected::Next(2), &events(2..3)).unwrap();
    let nowhere = Expected::Fork(place("nowhere", 3));
    for expected in
        [Expected::New, Expected::Next(0), Expected::Next(3), Expected::Next(9), nowhere]
    {
        let again = store.append(&Append { key, ..plain(&stream, expected, &added) }).unwrap();
        assert_eq!(again, Receipt { repeated: true, ..first.clone() });
    }
    assert_eq!(own(store, "a"), events(0..3));
}

fn a_key_for_other_events_is_refused(store: &dyn Store) {
    let (stream, key) = (run("a"), Some(Digest::of(b"key")));
    let added = events(0..2);
    store.append(&Append { key, ..plain(&stream, Expected::New, &added) }).unwrap();
    for other in [events(0..1), events(0..3), events([1, 0]), events(2..4)] {
        let refused = store.append(&Append { key, ..plain(&stream, Expected::Next(2), &other) });
        assert!(matches!(refused, Err(AppendError::KeyReused(stream)) if stream == run("a")));
    }
    assert_eq!(own(store, "a"), added);
}

fn a_key_belongs_to_its_stream(store: &dyn Store) {
    let key = Some(Digest::of(b"key"));
    for (id, added) in [("a", events(0..1)), ("b", events(1..2))] {
        let receipt = store.append(&Append { key, ..plain(&run(id), Expected::New, &added) });
        assert!(!receipt.unwrap().repeated);
        assert_eq!(own(store, id), added);
    }
}

fn a_refused_request_does_not_use_up_its_key(store: &dyn Store) {
    begin(store, "a", 0, 1);
    let (stream, key, added) = (run("a"), Some(Digest::of(b"key")), events(1..2));
    let late = store.append(&Append { key, ..plain(&stream, Expected::Next(0), &added) });
    assert!(matches!(late, Err(AppendError::Conflict { .. })));
    let right = store.append(&Append { key, ..plain(&stream, Expected::Next(1), &added) });
    assert!(!right.unwrap().repeated);
}

fn events_that_stand_at_their_place_are_not_added_again(store: &dyn Store) {
    let first = begin(store, "a", 0, 3);
    let again = add(store, "a", Expected::New, &events(0..3)).unwrap();
    assert_eq!(again, Receipt { repeated: true, ..first });
    let second = add(store, "a", Expected::Next(3), &events(3..5)).unwrap();
    add(store, "a", Expected::Next(5), &events(5..6)).unwrap();
    let again = add(store, "a", Expected::Next(3), &events(3..5)).unwrap();
    assert_eq!(again, Receipt { repeated: true, ..second });
    // So far one request, or two, or a part of one: what counts is what stands there.
    for (expected, numbers) in [(Expected::New, 0..5), (Expected::Next(1), 1..2)] {
        assert!(add(store, "a", expected, &events(numbers)).unwrap().repeated);
    }
    assert_eq!(own(store, "a"), events(0..6));
}

fn events_of_which_only_some_stand_there_are_a_conflict(store: &dyn Store) {
    begin(store, "a", 0, 3);
    for (expected, added) in
        [(1, events(1..4)), (1, events([1, 9])), (0, events(1..2)), (3 + 1, events(3..4))]
    {
        let refused = add(store, "a", Expected::Next(expected), &added);
        assert!(matches!(refused, Err(AppendError::Conflict { actual: 3, .. })), "{refused:?}");
    }
    let refused = add(store, "a", Expected::New, &events(0..4));
    assert!(matches!(refused, Err(AppendError::Exists(_))));
}

fn the_same_event_may_stand_in_many_places(store: &dyn Store) {
    let one = event(1);
    let added = vec![one.clone(), one.clone()];
    add(store, "a", Expected::New, &added).unwrap();
    assert!(!add(store, "a", Expected::Next(2), &added).unwrap().repeated);
    assert!(!add(store, "b", Expected::New, &added).unwrap().repeated);
    assert_eq!(own(store, "a"), vec![one; 4]);
}

fn what_comes_with_a_repeated_request_is_kept(store: &dyn Store) {
    let blob = Blob::new("late");
    let (stream, added) = (run("a"), vec![crate::sample::event_with(&blob)]);
    let append = plain(&stream, Expected::New, &added);
    store.append(&Append { unverified: true, ..append.clone() }).unwrap();
    assert_eq!(store.blob(blob.id()).unwrap(), None);
    let again = store.append(&Append { blobs: std::slice::from_ref(&blob), ..append }).unwrap();
    assert!(again.repeated);
    assert_eq!(store.blob(blob.id()).unwrap(), Some(b"late".to_vec()));
}

/// A history cannot say of itself where it was written: the store knows how its events came.
fn what_was_written_here_is_known_from_what_was_brought(store: &dyn Store) {
    let brought = |id: &str, expected, numbers: std::ops::Range<u64>| {
        let (stream, added) = (run(id), events(numbers));
        let append = plain(&stream, expected, &added);
        store.append(&Append { unverified: true, ..append }).unwrap()
    };
    let here = |id: &str, from, until| store.written_here(&run(id), from, until).unwrap();
    assert!(!here("own", 0, u64::MAX));
    begin(store, "own", 0, 3);
    assert!(here("own", 0, u64::MAX));
    // What is there already is not brought.
    assert!(brought("own", Expected::New, 0..3).repeated);
    assert!(here("own", 0, u64::MAX));
    brought("own", Expected::Next(3), 3..5);
    add(store, "own", Expected::Next(5), &events(5..6)).unwrap();
    let parts = [(0, 3), (2, 3), (0, 4), (3, 5), (4, 6), (5, 6), (5, u64::MAX), (0, u64::MAX)];
    let expected = [true, true, false, false, false, true, true, false];
    assert_eq!(parts.map(|(from, until)| here("own", from, until)), expected);

    brought("other", Expected::New, 0..2);
    add(store, "other", Expected::Next(2), &events(2..4)).unwrap();
    assert!(!here("other", 0, u64::MAX) && !here("other", 1, 3) && here("other", 2, u64::MAX));
    // A fork's own events are its own.
    let fork = fork_events(store, &place("other", 1), 0..2);
    add(store, "fork", Expected::Fork(place("other", 1)), &fork).unwrap();
    assert!(here("fork", 0, u64::MAX));
}
