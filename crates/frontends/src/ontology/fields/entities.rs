//! The rows for entities: what exists.

use diagnostics::codes;
use graph::Kind;

use super::{Field, Holds, NodeDef, NodeType, POSITIVE, SCHEMA, Wanted, later, may, need, word};

const CONFIG: &[Field] = &[
    may("temperature", Holds::Number(0.0, 2.0), "how freely the model answers"),
    may("max_tokens", POSITIVE, "how long an answer may be"),
    may("thinking", word(&["none", "low", "high", "extended"]), "how much the model thinks"),
    may("stop", Holds::Texts, "texts that end an answer"),
];

const EMBEDDING: &[Field] = &[
    may("model", Holds::Text, "kept"),
    may("provider", word(&["openai", "google", "huggingface", "local"]), "kept"),
    may("dimensions", POSITIVE, "kept"),
];

/// Every type of entity.
pub(super) static ENTITIES: &[NodeDef] = &[
    NodeDef {
        is: NodeType::Agent,
        word: "agent",
        later: false,
        becomes: Kind::Agents,
        fields: &[
            need("model", Holds::Text, "the model that answers"),
            may("system_prompt", Holds::Text, "what the model is told first"),
            may(
                "tools",
                Holds::Nodes(Wanted {
                    what: "a tool",
                    fits: |is| is == NodeType::Tool,
                    code: &codes::RULE_19,
                }),
                "tools it may call",
            ),
            may("input_schema", SCHEMA, "shapes the prompt, where neither edge nor step does"),
            may("output_schema", SCHEMA, "shapes the answer, where neither edge nor step does"),
            may("config", Holds::Record(CONFIG), "how the model is called"),
            may("subgraph", Holds::File, "another spec in its place"),
        ],
        doc: "a model with a prompt, called by `R agent.INVOKE`",
    },
    NodeDef {
        is: NodeType::Store,
        word: "store",
        later: false,
        becomes: Kind::Stores,
        fields: &[
            need(
                "store_type",
                Holds::Word(
                    &["vector", "file", "kv", "queue", "relational", "blackboard"],
                    &["knowledge_graph", "ontology", "logic_program", "pddl_domain"],
                ),
                "how it keeps things",
            ),
            may("schema", SCHEMA, "what an item looks like"),
            may(
                "retention",
                word(&["ephemeral", "session", "persistent"]),
                "how long it keeps them",
            ),
            may("access", word(&["read", "write", "readwrite"]), "what may be done with it"),
            may(
                "config",
                Holds::Object,
                "`protocol` or `provider`, and what that takes: see stores.md",
            ),
            later(
                "reasoner",
                word(&["z3", "hermit", "pellet", "clingo", "fast_downward", "prolog", "none"]),
                "kept",
            ),
            later(
                "formalism",
                word(&[
                    "owl",
                    "fol",
                    "description_logic",
                    "horn_clauses",
                    "datalog",
                    "sparql",
                    "cypher",
                    "pddl",
                    "none",
                ]),
                "kept",
            ),
            later("embedding_config", Holds::Record(EMBEDDING), "kept"),
        ],
        doc: "somewhere values are kept: `R store.READ`, `R store.WRITE`",
    },
    NodeDef {
        is: NodeType::Tool,
        word: "tool",
        later: false,
        becomes: Kind::Tools,
        fields: &[
            need(
                "tool_type",
                word(&["api", "function", "browser", "shell", "mcp", "composite"]),
                "what kind of tool",
            ),
            may("input_schema", SCHEMA, "what it is given"),
            may("output_schema", SCHEMA, "what it answers"),
            may("side_effects", Holds::Texts, "what it changes outside"),
            may("idempotent", Holds::Bool, "whether a second call changes nothing more"),
            may("auth_required", Holds::Bool, "whether it acts as somebody"),
            may("config", Holds::Object, "kept"),
        ],
        doc: "something that can be called: `R tool.CALL`",
    },
    NodeDef {
        is: NodeType::Human,
        word: "human",
        later: false,
        becomes: Kind::People,
        fields: &[may("role", word(&["user", "reviewer", "admin", "operator"]), "as what")],
        doc: "a person; a flow edge from one gives the run its inputs",
    },
    NodeDef {
        is: NodeType::Config,
        word: "config",
        later: false,
        becomes: Kind::Configs,
        fields: &[may("values", Holds::Object, "kept")],
        doc: "values that others refer to",
    },
    NodeDef {
        is: NodeType::Channel,
        word: "channel",
        later: false,
        becomes: Kind::Channels,
        fields: &[
            need(
                "channel_type",
                word(&["topic", "queue", "broadcast", "request_reply"]),
                "who gets a message",
            ),
            may("message_schema", Holds::Schema(&codes::RULE_11), "what a message looks like"),
            may("retention", word(&["none", "last", "all", "windowed"]), "which messages stay"),
            may("reducer", word(&["append", "replace", "merge", "custom"]), "how writes merge"),
            may("buffer_size", Holds::WholeOr("unbounded"), "how many messages it holds"),
        ],
        doc: "a way for steps to talk: `R channel.PUBLISH`, `R channel.RECEIVE`",
    },
    NodeDef {
        is: NodeType::Team,
        word: "team",
        later: false,
        becomes: Kind::Teams,
        fields: &[
            need(
                "members",
                Holds::Nodes(Wanted {
                    what: "an agent",
                    fits: |is| is == NodeType::Agent,
                    code: &codes::RULE_10,
                }),
                "its agents",
            ),
            need(
                "strategy",
                word(&["sequential", "hierarchical", "consensus", "round_robin", "dynamic"]),
                "how they take turns",
            ),
            may("manager", Holds::Text, "the agent that leads; one of its members"),
            may("delegation", Holds::Bool, "whether members may delegate"),
            may(
                "speaker_selection",
                word(&["round_robin", "llm_based", "priority", "random", "custom"]),
                "who speaks next",
            ),
            may("max_rounds", POSITIVE, "after how many rounds it ends"),
            may("termination", Holds::Termination, "when it is over"),
        ],
        doc: "agents that work together",
    },
    NodeDef {
        is: NodeType::Conversation,
        word: "conversation",
        later: false,
        becomes: Kind::Conversations,
        fields: &[
            may(
                "participants",
                Holds::Nodes(Wanted {
                    what: "an entity",
                    fits: |is| is.is_entity(),
                    code: &codes::RULE_24,
                }),
                "who takes part",
            ),
            may("history_schema", SCHEMA, "what a turn looks like"),
            may("max_turns", POSITIVE, "after how many turns it ends"),
            may(
                "persistence",
                word(&["ephemeral", "session", "persistent"]),
                "how long it is kept",
            ),
            may("nesting", Holds::Bool, "whether it may hold others"),
        ],
        doc: "a dialogue with its history",
    },
    NodeDef {
        is: NodeType::WorldModel,
        word: "world_model",
        later: true,
        becomes: Kind::Worlds,
        fields: &[
            need(
                "model_type",
                word(&["llm_simulated", "learned", "hand_coded", "physics_engine"]),
                "what it is made of",
            ),
            may("state_schema", SCHEMA, "what a state looks like"),
            may("action_schema", SCHEMA, "what an action looks like"),
            may("transition_function", Holds::Text, "kept"),
            may("reward_function", Holds::Text, "kept"),
            may("deterministic", Holds::Bool, "kept"),
        ],
        doc: "something that says how the world answers",
    },
];
