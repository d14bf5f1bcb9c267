//! **The op table**: the only place that knows the ops.
//!
//! A row says what an op is called, what it takes, where control can go from it, and what it
//! touches. Arity, ports, effects, reads, writes, drawing and documentation follow from the
//! rows; no other file compares an op's name.

mod legacy;
mod table;

use std::fmt;

pub use legacy::{find_inline, find_legacy, translate};
pub(crate) use legacy::{refresh_repeats, skip, skipped};
pub use table::OPS;
use value::Text;

use crate::effects::{Effect, Tier, Touches};

/// One row of the table.
#[derive(Debug)]
pub struct OpDef {
    /// Stable: it appears in graphs and events.
    pub name: &'static str,
    /// What it takes, under the names that `data` and `operands` use, in the order in which a line
    /// of source gives it.
    pub slots: &'static [Slot],
    /// How many words a line of source must give it.
    pub least: usize,
    /// Where control can go, in the order in which walks take them.
    pub ports: &'static [PortDef],
    /// How it runs, which decides its effect.
    pub runs: Runs,
    /// What the engine does when control comes to it.
    pub does: Does,
    /// Names it reads besides its slots.
    pub reads: &'static [&'static str],
    /// Names it writes besides its slots.
    pub writes: &'static [Written],
    /// Whether older compilers list what it reads; where they do not, names are looked up.
    pub lists_reads: bool,
    /// Whether it waits for the branches of a fork.
    pub joins: bool,
    /// Whether spec 1 draws what it writes as a data edge.
    pub feeds: bool,
    /// Whether spec 1 lists it; a graph with any other is written as `1.0+quipu`.
    pub standard: bool,
    /// What a picture says of a node: `{slot}` stands for what the slot holds, and a part in
    /// `[...]` is left out where its slot is empty. A name that is written and not mentioned
    /// follows by itself, as `-> name`.
    pub sketch: &'static str,
    /// One line for people.
    pub doc: &'static str,
}

/// A name that an op writes by itself.
#[derive(Debug)]
pub struct Written {
    /// The name.
    pub name: &'static str,
    /// Only when this slot holds this word.
    pub when: Option<(&'static str, &'static str)>,
}

/// How an op runs. Effects follow from this and from nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Computed in the core.
    Pure,
    /// Decides in the core where control goes.
    Control,
    /// Ends the label with a value.
    Return,
    /// Runs another label.
    Call,
    /// Protects the node that this port comes from.
    Guard(Port),
    /// Leaves the core through the adapter that its `adapter` slot names.
    Adapter,
    /// Leaves the core through a built-in store: what it touches, the word of spec 2 for that,
    /// and the adapter verb that policies see.
    Store(Touches, &'static str, &'static str),
    /// Asks a person.
    Person,
}

/// What the engine does at a node. Only the table ties it to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Calls an adapter.
    Adapter,
    /// Chooses between two ways.
    If,
    /// Calls a label.
    Call,
    /// Calls a label for each item.
    Loop,
    /// Calls a label while a condition holds.
    While,
    /// Returns.
    Return,
    /// Nothing, when control comes to it: it guards another node.
    Guard,
    /// Writes a value.
    Set,
    /// Writes the value of a function.
    Compute,
    /// Writes some items of a list.
    Filter,
    /// Writes a sorted list.
    Sort,
    /// Reads a cache.
    CacheGet,
    /// Writes a cache.
    CacheSet,
    /// Writes to a queue.
    QueuePut,
    /// Begins or ends a transaction.
    Transact,
    /// Fails unless a policy holds.
    Enforce,
    /// Chooses by rules.
    Route,
    /// Begins branches.
    Fork,
    /// Waits for branches.
    Join,
    /// Asks a person.
    Ask,
}

/// One thing an op takes.
#[derive(Debug)]
pub struct Slot {
    /// Its name in `data` and `operands`.
    pub name: &'static str,
    /// What it may hold.
    pub kind: SlotKind,
    /// Whether the op makes no sense without it.
    pub required: bool,
    /// What a source that leaves it out says, as `data` writes it.
    pub unsaid: Unsaid,
}

/// What stands in `data` where a source says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaid {
    /// Nothing.
    Absent,
    /// Null.
    Null,
    /// This word.
    Is(&'static str),
}

