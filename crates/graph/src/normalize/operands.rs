//! Types what `data` says without types: which word is a variable, which a literal.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Map, Text, Value};

use crate::draft::Draft;
use crate::model::{Graph, Node};
use crate::operand::{self, Filled, Misfit};
use crate::ops::{self, OpDef, Slot, SlotKind};
use crate::place;

/// The names that can hold something: written by a node, given to the run, or predefined.
pub(crate) struct Names(BTreeSet<Text>);

impl Names {
    /// Collects them from a draft.
    pub(crate) fn of(draft: &Draft) -> Names {
        let mut names = BTreeSet::new();
        for node in draft.labels.values().flat_map(|label| &label.nodes) {
            names.extend(node.writes.iter().flatten().cloned());
            let Some(op) = node.op.as_deref().and_then(ops::find) else { continue };
            for slot in op.slots.iter().filter(|slot| slot.kind == SlotKind::Bind) {
                let bound = node.data.as_ref().and_then(|data| data.get(slot.name)?.as_text());
                names.extend(bound.cloned());
                let bound = node
                    .operands
                    .as_ref()
                    .and_then(|map| map.get(slot.name)?.get("var")?.as_text());
                names.extend(bound.cloned());
            }
        }
        names.extend(draft.declarations.of(crate::declarations::Kind::Inputs).keys().cloned());
        Names(names)
    }

    /// Collects them from a graph.
    pub(crate) fn of_graph(graph: &Graph) -> Names {
        let nodes = graph.labels.values().flat_map(|label| &label.nodes);
        let mut names: BTreeSet<Text> =
            nodes.flat_map(|node| node.writes.iter().cloned()).collect();
        names.extend(graph.declarations.of(crate::declarations::Kind::Inputs).keys().cloned());
        Names(names)
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(name) || ops::predefines(name)
    }
}

/// Fills the slots of a node from its `operands` where given, else from its `data`.
pub(super) fn fill(
    label: &str,
    node: &mut Node,
    operands: Option<&Map>,
    given_reads: Option<&[Text]>,
    names: &Names,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(op) = node.def() else {
        // Nobody knows its slots; what was written is printed again.
        if let Some(operands) = operands {
            node.extra.keep("operands".into(), operands.clone().into());
        }
        return;
    };
    node.operands.reserve(op.slots.len());
    for slot in op.slots {
        if let Some(value) = operands.and_then(|operands| operands.get(slot.name)) {
            from_operands(label, node, slot, value, findings);
        } else if let Some(value) = node.data.get(slot.name) {
            match resolve_slot(op, slot, &node.data, value, given_reads, names) {
                Ok(Some(filled)) => node.operands.push(slot, filled),
                Ok(None) => {}
                Err(misfit) => findings.push(wrong_slot(label, node, slot, &misfit, value)),
            }
        }
    }
    let unknown = operands.into_iter().flatten().filter(|(name, _)| op.slot(name).is_none());
    let unknown: Vec<_> = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, value) in unknown {
        findings.push(unknown_slot(label, node, op, &name));
        keep_operand(node, name, value);
    }
}

/// Fills one slot from `data`.
pub(crate) fn resolve_slot(
    op: &'static OpDef,
    slot: &'static Slot,
    data: &Map,
    value: &Value,
    given_reads: Option<&[Text]>,
    names: &Names,
) -> Result<Option<Filled>, Misfit> {
    // `R cache get ns key`: the second word is the verb, and no argument.
    let is_verb = slot.kind == SlotKind::Value
        && op.slot_of(SlotKind::Adapter).is_some_and(|adapter| {
            let adapter = data.get(adapter.name).and_then(Value::as_text);
            slot.name == "target" && adapter.is_some_and(|adapter| !adapter.contains('.'))
        });
    // An empty target is how older compilers write a call without arguments.
    if slot.kind == SlotKind::Value && slot.name == "target" && *value == Value::text("") {
        return Ok(None);
    }
    operand::from_data(slot, value, |name| {
        if is_verb {
            return false;
        }
        match given_reads {
            Some(reads) if reads.iter().any(|read| &**read == name) => true,
            Some(_) if op.lists_reads => false,
            _ => names.has(name),
        }
    })
}

