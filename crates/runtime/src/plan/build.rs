//! From a graph to a plan.

use std::collections::BTreeMap;
use std::fmt;

use graph::ops::{Port, SlotKind};
use graph::{
    Declarations, Filled, Graph, Guards, Index, Kind, Label, Node, Operand as Written, ToKind,
};
use value::{Map, Text, Value};

use super::{
    Agent, AgentTool, Backoff, ChannelDef, Declared, Edition, LabelNo, NodeNo, Operand, Plan,
    PlanLabel, PlanNode, Retry, Slot, Step, StoreDef, Strategy, To,
};
use crate::logic::Block;
use crate::reduce::Reducer;
use crate::schema::Schemas;
use crate::stores::StoreKind;

/// Why a graph cannot be run at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrunnable(pub String);

impl fmt::Display for Unrunnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unrunnable {}

impl Plan {
    /// Makes a graph without errors ready to run. What of it cannot run yet fails when control
    /// comes to it, so that the rest can be used.
    pub fn new(graph: &Graph) -> Result<Plan, Unrunnable> {
        Plan::by(graph, Edition::Third)
    }

    /// The same, by the rules of an edition.
    pub fn by(graph: &Graph, edition: Edition) -> Result<Plan, Unrunnable> {
        let mut builder = Builder::new(graph, edition)?;
        builder.keeps_in_run = edition == Edition::Second;
        let mut nodes = Vec::new();
        for (number, (id, label)) in (0..).zip(graph.labels.iter()) {
            builder.label(number, id, label, &mut nodes)?;
        }
        builder.finish(nodes)
    }
}

/// What is known while nodes are made.
pub(super) struct Builder<'g> {
    pub(super) graph: &'g Graph,
    pub(super) edition: Edition,
    pub(super) label_numbers: BTreeMap<&'g str, LabelNo>,
    labels: Vec<PlanLabel>,
    names: Vec<Text>,
    slots: BTreeMap<Text, Slot>,
    pub(super) schemas: Schemas,
    pub(super) agents: BTreeMap<&'g str, u32>,
    /// Those that are asked without being declared.
    pub(super) unnamed: Vec<Agent>,
    pub(super) stores: BTreeMap<&'g str, u32>,
    pub(super) channels: BTreeMap<&'g str, u32>,
    pub(super) blocks: Vec<Block>,
    /// Caches and queues end with the run.
    pub(super) keeps_in_run: bool,
}

/// A node with what leads away from it.
pub(super) struct Place<'a> {
    pub(super) node: &'a Node,
    ports: Vec<(Port, To)>,
}

