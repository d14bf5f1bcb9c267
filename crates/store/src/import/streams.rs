//! Events: where each belongs, and whether it is there already.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, Severity};
use history::kinds::records::Origin;
use history::kinds::{self, Kind};
use history::{Event, EventId, Lineage, Link, Place, Stream, StreamInfo, chain};
use value::{Digest, Map, Pointer};

use super::lines::{Current, Lines, Stretches};
use super::{Import, ImportError, findings, values};
use crate::{Append, Durability, Expected};

/// So many events of a stream are added at once.
const BATCH: usize = 1000;

/// So many bytes of events wait at most to be added, of all streams together.
const PENDING_MAX: usize = 16 << 20;

/// So many places of events that were there before are remembered at most.
const KNOWN_MAX: usize = 1 << 16;

/// How many of them are looked up at once.
const PAGE: usize = 256;

/// What is known of the streams that the file speaks of.
#[derive(Default)]
pub(super) struct Streams {
    states: BTreeMap<Stream, State>,
    /// Bytes of events that wait to be added.
    pending: usize,
    /// Places that are remembered.
    known: usize,
    /// Whether what a stream waits for will not come any more.
    is_hopeless: bool,
}

enum State {
    Open(Open),
    /// It goes on from an event that is not there yet.
    Waiting(Waiting),
    /// A line of it could not be taken.
    Stopped,
}

/// A stream that can be added to.
struct Open {
    genesis: Digest,
    /// The number behind its last event when the import came to it.
    before: u64,
    /// The number that the next event has.
    next: u64,
    link: Option<Link>,
    /// Where the first event belongs that waits.
    expected: Expected,
    pending: Vec<Event>,
    pending_ids: BTreeSet<EventId>,
    /// Some events that are there, one after another.
    known: Vec<(u64, EventId, Link)>,
    /// Where an event that is there already would be, if the file was imported before.
    cursor: u64,
}

struct Waiting {
    lines: Stretches,
    origin: Origin,
    /// Whether a later line could not be taken.
    is_stopped: bool,
}

/// What is to be done about a line, by the stream it belongs to.
enum Found {
    Absent,
    Open,
    Left,
}

