//! The table of edges: one row for each kind. What is allowed, what tests check and what
//! `docs/edges.md` says all comes from here.

use value::{Map, Text};

use super::node::{NodeKind, NodeRef};
use crate::kinds::Kind;

/// Which kinds of events do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Every event of a run.
    Every,
    /// These.
    Kinds(&'static [Kind]),
}

impl By {
    /// Whether an event of this kind does it.
    pub fn includes(self, kind: Kind) -> bool {
        match self {
            By::Every => true,
            By::Kinds(kinds) => kinds.contains(&kind),
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct EdgeRow {
    /// Which kind.
    pub kind: EdgeKind,
    /// Its name.
    pub name: &'static str,
    /// What it may leave.
    pub from: &'static [NodeKind],
    /// What it may lead to.
    pub to: &'static [NodeKind],
    /// Attributes it may have.
    pub attrs: &'static [&'static str],
    /// Which events say that it begins.
    pub begun_by: By,
    /// Which events say that it ends, by putting something else in its place or nothing.
    pub ended_by: &'static [Kind],
    /// What it means.
    pub doc: &'static str,
}

macro_rules! node_kinds {
    (any) => {
        NodeKind::ALL
    };
    ($($kind:ident)|+) => {
        &[$(NodeKind::$kind),+]
    };
}

macro_rules! begun_by {
    (every) => {
        By::Every
    };
    ($($kind:ident)+) => {
        By::Kinds(&[$(Kind::$kind),+])
    };
}

macro_rules! edges {
    ($(
        #[doc = $doc:literal]
        $name:literal $kind:ident: [$($from:tt)+] -> [$($to:tt)+] {
            attrs: [$($attr:literal)*],
            begun_by: [$($begin:tt)+],
            ended_by: [$($end:ident)*],
        }
    )*) => {
        /// What an edge says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EdgeKind {
            $(#[doc = $doc] $kind,)*
        }

        impl EdgeKind {
            /// Its row.
            pub fn row(self) -> &'static EdgeRow {
                &EDGES[self as usize]
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                self.row().name
            }
        }

        /// All rows, in the order of spec 5.
        pub static EDGES: &[EdgeRow] = &[$(EdgeRow {
            kind: EdgeKind::$kind,
            name: $name,
            from: node_kinds!($($from)+),
            to: node_kinds!($($to)+),
            attrs: &[$($attr),*],
            begun_by: begun_by!($($begin)+),
            ended_by: &[$(Kind::$end),*],
            doc: $doc.trim_ascii(),
        }),*];
    };
}

edges! {
    /// A run is an agent's.
    "AGENT_HAS_RUN" AgentHasRun: [Agent] -> [Run] {
        attrs: [],
        begun_by: [RunStarted],
        ended_by: [],
    }
    /// An event is a run's; its number there is the order.
    "RUN_HAS_EVENT" RunHasEvent: [Run] -> [Event] {
        attrs: ["seq"],
        begun_by: [every],
        ended_by: [],
    }
    /// Something came to be by an event.
    "EVENT_PRODUCES" EventProduces:
        [Event] -> [Message | Generation | ToolResult | Summary | ResourceSnapshot | ViewSnapshot] {
        attrs: [],
        begun_by: [
            MessageCreated ModelResponse ToolResult SummaryCreated SnapshotCreated
            SnapshotMaterialized
        ],
        ended_by: [],
    }
    /// An event needed something that was there.
    "EVENT_CONSUMES" EventConsumes: [Event] -> [Message | Generation | ToolCall | Resource] {
        attrs: [],
        begun_by: [
            ModelRequest EffectStarted ToolResult ApprovalRequested ApprovalDecided
            McpResourceRead HandleOpened SnapshotCreated
        ],
        ended_by: [],
    }
    /// A message is part of a conversation; its position there is the order.
    "APPENDED_TO_HISTORY" AppendedToHistory: [Run | Agent] -> [Message] {
        attrs: ["list" "pos"],
        begun_by: [HistoryAppend HistoryRewritten],
        ended_by: [HistoryAppend HistoryRewritten],
    }
    /// A tool call was asked for.
    "CALLS_TOOL" CallsTool: [Event | Generation] -> [ToolCall] {
        attrs: [],
        begun_by: [ToolCall],
        ended_by: [],
    }
    /// A tool call has a result.
    "RETURNS_RESULT" ReturnsResult: [ToolCall] -> [ToolResult] {
        attrs: ["status"],
        begun_by: [ToolResult],
        ended_by: [],
    }
    /// A resource of an MCP server changed.
    "MCP_RESOURCE_UPDATED" McpResourceUpdated: [Event] -> [Resource] {
        attrs: ["uri" "server" "etag" "hash"],
        begun_by: [McpResourceUpdated],
        ended_by: [],
    }
    /// Something did not come to its end.
    "INTERRUPTS" Interrupts: [Event] -> [Event] {
        attrs: ["reason"],
        begun_by: [Interruption],
        ended_by: [],
    }
    /// An event counts in the place of another.
    "SUBSTITUTES" Substitutes: [Event] -> [Event] {
        attrs: ["reason"],
        begun_by: [Substitution],
        ended_by: [],
    }
    /// A summary is of something.
    "SUMMARIZES" Summarizes: [Summary] -> [Message | Event | Run] {
        attrs: [],
        begun_by: [SummaryCreated],
        ended_by: [],
    }
    /// Something comes from something else.
    "DERIVED_FROM" DerivedFrom: [any] -> [any] {
        attrs: [],
        begun_by: [
            ModelResponse ToolResult SnapshotCreated RestoreAttempted BranchMerged Substitution
            SummaryCreated
        ],
        ended_by: [],
    }
    /// A resource is somebody's. It has one owner at a time.
    "OWNS_RESOURCE" OwnsResource: [Agent | Run] -> [Resource] {
        attrs: ["session_id"],
        begun_by: [ResourceRegistered ResourceTransferred],
        ended_by: [ResourceRegistered ResourceTransferred],
    }
    /// A resource can be found at some path. A container is a resource.
    "MOUNTS_RESOURCE" MountsResource: [Run | Resource] -> [Resource] {
        attrs: ["mount" "mode"],
        begun_by: [ResourceAttached],
        ended_by: [ResourceAttached ResourceDetached],
    }
    /// A resource is a part of another. It is a part of one at a time.
    "HAS_SUBRESOURCE" HasSubresource: [Resource] -> [Resource] {
        attrs: [],
        begun_by: [ResourceRegistered],
        ended_by: [ResourceRegistered],
    }
    /// A snapshot is of a resource.
    "SNAPSHOT_OF" SnapshotOf: [ResourceSnapshot] -> [Resource] {
        attrs: [],
        begun_by: [SnapshotCreated],
        ended_by: [],
    }
    /// A resource was made from a snapshot.
    "RESTORES_TO" RestoresTo: [ResourceSnapshot] -> [Resource] {
        attrs: [],
        begun_by: [RestoreAttempted],
        ended_by: [],
    }
    /// A resource can be used by somebody.
    "ATTACHED_TO" AttachedTo: [Resource] -> [Run | Agent] {
        attrs: ["mode" "mount"],
        begun_by: [ResourceAttached],
        ended_by: [ResourceAttached ResourceDetached],
    }
    /// A branch goes on from something.
    "FORKED_FROM" ForkedFrom: [Branch | Subagent] -> [Agent | Run | Event] {
        attrs: [],
        begun_by: [AgentForked],
        ended_by: [],
    }
    /// An agent was started by another.
    "SPAWNED_FROM" SpawnedFrom: [Subagent] -> [Agent] {
        attrs: ["child_run"],
        begun_by: [SubagentSpawned],
        ended_by: [],
    }
    /// A policy is in force by an event.
    "ACTIVATES_POLICY" ActivatesPolicy: [Event] -> [Policy] {
        attrs: [],
        begun_by: [PolicyActivated],
        ended_by: [],
    }
    /// A policy was proposed by an event.
    "PROPOSES_POLICY" ProposesPolicy: [Event] -> [Policy] {
        attrs: [],
        begun_by: [PolicyProposed],
        ended_by: [],
    }
}

/// A relation between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What it says.
    pub kind: EdgeKind,
    /// What it leaves.
    pub from: NodeRef,
    /// What it leads to.
    pub to: NodeRef,
    /// Its place among its like.
    pub order: u64,
    /// What else it says.
    pub attrs: Map,
}

/// What can be only one edge at a time: some of what an edge says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeKey {
    pub(super) kind: EdgeKind,
    pub(super) from: Option<NodeRef>,
    pub(super) to: Option<NodeRef>,
    pub(super) order: u64,
    pub(super) list: Option<Text>,
}

impl Edge {
    /// All edges of this sort can be true at the same time: the whole edge is its key.
    pub(super) fn key(&self) -> EdgeKey {
        let (from, to) = (Some(self.from.clone()), Some(self.to.clone()));
        EdgeKey { kind: self.kind, from, to, order: self.order, list: None }
    }
}
