//! What there is in a history: nodes, and how they are named.

use std::fmt;

use value::{Map, Text, Value};

macro_rules! node_kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// What a node is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum NodeKind {
            $($(#[$doc])* $kind,)*
        }

        impl NodeKind {
            /// All of them.
            pub const ALL: &'static [NodeKind] = &[$(NodeKind::$kind),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(NodeKind::$kind => stringify!($kind),)*
                }
            }
        }
    };
}

// A container is a resource like any other, so that there is no kind for it.
node_kinds! {
    /// An agent, by its id.
    Agent,
    /// A run, by its id.
    Run,
    /// An event, by its id.
    Event,
    /// A message, by its own id or that of the event that created it.
    Message,
    /// A model's request with its answers, by the id of the request's event.
    Generation,
    /// A tool call, by the id of its event.
    ToolCall,
    /// A tool result, by the id of its event.
    ToolResult,
    /// A policy, by its reference.
    Policy,
    /// A resource, by its id; one of an MCP server by its URI.
    Resource,
    /// A snapshot of a resource, by its reference.
    ResourceSnapshot,
    /// A view that was kept, by its reference.
    ViewSnapshot,
    /// Something live behind a resource, by its id.
    Handle,
    /// An agent that another one started, by its id.
    Subagent,
    /// A summary, by its reference.
    Summary,
    /// A branch, by its agent and its name: `AGENT/NAME`.
    Branch,
}

/// A node, by its kind and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeRef {
    /// What it is.
    pub kind: NodeKind,
    /// Which one.
    pub id: Text,
}

impl NodeRef {
    /// The node of this kind and id.
    pub fn new(kind: NodeKind, id: impl Into<Text>) -> NodeRef {
        NodeRef { kind, id: id.into() }
    }

    /// A node that has an event's id.
    pub fn of_event(kind: NodeKind, id: crate::EventId) -> NodeRef {
        NodeRef::new(kind, id.to_string())
    }

    /// The branch of this name. Names are an agent's own.
    pub fn branch(agent: Option<&str>, name: &str) -> NodeRef {
        NodeRef::new(NodeKind::Branch, format!("{}/{name}", agent.unwrap_or_default()))
    }

    /// Reads `Kind:id`.
    pub fn parse(text: &str) -> Option<NodeRef> {
        let (name, id) = text.split_once(':')?;
        let kind = NodeKind::ALL.iter().find(|kind| kind.name() == name)?;
        Some(NodeRef::new(*kind, id))
    }
}

/// `Kind:id`
impl fmt::Display for NodeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.id)
    }
}

impl From<&NodeRef> for Value {
    fn from(node: &NodeRef) -> Value {
        node.to_string().into()
    }
}

/// Which side of a node a row is about. What changes apart is kept apart, so that a late word
/// about one side leaves the others alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// That it is there, and what it is.
    Itself,
    /// Whether it was there when somebody looked.
    Liveness,
    /// How far it has come.
    Status,
}

/// What is believed of a side of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Which node.
    pub node: NodeRef,
    /// Which side of it.
    pub aspect: Aspect,
    /// What is believed.
    pub attrs: Map,
}