impl Import<'_> {
    /// An event that says its place.
    pub(super) fn placed(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        seq: u64,
        link: Link,
        event: Event,
    ) -> Result<(), ImportError> {
        let found = self.find(current, stream)?;
        if matches!(found, Found::Left) {
            return Ok(());
        }
        let members = event.members();
        if let Some((name, owner)) = stream.contradicted_by(&members) {
            return self.refuse(current, stream, findings::wrong_stream(stream, name, &owner));
        }
        if matches!(found, Found::Absent) {
            match self.begin_placed(stream, seq, &event, &members)? {
                Begin::Open(open) => self.open_new(stream, open),
                Begin::Wait(origin) => {
                    self.wait(current, stream, origin);
                    return Ok(());
                }
                Begin::Refuse(found) => return self.refuse(current, stream, found),
            }
        }
        let place = Place::new(stream.clone(), seq);
        let open = self.streams.open(stream);
        if seq > open.next {
            let found = findings::gap(stream, open.next, seq);
            return self.refuse(current, stream, found);
        }
        if seq < open.next {
            let there = self.there(stream, seq)?;
            if there == Some((event.id(), link)) {
                self.findings.done.repeated += 1;
                return Ok(());
            }
            let found = findings::diverges(&place, there.map(|(id, _)| id));
            return self.refuse(current, stream, found);
        }
        let computed = open.link_of(event.id());
        if computed != link {
            return self.refuse(current, stream, findings::broken_link(&place, computed));
        }
        self.add(current, stream, event, &members, &Pointer::root().child("event"))
    }

    /// An event that stands alone: it follows the one before it in its stream.
    pub(super) fn bare(&mut self, current: &Current<'_>, event: Event) -> Result<(), ImportError> {
        if self.lost_at.is_some_and(|line| current.spot.number > line) {
            self.findings.done.left += 1;
            return Ok(());
        }
        let members = event.members();
        let stream = Event::stream(&members);
        match self.find(current, &stream)? {
            Found::Left => return Ok(()),
            Found::Open => {
                if let Some(is_new) = self.is_repeated(&stream, event.id())? {
                    self.findings.done.repeated += 1;
                    if is_new {
                        self.findings.add(current, findings::repeated_event(&stream));
                    }
                    return Ok(());
                }
            }
            Found::Absent => {
                let open = match origin_of(&event, &members) {
                    None => Open::new(&stream),
                    Some(origin) => match self.origin(&origin)? {
                        Some((place, link)) => Open::fork(&stream, place, link),
                        None if self.streams.is_hopeless => {
                            let found = findings::origin_unknown(&stream, &place_of(&origin));
                            self.findings.add(current, found);
                            Open::new(&stream)
                        }
                        None => {
                            self.wait(current, &stream, origin);
                            return Ok(());
                        }
                    },
                };
                self.open_new(&stream, open);
            }
        }
        self.add(current, &stream, event, &members, &Pointer::root())
    }

    /// Stops a stream: what follows in the file would lose its order. Says so.
    pub(super) fn stop(
        &mut self,
        stream: &Stream,
        found: &mut Diagnostic,
    ) -> Result<(), ImportError> {
        match self.streams.states.get_mut(stream) {
            Some(State::Stopped) => return Ok(()),
            Some(State::Waiting(waiting)) if waiting.is_stopped => return Ok(()),
            Some(State::Waiting(waiting)) => waiting.is_stopped = true,
            Some(State::Open(_)) => {
                self.flush(stream)?;
                self.streams.close(stream);
            }
            None => {
                self.streams.states.insert(stream.clone(), State::Stopped);
            }
        }
        let rest = format!("the rest of `{stream}` in this file is not taken");
        findings::add_help(found, &rest);
        Ok(())
    }

    fn refuse(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        mut found: Diagnostic,
    ) -> Result<(), ImportError> {
        self.stop(stream, &mut found)?;
        self.findings.add(current, found);
        Ok(())
    }

    /// Takes the streams that waited for others, and adds whatever is left to be added.
    pub(super) fn settle(&mut self, lines: &mut Lines<'_>) -> Result<(), ImportError> {
        loop {
            let waiting = self.streams.waiting();
            if waiting.is_empty() {
                return self.flush_all();
            }
            let mut has_moved = false;
            for (stream, origin) in &waiting {
                if self.origin(origin)?.is_some() {
                    self.take_again(stream, lines)?;
                    has_moved = true;
                }
            }
            if !has_moved {
                // What waits for nobody who waits comes first, so that each finding is a cause.
                let waits = |run| waiting.iter().any(|(stream, _)| stream.run_id() == Some(run));
                let cause = waiting.iter().find(|(_, origin)| !waits(&origin.run_id));
                let (stream, _) = cause.unwrap_or(&waiting[0]);
                self.streams.is_hopeless = true;
                self.take_again(stream, lines)?;
                self.streams.is_hopeless = false;
            }
        }
    }

    fn take_again(&mut self, stream: &Stream, lines: &mut Lines<'_>) -> Result<(), ImportError> {
        let Some(State::Waiting(waiting)) = self.streams.states.remove(stream) else {
            return Ok(());
        };
        for (from, count) in waiting.lines.iter() {
            lines.go_to(from)?;
            for _ in 0..count {
                if let Some(spot) = lines.read()? {
                    self.line(spot, lines)?;
                }
            }
        }
        if waiting.is_stopped {
            self.flush(stream)?;
            self.streams.close(stream);
        }
        Ok(())
    }

    /// What is known of a stream. A line of one that waits is put aside.
    fn find(&mut self, current: &Current<'_>, stream: &Stream) -> Result<Found, ImportError> {
        match self.streams.states.get_mut(stream) {
            Some(State::Open(_)) => return Ok(Found::Open),
            Some(State::Waiting(waiting)) if !waiting.is_stopped => {
                waiting.lines.add(current);
                return Ok(Found::Left);
            }
            Some(State::Waiting(_) | State::Stopped) => {
                self.findings.done.left += 1;
                return Ok(Found::Left);
            }
            None => {}
        }
        match self.store.stream(stream)? {
            None => Ok(Found::Absent),
            Some(info) => {
                self.open_new(stream, Open::there(&info));
                Ok(Found::Open)
            }
        }
    }

    fn open_new(&mut self, stream: &Stream, open: Open) {
        self.streams.states.insert(stream.clone(), State::Open(open));
    }

    fn wait(&mut self, current: &Current<'_>, stream: &Stream, origin: Origin) {
        let mut lines = Stretches::default();
        lines.add(current);
        let waiting = Waiting { lines, origin, is_stopped: false };
        self.streams.states.insert(stream.clone(), State::Waiting(waiting));
    }

    /// How a stream begins whose first line says its place.
    fn begin_placed(
        &mut self,
        stream: &Stream,
        seq: u64,
        event: &Event,
        members: &Map,
    ) -> Result<Begin, ImportError> {
        if seq == 0 {
            return Ok(Begin::Open(Open::new(stream)));
        }
        let Some(origin) = origin_of(event, members) else {
            return Ok(Begin::Refuse(findings::gap(stream, 0, seq)));
        };
        let place = place_of(&origin);
        if place.seq + 1 != seq {
            return Ok(Begin::Refuse(findings::origin_elsewhere(stream, &place, seq)));
        }
        match self.origin(&origin)? {
            Some((place, link)) => Ok(Begin::Open(Open::fork(stream, place, link))),
            None if self.streams.is_hopeless => {
                Ok(Begin::Refuse(findings::no_origin(stream, &place, &origin.event_id)))
            }
            None => Ok(Begin::Wait(origin)),
        }
    }

    /// The event that a fork goes on from, if it is there.
    fn origin(&mut self, origin: &Origin) -> Result<Option<(Place, Link)>, ImportError> {
        let place = place_of(origin);
        self.flush(&place.stream)?;
        let lineage = Lineage::of(self.store, &place.stream, Some(place.seq.saturating_add(1)))?;
        let entry = match lineage {
            Some(lineage) => lineage.entry(self.store, place.seq)?,
            None => None,
        };
        let entry = entry.filter(|entry| entry.event.id() == origin.event_id);
        Ok(entry.map(|entry| (place, entry.link)))
    }

    /// Whether a stream or what it goes on from has an event, and if so, whether it is new.
    fn is_repeated(&mut self, stream: &Stream, id: EventId) -> Result<Option<bool>, ImportError> {
        let open = self.streams.open(stream);
        if open.pending_ids.contains(&id) {
            return Ok(Some(true));
        }
        let (cursor, before) = (open.cursor, open.before);
        if cursor < before && self.there(stream, cursor)?.is_some_and(|(there, _)| there == id) {
            self.streams.open(stream).cursor += 1;
            return Ok(Some(false));
        }
        let Some(place) = self.lookup(stream, id)? else { return Ok(None) };
        if place.stream == *stream {
            self.streams.open(stream).cursor = place.seq + 1;
        }
        let is_new = match self.streams.states.get(&place.stream) {
            Some(State::Open(open)) => place.seq >= open.before,
            _ => false,
        };
        Ok(Some(is_new))
    }

    /// Where a stream, or what it goes on from, has an event.
    fn lookup(&self, stream: &Stream, id: EventId) -> Result<Option<Place>, ImportError> {
        let prefix = id.to_string();
        let mut limit = 8;
        loop {
            let found = self.store.find(&prefix, limit)?;
            let is_all = found.len() < limit;
            if let Some((place, _)) = found.iter().find(|(place, _)| place.stream == *stream) {
                return Ok(Some(place.clone()));
            }
            if is_all && !found.is_empty() {
                let Some(lineage) = Lineage::of(self.store, stream, None)? else { return Ok(None) };
                let in_lineage = |place: &Place| lineage.owner(place.seq) == Some(&place.stream);
                return Ok(found.into_iter().map(|(place, _)| place).find(in_lineage));
            }
            if is_all {
                return Ok(None);
            }
            limit *= 8;
        }
    }

    /// The event that an open stream has at a number.
    fn there(&mut self, stream: &Stream, seq: u64) -> Result<Option<(EventId, Link)>, ImportError> {
        let open = self.streams.open(stream);
        if seq >= open.next - open.pending.len() as u64 {
            self.flush(stream)?;
        }
        if let Some(known) = self.streams.open(stream).known(seq) {
            return Ok(Some(known));
        }
        let page = self.store.read(stream, seq, PAGE)?;
        let page = page.iter().map(|entry| (entry.seq, entry.event.id(), entry.link)).collect();
        self.streams.remember(stream, page);
        Ok(self.streams.open(stream).known(seq))
    }

    /// Adds an event at the end of its stream, and says what is odd about it.
    fn add(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        event: Event,
        members: &Map,
        base: &Pointer,
    ) -> Result<(), ImportError> {
        for flaw in kinds::flaws(members) {
            self.findings.add(current, flaw.diagnostic(base));
        }
        self.check_blobs(current, members, base)?;
        let size = event.body().len();
        let open = self.streams.open(stream);
        self.findings.done.runs += u64::from(open.next == open.before);
        self.findings.done.added += 1;
        open.link = Some(open.link_of(event.id()));
        open.next += 1;
        open.pending_ids.insert(event.id());
        open.pending.push(event);
        let is_full = open.pending.len() >= BATCH;
        self.streams.pending += size;
        if self.streams.pending > PENDING_MAX {
            self.flush_all()
        } else if is_full {
            self.flush(stream)
        } else {
            Ok(())
        }
    }

    fn check_blobs(
        &mut self,
        current: &Current<'_>,
        members: &Map,
        base: &Pointer,
    ) -> Result<(), ImportError> {
        for (name, member) in members.iter() {
            let Some(id) = kinds::referenced(member) else { continue };
            if values::is_there(self.store, id)? {
                continue;
            }
            let mut found = findings::missing_blob(base, name, id);
            // Nobody promised that what stands beside an event that stands alone comes with it.
            let is_alone = base.as_str().is_empty();
            if is_alone && !self.findings.importing.strict {
                found.severity = Severity::Warning;
            }
            self.findings.add(current, found);
        }
        Ok(())
    }

    /// Adds the events of a stream that wait.
    fn flush(&mut self, stream: &Stream) -> Result<(), ImportError> {
        let Some(State::Open(open)) = self.streams.states.get_mut(stream) else { return Ok(()) };
        if open.pending.is_empty() {
            return Ok(());
        }
        self.store.append(&Append {
            stream,
            expected: open.expected.clone(),
            events: &open.pending,
            blobs: &[],
            key: None,
            durability: Durability::Group,
            unverified: true,
        })?;
        self.streams.pending -= open.pending.iter().map(|event| event.body().len()).sum::<usize>();
        open.expected = Expected::Next(open.next);
        open.pending.clear();
        open.pending_ids.clear();
        Ok(())
    }

    fn flush_all(&mut self) -> Result<(), ImportError> {
        let is_pending =
            |state: &State| matches!(state, State::Open(open) if !open.pending.is_empty());
        let states = self.streams.states.iter();
        let pending: Vec<Stream> = states
            .filter(|(_, state)| is_pending(state))
            .map(|(stream, _)| stream.clone())
            .collect();
        pending.iter().try_for_each(|stream| self.flush(stream))
    }
}

