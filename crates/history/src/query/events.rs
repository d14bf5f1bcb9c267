//! The events of a run, in order.

use value::{Text, Value};

use super::reading::{EVENTS_MAX, lineage_of, members_hold};
use super::{At, Found, Item, QueryError, joined, shown};
use crate::archive::{Archive, Entry};
use crate::kinds::{Kind, summary};
use crate::{Event, Lineage, Place, Visit};

/// Which end comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// From the first event on.
    #[default]
    Oldest,
    /// From the last event back.
    Newest,
}

/// Which part of an answer is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Which end comes first.
    pub order: Order,
    /// The number of the first event that is wanted; the very first if it is not said.
    pub from: Option<u64>,
    /// How many are wanted.
    pub limit: usize,
}

/// An event at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Where it stands.
    pub place: Place,
    /// The event.
    pub event: Event,
}

/// All events of a run, its parents' first. This needs every kind.
pub fn run<A: Archive + ?Sized>(
    archive: &A,
    run: &Text,
    at: &At,
    page: &Page,
) -> Result<Found<Told>, QueryError<A::Error>> {
    let lineage = lineage_of(archive, run, at)?;
    let (mut items, mut left) = (Vec::new(), EVENTS_MAX);
    walk(archive, &lineage, None, page.order, page.from, |place, entry| {
        if left == 0 {
            return Visit::Stop;
        }
        left -= 1;
        let told = Told { place, event: entry.event };
        if at.time.is_none() || members_hold(&told.event.members(), at) {
            items.push(told);
        }
        if items.len() > page.limit { Visit::Stop } else { Visit::More }
    })?;
    Ok(Found::first(items, page.limit, left == 0))
}

/// How many events are read at once on the way back, about.
const PAGE: usize = 512;

/// The smallest and the largest part of a stream that is looked at on the way back.
const PART_MIN: u64 = 64;
const PART_MAX: u64 = 65_536;

/// Shows the events of a lineage from a number on, or from a number back.
pub(super) fn walk<A: Archive + ?Sized>(
    archive: &A,
    lineage: &Lineage,
    kinds: Option<&[Kind]>,
    order: Order,
    from: Option<u64>,
    mut visit: impl FnMut(Place, Entry) -> Visit,
) -> Result<(), A::Error> {
    if order == Order::Oldest {
        return lineage.visit(archive, kinds, from.unwrap_or(0), visit);
    }
    let end = from.map_or(u64::MAX, |from| from.saturating_add(1));
    // Where events of these kinds are rare, larger and larger parts are looked at.
    let mut step = PART_MIN;
    for segment in lineage.segments().iter().rev() {
        let mut until = segment.until.min(end);
        while until > segment.from {
            let from = until.saturating_sub(step).max(segment.from);
            let room = usize::try_from(until - from).unwrap_or(usize::MAX);
            let mut part = match kinds {
                Some(kinds) => archive.read_kinds(&segment.stream, kinds, from, until, room)?,
                None => archive.read(&segment.stream, from, room)?,
            };
            step = if part.len() < PAGE { PART_MAX.min(step * 2) } else { PAGE as u64 };
            until = from;
            part.reverse();
            for entry in part {
                if visit(Place::new(segment.stream.clone(), entry.seq), entry) == Visit::Stop {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

impl Item for Told {
    fn value(&self) -> Value {
        let members = self.event.members();
        let member = |name| members.get(name).cloned().unwrap_or_default();
        Value::map([
            ("place", shown(&self.place)),
            ("seq", Value::Int(self.place.seq.cast_signed())),
            ("event_id", self.event.id().into()),
            ("kind", member("kind")),
            ("ts", member("ts")),
            ("at", member("at")),
            ("summary", summary(&self.event, |_| None).into()),
            ("event", self.event.value()),
        ])
    }

    fn line(&self) -> String {
        let members = self.event.members();
        let kind = members.get("kind").and_then(Value::as_text).map(|kind| kind.to_string());
        joined([self.place.to_string(), kind.unwrap_or_default(), summary(&self.event, |_| None)])
    }
}
