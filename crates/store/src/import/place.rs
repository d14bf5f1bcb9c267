//! Where each event belongs, and how its stream begins.

use std::collections::{BTreeMap, VecDeque};

use diagnostics::Diagnostic;
use history::kinds::records::Origin;
use history::kinds::{Kind, referenced};
use history::{Event, EventId, Lineage, Link, Place, Stream};
use value::{Map, Pointer, Text};

use super::lines::{Current, Lines, Stretches};
use super::streams::{Open, State, Waiting};
use super::{Import, ImportError, findings};

/// What is to be done about a line, by the stream it belongs to.
enum Found {
    Absent,
    Open,
    Left,
}

/// The run that a fork goes on from.
fn run(origin: Origin) -> Stream {
    Stream::Run(origin.run_id)
}

/// How a stream begins.
enum Begin {
    Open(Open),
    Wait(Origin),
    Refuse(Diagnostic),
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
            let begin = self.begin_placed(stream, seq, &event, &members)?;
            if !self.begin(current, stream, begin)? {
                return Ok(());
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
                let open = self.streams.open(stream);
                open.last = open.last.max(Some(seq));
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
        if self.is_lost(current.spot) {
            self.findings.done.left += 1;
            return Ok(());
        }
        let members = event.members();
        let stream = Event::stream(&members);
        match self.find(current, &stream)? {
            Found::Left => return Ok(()),
            Found::Open => {
                let seq = self.known(&stream, event.id())?;
                self.check_order(current, &stream, seq);
                if let Some(seq) = seq {
                    self.findings.done.repeated += 1;
                    if seq >= self.streams.open(&stream).before {
                        self.findings.add(
                            current,
                            findings::repeated_event(&stream, self.findings.importing.strict),
                        );
                    }
                    return Ok(());
                }
                if self.is_driven_here(&stream)? {
                    return self.refuse(current, &stream, findings::driven_here(&stream));
                }
            }
            Found::Absent => {
                let begin = self.begin_bare(current, &stream, &event, &members)?;
                if !self.begin(current, &stream, begin)? {
                    return Ok(());
                }
            }
        }
        self.add(current, &stream, event, &members, &Pointer::root())
    }

    /// Whether a stream that was there before is a run of the engine. Only whoever drives such a run
    /// says how it goes on, and an export of it says where each event stands: else anybody who
    /// writes a file could answer for a person.
    fn is_driven_here(&mut self, stream: &Stream) -> Result<bool, ImportError> {
        let open = self.streams.open(stream);
        let (first, is_next) = (open.first, open.next == open.before);
        if !is_next || stream.run_id().is_none() {
            return Ok(false);
        }
        let begin = self.store.read(stream, first, 1)?;
        Ok(begin.first().is_some_and(|entry| {
            let members = entry.event.members();
            let is_ours = |name: &&str| members.get(name).is_some();
            entry.event.kind() == Kind::RunStarted && ["options", "versions"].iter().any(is_ours)
        }))
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
        let mut waiting = self.streams.waiting();
        let mut of_run: BTreeMap<Text, Vec<Stream>> = BTreeMap::new();
        for (stream, origin) in &waiting {
            of_run.entry(origin.run_id.clone()).or_default().push(stream.clone());
        }
        let mut ready: VecDeque<Stream> = waiting.keys().cloned().collect();
        while !waiting.is_empty() {
            let stream = match ready.pop_front() {
                Some(stream) => match waiting.get(&stream) {
                    Some(origin) if self.origin(origin)?.is_some() => stream,
                    _ => continue,
                },
                None => {
                    self.streams.is_hopeless = true;
                    first_cause(&waiting).clone()
                }
            };
            let origin = waiting.remove(&stream);
            let is_hopeless = std::mem::take(&mut self.streams.is_hopeless);
            if is_hopeless && origin.is_some_and(|origin| self.streams.is_stopped(&run(origin))) {
                self.leave(&stream);
            } else {
                self.streams.is_hopeless = is_hopeless;
                self.take_again(&stream, lines)?;
                self.streams.is_hopeless = false;
            }
            let others = stream.run_id().and_then(|run| of_run.remove(run));
            ready.extend(others.into_iter().flatten());
        }
        self.flush_all()
    }

