//! A graph as an author wrote it: names, gaps and all. [`crate::normalize`] makes a
//! [`crate::Graph`] of it.

use std::sync::Arc;

use value::{Map, Ordered, Text, Value};

use crate::declarations::Declarations;
use crate::effects::{Effect, Tier};
use crate::model::{Endpoint, Exit, Extra, ToKind};
use crate::ops::Port;

/// A whole document. A member that is absent here was absent, or could not be understood (then
/// it stands, as written, among the unknown members).
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// `ir_version`.
    pub ir_version: Option<Text>,
    /// The labels, in the author's order.
    pub labels: Ordered<DraftLabel>,
    /// `services.core.eps`.
    pub endpoints: Vec<Endpoint>,
    /// `crons`.
    pub crons: Vec<Value>,
    /// `capabilities`.
    pub capabilities: Map,
    /// `runtime_policy`.
    pub runtime_policy: Map,
    /// `declarations`.
    pub declarations: Declarations,
    /// `required_emit_targets.minimal_emit`.
    pub emit_targets: Option<Vec<Text>>,
    /// Everything else.
    pub extra: Map,
}

/// A label.
#[derive(Clone, Debug, Default)]
pub struct DraftLabel {
    /// Its nodes.
    pub nodes: Vec<DraftNode>,
    /// Its edges.
    pub edges: Vec<DraftEdge>,
    /// The id of the node to begin with.
    pub entry: Option<Text>,
    /// `exits`.
    pub exits: Option<Vec<Exit>>,
    /// Items of `nodes` that are no nodes, with their places.
    pub odd_nodes: Vec<(u32, Value)>,
    /// Items of `edges` that are no edges, with their places.
    pub odd_edges: Vec<(u32, Value)>,
    /// Emit targets that its `emit_edges` name.
    pub emit_targets: Vec<Text>,
    /// `legacy.steps`.
    pub steps: Option<Arc<Vec<Value>>>,
    /// Everything else.
    pub extra: Extra,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct DraftNode {
    /// Where it stands in the author's list.
    pub at: u32,
    /// Whether that is the list of steps.
    pub is_step: bool,
    /// `id`.
    pub id: Option<Text>,
    /// `op`.
    pub op: Option<Text>,
    /// `data`.
    pub data: Option<Arc<Map>>,
    /// `operands`.
    pub operands: Option<Arc<Map>>,
    /// `effect`.
    pub effect: Option<Effect>,
    /// `effect_tier`.
    pub tier: Option<Tier>,
    /// `effect_kinds`.
    pub kinds: Option<Vec<Text>>,
    /// `reads`.
    pub reads: Option<Vec<Text>>,
    /// `writes`.
    pub writes: Option<Vec<Text>>,
    /// `memory_type`.
    pub memory_type: Option<Text>,
    /// `lineno`.
    pub lineno: Option<i64>,
    /// Everything else.
    pub extra: Extra,
}

/// An edge.
#[derive(Clone, Debug, Default)]
pub struct DraftEdge {
    /// Where it stands in the author's list.
    pub at: u32,
    /// `from`.
    pub from: Option<Text>,
    /// `to`.
    pub to: Option<Text>,
    /// `to_kind`.
    pub to_kind: Option<ToKind>,
    /// `port`.
    pub port: Option<Port>,
    /// `analysis_only`.
    pub analysis_only: bool,
    /// Everything else.
    pub extra: Extra,
}
