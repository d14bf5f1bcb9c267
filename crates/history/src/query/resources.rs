//! What resources there are at a place or a time: whose they are, who uses them, what is kept.

use std::collections::{BTreeMap, BTreeSet};

use value::{Map, Text, Value};

use super::sources::{Subject, told};
use super::{At, Found, Item, QueryError, joined, maybe, shown};
use crate::archive::Archive;
use crate::kinds::Kind;
use crate::projection::{Aspect, Edge, EdgeKind, Node, NodeKind, NodeRef, Projection, Row, View};
use crate::{Place, Stream, Timestamp};

/// The kinds that this needs.
const KINDS: &[Kind] = &[
    Kind::ResourceRegistered,
    Kind::ResourceTransferred,
    Kind::ResourceAttached,
    Kind::ResourceDetached,
    Kind::HandleOpened,
    Kind::HandleClosed,
    Kind::ResourceLivenessProbe,
    Kind::SnapshotCreated,
    Kind::RestoreAttempted,
    Kind::AgentForked,
];

/// A resource as it is at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceState {
    /// Its id.
    pub id: Text,
    /// Where it is first spoken of, as far as that still counts.
    pub place: Place,
    /// What was said when it was registered.
    pub attrs: Map,
    /// Whose it is.
    pub owner: Option<Owner>,
    /// What it is a part of.
    pub part_of: Vec<Text>,
    /// What it consists of.
    pub parts: Vec<Text>,
    /// Who can use it.
    pub attached: Vec<Attachment>,
    /// Whether it was there when somebody last looked.
    pub live: Option<Live>,
    /// What is open behind it.
    pub handles: Vec<OpenHandle>,
    /// Its snapshots.
    pub snapshots: Vec<Snapshot>,
    /// The snapshot that it was made from.
    pub restored_from: Option<Text>,
    /// What forks did with it.
    pub plans: Vec<Planned>,
}

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                $($(#[$field_doc])* pub $field: $type,)*
                /// Where that is said.
                pub place: Place,
                /// Since when it is so.
                pub since: Timestamp,
            }

            impl $name {
                fn value(&self) -> Value {
                    Value::map([
                        $((stringify!($field), self.$field.clone().into()),)*
                        ("place", shown(&self.place)),
                        ("since", shown(self.since)),
                    ])
                }
            }
        )*
    };
}

parts! {
    /// Whose a resource is.
    Owner {
        /// The agent or run.
        node: String,
        /// Which session of it.
        session_id: Option<Value>,
    }
    /// Somebody who can use a resource.
    Attachment {
        /// The run or agent.
        to: String,
        /// `ro` or `rw`.
        mode: Option<Value>,
        /// Where it can be found.
        mount: Option<Value>,
    }
    /// Whether a resource was there when somebody looked.
    Live {
        /// `unknown`, `alive` or `dead`.
        status: Option<Value>,
    }
    /// Something live behind a resource.
    OpenHandle {
        /// Its id.
        handle: Text,
        /// Who provides it.
        provider: Option<Value>,
        /// What it is called there.
        provider_id: Option<Value>,
    }
    /// A snapshot of a resource.
    Snapshot {
        /// Its id.
        snapshot: Text,
        /// How it was made.
        method: Option<Value>,
        /// What it is called elsewhere.
        external_ref: Option<Value>,
    }
    /// What a fork did with a resource.
    Planned {
        /// The branch.
        branch: Text,
        /// `keep`, `snapshot` or `discard`.
        mode: Option<Value>,
        /// The branch that keeps it.
        kept_by: Option<Value>,
        /// The snapshot that was made.
        snapshot_ref: Option<Value>,
    }
}

