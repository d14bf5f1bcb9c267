//! **The field tables**: every type of node and edge, what it holds, and what it becomes.
//!
//! Reading, checking, references and `docs/ontology.md` follow from the rows; no other file
//! lists fields.

mod edges;
mod entities;
mod processes;

use diagnostics::{Code, codes};
use graph::Kind;

pub use edges::EDGES;
use entities::ENTITIES;
use processes::PROCESSES;

/// One member of an object.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// Whether the object makes no sense without it.
    pub required: bool,
    /// What it holds.
    pub holds: Holds,
    /// Whether only ontology 0.2 has it.
    pub later: bool,
    /// What it does, for the reference.
    pub doc: &'static str,
}

/// What a member holds.
#[derive(Debug)]
pub enum Holds {
    /// Text.
    Text,
    /// Python that runs in the step.
    Logic,
    /// True or false.
    Bool,
    /// A whole number that is at least this.
    Whole(i64),
    /// A whole number, or this word.
    WholeOr(&'static str),
    /// A number between two others.
    Number(f64, f64),
    /// Seconds, or text such as `5m`.
    Duration,
    /// One of the words; the second list is only of ontology 0.2.
    Word(&'static [&'static str], &'static [&'static str]),
    /// A list of texts.
    Texts,
    /// An object with any members.
    Object,
    /// Anything.
    Any,
    /// An object with these members.
    Record(&'static [Field]),
    /// A list of such objects, and how many there must be.
    Records(&'static [Field], usize),
    /// The name of a schema, and the rule it breaks where there is none.
    Schema(&'static Code),
    /// The id of a node.
    Node(Wanted),
    /// A list of ids.
    Nodes(Wanted),
    /// An agent, a file, or `self`.
    Template,
    /// Another spec, by its path.
    File,
    /// When something is over.
    Termination,
    /// The type of a schema's field.
    FieldType,
}

/// Which nodes a reference may name.
#[derive(Debug)]
pub struct Wanted {
    /// In words, with an article.
    pub what: &'static str,
    /// Whether a node of this type will do.
    pub fits: fn(NodeType) -> bool,
    /// The rule that a wrong name breaks.
    pub code: &'static Code,
}

/// A type of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words of the specification")]
pub enum NodeType {
    Agent,
    Store,
    Tool,
    Human,
    Config,
    Channel,
    Team,
    Conversation,
    WorldModel,
    Step,
    Gate,
    Checkpoint,
    Spawn,
    Protocol,
    Policy,
    ErrorHandler,
    SymbolicInference,
    FormalTranslation,
    Search,
}

impl NodeType {
    /// Whether it is a thing that exists, and not one that happens.
    pub fn is_entity(self) -> bool {
        self < NodeType::Step
    }

    /// Whether it is one of the processes that only ontology 0.2 has.
    pub fn is_later_process(self) -> bool {
        self >= NodeType::SymbolicInference
    }

    /// Whether control passes through it.
    pub fn is_passed(self) -> bool {
        !self.is_entity() && !matches!(self, NodeType::Policy | NodeType::ErrorHandler)
    }
}

/// A row for a type of node.
#[derive(Debug)]
pub struct NodeDef {
    /// Which.
    pub is: NodeType,
    /// The word in specs.
    pub word: &'static str,
    /// Whether only ontology 0.2 has it.
    pub later: bool,
    /// The kind of declaration it becomes.
    pub becomes: Kind,
    /// Its own fields, besides `id`, `type`, `label` and `description`.
    pub fields: &'static [Field],
    /// What it does, for the reference.
    pub doc: &'static str,
}

/// A type of edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the specification")]
pub enum EdgeType {
    Flow,
    Invoke,
    Loop,
    Branch,
    Read,
    Write,
    Publish,
    Subscribe,
    Handoff,
    Error,
    Modify,
    Observe,
    Verify,
}

/// A row for a type of edge.
#[derive(Debug)]
pub struct EdgeDef {
    /// Which.
    pub is: EdgeType,
    /// The word in specs.
    pub word: &'static str,
    /// Whether only ontology 0.2 has it.
    pub later: bool,
    /// What it may leave.
    pub from: Wanted,
    /// What it may lead to.
    pub to: Wanted,
    /// Its own fields, besides `type`, `from`, `to` and `label`.
    pub fields: &'static [Field],
    /// What it does, for the reference.
    pub doc: &'static str,
}

const fn need(name: &'static str, holds: Holds, doc: &'static str) -> Field {
    Field { name, required: true, holds, later: false, doc }
}

const fn may(name: &'static str, holds: Holds, doc: &'static str) -> Field {
    Field { name, required: false, holds, later: false, doc }
}

const fn later(name: &'static str, holds: Holds, doc: &'static str) -> Field {
    Field { name, required: false, holds, later: true, doc }
}

const fn word(words: &'static [&'static str]) -> Holds {
    Holds::Word(words, &[])
}

const SCHEMA: Holds = Holds::Schema(&codes::RULE_5);
const NUMBER: Holds = Holds::Whole(0);
const POSITIVE: Holds = Holds::Whole(1);

const ANY_NODE: Wanted = Wanted { what: "a node", fits: |_| true, code: &codes::UNKNOWN_REFERENCE };
const ANY_PROCESS: Wanted = Wanted {
    what: "a process that control can pass",
    fits: |is| is.is_passed(),
    code: &codes::UNKNOWN_REFERENCE,
};

const fn ends(what: &'static str, fits: fn(NodeType) -> bool, code: &'static Code) -> Wanted {
    Wanted { what, fits, code }
}

/// What every node has.
pub static COMMON: &[Field] = &[
    need("id", Holds::Text, "its name; unique among entities and processes"),
    need("type", Holds::Text, "which row below it is"),
    need("label", Holds::Text, "its name for people; pictures show it"),
    may("description", Holds::Text, "kept for people"),
];

/// What every edge has.
pub static COMMON_EDGE: &[Field] = &[
    need("type", Holds::Text, "which row below it is"),
    need("from", Holds::Text, "the node it leaves"),
    need("to", Holds::Text, "the node it leads to"),
    may("label", Holds::Text, "shown on its arrow"),
];

/// The members of a spec.
pub static TOP: &[Field] = &[
    need("name", Holds::Text, "member `name` of the document"),
    need("version", Holds::Text, "member `version` of the document"),
    may("description", Holds::Text, "kept for people"),
    may("entry_point", Holds::Text, "`runtime_policy.entry`: where a run begins"),
    need("entities", Holds::Any, "`declarations`, by kind"),
    need("processes", Holds::Any, "one label each; `declarations.processes`"),
    need("edges", Holds::Any, "nodes and edges of labels; else `declarations.links`"),
    may("schemas", Holds::Any, "`declarations.schemas`"),
    may("metadata", Holds::Object, "kept as it is"),
    may("state", Holds::Record(STATE), "inputs and reducers"),
    may("checkpointing", Holds::Record(CHECKPOINTING), "`runtime_policy.checkpointing`"),
    later("contracts", Holds::Record(CONTRACTS), "kept as it is"),
];

const STATE: &[Field] = &[
    may("schema", SCHEMA, "each field is an input"),
    may(
        "channels",
        Holds::Records(CHANNEL, 0),
        "`declarations.reducers`: how parallel writes merge",
    ),
    may("initial", Holds::Object, "inputs with a default"),
];

const CHANNEL: &[Field] = &[
    need("name", Holds::Text, "the name that is written"),
    need("type", Holds::FieldType, "its type"),
    may("reducer", word(&["append", "replace", "merge", "custom"]), "how two writes become one"),
];

const CHECKPOINTING: &[Field] = &[
    may("enabled", Holds::Bool, "kept; every run is durable"),
    may("strategy", word(&["every_step", "every_gate", "on_error", "manual"]), "kept"),
    may("storage", word(&["memory", "file", "database"]), "kept"),
    may("time_travel", Holds::Bool, "kept; every run can be forked"),
];

const CONTRACTS: &[Field] = &[
    may("invariants", Holds::Texts, "kept"),
    may("preconditions", Holds::Texts, "kept"),
    may("postconditions", Holds::Texts, "kept"),
    may("formalism", word(&["natural_language", "fol", "python", "smtlib", "custom"]), "kept"),
];

/// The members of a schema.
pub static SCHEMA_FIELDS: &[Field] = &[
    need("name", Holds::Text, "its name"),
    may("description", Holds::Text, "kept for people"),
    need("fields", Holds::Records(FIELD, 0), "its fields"),
    may("example", Holds::Any, "kept for people"),
];

const FIELD: &[Field] = &[
    need("name", Holds::Text, "the name in the state"),
    need("type", Holds::FieldType, "its type"),
    may("description", Holds::Text, "kept for people"),
    may("default", Holds::Any, "its value where nobody gives one"),
    may("optional", Holds::Bool, "whether an answer may lack it"),
];

const RETRY: &[Field] = &[
    may("max_retries", NUMBER, "how often it is tried again"),
    may("backoff", word(&["none", "linear", "exponential"]), "how the waits grow"),
    may("initial_delay_ms", NUMBER, "the first wait"),
    may("max_delay_ms", NUMBER, "the longest wait"),
    may("retryable_errors", Holds::Texts, "which errors are worth it"),
];

/// Every type of node.
pub fn nodes() -> impl Iterator<Item = &'static NodeDef> {
    ENTITIES.iter().chain(PROCESSES)
}

/// The row for a node's type.
pub fn node(word: &str) -> Option<&'static NodeDef> {
    nodes().find(|def| def.word == word)
}

/// The row for an edge's type.
pub fn edge(word: &str) -> Option<&'static EdgeDef> {
    EDGES.iter().find(|def| def.word == word)
}
