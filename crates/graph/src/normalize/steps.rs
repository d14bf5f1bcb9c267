//! Lowers `legacy.steps`: a list of steps becomes nodes in order, chained by `next`.

use std::collections::BTreeSet;

use value::{Text, Value};

use super::bare_label;
use crate::draft::{DraftEdge, DraftLabel, DraftNode};
use crate::model::ToKind;
use crate::ops::{self, Port, SlotKind};

/// Makes the nodes and edges of a label from its steps. What is no object is no step.
pub(super) fn lower(label: &mut DraftLabel, steps: &[Value], label_ids: &BTreeSet<Text>) {
    let mut last: Option<Text> = None;
    let mut last_step: Option<Text> = None;
    for (position, step) in steps.iter().enumerate() {
        let Value::Map(data) = step else { continue };
        let id: Text = format!("n{}", label.nodes.len() + 1).into();
        let op = data.get("op").and_then(Value::as_text).cloned();
        if let Some(last) = &last {
            add_edge(label, last, Port::Next, &id, ToKind::Node);
        }
        last = Some(id.clone());
        let def = op.as_deref().and_then(ops::find);
        for slot in def.into_iter().flat_map(|def| def.slots) {
            let SlotKind::Target(port) = slot.kind else { continue };
            if let Some(named) = data.get(slot.name).and_then(Value::as_text) {
                let bare: Text = bare_label(named).into();
                let to = if label_ids.contains(named) { named.clone() } else { bare };
                add_edge(label, &id, port, &to, ToKind::Label);
            }
        }
        match def.and_then(|def| Some((def, def.guards()?))) {
            Some((def, port)) => {
                let slot = def.slot_of(SlotKind::Protects);
                let named = slot.and_then(|slot| data.get(slot.name)?.as_text());
                if let Some(source) = named.cloned().or_else(|| last_step.clone()) {
                    add_edge(label, &source, port, &id, ToKind::Node);
                }
            }
            None => last_step = Some(id.clone()),
        }
        // Control leaves here: what follows is not reached from this step.
        if def.is_some_and(|def| !def.goes_on()) {
            last = None;
        }
        label.nodes.push(DraftNode {
            at: u32::try_from(position).unwrap_or(u32::MAX),
            is_step: true,
            id: Some(id),
            op,
            data: Some(data.clone()),
            ..DraftNode::default()
        });
    }
}

fn add_edge(label: &mut DraftLabel, from: &Text, port: Port, to: &Text, to_kind: ToKind) {
    label.edges.push(DraftEdge {
        at: u32::try_from(label.edges.len()).unwrap_or(u32::MAX),
        from: Some(from.clone()),
        to: Some(to.clone()),
        to_kind: Some(to_kind),
        port: Some(port),
        ..DraftEdge::default()
    });
}
