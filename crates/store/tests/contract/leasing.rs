//! Who drives a stream.

use history::Timestamp;
use store::{Held, Holder, Lease, Store};

use crate::sample::run;

contract! {
    a_lease_is_had_by_one_until_it_is_released,
    a_lease_that_ended_goes_to_whoever_asks,
    a_lease_that_is_renewed_does_not_end,
    what_was_lost_or_released_is_not_renewed,
    an_old_lease_releases_nothing,
    one_of_many_threads_gets_it,
    the_same_holder_gets_no_second_one,
    a_lease_whose_holder_is_a_dead_process_is_taken_at_once,
}

/// So many milliseconds after the beginning.
fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + milliseconds * 1_000)
}

fn holder(name: &str) -> Holder {
    Holder::named(name)
}

fn acquire(store: &dyn Store, name: &str, now: i64, ttl_ms: u64) -> Result<Lease, Held> {
    store.acquire(&run("a"), &holder(name), at(now), ttl_ms).unwrap()
}

fn a_lease_is_had_by_one_until_it_is_released(store: &dyn Store) {
    let lease = acquire(store, "x", 0, 100).unwrap();
    assert_eq!(lease, Lease { epoch: 1 });
    let held = Held { holder: holder("x"), until: at(100) };
    assert_eq!(acquire(store, "y", 99, 100), Err(held));
    // Each stream has its own.
    assert_eq!(store.acquire(&run("b"), &holder("y"), at(0), 9).unwrap(), Ok(Lease { epoch: 1 }));
    store.release(&run("a"), &lease).unwrap();
    assert_eq!(acquire(store, "y", 1, 100), Ok(Lease { epoch: 2 }));
}

fn a_lease_that_ended_goes_to_whoever_asks(store: &dyn Store) {
    acquire(store, "x", 0, 100).unwrap();
    assert_eq!(acquire(store, "y", 100, 100), Ok(Lease { epoch: 2 }));
    assert_eq!(acquire(store, "x", 200, u64::MAX), Ok(Lease { epoch: 3 }));
    let forever = Held { holder: holder("x"), until: Timestamp::from_micros(i64::MAX) };
    assert_eq!(acquire(store, "y", 1 << 40, 100), Err(forever));
}

fn a_lease_that_is_renewed_does_not_end(store: &dyn Store) {
    let lease = acquire(store, "x", 0, 100).unwrap();
    assert!(store.renew(&run("a"), &lease, at(90), 100).unwrap());
    let held = Held { holder: holder("x"), until: at(190) };
    assert_eq!(acquire(store, "y", 189, 100), Err(held));
    // It had ended, but nobody has taken it.
    assert!(store.renew(&run("a"), &lease, at(500), 100).unwrap());
    acquire(store, "y", 599, 100).unwrap_err();
}

fn what_was_lost_or_released_is_not_renewed(store: &dyn Store) {
    assert!(!store.renew(&run("a"), &Lease { epoch: 1 }, at(0), 100).unwrap());
    let lost = acquire(store, "x", 0, 100).unwrap();
    let lease = acquire(store, "y", 100, 100).unwrap();
    assert!(!store.renew(&run("a"), &lost, at(101), 100).unwrap());
    assert!(!store.renew(&run("a"), &Lease { epoch: u64::MAX }, at(101), 100).unwrap());
    store.release(&run("a"), &lease).unwrap();
    assert!(!store.renew(&run("a"), &lease, at(101), 100).unwrap());
    assert_eq!(acquire(store, "z", 102, 100), Ok(Lease { epoch: 3 }));
}

fn an_old_lease_releases_nothing(store: &dyn Store) {
    store.release(&run("a"), &Lease { epoch: 1 }).unwrap();
    let lost = acquire(store, "x", 0, 100).unwrap();
    let lease = acquire(store, "y", 100, 100).unwrap();
    store.release(&run("a"), &lost).unwrap();
    assert_eq!(acquire(store, "x", 101, 9), Err(Held { holder: holder("y"), until: at(200) }));
    for _ in 0..2 {
        store.release(&run("a"), &lease).unwrap();
    }
    assert_eq!(acquire(store, "x", 102, 9), Ok(Lease { epoch: 3 }));
}

fn one_of_many_threads_gets_it(store: &dyn Store) {
    const THREADS: usize = 8;
    for round in 1..=20 {
        let leases: Vec<Lease> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| scope.spawn(move || acquire(store, &format!("{thread}"), 0, 9).ok()))
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(leases, [Lease { epoch: round }]);
        store.release(&run("a"), &leases[0]).unwrap();
    }
}

fn the_same_holder_gets_no_second_one(store: &dyn Store) {
    let own = Holder::this_process();
    assert_eq!(own, Holder::this_process());
    store.acquire(&run("a"), &own, at(0), 100).unwrap().unwrap();
    let held = Held { holder: own.clone(), until: at(100) };
    assert_eq!(store.acquire(&run("a"), &own, at(1), 100).unwrap(), Err(held));
}

fn a_lease_whose_holder_is_a_dead_process_is_taken_at_once(store: &dyn Store) {
    // As the process before that had this one's number, but began at another time.
    let dead = holder(&format!("{}0", Holder::this_process()));
    store.acquire(&run("a"), &dead, at(0), u64::MAX).unwrap().unwrap();
    let taken = acquire(store, "y", 1, 100);
    if cfg!(target_os = "linux") {
        assert_eq!(taken, Ok(Lease { epoch: 2 }));
    } else {
        assert_eq!(taken.unwrap_err().holder, dead);
    }
}