/// How a stream begins.
enum Begin {
    Open(Open),
    Wait(Origin),
    Refuse(Diagnostic),
}

impl Streams {
    /// INVARIANT: only asked for streams that were found open.
    fn open(&mut self, stream: &Stream) -> &mut Open {
        match self.states.get_mut(stream) {
            Some(State::Open(open)) => open,
            _ => unreachable!("the stream is open"),
        }
    }

    fn close(&mut self, stream: &Stream) {
        self.remember(stream, Vec::new());
        self.states.insert(stream.clone(), State::Stopped);
    }

    fn waiting(&self) -> Vec<(Stream, Origin)> {
        let waiting = self.states.iter().filter_map(|(stream, state)| match state {
            State::Waiting(waiting) => Some((stream.clone(), waiting.origin.clone())),
            _ => None,
        });
        waiting.collect()
    }

    /// Remembers some events of a stream, and forgets others when that would be too many.
    fn remember(&mut self, stream: &Stream, page: Vec<(u64, EventId, Link)>) {
        if self.known > KNOWN_MAX {
            self.known = 0;
            for state in self.states.values_mut() {
                if let State::Open(open) = state {
                    open.known = Vec::new();
                }
            }
        }
        if let Some(State::Open(open)) = self.states.get_mut(stream) {
            self.known = self.known + page.len() - open.known.len();
            open.known = page;
        }
    }
}

