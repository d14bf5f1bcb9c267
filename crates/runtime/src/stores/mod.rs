//! What stores and channels do, whoever keeps them: the core keeps those that live as long as the
//! run, the shell those that outlive it.

mod channel;
mod contents;
mod deeds;
mod doc;
mod entries;
mod fact;
mod links;
mod memory;
mod query;
mod records;
mod search;
mod settings;
mod vector;

pub use channel::Channel;
pub use contents::{Contents, FOUND_MAX, full, put, room};
pub use deeds::Deed;
pub(crate) use deeds::{DeedDef, Where, would_run_what_is_stored};
pub use entries::Edit;
pub use records::{cache_key, cached};
pub(crate) use records::{name_of, number};
pub use settings::Settings;

use graph::protocols::{self, Protocol};
use graph::{Again, Touches};
use value::{Text, Value};

/// A store, and what is done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreUse {
    /// Which store.
    pub id: Text,
    /// What kind of store it is.
    pub kind: StoreKind,
    /// What is done.
    pub verb: StoreVerb,
}

/// What can be done to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreVerb {
    /// Reads what it holds, all of it or under a key. From a queue the first item is taken.
    Read,
    /// Reads everything, also of a queue: nothing is taken.
    ReadAll,
    /// Writes.
    Write,
    /// What an adapter verb does to a cache, a queue or a memory.
    Does(Deed),
}

impl StoreVerb {
    /// In events, and where calls are counted.
    pub(crate) fn word(self) -> &'static str {
        match self {
            StoreVerb::Read | StoreVerb::ReadAll => "read",
            StoreVerb::Write => "write",
            StoreVerb::Does(deed) if deed.reads() => "read",
            StoreVerb::Does(_) => "write",
        }
    }
}

impl StoreUse {
    /// What it touches, and how it may run again.
    pub(crate) fn contract(&self) -> (Touches, Again) {
        match (self.verb, self.kind) {
            (StoreVerb::Does(deed), _) => deed.contract(),
            (StoreVerb::Write, _) | (StoreVerb::Read, StoreKind::Queue) => {
                (Touches::Write, Again::WithKey)
            }
            (StoreVerb::Read | StoreVerb::ReadAll, _) => (Touches::Read, Again::Freely),
        }
    }
}

/// The kinds of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreKind {
    /// Values by key.
    Kv,
    /// The same, shared by several agents.
    Blackboard,
    /// First in, first out: reading takes.
    Queue,
    /// Lines, one after the other.
    File,
    /// Rows.
    Relational,
    /// Items that are searched for by their words.
    Items,
    /// Values by key, each with the time until which it is there: caches and memory.
    Records,
    /// Whatever a protocol keeps, with how its provider is set.
    Speaks(Protocol, Settings),
}

impl StoreKind {
    /// The kind that a store is declared as.
    pub fn declared(store: &Value) -> StoreKind {
        if let Some(protocol) = protocols::protocol(store) {
            return StoreKind::Speaks(protocol, Settings::of(protocol, store));
        }
        StoreKind::of(store.get("store_type").and_then(Value::as_text).map_or("kv", |word| word))
    }

    /// Whether what the one holds can be held by the other, however each is set.
    pub(crate) fn holds_like(self, other: StoreKind) -> bool {
        match (self, other) {
            (StoreKind::Speaks(own, _), StoreKind::Speaks(other, _)) => own == other,
            (own, other) => own == other,
        }
    }

    /// The kind that a spec's `store_type` names, where nothing else is said of the store.
    pub fn of(store_type: &str) -> StoreKind {
        match store_type {
            "vector" => StoreKind::Speaks(Protocol::Vector, Settings::default_of(Protocol::Vector)),
            "kv" => StoreKind::Kv,
            "blackboard" => StoreKind::Blackboard,
            "queue" => StoreKind::Queue,
            "file" => StoreKind::File,
            "relational" => StoreKind::Relational,
            _ => StoreKind::Items,
        }
    }
}
