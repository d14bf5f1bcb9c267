//! Every code there is. A code is never reused for something else.
//!
//! Each has a page in `docs/codes`, and the page's example is a test.

use crate::Severity::{self, Error, Warning};

/// A kind of finding.
#[derive(Debug, PartialEq)]
pub struct Code {
    /// What users see and search for.
    pub id: &'static str,
    /// Its severity where nothing else says otherwise.
    pub severity: Severity,
    /// The class of rule it breaks, as scripts see it.
    pub rule: Option<Rule>,
    /// Whether `--strict` makes an error of the warning.
    pub strict: bool,
    /// The page that explains it.
    pub page: &'static str,
}

/// What kind of rule a finding is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// A numbered rule of the Agent Ontology, section 8.
    Numbered(u8),
    /// Something that must be there is not.
    Required,
    /// An unknown type, or a value of the wrong kind.
    Type,
    /// Not one of the words that are allowed.
    Enum,
    /// Outside of what is allowed.
    Range,
    /// An id that is used twice.
    UniqueId,
    /// A name that resolves to nothing.
    Reference,
    /// An edge between things it must not join.
    Endpoint,
}

impl Rule {
    /// The word scripts see, where the rule has no number.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Rule::Numbered(_) => None,
            Rule::Required => Some("required"),
            Rule::Type => Some("type"),
            Rule::Enum => Some("enum"),
            Rule::Range => Some("range"),
            Rule::UniqueId => Some("unique-id"),
            Rule::Reference => Some("reference"),
            Rule::Endpoint => Some("endpoint"),
        }
    }
}

impl Code {
    /// The first line of its page, without the code.
    pub fn title(&self) -> &'static str {
        let line = self.page.lines().next().unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, title)| title)
    }
}

/// The code with this id, in any case of letters.
pub fn find(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id))
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $severity:ident, $rule:expr;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Code = Code {
                id: $id,
                severity: $severity,
                rule: $rule,
                // Only findings of the second phase are warnings here.
                strict: matches!($severity, Warning),
                page: include_str!(concat!("../../../docs/codes/", $id, ".md")),
            };
        )*
        /// All of them, in order of their ids.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    // T: the text itself, before it means anything.
    /// Bytes that are no UTF-8.
    NOT_UTF8 = "T001", Error, None;
    /// Text that is no JSON.
    NOT_JSON = "T002", Error, None;
    /// A member given twice.
    DUPLICATE_MEMBER = "T003", Error, None;
    /// Lists or objects nested beyond the limit.
    TOO_DEEP = "T004", Error, None;
    /// A number that cannot be kept exactly.
    INEXACT_NUMBER = "T005", Error, Some(Rule::Range);
    /// A format that cannot be read yet.
    UNKNOWN_FORMAT = "T006", Error, None;

    // G1: the shape of a graph document.
    /// A value of the wrong kind.
    WRONG_KIND = "G101", Error, Some(Rule::Type);
    /// A member that must be there is not.
    MISSING_MEMBER = "G102", Error, Some(Rule::Required);
    /// Not one of the allowed words.
    NOT_ALLOWED = "G103", Error, Some(Rule::Enum);
    /// An id used twice in one label.
    DUPLICATE_ID = "G104", Error, Some(Rule::UniqueId);
    /// A version of the schema that is not understood.
    UNSUPPORTED_VERSION = "G105", Error, Some(Rule::Range);

    // G2: phase 1.
    /// `data.op` is not `op`.
    OP_DISAGREES = "G201", Error, None;
    /// Several successors, and no `next` among them.
    NO_NEXT = "G202", Error, None;

    // G3: names that must resolve.
    /// An op that is in no table.
    UNKNOWN_OP = "G301", Error, Some(Rule::Type);
    /// A node that does not exist.
    UNKNOWN_NODE = "G302", Error, Some(Rule::Reference);
    /// A label that does not exist.
    UNKNOWN_LABEL = "G303", Error, Some(Rule::Reference);
    /// A label without nodes.
    EMPTY_LABEL = "G304", Error, None;
    /// An edge from a node to itself.
    SELF_LOOP = "G305", Error, None;

    // G4: phase 2.
    /// Ids that are not `n1..nk`.
    IDS_NOT_CONTIGUOUS = "G401", Warning, None;
    /// A port the op does not have.
    ILLEGAL_PORT = "G402", Warning, Some(Rule::Enum);
    /// A port used more often than it can be followed.
    REPEATED_PORT = "G403", Warning, None;
    /// A port that the op needs is not there.
    MISSING_PORT = "G404", Warning, Some(Rule::Required);
    /// `exits` that are not the label's returns.
    WRONG_EXITS = "G405", Warning, None;
    /// `Err @nX` or `Retry @nX` without an edge from `nX`.
    WRONG_TARGETING = "G406", Warning, None;
    /// A node no path reaches.
    UNREACHABLE = "G407", Warning, None;
    /// A slot the op needs is not filled.
    MISSING_SLOT = "G408", Warning, Some(Rule::Required);
    /// A slot that holds what it cannot.
    WRONG_SLOT = "G409", Warning, Some(Rule::Type);
    /// An `effect` that is not the op's.
    WRONG_EFFECT = "G410", Warning, None;
    /// `data` and `operands` that say different things.
    OPERANDS_DISAGREE = "G411", Warning, None;
    /// A condition that cannot be read.
    BAD_CONDITION = "G412", Warning, None;
    /// A port that leads to a label, but names a node, or the other way round.
    WRONG_TARGET_KIND = "G413", Warning, Some(Rule::Endpoint);
    /// An `Err` or `Retry` that protects nothing.
    PROTECTS_NOTHING = "G414", Warning, None;
    /// A label that had only `legacy.steps`.
    LEGACY_STEPS = "G415", Warning, None;
}
