//! Events as they are read for projections and queries.

use value::Value;

use crate::kinds::{Fact, Kind};
use crate::{BlobId, Event, EventId, Place};

/// An event that was read, at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Where it stands.
    pub place: Place,
    /// Which one.
    pub id: EventId,
    /// Its kind.
    pub kind: Kind,
    /// What it says; nothing where that cannot be read.
    pub fact: Option<Fact>,
}

impl Seen {
    /// Reads an event. Values behind hashes are only asked for where its kind needs to know them:
    /// what holds anything can stay where it is.
    pub fn new(place: Place, event: &Event, blob: impl FnMut(BlobId) -> Option<Value>) -> Seen {
        let fact = event.fact_in_short(blob);
        Seen { place, id: event.id(), kind: event.kind(), fact }
    }
}
