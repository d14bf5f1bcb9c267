//! The lines of an export: one JSON object each, in canonical form.
//!
//! ```text
//! {"event":{..., "event_id":"HEX", ...},"link":"HEX","seq":0,"stream":"run:ID"}
//! {"id":"HEX","operation":{...}}
//! {"blob":"HEX","text":"..."}          {"base64":"...","blob":"HEX"}
//! ```
//!
//! Streams come in the order of their names with their events in order, then operations by name
//! and in order, then blobs by hash. A line may also be an event as spec 5 writes it, alone.

mod write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use value::{Map, Value, json};
pub use write::{write_blob, write_event, write_operation};

use crate::admission::{Refused, admit, end_of_value};
use crate::{BlobId, Event, Link, NotAnEvent, Operation, OperationId, Stream};

/// One line, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// An event with its place.
    Event {
        /// Which stream.
        stream: Stream,
        /// Which event of it.
        seq: u64,
        /// The link that it must have there.
        link: Link,
        /// The event.
        event: Event,
    },
    /// An event alone. Its place follows from its members and from the order of the lines.
    Bare(Event),
    /// A move of a name.
    Operation {
        /// The hash that it is said to have.
        id: OperationId,
        /// The move.
        operation: Operation,
    },
    /// A large value.
    Blob {
        /// The hash that it is said to have.
        id: BlobId,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// A text that is no such line.
#[derive(Clone, Debug, PartialEq)]
pub struct NotALine {
    /// What is wrong with it.
    pub why: Why,
    /// Which events have lost their order with it.
    pub whose: Whose,
}

/// Why a text is no line.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// It cannot be hashed.
    Refused(Refused),
    /// It is no event.
    NotAnEvent(NotAnEvent),
    /// A line with a place whose member of this name is missing or of the wrong kind, or is none
    /// that such a line has.
    Place(String),
    /// A move of a name that says something else than a move does.
    NotAnOperation,
    /// A large value without its hash or its bytes.
    NotABlob,
}

/// Whose order is lost when a line is.
#[derive(Clone, Debug, PartialEq)]
pub enum Whose {
    /// That of this stream, by the members of an event that stands alone.
    Alone(Stream),
    /// That of this stream, which a line with a place names.
    Placed(Stream),
    /// Nobody's: such lines say themselves what they follow.
    Nobody,
    /// It cannot be known.
    Anybody,
}

impl Line {
    /// Reads a line, without its end.
    pub fn read(text: &str) -> Result<Line, NotALine> {
        if let Some(line) = placed(text) {
            return Ok(line);
        }
        let value = admit(text).map_err(|refused| {
            let whose = whose_refused(text, &refused);
            NotALine { why: Why::Refused(refused), whose }
        })?;
        let sort = Sort::of(&value);
        let whose = whose(&value);
        let why = match (sort, &value) {
            (Sort::Placed, Value::Map(members)) => match read_placed(members) {
                Ok(line) => return Ok(line),
                Err(why) => why,
            },
            (Sort::Operation, Value::Map(members)) => match read_operation(members) {
                Some(line) => return Ok(line),
                None => Why::NotAnOperation,
            },
            (Sort::Blob, Value::Map(members)) => match read_blob(members) {
                Some(line) => return Ok(line),
                None => Why::NotABlob,
            },
            _ => match Event::from_value(value) {
                Ok(event) => return Ok(Line::Bare(event)),
                Err(why) => Why::NotAnEvent(why),
            },
        };
        Err(NotALine { why, whose })
    }

    /// Whether a text may be a blob's line. To look costs less than to read it.
    pub fn may_be_blob(text: &str) -> bool {
        const NAMES: &[&str] = &["blob", "event", "kind", "operation"];
        text.contains("\"blob\"") && json::first_member(text, NAMES) == Some("blob")
    }
}

