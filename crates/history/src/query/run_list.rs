//! Which runs there are, and how they are.

use std::collections::BTreeMap;

use value::{Text, Value};

use super::questions::questions;
use super::reading::{Events, beginning, each_stream, read_lineage, see, ts};
use super::{Found, Item, joined, maybe};
use crate::archive::{Archive, StreamInfo};
use crate::kinds::words::Exit;
use crate::kinds::{Kind, What};
use crate::{EventId, Lineage, Place, Stream, Timestamp};

/// The kinds that say that a run is over, or stopped.
const ENDS: &[Kind] = &[Kind::RunFinished, Kind::RunCancelled, Kind::RunPaused];

/// The kinds that say whether a run waits for somebody's approval.
const APPROVALS: &[Kind] = &[Kind::ApprovalRequested, Kind::ApprovalDecided];

/// Which runs are wanted. What is not said does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFilter {
    /// Of this agent.
    pub agent: Option<Text>,
    /// With this status.
    pub status: Option<Text>,
    /// Begun at or behind this moment.
    pub since: Option<Timestamp>,
    /// Begun before this moment.
    pub until: Option<Timestamp>,
    /// With this in their id.
    pub text: Option<Text>,
}

/// A run, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// Its id.
    pub run: Text,
    /// `open`, `waiting` (somebody must answer or decide, also while it is paused), `paused`,
    /// `done`, `failed` or `cancelled`.
    pub status: &'static str,
    /// Whose it is.
    pub agent: Option<Text>,
    /// The graph it runs.
    pub graph: Option<Text>,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it was over.
    pub ended: Option<Timestamp>,
    /// How many events its lineage has.
    pub events: u64,
    /// The last event that is its parent's, for a fork.
    pub parent: Option<Place>,
    /// Where it began.
    pub place: Option<Place>,
}

/// The runs there are, the newest first. Of each a few events are read, whatever its length, and
/// its questions if it is open.
pub fn runs<A: Archive + ?Sized>(
    archive: &A,
    filter: &RunFilter,
    limit: usize,
) -> Result<Found<RunState>, A::Error> {
    let mut found = Vec::new();
    let too_many = each_stream(archive, |info| {
        let Stream::Run(run) = &info.stream else { return Ok(()) };
        if filter.text.as_ref().is_some_and(|text| !run.contains(&**text)) {
            return Ok(());
        }
        let state = begun(archive, &info, run)?;
        if filter.admits(&state) {
            found.push((state, info));
        }
        Ok::<_, A::Error>(())
    })?;
    found.sort_by(|(a, _), (b, _)| (b.started, &a.run).cmp(&(a.started, &b.run)));
    let mut items = Vec::new();
    for (mut state, info) in found {
        if items.len() > limit {
            break;
        }
        finish(archive, &info, &mut state)?;
        if filter.status.as_ref().is_none_or(|status| **status == *state.status) {
            items.push(state);
        }
    }
    Ok(Found::first(items, limit, too_many))
}

impl RunFilter {
    fn admits(&self, state: &RunState) -> bool {
        let is_since = |since| state.started.is_some_and(|started| started >= since);
        let is_until = |until| state.started.is_some_and(|started| started < until);
        self.agent.as_ref().is_none_or(|agent| state.agent.as_ref() == Some(agent))
            && self.since.is_none_or(is_since)
            && self.until.is_none_or(is_until)
    }
}

/// What the beginning of a run says.
fn begun<A: Archive + ?Sized>(
    archive: &A,
    info: &StreamInfo,
    run: &Text,
) -> Result<RunState, A::Error> {
    let first = beginning(archive, info)?;
    let fact = first.as_ref().and_then(|seen| seen.fact.as_ref());
    let graph = fact.and_then(|fact| match &fact.what {
        What::RunStarted(what) => what.graph.clone(),
        _ => None,
    });
    Ok(RunState {
        run: run.clone(),
        status: "open",
        agent: fact.and_then(|fact| fact.common.agent_id.clone()),
        graph,
        started: first.as_ref().and_then(ts),
        ended: None,
        events: info.next,
        parent: info.parent.clone(),
        place: first.map(|seen| seen.place),
    })
}

