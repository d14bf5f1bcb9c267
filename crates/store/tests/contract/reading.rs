//! Events by number and by kind, and lists of streams.

use history::Stream;
use history::kinds::Kind;
use store::{Expected, Store};

use crate::sample::{add, begin, event_of, plain, run};

/// A run whose kinds take turns.
fn mixed(store: &dyn Store) {
    let kinds = ["tool_call", "tool_result", "x.other", "tool_call", "message_created"];
    let events: Vec<_> =
        (0..20).map(|number| event_of(kinds[number as usize % 5], number)).collect();
    add(store, "a", Expected::New, &events).unwrap();
}

contract! {
    a_page_begins_and_ends_where_it_is_told,
    a_stream_that_is_not_there_is_empty,
    kinds_are_read_in_order_between_two_numbers,
    every_kind_at_once_is_everything,
    the_last_of_some_kinds_is_before_a_number,
    kinds_of_old_and_young_events_are_read_alike,
    a_fork_has_no_kinds_of_its_parent,
    streams_are_listed_by_name_page_by_page,
}

fn a_page_begins_and_ends_where_it_is_told(store: &dyn Store) {
    begin(store, "a", 0, 10);
    begin(store, "b", 50, 3);
    let page = |from, limit| -> Vec<u64> {
        let entries = store.read(&run("a"), from, limit).unwrap();
        entries.into_iter().map(|entry| entry.seq).collect()
    };
    assert_eq!(page(0, 3), [0, 1, 2]);
    assert_eq!(page(8, 3), [8, 9]);
    assert_eq!(page(9, usize::MAX), [9]);
    assert_eq!(page(4, 0), [0; 0]);
    assert_eq!(page(10, 3), [0; 0]);
    assert_eq!(page(u64::MAX, 3), [0; 0]);
}

fn a_stream_that_is_not_there_is_empty(store: &dyn Store) {
    begin(store, "a", 0, 1);
    for stream in [run("b"), Stream::Agent("a".into()), Stream::Store] {
        assert_eq!(store.stream(&stream).unwrap(), None);
        assert_eq!(store.read(&stream, 0, 9).unwrap(), []);
        assert_eq!(store.read_kinds(&stream, &[Kind::Unknown], 0, 9, 9).unwrap(), []);
        assert_eq!(store.last_of(&stream, &[Kind::Unknown], 9).unwrap(), None);
    }
}

fn kinds_are_read_in_order_between_two_numbers(store: &dyn Store) {
    mixed(store);
    let page = |kinds: &[Kind], from, until, limit| -> Vec<u64> {
        let entries = store.read_kinds(&run("a"), kinds, from, until, limit).unwrap();
        entries.into_iter().map(|entry| entry.seq).collect()
    };
    use Kind::{MessageCreated, RunStarted, ToolCall, ToolResult, Unknown};
    assert_eq!(page(&[ToolCall], 0, u64::MAX, 99), [0, 3, 5, 8, 10, 13, 15, 18]);
    assert_eq!(page(&[ToolResult, ToolCall], 3, 11, 99), [3, 5, 6, 8, 10]);
    assert_eq!(page(&[ToolCall, ToolResult, ToolCall], 0, 99, 4), [0, 1, 3, 5]);
    assert_eq!(page(&[Unknown], 0, 12, 99), [2, 7]);
    assert_eq!(page(&[RunStarted, MessageCreated], 0, 99, 2), [4, 9]);
    assert_eq!(page(&[RunStarted], 0, 99, 99), [0; 0]);
    assert_eq!(page(&[], 0, 99, 99), [0; 0]);
    assert_eq!(page(&[ToolCall], 5, 5, 99), [0; 0]);
    assert_eq!(page(&[ToolCall], 9, 5, 99), [0; 0]);
    assert_eq!(page(&[ToolCall], 0, 99, 0), [0; 0]);
    let entries = store.read_kinds(&run("a"), &[ToolCall], 3, 4, 9).unwrap();
    assert_eq!(entries, store.read(&run("a"), 3, 1).unwrap());
}

fn every_kind_at_once_is_everything(store: &dyn Store) {
    mixed(store);
    let mut kinds: Vec<Kind> = history::kinds::ROWS.iter().map(|row| row.kind).collect();
    kinds.push(Kind::Unknown);
    let all = store.read(&run("a"), 0, 99).unwrap();
    assert_eq!(store.read_kinds(&run("a"), &kinds, 0, u64::MAX, 99).unwrap(), all);
    assert_eq!(store.last_of(&run("a"), &kinds, u64::MAX).unwrap().as_ref(), all.last());
}

