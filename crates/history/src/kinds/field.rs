//! What a member of an event may hold, how it is read, and how it is written.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use value::{Map, Text, Value, json};

use crate::{EventId, Timestamp};

/// An object whose members are nobody's business here.
pub type Object = Arc<Map>;

/// What a member may hold, for checks and for the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Any JSON value.
    Any,
    /// Text.
    Text,
    /// A time.
    Time,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Any object.
    Object,
    /// 64 hexadecimal digits: an event's id.
    EventId,
    /// A reference of any of the kinds of spec 5, or a node's id.
    Ref,
    /// One of these words.
    Words(&'static Enumeration),
    /// A list of these.
    List(&'static Shape),
    /// An object with these members.
    Record(&'static Record),
    /// One of these objects; `type` says which.
    OneOf(&'static [Record]),
}

/// Words to choose from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enumeration {
    /// What they are called in the reference.
    pub name: &'static str,
    /// What they say.
    pub doc: &'static str,
    /// The words.
    pub words: &'static [&'static str],
}

/// An object with known members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// What it is called in the reference; where there is a choice, its `type`.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its members.
    pub members: &'static [Member],
}

/// In words for a person.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Any => f.write_str("any value"),
            Shape::Text => f.write_str("text"),
            Shape::Time => f.write_str("a time"),
            Shape::Integer => f.write_str("a whole number"),
            Shape::Boolean => f.write_str("a boolean"),
            Shape::Object | Shape::Record(_) | Shape::OneOf(_) => f.write_str("an object"),
            Shape::EventId => f.write_str("the id of an event"),
            Shape::Ref => f.write_str("a reference"),
            Shape::Words(_) => f.write_str("a word"),
            Shape::List(_) => f.write_str("a list"),
        }
    }
}

/// A member that a kind or a record has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
}

/// A type that members can have.
pub trait Field: Sized {
    /// What it holds.
    const SHAPE: Shape;
    /// Whether it must be there.
    const REQUIRED: bool = true;

    /// Reads it; nothing where it is of the wrong kind.
    fn read(value: &Value) -> Option<Self>;

    /// What it is where it is not written: nothing, unless it may be missing.
    fn missing() -> Option<Self> {
        None
    }
}

/// Writes a member's canonical form.
pub trait Write {
    /// Adds it to a text.
    fn write(&self, out: &mut String);

    /// Whether it is not written at all.
    fn is_absent(&self) -> bool {
        false
    }

    /// Whether its canonical form says all of it.
    fn is_exact(&self) -> bool {
        true
    }
}

/// Marks members of the table that must be there, although an event without them still counts
/// for all that its other members say.
macro_rules! must_be_there {
    (needed) => {
        true
    };
}
pub(super) use must_be_there;

/// Reads a member of an object.
pub(super) fn read_member<F: Field>(members: &Map, name: &str) -> Option<F> {
    match members.get(name) {
        Some(value) => F::read(value),
        None => F::missing(),
    }
}

impl<F: Field> Field for Option<F> {
    const SHAPE: Shape = F::SHAPE;
    const REQUIRED: bool = false;

    /// What is of the wrong kind counts as not there: it must not hide the members beside it.
    fn read(value: &Value) -> Option<Option<F>> {
        Some(F::read(value))
    }

    fn missing() -> Option<Option<F>> {
        Some(None)
    }
}

impl<F: Write> Write for Option<F> {
    fn write(&self, out: &mut String) {
        if let Some(field) = self {
            field.write(out);
        }
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(F::is_absent)
    }

    fn is_exact(&self) -> bool {
        self.as_ref().is_none_or(F::is_exact)
    }
}

impl<F: Field> Field for Vec<F> {
    const SHAPE: Shape = Shape::List(&F::SHAPE);

    /// Items of the wrong kind are left out.
    fn read(value: &Value) -> Option<Vec<F>> {
        Some(value.as_list()?.iter().filter_map(F::read).collect())
    }
}

impl<F: Write> Write for Vec<F> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }

    fn is_exact(&self) -> bool {
        self.iter().all(F::is_exact)
    }
}

impl Field for Value {
    const SHAPE: Shape = Shape::Any;

    fn read(value: &Value) -> Option<Value> {
        Some(value.clone())
    }
}

impl Write for Value {
    fn write(&self, out: &mut String) {
        json::write_canonical(out, self);
    }

    fn is_exact(&self) -> bool {
        crate::admission::is_exact(self)
    }
}

impl Field for Object {
    const SHAPE: Shape = Shape::Object;

    fn read(value: &Value) -> Option<Object> {
        match value {
            Value::Map(map) => Some(map.clone()),
            _ => None,
        }
    }
}

impl Write for Object {
    fn write(&self, out: &mut String) {
        json::write_canonical(out, &Value::Map(self.clone()));
    }

    fn is_exact(&self) -> bool {
        crate::admission::is_exact(&Value::Map(self.clone()))
    }
}

impl Field for Text {
    const SHAPE: Shape = Shape::Text;

    fn read(value: &Value) -> Option<Text> {
        value.as_text().cloned()
    }
}

impl Write for Text {
    fn write(&self, out: &mut String) {
        json::write_text(out, self);
    }
}

impl Field for i64 {
    const SHAPE: Shape = Shape::Integer;

    fn read(value: &Value) -> Option<i64> {
        match value {
            Value::Int(int) => Some(*int),
            _ => None,
        }
    }
}

impl Write for i64 {
    fn write(&self, out: &mut String) {
        write!(out, "{self}").expect("writing to text cannot fail");
    }

    fn is_exact(&self) -> bool {
        crate::admission::is_exact(&Value::Int(*self))
    }
}

impl Field for bool {
    const SHAPE: Shape = Shape::Boolean;

    fn read(value: &Value) -> Option<bool> {
        match value {
            Value::Bool(is) => Some(*is),
            _ => None,
        }
    }
}

impl Write for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Field for Timestamp {
    const SHAPE: Shape = Shape::Time;

    fn read(value: &Value) -> Option<Timestamp> {
        Timestamp::parse(value.as_text()?)
    }
}

impl Write for Timestamp {
    fn write(&self, out: &mut String) {
        write!(out, "\"{self}\"").expect("writing to text cannot fail");
    }
}

impl Field for EventId {
    const SHAPE: Shape = Shape::EventId;

    fn read(value: &Value) -> Option<EventId> {
        EventId::parse(value.as_text()?)
    }
}

impl Write for EventId {
    fn write(&self, out: &mut String) {
        write!(out, "\"{self}\"").expect("writing to text cannot fail");
    }
}
