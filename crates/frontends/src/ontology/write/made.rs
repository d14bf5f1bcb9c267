//! Labels that were no processes: each is cut into steps, gates and checkpoints, as far as its
//! meaning carries over.
//!
//! A step runs its logic, and then at most one call; what was answered is kept by the logic of the
//! next one. What a spec has no counterpart for is left out, and reported.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use graph::ops::{Does, Port};
use graph::{Graph, Index, Kind, Label, Node, Operand, ToKind};
use value::{Map, Text, Value};

use super::acts::reason;
use super::calls::Calls;
use super::said::{condition, does};
use super::sheet::{Sheet, named};
use crate::Lost;
use crate::ontology::ways::plain;

/// Writes labels as processes.
pub(super) struct Made<'g> {
    graph: &'g Graph,
    pub(super) lost: Vec<Lost>,
    pub(super) calls: Calls,
    /// The process of each label that is written here.
    pub(super) ids: BTreeMap<&'g Text, Text>,
    pub(super) taken: BTreeSet<Text>,
    /// Names that are read, written, and asked for.
    pub(super) reads: BTreeSet<Text>,
    pub(super) writes: BTreeSet<Text>,
    asked: BTreeSet<Text>,
    /// The process that ends a run, where one is needed.
    end: Option<Text>,
}

/// Where control goes on.
pub(super) enum Way {
    Node(usize),
    Label(Text),
    End,
}

/// A label on its way.
pub(super) struct Cut<'g> {
    pub(super) id: &'g Text,
    pub(super) label: &'g Label,
    pub(super) index: Index<'g>,
    /// Nodes that begin a process, with its id.
    starts: BTreeMap<usize, Text>,
}

/// A step that is not finished.
pub(super) struct Open {
    pub(super) id: Text,
    pub(super) lines: Vec<String>,
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
                .filter(|edge| edge.to_kind == ToKind::Label && edge.port.is_some_and(is_followed))
                .filter(|edge| !edge.analysis_only);
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

    pub(super) fn lose_node(&mut self, cut: &Cut<'_>, node: &Node, what: &str) {
        self.lose(&format!("{}/{}", cut.id, node.id), what);
    }

    /// An id that nothing else has.
    pub(super) fn fresh(&mut self, wanted: &str) -> Text {
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
    pub(super) fn step(&mut self, open: Open, sheet: &mut Sheet) {
        let mut step = named([("id", &open.id), ("type", "step"), ("label", &title(&open.id))]);
        if !open.lines.is_empty() {
            step.insert("logic".into(), Value::text(open.lines.join("\n")));
        }
        sheet.processes.push(step);
    }

    /// Finishes what comes before a process of its own kind, and says its id.
    pub(super) fn before(&mut self, open: Open, wanted: &str, sheet: &mut Sheet) -> Text {
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
}

impl Cut<'_> {
    /// Where a way out of a node leads.
    pub(super) fn way(&self, at: usize, port: Port) -> Way {
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

/// An id for people.
pub(super) fn title(id: &str) -> String {
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
