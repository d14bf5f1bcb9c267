//! A graph made ready to run: flat lists, numbers instead of names, compiled conditions.
//!
//! A plan is valid by construction: every place that control can go to exists, every name has a
//! slot, every function and schema is found. What cannot run yet is a step that says so.

mod build;
mod condition;
mod declared;
mod demands;
mod duration;
mod keeping;
mod outside;
mod step;
mod steps;

use std::collections::BTreeMap;

use value::{Map, Text, Value};

pub use build::Unrunnable;
pub(crate) use condition::Condition;
pub(crate) use declared::Declared;
pub(crate) use step::{
    AskStep, Backoff, Choice, ClockForm, Demand, EffectStep, EnforceStep, KeepStep, ModelStep,
    Retry, Step, Strategy, ToolStep, TxAction, TxStep,
};

use crate::logic::Block;
use crate::reduce::Reducer;
use crate::schema::{SchemaId, Schemas};
use crate::stores::{StoreKind, StoreVerb};
use crate::{Fault, FaultKind};

/// The place of a name in a frame.
pub(crate) type Slot = u32;
/// The place of a node in the plan.
pub(crate) type NodeNo = u32;
/// The place of a label in the plan.
pub(crate) type LabelNo = u32;

/// By which edition of the rules (`docs/running.md`) a graph runs. What was begun by an older one
/// goes on by it, so that its history means what it meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edition {
    /// `Call` writes one name, what the last turn of a loop returned is written when it is over,
    /// its item stays, an `Err` protects only where edges say so, and policies are only names.
    Second,
    /// As the page says now.
    Third,
}

/// A graph made ready to run.
#[derive(Debug)]
pub struct Plan {
    pub(crate) edition: Edition,
    /// What the agent is called.
    pub name: Text,
    pub(crate) labels: Vec<PlanLabel>,
    pub(crate) nodes: Vec<PlanNode>,
    pub(crate) entry: LabelNo,
    pub(crate) names: Vec<Text>,
    pub(crate) slots: BTreeMap<Text, Slot>,
    /// What the frame holds before the run is given anything.
    pub(crate) initial: Vec<(Slot, Value)>,
    pub(crate) schemas: Schemas,
    pub(crate) declared_tools: value::Ordered<Value>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) stores: Vec<StoreDef>,
    pub(crate) channels: Vec<ChannelDef>,
    /// What is said of caches and queues.
    pub(crate) declared: Declared,
    /// How names are merged where branches join.
    pub(crate) reducers: BTreeMap<Slot, Reducer>,
    pub(crate) error: Slot,
}

#[derive(Debug)]
pub(crate) struct PlanLabel {
    pub(crate) id: Text,
    /// Nothing only where the label has no node: it ends at once.
    pub(crate) entry: Option<NodeNo>,
}

#[derive(Debug)]
pub(crate) struct PlanNode {
    pub(crate) label: LabelNo,
    /// `label/n1`, as events write it.
    pub(crate) at: Text,
    pub(crate) hash: value::Digest,
    pub(crate) step: Step,
    pub(crate) next: To,
    pub(crate) retry: Option<Box<Retry>>,
    /// The handler of its failures.
    pub(crate) handler: Option<LabelNo>,
    /// What is noted of the clause it is, where it is one of a gate's.
    pub(crate) clause: Option<Value>,
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// The label ends.
    End,
    Node(NodeNo),
    Label(LabelNo),
}

/// A constant or a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Lit(Value),
    Var(Slot),
}

#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) id: Text,
    pub(crate) model: Text,
    pub(crate) prompt: Text,
    pub(crate) params: Map,
    /// The tools that it may want.
    pub(crate) tools: Vec<AgentTool>,
}

/// A tool of an agent.
#[derive(Debug)]
pub(crate) struct AgentTool {
    pub(crate) id: Text,
    pub(crate) label: Text,
    pub(crate) description: Option<Text>,
    pub(crate) input: Option<SchemaId>,
}

#[derive(Debug)]
pub(crate) struct StoreDef {
    pub(crate) id: Text,
    pub(crate) kind: StoreKind,
    /// It outlives the run.
    pub(crate) persistent: bool,
    pub(crate) can_read: bool,
    pub(crate) can_write: bool,
}

impl StoreDef {
    /// A store may be used as it was declared.
    pub(crate) fn allows(&self, verb: StoreVerb) -> Result<(), Fault> {
        let (may, done) = match verb {
            StoreVerb::Read | StoreVerb::ReadAll => (self.can_read, "read"),
            StoreVerb::Does(deed) if deed.reads() => (self.can_read, "read"),
            StoreVerb::Write | StoreVerb::Does(_) => (self.can_write, "written"),
        };
        if may {
            return Ok(());
        }
        let message = format!("store `{}` may not be {done}: see its `access`", self.id);
        Err(Fault::new(FaultKind::Denied, message))
    }
}

#[derive(Debug)]
pub(crate) struct ChannelDef {
    pub(crate) id: Text,
    pub(crate) declared: Value,
}

