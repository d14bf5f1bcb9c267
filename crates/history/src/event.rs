//! One event: what is hashed, and its hash.

use std::sync::Arc;

use value::{Digest, Map, Value, json};

use crate::admission::{Refused, admit, end_of_text, end_of_value};
use crate::kinds::Kind;
use crate::{EventId, Stream, Timestamp};

/// An event. It knows nothing of its place: the same event has the same id everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// INVARIANT: the hash of `body`.
    id: EventId,
    /// INVARIANT: what `body` says.
    kind: Kind,
    /// INVARIANT: canonical JSON, an object with a text `kind` and without `event_id`.
    body: Arc<str>,
}

/// Why a text is no event.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAnEvent {
    /// It cannot be hashed.
    Refused(Refused),
    /// It is something else than an object.
    NotAnObject,
    /// There is no `kind`, or it is no text.
    NoKind,
    /// `event_id` is not 64 hexadecimal digits.
    BadId,
    /// `event_id` is another event's.
    WrongId {
        /// What the text says.
        claimed: EventId,
        /// What it is.
        computed: EventId,
    },
    /// It is not the canonical form (only where that is asked for).
    NotCanonical,
}

impl Event {
    /// Reads an event as spec 5 writes it. `event_id` may be missing, but not wrong.
    pub fn read(text: &str) -> Result<Event, NotAnEvent> {
        Event::from_value(admit(text).map_err(NotAnEvent::Refused)?)
    }

    /// The event that an admitted value is.
    pub fn from_value(value: Value) -> Result<Event, NotAnEvent> {
        let Value::Map(members) = value else { return Err(NotAnEvent::NotAnObject) };
        let mut members = Arc::unwrap_or_clone(members);
        let claimed = match members.remove("event_id") {
            None => None,
            Some(Value::Text(id)) => Some(EventId::parse(&id).ok_or(NotAnEvent::BadId)?),
            Some(_) => return Err(NotAnEvent::BadId),
        };
        let Some(Value::Text(kind)) = members.get("kind") else { return Err(NotAnEvent::NoKind) };
        let kind = Kind::find(kind);
        let event = Event::sealed(kind, json::canonical(&members.into()));
        match claimed {
            Some(claimed) if claimed != event.id => {
                Err(NotAnEvent::WrongId { claimed, computed: event.id })
            }
            _ => Ok(event),
        }
    }

    /// Reads what a store kept: a body, which must be exactly as it was written.
    pub fn from_body(body: &str) -> Result<Event, NotAnEvent> {
        let event = Event::read(body)?;
        if *event.body == *body { Ok(event) } else { Err(NotAnEvent::NotCanonical) }
    }

    /// What a store kept, with the id and the kind that it kept beside it. Only the hash and the
    /// outline are looked at: a body with the right hash is the body that was written, unless
    /// somebody made up both.
    pub fn from_store(id: EventId, kind: Kind, body: impl Into<Arc<str>>) -> Option<Event> {
        let body = body.into();
        let is_sound = Digest::of(body.as_bytes()) == id.0 && has_outline(&body);
        is_sound.then_some(Event { id, kind, body })
    }

    /// INVARIANT: the caller has written `body` in canonical form, with this kind in it.
    pub(crate) fn sealed(kind: Kind, body: impl Into<Arc<str>>) -> Event {
        let body = body.into();
        Event { id: EventId(Digest::of(body.as_bytes())), kind, body }
    }

    /// Its id.
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Its kind; `Unknown` for one that is not in the table.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its canonical form without the id: what is hashed.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Its members without the id. There are none if somebody made up a body with its hash that
    /// cannot be read, which is found by reading it in full ([`Event::from_body`]).
    pub fn members(&self) -> Map {
        match json::read(&self.body) {
            Ok((Value::Map(members), _)) => Arc::unwrap_or_clone(members),
            _ => Map::default(),
        }
    }

    /// A member as it is written, found without reading what the others hold.
    pub fn written(&self, name: &str) -> Option<&str> {
        outline(&self.body)
            .map_while(|member| member)
            .find(|member| member.0 == name)
            .map(|it| it.1)
    }

    /// As spec 5 writes it, with its id.
    pub fn value(&self) -> Value {
        let mut members = self.members();
        members.insert("event_id".into(), self.id.into());
        members.into()
    }

    /// The stream that its members say it belongs to.
    pub fn stream(members: &Map) -> Stream {
        let text = |name| members.get(name).and_then(Value::as_text).cloned();
        Stream::of(text("run_id"), text("agent_id"))
    }

    /// When it happened, as far as its members say so.
    pub fn ts(members: &Map) -> Option<Timestamp> {
        Timestamp::parse(members.get("ts")?.as_text()?)
    }
}