/// What a slot may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// `namespace.verb`.
    Adapter,
    /// A literal or a variable.
    Value,
    /// The same, for the first argument of an adapter; it is the verb where the adapter has none.
    FirstValue,
    /// A list of literals and variables.
    Values,
    /// An expression that is true or false.
    Condition,
    /// The name of a variable that is written.
    Bind,
    /// A label to call.
    Callee,
    /// A label that the edge of this port leads to. The edge is the truth; `data` repeats it.
    Target(Port),
    /// The node that a guard protects. The edge is the truth; `data` repeats it.
    Protects,
    /// Fixed text: the name of a field, a store, a queue, a policy.
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A schema: the call is given the names that are its fields, and only those.
    Takes,
    /// A schema: the answer has its fields, and each is written under its own name, the whole
    /// under the schema's.
    Gives,
    /// A whole number.
    Number,
    /// Any literal.
    Literal,
}

/// A port of an op.
#[derive(Debug)]
pub struct PortDef {
    /// Its name.
    pub port: Port,
    /// Where it may lead.
    pub to: Leads,
    /// Whether the op makes no sense without it.
    pub required: bool,
    /// Whether several edges may leave by it.
    pub many: bool,
}

/// Where a port may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To a node of the same label.
    Node,
    /// To a label.
    Label,
    /// To either.
    Either,
}

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// On to the next node.
    Next,
    /// The condition holds.
    Then,
    /// It does not; or no rule matched.
    Else,
    /// What a loop repeats.
    Body,
    /// When a loop is over.
    After,
    /// When the node fails.
    Err,
    /// How the node is tried again.
    Retry,
    /// The label that handles a failure.
    Handler,
    /// One of the labels that rules choose from.
    Goto,
    /// A label that runs beside the others.
    Branch,
    /// Nobody answered in time.
    Expired,
}

impl Port {
    /// All ports, by name.
    pub const ALL: [Port; 11] = [
        Port::Next,
        Port::Then,
        Port::Else,
        Port::Body,
        Port::After,
        Port::Err,
        Port::Retry,
        Port::Handler,
        Port::Goto,
        Port::Branch,
        Port::Expired,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Port::Next => "next",
            Port::Then => "then",
            Port::Else => "else",
            Port::Body => "body",
            Port::After => "after",
            Port::Err => "err",
            Port::Retry => "retry",
            Port::Handler => "handler",
            Port::Goto => "goto",
            Port::Branch => "branch",
            Port::Expired => "expired",
        }
    }

    /// The port with this word.
    pub fn find(word: &str) -> Option<Port> {
        Port::ALL.into_iter().find(|port| port.word() == word)
    }

    /// Whether control goes this way only when something failed.
    pub fn is_failure(self) -> bool {
        matches!(self, Port::Err | Port::Retry | Port::Handler)
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The row for a name.
pub fn find(name: &str) -> Option<&'static OpDef> {
    OPS.iter().find(|op| op.name == name)
}

/// Whether some op writes this name by itself, so that a program may read it anywhere.
pub fn predefines(name: &str) -> bool {
    name.starts_with('_')
        && OPS.iter().any(|op| {
            op.writes.iter().any(|written| written.name == name) || op.reads.contains(&name)
        })
}