/// The resources of a run or an agent, or one resource, by id.
pub fn resources<A: Archive + ?Sized>(
    archive: &A,
    subject: &Subject,
    at: &At,
    limit: usize,
) -> Result<Found<ResourceState>, QueryError<A::Error>> {
    let events = told(archive, subject, at, KINDS)?.whole()?;
    let projection = Projection::rebuild(&events);
    let look = Look { view: projection.now(), time: at.time };
    let ids: BTreeSet<Text> = match subject {
        Subject::Thing(id) => [id.clone()].into(),
        // What nobody but the store speaks of is somebody else's.
        Subject::Run(_) | Subject::Agent(_) => look
            .view
            .nodes()
            .filter(|row| row.what.node.kind == NodeKind::Resource)
            .filter(|row| row.said.place.stream != Stream::Store)
            .map(|row| row.what.node.id.clone())
            .collect(),
    };
    if let Subject::Thing(id) = subject
        && look.view.last(&NodeRef::new(NodeKind::Resource, id.clone()), Aspect::Itself).is_none()
    {
        return Err(QueryError::Unknown(id.to_string()));
    }
    let handles = look.handles();
    let plans = look.plans();
    let mut items = Vec::new();
    for id in ids {
        if items.len() > limit {
            break;
        }
        items.extend(look.resource(id, &handles, &plans));
    }
    Ok(Found::first(items, limit, false))
}

/// What is believed, and of which time.
struct Look<'a> {
    view: View<'a>,
    time: Option<Timestamp>,
}

impl<'a> Look<'a> {
    /// Whether a row is true at the time, or still.
    fn holds<T>(&self, row: &Row<T>) -> bool {
        match &self.time {
            Some(time) => row.valid.contains(time),
            None => row.valid.to.is_none(),
        }
    }

    fn node(&self, node: &NodeRef, aspect: Aspect) -> Option<&'a Row<Node>> {
        self.view.about(node, aspect).find(|row| self.holds(row))
    }

    fn leaving(&self, node: &NodeRef, kind: EdgeKind) -> impl Iterator<Item = &'a Row<Edge>> {
        self.view.leaving(node, kind).filter(|row| self.holds(row))
    }

    fn arriving(&self, node: &NodeRef, kind: EdgeKind) -> impl Iterator<Item = &'a Row<Edge>> {
        self.view.arriving(node, kind).filter(|row| self.holds(row))
    }

    fn of_kind(&self, kind: NodeKind) -> impl Iterator<Item = &'a Row<Node>> {
        let rows = self.view.nodes().filter(move |row| row.what.node.kind == kind);
        rows.filter(|row| row.what.aspect == Aspect::Itself && self.holds(row))
    }

    /// The handles that are open, by the resources behind which they are.
    fn handles(&self) -> BTreeMap<Text, Vec<OpenHandle>> {
        let mut handles: BTreeMap<Text, Vec<OpenHandle>> = BTreeMap::new();
        for row in self.of_kind(NodeKind::Handle) {
            let attrs = &row.what.attrs;
            let Some(resource) = attrs.get("resource_ref").and_then(Value::as_text) else {
                continue;
            };
            handles.entry(resource.clone()).or_default().push(OpenHandle {
                handle: row.what.node.id.clone(),
                provider: attr(attrs, "provider"),
                provider_id: attr(attrs, "provider_id"),
                place: row.said.place.clone(),
                since: row.valid.from,
            });
        }
        handles
    }

    /// What forks planned, by the resources for which they did.
    fn plans(&self) -> BTreeMap<Text, Vec<Planned>> {
        let mut plans: BTreeMap<Text, Vec<Planned>> = BTreeMap::new();
        for row in self.of_kind(NodeKind::Branch) {
            let items = row.what.attrs.get("plan").and_then(Value::as_list).unwrap_or_default();
            for item in items.iter().filter_map(Value::as_map) {
                let Some(resource) = item.get("resource").and_then(Value::as_text) else {
                    continue;
                };
                plans.entry(resource.clone()).or_default().push(Planned {
                    branch: row.what.node.id.clone(),
                    mode: attr(item, "mode"),
                    kept_by: attr(item, "kept_by"),
                    snapshot_ref: attr(item, "snapshot_ref"),
                    place: row.said.place.clone(),
                    since: row.valid.from,
                });
            }
        }
        plans
    }

    fn resource(
        &self,
        id: Text,
        handles: &BTreeMap<Text, Vec<OpenHandle>>,
        plans: &BTreeMap<Text, Vec<Planned>>,
    ) -> Option<ResourceState> {
        let node = NodeRef::new(NodeKind::Resource, id.clone());
        let itself = self.node(&node, Aspect::Itself)?;
        let owner = self.arriving(&node, EdgeKind::OwnsResource).next().map(|row| Owner {
            node: row.what.from.to_string(),
            session_id: attr(&row.what.attrs, "session_id"),
            place: row.said.place.clone(),
            since: row.valid.from,
        });
        let attached = self.leaving(&node, EdgeKind::AttachedTo).map(|row| Attachment {
            to: row.what.to.to_string(),
            mode: attr(&row.what.attrs, "mode"),
            mount: attr(&row.what.attrs, "mount"),
            place: row.said.place.clone(),
            since: row.valid.from,
        });
        let live = self.node(&node, Aspect::Liveness).map(|row| Live {
            status: attr(&row.what.attrs, "liveness"),
            place: row.said.place.clone(),
            since: row.valid.from,
        });
        let snapshots = self.arriving(&node, EdgeKind::SnapshotOf).map(|row| {
            let attrs = self.node(&row.what.from, Aspect::Itself).map(|row| &row.what.attrs);
            Snapshot {
                snapshot: row.what.from.id.clone(),
                method: attrs.and_then(|attrs| attr(attrs, "method")),
                external_ref: attrs.and_then(|attrs| attr(attrs, "external_ref")),
                place: row.said.place.clone(),
                since: row.valid.from,
            }
        });
        let restored = self.arriving(&node, EdgeKind::RestoresTo).next();
        let wholes = self.arriving(&node, EdgeKind::HasSubresource);
        let parts = self.leaving(&node, EdgeKind::HasSubresource);
        Some(ResourceState {
            place: itself.said.place.clone(),
            attrs: itself.what.attrs.clone(),
            owner,
            part_of: wholes.map(|row| row.what.from.id.clone()).collect(),
            parts: parts.map(|row| row.what.to.id.clone()).collect(),
            attached: attached.collect(),
            live,
            handles: handles.get(&id).cloned().unwrap_or_default(),
            snapshots: snapshots.collect(),
            restored_from: restored.map(|row| row.what.from.id.clone()),
            plans: plans.get(&id).cloned().unwrap_or_default(),
            id,
        })
    }
}

