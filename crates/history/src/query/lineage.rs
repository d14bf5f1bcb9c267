//! What something comes from, and which events say so.

use std::collections::{BTreeSet, VecDeque};

use value::Value;

use super::sources::{Subject, told};
use super::{At, Found, Item, QueryError, shown};
use crate::archive::Archive;
use crate::kinds::Kind;
use crate::projection::{Aspect, EdgeKind, NodeKind, NodeRef, Projection, Said, View};
use crate::{EventId, Stream};

/// The kinds that this needs: those that say what something comes from, and those that say which
/// event made what in which run.
const KINDS: &[Kind] = &[
    Kind::RunStarted,
    Kind::MessageCreated,
    Kind::ModelRequest,
    Kind::ModelResponse,
    Kind::ToolCall,
    Kind::ToolResult,
    Kind::SnapshotCreated,
    Kind::RestoreAttempted,
    Kind::BranchMerged,
    Kind::Substitution,
    Kind::SummaryCreated,
    Kind::ResourceRegistered,
];

/// So many steps are followed.
const DEPTH_MAX: usize = 1000;

/// Something that comes from something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// What comes from something.
    pub node: NodeRef,
    /// What it comes from.
    pub source: NodeRef,
    /// The event that says so.
    pub said: Said,
    /// From what was asked about to the source.
    pub path: Vec<NodeRef>,
}

/// What a node comes from, the nearest first. It is named by an event's id or its beginning, as
/// `Kind:id`, or by an id alone. What has an id that begins like an event of another history is
/// named with its kind.
pub fn lineage<A: Archive + ?Sized>(
    archive: &A,
    name: &str,
    at: &At,
    limit: usize,
) -> Result<Found<Derivation>, QueryError<A::Error>> {
    let found = find_event(archive, name);
    let event = match &found {
        Ok(event) => event.clone(),
        // Something may be called so.
        Err(QueryError::Ambiguous { .. }) => None,
        Err(_) => return Err(found.expect_err("it was looked at")),
    };
    // Where one looks from a place, it counts what was known there.
    let subject = match &event {
        Some((_, Stream::Run(run))) if at.place.is_none() => Subject::Run(run.clone()),
        Some((_, Stream::Agent(agent))) => Subject::Agent(agent.clone()),
        _ => Subject::Thing(name.into()),
    };
    let events = told(archive, &subject, at, KINDS)?;
    let projection = Projection::rebuild(&events.seen);
    let view = at.time.map_or(projection.now(), |time| projection.valid_at(time));
    // A whole name counts more than the beginning of another.
    let is_whole = EventId::parse(name).is_some();
    let exact = named(&view, name);
    let starts = match event {
        Some((event, _)) if is_whole || exact.is_empty() => of_event(&projection, event),
        _ => exact,
    };
    if starts.is_empty() {
        found?;
        return Err(QueryError::Unknown(name.to_string()));
    }
    Ok(follow(&view, starts, limit, events.truncated))
}

/// The event that some digits mean, and the stream in which it came up first.
fn find_event<A: Archive + ?Sized>(
    archive: &A,
    name: &str,
) -> Result<Option<(EventId, Stream)>, QueryError<A::Error>> {
    /// Fewer digits are no id.
    const DIGITS_MIN: usize = 4;
    let name = name.strip_prefix("sha256:").unwrap_or(name);
    let is_hex = name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if !is_hex || name.len() < DIGITS_MIN {
        return Ok(None);
    }
    let found = archive.find(name, 64)?;
    let events: BTreeSet<EventId> = found.iter().map(|(_, id)| *id).collect();
    if events.len() > 1 {
        let events = events.into_iter().collect();
        return Err(QueryError::Ambiguous { prefix: name.to_string(), events });
    }
    Ok(found.into_iter().next().map(|(place, id)| (id, place.stream)))
}

/// The nodes that an event is or made.
fn of_event(projection: &Projection, event: EventId) -> Vec<NodeRef> {
    let node = NodeRef::of_event(NodeKind::Event, event);
    let made = projection.now().leaving(&node, EdgeKind::EventProduces);
    let mut nodes: Vec<_> = made.map(|row| row.what.to.clone()).collect();
    nodes.push(NodeRef::of_event(NodeKind::ToolCall, event));
    nodes.push(node);
    nodes
}

/// The nodes of a name, of whatever kind.
fn named(view: &View<'_>, name: &str) -> Vec<NodeRef> {
    let nodes: Vec<NodeRef> = match NodeRef::parse(name) {
        Some(node) => vec![node],
        None => NodeKind::ALL.iter().map(|kind| NodeRef::new(*kind, name)).collect(),
    };
    nodes.into_iter().filter(|node| view.last(node, Aspect::Itself).is_some()).collect()
}

/// Every source once, by a shortest way.
fn follow(view: &View<'_>, starts: Vec<NodeRef>, limit: usize, cut: bool) -> Found<Derivation> {
    let mut met: BTreeSet<NodeRef> = starts.iter().cloned().collect();
    let mut queue: VecDeque<Vec<NodeRef>> = starts.into_iter().map(|node| vec![node]).collect();
    let (mut items, mut truncated) = (Vec::new(), cut);
    while let Some(path) = queue.pop_front() {
        let Some(node) = path.last() else { continue };
        for row in view.leaving(node, EdgeKind::DerivedFrom) {
            let source = row.what.to.clone();
            if !met.insert(source.clone()) {
                continue;
            }
            if items.len() == limit || path.len() > DEPTH_MAX {
                truncated = true;
                continue;
            }
            let path: Vec<_> = path.iter().cloned().chain([source.clone()]).collect();
            let said = row.said.clone();
            items.push(Derivation { node: node.clone(), source, said, path: path.clone() });
            queue.push_back(path);
        }
    }
    Found { items, truncated }
}

impl Item for Derivation {
    fn value(&self) -> Value {
        Value::map([
            ("node", shown(&self.node)),
            ("source", shown(&self.source)),
            ("place", shown(&self.said.place)),
            ("event_id", self.said.event.into()),
            ("path", Value::list(self.path.iter().map(Value::from))),
        ])
    }

    fn line(&self) -> String {
        format!("{} {} from {}", self.said.place, self.node, self.source)
    }
}