impl Open {
    /// A stream that begins with its first event.
    fn new(stream: &Stream) -> Open {
        Open::at(stream, 0, None, Expected::New)
    }

    /// A stream that goes on from another one's event.
    fn fork(stream: &Stream, origin: Place, link: Link) -> Open {
        Open::at(stream, origin.seq + 1, Some(link), Expected::Fork(origin))
    }

    /// A stream that is there.
    fn there(info: &StreamInfo) -> Open {
        let expected = Expected::Next(info.next);
        let open = Open::at(&info.stream, info.next, Some(info.link), expected);
        Open { cursor: info.first, ..open }
    }

    fn at(stream: &Stream, next: u64, link: Option<Link>, expected: Expected) -> Open {
        Open {
            genesis: chain::genesis(stream),
            before: next,
            next,
            link,
            expected,
            pending: Vec::new(),
            pending_ids: BTreeSet::new(),
            known: Vec::new(),
            cursor: next,
        }
    }

    /// The link that the next event has.
    fn link_of(&self, id: EventId) -> Link {
        chain::link(&self.genesis, self.next, self.link, id)
    }

    fn known(&self, seq: u64) -> Option<(EventId, Link)> {
        let (first, ..) = self.known.first()?;
        let at = usize::try_from(seq.checked_sub(*first)?).ok()?;
        self.known.get(at).filter(|(there, ..)| *there == seq).map(|(_, id, link)| (*id, *link))
    }
}

/// What a run goes on from, if its first event says so.
fn origin_of(event: &Event, members: &Map) -> Option<Origin> {
    let is_start = event.kind() == Kind::RunStarted;
    let from = members.get("from").filter(|_| is_start)?.as_map()?;
    Origin::from_members(from).filter(|origin| origin.seq >= 0)
}

fn place_of(origin: &Origin) -> Place {
    // INVARIANT: `origin_of` leaves out negative numbers.
    Place::new(Stream::Run(origin.run_id.clone()), origin.seq.unsigned_abs())
}
