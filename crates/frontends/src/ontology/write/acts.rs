//! What the nodes of a label do, as parts of processes: questions, calls, and lines of logic.

use graph::ops::{Does, OpDef, Port};
use graph::{Node, Operand, Verb};
use value::{Map, Text, Value};

use super::made::{Cut, Made, Open, Way, title};
use super::python;
use super::said::{arguments, does, duration, retry_of};
use super::sheet::{Sheet, named};
use crate::ontology::effects::ANSWER;

impl<'g> Made<'g> {
    /// A question to a person.
    pub(super) fn ask(&mut self, cut: &Cut<'g>, at: usize, open: Open, sheet: &mut Sheet) -> Open {
        let node = &cut.label.nodes[at];
        let operands = &node.operands;
        let Some(Operand::Lit(Value::Text(prompt))) = operands.one("prompt") else {
            self.lose_node(cut, node, "a checkpoint asks a fixed text: write its prompt");
            return open;
        };
        let wanted = format!("{}_{}", self.ids[cut.id], node.id);
        let id = self.before(open, &wanted, sheet);
        let mut asked = named([("id", &id), ("type", "checkpoint"), ("label", &title(&id))]);
        asked.insert("prompt".into(), Value::Text(prompt.clone()));
        if let Some(Operand::Lit(options)) = operands.one("options") {
            asked.insert("options".into(), options.clone());
        }
        match operands.one("default") {
            None => {}
            Some(Operand::Lit(Value::Text(word))) if matches!(&**word, "approve" | "deny") => {
                asked.insert("default_action".into(), Value::Text(word.clone()));
            }
            Some(_) => self.lose_node(cut, node, "a checkpoint answers only `approve` or `deny`"),
        }
        match operands.one("expires") {
            None => {}
            Some(Operand::Lit(Value::Int(limit))) => {
                asked.insert("timeout".into(), duration(*limit));
            }
            Some(_) => self.lose_node(cut, node, "its time must be written as a `timeout`"),
        }
        for slot in ["schema", "capability"] {
            if operands.get(slot).is_some() {
                self.lose_node(cut, node, &format!("a checkpoint has no `{slot}`"));
            }
        }
        if !matches!(cut.way(at, Port::Expired), Way::End) {
            self.lose_node(cut, node, "a checkpoint goes on in one way only");
        }
        sheet.processes.push(asked);
        self.after(cut, node, &id, ANSWER, sheet)
    }

    /// The step behind a call or a question, which keeps the answer under its own name.
    fn after(
        &mut self,
        cut: &Cut<'g>,
        node: &Node,
        from: &Text,
        answer: &str,
        sheet: &mut Sheet,
    ) -> Open {
        let id = self.fresh(&format!("{}_after_{}", self.ids[cut.id], node.id));
        sheet.edge("flow", from, &id, Map::default());
        let out = node.operands.text("out").filter(|out| ***out != *answer);
        self.writes.extend(node.operands.text("out").cloned());
        let lines = out.map(|out| python::assign(out, &python::variable(answer)));
        Open { id, lines: lines.into_iter().collect() }
    }

    /// A call: computed, or made by a tool or an agent.
    pub(super) fn adapter(
        &mut self,
        cut: &Cut<'g>,
        at: usize,
        mut open: Open,
        sheet: &mut Sheet,
    ) -> Open {
        let node = &cut.label.nodes[at];
        let Some((namespace, verb)) = node.adapter() else {
            self.lose_node(cut, node, "what it calls cannot be told");
            return open;
        };
        let is_dotted = node.operands.text("adapter").is_some_and(|name| name.contains('.'));
        let first = node.operands.one("target").filter(|_| is_dotted);
        let args: Vec<Operand> =
            first.into_iter().chain(arguments(&node.operands)).cloned().collect();
        let out = node.operands.text("out");
        if namespace == "core" && node.verb() != Some(Verb::Noop) {
            match python::function(verb, &args).zip(out) {
                Some((value, out)) => {
                    open.lines.push(python::assign(out, &value));
                    self.reads.extend(node.reads.iter().cloned());
                    self.writes.insert(out.clone());
                }
                None if out.is_none() && node.verb().is_none() => {}
                None => {
                    self.lose_node(cut, node, "no line of Python says this: write a step for it")
                }
            }
            return open;
        }
        if node.verb() == Some(Verb::Noop) {
            return open;
        }
        if node.verb().is_some() {
            self.lose_node(cut, node, "only a process of a spec calls in this way: write its edge");
            return open;
        }
        let Some(lines) = self.calls.arguments(namespace, verb, &args) else {
            self.lose_node(cut, node, "its arguments cannot be read");
            return open;
        };
        self.reads.extend(node.reads.iter().cloned());
        open.lines.extend(lines);
        let from = open.id.clone();
        self.step(open, sheet);
        let mut members = self.calls.schema(namespace, verb, args.len());
        let retry = retry_of(cut.label, &cut.index, node);
        members.extend(retry.map(|(name, retry)| (name, as_edge_says(&retry))));
        if let Some(Operand::Lit(Value::Int(limit))) = node.operands.one("timeout_ms") {
            members.insert("timeout".into(), duration(*limit));
        }
        let (called, answer) = self.calls.called(namespace, verb, &mut self.taken);
        sheet.edge("invoke", &from, &called, members);
        self.after(cut, node, &from, &answer, sheet)
    }

