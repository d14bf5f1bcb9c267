//! Labels that were no processes: each is cut into steps, gates and checkpoints, as far as its
//! meaning carries over.
//!
//! A step runs its logic, and then at most one call; what was answered is kept by the logic of the
//! next one. What a spec has no counterpart for is left out, and reported.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use graph::ops::{Does, OpDef, Port};
use graph::{Graph, Index, Kind, Label, Node, Operand, ToKind, Verb};
use value::{Map, Text, Value};

use super::calls::Calls;
use super::python;
use super::sheet::{Sheet, named};
use super::told::{arguments, condition, does, retry_of};
use crate::Lost;
use crate::ontology::effects::ANSWER;
use crate::ontology::ways::plain;

/// Writes labels as processes.
pub(super) struct Made<'g> {
    graph: &'g Graph,
    pub(super) lost: Vec<Lost>,
    calls: Calls,
    /// The process of each label that is written here.
    ids: BTreeMap<&'g Text, Text>,
    taken: BTreeSet<Text>,
    /// Names that are read, written, and asked for.
    reads: BTreeSet<Text>,
    writes: BTreeSet<Text>,
    asked: BTreeSet<Text>,
    /// The process that ends a run, where one is needed.
    end: Option<Text>,
}

/// Where control goes on.
enum Way {
    Node(usize),
    Label(Text),
    End,
}

/// A label on its way.
struct Cut<'g> {
    id: &'g Text,
    label: &'g Label,
    index: Index<'g>,
    /// Nodes that begin a process, with its id.
    starts: BTreeMap<usize, Text>,
}

/// A step that is not finished.
struct Open {
    id: Text,
    lines: Vec<String>,
}

