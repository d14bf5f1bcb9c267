//! Questions about histories, asked of any archive. Each is answered from only the kinds of
//! events that it needs, and from no more than its limits allow.
//!
//! A question is asked as of a place (what was known in that run's lineage by then), of a time
//! (what was true then), or of both. Every answer can be had as JSON, and on a line for people.

mod ancestry;
mod approval;
mod calls;
mod events;
mod lineage;
mod policies;
mod questions;
mod reading;
mod resources;
mod run_list;
mod search;
mod sources;

use std::fmt::Display;

pub use ancestry::{Relation, Relative, ancestry};
pub use approval::{Approval, Decision};
pub use calls::{Attempt, Call, Outcome, calls};
pub use events::{Order, Page, Told, run};
pub use lineage::{Derivation, lineage};
pub use policies::{PolicyStep, policies};
pub use questions::{Asked, questions};
pub use resources::{
    Attachment, Live, OpenHandle, Owner, Planned, ResourceState, Snapshot, resources,
};
pub use run_list::{RunFilter, RunState, runs};
pub use search::{Search, search};
pub use sources::Subject;
use value::Value;

use crate::{EventId, Place, Timestamp};

/// From where one looks: what was known at a place, what was true at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct At {
    /// Only what was known in this run's lineage when this event was its last.
    pub place: Option<Place>,
    /// Only what is true at this moment.
    pub time: Option<Timestamp>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QueryError<E> {
    /// The archive could not be read.
    #[error("the archive cannot be read")]
    Archive(#[from] E),
    /// There is nothing of this name.
    #[error("there is no `{0}`")]
    Unknown(String),
    /// One looks from a place that a run has nothing to do with.
    #[error("`{place}` is not part of the history of `{run}`")]
    Elsewhere {
        /// The place.
        place: Place,
        /// The run.
        run: String,
    },
    /// There are too many events for an answer that takes all of them.
    #[error("there are too many events; ask about one run, or as of an earlier place")]
    TooMany,
    /// Several events begin with these digits.
    #[error("`{prefix}` is the beginning of several events")]
    Ambiguous {
        /// The digits.
        prefix: String,
        /// Some of the events.
        events: Vec<EventId>,
    },
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The answers, in order.
    pub items: Vec<T>,
    /// Whether there may be more.
    pub truncated: bool,
}

/// One answer.
pub trait Item {
    /// For programs.
    fn value(&self) -> Value;

    /// For people.
    fn line(&self) -> String;
}

impl<T: Item> Found<T> {
    /// All of it, for programs.
    pub fn value(&self) -> Value {
        Value::map([
            ("items", Value::list(self.items.iter().map(T::value))),
            ("truncated", self.truncated.into()),
        ])
    }
}

impl<T> Found<T> {
    /// The first answers of all.
    fn first(mut items: Vec<T>, limit: usize, truncated: bool) -> Found<T> {
        let truncated = truncated || items.len() > limit;
        items.truncate(limit);
        Found { items, truncated }
    }
}

/// As text.
fn shown(item: impl Display) -> Value {
    item.to_string().into()
}

/// As text, if it is there.
fn maybe(item: Option<impl Display>) -> Value {
    item.map(shown).into()
}

/// The words that say something, with spaces between them.
fn joined(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
