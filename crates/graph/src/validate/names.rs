//! Names that must resolve: ops, nodes, labels. And a label must have something to do.

use diagnostics::{Anchor, Diagnostic, Edit, codes, nearest};
use value::{Pointer, Value};

use crate::index::Index;
use crate::model::{Graph, Label, Node, ToKind};
use crate::normalize::bare_label;
use crate::operand::Operand;
use crate::ops::{self, OPS, SlotKind};
use crate::place;

/// Runs the check.
pub fn names(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for (id, found) in &graph.labels {
        label(graph, id, found, &Index::new(found), findings);
    }
    outside_labels(graph, findings);
}

pub(super) fn label(
    graph: &Graph,
    id: &str,
    label: &Label,
    index: &Index<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    Check { graph, findings }.label(id, label, index);
}

/// What names labels from outside of them.
pub(super) fn outside_labels(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let mut check = Check { graph, findings };
    check.endpoints();
    check.crons();
}

struct Check<'a> {
    graph: &'a Graph,
    findings: &'a mut Vec<Diagnostic>,
}

/// Looking for near names among very many, or for very many findings, takes more time than a
/// reader would thank us for.
const NEAR_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 200;

impl Check<'_> {
    fn label(&mut self, id: &str, label: &Label, index: &Index<'_>) {
        if label.nodes.is_empty() && !label.has_odd_nodes() {
            let message = format!("label `{id}` is empty");
            self.findings.push(
                Diagnostic::new(&codes::EMPTY_LABEL, Anchor::key(place::label(id)), message)
                    .help("give it a node, or remove it"),
            );
        }
        for node in &label.nodes {
            self.op(id, node);
            self.callee(id, node);
        }
        self.edges(id, label, index);
    }

    fn op(&mut self, id: &str, node: &Node) {
        let name = node.op.name();
        let at = Anchor::value(place::of_node(id, node, "op"));
        if let Some(skipped) = ops::skipped(node) {
            self.findings.push(skips(skipped, at.clone()));
        }
        if node.def().is_some() || name.is_empty() {
            return;
        }
        let found = Diagnostic::new(&codes::UNKNOWN_OP, at.clone(), format!("unknown op `{name}`"));
        self.findings.push(match nearest(name, OPS.iter().map(|op| op.name)) {
            Some(near) => {
                let fix = format!("\"{near}\"");
                let mut found = found
                    .help(format!("did you mean `{near}`?"))
                    .fix(format!("write `{near}`"), at, &fix)
                    .unsure();
                if let (Some(fix), Some(Value::Text(said))) = (&mut found.fix, node.data.get("op"))
                    && **said == *name
                {
                    let at = Anchor::value(place::of_data(id, node, "op"));
                    fix.edits.push(Edit { at, text: format!("\"{near}\"") });
                }
                found
            }
            None => {
                let ops: Vec<_> = OPS.iter().map(|op| op.name).collect();
                found.help(format!("the ops are {}", ops.join(", ")))
            }
        });
    }

    fn callee(&mut self, id: &str, node: &Node) {
        let Some(slot) = node.def().and_then(|op| op.slot_of(SlotKind::Callee)) else { return };
        if let Some(Operand::Label(callee)) = node.operands.one(slot.name)
            && !self.graph.names_label(callee)
        {
            let at = match node.data.get(slot.name) {
                Some(_) => place::of_data(id, node, slot.name),
                None => place::of_node(id, node, "operands").child(slot.name),
            };
            self.unknown_label(at, &format!("`{}` of label `{id}` calls", node.id), callee);
        }
    }

    fn edges(&mut self, id: &str, label: &Label, index: &Index<'_>) {
        for edge in &label.edges {
            if !edge.from.is_empty() && index.find(&edge.from).is_none() {
                let at = place::of_edge(id, edge, "from");
                self.unknown_node(at, (id, label), "an edge leaves", &edge.from);
            }
            // A called label is checked at its call.
            if edge.to.is_empty() || edge.analysis_only {
                continue;
            }
            let at = || place::of_edge(id, edge, "to");
            let what = || match edge.port {
                Some(port) => format!("the `{port}` edge of `{}` leads to", edge.from),
                None => format!("an edge of `{}` leads to", edge.from),
            };
            match edge.to_kind {
                ToKind::Node if edge.to == edge.from && index.find(&edge.to).is_some() => {
                    let message = format!("an edge leads from `{}` to itself", edge.to);
                    let at = Anchor::value(at());
                    self.findings.push(Diagnostic::new(&codes::SELF_LOOP, at, message).help(
                        "to repeat something, put it into a label and use `Loop` or `While`",
                    ));
                }
                ToKind::Node if index.find(&edge.to).is_none() => {
                    self.unknown_node(at(), (id, label), &what(), &edge.to);
                }
                ToKind::Label if !self.graph.names_label(&edge.to) => {
                    self.unknown_label(at(), &what(), &edge.to);
                }
                _ => {}
            }
        }
        if let Some(entry) = &label.entry
            && index.entry().is_none()
        {
            let what = format!("label `{id}` begins with");
            self.unknown_node(place::of_label(id, "entry"), (id, label), &what, entry);
        }
        for (position, exit) in label.exits.iter().enumerate() {
            if !exit.node.is_empty() && index.find(&exit.node).is_none() {
                let at = place::of_label(id, "exits").child(position).child("node");
                let what = format!("an exit of label `{id}` is");
                self.unknown_node(at, (id, label), &what, &exit.node);
            }
        }
    }

    fn endpoints(&mut self) {
        for endpoint in &self.graph.endpoints {
            let at = ["services", "core", "eps", &endpoint.path, &endpoint.method, "label_id"];
            let at = at.iter().fold(Pointer::root(), |at, step| at.child(step));
            let what = format!("endpoint `{} {}`", endpoint.method, endpoint.path);
            match &endpoint.label {
                // A label of the wrong kind is reported as such.
                None if endpoint.members.get("label_id").is_some_and(|id| *id != Value::Null) => {}
                None => {
                    let message = format!("{what} has no `label_id`");
                    let found = Diagnostic::new(&codes::MISSING_MEMBER, Anchor::value(at), message);
                    self.findings.push(found);
                }
                Some(label) if !self.graph.names_label(label) => {
                    self.unknown_label(at, &format!("{what} runs"), label);
                }
                Some(_) => {}
            }
        }
    }

    fn crons(&mut self) {
        for (position, cron) in self.graph.crons.iter().enumerate() {
            let Some(Value::Text(written)) = cron.get("label") else { continue };
            let bare = bare_label(written);
            if !self.graph.names_label(written) && !self.graph.names_label(bare) {
                let at = Pointer::root().child("crons").child(position).child("label");
                self.unknown_label(at, "a cron runs", written);
            }
        }
    }

    fn unknown_node(
        &mut self,
        at: Pointer,
        (label_id, label): (&str, &Label),
        what: &str,
        id: &str,
    ) {
        // It may be the one whose id could not be read.
        if label.nodes.iter().any(|node| node.extra.get("id").is_some()) {
            return;
        }
        let message = format!("{what} node `{id}`, which label `{label_id}` does not have");
        let found = Diagnostic::new(&codes::UNKNOWN_NODE, Anchor::value(at), message);
        let ids = label.nodes.iter().map(|node| &*node.id).take(self.near_max());
        self.findings.push(match (nearest(id, ids), label.nodes.as_slice()) {
            (Some(near), _) => found.help(format!("did you mean `{near}`?")),
            (None, []) => found,
            (None, [only]) => found.help(format!("its only node is `{}`", only.id)),
            (None, [first, .., last]) => {
                let count = label.nodes.len();
                found.help(format!("its {count} nodes are `{}` to `{}`", first.id, last.id))
            }
        });
    }

    fn unknown_label(&mut self, at: Pointer, what: &str, id: &str) {
        let message = format!("{what} label `{id}`, which does not exist");
        let found = Diagnostic::new(&codes::UNKNOWN_LABEL, Anchor::value(at), message);
        let ids: Vec<&str> =
            self.graph.labels.keys().map(|id| &**id).take(self.near_max()).collect();
        self.findings.push(match nearest(id, ids.iter().copied()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None if ids.len() == 1 => found.help(format!("the only label is `{}`", ids[0])),
            None if !ids.is_empty() && ids.len() <= 12 => {
                let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
                found.help(format!("the labels are {}", ids.join(", ")))
            }
            None => found,
        });
    }

    fn near_max(&self) -> usize {
        if self.findings.len() < SUGGESTIONS_MAX { NEAR_MAX } else { 0 }
    }
}

fn skips(op: &str, at: Anchor) -> Diagnostic {
    let message = format!("unknown op `{op}` is skipped: control goes on by `next`");
    let found = Diagnostic::new(&codes::UNKNOWN_OP_SKIPPED, at, message);
    match nearest(op, OPS.iter().map(|op| op.name)) {
        Some(near) => found.help(format!("did you mean `{near}`? If not, remove the node")),
        None => found.help("write what it should do with ops that there are, or remove the node"),
    }
}
