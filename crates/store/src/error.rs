//! What can go wrong, by what a caller does about it.

use std::fmt;

use history::{BlobId, EventId, OperationId, Place, Stream, Violation};
use value::Text;

use crate::VALUE_MAX;

/// A store cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not there, or is something else. The caller tells the user.
    #[error("{0}")]
    Unusable(String),
    /// Another process held it for longer than one waits. The caller tries again or gives up.
    #[error("{0}")]
    Busy(String),
    /// What is there is not what was written. The caller runs `verify`.
    #[error("the store is damaged: {0}")]
    Damaged(Box<Damage>),
    /// The disk is full. What was asked for was not written; what was acknowledged before stays.
    /// The caller makes room, and asks again.
    #[error("the disk is full")]
    Full,
    /// Writing failed before, so that it is not known what is on the disk. The caller opens the
    /// store again.
    #[error("a write failed before ({0}); open the store again")]
    Poisoned(String),
    /// The system failed.
    #[error("the store cannot be used: {0}")]
    System(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// Where, if it is an event or the place of one.
    pub place: Option<Place>,
    /// Which event, if that is known.
    pub event_id: Option<EventId>,
    /// What is wrong, in a sentence that names no place.
    pub what: String,
}

impl Damage {
    /// Damage at the place of an event.
    pub(crate) fn at(place: Place, what: impl Into<String>) -> Damage {
        Damage { place: Some(place), event_id: None, what: what.into() }
    }
}

/// Damage that is nowhere in particular.
impl From<String> for Damage {
    fn from(what: String) -> Damage {
        Damage { place: None, event_id: None, what }
    }
}

impl From<String> for Box<Damage> {
    fn from(what: String) -> Box<Damage> {
        Box::new(what.into())
    }
}

impl From<&str> for Box<Damage> {
    fn from(what: &str) -> Box<Damage> {
        what.to_string().into()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "`{place}`: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Events were not added.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Somebody else was faster. The caller reads again, and decides again.
    #[error("`{stream}` goes on at {actual}, not at {expected}")]
    Conflict {
        /// Which stream.
        stream: Stream,
        /// The number that the caller expected.
        expected: u64,
        /// The number that the next event has.
        actual: u64,
    },
    /// There is such a stream already. The caller reads it, or takes another id.
    #[error("there is a `{0}` already")]
    Exists(Stream),
    /// An event says that it belongs elsewhere.
    #[error("the `{member}` of an event is `{id}`, and it should stand in `{stream}`")]
    Elsewhere {
        /// Where it should stand.
        stream: Stream,
        /// The member by which it says something else.
        member: &'static str,
        /// What it says.
        id: Text,
    },
    /// Only runs fork, and only from runs.
    #[error("`{0}` is no run, and only runs can be forked")]
    NotARun(Stream),
    /// A fork that does not begin with where it comes from.
    #[error("the first event of `{stream}` is no `run_started` from `{origin}`")]
    NotFrom {
        /// The fork.
        stream: Stream,
        /// The event that it should go on from.
        origin: Place,
    },
    /// A fork of nothing.
    #[error("there is no `{0}` to go on from")]
    NoOrigin(Place),
    /// The key was used for other events.
    #[error("the key was used for other events of `{0}`")]
    KeyReused(Stream),
    /// The key was used for other changes.
    #[error("the key was used for other changes of the shelf `{0}`")]
    ShelfKeyReused(String),
    /// There is no room for what was to be put there ([`crate::Change::IfFewer`]).
    #[error("the shelf `{shelf}` is full: it holds {most} items at most")]
    ShelfFull {
        /// Which shelf.
        shelf: String,
        /// How many items it may hold.
        most: usize,
    },
    /// A value that could not be read again.
    #[error("no store keeps a value that is nested more than {} deep", value::json::DEPTH_MAX)]
    TooDeep,
    /// An event refers to bytes that are not there.
    #[error("there is nothing behind `{0}`")]
    NoBlob(BlobId),
    /// Events would contradict those before them ([`crate::append_checked`]).
    #[error("{}", .0.iter().map(Violation::to_string).collect::<Vec<_>>().join("; "))]
    Unlawful(Vec<Violation>),
    /// An event or a value that no store keeps.
    #[error("no store keeps {0} bytes as one value; {VALUE_MAX} is the most")]
    TooLarge(usize),
    /// Nothing to add.
    #[error("an append needs at least one event")]
    Empty,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A name was not moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// Somebody else moved it. The caller reads again.
    #[error("`{name}` was moved by somebody else")]
    Conflict {
        /// Which name.
        name: String,
        /// The last operation on it.
        actual: Option<OperationId>,
    },
    /// It cannot point there: there is no such event, or another link.
    #[error("there is no `{0}` with this link")]
    NoTarget(Place),
    /// It would leave what it pointed to behind, and nobody said why.
    #[error("`{0}` would not go forward; say why")]
    NeedsReason(String),
    /// A name that cannot be written.
    #[error("`{0}` is no name: it needs letters, digits, `-`, `_`, `.` or `/`")]
    BadName(String),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}
