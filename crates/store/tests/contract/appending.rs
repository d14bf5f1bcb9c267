//! New streams and old ones, and who comes too late.

use std::sync::Barrier;

use history::{Entry, Event, Stream, StreamInfo};
use store::{AppendError, Durability, Expected, Receipt, Store};

use crate::sample::{add, begin, events, links, own, plain, run};

contract! {
    a_new_stream_begins_at_0_and_chains_its_events,
    a_stream_goes_on_at_its_next_number,
    next_at_0_begins_a_stream,
    another_number_is_a_conflict_that_tells_the_right_one,
    a_new_stream_that_exists_is_refused,
    an_append_without_events_is_refused,
    streams_of_all_kinds_with_all_sorts_of_names_are_apart,
    every_durability_keeps_events,
    of_two_who_write_at_the_same_number_one_is_told,
    many_who_write_to_streams_of_their_own_all_succeed,
    an_event_of_another_stream_is_refused,
}

fn a_new_stream_begins_at_0_and_chains_its_events(store: &dyn Store) {
    let (stream, added) = (run("a"), events(0..3));
    let chained = links(&stream, 0, None, &added);
    let receipt = add(store, "a", Expected::New, &added).unwrap();
    assert_eq!(receipt, Receipt { first: 0, link: chained[2], repeated: false });
    let entries = (0..).zip(&chained).zip(added);
    let entries: Vec<Entry> =
        entries.map(|((seq, link), event)| Entry { seq, link: *link, event }).collect();
    assert_eq!(store.read(&stream, 0, 10).unwrap(), entries);
    let info =
        StreamInfo { stream: stream.clone(), parent: None, first: 0, next: 3, link: chained[2] };
    assert_eq!(store.stream(&stream).unwrap(), Some(info));
}

fn a_stream_goes_on_at_its_next_number(store: &dyn Store) {
    let before = begin(store, "a", 0, 2);
    let added = events(2..5);
    let receipt = add(store, "a", Expected::Next(2), &added).unwrap();
    let link = links(&run("a"), 2, Some(before.link), &added)[2];
    assert_eq!(receipt, Receipt { first: 2, link, repeated: false });
    assert_eq!(own(store, "a"), events(0..5));
    assert_eq!(store.stream(&run("a")).unwrap().unwrap().next, 5);
}

fn next_at_0_begins_a_stream(store: &dyn Store) {
    let receipt = add(store, "a", Expected::Next(0), &events(0..1)).unwrap();
    assert_eq!((receipt.first, receipt.repeated), (0, false));
    assert_eq!(own(store, "a"), events(0..1));
}

fn another_number_is_a_conflict_that_tells_the_right_one(store: &dyn Store) {
    let conflict =
        |id: &str, expected| match add(store, id, Expected::Next(expected), &events(9..10)) {
            Err(AppendError::Conflict { stream, expected, actual }) => (stream, expected, actual),
            other => panic!("{other:?}"),
        };
    assert_eq!(conflict("a", 1), (run("a"), 1, 0));
    begin(store, "a", 0, 2);
    for expected in [0, 1, 3, u64::MAX] {
        assert_eq!(conflict("a", expected), (run("a"), expected, 2));
    }
    assert_eq!(own(store, "a"), events(0..2));
}

fn a_new_stream_that_exists_is_refused(store: &dyn Store) {
    begin(store, "a", 0, 2);
    let refused = add(store, "a", Expected::New, &events(7..8));
    assert!(matches!(refused, Err(AppendError::Exists(stream)) if stream == run("a")));
    assert_eq!(own(store, "a"), events(0..2));
}

fn an_append_without_events_is_refused(store: &dyn Store) {
    for expected in [Expected::New, Expected::Next(0)] {
        assert!(matches!(add(store, "a", expected, &[]), Err(AppendError::Empty)));
    }
    assert_eq!(store.stream(&run("a")).unwrap(), None);
}

fn streams_of_all_kinds_with_all_sorts_of_names_are_apart(store: &dyn Store) {
    let ids = ["", "a", "store", "run:a", "agent:a", "a@1", "a b\n\u{0}c", "é💜", "'; --"];
    let mut streams: Vec<Stream> = ids.iter().map(|id| run(id)).collect();
    streams.extend(ids.iter().map(|id| Stream::Agent((*id).into())));
    streams.push(Stream::Store);
    for (number, stream) in (0..).zip(&streams) {
        store.append(&plain(stream, Expected::New, &events(number..number + 1))).unwrap();
    }
    for (number, stream) in (0..).zip(&streams) {
        let entries = store.read(stream, 0, 10).unwrap();
        let found: Vec<_> = entries.into_iter().map(|entry| entry.event).collect();
        assert_eq!(found, events(number..number + 1), "{stream}");
        assert_eq!(store.stream(stream).unwrap().unwrap().stream, *stream);
    }
}

