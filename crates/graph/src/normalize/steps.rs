//! Lowers `legacy.steps`: a list of steps becomes nodes in order, chained by `next`.

use diagnostics::{Anchor, Diagnostic, codes};
use value::{Text, Value};

use crate::draft::{DraftEdge, DraftLabel, DraftNode};
use crate::model::ToKind;
use crate::ops::{self, Port, Runs, SlotKind};
use crate::place;

/// Makes the nodes and edges of a label from its steps.
pub(super) fn lower(
    id: &str,
    label: &mut DraftLabel,
    steps: &[Value],
    findings: &mut Vec<Diagnostic>,
) {
    let mut last: Option<Text> = None;
    for (position, step) in steps.iter().enumerate() {
        let Value::Map(data) = step else {
            let at = place::of_label(id, "legacy").child("steps").child(position);
            let message = format!("a step must be an object, not {}", step.kind());
            findings.push(Diagnostic::new(&codes::WRONG_KIND, Anchor::value(at), message));
            label.unread += 1;
            continue;
        };
        let node_id: Text = format!("n{}", label.nodes.len() + 1).into();
        let op = data.get("op").and_then(Value::as_text).cloned();
        let mut chain = Chain { label, here: node_id.clone() };
        if let Some(last) = &last {
            chain.add_to_node(last, &node_id, Port::Next);
        }
        last = Some(node_id.clone());
        if let Some(def) = op.as_deref().and_then(ops::find) {
            for slot in def.slots {
                let SlotKind::Target(port) = slot.kind else { continue };
                if let Some(to) = data.get(slot.name).and_then(Value::as_text) {
                    chain.add_to_label(to, port);
                }
            }
            if let Runs::Guard(port) = def.runs {
                let named =
                    def.slot_of(SlotKind::Protects).and_then(|slot| data.get(slot.name)?.as_text());
                let source = named.or_else(|| chain.previous()).cloned();
                if let Some(source) = source {
                    chain.add_to_node(&source, &node_id, port);
                }
            }
            // Control leaves for another label: what follows is not reached from here.
            if def.runs == Runs::Control && def.port(Port::Next).is_none() {
                last = None;
            }
        }
        let at = u32::try_from(position).unwrap_or(u32::MAX);
        let node = DraftNode {
            at,
            id: Some(node_id),
            op,
            data: Some(data.clone()),
            ..DraftNode::default()
        };
        label.nodes.push(node);
    }
}

struct Chain<'a> {
    label: &'a mut DraftLabel,
    here: Text,
}

impl Chain<'_> {
    fn previous(&self) -> Option<&Text> {
        self.label.nodes.last().and_then(|node| node.id.as_ref())
    }

    fn add_to_node(&mut self, from: &Text, to: &Text, port: Port) {
        self.push(from.clone(), to.clone(), ToKind::Node, port);
    }

    fn add_to_label(&mut self, to: &Text, port: Port) {
        self.push(self.here.clone(), to.clone(), ToKind::Label, port);
    }

    fn push(&mut self, from: Text, to: Text, to_kind: ToKind, port: Port) {
        let at = u32::try_from(self.label.edges.len()).unwrap_or(u32::MAX);
        self.label.edges.push(DraftEdge {
            at,
            from: Some(from),
            to: Some(to),
            to_kind: Some(to_kind),
            port: Some(port),
            ..DraftEdge::default()
        });
    }
}
