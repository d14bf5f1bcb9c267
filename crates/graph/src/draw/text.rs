//! What a picture says of a node, and how much room text takes.

use value::Value;

use crate::model::Node;
use crate::operand::{Filled, Operand};
use crate::ops::{OpDef, Slot, SlotKind};

/// A node in a few words, safe to show: see [`clean`].
pub(super) struct Words {
    /// What it does: `http.GET "https://x"`.
    pub what: String,
    /// The variable that gets the answer, unless `what` says so already.
    pub out: Option<String>,
}

impl Words {
    /// The words for a node, from the sketch of its op.
    pub(super) fn of(node: &Node) -> Words {
        let Some(op) = node.def() else {
            let name = clean(node.op.name());
            let what = if name.is_empty() { "no op".to_string() } else { format!("{name} ?") };
            return Words { what, out: None };
        };
        let said = |slot: &&Slot| op.sketch.contains(&format!("{{{}}}", slot.name));
        let out = op.slots.iter().filter(|slot| slot.kind == SlotKind::Bind && !said(slot));
        let out = out.filter_map(|slot| node.operands.text(slot.name)).map(|name| clean(name));
        Words { what: clean(&fill(node, op)), out: out.reduce(|all, name| all + ", " + &name) }
    }

    /// On one line.
    pub(super) fn line(&self) -> String {
        match &self.out {
            Some(out) => format!("{} -> {out}", self.what),
            None => self.what.clone(),
        }
    }
}

/// Fills the sketch of an op from a node.
fn fill(node: &Node, op: &'static OpDef) -> String {
    let mut text = String::new();
    let mut rest = op.sketch;
    while let Some(at) = rest.find('[') {
        text += &fill_part(node, op, &rest[..at]).0;
        let end = rest[at..].find(']').map_or(rest.len(), |length| at + length);
        let (part, complete) = fill_part(node, op, &rest[at + 1..end]);
        if complete {
            text += &part;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    text + &fill_part(node, op, rest).0
}

/// The text of a part, and whether all its slots are filled.
fn fill_part(node: &Node, op: &'static OpDef, part: &str) -> (String, bool) {
    let (mut text, mut complete) = (String::new(), true);
    let mut pieces = part.split('{');
    text += pieces.next().unwrap_or_default();
    for piece in pieces {
        let (name, after) = piece.split_once('}').unwrap_or((piece, ""));
        match op.slot(name).and_then(|slot| slot_text(node, slot)) {
            Some(held) => text += &held,
            None => (text, complete) = (text + "?", false),
        }
        text += after;
    }
    (text, complete)
}

/// What a slot of a node holds, in words.
pub(super) fn slot_text(node: &Node, slot: &Slot) -> Option<String> {
    match node.operands.get(slot.name) {
        Some(Filled::One(operand)) => Some(operand_text(slot, operand)),
        Some(Filled::Many(operands)) => {
            let texts: Vec<_> =
                operands.iter().map(|operand| operand_text(slot, operand)).collect();
            (!texts.is_empty()).then(|| texts.join(" "))
        }
        // What does not fit its slot is shown as written: the author looks for it here.
        None if slot.required => match node.data.get(slot.name)? {
            Value::Null => None,
            Value::Text(text) => (!text.is_empty()).then(|| text.to_string()),
            other => Some(value::json::compact(other)),
        },
        None => None,
    }
}

fn operand_text(slot: &Slot, operand: &Operand) -> String {
    match (operand, slot.kind) {
        (
            Operand::Lit(Value::Text(text)),
            SlotKind::Adapter
            | SlotKind::Name
            | SlotKind::Takes
            | SlotKind::Gives
            | SlotKind::Word(_),
        )
        | (Operand::Odd(Value::Text(text), _), _) => text.to_string(),
        (Operand::Lit(value) | Operand::Odd(value, _), _) => value::json::compact(value),
        (Operand::Var(name) | Operand::Label(name), _) => name.to_string(),
        (Operand::Expr(expr), _) => expr.to_string(),
    }
}

/// Text that stays on its line and in its direction: no control characters (terminals obey
/// them, XML forbids them) and no marks that turn the direction of what follows.
pub(super) fn clean(text: &str) -> String {
    let safe = |letter: char| match letter {
        '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            '\u{fffd}'
        }
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    };
    text.chars().map(safe).collect()
}

/// Columns that text takes in a monospaced font, rather too many than too few.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(letter: char) -> usize {
    // Scripts from Hangul on, and pictures, are up to two columns wide; punctuation is not.
    match letter {
        '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{21ff}' => 1,
        _ if letter < '\u{1100}' => 1,
        _ => 2,
    }
}

/// The beginning of a text, with an ellipsis where it had to be cut.
pub(super) fn cut(text: &str, columns_max: usize) -> String {
    let mut used = 0;
    let mut fits = 0;
    for (at, letter) in text.char_indices() {
        if used < columns_max {
            fits = at;
        }
        used += columns_of(letter);
        if used > columns_max {
            return format!("{}\u{2026}", text[..fits].trim_end());
        }
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::OPS;

    #[test]
    fn sketches_name_slots_that_exist_and_all_that_are_required() {
        for op in OPS {
            let named: Vec<&str> = op
                .sketch
                .split('{')
                .skip(1)
                .map(|piece| piece.split_once('}').expect("a brace is closed").0)
                .collect();
            assert!(!op.sketch.is_empty(), "{} needs a sketch", op.name);
            for name in &named {
                assert!(op.slot(name).is_some(), "{} has no slot {name}", op.name);
            }
            for slot in op.slots.iter().filter(|slot| slot.required) {
                assert!(named.contains(&slot.name), "{} hides {}", op.name, slot.name);
            }
        }
    }

    #[test]
    fn cutting_keeps_within_the_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde\u{2026}");
        assert_eq!(cut("\u{1f600}\u{1f600}\u{1f600}", 5), "\u{1f600}\u{1f600}\u{2026}");
        assert_eq!(cut("", 0), "");
        for columns_max in 1..12 {
            assert!(columns(&cut("a\u{1f600}bc\u{4e2d}d e f", columns_max)) <= columns_max);
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_stays() {
        assert_eq!(clean("a\u{1b}[31m\u{202e}b\n\0c"), "a\u{fffd}[31m\u{fffd}b \u{fffd}c");
    }
}
