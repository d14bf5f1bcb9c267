//! What events must say together: a smallest history for each thing that can be wrong, its lawful
//! twin, and what holds for every history.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod calls;
mod generated;
mod plans;
mod resources;
mod runs;
mod waiting;

use diagnostics::Code;
use history::kinds::Fact;
use history::{Event, EventId, Ledger, Timestamp, Violation};
use value::{Map, Value, json};

/// The code of what is wrong with the last event of a history, and a history that is lawful.
struct Case {
    code: &'static Code,
    broken: &'static [&'static str],
    lawful: &'static [&'static str],
}

/// A run begins. It is the first event of most cases.
const START: &str = r#"{"kind": "run_started"}"#;

/// Each case is wrong in one way, at its last event, and its twin is not. Messages are checked
/// by what the pages show.
fn check(cases: &[Case]) {
    for case in cases {
        let found = violations(&events(case.broken));
        let at: Vec<_> = found.iter().map(|(at, found)| (*at, found.code().id)).collect();
        let last = case.broken.len() - 1;
        assert_eq!(at, [(last, case.code.id)], "{:#?}", case.broken);
        let pointer = found[0].1.pointer();
        let member = pointer.tokens().next().unwrap();
        let members = events(case.broken)[last].members();
        let is_missing = matches!(&*member, "from" | "volume_plan");
        assert!(is_missing || members.contains_key(&member), "{pointer}");
        assert_eq!(violations(&events(case.lawful)), [], "{:#?}", case.lawful);
    }
}

/// Everything that is wrong with a history, each with the number of the event.
fn violations(events: &[Event]) -> Vec<(usize, Violation)> {
    let mut ledger = Ledger::default();
    let mut found = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let fact = fact(event);
        found.extend(ledger.check(event, Some(&fact), None).into_iter().map(|one| (at, one)));
        ledger.apply(event, Some(&fact));
    }
    found
}

fn fact(event: &Event) -> Fact {
    event.fact().unwrap_or_else(|| panic!("{} lacks a member", event.body()))
}

/// Events from texts that leave out what most events have in common. `@2` stands for a reference
/// to the third event, `#2` for its id alone.
fn events(texts: &[&str]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let value = with_ids(&json::parse(text).unwrap(), &events);
        let mut members: Map = value.as_map().unwrap().clone();
        let moment = Timestamp::from_micros(1_790_000_000_000_000 + i64::try_from(at).unwrap());
        members.insert_new("ts".into(), moment.to_string().into());
        members.insert_new("agent_id".into(), "a1".into());
        members.insert_new("run_id".into(), "r1".into());
        // Most calls say what they must and nothing else.
        if members["kind"] == Value::from("tool_call") {
            members.insert_new("server".into(), "runtime".into());
            members.insert_new("tool".into(), "exec".into());
            members.insert_new("args".into(), Map::default().into());
            members.insert_new("requested_by".into(), reference(events[0].id()));
        }
        events.push(Event::from_value(members.into()).unwrap());
    }
    events
}

fn with_ids(value: &Value, events: &[Event]) -> Value {
    match value {
        Value::Text(text) => match (text.strip_prefix('@'), text.strip_prefix('#')) {
            (Some(number), _) => reference(events[number.parse::<usize>().unwrap()].id()),
            (_, Some(number)) => events[number.parse::<usize>().unwrap()].id().into(),
            _ => value.clone(),
        },
        Value::List(items) => Value::list(items.iter().map(|item| with_ids(item, events))),
        Value::Map(map) => {
            let members = map.iter().map(|(name, item)| (name.clone(), with_ids(item, events)));
            members.collect::<Map>().into()
        }
        other => other.clone(),
    }
}

fn reference(id: EventId) -> Value {
    Value::map([("event_id", id.into())])
}
