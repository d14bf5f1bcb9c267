//! How queries read an archive.

use value::{Map, Text};

use super::{At, QueryError};
use crate::archive::{Archive, Entry, StreamInfo};
use crate::kinds::{Fact, Kind};
use crate::projection::Seen;
use crate::{Lineage, Place, Stream, Timestamp, Visit};

/// No query reads more events than this.
pub(super) const EVENTS_MAX: usize = 1_000_000;

/// No query looks at more streams than this.
pub(super) const STREAMS_MAX: usize = 100_000;

/// How many streams are asked for at once.
const PAGE: usize = 512;

/// Events that were read, and whether there were too many.
#[derive(Default)]
pub(super) struct Events {
    pub(super) seen: Vec<Seen>,
    pub(super) truncated: bool,
}

impl Events {
    /// All of them: what is so now cannot be told from the older ones alone.
    pub(super) fn whole<E>(self) -> Result<Vec<Seen>, QueryError<E>> {
        if self.truncated { Err(QueryError::TooMany) } else { Ok(self.seen) }
    }
}

/// The lineage that a question about a run is about: that of the place from which one looks, which
/// is in the run's own lineage or in that of a fork of it.
pub(super) fn lineage_of<A: Archive + ?Sized>(
    archive: &A,
    run: &Text,
    at: &At,
) -> Result<Lineage, QueryError<A::Error>> {
    let stream = Stream::Run(run.clone());
    let own = Lineage::of(archive, &stream, None)?;
    let own = own.ok_or_else(|| QueryError::Unknown(run.to_string()))?;
    let Some(place) = &at.place else { return Ok(own) };
    let then = lineage_at(archive, place)?;
    let is_before = own.owner(place.seq) == then.owner(place.seq);
    let is_fork = then.segments().iter().any(|segment| segment.stream == stream);
    if is_before || is_fork {
        return Ok(then);
    }
    Err(QueryError::Elsewhere { place: place.clone(), run: run.to_string() })
}

/// All that was known at a place.
pub(super) fn lineage_at<A: Archive + ?Sized>(
    archive: &A,
    place: &Place,
) -> Result<Lineage, QueryError<A::Error>> {
    let lineage = Lineage::of(archive, &place.stream, Some(place.seq.saturating_add(1)))?;
    let lineage = lineage.filter(|lineage| lineage.until() > place.seq);
    lineage.ok_or_else(|| QueryError::Unknown(place.to_string()))
}

/// Reads a lineage's events of some kinds.
pub(super) fn read_lineage<A: Archive + ?Sized>(
    archive: &A,
    lineage: &Lineage,
    kinds: &[Kind],
    events: &mut Events,
) -> Result<(), A::Error> {
    let mut failed = None;
    lineage.visit(archive, Some(kinds), 0, |place, entry| {
        if events.seen.len() >= EVENTS_MAX {
            events.truncated = true;
            return Visit::Stop;
        }
        match see(archive, place, &entry) {
            Ok(seen) => events.seen.push(seen),
            Err(error) => {
                failed = Some(error);
                return Visit::Stop;
            }
        }
        Visit::More
    })?;
    failed.map_or(Ok(()), Err)
}

/// Reads an event, with what it needs from behind hashes.
pub(super) fn see<A: Archive + ?Sized>(
    archive: &A,
    place: Place,
    entry: &Entry,
) -> Result<Seen, A::Error> {
    let mut failed = None;
    let seen = Seen::new(place, &entry.event, |id| {
        archive.value(id).unwrap_or_else(|error| {
            failed = Some(error);
            None
        })
    });
    failed.map_or(Ok(seen), Err)
}

/// Shows every stream, in the order of their names. Says whether there were too many.
pub(super) fn each_stream<A: Archive + ?Sized, E: From<A::Error>>(
    archive: &A,
    mut visit: impl FnMut(StreamInfo) -> Result<(), E>,
) -> Result<bool, E> {
    let mut after: Option<Stream> = None;
    let mut count = 0;
    loop {
        let page = archive.streams(after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { return Ok(false) };
        after = Some(last.stream.clone());
        for info in page {
            if count == STREAMS_MAX {
                return Ok(true);
            }
            count += 1;
            visit(info)?;
        }
    }
}

/// How a run began: its own first word, or else its first word of that kind.
pub(super) fn beginning<A: Archive + ?Sized>(
    archive: &A,
    info: &StreamInfo,
) -> Result<Option<Seen>, A::Error> {
    let mut first = archive.read(&info.stream, info.first, 1)?;
    if first.first().is_some_and(|entry| entry.event.kind() != Kind::RunStarted) {
        let started = [Kind::RunStarted];
        let found = archive.read_kinds(&info.stream, &started, info.first, info.next, 1)?;
        if !found.is_empty() {
            first = found;
        }
    }
    let place = |entry: &Entry| Place::new(info.stream.clone(), entry.seq);
    first.first().map(|entry| see(archive, place(entry), entry)).transpose()
}

/// When an event happened.
pub(super) fn ts(seen: &Seen) -> Option<Timestamp> {
    seen.fact.as_ref().map(|fact| fact.common.ts)
}

/// Whether what an event says holds at a time.
pub(super) fn holds(fact: &Fact, at: &At) -> bool {
    let from = fact.common.valid_at.unwrap_or(fact.common.ts);
    at.time.is_none_or(|time| from <= time)
}

/// The same for an event that need not be of a known kind.
pub(super) fn members_hold(members: &Map, at: &At) -> bool {
    let moment = |name| Timestamp::parse(members.get(name)?.as_text()?);
    let from = moment("valid_at").or_else(|| moment("ts"));
    at.time.is_none_or(|time| from.is_some_and(|from| from <= time))
}
