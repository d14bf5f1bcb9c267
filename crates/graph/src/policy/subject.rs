//! What rules are about: something that a node does, or may do.

use std::borrow::Cow;

use value::{Text, Value};

use crate::contracts::{self, Contract, Verb};
use crate::declarations::Kind;
use crate::effects::{Effect, Tier, Touches};
use crate::model::{Graph, Node};
use crate::ops::{Does, Runs};

/// Something that happens at a node. A graph has it before it runs, a run when it is about to do it.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject<'a> {
    /// The label it happens in.
    pub label: &'a str,
    /// What is called, by each of its names: `tool.CALL` and `tool.search`. None where nothing is.
    pub names: Vec<Cow<'a, str>>,
    /// `io`, `pure` or `meta`.
    pub effect: Effect,
    /// The tier of spec 2. What an author wrote of a node does not count, only what is looked up.
    pub tier: Tier,
    /// The word of spec 2 for what it touches.
    pub kind: Option<&'a str>,
    /// What it touches.
    pub touches: Touches,
    /// Whether a run asks its policy before this happens. What its stores and channels keep and what
    /// models answer is decided before it begins; caches, queues, memory and transactions are
    /// adapters like any other.
    pub is_decided: bool,
}

impl<'a> Subject<'a> {
    /// A call that is about to leave, as a run knows it.
    pub fn call(label: &'a str, server: &str, tool: &str, touches: Touches) -> Subject<'a> {
        let contract = contracts::find(server, tool).unwrap_or(&contracts::UNKNOWN);
        let mut names = vec![Cow::Owned(format!("{server}.{tool}"))];
        names.extend(class(server).map(Cow::Borrowed));
        Subject {
            label,
            names,
            effect: Effect::Io,
            tier: touches.tier(),
            kind: Some(&*contract.kind),
            touches,
            is_decided: true,
        }
    }

    /// Everything that a node does or may do: one for itself, and one for each tool that its agent
    /// may want.
    pub fn of(graph: &'a Graph, label: &'a str, node: &'a Node) -> Vec<Subject<'a>> {
        let Some(op) = node.def() else { return Vec::new() };
        let (tier, kind, touches) = match (op.tier(), node.contract()) {
            (None, contract) => {
                let contract = contract.unwrap_or(&contracts::UNKNOWN);
                (contract.tier(), Some(&*contract.kind), contract.touches)
            }
            (Some((tier, kind)), _) => (tier, kind, touched(op.runs)),
        };
        let is_decided = match (op.runs, node.verb()) {
            (Runs::Store(..), _) | (Runs::Adapter, Some(Verb::CallTool)) => true,
            (Runs::Adapter, None) => {
                !node.adapter().is_some_and(|(namespace, _)| contracts::asks_model(namespace))
            }
            _ => false,
        };
        let effect = op.effect();
        let own = Subject { label, names: names(node), effect, tier, kind, touches, is_decided };
        let Some(verb) = node.verb() else { return vec![own] };
        let tools = match verb {
            Verb::CallTool => node.tools(),
            Verb::InvokeAgent => offered(graph, node),
            _ => Vec::new(),
        };
        let calls = tools.into_iter().map(|tool| Subject {
            names: vec![format!("tool.{tool}").into(), Verb::CallTool.word().into()],
            ..tool_call(label)
        });
        match verb {
            // It is one of these, and nothing else.
            Verb::CallTool if calls.len() > 0 => calls.collect(),
            _ => std::iter::once(own).chain(calls).collect(),
        }
    }

    /// The name that says most.
    pub fn name(&self) -> Option<&str> {
        self.names.first().map(|name| &**name)
    }

    /// Whether it leaves the program. Arithmetic, the clock and chance do not.
    pub fn leaves(&self) -> bool {
        let is_inside = [Touches::Nothing, Touches::Clock, Touches::Random];
        !self.names.is_empty() && !is_inside.contains(&self.touches)
    }
}

fn tool_call(label: &str) -> Subject<'_> {
    let Contract { touches, kind, .. } =
        contracts::find("tool", "CALL").unwrap_or(&contracts::UNKNOWN);
    Subject {
        label,
        names: Vec::new(),
        effect: Effect::Io,
        tier: touches.tier(),
        kind: Some(&**kind),
        touches: *touches,
        is_decided: true,
    }
}

fn touched(runs: Runs) -> Touches {
    match runs {
        Runs::Store(touches, ..) => touches,
        Runs::Person => Touches::Person,
        _ => Touches::Nothing,
    }
}

/// An agent and what is asked of it have two names: the verb, and the one of whoever is meant.
fn names(node: &Node) -> Vec<Cow<'_, str>> {
    let Some((namespace, verb)) = node.adapter() else { return Vec::new() };
    let called = Cow::Owned(format!("{namespace}.{verb}"));
    match (node.verb(), node.target(), transacts(node)) {
        (Some(Verb::InvokeAgent), Some(agent), _) => vec![format!("agent.{agent}").into(), called],
        (_, _, Some(verb)) => vec![verb.into(), called],
        _ if namespace == TRANSACTIONS.0 => vec![called, TRANSACTIONS.1.into()],
        _ => vec![called],
    }
}

/// The namespace of transactions, and the word for whatever is done to one.
const TRANSACTIONS: (&str, &str) = ("txn", "txn.RUN");

/// What a transaction is told, by the name that a run knows it by.
fn transacts(node: &Node) -> Option<&'static str> {
    let op = node.def().filter(|op| op.does == Does::Transact)?;
    match &**node.operands.text(op.slot("action")?.name)? {
        "begin" => Some("txn.BEGIN"),
        "commit" => Some("txn.COMMIT"),
        "rollback" => Some("txn.ROLLBACK"),
        _ => None,
    }
}

/// The word for everything of a kind that is called: whatever a tool's id is, and whatever is done
/// to a transaction.
fn class(server: &str) -> Option<&'static str> {
    match server {
        "tool" => Some(Verb::CallTool.word()),
        _ if server == TRANSACTIONS.0 => Some(TRANSACTIONS.1),
        _ => None,
    }
}

/// The tools that an agent may want while it is asked.
fn offered<'a>(graph: &'a Graph, node: &'a Node) -> Vec<&'a Text> {
    let agent = node.target().and_then(|id| graph.declarations.of(Kind::Agents).get(id));
    let listed = agent.and_then(|agent| agent.get("tools")?.as_list()).unwrap_or_default();
    listed.iter().filter_map(Value::as_text).collect()
}
