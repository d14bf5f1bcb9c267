//! Agent Graph v1, typed. A `Graph` may have errors, and can be printed all the same; whoever
//! needs one without errors asks [`crate::validate`].

use std::borrow::Cow;
use std::sync::Arc;

use value::{Map, Ordered, Text, Value};

use crate::contracts::{self, Contract, Verb};
use crate::declarations::Declarations;
use crate::effects::{Effect, Tier};
use crate::operand::{Filled, Operand, Operands};
use crate::ops::{NodeOp, OpDef, Port, Runs, SlotKind};

/// A graph document.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The version of the program in it, as its author numbers it.
    pub ir_version: Text,
    /// The labels, in the author's order.
    pub labels: Ordered<Label>,
    /// Which request runs which label.
    pub endpoints: Vec<Endpoint>,
    /// What runs by the clock.
    pub crons: Vec<Value>,
    /// Configured services and who may use them.
    pub capabilities: Map,
    /// How the graph wants to be run.
    pub runtime_policy: Map,
    /// What the labels refer to.
    pub declarations: Declarations,
    /// Platforms that the exits are emitted to.
    pub emit_targets: Option<Vec<Text>>,
    /// Members that no version of the schema names, and source text: kept, never interpreted.
    pub extra: Map,
}

/// A named piece of control flow with one entry.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// Its nodes, in order.
    pub nodes: Vec<Node>,
    /// Control flow.
    pub edges: Vec<Edge>,
    /// The node to begin with; none only where there is no node.
    pub entry: Option<Text>,
    /// Where it returns.
    pub exits: Vec<Exit>,
    /// Data flow to the next node, and routing of what is returned.
    pub emit_edges: Vec<EmitEdge>,
    /// Items of `nodes` that are no nodes, with their places.
    pub odd_nodes: Vec<(u32, Value)>,
    /// Items of `edges` that are no edges, with their places.
    pub odd_edges: Vec<(u32, Value)>,
    /// Platforms that its emit edges name, for a document that lists none.
    pub emit_targets: Vec<Text>,
    /// Unknown members.
    pub extra: Extra,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stood in the author's list; diagnostics point there.
    pub at: u32,
    /// `n1`, `n2`, ...; empty where the author gave none.
    pub id: Text,
    /// What it does.
    pub op: NodeOp,
    /// The step as older tools read it.
    pub data: Arc<Map>,
    /// The step as it is meant.
    pub operands: Operands,
    /// As the author gave it, else by the op table.
    pub effect: Effect,
    /// As the author gave it, else by the op table and the adapter's contract.
    pub tier: Tier,
    /// What it touches, in the words of spec 2.
    pub kinds: Vec<Cow<'static, str>>,
    /// Names it reads.
    pub reads: Vec<Text>,
    /// Names it writes.
    pub writes: Vec<Text>,
    /// Names among those it reads that it fails without.
    pub needs: Vec<Text>,
    /// Whether it may write names that cannot be known before it runs.
    pub inexact: bool,
    /// The kind of memory it works on.
    pub memory_type: Option<Text>,
    /// The contract of what it calls, where the table has none and somebody declared it.
    pub declared: Option<Arc<Contract>>,
    /// The line of the source text.
    pub lineno: Option<i64>,
    /// Whether it was made of a step, and stands in the list of steps.
    pub is_step: bool,
    /// Unknown members.
    pub extra: Extra,
}

/// What an edge leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToKind {
    /// A node of the same label.
    Node,
    /// A label.
    Label,
}

impl ToKind {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            ToKind::Node => "node",
            ToKind::Label => "label",
        }
    }
}

/// Control flow from a node.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it stood in the author's list; diagnostics point there.
    pub at: u32,
    /// The node it leaves; empty where the author gave none.
    pub from: Text,
    /// The node or label it leads to; empty where the author gave none.
    pub to: Text,
    /// Which of the two.
    pub to_kind: ToKind,
    /// Which way out of the node it is; none only where the author wrote an unknown word.
    pub port: Option<Port>,
    /// Written for other tools' analyses; control never goes there.
    pub analysis_only: bool,
    /// Unknown members.
    pub extra: Extra,
}

/// A return.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// The node that returns.
    pub node: Text,
    /// What it returns.
    pub var: Option<Text>,
    /// Unknown members.
    pub extra: Extra,
}