fn attr(attrs: &Map, name: &str) -> Option<Value> {
    attrs.get(name).cloned()
}

impl Item for ResourceState {
    fn value(&self) -> Value {
        let texts = |texts: &[Text]| Value::list(texts.iter().cloned().map(Value::Text));
        let attr = |name| self.attrs.get(name).cloned().unwrap_or_default();
        let capabilities = self.attrs.get("capabilities").cloned();
        Value::map([
            ("resource", self.id.clone().into()),
            ("place", shown(&self.place)),
            ("kind", attr("kind")),
            ("name", attr("name")),
            ("capabilities", capabilities.unwrap_or_else(|| Value::list([]))),
            ("imperative", attr("imperative")),
            ("metadata", attr("metadata")),
            ("owner", self.owner.as_ref().map(Owner::value).into()),
            ("part_of", texts(&self.part_of)),
            ("parts", texts(&self.parts)),
            ("attached", Value::list(self.attached.iter().map(Attachment::value))),
            ("liveness", self.live.as_ref().map(Live::value).into()),
            ("handles", Value::list(self.handles.iter().map(OpenHandle::value))),
            ("snapshots", Value::list(self.snapshots.iter().map(Snapshot::value))),
            ("restored_from", maybe(self.restored_from.as_ref())),
            ("plans", Value::list(self.plans.iter().map(Planned::value))),
        ])
    }

    fn line(&self) -> String {
        let word = |value: Option<&Value>| value.and_then(Value::as_text).map(ToString::to_string);
        let kind = word(self.attrs.get("kind")).unwrap_or_default();
        let owner = self.owner.as_ref().map(|owner| format!("of {}", owner.node));
        let attached = self.attached.iter().map(|attachment| {
            let mode = word(attachment.mode.as_ref()).unwrap_or_default();
            joined([
                format!("in {}", attachment.to),
                mode,
                word(attachment.mount.as_ref()).unwrap_or_default(),
            ])
        });
        let live = self.live.as_ref().and_then(|live| word(live.status.as_ref()));
        let snapshots = match self.snapshots.len() {
            0 => String::new(),
            1 => "1 snapshot".to_string(),
            count => format!("{count} snapshots"),
        };
        let words = [self.id.to_string(), kind, owner.unwrap_or_default()];
        let more = [live.unwrap_or_default(), snapshots];
        joined(words.into_iter().chain(attached).chain(more))
    }
}
