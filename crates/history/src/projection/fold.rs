//! How one event changes a projection: the words in which its meaning is written, and what is
//! remembered of earlier events because later ones refer to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use value::{Map, Text, Value, json};

use super::edges::{Edge, EdgeKey, EdgeKind};
use super::node::{Aspect, Node, NodeKind, NodeRef};
use super::rows::Said;
use super::{Projection, Seen};
use crate::kinds::records::Ref;
use crate::kinds::{Common, What, Write};
use crate::{EventId, Stream, Timestamp};

/// What earlier events said that later ones only name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Memory {
    /// What an event made.
    pub(super) made: BTreeMap<EventId, NodeRef>,
    /// The generations that requests and responses belong to.
    pub(super) generations: BTreeMap<EventId, NodeRef>,
    /// The generations by the ids of their requests, in their run.
    pub(super) requests: BTreeMap<InRun, NodeRef>,
    /// What a generation was given.
    pub(super) inputs: BTreeMap<NodeRef, Vec<NodeRef>>,
    /// Tool calls by their ids, in their run.
    pub(super) calls: BTreeMap<InRun, NodeRef>,
    /// The calls that requests for approval are about.
    pub(super) approvals: BTreeMap<EventId, EventId>,
    /// The messages of conversations. A fork shares its parent's until one of them changes.
    pub(super) lists: BTreeMap<(NodeRef, Text), Arc<Vec<Text>>>,
    /// The run that a fork goes on from.
    pub(super) origins: BTreeMap<Text, Text>,
    /// The resources that forks planned for, each by the fork's run.
    pub(super) planned: BTreeSet<(Text, Text)>,
    /// Which policy an agent has, and since when.
    pub(super) active: BTreeMap<(Text, Timestamp), Text>,
}

/// An id that is only a run's own. Other runs may use it again, but for its forks.
pub(super) type InRun = (Option<Text>, Text);

impl Memory {
    /// What an id means in a run: what it means there, or in the run that it goes on from.
    pub(super) fn in_run<'a>(
        &'a self,
        all: &'a BTreeMap<InRun, NodeRef>,
        common: &Common,
        id: &Text,
    ) -> Option<&'a NodeRef> {
        /// A history that is wrong may go round in circles.
        const DEPTH_MAX: usize = 1000;
        let mut run = common.run_id.clone();
        for _ in 0..DEPTH_MAX {
            let found = all.get(&(run.clone(), id.clone()));
            if found.is_some() {
                return found;
            }
            run = Some(self.origins.get(&run?)?.clone());
        }
        None
    }
}

/// One event on its way into a projection.
pub(super) struct Fold<'a> {
    pub(super) projection: &'a mut Projection,
    /// The event and its place.
    pub(super) said: Said,
    /// Since when what it says is true.
    pub(super) from: Timestamp,
}