    /// Leaves out a stream that goes on from what was left out. Why that was has been said.
    fn leave(&mut self, stream: &Stream) {
        let left = self.streams.states.insert(stream.clone(), State::Stopped);
        if let Some(State::Waiting(waiting)) = left {
            self.findings.done.left +=
                waiting.lines.iter().map(|(_, count)| count as u64).sum::<u64>();
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
                self.streams.states.insert(stream.clone(), State::Open(Open::there(&info)));
                Ok(Found::Open)
            }
        }
    }

    /// Begins a stream, and says whether its first event can be taken now.
    fn begin(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        begin: Begin,
    ) -> Result<bool, ImportError> {
        let (state, is_open) = match begin {
            Begin::Open(open) => (State::Open(open), true),
            Begin::Wait(origin) => {
                let mut lines = Stretches::default();
                lines.add(current);
                (State::Waiting(Waiting { lines, origin, is_stopped: false }), false)
            }
            Begin::Refuse(found) => {
                self.refuse(current, stream, found)?;
                return Ok(false);
            }
        };
        self.streams.states.insert(stream.clone(), state);
        Ok(is_open)
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
        let Some(origin) = origin_of(stream, event, members) else {
            return Ok(Begin::Refuse(findings::gap(stream, 0, seq)));
        };
        let place = place_of(&origin);
        if place.seq + 1 != seq {
            return Ok(Begin::Refuse(findings::origin_elsewhere(stream, &place, seq)));
        }
        match self.origin(&origin)? {
            Some((place, link)) => Ok(Begin::Open(Open::fork(stream, place, link))),
            None if self.streams.is_hopeless => {
                let there = self.event_at(&place)?;
                Ok(Begin::Refuse(findings::no_origin(stream, &place, &origin.event_id, there)))
            }
            None => Ok(Begin::Wait(origin)),
        }
    }

    /// How a stream begins whose first line is an event alone.
    fn begin_bare(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        event: &Event,
        members: &Map,
    ) -> Result<Begin, ImportError> {
        let Some(origin) = origin_of(stream, event, members) else {
            if says_no_origin(event, members) {
                self.findings
                    .add(current, findings::no_origin_said(stream, self.findings.importing.strict));
            }
            return Ok(Begin::Open(Open::new(stream)));
        };
        match self.origin(&origin)? {
            Some((place, link)) => Ok(Begin::Open(Open::fork(stream, place, link))),
            None if self.streams.is_hopeless => {
                let place = place_of(&origin);
                let there = self.event_at(&place)?;
                self.findings.add(
                    current,
                    findings::origin_unknown(stream, &place, there, self.findings.importing.strict),
                );
                Ok(Begin::Open(Open::new(stream)))
            }
            None => Ok(Begin::Wait(origin)),
        }
    }

    /// The event that a fork goes on from, if it is there.
    fn origin(&mut self, origin: &Origin) -> Result<Option<(Place, Link)>, ImportError> {
        let place = place_of(origin);
        self.flush(&place.stream)?;
        let found = Lineage::locate(self.store, &place)?;
        let found = found.filter(|(_, entry)| entry.event.id() == origin.event_id);
        Ok(found.map(|(_, entry)| (place, entry.link)))
    }

    fn event_at(&self, place: &Place) -> Result<Option<EventId>, ImportError> {
        Ok(Lineage::locate(self.store, place)?.map(|(_, entry)| entry.event.id()))
    }
}

/// What a run goes on from, if its first event says so.
fn origin_of(stream: &Stream, event: &Event, members: &Map) -> Option<Origin> {
    let is_start = event.kind() == Kind::RunStarted && stream.run_id().is_some();
    let from = members.get("from").filter(|_| is_start)?.as_map()?;
    Origin::from_members(from).filter(|origin| origin.seq >= 0)
}

/// Whether a run names no event to go on from, although by the table nothing is wrong with `from`:
/// its number is negative, or it stands behind a hash.
fn says_no_origin(event: &Event, members: &Map) -> bool {
    let is_start = event.kind() == Kind::RunStarted && Event::stream(members).run_id().is_some();
    let from = members.get("from").filter(|_| is_start);
    from.is_some_and(|from| {
        referenced(from).is_some() || from.as_map().and_then(Origin::from_members).is_some()
    })
}

fn place_of(origin: &Origin) -> Place {
    // INVARIANT: `origin_of` leaves out negative numbers.
    Place::new(Stream::Run(origin.run_id.clone()), origin.seq.unsigned_abs())
}

/// A stream that waits for nobody who waits, so that what is said about it is a cause; any one if
/// they wait for each other.
fn first_cause(waiting: &BTreeMap<Stream, Origin>) -> &Stream {
    let is_cause = |origin: &Origin| !waiting.contains_key(&Stream::Run(origin.run_id.clone()));
    let cause = waiting.iter().find(|(_, origin)| is_cause(origin));
    let (stream, _) = cause.or(waiting.first_key_value()).expect("some stream waits");
    stream
}
