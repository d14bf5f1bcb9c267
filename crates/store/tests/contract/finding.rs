//! Events by the beginning of their ids.

use history::{EventId, Place};
use store::{Expected, Store};

use crate::sample::{add, begin, event, events, place, run};

contract! {
    an_event_is_found_by_its_id_and_any_part_that_begins_it,
    what_begins_no_id_finds_nothing,
    places_are_found_in_the_order_of_arrival,
    old_and_young_events_are_found_alike,
}

fn an_event_is_found_by_its_id_and_any_part_that_begins_it(store: &dyn Store) {
    begin(store, "a", 0, 100);
    let id = event(42).id();
    let digits = id.to_string();
    for length in [8, 9, 16, 17, 33, 63, 64] {
        let found = store.find(&digits[..length], 10).unwrap();
        assert_eq!(found, [(place("a", 42), id)], "{length}");
    }
}

fn what_begins_no_id_finds_nothing(store: &dyn Store) {
    begin(store, "a", 0, 10);
    let digits = event(3).id().to_string();
    for prefix in [
        digits.to_uppercase(),
        digits.clone() + "0",
        "xyzw".into(),
        format!("sha256:{digits}"),
        "é".repeat(4),
    ] {
        assert_eq!(store.find(&prefix, 10).unwrap(), [], "{prefix}");
    }
    assert_eq!(store.find(&digits, 0).unwrap(), []);
}

fn places_are_found_in_the_order_of_arrival(store: &dyn Store) {
    let one = event(1);
    for id in ["c", "a", "b"] {
        add(store, id, Expected::New, &[event(0), one.clone()]).unwrap();
    }
    add(store, "a", Expected::Next(2), std::slice::from_ref(&one)).unwrap();
    let found = |limit| -> Vec<Place> {
        let found = store.find(&one.id().to_string(), limit).unwrap();
        found.into_iter().map(|(place, _)| place).collect()
    };
    assert_eq!(found(9), [place("c", 1), place("a", 1), place("b", 1), place("a", 2)]);
    assert_eq!(found(2), [place("c", 1), place("a", 1)]);
}

fn old_and_young_events_are_found_alike(store: &dyn Store) {
    // More than two batches of the index that files have, in appends that do not fit it.
    const COUNT: u64 = 2 * 4096 + 100;
    let all = events(0..COUNT);
    for (at, part) in all.chunks(3000).enumerate() {
        add(store, "a", Expected::Next(3000 * at as u64), part).unwrap();
    }
    let places: Vec<(Place, EventId)> =
        (0..).zip(&all).map(|(seq, event)| (place("a", seq), event.id())).collect();
    let fitting = |prefix: &str, limit| -> Vec<(Place, EventId)> {
        let fits = |found: &&(Place, EventId)| found.1.to_string().starts_with(prefix);
        places.iter().filter(fits).take(limit).cloned().collect()
    };
    for number in [0, 1, 4094, 4095, 4096, 4097, 8191, 8192, COUNT - 1] {
        let digits = all[number as usize].id().to_string();
        for (length, limit) in [(0, 5), (1, 700), (2, 9), (3, 50), (4, 50), (5, 1), (64, 9)] {
            let prefix = &digits[..length];
            assert_eq!(store.find(prefix, limit).unwrap(), fitting(prefix, limit), "{prefix}");
        }
    }
    for prefix in ["0000", "00", "7fff", "8000", "ffff", "ff"] {
        assert_eq!(store.find(prefix, 99).unwrap(), fitting(prefix, 99), "{prefix}");
    }
    assert_eq!(store.stream(&run("a")).unwrap().unwrap().next, COUNT);
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
}
