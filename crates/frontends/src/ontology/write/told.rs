//! Labels that were processes of a spec: what they do becomes edges and logic again.

use std::collections::{BTreeMap, BTreeSet};

use graph::ops::{Does, Port};
use graph::{Expr, Graph, IN_LABELS, Index, Kind, Label, Node, Operand, ToKind, Verb};
use value::{Map, Text, Value};

use super::Manner;
use super::said::{arguments, condition, does, duration, is_own, retry_of, without_counter};
use super::sheet::{Sheet, beginning};

/// Writes the processes of a graph, and the edges that their labels and the links hold.
pub(super) struct Told<'g> {
    graph: &'g Graph,
    manner: Manner,
    /// Links that labels have too, by what they join, until an edge takes its own.
    links: BTreeMap<Joined, Vec<&'g Map>>,
    /// The places of the labels.
    places: BTreeMap<&'g str, usize>,
}

/// The type of an edge, and what it joins.
type Joined = [Text; 3];

/// The process that is written.
struct Process<'g> {
    id: &'g Text,
    label: &'g Label,
    declared: &'g Value,
    index: Index<'g>,
}

impl<'g> Told<'g> {
    pub(super) fn new(graph: &'g Graph, manner: Manner) -> Told<'g> {
        let mut links: BTreeMap<Joined, Vec<&'g Map>> = BTreeMap::new();
        for link in graph.declarations.of(Kind::Links).values().filter_map(Value::as_map) {
            let text = |name| link.get(name).and_then(Value::as_text).cloned().unwrap_or_default();
            if is_in_labels(link) {
                links.entry([text("type"), text("from"), text("to")]).or_default().push(link);
            }
        }
        let places = graph.labels.keys().enumerate().map(|(place, id)| (&**id, place)).collect();
        Told { graph, manner, links, places }
    }

    /// A process with its edges.
    pub(super) fn process(
        &mut self,
        id: &'g Text,
        label: &'g Label,
        declared: &'g Value,
        sheet: &mut Sheet,
    ) {
        let process = Process { id, label, declared, index: Index::new(label) };
        let word = declared.get("type").and_then(Value::as_text).map_or("step", |word| word);
        let mut object = beginning([("id", id), ("type", word)], declared);
        for node in &label.nodes {
            if node.verb() == Some(Verb::Logic)
                && let Some(code) = node.target()
            {
                object.insert("logic".into(), Value::Text(code.clone()));
            }
            self.call(&process, node, sheet);
        }
        sheet.processes.push(object);
        if word == "gate" {
            self.branches(&process, sheet);
        } else {
            self.goes_on(&process, sheet);
        }
    }

    /// The edges that no label says.
    pub(super) fn links(&self, sheet: &mut Sheet) {
        for link in self.graph.declarations.of(Kind::Links).values().filter_map(Value::as_map) {
            if !is_in_labels(link) {
                sheet.edges.push(link.clone());
            }
        }
    }

    /// What of the links that labels have too found no edge.
    pub(super) fn unused(&self) -> impl Iterator<Item = &'g Map> {
        self.links.values().flatten().copied()
    }

    /// Writes an edge, as its link has it where there is one.
    fn edge(&mut self, kind: &str, from: &str, to: &str, members: Map, sheet: &mut Sheet) {
        let agrees = |link: &Map| {
            members.iter().all(|(name, value)| match (&**name, link.get(name)) {
                ("label" | "retry" | "timeout" | "priority", _) => true,
                ("condition", Some(Value::Text(text))) => {
                    value.as_text().is_some_and(|own| Expr::parse(own) == Expr::parse(text))
                }
                (_, known) => known == Some(value),
            })
        };
        let links = self.links.get_mut(&[kind, from, to].map(Text::from));
        let own = links.and_then(|links| {
            let at = links.iter().position(|link| agrees(link))?;
            Some(links.remove(at))
        });
        match own {
            Some(link) => {
                let mut link = link.clone();
                link.remove(IN_LABELS);
                sheet.edges.push(link);
            }
            None => sheet.edge(kind, from, to, members),
        }
    }

