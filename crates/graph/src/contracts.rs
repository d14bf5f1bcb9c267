//! What adapter verbs do: plain data, so that effects are looked up and never guessed.

use crate::effects::Again::{self, ByAsking, Freely, WithKey};
use crate::effects::Tier;
use crate::effects::Touches::{self, Clock, Model, Nothing, Random, Read, Write};

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contract {
    /// What it touches.
    pub touches: Touches,
    /// How it may run again.
    pub again: Again,
    /// The word of spec 2 for what it touches.
    pub kind: &'static str,
    /// The kind of memory it works on.
    pub memory_type: Option<&'static str>,
}

impl Contract {
    /// The tier of spec 2 that is printed for it.
    pub fn tier(&self) -> Tier {
        if self.kind == "control" { Tier::Control } else { self.touches.tier() }
    }
}

/// A verb that no contract names may do anything: it counts as a write that must not be repeated.
pub const UNKNOWN: Contract = contract(Write, ByAsking, "http");

const fn contract(touches: Touches, again: Again, kind: &'static str) -> Contract {
    Contract { touches, again, kind, memory_type: None }
}

const fn memory(touches: Touches, again: Again, kind: &'static str, of: &'static str) -> Contract {
    Contract { touches, again, kind, memory_type: Some(of) }
}

struct Row {
    namespace: &'static str,
    /// In upper case; empty for every verb that no earlier row names.
    verbs: &'static [&'static str],
    contract: Contract,
}

const fn row(namespace: &'static str, verbs: &'static [&'static str], contract: Contract) -> Row {
    Row { namespace, verbs, contract }
}

/// The first row that fits counts.
static ROWS: &[Row] = &[
    row("core", &["NOW", "ISO", "ISO_TS"], contract(Clock, Freely, "compute")),
    row("core", &["UUID"], contract(Random, Freely, "compute")),
    row("core", &["ENV"], contract(Read, Freely, "memory_read")),
    row("core", &["SLEEP"], contract(Clock, Freely, "control")),
    row("core", &[], contract(Nothing, Freely, "compute")),
    row("http", &["GET", "HEAD", "OPTIONS"], contract(Read, Freely, "http")),
    row("http", &["PUT", "DELETE"], contract(Write, WithKey, "http")),
    row("http", &[], contract(Write, ByAsking, "http")),
    row("web", &["FETCH", "GET", "SEARCH"], contract(Read, Freely, "http")),
    row("agent", &[], contract(Model, Freely, "model")),
    row("tool", &[], contract(Write, ByAsking, "tool")),
    row("store", &["READ"], contract(Read, Freely, "memory_read")),
    row("store", &[], contract(Write, WithKey, "memory_write")),
    row("channel", &["RECEIVE"], contract(Read, Freely, "queue")),
    row("channel", &[], contract(Write, WithKey, "queue")),
    row("logic", &[], contract(Nothing, Freely, "compute")),
    row("llm", &[], contract(Model, Freely, "http")),
    row("llm_query", &[], contract(Model, Freely, "http")),
    row("db", &["F", "G"], contract(Read, Freely, "db_read")),
    row("db", &[], contract(Write, ByAsking, "db_write")),
    row("sqlite", &["QUERY"], contract(Read, Freely, "sqlite")),
    row("sqlite", &[], contract(Write, ByAsking, "sqlite")),
    row("postgres", &["QUERY"], contract(Read, Freely, "db_read")),
    row("postgres", &[], contract(Write, ByAsking, "db_write")),
    row("mysql", &["QUERY"], contract(Read, Freely, "db_read")),
    row("mysql", &[], contract(Write, ByAsking, "db_write")),
    row("fs", &["READ", "LIST"], contract(Read, Freely, "fs")),
    row("fs", &["WRITE", "DELETE"], contract(Write, Freely, "fs")),
    row("cache", &["GET"], contract(Read, Freely, "cache_read")),
    row("cache", &["SET"], contract(Write, Freely, "cache_write")),
    row("queue", &["PUT"], contract(Write, WithKey, "queue")),
    row("txn", &[], contract(Write, ByAsking, "txn")),
    row("tools", &["CALL"], contract(Write, ByAsking, "tool")),
    row("ext", &["ECHO", "G"], contract(Read, Freely, "http")),
    row(
        "memory",
        &["RECALL", "EXPORT", "EXPORT_GRAPH"],
        memory(Read, Freely, "memory_read", "episode"),
    ),
    row("memory", &["SEARCH"], memory(Read, Freely, "memory_read", "semantic")),
    row("memory", &["PATTERN_RECALL"], memory(Read, Freely, "memory_read", "procedural")),
    row(
        "memory",
        &["STORE", "STORE_PATTERN"],
        memory(Write, WithKey, "memory_write", "procedural"),
    ),
    row("memory", &["GET", "LIST", "RECALL_PATTERN"], contract(Read, Freely, "memory_read")),
    row("memory", &["EXECUTE", "MERGE"], contract(Read, Freely, "memory_read")),
    row("memory", &[], contract(Write, WithKey, "memory_write")),
    row("persona", &["LOAD", "GET"], memory(Read, Freely, "memory_read", "persona")),
    row("persona", &["UPDATE"], memory(Write, WithKey, "memory_write", "persona")),
    row("vector_memory", &["SEARCH", "LIST_SIMILAR"], contract(Read, Freely, "memory_read")),
    row("vector_memory", &["UPSERT"], contract(Write, Freely, "memory_write")),
];

/// Where the verbs are that the engine knows itself.
pub const CORE: &str = "core";

/// Whether `core` has a verb of this name that is no function of values: the clock, for example.
pub fn is_core_verb(verb: &str) -> bool {
    let mut rows = ROWS.iter().filter(|row| row.namespace == CORE);
    Verb::find(CORE, verb).is_some()
        || rows.any(|row| row.verbs.iter().any(|known| known.eq_ignore_ascii_case(verb)))
}

/// The contract of `namespace.verb`, whatever the verb's case.
pub fn find(namespace: &str, verb: &str) -> Option<&'static Contract> {
    let fits = |row: &&Row| {
        row.namespace == namespace
            && (row.verbs.is_empty()
                || row.verbs.iter().any(|known| known.eq_ignore_ascii_case(verb)))
    };
    ROWS.iter().find(fits).map(|row| &row.contract)
}

/// How many of a verb's first arguments are names of things, and never variables.
pub fn names_of(namespace: &str, _verb: &str) -> usize {
    usize::from(matches!(namespace, "db" | "cache" | "queue"))
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
    ROWS.iter().map(|row| row.contract.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_not_pure() {
        assert_eq!(find("core", "now").map(|found| found.touches), Some(Clock));
        assert_eq!(find("core", "ADD").map(|found| found.touches), Some(Nothing));
        assert_eq!(find("dbx", "F"), None);
    }
}