/// The members of a body, by name and as they are written; nothing where it is no object without
/// spaces. An escape in a name is left as it is. What members hold is not looked into: that would
/// take as long as reading them.
fn outline(body: &str) -> impl Iterator<Item = Option<(&str, &str)>> {
    let bytes = body.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let before = if at == 0 { b'{' } else { b',' };
        if at > 0 && bytes[at..] == *b"}" {
            return None;
        }
        let member = || {
            let start = at + 1;
            let name_end = end_of_text(bytes, start);
            let end = end_of_value(bytes, name_end + 1);
            let is_member = bytes.get(at..=start) == Some(&[before, b'"'])
                && bytes.get(name_end) == Some(&b':')
                && end < bytes.len();
            let name = body.get(start + 1..name_end - 1).filter(|_| is_member)?;
            Some((end, name, body.get(name_end + 1..end)?))
        };
        match member() {
            Some((end, name, written)) => {
                at = end;
                Some(Some((name, written)))
            }
            None => Some(None),
        }
    })
}

/// Whether a body has members, a text `kind` among them, and no id.
fn has_outline(body: &str) -> bool {
    let mut has_kind = false;
    for member in outline(body) {
        match member {
            Some(("kind", written)) => has_kind = written.starts_with('"'),
            Some(("event_id", _)) | None => return false,
            Some(_) => {}
        }
    }
    has_kind
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"ts": "2026-01-01T00:00:00.000000Z", "kind": "x.a", "n": 1.0}"#;

    #[test]
    fn the_id_covers_everything_but_itself() {
        let event = Event::read(TEXT).unwrap();
        assert_eq!(event.body(), r#"{"kind":"x.a","n":1,"ts":"2026-01-01T00:00:00.000000Z"}"#);
        let again = Event::read(&json::compact(&event.value())).unwrap();
        assert_eq!(again, event);
        assert_ne!(Event::read(&TEXT.replace("1.0", "2")).unwrap().id(), event.id());
    }

    #[test]
    fn a_wrong_id_is_refused() {
        let event = Event::read(TEXT).unwrap();
        let claimed = EventId(Digest::of(b"else"));
        let mut members = event.members();
        members.insert("event_id".into(), claimed.into());
        let refused = Event::from_value(members.clone().into());
        assert_eq!(refused, Err(NotAnEvent::WrongId { claimed, computed: event.id() }));
        members.insert("event_id".into(), "...".into());
        assert_eq!(Event::from_value(members.into()), Err(NotAnEvent::BadId));
    }

    #[test]
    fn a_stored_body_is_canonical_and_its_own() {
        let event = Event::read(TEXT).unwrap();
        assert_eq!(Event::from_body(event.body()), Ok(event.clone()));
        assert_eq!(Event::from_body(TEXT), Err(NotAnEvent::NotCanonical));
        assert_eq!(Event::from_store(event.id(), event.kind(), event.body()), Some(event.clone()));
        assert_eq!(Event::from_store(event.id(), event.kind(), TEXT), None);
    }

    #[test]
    fn a_made_up_body_with_its_hash_is_refused_or_says_nothing() {
        let stored = |body: &str| {
            Event::from_store(EventId(Digest::of(body.as_bytes())), Kind::Unknown, body)
        };
        for body in [
            "",
            "x",
            "{",
            "{}",
            "\"",
            "[1]",
            r#"{"kind":"#,
            r#"{"kind":1}"#,
            r#"{"kind":"x.a""#,
            r#"{"kind":"x.a"}x"#,
            r#"{"kind":"x.a"},"#,
            r#"{"kind": "x.a"}"#,
            r#"{"event_id":"","kind":"x.a"}"#,
            r#"{"a":1 "kind":"x.a"}"#,
            r#"{"kind":"x.a","é"#,
            r#"{"kind":"x.a","\"#,
            r#"{"n":{"kind":"x.a"}}"#,
        ] {
            assert_eq!(stored(body), None, "{body}");
        }
        let inside = stored(r#"{"a":[nothing],"kind":"x.a"}"#).unwrap();
        assert_eq!(inside.members(), Map::default());
        assert!(Event::from_body(inside.body()).is_err());
    }

    #[test]
    fn a_member_is_found_as_it_is_written() {
        let text = r#"{"a": {"run_id": "no"}, "kind": "x.a", "run_id": "r\"1", "z": [1, 2]}"#;
        let event = Event::read(text).unwrap();
        assert_eq!(event.written("run_id"), Some(r#""r\"1""#));
        assert_eq!(event.written("z"), Some("[1,2]"));
        assert_eq!(event.written("b"), None);
    }
}