    /// The edge of a call.
    fn call(&mut self, process: &Process<'g>, node: &Node, sheet: &mut Sheet) {
        let Some(verb) = node.verb() else { return };
        let mut members = Map::default();
        let mut keep = |name: &str, value: Option<&Text>| {
            if let Some(value) = value {
                members.insert(name.into(), Value::Text(value.clone()));
            }
        };
        let operands = &node.operands;
        let (takes, id) = (operands.text("input"), process.id);
        match (verb, node.target()) {
            (Verb::ReadStore, Some(store)) => {
                keep("query_key", arguments(operands).first().and_then(name_of));
                keep("query", takes);
                self.edge("read", id, store, members, sheet);
            }
            (Verb::Receive, Some(channel)) => {
                self.edge("subscribe", channel, id, members, sheet);
            }
            (Verb::InvokeAgent, Some(agent)) => {
                let gives = operands.text("output");
                keep("input", takes.filter(|own| self.usual(process, agent, INPUT) != Some(*own)));
                keep(
                    "output",
                    gives.filter(|own| self.usual(process, agent, OUTPUT) != Some(*own)),
                );
                let out = operands.text("out").and_then(|out| out.strip_suffix("_result"));
                let returns = out.filter(|out| gives.is_some() && **out != **id).map(Text::from);
                keep("return_to", returns.as_ref());
                self.manner_of_call(process, node, &mut members);
                self.edge("invoke", id, agent, members, sheet);
            }
            (Verb::CallTool, Some(tool)) => {
                keep("input", takes);
                self.manner_of_call(process, node, &mut members);
                self.edge("invoke", id, tool, members, sheet);
            }
            (Verb::CallTool, None) => {
                for tool in arguments(operands) {
                    if let Operand::Lit(Value::Text(tool)) = tool {
                        self.edge("invoke", id, tool, Map::default(), sheet);
                    }
                }
            }
            (Verb::WriteStore, Some(store)) => {
                keep("data", takes);
                self.edge("write", id, store, members, sheet);
            }
            (Verb::Publish, Some(channel)) => {
                keep("data", takes);
                self.edge("publish", id, channel, members, sheet);
            }
            _ => {}
        }
    }

    /// The schema that shapes a call where its edge says none.
    fn usual(
        &self,
        process: &Process<'g>,
        agent: &str,
        [of_step, of_agent]: [&str; 2],
    ) -> Option<&'g Text> {
        let declared = &self.graph.declarations;
        let is_step = process.declared.get("type").and_then(Value::as_text);
        let is_step = is_step.is_some_and(|word| &**word == "step");
        let step = Some(process.declared).filter(|_| is_step).and_then(|step| step.get(of_step));
        let agent = declared.of(Kind::Agents).get(agent).and_then(|agent| agent.get(of_agent));
        let schemas = declared.of(Kind::Schemas);
        [step, agent].into_iter().find_map(|name| {
            name.and_then(Value::as_text).filter(|name| schemas.contains_key(name))
        })
    }

    /// How long a call may take, whether it is waited for, and how often it is tried.
    fn manner_of_call(&self, process: &Process<'g>, node: &Node, members: &mut Map) {
        if let Some(Operand::Lit(is_async)) = node.operands.one("async") {
            members.insert("async".into(), is_async.clone());
        }
        members.extend(retry_of(process.label, &process.index, node));
        if let Some(Operand::Lit(Value::Int(limit))) = node.operands.one("timeout_ms") {
            members.insert("timeout".into(), duration(*limit));
        }
    }

    /// The branch edges of a gate.
    fn branches(&mut self, process: &Process<'g>, sheet: &mut Sheet) {
        let mut clauses: Vec<(Text, Text, Map)> = Vec::new();
        for (at, node) in process.label.nodes.iter().enumerate() {
            let Some(note) = node.extra.get("gate") else { continue };
            if let (Some(condition), Some((to, text))) =
                (condition(node), process.led_to(at, Port::Then))
                && let Some(words) = self.words(note, Some(condition))
            {
                clauses.push((words, to, text));
            }
            let (port, note) = match (does(node), note.get("else")) {
                (Some(Does::If), Some(note)) => (Port::Else, note),
                (Some(Does::If), None) => continue,
                _ => (Port::Next, note),
            };
            if let Some((to, text)) = process.led_to(at, port)
                && let Some(words) = self.words(note, None)
            {
                clauses.push((words, to, text));
            }
        }
        // Where the link of a later edge says a priority, those before it need one too.
        let mut next = None;
        for (words, to, members) in clauses.iter_mut().rev() {
            members.insert("condition".into(), Value::Text(words.clone()));
            let said = self.links.get(&["branch".into(), process.id.clone(), to.clone()]).and_then(
                |links| {
                    let text = |link: &&&Map| {
                        link.get("condition").and_then(Value::as_text) == Some(words)
                    };
                    links.iter().find(text)
                },
            );
            match said {
                Some(link) => next = link.get("priority").cloned(),
                None => {
                    members.extend(next.clone().map(|priority| ("priority".into(), priority)));
                }
            }
        }
        for (_, to, members) in clauses {
            self.edge("branch", process.id, &to, members, sheet);
        }
    }

    /// The condition of a branch edge, in the author's words where these still say it.
    fn words(&self, note: &Value, condition: Option<&Expr>) -> Option<Text> {
        let source = note.get("source").and_then(Value::as_text)?;
        let text = note.get("text").and_then(Value::as_text)?;
        match (&**source, self.manner.all_branches, condition) {
            ("explicit", ..)
                if condition.is_none_or(|own| Expr::parse(text).as_ref() == Ok(own)) =>
            {
                Some(text.clone())
            }
            ("explicit", _, Some(condition)) | (_, true, Some(condition)) => {
                Some(condition.to_string().into())
            }
            ("default", ..) | (_, false, _) => None,
            (_, true, None) => Some("else".into()),
        }
    }

    /// Loop and flow edges.
    fn goes_on(&mut self, process: &Process<'g>, sheet: &mut Sheet) {
        let mut taken: BTreeSet<(usize, Port)> = BTreeSet::new();
        for (at, node) in process.label.nodes.iter().enumerate() {
            let Some(condition) = condition(node).filter(|condition| !is_own(condition)) else {
                continue;
            };
            let Some((to, mut members)) = process.led_to_by(at, Port::Then, &mut taken) else {
                continue;
            };
            let (condition, limit) = without_counter(condition);
            if let Some(condition) = condition {
                members.insert("condition".into(), Value::text(condition.to_string()));
            }
            members.extend(limit.map(|limit| ("max_iterations".into(), Value::Int(limit))));
            self.edge("loop", process.id, &to, members, sheet);
        }
        let mut known = BTreeSet::new();
        let forks = |at: usize| does(&process.label.nodes[at]) == Some(Does::Fork);
        for at in 0..process.label.nodes.len() {
            for edge in process.index.edges_from(at) {
                let is_flow = edge.to_kind == ToKind::Label
                    && edge.port.is_some_and(|port| {
                        !(taken.contains(&(at, port)) || forks(at) && port == Port::Next)
                    });
                if !is_flow || !known.insert(edge.to.clone()) {
                    continue;
                }
                let members = text_of(edge);
                let goes_back = !forks(at) && self.is_before(&edge.to, process.id);
                let kind = if goes_back && self.manner.loops_back { "loop" } else { "flow" };
                self.edge(kind, process.id, &edge.to, members, sheet);
            }
        }
    }

    /// Whether a label stands before another, or is the same.
    fn is_before(&self, label: &str, other: &str) -> bool {
        self.places.get(label).zip(self.places.get(other)).is_some_and(|(one, two)| one <= two)
    }
}