impl Place<'_> {
    /// Where a port leads; the label ends where it leads nowhere.
    pub(super) fn to(&self, port: Port) -> To {
        self.found(port).unwrap_or(To::End)
    }

    pub(super) fn found(&self, port: Port) -> Option<To> {
        self.ports.iter().find(|(own, _)| *own == port).map(|(_, to)| *to)
    }

    pub(super) fn labels(&self, port: Port) -> Vec<LabelNo> {
        let all = self.ports.iter().filter(|(own, _)| *own == port);
        all.filter_map(|(_, to)| match to {
            To::Label(label) => Some(*label),
            To::Node(_) | To::End => None,
        })
        .collect()
    }

    pub(super) fn literal(&self, slot: &str) -> Option<&Value> {
        match self.node.operands.one(slot)? {
            Written::Lit(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn number(&self, slot: &str) -> Option<u64> {
        match self.literal(slot)? {
            Value::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn text(&self, slot: &str) -> Option<Text> {
        self.node.operands.text(slot).cloned()
    }
}

impl<'g> Builder<'g> {
    fn new(graph: &'g Graph, edition: Edition) -> Result<Builder<'g>, Unrunnable> {
        if graph.labels.is_empty() {
            return Err(Unrunnable("there is no label to run".into()));
        }
        let mut builder = Builder {
            graph,
            edition,
            label_numbers: (0..).zip(graph.labels.keys()).map(|(no, id)| (&**id, no)).collect(),
            labels: Vec::new(),
            names: Vec::new(),
            slots: BTreeMap::new(),
            schemas: Schemas::compile(&graph.declarations),
            agents: numbers(&graph.declarations, Kind::Agents),
            unnamed: Vec::new(),
            stores: numbers(&graph.declarations, Kind::Stores),
            channels: numbers(&graph.declarations, Kind::Channels),
            blocks: Vec::new(),
            keeps_in_run: false,
        };
        // Inputs come first, so that a state begins with them.
        for name in graph.declarations.of(Kind::Inputs).keys() {
            builder.slot(name);
        }
        Ok(builder)
    }

    pub(super) fn slot(&mut self, name: &Text) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = Slot::try_from(self.names.len()).expect("there are fewer names than that");
        self.names.push(name.clone());
        self.slots.insert(name.clone(), slot);
        slot
    }

    /// What a slot holds, where it is one value.
    pub(super) fn operand(&mut self, place: &Place<'_>, slot: &str) -> Option<Operand> {
        let written = place.node.operands.one(slot)?.clone();
        Some(self.compiled(&written))
    }

    pub(super) fn operands(&mut self, place: &Place<'_>, slot: &str) -> Vec<Operand> {
        match place.node.operands.get(slot) {
            Some(Filled::Many(items)) => items.iter().map(|item| self.compiled(item)).collect(),
            Some(Filled::One(item)) => vec![self.compiled(item)],
            None => Vec::new(),
        }
    }

    fn compiled(&mut self, written: &Written) -> Operand {
        match written {
            Written::Lit(value) | Written::Odd(value, _) => Operand::Lit(value.clone()),
            Written::Var(name) => Operand::Var(self.slot(name)),
            Written::Label(label) => Operand::Lit(Value::Text(label.clone())),
            Written::Expr(expr) => Operand::Lit(Value::text(expr.to_string())),
        }
    }

    /// The slot of the name that a slot binds.
    pub(super) fn bound(&mut self, place: &Place<'_>, slot: &str) -> Option<Slot> {
        let name = place.text(slot)?;
        Some(self.slot(&name))
    }

    fn label(
        &mut self,
        number: LabelNo,
        id: &Text,
        label: &'g Label,
        nodes: &mut Vec<PlanNode>,
    ) -> Result<(), Unrunnable> {
        let index = Index::new(label);
        let first = NodeNo::try_from(nodes.len()).expect("there are fewer nodes than that");
        let node_at = |at: usize| first + NodeNo::try_from(at).expect("as above");
        self.labels.push(PlanLabel { id: id.clone(), entry: index.entry().map(node_at) });
        let unknown =
            |node: &Node| Unrunnable(format!("`{id}/{}` has no op that can run", node.id));
        let passed = match self.edition {
            Edition::Second => vec![None; label.nodes.len()],
            Edition::Third => graph::passed(label, &index),
        };
        for (at, node) in label.nodes.iter().enumerate() {
            let ports = self.ports(label, &index, at, &node_at)?;
            let place = Place { node, ports };
            let (retry, handler) = self.guards(label, &index, at, passed[at])?;
            let def = node.def().ok_or_else(|| unknown(node))?;
            let step = self.step(def, &place)?;
            let next = place.to(Port::Next);
            nodes.push(PlanNode {
                label: number,
                at: format!("{id}/{}", node.id).into(),
                hash: graph::hash::hash_node(node),
                step,
                next,
                retry,
                handler,
                clause: node.clause().cloned(),
            });
        }
        Ok(())
    }

    /// Where the ports of a node lead, but those of its guards.
    fn ports(
        &self,
        label: &'g Label,
        index: &Index<'_>,
        at: usize,
        node_at: &dyn Fn(usize) -> NodeNo,
    ) -> Result<Vec<(Port, To)>, Unrunnable> {
        let mut ports = Vec::new();
        for edge in index.edge_indices_from(at) {
            let written = &label.edges[edge];
            let Some(port) = written.port.filter(|_| !written.analysis_only) else { continue };
            let to = match written.to_kind {
                ToKind::Label => To::Label(self.label_number(&written.to)?),
                ToKind::Node => match index.target(edge) {
                    Some(target) => To::Node(node_at(target)),
                    None => return Err(Unrunnable(format!("there is no node `{}`", written.to))),
                },
            };
            ports.push((port, to));
        }
        Ok(ports)
    }

    pub(super) fn label_number(&self, id: &str) -> Result<LabelNo, Unrunnable> {
        let found = self.label_numbers.get(id).copied();
        found.ok_or_else(|| Unrunnable(format!("there is no label `{id}`")))
    }

    /// How a node is tried again, and which label handles its failures. `passed` is the `Err` that
    /// protects it without an edge.
    fn guards(
        &mut self,
        label: &'g Label,
        index: &Index<'_>,
        at: usize,
        passed: Option<usize>,
    ) -> Result<(Option<Box<Retry>>, Option<LabelNo>), Unrunnable> {
        let mut guards = Guards::of_node(label, index, at);
        let has_retry = index.edges_from(at).any(|edge| edge.port == Some(Port::Retry));
        if self.edition == Edition::Second && !has_retry {
            // An `Err` had no guard of its own.
            guards.retry = None;
        }
        let handler = match guards.err.or(passed) {
            None => None,
            Some(err) => {
                let edge = index.edges_from(err).find(|edge| edge.port == Some(Port::Handler));
                edge.map(|edge| self.label_number(&edge.to)).transpose()?
            }
        };
        let retry = guards.retry.map(|retry| {
            Box::new(read_retry(&Place { node: &label.nodes[retry], ports: Vec::new() }))
        });
        Ok((retry, handler))
    }

    fn finish(mut self, mut nodes: Vec<PlanNode>) -> Result<Plan, Unrunnable> {
        let graph = self.graph;
        let entry = graph.begins_at().map_or(Ok(0), |entry| self.label_number(entry))?;
        // Where a fork waits is known when all labels are.
        let entries: Vec<Option<NodeNo>> = self.labels.iter().map(|label| label.entry).collect();
        let joins: Vec<bool> =
            nodes.iter().map(|node| matches!(node.step, Step::Join { .. })).collect();
        for node in &mut nodes {
            let next = node.next;
            if let Step::Fork { join, .. } = &mut node.step {
                let target = match next {
                    To::Node(target) => Some(target),
                    To::Label(label) => entries[label as usize],
                    To::End => None,
                };
                *join = target
                    .filter(|target| joins[*target as usize])
                    .ok_or_else(|| Unrunnable(format!("`{}` leads to no `Join`", node.at)))?;
            }
        }
        let mut initial = Vec::new();
        for (name, input) in graph.declarations.of(Kind::Inputs).iter() {
            if let Some(default) = input.get("default") {
                initial.push((self.slot(name), default.clone()));
            }
        }
        let mut reducers = BTreeMap::new();
        for (name, declared) in graph.declarations.of(Kind::Reducers).iter() {
            let word = declared.get("reducer").and_then(Value::as_text);
            if let Some(reducer) = word.and_then(|word| Reducer::find(word)) {
                reducers.insert(self.slot(name), reducer);
            }
        }
        let name = graph.extra.get("name").and_then(Value::as_text).cloned();
        let error = self.slot(&"_error".into());
        Ok(Plan {
            edition: self.edition,
            name: name.unwrap_or_else(|| "agent".into()),
            agents: agents(&graph.declarations, &self.schemas)
                .into_iter()
                .chain(self.unnamed)
                .collect(),
            stores: stores(&graph.declarations),
            channels: channels(&graph.declarations),
            declared: match self.keeps_in_run {
                true => Declared::default(),
                false => Declared::of(&graph.capabilities),
            },
            entry,
            nodes,
            initial,
            reducers,
            error,
            labels: self.labels,
            names: self.names,
            slots: self.slots,
            schemas: self.schemas,
            declared_tools: graph.declarations.of(Kind::Tools).clone(),
            blocks: self.blocks,
        })
    }
}

fn numbers(declared: &Declarations, kind: Kind) -> BTreeMap<&str, u32> {
    declared.of(kind).keys().zip(0..).map(|(id, number)| (&**id, number)).collect()
}

fn text_of(value: &Value, name: &str) -> Option<Text> {
    value.get(name).and_then(Value::as_text).cloned()
}

fn agents(declared: &Declarations, schemas: &Schemas) -> Vec<Agent> {
    let all = declared.of(Kind::Agents).iter();
    all.map(|(id, agent)| Agent {
        id: id.clone(),
        model: text_of(agent, "model").unwrap_or_else(|| "".into()),
        prompt: text_of(agent, "system_prompt")
            .or_else(|| text_of(agent, "prompt"))
            .unwrap_or_else(|| "".into()),
        params: agent.get("config").and_then(Value::as_map).cloned().unwrap_or_else(Map::default),
        tools: tools_of(agent, declared, schemas),
    })
    .collect()
}

fn tools_of(agent: &Value, declared: &Declarations, schemas: &Schemas) -> Vec<AgentTool> {
    let named = agent.get("tools").and_then(Value::as_list).into_iter().flat_map(|all| all.iter());
    let mut tools: Vec<AgentTool> = Vec::new();
    for id in named.filter_map(Value::as_text) {
        let Some(tool) = declared.of(Kind::Tools).get(id) else { continue };
        if tools.iter().any(|known| known.id == *id) {
            continue;
        }
        tools.push(AgentTool {
            id: id.clone(),
            label: text_of(tool, "label").unwrap_or_else(|| id.clone()),
            description: text_of(tool, "description"),
            input: text_of(tool, "input_schema").and_then(|name| schemas.find(&name)),
        });
    }
    tools
}

fn stores(declared: &Declarations) -> Vec<StoreDef> {
    let all = declared.of(Kind::Stores).iter();
    all.map(|(id, store)| {
        let access = text_of(store, "access").unwrap_or_else(|| "readwrite".into());
        StoreDef {
            id: id.clone(),
            kind: StoreKind::declared(store),
            persistent: text_of(store, "retention").is_none_or(|word| &*word == "persistent"),
            can_read: &*access != "write",
            can_write: &*access != "read",
        }
    })
    .collect()
}

fn channels(declared: &Declarations) -> Vec<ChannelDef> {
    let all = declared.of(Kind::Channels).iter();
    all.map(|(id, channel)| ChannelDef { id: id.clone(), declared: channel.clone() }).collect()
}

fn read_retry(place: &Place<'_>) -> Retry {
    let strategy = place.text("backoff_strategy");
    let errors = place.literal("errors").and_then(Value::as_list).unwrap_or_default();
    Retry {
        count: u32::try_from(place.number("count").unwrap_or(3)).unwrap_or(u32::MAX),
        backoff_ms: match strategy.as_deref() {
            Some("none") => 0,
            _ => place.number("backoff_ms").unwrap_or(0),
        },
        backoff: match strategy.as_deref() {
            Some("linear") => Backoff::Linear,
            Some("exponential") => Backoff::Exponential,
            _ => Backoff::Fixed,
        },
        backoff_max_ms: place.number("backoff_max_ms"),
        errors: errors.iter().filter_map(|error| error.as_text().cloned()).collect(),
    }
}

/// The strategy of a join, by its slot. Without one it waits for all.
pub(super) fn strategy(place: &Place<'_>) -> Result<Strategy, Unrunnable> {
    let Some(word) = place.text("strategy") else { return Ok(Strategy::All) };
    let known = "it is `all`, `any`, `race`, `quorum` or `quorum:N`";
    Strategy::of(&word)
        .ok_or_else(|| Unrunnable(format!("a join has the strategy `{word}`, and {known}")))
}

/// The name that the kind of slot has in an op's row.
pub(super) fn slot_name(place: &Place<'_>, kind: SlotKind) -> Option<&'static str> {
    Some(place.node.def()?.slot_of(kind)?.name)
}