impl OpDef {
    /// The port, if the op has it.
    pub fn port(&self, port: Port) -> Option<&'static PortDef> {
        self.ports.iter().find(|def| def.port == port)
    }

    /// The place of a port in the op's own order; ports it does not have come last.
    pub fn port_rank(&self, port: Port) -> usize {
        self.ports
            .iter()
            .position(|def| def.port == port)
            .unwrap_or(self.ports.len() + port as usize)
    }

    /// The slot of this name.
    pub fn slot(&self, name: &str) -> Option<&'static Slot> {
        self.slots.iter().find(|slot| slot.name == name)
    }

    /// The slot that repeats where a port leads.
    pub fn target_slot(&self, port: Port) -> Option<&'static Slot> {
        self.slots.iter().find(|slot| slot.kind == SlotKind::Target(port))
    }

    /// The first slot of a kind.
    pub fn slot_of(&self, kind: SlotKind) -> Option<&'static Slot> {
        self.slots.iter().find(|slot| slot.kind == kind)
    }

    /// The port whose edges into this op mean that it guards their source.
    pub fn guards(&self) -> Option<Port> {
        match self.runs {
            Runs::Guard(port) => Some(port),
            _ => None,
        }
    }

    /// Whether control goes on to a next node.
    pub fn goes_on(&self) -> bool {
        self.port(Port::Next).is_some()
    }

    /// Whether control has more than one way on.
    pub fn branches(&self) -> bool {
        self.ports.iter().any(|def| !def.port.is_failure() && def.port != Port::Next)
    }

    /// Whether it ends its label.
    pub fn returns(&self) -> bool {
        self.runs == Runs::Return
    }

    /// The three words of spec 1, by its table.
    pub fn effect(&self) -> Effect {
        match self.runs {
            Runs::Adapter | Runs::Call | Runs::Person | Runs::Store(Touches::Write, ..) => {
                Effect::Io
            }
            Runs::Guard(_) => Effect::Meta,
            Runs::Pure | Runs::Control | Runs::Return | Runs::Store(..) => Effect::Pure,
        }
    }

    /// The tier of spec 2 and its kinds; nothing for an adapter, whose contract says.
    pub fn tier(&self) -> Option<(Tier, Option<&'static str>)> {
        Some(match self.runs {
            Runs::Adapter => return None,
            Runs::Pure | Runs::Return => (Tier::Pure, None),
            Runs::Control | Runs::Guard(Port::Retry) => (Tier::Control, Some("control")),
            Runs::Guard(_) => (Tier::Meta, Some("meta")),
            Runs::Call => (Tier::IoWrite, Some("call")),
            Runs::Person => (Tier::IoWrite, Some("person")),
            Runs::Store(touches, kind, _) => (touches.tier(), Some(kind)),
        })
    }
}

/// The op of a node: a row of the table, or a word that is in none.
#[derive(Clone, Debug)]
pub enum NodeOp {
    /// A known op.
    Known(&'static OpDef),
    /// The text where an op should be; empty where there was none.
    Unknown(Text),
}

impl NodeOp {
    /// Looks a word up.
    pub fn new(name: &str) -> NodeOp {
        find(name).map_or_else(|| NodeOp::Unknown(name.into()), NodeOp::Known)
    }

    /// The row, if it is known.
    pub fn def(&self) -> Option<&'static OpDef> {
        match self {
            NodeOp::Known(op) => Some(op),
            NodeOp::Unknown(_) => None,
        }
    }

    /// The word.
    pub fn name(&self) -> &str {
        match self {
            NodeOp::Known(op) => op.name,
            NodeOp::Unknown(name) => name,
        }
    }
}

impl PartialEq for NodeOp {
    fn eq(&self, other: &NodeOp) -> bool {
        self.name() == other.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_agree_with_themselves() {
        for op in OPS {
            assert!(op.slots.len() <= crate::operand::SLOTS_MAX, "{} has too many slots", op.name);
            for slot in op.slots {
                let twice = op.slots.iter().filter(|other| other.name == slot.name).count();
                assert_eq!(twice, 1, "{} has slot {} twice", op.name, slot.name);
                if let SlotKind::Target(port) = slot.kind {
                    assert!(op.port(port).is_some(), "{}.{} names no port", op.name, slot.name);
                }
            }
            for written in op.writes {
                let Some((slot, word)) = written.when else { continue };
                let kind = op.slot(slot).expect("the slot exists").kind;
                assert!(matches!(kind, SlotKind::Word(words) if words.contains(&word)));
            }
            assert!(op.doc.ends_with('.'), "{} needs a sentence", op.name);
        }
    }

    #[test]
    fn spec_1_lists_seventeen_ops_with_these_effects() {
        let with = |effect: Effect| -> Vec<_> {
            let ops = OPS.iter().filter(|op| op.standard && op.effect() == effect);
            ops.map(|op| op.name).collect()
        };
        assert_eq!(OPS.iter().filter(|op| op.standard).count(), 17);
        assert_eq!(with(Effect::Io), ["R", "Call", "CacheSet", "QueuePut", "Tx"]);
        assert_eq!(with(Effect::Meta), ["Retry", "Err"]);
    }
}