fn from_operands(
    label: &str,
    node: &mut Node,
    slot: &'static Slot,
    value: &Value,
    findings: &mut Vec<Diagnostic>,
) {
    match operand::from_operands(slot, value) {
        Ok(filled) => {
            if let Some(data) = node.data.get(slot.name)
                && *data != Value::Null
                && !operand::agrees(&filled, data)
            {
                findings.push(disagree(label, node, slot));
            }
            node.operands.push(slot, filled);
        }
        Err(misfit) => {
            findings.push(wrong_operand(label, node, slot, &misfit, value));
            keep_operand(node, slot.name.into(), value.clone());
        }
    }
}

/// What cannot be understood is printed again as it was.
fn keep_operand(node: &mut Node, name: Text, value: Value) {
    let kept = node.extra.get("operands").and_then(Value::as_map).cloned();
    let mut kept = kept.unwrap_or_default();
    kept.insert(name, value);
    node.extra.keep("operands".into(), kept.into());
}

fn wrong_slot(label: &str, node: &Node, slot: &Slot, misfit: &Misfit, value: &Value) -> Diagnostic {
    let at = Anchor::value(place::of_data(label, node, slot.name));
    misfitting(at, node, slot, misfit, value)
}

fn wrong_operand(
    label: &str,
    node: &Node,
    slot: &Slot,
    misfit: &Misfit,
    value: &Value,
) -> Diagnostic {
    let at = Anchor::value(place::of_node(label, node, "operands").child(slot.name));
    misfitting(at, node, slot, misfit, value)
}

fn misfitting(at: Anchor, node: &Node, slot: &Slot, misfit: &Misfit, value: &Value) -> Diagnostic {
    let (op, name) = (node.op.name(), slot.name);
    match misfit {
        Misfit::Condition(why) => Diagnostic::new(
            &codes::BAD_CONDITION,
            at,
            format!("the condition of `{op}` cannot be read: {why}"),
        )
        .help("write `x` (is true), `x?` (is there) or `x = value`"),
        Misfit::Kind(expected) => {
            let found = match value {
                Value::Text(text) => format!("`{text}`"),
                other => other.kind().to_string(),
            };
            let expected = match slot.kind {
                SlotKind::Word(words) => one_of(words),
                _ => (*expected).to_string(),
            };
            let message = format!("`{name}` of `{op}` must be {expected}, not {found}");
            Diagnostic::new(&codes::WRONG_SLOT, at, message)
        }
    }
}

fn one_of(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.join(""),
    }
}

fn unknown_slot(label: &str, node: &Node, op: &OpDef, name: &str) -> Diagnostic {
    let at = Anchor::key(place::of_node(label, node, "operands").child(name));
    let found =
        Diagnostic::new(&codes::WRONG_SLOT, at, format!("`{}` has no slot `{name}`", op.name));
    let slots = op.slots.iter().map(|slot| slot.name);
    match nearest(name, slots.clone()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(format!(
            "it has {}",
            slots.map(|slot| format!("`{slot}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn disagree(label: &str, node: &Node, slot: &Slot) -> Diagnostic {
    let name = slot.name;
    let at = Anchor::value(place::of_data(label, node, name));
    Diagnostic::new(
        &codes::OPERANDS_DISAGREE,
        at,
        format!("`data` and `operands` of `{}` say different things about `{name}`", node.id),
    )
    .label(
        Anchor::value(place::of_node(label, node, "operands").child(name)),
        "this is what counts",
    )
    .help("`operands` counts; change it, or leave it out and keep only `data`")
}
