//! Which events a question about resources or policies is answered from. Much of what agents own
//! is said outside of their runs, so that several streams are told as one.

use std::collections::BTreeSet;

use value::Text;

use super::reading::{Events, beginning, each_stream, lineage_at, lineage_of, read_lineage, ts};
use super::{At, QueryError};
use crate::archive::Archive;
use crate::kinds::Kind;
use crate::projection::{NodeKind, NodeRef, Seen};
use crate::{Lineage, Stream, Timestamp, Visit};

/// Whom or what a question is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A run.
    Run(Text),
    /// An agent.
    Agent(Text),
    /// Anything else that has an id: a resource, or a policy.
    Thing(Text),
}

/// The kinds that say which resources and policies there are.
const THINGS: &[Kind] = &[
    Kind::PolicyProposed,
    Kind::PolicyDecided,
    Kind::PolicyActivated,
    Kind::ResourceRegistered,
    Kind::ResourceTransferred,
    Kind::ResourceAttached,
    Kind::SnapshotCreated,
    Kind::RestoreAttempted,
];

impl Subject {
    /// What a person means by an id, or by what answers print (`Agent:a`): a run, an agent, a
    /// resource or a policy; nothing if none of them is there.
    pub fn find<A: Archive + ?Sized>(
        archive: &A,
        words: &str,
    ) -> Result<Option<Subject>, A::Error> {
        let stream = Stream::from_words(words);
        let is_there = archive.stream(&stream)?.is_some();
        match stream {
            Stream::Run(run) if is_there => return Ok(Some(Subject::Run(run))),
            Stream::Agent(agent) => return Ok(Some(Subject::Agent(agent))),
            _ => {}
        }
        if let Some(node) = NodeRef::parse(words) {
            return Ok(Some(match node.kind {
                NodeKind::Run => Subject::Run(node.id),
                NodeKind::Agent | NodeKind::Subagent => Subject::Agent(node.id),
                _ => Subject::Thing(node.id),
            }));
        }
        if is_agent(archive, words)? {
            return Ok(Some(Subject::Agent(words.into())));
        }
        Ok(is_thing(archive, words)?.then(|| Subject::Thing(words.into())))
    }
}

/// Whether an agent has a stream, or a run.
fn is_agent<A: Archive + ?Sized>(archive: &A, id: &str) -> Result<bool, A::Error> {
    let mut is_known = archive.stream(&Stream::Agent(id.into()))?.is_some();
    each_stream(archive, |info| {
        if !is_known && info.stream.run_id().is_some() {
            is_known = agent_of(beginning(archive, &info)?).is_some_and(|agent| *agent == *id);
        }
        Ok::<_, A::Error>(())
    })?;
    Ok(is_known)
}

/// Whether some event names a resource or a policy of this id.
fn is_thing<A: Archive + ?Sized>(archive: &A, id: &str) -> Result<bool, A::Error> {
    let mut is_known = false;
    each_stream(archive, |info| {
        if is_known {
            return Ok(());
        }
        Lineage::own(&info).visit(archive, Some(THINGS), 0, |_, entry| {
            let members = entry.event.members();
            let resource = members.get("resource").and_then(|resource| resource.get("id"));
            let names = ["policy_ref", "resource_ref", "new_resource_ref"];
            let mut named = names.iter().filter_map(|name| members.get(name)).chain(resource);
            is_known = named.any(|named| named.as_text().is_some_and(|named| **named == *id));
            if is_known { Visit::Stop } else { Visit::More }
        })
    })?;
    Ok(is_known)
}

