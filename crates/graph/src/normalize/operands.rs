//! Types what `data` says without types: which word is a variable, which a literal.

use std::collections::BTreeSet;
use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Map, Text, Value};

use crate::contracts;
use crate::declarations::{Declarations, Kind};
use crate::draft::Draft;
use crate::model::{Graph, Node};
use crate::operand::{self, Filled, Misfit, Operand, Written};
use crate::ops::{self, OpDef, Slot, SlotKind};
use crate::place;

/// The names that can hold something: written by a node, given to the run, or predefined; and
/// what is declared, which says what else a call reads and writes.
pub(crate) struct Names {
    known: BTreeSet<Text>,
    declarations: Declarations,
}

impl Names {
    /// Collects them from a draft.
    pub(crate) fn of(draft: &Draft) -> Names {
        let mut names = BTreeSet::new();
        for node in draft.labels.values().flat_map(|label| &label.nodes) {
            if node.operands.is_none() {
                names.extend(node.writes.iter().flatten().cloned());
            }
            let Some(op) = node.op.as_deref().and_then(ops::find) else { continue };
            for slot in op.slots.iter().filter(|slot| slot.kind == SlotKind::Bind) {
                let typed = node.operands.as_ref().and_then(|map| map.get(slot.name));
                let bound = match typed {
                    Some(operand) => operand.get("var"),
                    None => node.data.as_ref().and_then(|data| data.get(slot.name)),
                };
                if let Some(bound) =
                    bound.and_then(Value::as_text).filter(|bound| !names.contains(*bound))
                {
                    names.insert(bound.clone());
                }
            }
        }
        names.extend(draft.declarations.of(Kind::Inputs).keys().cloned());
        Names { known: names, declarations: draft.declarations.clone() }
    }

    /// Collects them from a graph.
    pub(crate) fn of_graph(graph: &Graph) -> Names {
        let nodes = graph.labels.values().flat_map(|label| &label.nodes);
        let mut names: BTreeSet<Text> =
            nodes.flat_map(|node| node.writes.iter().cloned()).collect();
        names.extend(graph.declarations.of(Kind::Inputs).keys().cloned());
        Names { known: names, declarations: graph.declarations.clone() }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name) || ops::predefines(name)
    }

    pub(crate) fn declarations(&self) -> &Declarations {
        &self.declarations
    }
}

/// Fills the slots of a node from its `operands` where given, else from its `data`. What fits
/// nothing is kept as odd: a check reports it.
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
    // Where operands are given, nothing is left to tell apart.
    let given_reads = given_reads.filter(|_| operands.is_none());
    let given_reads = given_reads.map(|reads| reads.iter().map(|name| &**name).collect());
    let given_reads: Option<&BTreeSet<&str>> = given_reads.as_ref();
    node.operands.reserve(op.slots.len());
    for slot in op.slots {
        if let Some(value) = operands.and_then(|operands| operands.get(slot.name)) {
            let odd = |_| Filled::One(Operand::Odd(value.clone(), Written::Operands));
            let filled = operand::from_operands(slot, value).unwrap_or_else(odd);
            if let Some(data) = node.data.get(slot.name)
                && *data != Value::Null
                && !operand::agrees(&filled, data)
            {
                findings.push(disagree(label, node, slot));
            }
            node.operands.push(slot, filled);
        } else if let Some(value) = node.data.get(slot.name) {
            let filled = match resolve_slot(op, slot, &node.data, value, given_reads, names) {
                Ok(Some(filled)) => filled,
                Ok(None) => continue,
                Err(_) => Filled::One(Operand::Odd(value.clone(), Written::Data)),
            };
            node.operands.push(slot, filled);
        }
    }
    let mut unknown = Map::default();
    for (name, value) in operands.into_iter().flatten() {
        if op.slot(name).is_none() {
            findings.push(unknown_slot(label, node, op, name));
            unknown.insert(name.clone(), value.clone());
        }
    }
    if !unknown.is_empty() {
        node.extra.keep("operands".into(), Value::Map(Arc::new(unknown)));
    }
}

/// Fills one slot from `data`.
pub(crate) fn resolve_slot(
    op: &'static OpDef,
    slot: &'static Slot,
    data: &Map,
    value: &Value,
    given_reads: Option<&BTreeSet<&str>>,
    names: &Names,
) -> Result<Option<Filled>, Misfit> {
    let texts = texts(op, slot, data, names);
    operand::from_data(slot, value, |at, name| {
        if at < texts {
            return false;
        }
        match given_reads {
            Some(reads) if reads.contains(name) => true,
            Some(_) if op.lists_reads => false,
            _ => names.has(name),
        }
    })
}

/// How many of a slot's first words are text, whatever variables there are: the verb where it
/// stands for itself (`R cache get ns key`), and the arguments that are names by its contract.
fn texts(op: &'static OpDef, slot: &'static Slot, data: &Map, names: &Names) -> usize {
    if !matches!(slot.kind, SlotKind::FirstValue | SlotKind::Values) {
        return 0;
    }
    let text = |kind| op.slot_of(kind).and_then(|slot| data.get(slot.name)?.as_text());
    let Some(adapter) = text(SlotKind::Adapter) else { return 0 };
    let (namespace, verb, is_split) = match adapter.split_once('.') {
        Some((namespace, verb)) => (namespace, verb, false),
        None => (&**adapter, text(SlotKind::FirstValue).map_or("", |verb| verb), true),
    };
    let named = match contracts::find(namespace, verb) {
        Some(contract) => contract.names,
        None => names.declarations.contract(namespace, verb).map_or(0, |contract| contract.names),
    };
    let named = usize::from(named);
    match slot.kind {
        SlotKind::FirstValue if is_split => 1,
        SlotKind::FirstValue => named.min(1),
        SlotKind::Values if is_split => named,
        SlotKind::Values => named.saturating_sub(1),
        _ => 0,
    }
}

fn unknown_slot(label: &str, node: &Node, op: &OpDef, name: &str) -> Diagnostic {
    let at = Anchor::key(place::of_node(label, node, "operands").child(name));
    let message = format!("`{}` has no slot `{name}`", op.name);
    let found = Diagnostic::new(&codes::WRONG_SLOT, at, message);
    let slots: Vec<&str> = op.slots.iter().map(|slot| slot.name).collect();
    match nearest(name, slots.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(format!("it has {}", slots.join(", "))),
    }
}

fn disagree(label: &str, node: &Node, slot: &Slot) -> Diagnostic {
    let name = slot.name;
    let at = Anchor::value(place::of_data(label, node, name));
    let typed = Anchor::value(place::of_node(label, node, "operands").child(name));
    let message =
        format!("`data` and `operands` of `{}` say different things about `{name}`", node.id);
    Diagnostic::new(&codes::OPERANDS_DISAGREE, at, message)
        .label(typed, "this is what counts")
        .help("`operands` counts; change it, or leave it out and keep only `data`")
}
