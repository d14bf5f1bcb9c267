//! Forks of runs and what becomes of their resources: folders, plans, merges, names.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod checked;
mod folder;
mod fork;
mod generated;
mod merge;
mod names;
mod scratch;

use std::collections::BTreeMap;

use history::kinds::{Common, What};
use history::plan::Wish;
use history::{Event, Ledger, Lineage, Place, Stream, Timestamp, Visit};
use store::fork::ForkRequest;
use store::{Append, Durability, Expected, Store};
use value::{Map, Text, Value, json};

/// Appends events to a run. Texts leave out what most events have in common.
fn append(store: &dyn Store, run: &str, texts: &[&str]) {
    let stream = Stream::run(run);
    let next = store.stream(&stream).unwrap().map_or(0, |info| info.next);
    let events: Vec<Event> =
        texts.iter().zip(next..).map(|(text, at)| event(run, at, text)).collect();
    store.append(&plain(&stream, Expected::Next(next), &events)).unwrap();
}

/// A request without anything unusual.
fn plain<'a>(stream: &'a Stream, expected: Expected, events: &'a [Event]) -> Append<'a> {
    Append {
        stream,
        expected,
        events,
        blobs: &[],
        key: None,
        durability: Durability::Os,
        unverified: false,
    }
}

fn event(run: &str, at: u64, text: &str) -> Event {
    let value = json::parse(text).unwrap();
    let mut members: Map = value.as_map().unwrap().clone();
    members.insert_new("ts".into(), now(at).to_string().into());
    members.insert_new("agent_id".into(), "clerk".into());
    members.insert_new("run_id".into(), run.into());
    Event::from_value(members.into()).unwrap()
}

/// So many seconds after the tests began.
fn now(seconds: u64) -> Timestamp {
    Timestamp::from_micros(1_790_000_000_000_000 + i64::try_from(seconds).unwrap() * 1_000_000)
}

fn at(run: &str, seq: u64) -> Place {
    Place::new(Stream::run(run), seq)
}

/// A fork from `main` with these wishes, whose branch is called like its run.
fn request(run: &str, wishes: &[(&str, Wish)]) -> ForkRequest {
    let wishes: BTreeMap<Text, Wish> =
        wishes.iter().map(|(id, wish)| ((*id).into(), wish.clone())).collect();
    ForkRequest {
        run: run.into(),
        agent: None,
        from_branch: "main".into(),
        to_branch: run.into(),
        ts: now(100),
        wishes,
        going_on: store::fork::GoingOn::default(),
        durability: Durability::Os,
    }
}

/// What a run consists of. It must be lawful.
fn history(store: &dyn Store, run: &str) -> (Vec<(Common, What)>, Ledger) {
    let mut facts = Vec::new();
    let mut ledger = Ledger::default();
    let lineage = Lineage::of(store, &Stream::run(run), None).unwrap().unwrap();
    let read = |place: Place, entry: store::Entry| {
        let fact = entry.event.fact().unwrap();
        assert_eq!(ledger.check(&entry.event, Some(&fact), None), [], "{place}");
        ledger.apply(&entry.event, Some(&fact));
        facts.push((fact.common, fact.what));
        Visit::More
    };
    lineage.visit(store, None, 0, read).unwrap();
    (facts, ledger)
}

/// A run's own events, a line each: only what tests look at.
fn own(store: &dyn Store, run: &str) -> Vec<String> {
    let entries = store.read(&Stream::run(run), 0, 1000).unwrap();
    let first = store.stream(&Stream::run(run)).unwrap().unwrap().first;
    let entries = entries.into_iter().filter(|entry| entry.seq >= first);
    let shown = |members: Map| {
        let hidden = ["ts", "run_id", "agent_id"];
        let shown = members.into_iter().filter(|(name, _)| !hidden.contains(&&**name));
        json::canonical(&Value::from(shown.collect::<Map>()))
    };
    entries.map(|entry| shown(entry.event.members())).collect()
}

/// A line as [`own`] shows it, from one that is broken where it is long.
fn line(text: &str) -> String {
    json::canonical(&json::parse(text).unwrap())
}

/// The resources that a run can write.
fn writable(store: &dyn Store, run: &str) -> Vec<String> {
    let (_, ledger) = history(store, run);
    ledger.live().writable().into_iter().map(|id| id.to_string()).collect()
}
