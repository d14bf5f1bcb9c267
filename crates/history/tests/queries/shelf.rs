//! An archive in memory, and histories that are written by hand.

use std::cell::Cell;
use std::collections::BTreeMap;

use history::kinds::{Blob, Kind};
use history::projection::Seen;
use history::query::At;
use history::{
    Archive, BlobId, Entry, Event, EventId, Lineage, Place, Stream, StreamInfo, Timestamp, chain,
};
use value::{Map, Value, json};

/// As of a place or of a time.
pub(crate) fn at(words: &str) -> At {
    match Place::parse(words) {
        Some(place) => At { place: Some(place), time: None },
        None => At { place: None, time: Some(Timestamp::parse(words).unwrap()) },
    }
}

/// Keeps events in lists, and counts those it hands out.
#[derive(Default)]
pub(crate) struct Shelf {
    streams: BTreeMap<String, (StreamInfo, Vec<Entry>)>,
    arrivals: Vec<(Place, EventId)>,
    blobs: BTreeMap<BlobId, Vec<u8>>,
    names: BTreeMap<String, EventId>,
    minute: u32,
    pub(crate) handed_out: Cell<usize>,
}

impl Shelf {
    /// A whole history: `== STREAM` or `== RUN from PLACE`, and behind it the events.
    pub(crate) fn read(text: &str) -> Shelf {
        let mut shelf = Shelf::default();
        for part in text.split("== ").skip(1) {
            let (head, lines) = part.split_once('\n').unwrap();
            let stream = match head.split_once(" from ") {
                Some((run, parent)) => {
                    shelf.fork(run, parent);
                    run
                }
                None => head,
            };
            shelf.tell(stream, lines);
        }
        shelf
    }

    /// Adds events to a stream, one on a line: `name: {...}` or only `{...}`. `@name` stands for
    /// an event's id. An event without a time happens a minute after the one before it, and
    /// whose it is follows from the stream; the agent of a run is `a`.
    pub(crate) fn tell(&mut self, stream: &str, lines: &str) -> &mut Shelf {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, text) = match line.starts_with('{') {
                true => (None, line),
                false => line.split_once(": ").map(|(name, text)| (Some(name), text)).unwrap(),
            };
            let event = self.event(&Stream::from_words(stream), text);
            if let Some(name) = name {
                self.names.insert(name.to_string(), event.id());
            }
            self.add(&Stream::from_words(stream), event);
        }
        self
    }

    fn event(&mut self, stream: &Stream, text: &str) -> Event {
        let mut text = text.to_string();
        // Longer names first: one may begin with another.
        for (name, id) in self.names.iter().rev() {
            text = text.replace(&format!("\"@{name}\""), &format!("\"{id}\""));
        }
        let mut members: Map = json::parse(&text).unwrap().as_map().unwrap().clone();
        let mut default = |name: &str, value: Value| {
            members.insert_new(name.into(), value);
        };
        let minute = self.minute;
        self.minute += 1;
        default(
            "ts",
            format!("2026-01-01T{:02}:{:02}:00.000000Z", minute / 60, minute % 60).into(),
        );
        match stream {
            Stream::Run(run) => {
                default("run_id", run.clone().into());
                default("agent_id", "a".into());
            }
            Stream::Agent(agent) => default("agent_id", agent.clone().into()),
            Stream::Store => {}
        }
        Event::from_value(members.into()).unwrap()
    }

    /// Adds an event as it is.
    pub(crate) fn add(&mut self, stream: &Stream, event: Event) {
        let (info, entries) = self.streams.entry(stream.name()).or_insert_with(|| {
            let link = history::Link(chain::genesis(stream));
            let info = StreamInfo { stream: stream.clone(), parent: None, first: 0, next: 0, link };
            (info, Vec::new())
        });
        info.link = chain::link(&chain::genesis(stream), info.next, Some(info.link), event.id());
        self.arrivals.push((Place::new(stream.clone(), info.next), event.id()));
        entries.push(Entry { seq: info.next, link: info.link, event });
        info.next += 1;
    }

    /// Begins a run behind an event of another.
    pub(crate) fn fork(&mut self, run: &str, parent: &str) -> &mut Shelf {
        let parent = Place::parse(parent).unwrap();
        let first = parent.seq + 1;
        let stream = Stream::run(run);
        let link = history::Link(chain::genesis(&stream));
        let info =
            StreamInfo { stream: stream.clone(), parent: Some(parent), first, next: first, link };
        self.streams.insert(stream.name(), (info, Vec::new()));
        self
    }

    pub(crate) fn keep(&mut self, blob: &Blob) {
        self.blobs.insert(blob.id(), blob.bytes().to_vec());
    }

    pub(crate) fn id(&self, name: &str) -> EventId {
        self.names[name]
    }

    /// All events of a lineage, read.
    pub(crate) fn seen(&self, stream: &str) -> Vec<Seen> {
        let lineage = Lineage::of(self, &Stream::from_words(stream), None).unwrap().unwrap();
        let mut seen = Vec::new();
        let blob =
            |id| json::read(str::from_utf8(self.blobs.get(&id)?).unwrap()).ok().map(|read| read.0);
        let visit = |place, entry: Entry| {
            seen.push(Seen::new(place, &entry.event, blob));
            history::Visit::More
        };
        lineage.visit(self, None, 0, visit).unwrap();
        seen
    }

    /// A text in which events are called by their names, or else by their places.
    pub(crate) fn named(&self, text: &str) -> String {
        let named = self.names.iter().map(|(name, id)| (name.clone(), id));
        let placed = self.arrivals.iter().map(|(place, id)| (place.to_string(), id));
        named.chain(placed).fold(text.to_string(), |text, (name, id)| {
            text.replace(&id.to_string(), &format!("@{name}"))
        })
    }

    /// A stream's own events from a number on.
    fn own(&self, stream: &Stream, from: u64) -> &[Entry] {
        let Some((info, entries)) = self.streams.get(&stream.name()) else { return &[] };
        let skipped = usize::try_from(from.saturating_sub(info.first)).unwrap();
        entries.get(skipped..).unwrap_or_default()
    }

    fn hand_out(&self, entries: Vec<Entry>) -> Vec<Entry> {
        self.handed_out.set(self.handed_out.get() + entries.len());
        entries
    }
}