impl<'g> Made<'g> {
    pub(super) fn new(graph: &'g Graph) -> Made<'g> {
        let mut taken: BTreeSet<Text> =
            graph.declarations.of(Kind::Processes).keys().cloned().collect();
        for kind in Kind::ALL.into_iter().filter(|kind| *kind < Kind::Processes) {
            taken.extend(graph.declarations.of(kind).keys().cloned());
        }
        let nodes = graph.labels.values().flat_map(|label| &label.nodes);
        let names = nodes.flat_map(|node| node.reads.iter().chain(&node.writes)).collect();
        let mut made = Made {
            graph,
            lost: Vec::new(),
            calls: Calls::new(&names),
            ids: BTreeMap::new(),
            taken,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            asked: BTreeSet::new(),
            end: None,
        };
        for id in graph.labels.keys() {
            if !graph.declarations.of(Kind::Processes).contains_key(id) {
                let is_number = id.starts_with(|first: char| first.is_ascii_digit());
                let name = if is_number { format!("L{id}") } else { id.to_string() };
                let name = made.fresh(&name);
                made.ids.insert(id, name);
            }
        }
        made
    }

    /// Writes the labels that a run can come to; the others are reported.
    pub(super) fn labels(&mut self, sheet: &mut Sheet) {
        let graph = self.graph;
        let Some((first, _)) = graph.labels.first() else {
            self.lose("labels", "there is nothing to run: the spec has one step that does nothing");
            let id = self.fresh("begin");
            self.step(Open { id, lines: Vec::new() }, sheet);
            return self.calls.declare(&mut self.taken, sheet, &mut self.lost);
        };
        let entry = graph.runtime_policy.get("entry").and_then(Value::as_text);
        let entry = entry.filter(|entry| graph.labels.contains_key(entry)).unwrap_or(first);
        let mut reached: BTreeSet<&Text> = BTreeSet::from([entry]);
        let mut queue: VecDeque<&Text> = VecDeque::from([entry]);
        while let Some((_, label)) = queue.pop_front().and_then(|id| graph.labels.get_key_value(id))
        {
            let leaving = label
                .edges
                .iter()
                .filter(|edge| edge.to_kind == ToKind::Label && edge.port.is_some_and(is_followed));
            for (to, _) in leaving.filter_map(|edge| graph.labels.get_key_value(&edge.to)) {
                if reached.insert(to) {
                    queue.push_back(to);
                }
            }
        }
        for (id, label) in &graph.labels {
            if !self.ids.contains_key(id) {
                continue;
            }
            if reached.contains(id) {
                self.label(id, label, sheet);
            } else {
                let what =
                    "no process leads to it, and it is left out: make a spec of its own of it";
                self.lose(id, what);
            }
        }
        if let Some(id) = self.ids.get(entry) {
            sheet.head.insert("entry_point".into(), Value::Text(id.clone()));
        }
        if let Some(end) = self.end.take() {
            sheet.processes.push(named([("id", &end), ("type", "step"), ("label", "End")]));
        }
        self.calls.declare(&mut self.taken, sheet, &mut self.lost);
        let names: BTreeSet<&Text> = self.reads.iter().chain(&self.writes).collect();
        for name in self.calls.own_names() {
            if names.iter().any(|own| ***own == *name) {
                let what = "in a spec this name means something: give the variable another one";
                self.lost.push(Lost { at: name.to_string(), what: what.to_string() });
            }
        }
    }

    /// Names that a run may be given: what is read and declared, or written by nobody. Null is
    /// what they hold without.
    pub(super) fn initial(&self, all_asked: bool) -> Map {
        let inputs = self.graph.declarations.of(Kind::Inputs);
        let is_given = |name: &&Text| {
            inputs.contains_key(name)
                || !self.writes.contains(*name)
                || (all_asked && self.asked.contains(*name))
        };
        let names = self.reads.union(&self.asked).filter(is_given);
        names.map(|name| (name.clone(), Value::Null)).collect()
    }

    fn lose(&mut self, at: &str, what: &str) {
        self.lost.push(Lost { at: at.to_string(), what: what.to_string() });
    }

    fn lose_node(&mut self, cut: &Cut<'_>, node: &Node, what: &str) {
        self.lose(&format!("{}/{}", cut.id, node.id), what);
    }

    /// An id that nothing else has.
    fn fresh(&mut self, wanted: &str) -> Text {
        fresh(&mut self.taken, wanted)
    }

    fn label(&mut self, id: &'g Text, label: &'g Label, sheet: &mut Sheet) {
        let index = Index::new(label);
        let own = self.ids[id].clone();
        let Some(entry) = index.entry() else {
            return self.step(Open { id: own, lines: Vec::new() }, sheet);
        };
        let mut cut = Cut { id, label, index, starts: BTreeMap::from([(entry, own.clone())]) };
        let mut came_from = vec![0usize; label.nodes.len()];
        for at in 0..label.nodes.len() {
            for edge in cut.index.edge_indices_from(at) {
                let port = label.edges[edge].port.filter(|port| is_followed(*port));
                let (Some(port), Some(to)) = (port, cut.index.target(edge)) else { continue };
                if label.edges[edge].analysis_only {
                    continue;
                }
                came_from[to] += 1;
                let begins = came_from[to] > 1 || matches!(port, Port::Then | Port::Else);
                if begins && !cut.starts.contains_key(&to) {
                    let name = self.fresh(&format!("{own}_{}", label.nodes[to].id));
                    cut.starts.insert(to, name);
                }
            }
        }
        let mut written = BTreeSet::new();
        let mut queue = VecDeque::from([entry]);
        while let Some(at) = queue.pop_front() {
            if written.insert(at) {
                self.walk(&cut, at, &mut queue, sheet);
            }
        }
    }

    /// Writes what follows a node, up to where another process begins.
    fn walk(
        &mut self,
        cut: &Cut<'g>,
        start: usize,
        queue: &mut VecDeque<usize>,
        sheet: &mut Sheet,
    ) {
        let mut open = Open { id: cut.starts[&start].clone(), lines: Vec::new() };
        let mut at = start;
        loop {
            let node = &cut.label.nodes[at];
            self.guards(cut, at, node);
            match does(node) {
                Some(Does::If) => return self.gate(cut, at, open, queue, sheet),
                Some(Does::Return) => {
                    if let Some(Operand::Var(_) | Operand::Lit(_)) = node.operands.one("var") {
                        let what = "a run of a spec returns nothing: look at its state instead";
                        self.lose_node(cut, node, what);
                    }
                    return self.step(open, sheet);
                }
                Some(Does::Ask) => open = self.ask(cut, at, open, sheet),
                Some(Does::Adapter) => open = self.adapter(cut, at, open, sheet),
                Some(Does::Guard) => {}
                _ => match self.line(node) {
                    Some(lines) => {
                        open.lines.extend(lines);
                        self.reads.extend(node.reads.iter().cloned());
                        self.writes.extend(node.writes.iter().cloned());
                    }
                    None => self.lose_node(cut, node, reason(node)),
                },
            }
            let port = match does(node) {
                Some(Does::Loop | Does::While) => Port::After,
                _ => Port::Next,
            };
            match cut.way(at, port) {
                Way::Node(next) if !cut.starts.contains_key(&next) => at = next,
                Way::End => return self.step(open, sheet),
                way => {
                    let from = open.id.clone();
                    self.step(open, sheet);
                    let to = self.process_at(cut, way, queue);
                    return sheet.edge("flow", &from, &to, Map::default());
                }
            }
        }
    }

    /// The process that a way leads to.
    fn process_at(&mut self, cut: &Cut<'g>, way: Way, queue: &mut VecDeque<usize>) -> Text {
        let known = match way {
            Way::Node(at) => {
                queue.push_back(at);
                cut.starts.get(&at).cloned()
            }
            Way::Label(label) => self.ids.get(&label).cloned().or(Some(label)),
            Way::End => None,
        };
        if let Some(known) = known.or_else(|| self.end.clone()) {
            return known;
        }
        let end = self.fresh("end");
        self.end = Some(end.clone());
        end
    }

    /// Finishes a step.
    fn step(&mut self, open: Open, sheet: &mut Sheet) {
        let mut step = named([("id", &open.id), ("type", "step"), ("label", &title(&open.id))]);
        if !open.lines.is_empty() {
            step.insert("logic".into(), Value::text(open.lines.join("\n")));
        }
        sheet.processes.push(step);
    }

    /// Finishes what comes before a process of its own kind, and says its id.
    fn before(&mut self, open: Open, wanted: &str, sheet: &mut Sheet) -> Text {
        if open.lines.is_empty() {
            return open.id;
        }
        let (from, id) = (open.id.clone(), self.fresh(wanted));
        self.step(open, sheet);
        sheet.edge("flow", &from, &id, Map::default());
        id
    }

    fn gate(
        &mut self,
        cut: &Cut<'g>,
        at: usize,
        open: Open,
        queue: &mut VecDeque<usize>,
        sheet: &mut Sheet,
    ) {
        let node = &cut.label.nodes[at];
        let text = match (condition(node), node.operands.one("cond")) {
            (Some(condition), _) => {
                self.asked.extend(condition.names().into_iter().cloned());
                condition.to_string()
            }
            (None, Some(Operand::Lit(Value::Bool(holds)))) => holds.to_string(),
            _ => {
                self.lose_node(cut, node, "its condition cannot be read: write one");
                "false".to_string()
            }
        };
        if let "true" | "false" = &*text {
            let port = if text == "true" { Port::Then } else { Port::Else };
            let from = open.id.clone();
            self.step(open, sheet);
            let way = cut.way(at, port);
            if !matches!(way, Way::End) {
                let to = self.process_at(cut, way, queue);
                sheet.edge("flow", &from, &to, Map::default());
            }
            return;
        }
        let wanted = format!("{}_{}", self.ids[cut.id], node.id);
        let id = self.before(open, &wanted, sheet);
        let then = self.process_at(cut, cut.way(at, Port::Then), queue);
        let other = self.process_at(cut, cut.way(at, Port::Else), queue);
        let mut gate = named([("id", &id), ("type", "gate"), ("label", &title(&id))]);
        gate.insert("condition".into(), Value::text(&*text));
        let branches = [(&*text, &then), ("else", &other)];
        let inline = branches.map(|(text, to)| named([("condition", text), ("target", to)]).into());
        gate.insert("branches".into(), Value::list(inline));
        sheet.processes.push(gate);
        for (text, to) in branches {
            sheet.edge("branch", &id, to, named([("condition", text)]));
        }
    }

    fn ask(&mut self, cut: &Cut<'g>, at: usize, open: Open, sheet: &mut Sheet) -> Open {
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
                asked.insert("timeout".into(), Value::text(format!("{limit}ms")));
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
    fn adapter(&mut self, cut: &Cut<'g>, at: usize, mut open: Open, sheet: &mut Sheet) -> Open {
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
        members.extend(retry_of(cut.label, &cut.index, node).map(|(name, mut retry)| {
            if let Value::Map(retry) = &mut retry {
                let retry = std::sync::Arc::make_mut(retry);
                // A wait that stays the same is called so.
                if retry.get("backoff") == Some(&Value::text("fixed")) {
                    retry.insert("backoff".into(), "none".into());
                }
            }
            (name, retry)
        }));
        if let Some(Operand::Lit(Value::Int(limit))) = node.operands.one("timeout_ms") {
            members.insert("timeout".into(), Value::text(format!("{limit}ms")));
        }
        let (called, answer) = self.calls.called(namespace, verb, &mut self.taken);
        sheet.edge("invoke", &from, &called, members);
        self.after(cut, node, &from, &answer, sheet)
    }

    /// The lines that say what a step without calls does.
    fn line(&mut self, node: &Node) -> Option<Vec<String>> {
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
                let read =
                    format!("state.{store}.read({})", python::operand(operands.one("key")?)?);
                let value = match operands.one("fallback") {
                    None => read,
                    Some(other) => {
                        format!("{} if {read} is None else {read}", python::operand(other)?)
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
    fn guards(&mut self, cut: &Cut<'g>, at: usize, node: &Node) {
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

impl Cut<'_> {
    fn way(&self, at: usize, port: Port) -> Way {
        let edges = &self.label.edges;
        let edge = self
            .index
            .edge_indices_from(at)
            .find(|edge| edges[*edge].port == Some(port) && !edges[*edge].analysis_only);
        match edge.map(|edge| (self.index.target(edge), &edges[edge])) {
            Some((Some(to), _)) => Way::Node(to),
            Some((None, edge)) if edge.to_kind == ToKind::Label => Way::Label(edge.to.clone()),
            _ => Way::End,
        }
    }
}

/// The ways that a written process takes: those behind what is left out, too.
fn is_followed(port: Port) -> bool {
    matches!(port, Port::Next | Port::Then | Port::Else | Port::After)
}

/// Why a node has no counterpart, and what to do.
fn reason(node: &Node) -> &'static str {
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

/// An id for people.
fn title(id: &str) -> String {
    let words = id.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// An id that nothing else has, of letters that every place allows.
pub(super) fn fresh(taken: &mut BTreeSet<Text>, wanted: &str) -> Text {
    let base = plain(wanted);
    let mut name: Text = base.as_str().into();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{base}_{number}").into();
        number += 1;
    }
    name
}