/// An edge beside control flow.
#[derive(Clone, Debug, PartialEq)]
pub enum EmitEdge {
    /// The successor sees what the node wrote.
    Data {
        /// The node that writes.
        from: Text,
        /// Its successor.
        to: Text,
        /// The name it writes.
        var: Text,
    },
    /// What a return gives goes to a platform.
    Emit {
        /// The node that returns.
        from: Text,
        /// What it returns.
        var: Option<Text>,
        /// The platform.
        target: Text,
    },
}

/// A request that runs a label.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The path.
    pub path: Text,
    /// The method as written: `G` or `GET`.
    pub method: Text,
    /// The label.
    pub label: Option<Text>,
    /// All members of the endpoint, as written.
    pub members: Arc<Map>,
}

/// Members that the schema does not name. Most things have none, so none takes little room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra(Option<Box<Map>>);

impl Extra {
    /// Keeps a member.
    pub fn keep(&mut self, name: Text, value: Value) {
        self.0.get_or_insert_default().insert(name, value);
    }

    /// Forgets a member.
    pub fn forget(&mut self, name: &str) {
        if let Some(map) = &mut self.0 {
            map.remove(name);
        }
    }

    /// A member, if it was kept.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// All of them, as written.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Value)> {
        self.0.iter().flat_map(|map| map.iter())
    }
}

impl Node {
    /// A node of which only the name, the op and the data are known yet.
    pub(crate) fn new(id: Text, op: NodeOp, data: Arc<Map>) -> Node {
        Node {
            at: 0,
            id,
            op,
            data,
            operands: Operands::default(),
            effect: Effect::Pure,
            tier: Tier::Pure,
            kinds: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            needs: Vec::new(),
            inexact: false,
            memory_type: None,
            declared: None,
            lineno: None,
            is_step: false,
            extra: Extra::default(),
        }
    }

    /// Its id for a message.
    pub(crate) fn shown(&self) -> String {
        if self.id.is_empty() { "a node without id".to_string() } else { format!("`{}`", self.id) }
    }

    /// The row of the op table, if the op is known.
    pub fn def(&self) -> Option<&'static OpDef> {
        self.op.def()
    }

    /// `namespace` and `verb` of what it calls outside, where it does.
    pub fn adapter(&self) -> Option<(&str, &str)> {
        let op = self.def()?;
        match op.runs {
            Runs::Store(_, _, verb) => verb.split_once('.'),
            Runs::Adapter => {
                let adapter = self.operands.text(op.slot_of(SlotKind::Adapter)?.name)?;
                Some(match adapter.split_once('.') {
                    Some(parts) => parts,
                    // The older form: `cache get` for `cache.get`.
                    None => {
                        let verb = op
                            .slot_of(SlotKind::FirstValue)
                            .and_then(|slot| self.operands.text(slot.name));
                        (adapter, verb.map_or("", |verb| verb))
                    }
                })
            }
            _ => None,
        }
    }

    /// Whether its verb stands in the place of the first argument: `cache get` for `cache.get`.
    pub fn is_split(&self) -> bool {
        let adapter = self.def().and_then(|op| op.slot_of(SlotKind::Adapter));
        let adapter = adapter.and_then(|slot| self.operands.text(slot.name));
        adapter.is_some_and(|adapter| !adapter.contains('.'))
    }

    /// The arguments of what it calls or computes, in order; nothing where one of them is odd.
    pub fn arguments(&self) -> Option<Vec<&Operand>> {
        let op = self.def()?;
        let first = op.slot_of(SlotKind::FirstValue).filter(|_| !self.is_split());
        let mut arguments = Vec::new();
        for slot in first.into_iter().chain(op.slot_of(SlotKind::Values)) {
            match self.operands.get(slot.name) {
                Some(Filled::One(operand)) => arguments.push(operand),
                Some(Filled::Many(operands)) => arguments.extend(operands),
                None => {}
            }
        }
        let is_odd = |operand: &&Operand| matches!(operand, Operand::Odd(..));
        (!arguments.iter().any(is_odd)).then_some(arguments)
    }

    /// What it calls, where that is one of the verbs that agents are made of.
    pub fn verb(&self) -> Option<Verb> {
        let (namespace, verb) = self.adapter()?;
        Verb::find(namespace, verb)
    }

    /// The first argument of what it calls, where that is fixed text.
    pub fn target(&self) -> Option<&Text> {
        let slot = self.def()?.slot_of(SlotKind::FirstValue)?;
        match self.operands.one(slot.name)? {
            Operand::Lit(Value::Text(target)) => Some(target),
            _ => None,
        }
    }

    /// The tools that a call of tools may call: the one it names, or those it chooses from.
    pub fn tools(&self) -> Vec<&Text> {
        let Some(op) = self.def() else { return Vec::new() };
        let slot = |kind| op.slot_of(kind).and_then(|slot| self.operands.get(slot.name));
        let text = |operand| match operand {
            &Operand::Lit(Value::Text(ref text)) => Some(text),
            _ => None,
        };
        match (slot(SlotKind::FirstValue), slot(SlotKind::Values)) {
            (Some(Filled::One(operand @ Operand::Lit(_))), _) => {
                text(operand).into_iter().collect()
            }
            (_, Some(Filled::Many(operands))) => operands.iter().filter_map(text).collect(),
            _ => Vec::new(),
        }
    }

    /// The text of a logic block, where it is one.
    pub fn logic(&self) -> Option<&Text> {
        self.target().filter(|_| self.verb() == Some(Verb::Logic))
    }

    /// What is noted of the clause it is, where it is one of a gate's: which text decided that.
    pub fn clause(&self) -> Option<&Value> {
        self.extra.get("gate")
    }

    /// The contract of what it calls outside; an unknown verb may do anything.
    pub fn contract(&self) -> Option<&Contract> {
        let (namespace, verb) = self.adapter()?;
        let known = contracts::find(namespace, verb).or(self.declared.as_deref());
        Some(known.unwrap_or(&contracts::UNKNOWN))
    }
}

