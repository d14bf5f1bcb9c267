//! Something that a run asked for, as far as its events tell.

use value::{Text, Value};

use super::{Attribute, NOTES_MAX, Note, SpanKind, names};
use crate::kinds::records::Error;
use crate::{EventId, Place, Timestamp};

/// Something that was asked for.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Where that is said.
    pub(super) place: Place,
    pub(super) event: EventId,
    /// The node that wants it.
    pub(super) at: Option<Text>,
    pub(super) start: Timestamp,
    /// Whether the run says something of it itself, and not only one that it was forked from.
    pub(super) is_own: bool,
    pub(super) asked: Asked,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) attributes: Vec<Attribute>,
    pub(super) notes: Notes,
    pub(super) ended: Option<Ended>,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// A model's answer.
    Model(Box<Chat>),
    /// What a tool does, for the sake of an event.
    Tool { requested_by: Option<EventId> },
    /// A person's answer, until a moment.
    Question { expires: Option<Timestamp> },
    /// A decision about a call, by its number.
    Approval { call: Option<usize> },
    /// A moment.
    Timer { due: Option<Timestamp>, was_awaited: bool },
}

/// What tells which calls of models belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Chat {
    /// The messages that it was given, by their ids.
    pub(super) inputs: Vec<Text>,
    /// The message that it answered.
    pub(super) output: Option<Text>,
    /// The event of its answer.
    pub(super) answer: Option<EventId>,
    pub(super) correlation: Option<Text>,
    pub(super) attempt: Option<i64>,
    /// Whether the answer says that it wants tools, which may not have been called yet.
    pub(super) wants_tools: bool,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) at: Timestamp,
    pub(super) failure: Option<Failure>,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// A word for it.
    pub(super) kind: Value,
    /// What it says, where content is told.
    pub(super) message: Option<Text>,
}

impl Failure {
    pub(super) fn of(word: &str) -> Failure {
        Failure { kind: names::word(word), message: None }
    }

    pub(super) fn said(error: &Error) -> Failure {
        let kind = names::word(error.code.as_deref().unwrap_or_default());
        Failure { kind, message: error.message.clone() }
    }
}

/// What happened meanwhile: no more than anybody reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) kept: Vec<Note>,
    pub(super) dropped: usize,
}

impl Notes {
    pub(super) fn add(&mut self, name: &'static str, at: Timestamp, attributes: Vec<Attribute>) {
        if self.kept.len() < NOTES_MAX {
            self.kept.push(Note { name, at, attributes });
        } else {
            self.dropped += 1;
        }
    }
}

impl Call {
    /// Gives an attribute a value, whatever it had before.
    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value.into()));
    }

    pub(super) fn end(&mut self, at: Timestamp, failure: Option<Failure>) {
        self.ended = Some(Ended { at, failure });
    }

    pub(super) fn has_failed(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.failure.is_some())
    }
}
