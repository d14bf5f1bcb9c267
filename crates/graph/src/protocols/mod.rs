//! **The table of store protocols**: what a store can be asked, by which provider, and which
//! `config` that provider takes.
//!
//! Choosing a protocol, checking a config, the engine's settings and `docs/stores.md` follow from
//! the rows. What a store then does is said in `runtime::stores`.

mod schema;
mod table;

pub use schema::{Misfit, misfits};
pub use table::PROTOCOLS;

use value::{Value, json};

/// How a store is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Texts, found by a text that is like them.
    Vector,
    /// Nodes and what joins them.
    Graph,
    /// Documents by id.
    Doc,
    /// What was remembered, newest first.
    Memory,
    /// Statements, found by patterns.
    Fact,
}

/// A row for a protocol and the provider that is built in.
#[derive(Debug)]
pub struct ProtocolDef {
    /// Which.
    pub is: Protocol,
    /// The word in specs.
    pub word: &'static str,
    /// The name of the provider.
    pub provider: &'static str,
    /// The JSON Schema of its `config`.
    pub config_schema: &'static str,
    /// What can be written, each with what it does.
    pub writes: &'static [(&'static str, &'static str)],
    /// What can be asked, each with what answers.
    pub reads: &'static [(&'static str, &'static str)],
    /// What it is for, for the reference.
    pub doc: &'static str,
}

impl ProtocolDef {
    /// The schema as a value.
    pub fn schema(&self) -> Value {
        json::parse(self.config_schema).expect("a test reads every schema of the table")
    }
}

impl Protocol {
    /// Its row.
    pub fn def(self) -> &'static ProtocolDef {
        PROTOCOLS.iter().find(|def| def.is == self).expect("every protocol has a row")
    }
}

/// The members that choose a protocol, in the `config` of a store or beside it.
const CHOOSING: [&str; 2] = ["provider", "protocol"];

/// The protocol of a declared store: the one that its provider has, else the one it names, else
/// the one that its `store_type` is by itself. None, where it is kept in one of the plain ways.
pub fn protocol(store: &Value) -> Option<Protocol> {
    let chosen = CHOOSING.iter().find_map(|member| {
        let word = named(store, member)?;
        PROTOCOLS.iter().find(|def| word_of(def, member) == word)
    });
    let by_type = || {
        let word = store.get("store_type")?.as_text()?;
        (**word == *"vector").then_some(Protocol::Vector)
    };
    chosen.map(|def| def.is).or_else(by_type)
}

/// Whether a store says itself which protocol or provider it wants, so that its config must fit.
pub fn chooses(store: &Value) -> bool {
    CHOOSING.iter().any(|member| place(store, member).is_some())
}

/// What a declared store may be used for, as capabilities: `db.NAME:read`, `db.NAME:write`.
pub fn capabilities(name: &str, store: &Value) -> Vec<String> {
    let access = store.get("access").and_then(Value::as_text).map_or("readwrite", |word| word);
    let all = [("read", access != "write"), ("write", access != "read")];
    let allowed = all.into_iter().filter(|(_, may)| *may);
    allowed.map(|(verb, _)| format!("db.{name}:{verb}")).collect()
}

fn word_of(def: &ProtocolDef, member: &str) -> &'static str {
    if member == "provider" { def.provider } else { def.word }
}

/// A choosing member: in the `config`, else in the declaration itself, as a `StoreSpec` has it.
fn place<'v>(store: &'v Value, member: &str) -> Option<&'v Value> {
    store.get("config").and_then(|config| config.get(member)).or_else(|| store.get(member))
}

fn named<'v>(store: &'v Value, member: &str) -> Option<&'v str> {
    place(store, member)?.as_text().map(|text| &**text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(text: &str) -> Value {
        json::parse(text).unwrap()
    }

    #[test]
    fn a_provider_a_protocol_or_a_type_chooses() {
        let chosen = |text: &str| protocol(&store(text));
        assert_eq!(chosen(r#"{"store_type": "vector"}"#), Some(Protocol::Vector));
        assert_eq!(chosen(r#"{"store_type": "kv"}"#), None);
        assert_eq!(chosen("{}"), None);
        let config = r#"{"store_type": "kv", "config": {"protocol": "doc"}}"#;
        assert_eq!(chosen(config), Some(Protocol::Doc));
        let config = r#"{"store_type": "vector", "config": {"provider": "quipu.memory"}}"#;
        assert_eq!(chosen(config), Some(Protocol::Memory));
        assert_eq!(chosen(r#"{"protocol": "fact", "provider": "?"}"#), Some(Protocol::Fact));
        assert_eq!(chosen(r#"{"store_type": "kv", "config": {"protocol": "no"}}"#), None);
    }

    #[test]
    fn capabilities_follow_from_access() {
        let of = |text: &str| capabilities("docs", &store(text)).join(" ");
        assert_eq!(of("{}"), "db.docs:read db.docs:write");
        assert_eq!(of(r#"{"access": "read"}"#), "db.docs:read");
        assert_eq!(of(r#"{"access": "write"}"#), "db.docs:write");
    }
}
