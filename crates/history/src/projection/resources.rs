//! What events say about resources.

use value::{Text, Value};

use super::edges::{Edge, EdgeKey, EdgeKind};
use super::fold::{Fold, actor, written};
use super::node::{Aspect, NodeKind, NodeRef};
use crate::kinds::records::OwnerScope;
use crate::kinds::words::{RestoreOutcome, SnapshotOutcome};
use crate::kinds::{
    Common, HandleClosed, HandleOpened, McpResourceUpdated, ResourceAttached, ResourceDetached,
    ResourceLivenessProbe, ResourceRegistered, ResourceTransferred, RestoreAttempted,
    SnapshotCreated,
};

fn resource(id: &Text) -> NodeRef {
    NodeRef::new(NodeKind::Resource, id.clone())
}

impl Fold<'_> {
    pub(super) fn resource_registered(&mut self, common: &Common, what: &ResourceRegistered) {
        let new = &what.resource;
        let attrs = [
            ("kind", written(&new.kind)),
            ("name", new.name.clone().into()),
            ("capabilities", written(&new.capabilities)),
            ("imperative", new.imperative.into()),
            ("metadata", new.metadata.clone().map(Value::Map).into()),
        ];
        self.node(resource(&new.id), Aspect::Itself, self.from, attrs);
        if let Some(seen) = &new.liveness {
            let at = seen.last_probe_ts.unwrap_or(self.from);
            self.node(
                resource(&new.id),
                Aspect::Liveness,
                at,
                [("liveness", written(&seen.status))],
            );
        }
        let own = OwnerScope { agent_id: common.agent_id.clone(), run_id: None, session_id: None };
        self.owned(&new.id, new.scope.as_ref().unwrap_or(&own));
        self.part_of(&new.id, what.part_of.as_ref());
    }

    /// A resource is a part of one other, or of none.
    fn part_of(&mut self, id: &Text, whole: Option<&Text>) {
        let (kind, to) = (EdgeKind::HasSubresource, resource(id));
        let key = EdgeKey { kind, from: None, to: Some(to.clone()), order: 0, list: None };
        if whole.is_none() && !self.projection.edges.has(&key) {
            return;
        }
        let attrs = value::Map::default();
        let edge = whole.map(|whole| Edge { kind, from: resource(whole), to, order: 0, attrs });
        self.change_edge(key, edge);
    }

    pub(super) fn resource_transferred(&mut self, what: &ResourceTransferred) {
        self.owned(&what.resource_ref, &what.to);
    }

    /// A resource has one owner: the run of a scope, or else its agent.
    fn owned(&mut self, id: &Text, scope: &OwnerScope) {
        let run = scope.run_id.clone().map(|id| NodeRef::new(NodeKind::Run, id));
        let agent = || scope.agent_id.clone().map(|id| NodeRef::new(NodeKind::Agent, id));
        let kind = EdgeKind::OwnsResource;
        let edge = run.or_else(agent).map(|owner| Edge {
            kind,
            from: owner,
            to: resource(id),
            order: 0,
            attrs: scope
                .session_id
                .iter()
                .map(|id| ("session_id".into(), id.clone().into()))
                .collect(),
        });
        let key = EdgeKey { kind, from: None, to: Some(resource(id)), order: 0, list: None };
        self.change_edge(key, edge);
    }

    pub(super) fn resource_attached(&mut self, common: &Common, what: &ResourceAttached) {
        let Some(user) = actor(common) else { return };
        let attrs: value::Map = [
            what.mode.as_ref().map(|mode| ("mode".into(), mode.word().into())),
            what.mount.clone().map(|mount| ("mount".into(), mount.into())),
        ]
        .into_iter()
        .flatten()
        .collect();
        let attached = Edge {
            kind: EdgeKind::AttachedTo,
            from: resource(&what.resource_ref),
            to: user.clone(),
            order: 0,
            attrs: attrs.clone(),
        };
        self.change_edge(attached.key(), Some(attached));
        // An agent by itself has no files to mount anything in.
        if user.kind == NodeKind::Run {
            let mounts = mounted(&user, &what.resource_ref, attrs);
            let edge = what.mount.is_some().then(|| mounts.clone());
            if edge.is_some() || self.projection.edges.has(&mounts.key()) {
                self.change_edge(mounts.key(), edge);
            }
        }
    }

    /// What a run says it has no more may have been its agent's; but that a fork does without it
    /// takes it from nobody else.
    pub(super) fn resource_detached(&mut self, common: &Common, what: &ResourceDetached) {
        let Some(user) = actor(common) else { return };
        let key = |user: &NodeRef| EdgeKey {
            kind: EdgeKind::AttachedTo,
            from: Some(resource(&what.resource_ref)),
            to: Some(user.clone()),
            order: 0,
            list: None,
        };
        let agent = common.agent_id.clone().map(|id| key(&NodeRef::new(NodeKind::Agent, id)));
        let own = key(&user);
        let edges = &self.projection.edges;
        let planned = &self.projection.memory.planned;
        let is_planned = |run: &Text| planned.contains(&(run.clone(), what.resource_ref.clone()));
        let is_left = common.run_id.as_ref().is_some_and(is_planned);
        let agent = agent.filter(|agent| !is_left && !edges.has(&own) && edges.has(agent));
        self.change_edge(agent.unwrap_or(own), None);
        let mounts = mounted(&user, &what.resource_ref, value::Map::default()).key();
        if self.projection.edges.has(&mounts) {
            self.change_edge(mounts, None);
        }
    }

    pub(super) fn handle_opened(&mut self, what: &HandleOpened) {
        let handle = NodeRef::new(NodeKind::Handle, what.handle.id.clone());
        let attrs = [
            ("resource_ref", what.handle.resource_ref.clone().into()),
            ("provider", what.handle.provider.clone().into()),
            ("provider_id", what.handle.provider_id.clone().into()),
        ];
        self.node(handle, Aspect::Itself, self.from, attrs);
        self.consumes_resource(&what.handle.resource_ref);
    }

    pub(super) fn handle_closed(&mut self, what: &HandleClosed) {
        self.gone(NodeRef::new(NodeKind::Handle, what.handle_ref.clone()));
    }

    /// The last look counts; it is advice, and no more.
    pub(super) fn resource_liveness_probe(&mut self, what: &ResourceLivenessProbe) {
        let attrs = [("liveness", written(&what.status))];
        self.once(resource(&what.resource_ref), []);
        self.node(resource(&what.resource_ref), Aspect::Liveness, self.from, attrs);
    }

    /// A snapshot that could not be made is none.
    pub(super) fn snapshot_created(&mut self, what: &SnapshotCreated) {
        self.consumes_resource(&what.resource_ref);
        if what.outcome == SnapshotOutcome::Error {
            return;
        }
        let node = NodeRef::new(NodeKind::ResourceSnapshot, what.snapshot_ref.clone());
        let record = what.snapshot.as_ref();
        let attrs = [
            ("method", record.and_then(|record| record.method.clone()).into()),
            ("external_ref", record.map_or(Value::Null, |record| written(&record.external_ref))),
            ("restorable", record.and_then(|record| record.restorable).into()),
        ];
        self.node(node.clone(), Aspect::Itself, self.from, attrs);
        self.edge(EdgeKind::EventProduces, self.event(), node.clone());
        self.edge(EdgeKind::SnapshotOf, node.clone(), resource(&what.resource_ref));
        self.edge(EdgeKind::DerivedFrom, node.clone(), resource(&what.resource_ref));
        self.made(node);
    }

    pub(super) fn restore_attempted(&mut self, what: &RestoreAttempted) {
        let RestoreOutcome::Ok = what.outcome else { return };
        let Some(new) = &what.new_resource_ref else { return };
        let snapshot = NodeRef::new(NodeKind::ResourceSnapshot, what.snapshot_ref.clone());
        self.edge(EdgeKind::RestoresTo, snapshot.clone(), resource(new));
        self.edge(EdgeKind::DerivedFrom, resource(new), snapshot);
        self.made(resource(new));
    }

    pub(super) fn mcp_resource_updated(&mut self, what: &McpResourceUpdated) {
        let attrs = [
            ("uri", what.uri.clone().into()),
            ("server", what.server.clone().into()),
            ("etag", what.etag.clone().into()),
            ("hash", what.hash.clone().into()),
        ];
        self.edge_at(EdgeKind::McpResourceUpdated, self.event(), resource(&what.uri), 0, attrs);
    }

    pub(super) fn consumes_resource(&mut self, id: &Text) {
        self.edge(EdgeKind::EventConsumes, self.event(), resource(id));
    }
}

/// The edge of a resource at a path. A run has a resource in one place.
fn mounted(run: &NodeRef, id: &Text, attrs: value::Map) -> Edge {
    let kind = EdgeKind::MountsResource;
    Edge { kind, from: run.clone(), to: resource(id), order: 0, attrs }
}