impl Process<'_> {
    /// The label that a way out of a node leads to, and what its arrow says.
    fn led_to(&self, at: usize, port: Port) -> Option<(Text, Map)> {
        self.led_to_by(at, port, &mut BTreeSet::new())
    }

    /// The same, with the ways that were passed. Only nodes that count or note something may be
    /// on the way.
    fn led_to_by(
        &self,
        at: usize,
        port: Port,
        passed: &mut BTreeSet<(usize, Port)>,
    ) -> Option<(Text, Map)> {
        let (mut at, mut port) = (at, port);
        let mut ways = Vec::new();
        loop {
            let edges = &self.label.edges;
            let edge =
                self.index.edge_indices_from(at).find(|edge| edges[*edge].port == Some(port))?;
            ways.push((at, port));
            if edges[edge].to_kind == ToKind::Label {
                passed.extend(ways);
                return Some((edges[edge].to.clone(), text_of(&edges[edge])));
            }
            let next = self.index.target(edge)?;
            let is_passed =
                matches!(does(&self.label.nodes[next]), Some(Does::Set | Does::Compute));
            if !is_passed || ways.len() > self.label.nodes.len() {
                return None;
            }
            (at, port) = (next, Port::Next);
        }
    }
}

const INPUT: [&str; 2] = ["data_in", "input_schema"];
const OUTPUT: [&str; 2] = ["data_out", "output_schema"];

fn is_in_labels(link: &Map) -> bool {
    link.get(IN_LABELS) == Some(&Value::Bool(true))
}

fn text_of(edge: &graph::Edge) -> Map {
    let text = edge.extra.get("label").cloned();
    text.into_iter().map(|text| ("label".into(), text)).collect()
}

fn name_of(operand: &Operand) -> Option<&Text> {
    match operand {
        Operand::Var(name) => Some(name),
        _ => None,
    }
}
