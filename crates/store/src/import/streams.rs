//! What is known of the streams that a file speaks of.

use std::collections::{BTreeMap, HashSet};

use history::kinds::records::Origin;
use history::{Event, EventId, Ledger, Link, Place, Stream, StreamInfo, chain};
use value::Digest;

use super::lines::Stretches;
use crate::Expected;

/// What is known of the streams that the file speaks of.
#[derive(Default)]
pub(super) struct Streams {
    pub(super) states: BTreeMap<Stream, State>,
    /// Bytes of events that wait to be added.
    pub(super) pending: usize,
    /// How much is remembered that could be read again, in events.
    pub(super) remembered: usize,
    /// Whether what a stream waits for will not come any more.
    pub(super) is_hopeless: bool,
}

pub(super) enum State {
    Open(Open),
    /// It goes on from an event that is not there yet.
    Waiting(Waiting),
    /// A line of it could not be taken.
    Stopped,
}

/// A stream that can be added to.
pub(super) struct Open {
    pub(super) genesis: Digest,
    /// The number of its first event.
    pub(super) first: u64,
    /// The number behind its last event when the import came to it.
    pub(super) before: u64,
    /// The number that the next event has.
    pub(super) next: u64,
    pub(super) link: Option<Link>,
    /// Where the first event belongs that waits.
    pub(super) expected: Expected,
    pub(super) pending: Vec<Event>,
    /// Some events that are there, one after another.
    pub(super) known: Vec<(u64, EventId, Link)>,
    /// Where an event that is there already would be, if the file was imported before.
    pub(super) cursor: u64,
    /// The number of the event that the file had last.
    pub(super) last: Option<u64>,
    /// Whether it was said that the file has another order than the store.
    pub(super) is_mixed: bool,
    /// The beginnings of the ids it has, if they are remembered: most events are new, and are
    /// known to be by this. Else the store is asked.
    pub(super) seen: Option<HashSet<u64>>,
    /// How often the store was asked since they were forgotten.
    pub(super) asked: u64,
    /// What its events amount to, once one is added.
    pub(super) ledger: Option<Box<Ledger>>,
}

pub(super) struct Waiting {
    pub(super) lines: Stretches,
    pub(super) origin: Origin,
    /// Whether a later line could not be taken.
    pub(super) is_stopped: bool,
}

impl Streams {
    /// INVARIANT: only asked for streams that were found open.
    pub(super) fn open(&mut self, stream: &Stream) -> &mut Open {
        match self.states.get_mut(stream) {
            Some(State::Open(open)) => open,
            _ => unreachable!("the stream is open"),
        }
    }

    /// Whether a part of a stream was left out of this import, and it was said why.
    pub(super) fn is_stopped(&self, stream: &Stream) -> bool {
        match self.states.get(stream) {
            Some(State::Stopped) => true,
            Some(State::Waiting(waiting)) => waiting.is_stopped,
            _ => false,
        }
    }

    pub(super) fn close(&mut self, stream: &Stream) {
        self.states.insert(stream.clone(), State::Stopped);
    }

    pub(super) fn waiting(&self) -> BTreeMap<Stream, Origin> {
        let waiting = self.states.iter().filter_map(|(stream, state)| match state {
            State::Waiting(waiting) => Some((stream.clone(), waiting.origin.clone())),
            _ => None,
        });
        waiting.collect()
    }

    /// How many events wait to be added, and how many streams have no new one but these.
    pub(super) fn untaken(&self) -> (u64, u64) {
        let waits = |state: &State| match state {
            State::Open(open) if !open.pending.is_empty() => {
                let events = open.pending.len() as u64;
                Some((events, u64::from(open.next - events == open.before)))
            }
            _ => None,
        };
        let waiting = self.states.values().filter_map(waits);
        waiting.fold((0, 0), |(events, runs), (some, new)| (events + some, runs + new))
    }

    /// Forgets all that can be read again. INVARIANT: no event waits to be added.
    pub(super) fn forget(&mut self) {
        self.remembered = 0;
        for state in self.states.values_mut() {
            if let State::Open(open) = state {
                (open.known, open.seen, open.ledger) = (Vec::new(), None, None);
            }
        }
    }
}

impl Open {
    /// A stream that begins with its first event.
    pub(super) fn new(stream: &Stream) -> Open {
        Open::at(stream, 0, None, Expected::New)
    }

    /// A stream that goes on from another one's event.
    pub(super) fn fork(stream: &Stream, origin: Place, link: Link) -> Open {
        Open::at(stream, origin.seq + 1, Some(link), Expected::Fork(origin))
    }

    /// A stream that is there.
    pub(super) fn there(info: &StreamInfo) -> Open {
        let expected = Expected::Next(info.next);
        let open = Open::at(&info.stream, info.next, Some(info.link), expected);
        Open { first: info.first, cursor: info.first, ..open }
    }

    pub(super) fn at(stream: &Stream, next: u64, link: Option<Link>, expected: Expected) -> Open {
        let is_new = !matches!(expected, Expected::Next(_));
        Open {
            genesis: chain::genesis(stream),
            first: next,
            before: next,
            next,
            link,
            expected,
            pending: Vec::new(),
            known: Vec::new(),
            cursor: next,
            last: None,
            is_mixed: false,
            seen: is_new.then(HashSet::new),
            asked: 0,
            ledger: None,
        }
    }

    /// The link that the next event has.
    pub(super) fn link_of(&self, id: EventId) -> Link {
        chain::link(&self.genesis, self.next, self.link, id)
    }

    pub(super) fn known(&self, seq: u64) -> Option<(EventId, Link)> {
        let (first, ..) = self.known.first()?;
        let at = usize::try_from(seq.checked_sub(*first)?).ok()?;
        self.known.get(at).filter(|(there, ..)| *there == seq).map(|(_, id, link)| (*id, *link))
    }
}
