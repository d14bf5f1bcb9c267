//! The rows for processes: what happens.

use diagnostics::codes;
use graph::Kind;

use super::{
    ANY_NODE, ANY_PROCESS, Field, Holds, NodeDef, NodeType, POSITIVE, RETRY, SCHEMA, Wanted, later,
    may, need, word,
};

const BRANCH: &[Field] = &[
    need("condition", Holds::Text, "when it is taken; may be words for people"),
    need("target", Holds::Node(ANY_PROCESS), "where it leads"),
];

const PARTICIPANT: &[Field] = &[
    need(
        "entity",
        Holds::Node(Wanted { what: "an entity", fits: |is| is.is_entity(), code: &codes::RULE_7 }),
        "who takes part",
    ),
    need("role", Holds::Text, "as what"),
];

const FORMALISMS: &[&str] = &[
    "natural_language",
    "owl",
    "fol",
    "pddl",
    "sparql",
    "cypher",
    "python",
    "smtlib",
    "asp",
    "datalog",
    "horn_clauses",
    "custom",
];

/// Every type of process.
pub(super) static PROCESSES: &[NodeDef] = &[
    NodeDef {
        is: NodeType::Step,
        word: "step",
        later: false,
        becomes: Kind::Processes,
        fields: &[
            may("logic", Holds::Logic, "`R logic.PYTHON`"),
            may("data_in", SCHEMA, "shapes the prompts of its calls, where the edge does not"),
            may("data_out", SCHEMA, "shapes the answers, where the edge does not"),
            may("timeout", Holds::Duration, "kept for the engine"),
            may("on_error", word(&["fail", "skip", "retry", "fallback"]), "kept for the engine"),
            later("precondition", Holds::Text, "kept"),
            later("postcondition", Holds::Text, "kept"),
        ],
        doc: "reads, receives, logic, agents, tools, writes, publishes: in this order",
    },
    NodeDef {
        is: NodeType::Gate,
        word: "gate",
        later: false,
        becomes: Kind::Processes,
        fields: &[
            need(
                "condition",
                Holds::Text,
                "what is decided; decides by itself where branches cannot",
            ),
            need("branches", Holds::Records(BRANCH, 0), "where it can go; at least two"),
            may("default", Holds::Node(ANY_PROCESS), "where it goes when nothing else holds"),
            may("logic", Holds::Logic, "runs first"),
        ],
        doc: "a chain of `If`, one for each clause that decides",
    },
    NodeDef {
        is: NodeType::Checkpoint,
        word: "checkpoint",
        later: false,
        becomes: Kind::Processes,
        fields: &[
            need("prompt", Holds::Text, "what the person is asked"),
            may("timeout", Holds::Duration, "how long to wait"),
            may("default_action", word(&["approve", "deny", "skip"]), "the answer after that"),
            may("options", Holds::Texts, "the answers to choose from"),
        ],
        doc: "`Ask`; the answer is `checkpoint_response`",
    },
    NodeDef {
        is: NodeType::Spawn,
        word: "spawn",
        later: false,
        becomes: Kind::Processes,
        fields: &[
            need("template", Holds::Template, "what is made: an agent, a spec, or `self`"),
            may("cardinality", Holds::WholeOr("dynamic"), "how many"),
            may("determined_by", Holds::Node(ANY_NODE), "who decides how many"),
            may(
                "aggregation",
                word(&["collect", "merge", "vote", "first", "race"]),
                "how answers join",
            ),
            may("recursive", Holds::Bool, "whether what is made may make more"),
            may("max_depth", Holds::WholeOr("unbounded"), "how deep that goes"),
        ],
        doc: "makes agents at run time; its label only passes through yet",
    },
    NodeDef {
        is: NodeType::Protocol,
        word: "protocol",
        later: false,
        becomes: Kind::Processes,
        fields: &[
            need("participants", Holds::Records(PARTICIPANT, 2), "who takes part, as what"),
            need("termination", Holds::Termination, "when it is over"),
            may("rules", Holds::Texts, "what they keep to"),
            may("state", SCHEMA, "what they share"),
            may("max_rounds", POSITIVE, "after how many rounds it ends"),
        ],
        doc: "an interaction of several; its label only passes through yet",
    },
    NodeDef {
        is: NodeType::Policy,
        word: "policy",
        later: false,
        becomes: Kind::Policies,
        fields: &[
            need("targets", Holds::Nodes(ANY_NODE), "what it applies to"),
            need("effect", word(&["block", "warn", "modify", "log", "retry"]), "what it does"),
            may("condition", Holds::Text, "when"),
            may("rules", Holds::Texts, "kept"),
            may("enforcement", word(&["strict", "advisory"]), "whether it only advises"),
        ],
        doc: "what is allowed; no label",
    },
    NodeDef {
        is: NodeType::ErrorHandler,
        word: "error_handler",
        later: false,
        becomes: Kind::Handlers,
        fields: &[
            need(
                "scope",
                Holds::Nodes(Wanted {
                    what: "a process",
                    fits: |is| !is.is_entity(),
                    code: &codes::RULE_8,
                }),
                "the processes it covers",
            ),
            need(
                "on_error",
                Holds::Node(Wanted {
                    what: "a process",
                    fits: |is| !is.is_entity(),
                    code: &codes::RULE_9,
                }),
                "where control goes after an error",
            ),
            may("retry", Holds::Record(RETRY), "how often it is tried again first"),
            may("fallback", Holds::Node(ANY_PROCESS), "where control goes after the last try"),
            may("on_finally", Holds::Node(ANY_PROCESS), "what runs in any case"),
            may("error_schema", SCHEMA, "what the handler is told"),
            may("timeout", Holds::Duration, "for all that it covers"),
        ],
        doc: "what happens after a failure; no label",
    },
    NodeDef {
        is: NodeType::SymbolicInference,
        word: "symbolic_inference",
        later: true,
        becomes: Kind::Processes,
        fields: &[
            need(
                "engine",
                word(&[
                    "z3",
                    "clingo",
                    "fast_downward",
                    "prolog",
                    "hermit",
                    "pellet",
                    "owlready",
                    "custom",
                ]),
                "kept",
            ),
            need(
                "formalism",
                word(&[
                    "sat",
                    "smt",
                    "asp",
                    "pddl",
                    "horn_clauses",
                    "description_logic",
                    "fol",
                    "datalog",
                    "custom",
                ]),
                "kept",
            ),
            may("query", Holds::Text, "kept"),
            may("timeout", Holds::Duration, "kept"),
            may("fallback", Holds::Node(ANY_PROCESS), "where control may go instead"),
            may("deterministic", Holds::Bool, "kept"),
            may("data_in", SCHEMA, "kept"),
            may("data_out", SCHEMA, "kept"),
        ],
        doc: "asks a solver; its label only passes through",
    },
    NodeDef {
        is: NodeType::FormalTranslation,
        word: "formal_translation",
        later: true,
        becomes: Kind::Processes,
        fields: &[
            need("source_formalism", word(FORMALISMS), "kept"),
            need("target_formalism", word(FORMALISMS), "kept"),
            may("translator", word(&["llm", "rule_based", "hybrid"]), "kept"),
            may("validation", Holds::Bool, "kept"),
            may("data_in", SCHEMA, "kept"),
            may("data_out", SCHEMA, "kept"),
        ],
        doc: "translates between formalisms; its label only passes through",
    },
    NodeDef {
        is: NodeType::Search,
        word: "search",
        later: true,
        becomes: Kind::Processes,
        fields: &[
            need(
                "algorithm",
                word(&[
                    "mcts",
                    "beam_search",
                    "best_first",
                    "a_star",
                    "iterative_deepening",
                    "genetic",
                    "random_sampling",
                ]),
                "kept",
            ),
            may("evaluation_function", Holds::Node(ANY_NODE), "kept"),
            may("max_iterations", POSITIVE, "kept"),
            may("branching_factor", POSITIVE, "kept"),
            may("beam_width", POSITIVE, "kept"),
            may("exploration_weight", Holds::Number(f64::MIN, f64::MAX), "kept"),
            may("data_in", SCHEMA, "kept"),
            may("data_out", SCHEMA, "kept"),
        ],
        doc: "searches; its label only passes through",
    },
];
