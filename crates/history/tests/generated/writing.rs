//! The table, the typed structs and the fast writer say the same.

use history::kinds::{BLOB_FROM, Blob, Common, Fact, Kind, ROWS, Sealed, StateSet, flaws, summary};
use history::{BlobId, Event, Timestamp};
use sim::Random;
use sim::history::event;
use value::{Map, Value, json};

use crate::cases;

/// So many events of each kind, with their seeds.
fn events() -> impl Iterator<Item = (u64, Kind, Map)> {
    let kinds = ROWS.iter().map(|row| row.kind).chain([Kind::Unknown]);
    kinds.flat_map(|kind| {
        (0..u64::from(cases(60))).map(move |seed| {
            let event = event(&mut Random::new(seed), kind);
            (seed, kind, event.as_map().unwrap().clone())
        })
    })
}

/// What a blob holds.
fn behind(blobs: &[Blob], id: BlobId) -> Option<Value> {
    let blob = blobs.iter().find(|blob| blob.id() == id)?;
    Some(json::read(std::str::from_utf8(blob.bytes()).unwrap()).unwrap().0)
}

fn has_blob(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_blob),
        Value::Map(map) => map.contains_key("$blob") || map.values().any(has_blob),
        _ => false,
    }
}

/// The slow way: an object of all members that the kind knows, the large ones aside.
fn sealed_slowly(kind: Kind, members: &Map) -> Sealed {
    let mut blobs = Vec::new();
    let own = kind.row().map_or(&[][..], |row| row.members);
    let known = Common::MEMBERS.iter().chain(own).map(|member| member.name).chain(["kind"]);
    let mut kept = Map::default();
    for name in known.filter(|name| members.contains_key(name)) {
        let (value, text) = (members[name].clone(), json::canonical(&members[name]));
        let value = if text.len() > BLOB_FROM || has_blob(&value) {
            let blob = Blob::new(text);
            let reference = Value::map([("$blob", blob.id().into())]);
            blobs.push(blob);
            reference
        } else {
            value
        };
        kept.insert(name.into(), value);
    }
    Sealed { event: Event::from_value(kept.into()).unwrap(), blobs, fact: None }
}

#[test]
fn generated_events_have_no_flaws_and_a_line_that_is_safe_to_print() {
    for (seed, kind, members) in events() {
        assert_eq!(flaws(&members), [], "{kind:?}, seed {seed}");
        let event = Event::from_value(members.into()).unwrap();
        let line = summary(&event, |_| None);
        assert!(line.chars().count() <= 100, "{kind:?}, seed {seed}: {line}");
        assert!(!line.contains(|letter: char| letter.is_control()), "{kind:?}, seed {seed}");
    }
}

#[test]
fn an_event_is_what_its_canonical_text_is_read_as() {
    for (seed, kind, members) in events() {
        let event = Event::from_value(members.clone().into()).unwrap();
        assert_eq!((event.kind(), event.members()), (kind, members), "seed {seed}");
        assert_eq!(Event::from_body(event.body()), Ok(event.clone()), "{kind:?}, seed {seed}");
        assert_eq!(Event::read(&json::pretty(&event.value())), Ok(event), "{kind:?}, seed {seed}");
    }
}

#[test]
fn the_fast_writer_writes_what_the_slow_one_writes() {
    for (seed, kind, members) in events().filter(|(_, kind, _)| *kind != Kind::Unknown) {
        let fact = Fact::read(kind, &members).unwrap();
        let (fast, slow) = (fact.what.seal(&fact.common), sealed_slowly(kind, &members));
        assert_eq!(fast.event, slow.event, "{kind:?}, seed {seed}");
        let ids = |sealed: &Sealed| {
            let mut ids: Vec<_> = sealed.blobs.iter().map(Blob::id).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&fast), ids(&slow), "{kind:?}, seed {seed}");
    }
}

#[test]
fn what_was_written_is_read_again() {
    for (seed, kind, members) in events().filter(|(_, kind, _)| *kind != Kind::Unknown) {
        let fact = Fact::read(kind, &members).unwrap();
        let sealed = fact.what.seal(&fact.common);
        let read = sealed.event.fact_with(|id| behind(&sealed.blobs, id));
        assert_eq!(read, Some(fact), "{kind:?}, seed {seed}");
    }
}

#[test]
fn numbers_that_canonical_json_would_round_are_kept_beside() {
    let values = Value::map([("n", Value::Int(9_007_199_254_740_993))]);
    let Value::Map(values) = values else { unreachable!() };
    let set = StateSet { values };
    let sealed = Common::at(Timestamp::from_micros(0)).seal(&set);
    assert_eq!(sealed.blobs, [Blob::new(r#"{"n":9007199254740993}"#)]);
    let fact = sealed.event.fact_with(|id| behind(&sealed.blobs, id)).unwrap();
    assert_eq!(fact.what, set.into());
}