/// Reads the events of some kinds that matter for a subject: of one lineage, of its agent and of
/// nobody where it is about a run or a place; of all runs where it is not.
///
/// Streams have no common order but time. Each keeps its own order, whatever its clock says.
pub(super) fn told<A: Archive + ?Sized>(
    archive: &A,
    subject: &Subject,
    at: &At,
    kinds: &[Kind],
) -> Result<Events, QueryError<A::Error>> {
    let mut parts = Parts { archive, kinds, events: Events::default(), keys: Vec::new() };
    let lineage = match (subject, &at.place) {
        (Subject::Run(run), _) => Some(lineage_of(archive, run, at)?),
        (_, Some(place)) => Some(lineage_at(archive, place)?),
        (Subject::Agent(_) | Subject::Thing(_), None) => None,
    };
    match (subject, lineage) {
        (_, Some(lineage)) => {
            parts.add(&lineage)?;
            let mut agents = agents_of(archive, &lineage)?;
            if let Subject::Agent(agent) = subject {
                agents.insert(agent.clone());
            }
            let until = match at.place {
                Some(_) => end_of(archive, &lineage)?,
                None => None,
            };
            let others = agents.into_iter().map(Stream::Agent).chain([Stream::Store]);
            let is_told = |stream: &Stream| {
                lineage.segments().iter().any(|segment| segment.stream == *stream)
            };
            for stream in others.filter(|stream| !is_told(stream)) {
                parts.add_until(&stream, until)?;
            }
        }
        (Subject::Agent(agent), None) => {
            let too_many = each_stream(archive, |info| {
                let is_its = match &info.stream {
                    Stream::Agent(other) => other == agent,
                    Stream::Store => true,
                    Stream::Run(_) => agent_of(beginning(archive, &info)?).as_ref() == Some(agent),
                };
                if is_its { parts.add(&Lineage::own(&info)) } else { Ok(()) }
            })?;
            parts.events.truncated |= too_many;
        }
        (Subject::Run(_) | Subject::Thing(_), None) => {
            let too_many = each_stream(archive, |info| parts.add(&Lineage::own(&info)))?;
            parts.events.truncated |= too_many;
        }
    }
    Ok(parts.merged())
}

/// The agent that an event says it belongs to.
pub(super) fn agent_of(seen: Option<Seen>) -> Option<Text> {
    seen?.fact?.common.agent_id
}

/// The agents whose runs a lineage consists of.
fn agents_of<A: Archive + ?Sized>(
    archive: &A,
    lineage: &Lineage,
) -> Result<BTreeSet<Text>, A::Error> {
    let mut agents = BTreeSet::new();
    for segment in lineage.segments() {
        if let Stream::Agent(agent) = &segment.stream {
            agents.insert(agent.clone());
        }
        if let Some(info) = archive.stream(&segment.stream)? {
            agents.extend(agent_of(beginning(archive, &info)?));
        }
    }
    Ok(agents)
}

/// When the last event of a lineage happened.
fn end_of<A: Archive + ?Sized>(
    archive: &A,
    lineage: &Lineage,
) -> Result<Option<Timestamp>, A::Error> {
    let Some(seq) = lineage.until().checked_sub(1) else { return Ok(None) };
    let last = lineage.entry(archive, seq)?;
    Ok(last.and_then(|entry| crate::Event::ts(&entry.event.members())))
}

struct Parts<'a, A: ?Sized> {
    archive: &'a A,
    kinds: &'a [Kind],
    events: Events,
    /// When each event counts as told.
    keys: Vec<Timestamp>,
}

impl<A: Archive + ?Sized> Parts<'_, A> {
    fn add(&mut self, lineage: &Lineage) -> Result<(), A::Error> {
        read_lineage(self.archive, lineage, self.kinds, &mut self.events)?;
        let mut latest = Timestamp::from_micros(i64::MIN);
        for seen in &self.events.seen[self.keys.len()..] {
            latest = ts(seen).unwrap_or(latest).max(latest);
            self.keys.push(latest);
        }
        Ok(())
    }

    /// Adds a stream, if it is there, up to a moment.
    fn add_until(&mut self, stream: &Stream, until: Option<Timestamp>) -> Result<(), A::Error> {
        let Some(info) = self.archive.stream(stream)? else { return Ok(()) };
        let first = self.keys.len();
        self.add(&Lineage::own(&info))?;
        if let Some(until) = until {
            let known = self.keys[first..].partition_point(|key| *key <= until);
            self.keys.truncate(first + known);
            self.events.seen.truncate(first + known);
        }
        Ok(())
    }

    fn merged(self) -> Events {
        let mut keyed: Vec<_> = self.keys.into_iter().zip(self.events.seen).collect();
        keyed.sort_by_key(|(key, _)| *key);
        let seen = keyed.into_iter().map(|(_, seen)| seen).collect();
        Events { seen, truncated: self.events.truncated }
    }
}
