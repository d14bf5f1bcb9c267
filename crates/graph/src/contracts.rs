//! What adapter verbs do: plain data, so that effects are looked up and never guessed.

mod declared;
mod table;

use std::borrow::Cow;

use crate::effects::{Again, Tier, Touches};

pub use declared::{BadContract, declare, read};
use table::{COMPUTES, ROWS};

/// The verbs that agents are made of. Front-ends write them, analysis and pictures know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Calls a declared agent.
    InvokeAgent,
    /// Calls a declared tool, or one of several by its name.
    CallTool,
    /// Reads a declared store.
    ReadStore,
    /// Writes to a declared store.
    WriteStore,
    /// Takes the messages of a declared channel.
    Receive,
    /// Sends to a declared channel.
    Publish,
    /// Runs a block of Python on the frame.
    Logic,
    /// Does nothing.
    Noop,
    /// Fails, with a code for the error.
    Fail,
}

impl Verb {
    const ALL: [Verb; 9] = [
        Verb::InvokeAgent,
        Verb::CallTool,
        Verb::ReadStore,
        Verb::WriteStore,
        Verb::Receive,
        Verb::Publish,
        Verb::Logic,
        Verb::Noop,
        Verb::Fail,
    ];

    /// As the slot `adapter` writes it.
    pub fn word(self) -> &'static str {
        match self {
            Verb::InvokeAgent => "agent.INVOKE",
            Verb::CallTool => "tool.CALL",
            Verb::ReadStore => "store.READ",
            Verb::WriteStore => "store.WRITE",
            Verb::Receive => "channel.RECEIVE",
            Verb::Publish => "channel.PUBLISH",
            Verb::Logic => "logic.PYTHON",
            Verb::Noop => "core.NOOP",
            Verb::Fail => "core.FAIL",
        }
    }

    /// The one of `namespace.verb`, whatever the verb's case.
    pub fn find(namespace: &str, verb: &str) -> Option<Verb> {
        Verb::ALL.into_iter().find(|known| {
            let (space, word) = known.word().split_once('.').unwrap_or_default();
            space == namespace && word.eq_ignore_ascii_case(verb)
        })
    }
}

/// What is known of a verb.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// What it touches.
    pub touches: Touches,
    /// How it may run again.
    pub again: Again,
    /// The word of spec 2 for what it touches.
    pub kind: Cow<'static, str>,
    /// The kind of memory it works on.
    pub memory_type: Option<Cow<'static, str>>,
    /// How many of its first arguments are names: a bare word there is text, and no variable.
    pub names: u8,
    tier: Tier,
}

impl Contract {
    /// The tier of spec 2 that is printed for it.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Whether another one says nothing else, as far as its declaration says anything.
    pub(crate) fn agrees(&self, other: &Contract, declared: &value::Value) -> bool {
        let is_said = |member: &str| declared.get(member).is_some();
        (self.tier, &self.kind) == (other.tier, &other.kind)
            && (self.touches == other.touches || !is_said("touches"))
            && (self.again == other.again || !is_said("again"))
            && (self.memory_type == other.memory_type || !is_said("memory_type"))
            && (self.names == other.names || !is_said("names"))
    }
}

/// A verb that no contract names may do anything: it counts as a write that must not be repeated.
pub static UNKNOWN: Contract = contract(Touches::Write, Again::ByAsking, "http");

const fn contract(touches: Touches, again: Again, kind: &'static str) -> Contract {
    let (kind, tier) = (Cow::Borrowed(kind), touches.tier());
    Contract { touches, again, kind, memory_type: None, names: 0, tier }
}

struct Row {
    namespace: &'static str,
    /// In upper case; empty for every verb: those of the namespaces that front-ends write.
    verbs: &'static [&'static str],
    contract: Contract,
}

impl Row {
    fn has(&self, verb: &str) -> bool {
        self.verbs.is_empty() || self.verbs.iter().any(|known| known.eq_ignore_ascii_case(verb))
    }
}

/// Where the verbs are that the engine knows itself.
pub const CORE: &str = "core";

/// Whether `core` has a verb of this name that is no function of values: the clock, for example.
pub fn is_core_verb(verb: &str) -> bool {
    let computes = |row: &Row| row.contract.touches == Touches::Nothing;
    Verb::find(CORE, verb).is_some()
        || ROWS.iter().any(|row| row.namespace == CORE && !computes(row) && row.has(verb))
}

/// The contract of `namespace.verb`, whatever the verb's case. A known namespace with a verb that
/// nobody knows has none.
pub fn find(namespace: &str, verb: &str) -> Option<&'static Contract> {
    let own = ROWS.iter().find(|row| row.namespace == namespace && row.has(verb));
    own.map(|row| &row.contract).or_else(|| {
        let computes = namespace == CORE && functions::find(verb).is_some();
        computes.then_some(&COMPUTES)
    })
}

/// Whether the verbs of a namespace ask a model for a text.
pub fn asks_model(namespace: &str) -> bool {
    ["llm", "llm_query"].contains(&namespace)
}

/// How many of the first arguments of a verb are names, and not values.
pub fn names_of(namespace: &str, verb: &str) -> usize {
    find(namespace, verb).map_or(0, |contract| contract.names.into())
}

/// The verbs of a namespace, without the functions of `core`.
pub fn verbs_of(namespace: &str) -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter().filter(move |row| row.namespace == namespace);
    rows.flat_map(|row| row.verbs.iter().copied())
}

/// The namespaces that contracts name, each once.
pub fn namespaces() -> impl Iterator<Item = &'static str> {
    let first = |(at, row): &(usize, &Row)| {
        !ROWS[..*at].iter().any(|before| before.namespace == row.namespace)
    };
    ROWS.iter().enumerate().filter(first).map(|(_, row)| row.namespace)
}

/// The words for what verbs touch.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| &*row.contract.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_not_pure() {
        assert_eq!(find("core", "now").map(|found| found.touches), Some(Touches::Clock));
        assert_eq!(find("core", "ADD").map(|found| found.touches), Some(Touches::Nothing));
        assert_eq!(find("dbx", "F"), None);
    }

    #[test]
    fn a_known_namespace_does_not_make_a_verb_known() {
        for (namespace, verb) in [("http", "GTE"), ("core", "ZORK"), ("memory", ""), ("db", "X")] {
            assert_eq!(find(namespace, verb), None, "{namespace}.{verb}");
        }
        assert!(find("tool", "ANYTHING").is_some());
        assert!(find("memory", "export").is_some());
    }

    #[test]
    fn names_are_the_first_arguments_of_some() {
        for (namespace, verb, names) in [
            ("db", "F", 2),
            ("db", "p", 1),
            ("cache", "get", 1),
            ("queue", "Put", 1),
            ("core", "ADD", 0),
            ("http", "GET", 0),
            ("dbx", "F", 0),
        ] {
            assert_eq!(names_of(namespace, verb), names, "{namespace}.{verb}");
        }
    }

    /// The first row that fits counts, so that a verb in two of them would be a mistake.
    #[test]
    fn no_verb_is_there_twice() {
        let mut all: Vec<(&str, &str)> = ROWS
            .iter()
            .flat_map(|row| row.verbs.iter().map(|verb| (row.namespace, *verb)))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
