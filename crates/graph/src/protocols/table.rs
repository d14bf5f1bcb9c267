//! The rows.

use super::{Protocol, ProtocolDef};

/// Every protocol there is.
pub static PROTOCOLS: &[ProtocolDef] = &[
    ProtocolDef {
        is: Protocol::Vector,
        word: "vector",
        provider: "quipu.vector",
        config_schema: r#"{
  "type": "object",
  "properties": {
    "protocol": {"enum": ["vector"]},
    "provider": {"enum": ["quipu.vector"]},
    "top_k": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 5,
      "description": "how many matches answer a query that does not say"},
    "min_score": {"type": "number", "minimum": 0, "maximum": 1, "default": 0,
      "description": "what a match must score where the query does not say"}
  },
  "additionalProperties": false
}"#,
        writes: &[
            ("TEXT", "adds a text"),
            ("{text, id?, metadata?, ...}", "adds a document; one with an id replaces that one"),
            ("[...]", "adds each"),
            ("{remove: ID}, {remove: [ID, ...]}", "removes what has these ids"),
        ],
        reads: &[
            ("nothing", "everything, as it was written"),
            ("TEXT", "the best matches: `[{id, text, score, ...}]`"),
            ("{text?, top_k?, filter?, min_score?}", "the best matches among what fits the filter"),
        ],
        doc: "texts, found by a text that is like them",
    },
    ProtocolDef {
        is: Protocol::Graph,
        word: "graph",
        provider: "quipu.graph",
        config_schema: r#"{
  "type": "object",
  "properties": {
    "protocol": {"enum": ["graph"]},
    "provider": {"enum": ["quipu.graph"]},
    "depth": {"type": "integer", "minimum": 1, "maximum": 64, "default": 1,
      "description": "how far neighbours are looked for where the query does not say"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000,
      "description": "how many answers a query has at most"}
  },
  "additionalProperties": false
}"#,
        writes: &[
            ("{node: ID, ...}", "puts a node with its properties"),
            (
                "{from: ID, rel: WORD, to: ID, ...}",
                "puts an edge; also as `subject`, `predicate`, `object`",
            ),
            ("{nodes: [...], edges: [...]}, [...]", "puts each"),
            (
                "{remove: {node: ID}}, {remove: {from, rel, to}}",
                "removes the node's properties, or the edge",
            ),
        ],
        reads: &[
            ("nothing", "`{nodes, edges}`"),
            (
                "ID, {node: ID, rel?, direction?, depth?, limit?}",
                "its neighbours: `[{node, depth, via, ...}]`, nearest first; `direction` is `out`, `in` or `both`",
            ),
            (
                "{from: ID, to: ID, rel?, direction?, depth?}",
                "the edges of a shortest path, or null",
            ),
            ("{edges: {from?, rel?, to?}, limit?}", "the edges that fit"),
        ],
        doc: "nodes, and what joins them",
    },
    ProtocolDef {
        is: Protocol::Doc,
        word: "doc",
        provider: "quipu.doc",
        config_schema: r#"{
  "type": "object",
  "properties": {
    "protocol": {"enum": ["doc"]},
    "provider": {"enum": ["quipu.doc"]},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 100,
      "description": "how many documents answer a query that does not say"}
  },
  "additionalProperties": false
}"#,
        writes: &[
            (
                "{id, ...}",
                "puts a document, and replaces the one with its id; what has none gets one by what it says",
            ),
            ("[...]", "puts each"),
            ("{remove: ID}, {remove: [ID, ...]}", "removes what has these ids"),
        ],
        reads: &[
            ("nothing", "the first documents"),
            ("ID, {id: ID}", "the document, or null"),
            (
                "{where?, order_by?, descending?, limit?, skip?}",
                "the documents whose fields are so",
            ),
            ("{FIELD: VALUE, ...}", "the same as `{where: {...}}`"),
        ],
        doc: "documents by id, found by their fields",
    },
    ProtocolDef {
        is: Protocol::Memory,
        word: "memory",
        provider: "quipu.memory",
        config_schema: r#"{
  "type": "object",
  "properties": {
    "protocol": {"enum": ["memory"]},
    "provider": {"enum": ["quipu.memory"]},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10,
      "description": "how many memories answer a query that does not say"},
    "keep": {"type": "integer", "minimum": 1, "maximum": 100000, "default": 1000,
      "description": "how many are kept; older ones are forgotten"},
    "ttl_s": {"type": "integer", "minimum": 1,
      "description": "after so many seconds a memory is forgotten"}
  },
  "additionalProperties": false
}"#,
        writes: &[
            (
                "TEXT, {text?, key?, id?, ...}",
                "remembers it, with the time as `at`; one with an id replaces that one",
            ),
            ("[...]", "remembers each"),
            ("{remove: ID}, {remove: [ID, ...]}", "forgets what has these ids"),
        ],
        reads: &[
            ("nothing", "the newest first"),
            (
                "TEXT, {text, key?, since?, limit?}",
                "those that are like the text, best first, with their `score`",
            ),
            ("{key?, since?, limit?}", "those with the key, since a time, newest first"),
        ],
        doc: "what was remembered, by time, by key or by what it says",
    },
    ProtocolDef {
        is: Protocol::Fact,
        word: "fact",
        provider: "quipu.fact",
        config_schema: r#"{
  "type": "object",
  "properties": {
    "protocol": {"enum": ["fact"]},
    "provider": {"enum": ["quipu.fact"]},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000,
      "description": "how many answers a query has that does not say"}
  },
  "additionalProperties": false
}"#,
        writes: &[
            ("{...}", "asserts a fact: the same one twice is one"),
            ("[...]", "asserts each"),
            ("{retract: {...}}, {retract: [...]}", "retracts exactly these"),
        ],
        reads: &[
            ("nothing", "all facts"),
            (
                "{MEMBER: VALUE, ...}",
                "the facts that have these members; a text such as `?x` stands for anything, the same one for the same",
            ),
            (
                "{match: [PATTERN, ...], limit?}",
                "what the `?` stand for where all patterns hold together",
            ),
        ],
        doc: "statements, found by patterns",
    },
];
