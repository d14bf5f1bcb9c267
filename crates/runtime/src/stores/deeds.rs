//! What adapter verbs do to caches, queues and memory: plain data, so that an op and the call of
//! an adapter that mean the same are the same.

use graph::protocols::Protocol;
use graph::{Again, Touches};

use super::{Settings, StoreKind};

/// What is done to a cache, a queue or a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Reads what a cache has behind a key.
    Get,
    /// Writes it.
    Set,
    /// Puts a value on a queue.
    Put,
    /// Takes the first value from a queue.
    Take,
    /// Counts what is on a queue.
    Count,
    /// Keeps a record, in the place of the one that was there.
    Remember,
    /// Adds to the list that a record is.
    Append,
    /// Reads a record.
    Recall,
    /// Reads all records.
    List,
    /// Takes a record away.
    Forget,
    /// Takes away the records whose time is over.
    Prune,
    /// Finds records by what they say.
    Search,
    /// Reads all records as one object.
    Load,
    /// Keeps a text by its id.
    Upsert,
    /// Finds texts that are like a text.
    Find,
    /// Finds texts that are like one of them.
    Similar,
}

impl Deed {
    /// What it touches, and how it may run again.
    pub(crate) fn contract(self) -> (Touches, Again) {
        match self {
            Deed::Get | Deed::Count | Deed::Recall | Deed::List | Deed::Search => {
                (Touches::Read, Again::Freely)
            }
            Deed::Load | Deed::Find | Deed::Similar => (Touches::Read, Again::Freely),
            Deed::Set | Deed::Put | Deed::Take | Deed::Remember | Deed::Append => {
                (Touches::Write, Again::WithKey)
            }
            Deed::Forget | Deed::Prune | Deed::Upsert => (Touches::Write, Again::WithKey),
        }
    }

    /// Whether it only looks.
    pub fn reads(self) -> bool {
        self.contract().0 == Touches::Read
    }
}

/// Which store a verb works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// The one that its first operand names.
    Named,
    /// Always this one, and only records of this kind, where there is one.
    Own(&'static str, Option<&'static str>),
}

/// What one verb does.
#[derive(Debug, PartialEq)]
pub(crate) struct DeedDef {
    /// As `cache.get`.
    pub(crate) word: &'static str,
    pub(crate) deed: Deed,
    /// What stands before the name of the store in its id.
    pub(crate) space: &'static str,
    pub(crate) at: Where,
    /// What it takes besides the name of the store, in this order.
    pub(crate) takes: &'static [&'static str],
    /// How many of these it cannot do without.
    pub(crate) needs: usize,
}

const fn named(
    word: &'static str,
    deed: Deed,
    space: &'static str,
    takes: &'static [&'static str],
    needs: usize,
) -> DeedDef {
    DeedDef { word, deed, space, at: Where::Named, takes, needs }
}

const fn own(
    word: &'static str,
    deed: Deed,
    (name, kind): (&'static str, Option<&'static str>),
    takes: &'static [&'static str],
    needs: usize,
) -> DeedDef {
    DeedDef { word, deed, space: "memory", at: Where::Own(name, kind), takes, needs }
}

/// What an agent has learned, whoever asks for it.
const GRAPH: (&str, Option<&str>) = ("graph", None);
const PATTERNS: (&str, Option<&str>) = ("graph", Some("pattern"));
const TRAITS: (&str, Option<&str>) = ("persona", Some("trait"));

const RECORD: [&str; 4] = ["kind", "id", "payload", "ttl_s"];
const ENTRY: [&str; 4] = ["kind", "id", "entry", "ttl_s"];
const PATTERN: [&str; 3] = ["id", "payload", "ttl_s"];
const TRAIT: [&str; 4] = ["id", "payload", "learned_from", "edge_type"];

