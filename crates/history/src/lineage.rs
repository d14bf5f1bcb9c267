//! The events a run consists of: its parents' up to where it forked, then its own.

use crate::archive::{Archive, Entry, StreamInfo};
use crate::kinds::Kind;
use crate::{Place, Stream};

/// A stretch of one stream's own events.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Whose events.
    pub stream: Stream,
    /// The first of them.
    pub from: u64,
    /// Behind the last of them.
    pub until: u64,
}

/// All stretches that a run up to some place consists of, the oldest first. No event is copied
/// by a fork, so that this is how a fork's history is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Lineage {
    segments: Vec<Segment>,
}

/// How many events are read at once.
const PAGE: usize = 512;

impl Lineage {
    /// The lineage of a stream, up to and without `until`; nothing if there is no such stream.
    pub fn of<A: Archive + ?Sized>(
        archive: &A,
        stream: &Stream,
        until: Option<u64>,
    ) -> Result<Option<Lineage>, A::Error> {
        let Some(mut info) = archive.stream(stream)? else { return Ok(None) };
        let mut until = until.unwrap_or(info.next).min(info.next);
        let mut segments = Vec::new();
        loop {
            if until > info.first {
                segments.push(Segment { stream: info.stream, from: info.first, until });
            }
            let Some(parent) = info.parent else { break };
            // A parent's part ends before its child's begins, so that this comes to an end.
            until = until.min(info.first).min(parent.seq + 1);
            match archive.stream(&parent.stream)? {
                Some(next) if next.first < info.first => info = next,
                _ => break,
            }
        }
        segments.reverse();
        Ok(Some(Lineage { segments }))
    }

    /// A stream's own events, without those of its parents.
    pub fn own(info: &StreamInfo) -> Lineage {
        let stream = info.stream.clone();
        Lineage { segments: vec![Segment { stream, from: info.first, until: info.next }] }
    }

    /// The stretches, the oldest first.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How many events it has; they are numbered from 0.
    pub fn until(&self) -> u64 {
        self.segments.last().map_or(0, |segment| segment.until)
    }

    /// Whose event it is that has this number.
    pub fn owner(&self, seq: u64) -> Option<&Stream> {
        let segment = self.segments.iter().find(|part| part.from <= seq && seq < part.until);
        segment.map(|segment| &segment.stream)
    }

    /// The event of this number.
    pub fn entry<A: Archive + ?Sized>(
        &self,
        archive: &A,
        seq: u64,
    ) -> Result<Option<Entry>, A::Error> {
        match self.owner(seq) {
            Some(owner) => Ok(archive.read(owner, seq, 1)?.pop().filter(|found| found.seq == seq)),
            None => Ok(None),
        }
    }

    /// The event at a place, and where it stands itself: a fork's events before its first are its
    /// parent's.
    pub fn locate<A: Archive + ?Sized>(
        archive: &A,
        place: &Place,
    ) -> Result<Option<(Place, Entry)>, A::Error> {
        let Some(info) = archive.stream(&place.stream)? else { return Ok(None) };
        let owner = if info.first <= place.seq {
            info.stream
        } else {
            let lineage = Lineage::of(archive, &place.stream, Some(place.seq.saturating_add(1)))?;
            match lineage.as_ref().and_then(|lineage| lineage.owner(place.seq)) {
                Some(owner) => owner.clone(),
                None => return Ok(None),
            }
        };
        let entry = archive.read(&owner, place.seq, 1)?.pop();
        let entry = entry.filter(|entry| entry.seq == place.seq);
        Ok(entry.map(|entry| (Place::new(owner, place.seq), entry)))
    }

    /// Shows every event from a number on, in order, until `visit` says that it is enough.
    /// With kinds, only events of these.
    pub fn visit<A: Archive + ?Sized>(
        &self,
        archive: &A,
        kinds: Option<&[Kind]>,
        from: u64,
        mut visit: impl FnMut(Place, Entry) -> Visit,
    ) -> Result<(), A::Error> {
        for segment in &self.segments {
            let mut from = segment.from.max(from);
            while from < segment.until {
                let page = match kinds {
                    Some(kinds) => {
                        archive.read_kinds(&segment.stream, kinds, from, segment.until, PAGE)?
                    }
                    None => {
                        let left = usize::try_from(segment.until - from).unwrap_or(PAGE);
                        archive.read(&segment.stream, from, left.min(PAGE))?
                    }
                };
                let Some(last) = page.last() else { break };
                from = last.seq + 1;
                for entry in page {
                    let place = Place::new(segment.stream.clone(), entry.seq);
                    if visit(place, entry) == Visit::Stop {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// There may be more to see.
    More,
    /// It is enough.
    Stop,
}
