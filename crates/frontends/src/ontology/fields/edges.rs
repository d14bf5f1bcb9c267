//! The rows for edges: what connects.

use diagnostics::codes;

use super::{
    ANY_PROCESS, EdgeDef, EdgeType, Holds, NUMBER, NodeType, RETRY, SCHEMA, Wanted, ends, may,
    need, word,
};

fn calls(is: NodeType) -> bool {
    matches!(is, NodeType::Step | NodeType::Gate | NodeType::Spawn) || is.is_later_process()
}

fn touches_stores(is: NodeType) -> bool {
    matches!(is, NodeType::Step | NodeType::Agent) || is.is_later_process()
}

fn talks(is: NodeType) -> bool {
    matches!(is, NodeType::Step | NodeType::Agent)
}

const ANYTHING: Wanted = ends("a node", |_| true, &codes::WRONG_ENDS);
const PROCESS: Wanted = ends("a process", |is| !is.is_entity(), &codes::WRONG_ENDS);
const STORE: Wanted = ends("a store", |is| is == NodeType::Store, &codes::WRONG_ENDS);
/// What a specification only describes is not forbidden otherwise.
const FAILING: Wanted = ends("a process", |is| !is.is_entity(), &codes::ODD_ENDS);

/// Every type of edge.
pub static EDGES: &[EdgeDef] = &[
    EdgeDef {
        is: EdgeType::Flow,
        word: "flow",
        later: false,
        from: ANYTHING,
        to: ANYTHING,
        fields: &[may("data", SCHEMA, "from a person: the inputs of the run; else kept")],
        doc: "where control goes; several make a `Fork`, and where they meet a `Join`",
    },
    EdgeDef {
        is: EdgeType::Invoke,
        word: "invoke",
        later: false,
        from: ends("a step, gate or spawn", calls, &codes::WRONG_ENDS),
        to: ends(
            "an agent or a tool",
            |is| matches!(is, NodeType::Agent | NodeType::Tool),
            &codes::WRONG_ENDS,
        ),
        fields: &[
            may("input", SCHEMA, "which names the call is given"),
            may("output", SCHEMA, "which names the answer writes"),
            may(
                "return_to",
                Holds::Node(Wanted { what: "a node", fits: |_| true, code: &codes::RULE_17 }),
                "whose `_result` the answer is",
            ),
            may("async", Holds::Bool, "slot `async`"),
            may("retry", Holds::Record(RETRY), "a `Retry` that guards the call"),
            may("timeout", Holds::Duration, "slot `timeout_ms`"),
        ],
        doc: "a call: `R agent.INVOKE` or `R tool.CALL`",
    },
    EdgeDef {
        is: EdgeType::Loop,
        word: "loop",
        later: false,
        from: PROCESS,
        to: ends("a process", |is| !is.is_entity(), &codes::RULE_4),
        fields: &[
            may("condition", Holds::Text, "taken while it holds"),
            may("max_iterations", NUMBER, "and at most so often"),
        ],
        doc: "`If` with the condition and a counter of its own; from a gate it is only drawn",
    },
    EdgeDef {
        is: EdgeType::Branch,
        word: "branch",
        later: false,
        from: ends("a gate", |is| is == NodeType::Gate, &codes::WRONG_ENDS),
        to: PROCESS,
        fields: &[
            need("condition", Holds::Text, "a clause of the gate"),
            may("data", SCHEMA, "kept"),
            may("priority", Holds::Whole(i64::MIN), "lower ones are asked first"),
        ],
        doc: "a clause of its gate",
    },
    EdgeDef {
        is: EdgeType::Read,
        word: "read",
        later: false,
        from: ends("a step or an agent", touches_stores, &codes::ODD_ENDS),
        to: STORE,
        fields: &[
            may("query", SCHEMA, "shapes the query, where the store speaks a protocol"),
            may("query_key", Holds::Text, "the name that holds the query"),
            may("data", SCHEMA, "kept"),
        ],
        doc: "`R store.READ` before the step's logic",
    },
    EdgeDef {
        is: EdgeType::Write,
        word: "write",
        later: false,
        from: ends("a step or an agent", touches_stores, &codes::ODD_ENDS),
        to: STORE,
        fields: &[may("data", SCHEMA, "which names are written; else all")],
        doc: "`R store.WRITE` after the step's calls",
    },
    EdgeDef {
        is: EdgeType::Publish,
        word: "publish",
        later: false,
        from: ends("an agent or a step", talks, &codes::RULE_13),
        to: ends("a channel", |is| is == NodeType::Channel, &codes::RULE_13),
        fields: &[
            may("filter", Holds::Text, "kept"),
            may("data", SCHEMA, "which names are published; else all"),
        ],
        doc: "`R channel.PUBLISH` at the end of the step",
    },
    EdgeDef {
        is: EdgeType::Subscribe,
        word: "subscribe",
        later: false,
        from: ends("a channel", |is| is == NodeType::Channel, &codes::RULE_14),
        to: ends("an agent or a step", talks, &codes::RULE_14),
        fields: &[
            may("filter", Holds::Text, "kept"),
            may("activates", Holds::Bool, "kept"),
            may("data", SCHEMA, "kept"),
        ],
        doc: "`R channel.RECEIVE` before the step's logic",
    },
    EdgeDef {
        is: EdgeType::Handoff,
        word: "handoff",
        later: false,
        from: ends("an agent", |is| is == NodeType::Agent, &codes::RULE_12),
        to: ends("an agent", |is| is == NodeType::Agent, &codes::RULE_12),
        fields: &[
            may("condition", Holds::Text, "kept"),
            may("context", word(&["full", "summary", "none"]), "kept"),
            may("resumable", Holds::Bool, "kept"),
        ],
        doc: "control passes from agent to agent: `declarations.links`",
    },
    EdgeDef {
        is: EdgeType::Error,
        word: "error",
        later: false,
        from: FAILING,
        to: FAILING,
        fields: &[may("error_types", Holds::Texts, "kept"), may("data", SCHEMA, "kept")],
        doc: "where control goes after an error: `declarations.links`",
    },
    EdgeDef {
        is: EdgeType::Modify,
        word: "modify",
        later: false,
        from: ends(
            "a policy or a config",
            |is| matches!(is, NodeType::Policy | NodeType::Config),
            &codes::ODD_ENDS,
        ),
        to: ANYTHING,
        fields: &[may("effect", Holds::Text, "kept")],
        doc: "changes how its target behaves: `declarations.links`",
    },
    EdgeDef {
        is: EdgeType::Observe,
        word: "observe",
        later: false,
        from: ANYTHING,
        to: ANYTHING,
        fields: &[],
        doc: "watches its target: `declarations.links`",
    },
    EdgeDef {
        is: EdgeType::Verify,
        word: "verify",
        later: true,
        from: ANYTHING,
        to: ANYTHING,
        fields: &[
            may("phase", word(&["precondition", "postcondition", "invariant"]), "kept"),
            may("on_fail", word(&["block", "warn", "log", "fallback"]), "kept"),
            may("fallback", Holds::Node(ANY_PROCESS), "where control may go instead"),
        ],
        doc: "checks its target: `declarations.links`",
    },
];