impl Plan {
    /// The name of a slot that the plan knows.
    pub(crate) fn name(&self, slot: Slot) -> Option<&Text> {
        self.names.get(slot as usize)
    }

    pub(crate) fn node(&self, node: NodeNo) -> &PlanNode {
        &self.nodes[node as usize]
    }

    pub(crate) fn label(&self, label: LabelNo) -> &PlanLabel {
        &self.labels[label as usize]
    }

    /// The label of a node, as events write the node. Both may have a `/` in their ids.
    pub fn label_of(&self, at: &str) -> Option<&Text> {
        let node = self.nodes.iter().find(|node| *node.at == *at)?;
        Some(&self.label(node.label).id)
    }

    /// The node that is written like this: `label/n1`, or a label with only one node that leaves
    /// the core.
    pub fn find_node(&self, written: &str) -> Option<Text> {
        if let Some(node) = self.nodes.iter().find(|node| *node.at == *written) {
            return Some(node.at.clone());
        }
        let label = self.labels.iter().position(|label| *label.id == *written)?;
        let mut inside =
            self.nodes.iter().filter(|node| node.label as usize == label && node.step.leaves());
        let first = inside.next()?;
        inside.next().is_none().then(|| first.at.clone())
    }

    /// Whether a node asks a model or a tool, in whose place an output can be given.
    pub fn takes_output(&self, at: &str) -> bool {
        let found = self.nodes.iter().find(|node| *node.at == *at);
        let is_kept = |step: &Step| {
            matches!(step, Step::ReadStore { .. } | Step::WriteStore { .. })
                || matches!(step, Step::Receive { .. } | Step::Publish { .. } | Step::Keep(_))
        };
        let is_asked = |step: &Step| {
            is_kept(step) || step.leaves() && !matches!(step, Step::Ask(_) | Step::Sleep(_))
        };
        found.is_some_and(|node| is_asked(&node.step))
    }

    /// Whether something may ask for a name. Blocks of logic ask for any.
    pub fn may_ask_for(&self, name: &str) -> bool {
        let is_logic = |node: &PlanNode| matches!(node.step, Step::Logic { .. });
        self.slots.contains_key(name) || self.nodes.iter().any(is_logic)
    }

    /// Names of the labels, for messages.
    pub fn label_names(&self) -> impl Iterator<Item = &Text> {
        self.labels.iter().map(|label| &label.id)
    }

    /// The label that a run begins with.
    pub fn entry_label(&self) -> &Text {
        &self.label(self.entry).id
    }

    /// The schemas that shape calls.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// What the graph declares of a tool.
    pub fn declared_tool(&self, tool: &str) -> Option<&Value> {
        self.declared_tools.get(tool)
    }

    /// The tools that the graph calls by name, each once.
    pub fn tools(&self) -> Vec<Text> {
        let mut tools = self.tools_of_agents();
        for node in &self.nodes {
            if let Step::Tool(step) = &node.step {
                match &step.tool {
                    Operand::Lit(Value::Text(tool)) => tools.push(tool.clone()),
                    _ => tools.extend(step.choices.iter().map(|choice| choice.tool.clone())),
                }
            }
        }
        tools.sort();
        tools.dedup();
        tools
    }

    /// What the graph calls beside its tools, as `namespace.VERB`, each once.
    pub fn adapters(&self) -> Vec<Text> {
        let called = self.nodes.iter().filter_map(|node| match &node.step {
            // A tool by another name is none.
            Step::Effect(step) if matches!(&*step.server, "tool" | "tools") => None,
            Step::Effect(step) => Some(format!("{}.{}", step.server, step.tool).into()),
            Step::Transact(step) => Some(format!("txn.{}", step.action.verb()).into()),
            _ => None,
        });
        called.collect::<std::collections::BTreeSet<Text>>().into_iter().collect()
    }

    /// The agents that the graph asks, each once: its id, its model, and what its author says about
    /// how the model answers.
    pub fn agents(&self) -> Vec<(&Text, &Text, &Map)> {
        let steps = self.nodes.iter().filter_map(|node| match &node.step {
            Step::Model(step) => Some(step.agent as usize),
            _ => None,
        });
        let asked: std::collections::BTreeSet<usize> = steps.collect();
        let asked = asked.into_iter().map(|place| &self.agents[place]);
        asked.map(|agent| (&agent.id, &agent.model, &agent.params)).collect()
    }
}

impl Plan {
    /// The tools that models may want, each once.
    pub fn tools_of_agents(&self) -> Vec<Text> {
        let asking = self.nodes.iter().filter_map(|node| match &node.step {
            Step::Model(step) => Some(&self.agents[step.agent as usize]),
            _ => None,
        });
        let tools = asking.flat_map(|agent| &agent.tools).map(|tool| tool.id.clone());
        tools.collect::<std::collections::BTreeSet<Text>>().into_iter().collect()
    }
}
