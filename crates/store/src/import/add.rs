//! Adds events to the store, some at a time, and says what is odd about each.

use std::sync::Arc;

use diagnostics::Severity;
use history::kinds::Fact;
use history::{Event, Ledger, Stream, Violation, kinds, references};
use value::{Map, Pointer};

use super::lines::Current;
use super::streams::{Open, State};
use super::{Import, ImportError, findings, ledgers};
use crate::{Append, Durability, Expected};

/// What memory an import may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// So many events of a stream are added at once.
    pub(super) batch: usize,
    /// So many bytes of events wait at most to be added, of all streams together.
    pub(super) pending: usize,
    /// Of so many events more than is needed something is remembered: 100 bytes of each, or fewer.
    pub(super) remembered: usize,
}

pub(super) const LIMITS: Limits = Limits { batch: 1000, pending: 16 << 20, remembered: 1 << 20 };

impl Import<'_> {
    /// Adds an event at the end of its stream, and says what is odd about it.
    pub(super) fn add(
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
        self.check_ledger(current, stream, &event, members, base)?;
        let size = event.body().len();
        let open = self.streams.open(stream);
        self.findings.done.runs += u64::from(open.next == open.before);
        self.findings.done.added += 1;
        open.link = Some(open.link_of(event.id()));
        open.last = Some(open.next);
        open.next += 1;
        open.seen.iter_mut().for_each(|seen| {
            seen.insert(event.id().brief());
        });
        open.pending.push(event);
        let is_full = open.pending.len() >= self.limits.batch;
        self.streams.pending += size;
        if self.streams.pending > self.limits.pending {
            self.flush_all()?;
        } else if is_full {
            self.flush(stream)?;
        }
        self.remember(1)
    }

    /// Makes room if more is remembered than should be.
    pub(super) fn remember(&mut self, events: usize) -> Result<(), ImportError> {
        self.streams.remembered += events;
        if self.streams.remembered > self.limits.remembered {
            self.flush_all()?;
            self.streams.forget();
        }
        Ok(())
    }

    /// What the event says is held against what those before it said.
    fn check_ledger(
        &mut self,
        current: &Current<'_>,
        stream: &Stream,
        event: &Event,
        members: &Map,
        base: &Pointer,
    ) -> Result<(), ImportError> {
        let fact = ledgers::fact(self.store, event, members)?;
        let mut ledger = match self.streams.open(stream).ledger.take() {
            Some(ledger) => ledger,
            None => Box::new(self.ledger(stream)?),
        };
        // What was written long ago is imported late; only a time to come is a mistake.
        let recorded = self.findings.importing.now;
        let is_to_come = fact.as_ref().is_some_and(|fact| fact.common.ts > recorded);
        for violation in ledger.check(event, fact.as_ref(), is_to_come.then_some(recorded)) {
            if !violation.may_be_the_agents()
                || !self.agent_knows(event, fact.as_ref(), &violation)?
            {
                self.findings.add(current, findings::violation(base, &violation));
            }
        }
        ledger.apply(event, fact.as_ref());
        self.streams.open(stream).ledger = Some(ledger);
        Ok(())
    }

    /// Whether what is missing in a run was said in the stream of its agent.
    fn agent_knows(
        &mut self,
        event: &Event,
        fact: Option<&Fact>,
        missing: &Violation,
    ) -> Result<bool, ImportError> {
        let common = fact.map(|fact| &fact.common).filter(|common| common.run_id.is_some());
        let Some(agent) = common.and_then(|common| common.agent_id.clone()) else {
            return Ok(false);
        };
        let agent = Stream::Agent(agent);
        if let Some(State::Open(Open { ledger: Some(ledger), .. })) =
            self.streams.states.get(&agent)
        {
            return Ok(!ledger.check(event, fact, None).contains(missing));
        }
        self.flush(&agent)?;
        let Some(info) = self.store.stream(&agent)? else { return Ok(false) };
        let ledger = self.ledgers.at(self.store, &agent, info.next)?;
        Ok(!ledger.check(event, fact, None).contains(missing))
    }

    /// The ledger of a stream that has events, or goes on from some.
    fn ledger(&mut self, stream: &Stream) -> Result<Ledger, ImportError> {
        self.flush(stream)?;
        let (stream, until) = match &self.streams.open(stream).expected {
            Expected::New => return Ok(Ledger::default()),
            Expected::Fork(origin) => (origin.stream.clone(), origin.seq + 1),
            Expected::Next(next) => (stream.clone(), *next),
        };
        Ok(Arc::unwrap_or_clone(self.ledgers.at(self.store, &stream, until)?))
    }

    fn check_blobs(
        &mut self,
        current: &Current<'_>,
        members: &Map,
        base: &Pointer,
    ) -> Result<(), ImportError> {
        let members_needed =
            members.iter().filter_map(|(name, member)| Some((&**name, kinds::referenced(member)?)));
        let snapshot = references::snapshot(members).map(|id| ("snapshot", id));
        for (name, id) in members_needed.chain(snapshot) {
            if self.store.has_blob(id)? {
                continue;
            }
            let strict = self.findings.importing.strict;
            let mut found = findings::missing_blob(base, name, id, strict);
            // Nobody promised that what stands beside an event that stands alone comes with it.
            let is_alone = base.as_str().is_empty();
            if is_alone && !strict {
                found.severity = Severity::Warning;
            }
            self.findings.add(current, found);
        }
        Ok(())
    }

    /// Adds the events of a stream that wait.
    pub(super) fn flush(&mut self, stream: &Stream) -> Result<(), ImportError> {
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
        Ok(())
    }

    pub(super) fn flush_all(&mut self) -> Result<(), ImportError> {
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