fn every_durability_keeps_events(store: &dyn Store) {
    let durabilities = [Durability::Os, Durability::Group, Durability::Fsync, Durability::Os];
    for (number, durability) in (0..).zip(durabilities) {
        let (stream, added) = (run("a"), events(number..number + 1));
        let append = plain(&stream, Expected::Next(number), &added);
        store.append(&store::Append { durability, ..append }).unwrap();
    }
    assert_eq!(own(store, "a"), events(0..4));
}

fn of_two_who_write_at_the_same_number_one_is_told(store: &dyn Store) {
    const ROUNDS: u64 = 50;
    begin(store, "a", 0, 1);
    let barrier = Barrier::new(2);
    let write = |who: u64| {
        let barrier = &barrier;
        move || {
            let mut won = Vec::new();
            for round in 1..=ROUNDS {
                barrier.wait();
                match add(store, "a", Expected::Next(round), &events([1000 * who + round])) {
                    Ok(receipt) => {
                        assert_eq!((receipt.first, receipt.repeated), (round, false));
                        won.push(1000 * who + round);
                    }
                    Err(AppendError::Conflict { expected, actual, .. }) => {
                        assert_eq!((expected, actual), (round, round + 1));
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            won
        }
    };
    let mut won = std::thread::scope(|scope| {
        let threads = [scope.spawn(write(1)), scope.spawn(write(2))];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    won.sort_by_key(|number| number % 1000);
    won.insert(0, 0);
    assert_eq!(own(store, "a"), events(won));
}

fn many_who_write_to_streams_of_their_own_all_succeed(store: &dyn Store) {
    const ROUNDS: u64 = 40;
    let durabilities = [
        Durability::Os,
        Durability::Group,
        Durability::Fsync,
        Durability::Group,
        Durability::Fsync,
    ];
    std::thread::scope(|scope| {
        for (who, durability) in durabilities.into_iter().enumerate() {
            scope.spawn(move || {
                let stream = run(&who.to_string());
                for round in 0..ROUNDS {
                    let added = events(2 * round..2 * round + 2);
                    let append = plain(&stream, Expected::Next(2 * round), &added);
                    let receipt = store.append(&store::Append { durability, ..append }).unwrap();
                    // What is acknowledged can be seen.
                    let seen = store.stream(&stream).unwrap().unwrap();
                    assert_eq!((seen.next, seen.link), (2 * round + 2, receipt.link));
                }
            });
        }
    });
    for who in 0..durabilities.len() {
        assert_eq!(own(store, &who.to_string()), events(0..2 * ROUNDS));
    }
    let arrivals = store.watch(0, usize::MAX, std::time::Duration::ZERO).unwrap();
    let positions: Vec<u64> = arrivals.iter().map(|arrival| arrival.position).collect();
    assert_eq!(positions, (1..=2 * ROUNDS * durabilities.len() as u64).collect::<Vec<_>>());
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
}

fn an_event_of_another_stream_is_refused(store: &dyn Store) {
    let said = |members: &str| Event::read(&format!(r#"{{"kind": "x.a", {members}}}"#)).unwrap();
    let agent = Stream::Agent("a".into());
    for (stream, members, member) in [
        (run("r"), r#""run_id": "s""#, "run_id"),
        (run("r"), r#""a": {"run_id": "r"}, "run_id": "s""#, "run_id"),
        (agent.clone(), r#""agent_id": "b""#, "agent_id"),
        (agent.clone(), r#""agent_id": "a", "run_id": "r""#, "run_id"),
        (Stream::Store, r#""agent_id": "a""#, "agent_id"),
        (Stream::Store, r#""run_id": "r""#, "run_id"),
    ] {
        let added = [said(r#""n": 1"#), said(members)];
        let refused = store.append(&plain(&stream, Expected::New, &added));
        assert!(
            matches!(&refused, Err(AppendError::Elsewhere { member: by, .. }) if *by == member),
            "{members}: {refused:?}"
        );
        assert_eq!(store.stream(&stream).unwrap(), None);
    }
    for (stream, members) in [
        (run("a\"é\n"), r#""run_id": "a\"\u00e9\n", "agent_id": "b""#),
        (run("r"), r#""run_id": 7, "n": "run_id""#),
        (run("s"), r#""x": {"run_id": "r"}, "y": "\"run_id\":\"r\"""#),
        (agent, r#""agent_id": "a""#),
    ] {
        store.append(&plain(&stream, Expected::New, &[said(members)])).unwrap();
    }
}