/// What the end of a run says.
fn finish<A: Archive + ?Sized>(
    archive: &A,
    info: &StreamInfo,
    state: &mut RunState,
) -> Result<(), A::Error> {
    if let Some(entry) = archive.last_of(&info.stream, ENDS, info.next)? {
        let seen = see(archive, Place::new(info.stream.clone(), entry.seq), &entry)?;
        let what = seen.fact.as_ref().map(|fact| &fact.what);
        let is_last = seen.place.seq + 1 == info.next;
        let status = match (seen.kind, what) {
            // Whoever handed a run off may come back to it.
            (_, Some(What::RunFinished(what))) if what.exit == Some(Exit::HandedOff) => {
                is_last.then(|| what.status())
            }
            (_, Some(What::RunFinished(what))) => Some(what.status()),
            (Kind::RunFinished, _) => Some("done"),
            (Kind::RunCancelled, _) => Some("cancelled"),
            // Whatever a paused run says next, it goes on.
            _ => is_last.then_some("paused"),
        };
        if let Some(status) = status {
            state.status = status;
        }
        if status.is_some_and(|status| status != "paused") {
            state.ended = ts(&seen);
            return Ok(());
        }
    }
    if waits(archive, info)? {
        state.status = "waiting";
    }
    Ok(())
}

/// Whether a question or a request for approval is open in a run's lineage.
fn waits<A: Archive + ?Sized>(archive: &A, info: &StreamInfo) -> Result<bool, A::Error> {
    let Some(lineage) = Lineage::of(archive, &info.stream, None)? else { return Ok(false) };
    if questions(archive, &lineage)?.iter().any(|asked| asked.is_open) {
        return Ok(true);
    }
    let mut events = Events::default();
    read_lineage(archive, &lineage, APPROVALS, &mut events)?;
    let mut requests = BTreeMap::new();
    // A fork asks again.
    let own = events.seen.into_iter().filter(|seen| seen.place.stream == info.stream);
    for seen in own {
        match seen.fact.map(|fact| fact.what) {
            // Who is asked again need not answer what was asked before.
            Some(What::ApprovalRequested(event)) => {
                requests.retain(|_, about| *about != event.call.event_id);
                requests.insert(seen.id, event.call.event_id);
            }
            Some(What::ApprovalDecided(event)) => match &event.request {
                Some(request) => _ = requests.remove(&request.event_id),
                None => {
                    let call = event.about(|_| None);
                    requests.retain(|_, about| Some(*about) != call);
                }
            },
            _ => {}
        }
    }
    // A call that was given up needs no decision.
    if !requests.is_empty() {
        let mut events = Events::default();
        read_lineage(archive, &lineage, &[Kind::Interruption], &mut events)?;
        for seen in events.seen {
            if let Some(What::Interruption(given_up)) = seen.fact.map(|fact| fact.what) {
                let affects: Vec<EventId> =
                    given_up.affects.iter().map(|one| one.event_id).collect();
                requests.retain(|_, about| !affects.contains(about));
            }
        }
    }
    Ok(!requests.is_empty())
}

impl Item for RunState {
    fn value(&self) -> Value {
        Value::map([
            ("run", self.run.clone().into()),
            ("status", self.status.into()),
            ("agent", self.agent.clone().into()),
            ("graph", self.graph.clone().into()),
            ("started", maybe(self.started)),
            ("ended", maybe(self.ended)),
            ("events", Value::Int(self.events.cast_signed())),
            ("parent", maybe(self.parent.as_ref())),
            ("place", maybe(self.place.as_ref())),
        ])
    }

    fn line(&self) -> String {
        let started = self.started.map(|ts| ts.to_string()).unwrap_or_default();
        let agent = self.agent.as_deref().unwrap_or_default().to_string();
        let parent = self.parent.as_ref().map(|parent| format!("from {parent}"));
        let events = format!("{} events", self.events);
        let words = [self.run.to_string(), self.status.to_string(), agent, started, events];
        joined(words.into_iter().chain(parent))
    }
}
