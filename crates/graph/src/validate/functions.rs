//! Part of phase 2: functions are there, and get as many arguments as they take.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use functions::{FUNCTIONS, Function};
use value::{Pointer, Text, Value};

use crate::contracts::{self, CORE};
use crate::model::Node;
use crate::ops::{Does, OpDef, Slot, SlotKind};
use crate::place;

/// What would need a function as an argument, which no value is, and what does the same.
const TAKE_FUNCTIONS: [(&str, &str); 3] = [
    ("map", "use `Loop`: its body computes one item, and `push` keeps what it gives"),
    ("filter", "use `Filt` to compare a field of each item, or `Loop` with an `If` in its body"),
    ("reduce", "use `Loop`: its body takes one item more into what is there already"),
];

pub(super) fn functions(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    let Some(called) = Called::of(node, op) else { return };
    match functions::find(&called.name) {
        Some(function) => findings.extend(arity(id, node, &called, function)),
        None if called.is_verb && contracts::is_core_verb(called.bare()) => {}
        None => findings.push(unknown(id, node, &called)),
    }
}

/// A function, as a node names it.
struct Called {
    name: Text,
    /// The slot that names it.
    slot: &'static Slot,
    /// Whether it is called as a verb of `core`.
    is_verb: bool,
}

impl Called {
    fn of(node: &Node, op: &'static OpDef) -> Option<Called> {
        match op.does {
            Does::Compute => {
                let slot = op.slot_of(SlotKind::Name)?;
                let name = node.operands.text(slot.name)?.clone();
                Some(Called { name, slot, is_verb: false })
            }
            Does::Adapter => {
                let (_, verb) = node.adapter().filter(|(namespace, _)| *namespace == CORE)?;
                let kind = match node.is_split() {
                    true => SlotKind::FirstValue,
                    false => SlotKind::Adapter,
                };
                Some(Called { name: verb.into(), slot: op.slot_of(kind)?, is_verb: true })
            }
            _ => None,
        }
    }

    /// The name without the namespace that may stand before it.
    fn bare(&self) -> &str {
        self.name.strip_prefix("core.").unwrap_or(&self.name)
    }

    /// The function for a message.
    fn shown(&self) -> String {
        if self.is_verb { format!("{CORE}.{}", self.name) } else { self.name.to_string() }
    }

    /// Another function, as the author would write it here.
    fn instead(&self, name: &str, written: &str) -> String {
        let is_upper = !self.bare().contains(|letter: char| letter.is_ascii_lowercase());
        let name = if is_upper { name.to_ascii_uppercase() } else { name.to_owned() };
        let space = if written.starts_with("core.") { "core." } else { "" };
        format!("{space}{name}")
    }

    fn place(&self, id: &str, node: &Node) -> Pointer {
        match node.data.get(self.slot.name) {
            Some(_) => place::of_data(id, node, self.slot.name),
            None => place::of_node(id, node, "operands").child(self.slot.name),
        }
    }
}

fn unknown(id: &str, node: &Node, called: &Called) -> Diagnostic {
    let at = Anchor::value(called.place(id, node));
    let message = format!("there is no function `{}`", called.shown());
    let found = Diagnostic::new(&codes::UNKNOWN_FUNCTION, at.clone(), message);
    let bare = called.bare();
    let is_it = |name: &str| name.eq_ignore_ascii_case(bare);
    if let Some((_, help)) = TAKE_FUNCTIONS.iter().find(|(name, _)| is_it(name)) {
        return found.help(format!("a function cannot be given to another one; {help}"));
    }
    if contracts::is_core_verb(bare) {
        let verb = bare.to_ascii_uppercase();
        return found.help(format!("it does more than compute: call it with `R core.{verb}`"));
    }
    let names =
        FUNCTIONS.iter().flat_map(|function| function.aliases.iter().chain([&function.name]));
    let near = nearest(bare, names.copied());
    let written = node.data.get(called.slot.name).and_then(Value::as_text);
    match (near, written) {
        (Some(near), Some(written)) => {
            let near = called.instead(near, written);
            let text = format!("\"{near}\"");
            found
                .help(format!("did you mean `{near}`?"))
                .fix(format!("write `{near}`"), at, text)
                .unsure()
        }
        (Some(near), None) => found.help(format!("did you mean `{near}`?")),
        (None, _) => {
            found.help("docs/functions.md lists them; for anything else call an adapter with `R`")
        }
    }
}

fn arity(id: &str, node: &Node, called: &Called, function: &Function) -> Option<Diagnostic> {
    // Slots that are not filled, or oddly, are reported as such.
    let given = node.arguments()?.len();
    if function.args.contains(&given) || node.extra.get("data").is_some() {
        return None;
    }
    let at = Anchor::value(called.place(id, node));
    let message = format!("`{}` takes {}, not {given}", called.shown(), function.arity());
    let help = format!("its arguments: {}", function.signature);
    Some(Diagnostic::new(&codes::WRONG_ARITY_OF_FUNCTION, at, message).help(help))
}