static DEEDS: &[DeedDef] = &[
    named("cache.get", Deed::Get, "cache", &["key", "default"], 1),
    named("cache.set", Deed::Set, "cache", &["key", "value", "ttl_s"], 2),
    named("queue.put", Deed::Put, "queue", &["value"], 1),
    named("queue.get", Deed::Take, "queue", &[], 0),
    named("queue.pop", Deed::Take, "queue", &[], 0),
    named("queue.len", Deed::Count, "queue", &[], 0),
    named("memory.put", Deed::Remember, "memory", &RECORD, 3),
    named("memory.append", Deed::Append, "memory", &ENTRY, 3),
    named("memory.get", Deed::Recall, "memory", &["kind", "id"], 2),
    named("memory.list", Deed::List, "memory", &["kind", "prefix"], 0),
    named("memory.delete", Deed::Forget, "memory", &["kind", "id"], 2),
    named("memory.prune", Deed::Prune, "memory", &[], 0),
    own("memory.store", Deed::Remember, PATTERNS, &PATTERN, 2),
    own("memory.store_pattern", Deed::Remember, PATTERNS, &PATTERN, 2),
    own("memory.recall", Deed::Recall, PATTERNS, &["id"], 1),
    own("memory.pattern_recall", Deed::Recall, PATTERNS, &["id"], 1),
    own("memory.recall_pattern", Deed::Recall, PATTERNS, &["id"], 1),
    own("memory.search", Deed::Search, GRAPH, &["text", "limit"], 1),
    own("memory.export", Deed::List, GRAPH, &["kind"], 0),
    own("memory.export_graph", Deed::List, GRAPH, &["kind"], 0),
    own("persona.update", Deed::Remember, TRAITS, &TRAIT, 2),
    own("persona.get", Deed::Recall, TRAITS, &["id"], 1),
    own("persona.load", Deed::Load, TRAITS, &["prefix"], 0),
    named("vector_memory.upsert", Deed::Upsert, "vector", &["id", "text", "metadata"], 2),
    named("vector_memory.search", Deed::Find, "vector", &["text", "top_k"], 1),
    named("vector_memory.list_similar", Deed::Similar, "vector", &["id", "top_k"], 1),
];

/// Verbs that would run what comes out of a store.
static REFUSED: [&str; 3] = ["memory.execute", "memory.merge", "memory.patch"];

impl DeedDef {
    /// What a verb does, whatever its case.
    pub(crate) fn find(server: &str, verb: &str) -> Option<&'static DeedDef> {
        DEEDS.iter().find(|def| {
            let (space, word) = def.parts();
            space == server && word.eq_ignore_ascii_case(verb)
        })
    }

    /// The namespace and the verb.
    pub(crate) fn parts(&self) -> (&'static str, &'static str) {
        self.word.split_once('.').unwrap_or((self.word, ""))
    }

    /// Whose contents it works on.
    pub(crate) fn kind(&self) -> StoreKind {
        match self.space {
            "queue" => StoreKind::Queue,
            "vector" => StoreKind::Speaks(Protocol::Vector, Settings::default_of(Protocol::Vector)),
            _ => StoreKind::Records,
        }
    }

    /// How it is written: `memory.get NAME KIND ID`.
    pub(crate) fn usage(&self) -> String {
        let name = (self.at == Where::Named).then_some("NAME".to_string());
        let taken = self.takes.iter().enumerate().map(|(place, word)| {
            let word = word.to_uppercase();
            if place < self.needs { word } else { format!("[{word}]") }
        });
        let words = std::iter::once(self.word.to_string()).chain(name).chain(taken);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Whether a verb would run what comes out of a store.
pub(crate) fn would_run_what_is_stored(server: &str, verb: &str) -> bool {
    REFUSED.iter().any(|word| {
        let (space, own) = word.split_once('.').unwrap_or_default();
        space == server && own.eq_ignore_ascii_case(verb)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_verb_touches_is_what_its_contract_says() {
        for def in DEEDS {
            let (server, verb) = def.parts();
            let contract = graph::contracts::find(server, verb).expect(def.word);
            assert_eq!(def.deed.contract().0, contract.touches, "{}", def.word);
            assert!(def.needs <= def.takes.len(), "{}", def.word);
        }
    }

    #[test]
    fn verbs_are_found_in_any_case() {
        let found = |verb: &str| DeedDef::find("cache", verb).map(DeedDef::usage);
        assert_eq!(found("GET").as_deref(), Some("cache.get NAME KEY [DEFAULT]"));
        assert_eq!(found("get"), found("GET"));
        assert_eq!(found("flush"), None);
        assert!(would_run_what_is_stored("memory", "EXECUTE"));
        assert!(!would_run_what_is_stored("cache", "execute"));
    }
}
