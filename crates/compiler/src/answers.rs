//! What endpoints and calls get back: a value on every way, the one that was announced, and no
//! name of a label in its place.

use std::collections::{BTreeSet, VecDeque};

use diagnostics::{Anchor, Diagnostic, codes};
use graph::ops::{Port, SlotKind};
use graph::{Endpoint, Filled, Node, Operand};
use value::{Pointer, Value};

use crate::definite::PATHS_MAX;
use crate::flow::{Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::paths::{self, at_node, at_slot};

/// One finding for each place where a label runs out although somebody wants its value, and one
/// for each endpoint that announces another value.
pub(crate) fn check(flow: &Flow<'_>, names: &Names<'_>, findings: &mut Vec<Diagnostic>) {
    let mut lacks = Lacks { flow, ends: Ends::new(flow), said: BTreeSet::new() };
    let mut work = flow.len() * WORK_PER_NODE;
    for endpoint in &flow.graph.endpoints {
        let Some(entry) = entry(flow, endpoint) else { continue };
        findings.extend(lacks.of_endpoint(endpoint, entry));
        findings.extend(announced(flow, endpoint, entry, &mut work));
    }
    for at in &flow.order {
        for arc in flow.out(*at).iter().filter(|arc| arc.way == Way::Enter) {
            if is_result_read(flow, names, *at) {
                findings.extend(lacks.of_call(*at, arc.to));
            }
        }
    }
}

/// Looking for what endpoints return takes no longer than so many walks over the graph.
const WORK_PER_NODE: usize = 16;

fn entry(flow: &Flow<'_>, endpoint: &Endpoint) -> Option<NodeId> {
    flow.labels[flow.find_label(endpoint.label.as_deref()?)?].entry
}

/// Whether anybody reads what a node gets back from the label that it runs.
fn is_result_read(flow: &Flow<'_>, names: &Names<'_>, at: NodeId) -> bool {
    let node = flow.node(at);
    let Some(op) = node.def() else { return false };
    let is_read = |name: &str| names.find(name).is_some_and(|name| !names.readers(name).is_empty());
    let bound = op.slot_of(SlotKind::Bind).filter(|_| !flow.binds_inside(at));
    match bound.and_then(|slot| node.operands.text(slot.name)) {
        Some(out) => is_read(out),
        None => op.writes.iter().any(|written| is_read(written.name)),
    }
}

/// For each node from which the label may run out: the next one on the shortest way there, and
/// the last one.
struct Ends {
    next: Vec<(NodeId, NodeId)>,
}

impl Ends {
    const NONE: NodeId = NodeId::MAX;

    fn new(flow: &Flow<'_>) -> Ends {
        let mut next = vec![(Ends::NONE, Ends::NONE); flow.len()];
        let mut queue: VecDeque<NodeId> = VecDeque::new();
        for at in (0..flow.len() as NodeId).filter(|at| flow.runs_out[*at as usize]) {
            next[at as usize] = (at, at);
            queue.push_back(at);
        }
        while let Some(at) = queue.pop_front() {
            for (from, way) in flow.into(at) {
                if matches!(way, Way::On | Way::Fail) && next[*from as usize].0 == Ends::NONE {
                    next[*from as usize] = (at, next[at as usize].1);
                    queue.push_back(*from);
                }
            }
        }
        Ends { next }
    }

    /// Where the label runs out, if it may from here.
    fn last(&self, at: NodeId) -> Option<NodeId> {
        Some(self.next[at as usize].1).filter(|last| *last != Ends::NONE)
    }

    /// The way there.
    fn path_from(&self, at: NodeId) -> Vec<NodeId> {
        let mut path = vec![at];
        let mut step = at;
        while self.next[step as usize].0 != step {
            step = self.next[step as usize].0;
            path.push(step);
        }
        path
    }
}

struct Lacks<'a, 'g> {
    flow: &'a Flow<'g>,
    ends: Ends,
    /// Places that were told already: who else comes to them is a consequence.
    said: BTreeSet<NodeId>,
}

impl Lacks<'_, '_> {
    /// A way from here to a place that was not told yet.
    fn new_path(&mut self, from: NodeId) -> Option<(Vec<NodeId>, NodeId)> {
        let last = self.ends.last(from)?;
        let is_new = self.said.len() < PATHS_MAX && self.said.insert(last);
        is_new.then(|| (self.ends.path_from(from), last))
    }

    fn of_endpoint(&mut self, endpoint: &Endpoint, entry: NodeId) -> Option<Diagnostic> {
        let (path, last) = self.new_path(entry)?;
        let (flow, label) = (self.flow, self.flow.label_id(last));
        let message = format!(
            "endpoint `{} {}` may answer nothing: `{label}` can end without returning a value",
            endpoint.method, endpoint.path
        );
        let found = Diagnostic::new(&codes::ENDPOINT_WITHOUT_ANSWER, at_node(flow, last), message)
            .label(of_endpoint(endpoint, "label_id"), "the endpoint begins here")
            .path(paths::shown(flow, &path));
        Some(found.help(advice(flow, last)))
    }

    fn of_call(&mut self, call: NodeId, entry: NodeId) -> Option<Diagnostic> {
        let (path, last) = self.new_path(entry)?;
        let (flow, label) = (self.flow, self.flow.label_id(last));
        let message = format!(
            "`{}` uses what `{}` returns, but `{label}` can end without returning a value",
            flow.label_id(call),
            flow.label_id(entry)
        );
        let from: Vec<NodeId> = std::iter::once(call).chain(path).collect();
        let found = Diagnostic::new(&codes::CALL_WITHOUT_ANSWER, at_node(flow, last), message)
            .label(at_node(flow, call), "its result is used")
            .path(paths::shown(flow, &from));
        Some(found.help(advice(flow, last)))
    }
}

/// What to do where a label runs out.
fn advice(flow: &Flow<'_>, at: NodeId) -> String {
    let op = flow.node(at).def();
    let is_missing = |port: &Port| {
        let has = op.is_some_and(|op| op.port(*port).is_some());
        has && !flow.out(at).iter().any(|arc| arc.port == *port)
    };
    match [Port::Then, Port::Else, Port::After].into_iter().find(is_missing) {
        Some(port) => format!("lead `{port}` to what returns a value"),
        None => "return a value behind it, with `J`".to_string(),
    }
}

/// An endpoint that says what it returns, and whose label returns other things only. What a
/// handler of failures returns is another matter.
fn announced(
    flow: &Flow<'_>,
    endpoint: &Endpoint,
    entry: NodeId,
    work: &mut usize,
) -> Option<Diagnostic> {
    let wanted = endpoint.members.get("return_var")?.as_text().filter(|name| !name.is_empty())?;
    let mut seen: BTreeSet<NodeId> = BTreeSet::from([entry]);
    let mut queue: VecDeque<NodeId> = VecDeque::from([entry]);
    let mut others: Vec<NodeId> = Vec::new();
    while let Some(at) = queue.pop_front() {
        *work = work.checked_sub(1)?;
        let node = flow.node(at);
        if node.def().is_some_and(|op| op.returns()) {
            match returned(node)? {
                Operand::Var(name) if name == wanted => return None,
                _ => others.push(at),
            }
        }
        let on = flow.out(at).iter().filter(|arc| arc.way == Way::On).map(|arc| arc.to);
        queue.extend(on.filter(|to| seen.insert(*to)));
    }
    let first = *others.first()?;
    let given = returned(flow.node(first))?;
    let shown = match given {
        Operand::Var(name) => format!("`{name}`"),
        _ => "something else".to_string(),
    };
    let (method, path) = (&endpoint.method, &endpoint.path);
    let message = format!(
        "endpoint `{method} {path}` announces `{wanted}`, but `{}` returns {shown}",
        flow.label_id(first)
    );
    let at = of_endpoint(endpoint, "return_var");
    let found = Diagnostic::new(&codes::ANOTHER_ANSWER, at, message)
        .label(at_slot(flow, first, SlotKind::Value), "this is what it returns");
    Some(match given {
        Operand::Var(name) if others.len() == 1 => {
            found.help(format!("announce `{name}`, or return `{wanted}`"))
        }
        _ => found.help(format!("return `{wanted}`, or announce what is returned")),
    })
}

fn returned(node: &Node) -> Option<&Operand> {
    match node.operands.get(node.def()?.slot_of(SlotKind::Value)?.name)? {
        Filled::One(operand) => Some(operand),
        Filled::Many(_) => None,
    }
}

fn of_endpoint(endpoint: &Endpoint, member: &str) -> Anchor {
    let steps = ["services", "core", "eps", &endpoint.path, &endpoint.method, member];
    Anchor::value(steps.iter().fold(Pointer::root(), |at, step| at.child(step)))
}

/// Returns that give the name of a label, as if that were a jump. One finding for each; says
/// which labels they name, and which texts that are no variables.
pub(crate) fn returned_labels(
    flow: &Flow<'_>,
    names: &Names<'_>,
    findings: &mut Vec<Diagnostic>,
) -> (Vec<usize>, BTreeSet<NameId>) {
    let (mut labels, mut texts) = (Vec::new(), BTreeSet::new());
    // Compilers note a bare word that names a label as an edge; what they do not note was in quotes.
    let is_compiled = flow.graph.extra.contains_key("source");
    let mut noted: BTreeSet<(usize, &str)> = BTreeSet::new();
    for (number, label) in flow.labels.iter().enumerate() {
        let edges = label.label.edges.iter().filter(|edge| edge.analysis_only);
        noted.extend(edges.map(|edge| (number, &*edge.from)));
    }
    for (at, node) in flow.nodes() {
        let Some(label) = flow.label_returned(node) else { continue };
        let text = match returned(node) {
            Some(Operand::Lit(Value::Text(text))) => {
                if is_compiled && !noted.contains(&(flow.label_of(at), &*node.id)) {
                    continue;
                }
                text
            }
            Some(Operand::Var(name)) => {
                let known = names
                    .find(name)
                    .filter(|known| !names.is_written(*known) && !names.is_input(*known));
                let Some(known) = known else { continue };
                texts.insert(known);
                name
            }
            _ => continue,
        };
        labels.push(label);
        let (own, id) = (flow.label_id(at), flow.labels[label].id);
        let message = format!("`{own}` returns the text `{text}`; it does not go to `{id}`");
        let place = at_slot(flow, at, SlotKind::Value);
        findings.push(Diagnostic::new(&codes::RETURNS_LABEL, place, message).help(
            "`J` ends the label with a value; use `Call` and return what comes back, or `If`",
        ));
    }
    (labels, texts)
}
