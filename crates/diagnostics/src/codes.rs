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
    /// Whether it is about a text that becomes a graph, and so cannot be found in the graph.
    pub of_source: bool,
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
    /// Whether a finding of this kind leaves it open what the author meant, so that what follows
    /// from the text cannot be trusted.
    pub fn obscures(&self) -> bool {
        let is_local = match self.rule {
            Some(Rule::Enum | Rule::Range) => true,
            // Where a run begins, where a loop leads, and what data looks like.
            Some(Rule::Numbered(number)) => !matches!(number, 1 | 2 | 4 | 5),
            _ => false,
        };
        self.severity == Severity::Error && !is_local
    }

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
    (@strict Error) => { false };
    (@strict Warning) => { true };
    // What a specification calls a warning stays one.
    (@strict Warning stays) => { false };
    ($($(#[$doc:meta])* $name:ident = $id:literal, $severity:ident $($stays:ident)?, $rule:expr;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Code = Code {
                id: $id,
                severity: $severity,
                rule: $rule,
                strict: codes!(@strict $severity $($stays)?),
                of_source: matches!($id.as_bytes(), [b'N' | b'O' | b'R', ..]),
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
    /// Text that is no YAML.
    NOT_YAML = "T007", Error, None;
    /// An alias or a merge of something that is not there, or not a map.
    UNRESOLVED_ALIAS = "T008", Error, Some(Rule::Reference);
    /// More text, or more values, than is read.
    TOO_LARGE = "T009", Error, Some(Rule::Range);
    /// YAML that JSON has no counterpart of.
    BEYOND_JSON = "T010", Error, Some(Rule::Type);

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
    /// A `Fork` whose `next` does not lead to a `Join`.
    FORK_WITHOUT_JOIN = "G416", Warning, Some(Rule::Endpoint);
    /// A reducer that nobody can apply.
    NO_SUCH_REDUCER = "G417", Warning, Some(Rule::Enum);
    /// An op that is in no table, in a document that wants such ops to be skipped.
    UNKNOWN_OP_SKIPPED = "G418", Warning, Some(Rule::Type);
    /// A function that there is not.
    UNKNOWN_FUNCTION = "G419", Warning, Some(Rule::Reference);
    /// A function with more or fewer arguments than it takes.
    WRONG_ARITY_OF_FUNCTION = "G420", Warning, Some(Rule::Range);
    /// A verb that no contract names.
    UNKNOWN_VERB = "G421", Warning, Some(Rule::Reference);
    /// A contract that says nothing.
    BAD_CONTRACT = "G422", Error, Some(Rule::Enum);
    /// A contract of a verb that has one.
    CONTRACT_OF_BUILT_IN = "G423", Warning, None;
    /// A store whose provider does not take its config.
    STORE_CONFIG = "G501", Error, Some(Rule::Type);

    // N1: lines and words of AINL.
    /// A text without its closing quote.
    OPEN_QUOTE = "N101", Error, None;
    /// A line whose first word is no op.
    UNKNOWN_LINE = "N102", Warning, Some(Rule::Type);
    /// A line with too few words.
    TOO_FEW_WORDS = "N103", Warning, Some(Rule::Required);
    /// Words that the op does not take.
    SURPLUS_WORDS = "N104", Warning, None;
    /// A step that stands in no label.
    OUTSIDE_OF_LABELS = "N105", Warning, None;
    /// A declaration in the middle of a label.
    LABEL_CLOSED = "N106", Warning, None;
    /// A label that is declared twice.
    LABEL_TWICE = "N107", Warning, Some(Rule::UniqueId);
    /// An output that is read as a label.
    SWALLOWED_OUTPUT = "N108", Error, None;
    /// An output where none is read.
    MISPLACED_OUTPUT = "N109", Warning, None;
    /// A bare word that is no variable.
    BARE_WORD = "N110", Warning, Some(Rule::Reference);
    /// `$` and something that is no name.
    ODD_VARIABLE = "N111", Warning, Some(Rule::Type);
    /// JSON that is not in quotes.
    INLINE_JSON = "N112", Warning, Some(Rule::Type);

    // N2: what AINL declares.
    /// A line of a module that there is not.
    UNKNOWN_MODULE = "N201", Warning, Some(Rule::Reference);
    /// A line of a module that has no such op.
    UNKNOWN_MODULE_OP = "N202", Warning, Some(Rule::Reference);
    /// A target that nothing is emitted for.
    UNKNOWN_TARGET = "N203", Warning, Some(Rule::Enum);
    /// An endpoint that does not say by an arrow which label it runs.
    ENDPOINT_TARGET = "N204", Warning, Some(Rule::Type);
    /// A declaration that replaces another one.
    DECLARED_AGAIN = "N205", Warning, Some(Rule::UniqueId);
    /// A word that should be a name with a value or a type.
    NO_PAIR = "N206", Warning, Some(Rule::Type);
    /// A declaration about something that is not declared.
    UNDECLARED = "N207", Warning, Some(Rule::Reference);
    /// A line that looks as if it did something, and is only noted down.
    ONLY_RECORDED = "N208", Warning, None;

    // N25: the compact syntax of AINL.
    /// A line that is no statement.
    UNKNOWN_STATEMENT = "N251", Warning, Some(Rule::Type);
    /// A line that belongs to no block.
    WRONG_INDENTATION = "N252", Error, None;
    /// A block without statements.
    EMPTY_BLOCK = "N253", Warning, Some(Rule::Required);
    /// A header that says something unknown.
    ODD_HEADER = "N254", Warning, Some(Rule::Type);
    /// A condition that cannot be read.
    ODD_CONDITION = "N255", Error, Some(Rule::Type);
    /// A value that cannot be read.
    ODD_VALUE = "N256", Error, Some(Rule::Type);
    /// Something other than a name where a name must stand.
    NO_NAME = "N257", Error, Some(Rule::Type);
    /// An `else` without an `if`.
    STRAY_ELSE = "N258", Error, None;

    // N4: files that AINL includes.
    /// An include behind something else.
    LATE_INCLUDE = "N401", Warning, None;
    /// A file that could not be included.
    NOT_INCLUDED = "N402", Error, Some(Rule::Reference);
    /// An included file that is not made to be included.
    INCLUDE_CONTRACT = "N403", Warning, None;

    // O1: the shape of an Agent Ontology spec.
    /// A value of the wrong kind.
    SPEC_WRONG_KIND = "O101", Error, Some(Rule::Type);
    /// A type of node or edge that there is not.
    UNKNOWN_TYPE = "O102", Error, Some(Rule::Type);
    /// A field that must be there is not.
    MISSING_FIELD = "O103", Error, Some(Rule::Required);
    /// Not one of the allowed words.
    SPEC_NOT_ALLOWED = "O104", Error, Some(Rule::Enum);
    /// A number, a duration or a list that is too small or too large.
    OUT_OF_RANGE = "O105", Error, Some(Rule::Range);
    /// An id or a schema name used twice.
    SPEC_DUPLICATE_ID = "O106", Error, Some(Rule::UniqueId);
    /// A name that resolves to nothing.
    UNKNOWN_REFERENCE = "O107", Error, Some(Rule::Reference);
    /// An edge between nodes that it cannot join.
    WRONG_ENDS = "O108", Error, Some(Rule::Endpoint);
    /// A key that nobody reads.
    UNKNOWN_KEY = "O109", Warning stays, None;
    /// A sub-spec that cannot be had.
    BAD_SUB_SPEC = "O110", Error, Some(Rule::Reference);
    /// A field that a schema has twice.
    DUPLICATE_FIELD = "O111", Warning stays, None;
    /// An edge between nodes that it is not meant for, though nothing forbids it.
    ODD_ENDS = "O112", Warning stays, Some(Rule::Endpoint);

    // O2: the rules of section 8, by their numbers.
    /// No agent.
    RULE_1 = "O201", Error, Some(Rule::Numbered(1));
    /// Where a run begins cannot be told.
    RULE_2 = "O202", Error, Some(Rule::Numbered(2));
    /// A gate with fewer than two branches.
    RULE_3 = "O203", Error, Some(Rule::Numbered(3));
    /// A loop that does not lead back.
    RULE_4 = "O204", Error, Some(Rule::Numbered(4));
    /// A schema that is not defined.
    RULE_5 = "O205", Error, Some(Rule::Numbered(5));
    /// A spawn template that is none.
    RULE_6 = "O206", Error, Some(Rule::Numbered(6));
    /// A participant of a protocol that is no entity.
    RULE_7 = "O207", Error, Some(Rule::Numbered(7));
    /// A handler that covers something that is no process.
    RULE_8 = "O208", Error, Some(Rule::Numbered(8));
    /// A handler that leads to something that is no process.
    RULE_9 = "O209", Error, Some(Rule::Numbered(9));
    /// A member of a team that is no agent.
    RULE_10 = "O210", Error, Some(Rule::Numbered(10));
    /// A channel whose schema is not defined.
    RULE_11 = "O211", Error, Some(Rule::Numbered(11));
    /// A handoff that does not join two agents.
    RULE_12 = "O212", Error, Some(Rule::Numbered(12));
    /// A publish edge that does not lead from an agent or a step to a channel.
    RULE_13 = "O213", Error, Some(Rule::Numbered(13));
    /// A subscribe edge that does not lead from a channel to an agent or a step.
    RULE_14 = "O214", Error, Some(Rule::Numbered(14));
    /// A termination condition with an unknown operator.
    RULE_15 = "O215", Error, Some(Rule::Numbered(15));
    /// `not` with other than one condition.
    RULE_16 = "O216", Error, Some(Rule::Numbered(16));
    /// A call that returns to nowhere.
    RULE_17 = "O217", Warning stays, Some(Rule::Numbered(17));
    /// A node without edges.
    RULE_18 = "O218", Warning stays, Some(Rule::Numbered(18));
    /// A tool of an agent that is no tool.
    RULE_19 = "O219", Warning stays, Some(Rule::Numbered(19));
    /// A recursive spawn without a depth.
    RULE_20 = "O220", Warning stays, Some(Rule::Numbered(20));
    /// An error edge that no handler covers.
    RULE_21 = "O221", Warning stays, Some(Rule::Numbered(21));
    /// Retries that do not say for which errors.
    RULE_22 = "O222", Warning stays, Some(Rule::Numbered(22));
    /// A manager who is no member.
    RULE_23 = "O223", Warning stays, Some(Rule::Numbered(23));
    /// A participant of a conversation that is no entity.
    RULE_24 = "O224", Warning stays, Some(Rule::Numbered(24));

    // O3: which text of a gate or a loop decides.
    /// A gate whose branches are told apart by guessing.
    GUESSED_BRANCH = "O301", Warning, None;
    /// A gate that nothing can decide.
    UNDECIDED_GATE = "O302", Warning, None;
    /// A branch written twice, with different conditions.
    TEXTS_DIFFER = "O303", Warning, None;
    /// A condition about a name that nothing before it writes.
    UNWRITTEN_NAME = "O304", Warning, None;
    /// A loop whose condition is words for people.
    WORDS_FOR_PEOPLE = "O305", Warning, None;
    /// A flow or loop edge of a gate that none of its branches follows.
    IGNORED_EDGE = "O306", Warning, None;

    // O4: Python in `logic`.
    /// It is not Python.
    NOT_PYTHON = "O401", Error, None;
    /// Something that the interpreter does not have.
    UNSUPPORTED_PYTHON = "O402", Warning, None;

    // H1: what an event says.
    /// A line that is no event.
    NOT_AN_EVENT = "H101", Error, Some(Rule::Required);
    /// An event with the id of another one.
    WRONG_ID = "H102", Error, None;
    /// A member that an event must have, and has not.
    MISSING_EVENT_MEMBER = "H103", Warning, Some(Rule::Required);
    /// A value of the wrong kind.
    WRONG_EVENT_VALUE = "H104", Warning, Some(Rule::Type);
    /// A word that is not in its enumeration.
    UNKNOWN_WORD = "H105", Warning, Some(Rule::Enum);
    /// A kind of event that is not in the table.
    UNKNOWN_KIND = "H106", Warning, None;
    /// A member that the kind does not have.
    UNKNOWN_EVENT_MEMBER = "H107", Warning, None;
    /// A time that is not written in UTC.
    ODD_TIME = "H108", Warning, None;
    /// A member that is `null` instead of missing.
    NULL_MEMBER = "H109", Warning, None;

    // H2: where an event stands.
    /// A link that does not follow from what is before it.
    BROKEN_LINK = "H201", Error, None;
    /// A number that does not follow the one before it.
    GAP = "H202", Error, None;
    /// Another event stands there already.
    DIVERGES = "H203", Error, None;
    /// A fork of something that is not there.
    NO_ORIGIN = "H204", Error, Some(Rule::Reference);
    /// A fork of something that is not there, kept as a run of its own.
    ORIGIN_UNKNOWN = "H205", Warning, Some(Rule::Reference);
    /// An event in a stream that is not its own.
    WRONG_STREAM = "H206", Error, None;
    /// An event that stands in the file twice.
    REPEATED_EVENT = "H207", Warning, Some(Rule::UniqueId);
    /// Bytes with another hash than they are said to have.
    BLOB_MISMATCH = "H208", Error, None;
    /// A value that is neither in the file nor in the store.
    MISSING_BLOB = "H209", Error, Some(Rule::Reference);
    /// A move of a name that does not follow.
    BROKEN_NAME = "H210", Error, None;
    /// Events that follow each other in another way than in the store.
    ORDER_DIFFERS = "H211", Warning, None;

    // H3: what events say together.
    /// A result of a call that nobody made.
    RESULT_WITHOUT_CALL = "H301", Warning, None;
    /// A second result of one call.
    SECOND_RESULT = "H302", Warning, None;
    /// An effect that leaves before it was decided about.
    EFFECT_UNDECIDED = "H303", Warning, None;
    /// An effect that leaves although it was not allowed.
    EFFECT_DENIED = "H304", Warning, None;
    /// An effect by a decision that was used before.
    DECISION_USED = "H305", Warning, None;
    /// An effect by a decision under a policy that is not in force.
    DECISION_OUTDATED = "H306", Warning, None;
    /// A restore of what cannot be restored.
    RESTORE_UNSUPPORTED = "H307", Warning, None;
    /// A plan for resources that cannot be followed.
    BROKEN_PLAN = "H308", Warning, None;
    /// A resource that another branch keeps.
    HELD_ELSEWHERE = "H309", Warning, None;
    /// A policy in force that nobody proposed.
    POLICY_NOT_PROPOSED = "H310", Warning, None;
    /// A policy in force whose tests failed.
    POLICY_TESTS_FAILED = "H311", Warning, None;
    /// A response to a request that nobody made.
    RESPONSE_WITHOUT_REQUEST = "H312", Warning, None;
    /// A second response to one attempt.
    SECOND_RESPONSE = "H313", Warning, None;
    /// An event that is replaced by an earlier one.
    SUBSTITUTION_BACKWARDS = "H314", Warning, None;
    /// A time that cannot be right.
    CLOCK_SUSPECT = "H315", Warning, None;
    /// Two calls with one id.
    CALL_ID_REUSED = "H316", Warning, None;
    /// A run that does not begin with its start.
    NOT_STARTED = "H317", Warning, None;
    /// A run that starts twice.
    STARTED_TWICE = "H318", Warning, None;
    /// A fork that does not say where it comes from.
    WRONG_ORIGIN = "H319", Warning, None;
    /// Something that happens in a run that has ended.
    AFTER_THE_END = "H320", Warning, None;
    /// An answer to a question that nobody asked.
    ANSWER_WITHOUT_QUESTION = "H321", Warning, None;
    /// A second answer to one question.
    SECOND_ANSWER = "H322", Warning, None;
    /// A second decision about one request.
    SECOND_DECISION = "H323", Warning, None;
    /// A timer that fires without being set.
    TIMER_NOT_SET = "H324", Warning, None;
    /// A handle that is closed without being open.
    HANDLE_NOT_OPEN = "H325", Warning, None;
    /// A reference to an event that is not there.
    UNKNOWN_EVENT = "H326", Warning, None;
    /// A reference to an event of another kind.
    REFERENCE_OF_ANOTHER_KIND = "H327", Warning, None;
    /// A resource that nobody registered.
    UNKNOWN_RESOURCE = "H328", Warning, None;
    /// A decision about another call than its request.
    DECISION_OF_ANOTHER = "H329", Warning, None;

    // A1: the graph as a whole.
    /// A label that no run comes to.
    NEVER_RUNS = "A101", Warning, None;
    /// A cycle that nothing leads out of.
    NEVER_ENDS = "A102", Warning, None;
    /// A cycle whose exits depend on what nothing in it changes.
    STUCK_CYCLE = "A103", Warning, None;
    /// A name that is needed where nothing may have written it yet.
    READ_BEFORE_WRITTEN = "A104", Warning, None;
    /// A field that is written only after the call that takes it.
    PRODUCED_TOO_LATE = "A105", Warning, None;
    /// A name that is neither written nor given.
    INPUT_NOT_DECLARED = "A106", Warning, None;
    /// A name that is nearly another one.
    MISSPELT_NAME = "A107", Warning, None;
    /// A condition that no value meets.
    NEVER_HOLDS = "A108", Warning, None;
    /// A gate that leaves a case to nobody.
    GATE_HOLE = "A109", Warning, None;
    /// Two parallel branches that write one name.
    PARALLEL_WRITES = "A110", Warning, None;
    /// Branches that never meet again.
    NEVER_JOINS = "A111", Warning, None;
    /// A name whose writer and reader disagree about its type.
    SHAPES_CLASH = "A112", Warning, None;
    /// A side effect that may happen again.
    REPEATED_EFFECT = "A113", Warning, None;
    /// A label that always calls itself.
    ENDLESS_RECURSION = "A114", Warning, None;
    /// Private data, text from outside and a way out on one path.
    EXPOSURE = "A115", Warning, None;
    /// A variable that may be read before it is written.
    MAYBE_UNWRITTEN = "A116", Warning, None;
    /// A variable that nothing writes.
    NEVER_WRITTEN = "A117", Warning, None;
    /// An endpoint that may answer nothing.
    ENDPOINT_WITHOUT_ANSWER = "A118", Warning, None;
    /// An endpoint that answers something else than it says.
    ANOTHER_ANSWER = "A119", Warning, None;
    /// A result that is used, of a label that may return none.
    CALL_WITHOUT_ANSWER = "A120", Warning, None;
    /// A return that gives the name of a label.
    RETURNS_LABEL = "A121", Warning, None;
    /// A cache, queue, transaction or policy that the program does not declare.
    UNDECLARED_SERVICE = "A122", Warning, None;

    // P1: what somebody else has said about the graph: a policy, and the policy's own text.
    /// Something that a policy forbids.
    FORBIDDEN = "P101", Error, None;
    /// A call that is on no allow-list.
    NOT_ON_ALLOW_LIST = "P102", Error, None;
    /// An endpoint that does not ask who is calling.
    ENDPOINT_WITHOUT_AUTH = "P103", Error, None;
    /// A call that needs an approval, which only the policy asks for.
    APPROVAL_AT_RUN_TIME = "P104", Warning, None;
    /// Something that needs an approval, which nothing asks for.
    NOBODY_ASKS = "P105", Error, None;
    /// Something that a policy wants declared, and that is not.
    NOT_DECLARED = "P106", Error, Some(Rule::Required);
    /// A member that policies do not have.
    POLICY_UNKNOWN_MEMBER = "P110", Error, Some(Rule::Type);
    /// A member of a policy of the wrong kind.
    POLICY_WRONG_KIND = "P111", Error, Some(Rule::Type);
    /// Not one of the words that a policy may use there.
    POLICY_UNKNOWN_WORD = "P112", Error, Some(Rule::Enum);
    /// A rule that is about nothing.
    POLICY_EMPTY_RULE = "P113", Error, Some(Rule::Required);
    /// A pattern of a namespace that is nearly another one.
    POLICY_UNKNOWN_NAMESPACE = "P114", Warning stays, None;
    /// A member that has no meaning in this rule.
    POLICY_MISPLACED = "P115", Error, None;
    /// A part of a policy that decides about calls, and cannot be read.
    POLICY_UNREADABLE = "P116", Error, None;

    // R1: the text of rules.
    /// Text that belongs to no construct.
    RULES_OUTSIDE = "R101", Error, None;
    /// A list that is not closed.
    RULES_UNCLOSED = "R102", Error, None;
    /// A closing parenthesis too many.
    RULES_STRAY_PARENTHESIS = "R103", Error, None;
    /// Lists nested beyond the limit.
    RULES_TOO_DEEP = "R104", Error, None;
    /// A text without its closing quote.
    RULES_UNCLOSED_TEXT = "R105", Error, None;
    /// A character that no word has.
    RULES_UNREADABLE = "R106", Error, None;
    /// A variable whose name cannot begin so.
    RULES_BAD_VARIABLE = "R107", Error, None;
    /// A whole number beyond what is kept.
    RULES_NUMBER_CLAMPED = "R108", Warning, None;
    /// A list that begins no construct.
    RULES_UNKNOWN_CONSTRUCT = "R109", Error, None;
    /// A construct without a name.
    RULES_NAME_MISSING = "R110", Error, None;
    /// A part that has another shape than it needs.
    RULES_MALFORMED = "R111", Error, None;
    /// What CLIPS has and rules here do not.
    RULES_NOT_SUPPORTED = "R112", Error, None;

    // R2: names, kinds and values in rules.
    /// A function that is not there.
    RULES_UNKNOWN_FUNCTION = "R201", Error, Some(Rule::Reference);
    /// A function that is left out on purpose.
    RULES_LEFT_OUT = "R202", Error, None;
    /// A template that is not there.
    RULES_UNKNOWN_TEMPLATE = "R203", Error, Some(Rule::Reference);
    /// A slot that its template does not have.
    RULES_UNKNOWN_SLOT = "R204", Error, Some(Rule::Reference);
    /// A global that is not there.
    RULES_UNKNOWN_GLOBAL = "R205", Error, Some(Rule::Reference);
    /// A variable that nothing gives a value.
    RULES_UNBOUND = "R206", Error, Some(Rule::Reference);
    /// Too few or too many arguments.
    RULES_ARGUMENT_COUNT = "R207", Error, None;
    /// An argument of the wrong kind.
    RULES_ARGUMENT_KIND = "R208", Error, Some(Rule::Type);
    /// A value that its slot may not hold.
    RULES_VALUE = "R209", Error, Some(Rule::Range);
    /// Too few or too many fields for a slot.
    RULES_FIELD_COUNT = "R210", Error, None;
    /// A slot without a default that a fact does not give.
    RULES_MISSING_SLOT = "R211", Error, Some(Rule::Required);
    /// Something that is given twice.
    RULES_TWICE = "R212", Error, None;
    /// A name that cannot be defined, or not again.
    RULES_REFUSED = "R213", Error, None;
    /// A definition that takes the place of another one.
    RULES_REPLACED = "R214", Warning, None;
    /// Attributes of a slot that cannot hold together.
    RULES_CONFLICT = "R215", Error, None;
    /// Something that cannot stand where it does.
    RULES_MISPLACED = "R216", Error, None;
    /// Single fields joined with stretches of fields.
    RULES_MIXED = "R217", Error, None;
    /// A loop's variable that is bound within the loop.
    RULES_LOOP_VARIABLE = "R218", Error, None;
    /// A pattern that no fact can match.
    RULES_NEVER_MATCHES = "R219", Error, None;
    /// A salience that is no number or out of range.
    RULES_SALIENCE = "R220", Error, None;
    /// A value that is needed when the program is read, and fails.
    RULES_CANNOT_COMPUTE = "R221", Error, None;
    /// A variable that stands for one field and for many.
    RULES_ONE_AND_MANY = "R222", Error, Some(Rule::Type);
    /// A fact that is bound to a variable that is taken.
    RULES_FACT_VARIABLE = "R223", Error, Some(Rule::UniqueId);
    /// A rule with too many or too large conditions.
    RULES_TOO_LARGE = "R224", Error, Some(Rule::Range);

    // R3: rules that may be run, and are hardly meant so.
    /// A variable that is bound and used nowhere.
    RULES_UNUSED_VARIABLE = "R301", Warning, None;
    /// A rule that can never fire.
    RULES_NEVER_FIRES = "R302", Warning, None;
    /// A function that nothing calls, a global that nothing uses.
    RULES_UNUSED_DEFINITION = "R303", Warning, None;
    /// Text that is printed nowhere.
    RULES_PRINTS_NOWHERE = "R304", Warning, None;
    /// A pattern whose name is that of a function.
    RULES_PATTERN_LIKE_CALL = "R305", Warning, None;

    // R4: what happens while rules run.
    /// Something went wrong while rules ran.
    RULES_FAULT = "R401", Error, None;
}