impl Fold<'_> {
    pub(super) fn new<'a>(
        projection: &'a mut Projection,
        seen: &Seen,
        from: Timestamp,
    ) -> Fold<'a> {
        let said = Said { place: seen.place.clone(), event: seen.id };
        Fold { projection, said, from }
    }

    /// Says everything that follows from an event.
    pub(super) fn apply(mut self, seen: &Seen) {
        self.stands(seen);
        let Some(fact) = &seen.fact else { return };
        let common = &fact.common;
        match &fact.what {
            What::AgentCreated(what) => self.agent_created(common, what),
            What::RunStarted(what) => self.run_started(common, what),
            What::RunFinished(what) => self.run_finished(common, what),
            What::RunPaused(_) => self.run_status(common, "paused", Value::Null),
            What::RunCancelled(_) => self.run_status(common, "cancelled", Value::Null),
            What::AgentForked(what) => self.agent_forked(common, what),
            What::BranchMerged(what) => self.branch_merged(common, what),
            What::SubagentSpawned(what) => self.subagent_spawned(common, what),
            What::Interruption(what) => self.interruption(what),
            What::Substitution(what) => self.substitution(what),
            What::PolicyProposed(what) => self.policy_proposed(what),
            What::PolicyDecided(what) => self.policy_decided(what),
            What::PolicyActivated(what) => self.policy_activated(common, what),
            What::MessageCreated(what) => self.message_created(what),
            What::HistoryAppend(what) => self.history_append(common, what),
            What::HistoryRewritten(what) => self.history_rewritten(common, what),
            What::ModelRequest(what) => self.model_request(common, what),
            What::ModelResponse(what) => self.model_response(common, what),
            What::ToolCall(what) => self.tool_call(common, what),
            What::EffectStarted(what) => self.consumes_call(what.call.event_id),
            What::ToolResult(what) => self.tool_result(common, what),
            What::ApprovalRequested(what) => self.approval_requested(what),
            What::ApprovalDecided(what) => self.approval_decided(what),
            What::SummaryCreated(what) => self.summary_created(what),
            What::SnapshotMaterialized(what) => self.snapshot_materialized(what),
            What::McpResourceUpdated(what) => self.mcp_resource_updated(what),
            What::McpResourceRead(what) => self.consumes_resource(&what.uri),
            What::ResourceRegistered(what) => self.resource_registered(common, what),
            What::ResourceTransferred(what) => self.resource_transferred(what),
            What::ResourceAttached(what) => self.resource_attached(common, what),
            What::ResourceDetached(what) => self.resource_detached(common, what),
            What::HandleOpened(what) => self.handle_opened(what),
            What::HandleClosed(what) => self.handle_closed(what),
            What::ResourceLivenessProbe(what) => self.resource_liveness_probe(what),
            What::SnapshotCreated(what) => self.snapshot_created(what),
            What::RestoreAttempted(what) => self.restore_attempted(what),
            // Leases are never restored, and the rest is about the run alone.
            What::LeaseAcquired(_)
            | What::LeaseReleased(_)
            | What::McpResourceListChanged(_)
            | What::McpNotification(_)
            | What::Redacted(_)
            | What::Pruned(_)
            | What::KeyDestroyed(_)
            | What::QuestionAsked(_)
            | What::QuestionAnswered(_)
            | What::StateSet(_)
            | What::TimeObserved(_)
            | What::TimerSet(_)
            | What::TimerFired(_) => {}
        }
    }

    /// Every event is a node, and its run has it.
    fn stands(&mut self, seen: &Seen) {
        self.once(NodeRef::of_event(NodeKind::Event, seen.id), [("kind", seen.kind.name().into())]);
        if let Stream::Run(run) = &seen.place.stream {
            let seq = seen.place.seq;
            let run = NodeRef::new(NodeKind::Run, run.clone());
            let event = self.event();
            let attrs = [("seq", Value::Int(seq.cast_signed()))];
            self.edge_at(EdgeKind::RunHasEvent, run, event, seq, attrs);
        }
    }

    /// This event as a node.
    pub(super) fn event(&self) -> NodeRef {
        NodeRef::of_event(NodeKind::Event, self.said.event)
    }

    pub(super) fn memory(&mut self) -> &mut Memory {
        &mut self.projection.memory
    }

    /// Remembers what this event made.
    pub(super) fn made(&mut self, node: NodeRef) {
        let event = self.said.event;
        self.memory().made.insert(event, node);
    }

    /// The node that an event stands for: what it made, or else itself.
    pub(super) fn made_by(&self, event: EventId) -> NodeRef {
        let made = self.projection.memory.made.get(&event);
        made.cloned().unwrap_or_else(|| NodeRef::of_event(NodeKind::Event, event))
    }

    /// The node that a reference means. A bare id is that of a message, unless only something
    /// else of this id is known.
    pub(super) fn target(&self, reference: &Ref) -> Option<NodeRef> {
        match reference {
            Ref::Event(event) => Some(self.made_by(*event)),
            Ref::Uri(uri) => Some(NodeRef::new(NodeKind::Resource, uri.clone())),
            Ref::Path(_) | Ref::Ext(_) | Ref::Blob(_) | Ref::Other(_) => None,
            Ref::Node(id) => Some(NodeRef::parse(id).unwrap_or_else(|| self.named(id))),
        }
    }

    fn named(&self, id: &Text) -> NodeRef {
        let kinds = [
            NodeKind::Message,
            NodeKind::Summary,
            NodeKind::Run,
            NodeKind::ResourceSnapshot,
            NodeKind::Resource,
        ];
        let nodes = kinds.map(|kind| NodeRef::new(kind, id.clone()));
        let known = nodes.iter().find(|node| self.is_known(node)).cloned();
        known.unwrap_or_else(|| match EventId::parse(id) {
            Some(event) => self.made_by(event),
            None => NodeRef::new(NodeKind::Message, id.clone()),
        })
    }

    fn is_known(&self, node: &NodeRef) -> bool {
        self.projection.nodes.has(&(node.clone(), Aspect::Itself))
    }

    /// From now on this is what a node is, or what one of its sides is.
    pub(super) fn node<const N: usize>(
        &mut self,
        node: NodeRef,
        aspect: Aspect,
        from: Timestamp,
        attrs: [(&str, Value); N],
    ) {
        self.change_node(node, aspect, from, Some(present(attrs)));
    }

    /// A node that is there from now on, unless it has been there before.
    pub(super) fn once<const N: usize>(&mut self, node: NodeRef, attrs: [(&str, Value); N]) {
        if !self.is_known(&node) {
            self.node(node, Aspect::Itself, self.from, attrs);
        }
    }

    /// A node is there no more.
    pub(super) fn gone(&mut self, node: NodeRef) {
        self.change_node(node, Aspect::Itself, self.from, None);
    }

    fn change_node(&mut self, node: NodeRef, aspect: Aspect, from: Timestamp, attrs: Option<Map>) {
        let what = attrs.map(|attrs| Node { node: node.clone(), aspect, attrs });
        let projection = &mut *self.projection;
        let said = (projection.known, &self.said);
        let new = projection.nodes.change(said, (node.clone(), aspect), from, what);
        if !new.is_empty() {
            projection.about.entry(node).or_default().extend(new);
        }
    }

    /// An edge that is there from now on and never ends.
    pub(super) fn edge(&mut self, kind: EdgeKind, from: NodeRef, to: NodeRef) {
        self.edge_at(kind, from, to, 0, []);
    }

    /// The same at a place among its like, with attributes.
    pub(super) fn edge_at<const N: usize>(
        &mut self,
        kind: EdgeKind,
        from: NodeRef,
        to: NodeRef,
        order: u64,
        attrs: [(&str, Value); N],
    ) {
        let edge = Edge { kind, from, to, order, attrs: present(attrs) };
        let key = edge.key();
        if !self.projection.edges.has(&key) {
            self.change_edge(key, Some(edge));
        }
    }

    /// From now on this is the only edge under a key, or there is none.
    pub(super) fn change_edge(&mut self, key: EdgeKey, edge: Option<Edge>) {
        if let Some(edge) = &edge {
            self.once(edge.from.clone(), []);
            self.once(edge.to.clone(), []);
        }
        let projection = &mut *self.projection;
        let said = (projection.known, &self.said);
        for row in projection.edges.change(said, key, self.from, edge) {
            let edge = &projection.edges.all()[row].what;
            let (from, to) = ((edge.from.clone(), edge.kind), (edge.to.clone(), edge.kind));
            projection.leaving.entry(from).or_default().push(row);
            projection.arriving.entry(to).or_default().push(row);
        }
    }
}

/// Who acts: a run, or else an agent.
pub(super) fn actor(common: &Common) -> Option<NodeRef> {
    let run = common.run_id.clone().map(|id| NodeRef::new(NodeKind::Run, id));
    run.or_else(|| common.agent_id.clone().map(|id| NodeRef::new(NodeKind::Agent, id)))
}

/// A member's value.
pub(super) fn written(member: &impl Write) -> Value {
    if member.is_absent() {
        return Value::Null;
    }
    let mut text = String::new();
    member.write(&mut text);
    json::read(&text).expect("what is written is JSON").0
}

/// The attributes that say something.
fn present<const N: usize>(attrs: [(&str, Value); N]) -> Map {
    let present = attrs.into_iter().filter(|(_, value)| *value != Value::Null);
    present.map(|(name, value)| (name.into(), value)).collect()
}
