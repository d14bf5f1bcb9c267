//! Where events are written: what time it is, which names are taken, and what was written since
//! somebody looked.

use std::sync::Arc;

use history::kinds::records::Error;
use history::kinds::words::Liveness;
use history::kinds::{Blob, Common, Object, What};
use history::{Event, EventId, Timestamp};
use value::{Digest, Text, Value};

use super::event::{long_text, value};
use crate::Random;

pub(super) struct Desk {
    pub(super) random: Random,
    /// How many events there are.
    pub(super) count: usize,
    /// Agents and runs that were started by others, and have no events yet.
    pub(super) spawned: Vec<(Text, Text)>,
    micros: i64,
    names: u64,
    events: Vec<Event>,
    blobs: Vec<Blob>,
}

impl Desk {
    pub(super) fn new(random: Random) -> Desk {
        let micros = 1_767_225_600_000_000;
        let (events, blobs, spawned) = (Vec::new(), Vec::new(), Vec::new());
        Desk { random, count: 0, spawned, micros, names: 1, events, blobs }
    }

    /// What was written since the last time.
    pub(super) fn take(&mut self) -> (Vec<Event>, Vec<Blob>) {
        (std::mem::take(&mut self.events), std::mem::take(&mut self.blobs))
    }

    pub(super) fn now(&mut self) -> Timestamp {
        self.micros += self.random.between(1, 2_000_000) as i64;
        Timestamp::from_micros(self.micros)
    }

    /// A moment that nothing comes to.
    pub(super) fn later(&mut self) -> Timestamp {
        Timestamp::from_micros(self.micros + 1_000_000_000_000)
    }

    pub(super) fn write(&mut self, common: &Common, what: impl Into<What>) -> EventId {
        let sealed = what.into().seal(common);
        self.blobs.extend(sealed.blobs);
        let event = match self.random.one_in(25) {
            true => self.extended(&sealed.event),
            false => sealed.event,
        };
        let id = event.id();
        self.events.push(event);
        self.count += 1;
        id
    }

    pub(super) fn write_for(&mut self, agent: &Text, what: impl Into<What>) -> EventId {
        let common = Common { agent_id: Some(agent.clone()), ..Common::at(self.now()) };
        self.write(&common, what)
    }

    pub(super) fn write_alone(&mut self, what: impl Into<What>) {
        let common = Common::at(self.now());
        self.write(&common, what);
    }

    /// An event of somebody's own kind.
    pub(super) fn write_foreign(&mut self) {
        let (ts, beat) = (self.now().to_string(), self.value());
        let kind = "x.acme.heartbeat".into();
        let event = Value::map([("kind", kind), ("ts", ts.into()), ("beat", beat)]);
        self.events.push(Event::from_value(event).expect("it has a kind"));
        self.count += 1;
    }

    /// The same with a member of somebody's own.
    fn extended(&mut self, event: &Event) -> Event {
        let mut members = event.members();
        members.insert("x.acme.note".into(), value(&mut self.random, 2));
        Event::from_value(members.into()).expect("it was an event")
    }

    /// A name that nothing else has.
    pub(super) fn name(&mut self, what: &str) -> Text {
        self.names += 1;
        format!("{what}-{}", self.names).into()
    }

    pub(super) fn maybe<T>(&mut self, make: impl FnOnce(&mut Desk) -> T) -> Option<T> {
        self.random.one_in(2).then(|| make(self))
    }

    pub(super) fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        self.random.pick(items).clone()
    }

    pub(super) fn words(&mut self) -> Text {
        const WORDS: &[&str] = &[
            "Where is my parcel?",
            "It is in Lyon.",
            "I will look.",
            "Tracking number 4711.",
            "Ça va être livré demain.",
            "荷物はどこですか",
            "Thanks!\nThat helps.",
        ];
        if self.random.one_in(40) {
            return long_text(&mut self.random).into();
        }
        (*self.random.pick(WORDS)).into()
    }

    pub(super) fn value(&mut self) -> Value {
        value(&mut self.random, 2)
    }

    pub(super) fn object(&mut self) -> Object {
        let members = [("cmd", self.words().into()), ("n", self.value())];
        let members = members.into_iter().map(|(name, value)| (Text::from(name), value));
        Arc::new(members.collect())
    }

    pub(super) fn digest(&mut self) -> Text {
        format!("{:x}", Digest::of(&self.random.number().to_be_bytes())).into()
    }

    pub(super) fn error(&mut self) -> Error {
        let details = self.maybe(Desk::value);
        Error { code: Some("not_found".into()), message: Some("no such parcel".into()), details }
    }

    pub(super) fn liveness(&mut self) -> Liveness {
        self.one_of(&[Liveness::Alive, Liveness::Alive, Liveness::Dead, Liveness::Unknown])
    }
}
