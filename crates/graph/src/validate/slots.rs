//! Part of phase 2: slots are filled, and with what they can hold.

use diagnostics::{Anchor, Diagnostic, codes};
use value::Value;

use crate::model::Node;
use crate::operand::{self, Filled, Misfit, Operand, Written};
use crate::ops::{OpDef, Slot, SlotKind};
use crate::place;

pub(super) fn slots(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    for slot in op.slots {
        match node.operands.get(slot.name) {
            Some(Filled::One(Operand::Odd(value, written))) => {
                findings.extend(odd(id, node, slot, value, *written));
            }
            // Data of the wrong kind is reported as such.
            None if slot.required && node.extra.get("data").is_none() => {
                findings.push(missing(id, node, op, slot));
            }
            _ => {}
        }
    }
}

fn missing(id: &str, node: &Node, op: &OpDef, slot: &Slot) -> Diagnostic {
    let at = Anchor::value(place::of_data(id, node, slot.name));
    let (op, name) = (op.name, slot.name);
    let message = format!("{} of label `{id}` is `{op}` without `{name}`", node.shown());
    Diagnostic::new(&codes::MISSING_SLOT, at, message).help(format!("add `{name}` to its `data`"))
}

fn odd(id: &str, node: &Node, slot: &Slot, value: &Value, written: Written) -> Option<Diagnostic> {
    let (at, misfit) = match written {
        Written::Data => {
            let misfit = operand::from_data(slot, value, |_, _| false).err()?;
            (place::of_data(id, node, slot.name), misfit)
        }
        Written::Operands => {
            let misfit = operand::from_operands(slot, value).err()?;
            (place::of_node(id, node, "operands").child(slot.name), misfit)
        }
    };
    let (at, op, name) = (Anchor::value(at), node.op.name(), slot.name);
    Some(match misfit {
        Misfit::Condition(why) => {
            let message = format!("the condition of `{op}` cannot be read: {why}");
            Diagnostic::new(&codes::BAD_CONDITION, at, message)
                .help("write `x` (is true), `x?` (is there) or `x = value`, with text in quotes")
        }
        Misfit::Kind(expected) => {
            let found = match value {
                Value::Text(text) => format!("`{text}`"),
                other => other.kind().to_string(),
            };
            let expected = match slot.kind {
                SlotKind::Word(words) => one_of(words),
                _ => expected.to_string(),
            };
            let message = format!("`{name}` of `{op}` must be {expected}, not {found}");
            Diagnostic::new(&codes::WRONG_SLOT, at, message)
        }
    })
}

pub(super) fn one_of(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.join(""),
    }
}