impl Label {
    /// The index of a node. Canonical ids are found at once.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        let number = id.strip_prefix('n').and_then(|digits| digits.parse::<usize>().ok());
        if let Some(index) = number.and_then(|number| number.checked_sub(1))
            && self.nodes.get(index).is_some_and(|node| &*node.id == id)
        {
            return Some(index);
        }
        self.nodes.iter().position(|node| &*node.id == id && !id.is_empty())
    }

    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        Some(&self.nodes[self.index_of(id)?])
    }
}

impl Label {
    /// Whether something stands where its nodes should be.
    pub(crate) fn has_odd_nodes(&self) -> bool {
        let odd_steps = self
            .extra
            .get("legacy")
            .is_some_and(|legacy| legacy.as_map().is_none() || legacy.get("steps").is_some());
        !self.odd_nodes.is_empty() || self.extra.get("nodes").is_some() || odd_steps
    }
}

impl Edge {
    /// Whether control can follow it to a node of the same label.
    pub fn is_to_node(&self) -> bool {
        self.to_kind == ToKind::Node && !self.analysis_only
    }

    /// Whether control can follow it to a label.
    pub fn is_to_label(&self) -> bool {
        self.to_kind == ToKind::Label && !self.analysis_only
    }
}

impl Graph {
    /// Whether a label of this name was written, even if it could not be read.
    pub fn names_label(&self, id: &str) -> bool {
        self.labels.contains_key(id)
            || self.extra.get("labels").is_some_and(|odd| odd.get(id).is_some())
    }

    /// The label a run begins with, where the document says so.
    pub fn entry(&self) -> Option<&Text> {
        self.runtime_policy.get("entry")?.as_text()
    }

    /// The label a run begins with where nobody says otherwise: the one that the document names,
    /// else that of the first request, else the first.
    pub fn begins_at(&self) -> Option<&Text> {
        let requested = || self.endpoints.iter().find_map(|endpoint| endpoint.label.as_ref());
        self.entry().or_else(requested).or_else(|| self.labels.keys().next())
    }

    /// `1.0`, or `1.0+quipu` where it uses an op that spec 1 does not list.
    pub fn schema_version(&self) -> &'static str {
        let mut ops = self.labels.values().flat_map(|label| &label.nodes).filter_map(Node::def);
        if ops.all(|op| op.standard) { "1.0" } else { "1.0+quipu" }
    }
}