/// What kind of line an object is. An event has a kind, and no other line has.
enum Sort {
    Bare,
    Placed,
    Operation,
    Blob,
}

impl Sort {
    fn of(value: &Value) -> Sort {
        let has = |name| value.get(name).is_some();
        match () {
            () if has("kind") => Sort::Bare,
            () if has("event") => Sort::Placed,
            () if has("operation") => Sort::Operation,
            () if has("blob") => Sort::Blob,
            () => Sort::Bare,
        }
    }
}

/// A line with a place as an export writes it. The event is read by itself, so that it may be
/// nested as deeply as one that stands alone. Whatever is wrong is found by reading all of it.
fn placed(text: &str) -> Option<Line> {
    const BEGIN: &str = "{\"event\":";
    let rest = text.strip_prefix(BEGIN).filter(|rest| rest.starts_with('{'))?;
    let end = end_of_value(rest.as_bytes(), 0);
    let place = admit(&format!("{{{}", rest.get(end..)?.strip_prefix(',')?)).ok()?;
    let event = Event::read(&rest[..end]).ok()?;
    with_place(place.as_map()?, event).ok()
}

fn read_placed(members: &Map) -> Result<Line, Why> {
    let mut place = members.clone();
    let event = place.remove("event").unwrap_or_default();
    with_place(&place, Event::from_value(event).map_err(Why::NotAnEvent)?)
}

fn with_place(place: &Map, event: Event) -> Result<Line, Why> {
    let text = |name| place.get(name).and_then(Value::as_text);
    let wrong = |name: &str| Why::Place(name.into());
    let stream = text("stream").and_then(|name| Stream::from_name(name));
    let stream = stream.ok_or_else(|| wrong("stream"))?;
    let link = text("link").and_then(|link| Link::parse(link)).ok_or_else(|| wrong("link"))?;
    let Some(Value::Int(seq)) = place.get("seq") else { return Err(wrong("seq")) };
    let seq = u64::try_from(*seq).map_err(|_| wrong("seq"))?;
    match place.keys().find(|name| !["link", "seq", "stream"].contains(&&***name)) {
        Some(other) => Err(wrong(other)),
        None => Ok(Line::Event { stream, seq, link, event }),
    }
}

fn read_operation(members: &Map) -> Option<Line> {
    let id = OperationId::parse(members.get("id")?.as_text()?)?;
    let operation = Operation::read(members.get("operation")?)?;
    (members.len() == 2).then_some(Line::Operation { id, operation })
}

fn read_blob(members: &Map) -> Option<Line> {
    let text = |name| members.get(name).and_then(Value::as_text);
    let id = BlobId::parse(text("blob")?)?;
    let bytes = match (text("text"), text("base64")) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(text)) => STANDARD.decode(&**text).ok()?,
        _ => return None,
    };
    (members.len() == 2).then_some(Line::Blob { id, bytes })
}

fn whose(value: &Value) -> Whose {
    let Some(members) = value.as_map() else { return Whose::Anybody };
    match Sort::of(value) {
        Sort::Bare => Whose::Alone(Event::stream(members)),
        Sort::Placed => {
            let name = members.get("stream").and_then(Value::as_text);
            let stream = name.and_then(|name| Stream::from_name(name));
            stream.map_or(Whose::Nobody, Whose::Placed)
        }
        Sort::Operation | Sort::Blob => Whose::Nobody,
    }
}

/// A text with a number that would be rounded still says whose it is, unless it says so twice.
fn whose_refused(text: &str, refused: &Refused) -> Whose {
    let is_told_twice = |at: &str| matches!(at, "/run_id" | "/agent_id" | "/stream");
    match (refused, json::read(text)) {
        (Refused::Duplicate(at), _) if is_told_twice(at.as_str()) => Whose::Anybody,
        (_, Ok((value, _))) => whose(&value),
        (_, Err(_)) => Whose::Anybody,
    }
}

#[cfg(test)]
mod tests;