fn the_last_of_some_kinds_is_before_a_number(store: &dyn Store) {
    mixed(store);
    let last = |kinds: &[Kind], until| {
        store.last_of(&run("a"), kinds, until).unwrap().map(|entry| entry.seq)
    };
    assert_eq!(last(&[Kind::ToolCall], u64::MAX), Some(18));
    assert_eq!(last(&[Kind::ToolCall], 18), Some(15));
    assert_eq!(last(&[Kind::ToolCall, Kind::ToolResult], 18), Some(16));
    assert_eq!(last(&[Kind::ToolResult], 1), None);
    assert_eq!(last(&[Kind::RunStarted], 20), None);
    assert_eq!(last(&[], 20), None);
}

fn kinds_of_old_and_young_events_are_read_alike(store: &dyn Store) {
    // Two runs in turns, and a few events of one of them behind a batch of the other one's.
    const NAMES: [&str; 3] = ["tool_call", "tool_result", "x.other"];
    let kind_of = |seq: u64| (seq * seq % 7 % 3) as usize;
    let mut nexts = [0; 2];
    for (at, count) in [(0, 500), (1, 300), (0, 700), (1, 900), (0, 1_000), (1, 200), (0, 40)] {
        let (first, id) = (nexts[at], ["a", "b"][at]);
        let events: Vec<_> =
            (first..first + count).map(|seq| event_of(NAMES[kind_of(seq)], seq)).collect();
        add(store, id, Expected::Next(first), &events).unwrap();
        nexts[at] += count;
        for (id, next) in ["a", "b"].into_iter().zip(nexts) {
            let of_kind = |seq: &u64| kind_of(*seq) == 1;
            for (from, until) in [(0, u64::MAX), (0, next / 2), (next / 3, next), (next, next)] {
                let found = store.read_kinds(&run(id), &[Kind::ToolResult], from, until, 5_000);
                let found: Vec<u64> = found.unwrap().iter().map(|entry| entry.seq).collect();
                let expected: Vec<u64> = (from..until.min(next)).filter(of_kind).collect();
                assert_eq!(found, expected, "{id} {from}..{until} of {next}");
                let last = store.last_of(&run(id), &[Kind::ToolResult], until).unwrap();
                let expected = (0..until.min(next)).rfind(of_kind);
                assert_eq!(last.map(|entry| entry.seq), expected, "{id} before {until} of {next}");
            }
        }
    }
}

fn a_fork_has_no_kinds_of_its_parent(store: &dyn Store) {
    mixed(store);
    crate::sample::fork(store, "b", crate::sample::place("a", 9), 100..101);
    add(store, "b", Expected::Next(11), &[event_of("tool_call", 100)]).unwrap();
    let kinds = [Kind::ToolCall, Kind::ToolResult];
    let found = store.read_kinds(&run("b"), &kinds, 0, 99, 99).unwrap();
    assert_eq!(found.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [11]);
    assert_eq!(store.last_of(&run("b"), &kinds, 11).unwrap(), None);
}

fn streams_are_listed_by_name_page_by_page(store: &dyn Store) {
    let mut streams = vec![Stream::Store, Stream::Agent("z".into()), Stream::Agent("a".into())];
    streams.extend(["b", "a", "é", "Z", "a0", "a-"].map(run));
    for stream in &streams {
        store.append(&plain(stream, Expected::New, &crate::sample::events(0..2))).unwrap();
    }
    streams.sort_by_key(Stream::name);
    let mut listed: Vec<Stream> = Vec::new();
    loop {
        let page = store.streams(listed.last(), 4).unwrap();
        assert!(page.len() <= 4);
        if page.is_empty() {
            break;
        }
        for info in page {
            assert_eq!(store.stream(&info.stream).unwrap().as_ref(), Some(&info));
            listed.push(info.stream);
        }
    }
    assert_eq!(listed, streams);
    // A name that is not there has a place in the order all the same.
    let behind = store.streams(Some(&run("a1")), 1).unwrap();
    assert_eq!(behind[0].stream, run("b"));
    assert_eq!(store.streams(None, 0).unwrap(), []);
}