    /// The lines that say what a step without calls does.
    pub(super) fn line(&mut self, node: &Node) -> Option<Vec<String>> {
        let operands = &node.operands;
        match does(node)? {
            Does::Set => {
                let (name, value) = (operands.text("name")?, operands.one("ref")?);
                // An input is declared by writing it to itself.
                if matches!(value, Operand::Var(own) if own == name) {
                    return Some(Vec::new());
                }
                Some(vec![python::assign(name, &python::operand(value)?)])
            }
            Does::Compute => {
                let value = python::function(operands.text("fn")?, arguments(operands))?;
                Some(vec![python::assign(operands.text("dst")?, &value)])
            }
            Does::CacheGet => {
                let store = self.calls.store(operands.text("name")?, "kv", &mut self.taken)?;
                let key = operands.one("key")?;
                let word = python::operand(key)?;
                let mut read = format!("state.{store}.read({word})");
                // Without a key a store gives back all that it holds.
                if matches!(key, Operand::Var(_)) {
                    read = format!("None if {word} is None else {read}");
                }
                let value = match operands.one("fallback") {
                    None => read,
                    Some(other) => {
                        format!("{} if ({read}) is None else ({read})", python::operand(other)?)
                    }
                };
                Some(vec![python::assign(operands.text("out")?, &value)])
            }
            Does::CacheSet => {
                let store = self.calls.store(operands.text("name")?, "kv", &mut self.taken)?;
                let [key, value] =
                    [operands.one("key")?, operands.one("value")?].map(python::operand);
                Some(vec![format!("state.{store}.write({}, {})", key?, value?)])
            }
            Does::QueuePut if operands.get("out").is_none() => {
                let store = self.calls.store(operands.text("queue")?, "queue", &mut self.taken)?;
                let value = python::operand(operands.one("value")?)?;
                Some(vec![format!("state.{store}.write({value})")])
            }
            _ => None,
        }
    }

    /// Reports what guards a node, where a spec has no such guard.
    pub(super) fn guards(&mut self, cut: &Cut<'g>, at: usize, node: &Node) {
        let is_call = does(node) == Some(Does::Adapter)
            && node.adapter().is_some_and(|(namespace, _)| namespace != "core");
        for edge in cut.index.edges_from(at) {
            match edge.port {
                Some(Port::Err) => {
                    let what = "a step has no handler of errors: what comes after one is left out";
                    self.lose_node(cut, node, what);
                }
                Some(Port::Retry) if !is_call => {
                    self.lose_node(cut, node, "only a call is tried again");
                }
                _ => {}
            }
        }
    }
}

/// What tries a call again, in the words of an edge: there a wait that stays the same is one that
/// grows up to where it begins, and no count is none.
fn as_edge_says(retry: &Value) -> Value {
    const COUNT: i64 = 3;
    let mut retry = retry.as_map().cloned().unwrap_or_default();
    if !retry.contains_key("max_retries") {
        retry.insert("max_retries".into(), Value::Int(COUNT));
    }
    let grows = retry.get("backoff").is_some_and(|word| *word != Value::text("fixed"));
    if !grows {
        match retry.get("initial_delay_ms").cloned() {
            Some(Value::Int(delay)) if delay > 0 => {
                let most = match retry.get("max_delay_ms") {
                    Some(Value::Int(most)) => delay.min(*most),
                    _ => delay,
                };
                retry.insert("backoff".into(), "linear".into());
                retry.insert("max_delay_ms".into(), Value::Int(most));
            }
            _ => drop(retry.insert("backoff".into(), "none".into())),
        }
    }
    retry.into()
}

/// Why a node has no counterpart, and what to do.
pub(super) fn reason(node: &Node) -> &'static str {
    match does(node) {
        Some(Does::Call | Does::Loop | Does::While) => {
            "a process cannot call another and go on with what it returned: write it as logic"
        }
        Some(Does::Transact) => "a spec has no transactions: let one tool do all of it",
        Some(Does::Enforce) => "say what is allowed in a policy (`quipu policy`)",
        Some(Does::Fork | Does::Join | Does::Route) => {
            "only a spec's own edges do this: add flow or branch edges"
        }
        Some(_) if node.def().is_some_and(is_computed) => {
            "no line of Python says exactly this: write a step for it"
        }
        _ => "a spec has no counterpart for it: write a step for it",
    }
}

fn is_computed(op: &'static OpDef) -> bool {
    matches!(op.does, Does::Set | Does::Compute | Does::Filter | Does::Sort)
}
