//! Events of all streams in the order in which they come.

use std::time::{Duration, Instant};

use store::{Arrival, Expected, Store};

use crate::sample::{add, begin, events, run};

const LONG: Duration = Duration::from_secs(60);

contract! {
    everything_arrives_once_and_in_order,
    what_is_repeated_or_refused_does_not_arrive,
    patience_ends,
    who_waits_is_woken,
}

fn everything_arrives_once_and_in_order(store: &dyn Store) {
    begin(store, "a", 0, 2);
    begin(store, "b", 10, 1);
    add(store, "a", Expected::Next(2), &events(2..3)).unwrap();
    let mut arrivals: Vec<Arrival> = Vec::new();
    loop {
        let after = arrivals.last().map_or(0, |arrival| arrival.position);
        let page = store.watch(after, 2, Duration::ZERO).unwrap();
        if page.is_empty() {
            break;
        }
        arrivals.extend(page);
    }
    let entry = |id: &str, seq| store.read(&run(id), seq, 1).unwrap().remove(0);
    let expected = [("a", 0), ("a", 1), ("b", 0), ("a", 2)];
    let expected = (1..).zip(expected).map(|(position, (id, seq))| Arrival {
        position,
        stream: run(id),
        entry: entry(id, seq),
    });
    assert_eq!(arrivals, expected.collect::<Vec<_>>());
    assert_eq!(store.watch(0, 0, LONG).unwrap(), []);
}

fn what_is_repeated_or_refused_does_not_arrive(store: &dyn Store) {
    begin(store, "a", 0, 2);
    assert!(add(store, "a", Expected::New, &events(0..2)).unwrap().repeated);
    add(store, "a", Expected::Next(7), &events(0..2)).unwrap_err();
    assert_eq!(store.watch(2, 9, Duration::ZERO).unwrap(), []);
    begin(store, "b", 0, 1);
    assert_eq!(store.watch(2, 9, Duration::ZERO).unwrap()[0].position, 3);
}

fn patience_ends(store: &dyn Store) {
    let begun = Instant::now();
    assert_eq!(store.watch(0, 9, Duration::from_millis(20)).unwrap(), []);
    assert!(begun.elapsed() >= Duration::from_millis(20));
    assert_eq!(store.watch(u64::MAX, 9, Duration::ZERO).unwrap(), []);
}

fn who_waits_is_woken(store: &dyn Store) {
    const COUNT: u64 = 100;
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = Vec::new();
            while (seen.len() as u64) < COUNT {
                let begun = Instant::now();
                let page = store.watch(seen.len() as u64, 7, LONG).unwrap();
                assert!(!page.is_empty() && begun.elapsed() < LONG);
                seen.extend(page);
            }
            seen
        });
        for number in 0..COUNT {
            add(store, "a", Expected::Next(number), &events(number..number + 1)).unwrap();
        }
        let seen = watcher.join().unwrap();
        let positions: Vec<u64> = seen.iter().map(|arrival| arrival.position).collect();
        assert_eq!(positions, (1..=COUNT).collect::<Vec<_>>());
        let numbers: Vec<u64> = seen.iter().map(|arrival| arrival.entry.seq).collect();
        assert_eq!(numbers, (0..COUNT).collect::<Vec<_>>());
    });
}