impl Archive for Shelf {
    type Error = std::convert::Infallible;

    fn stream(&self, stream: &Stream) -> Result<Option<StreamInfo>, Self::Error> {
        Ok(self.streams.get(&stream.name()).map(|(info, _)| info.clone()))
    }

    fn streams(
        &self,
        after: Option<&Stream>,
        limit: usize,
    ) -> Result<Vec<StreamInfo>, Self::Error> {
        let infos = self.streams.values().map(|(info, _)| info);
        let behind =
            infos.filter(|info| after.is_none_or(|after| info.stream.name() > after.name()));
        Ok(behind.take(limit).cloned().collect())
    }

    fn read(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<Entry>, Self::Error> {
        Ok(self.hand_out(self.own(stream, from).iter().take(limit).cloned().collect()))
    }

    fn read_kinds(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        from: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, Self::Error> {
        let before = self.own(stream, from).iter().take_while(|entry| entry.seq < until);
        let found = before.filter(|entry| kinds.contains(&entry.event.kind()));
        Ok(self.hand_out(found.take(limit).cloned().collect()))
    }

    fn last_of(
        &self,
        stream: &Stream,
        kinds: &[Kind],
        until: u64,
    ) -> Result<Option<Entry>, Self::Error> {
        let mut found = self
            .own(stream, 0)
            .iter()
            .filter(|entry| entry.seq < until && kinds.contains(&entry.event.kind()));
        Ok(self.hand_out(found.next_back().cloned().into_iter().collect()).pop())
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<(Place, EventId)>, Self::Error> {
        let found = self.arrivals.iter().filter(|(_, id)| id.to_string().starts_with(prefix));
        Ok(found.take(limit).cloned().collect())
    }

    fn blob(&self, id: BlobId) -> Result<Option<Vec<u8>>, Self::Error> {
        Ok(self.blobs.get(&id).cloned())
    }
}
