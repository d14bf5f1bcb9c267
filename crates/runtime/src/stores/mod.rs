//! What stores and channels do, whoever keeps them: the core keeps those that live as long as the
//! run, the shell those that outlive it.

mod channel;
mod contents;

pub use channel::Channel;
pub use contents::{Contents, FOUND_MAX};

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
    /// Items that are searched for.
    Items,
}

impl StoreKind {
    /// The kind that a spec's `store_type` names.
    pub fn of(store_type: &str) -> StoreKind {
        match store_type {
            "kv" => StoreKind::Kv,
            "blackboard" => StoreKind::Blackboard,
            "queue" => StoreKind::Queue,
            "file" => StoreKind::File,
            "relational" => StoreKind::Relational,
            _ => StoreKind::Items,
        }
    }
}
