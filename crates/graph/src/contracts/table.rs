//! The rows: one for each namespace and class of verbs.

use std::borrow::Cow;

use super::{Contract, Row, contract};
use crate::effects::Again::{self, ByAsking, Freely, WithKey};
use crate::effects::Tier;
use crate::effects::Touches::{self, Clock, Model, Nothing, Random, Read, Write};

/// What every function of `core` does.
pub(super) static COMPUTES: Contract = contract(Nothing, Freely, "compute");

const fn row(namespace: &'static str, verbs: &'static [&'static str], contract: Contract) -> Row {
    Row { namespace, verbs, contract }
}

const fn reads(kind: &'static str) -> Contract {
    contract(Read, Freely, kind)
}

/// A write of which nobody knows whether it may happen twice.
const fn writes(kind: &'static str) -> Contract {
    contract(Write, ByAsking, kind)
}

const fn memory(touches: Touches, again: Again, kind: &'static str, of: &'static str) -> Contract {
    let (kind, tier) = (Cow::Borrowed(kind), touches.tier());
    Contract { touches, again, kind, memory_type: Some(Cow::Borrowed(of)), names: 0, tier }
}

/// The same verbs, whose first arguments are names.
const fn naming(names: u8, mut contract: Contract) -> Contract {
    contract.names = names;
    contract
}

/// A step that only waits decides when control goes on.
const fn waits(mut contract: Contract) -> Contract {
    contract.tier = Tier::Control;
    contract
}

/// All verbs: those that front-ends write themselves know what they name.
const ANY: &[&str] = &[];

/// Every verb but the functions of `core`. First what the engine and its host know, then what
/// others bind.
pub(super) static ROWS: &[Row] = &[
    row("core", &["NOW", "ISO", "ISO_TS"], contract(Clock, Freely, "compute")),
    row("core", &["UUID"], contract(Random, Freely, "compute")),
    row("core", &["ENV"], reads("memory_read")),
    row("core", &["SLEEP"], waits(contract(Clock, Freely, "control"))),
    row("core", &["NOOP", "FAIL"], contract(Nothing, Freely, "compute")),
    // Nothing can compute them, but they would touch nothing.
    row("core", &["MAP", "FILTER", "REDUCE"], contract(Nothing, Freely, "compute")),
    row("agent", ANY, contract(Model, Freely, "model")),
    row("tool", ANY, writes("tool")),
    row("store", &["READ"], reads("memory_read")),
    row("store", ANY, contract(Write, WithKey, "memory_write")),
    row("channel", &["RECEIVE"], reads("queue")),
    row("channel", ANY, contract(Write, WithKey, "queue")),
    row("logic", ANY, contract(Nothing, Freely, "compute")),
    row("http", &["GET", "HEAD", "OPTIONS"], reads("http")),
    row("http", &["PUT", "DELETE"], contract(Write, WithKey, "http")),
    row("http", &["POST", "PATCH"], writes("http")),
    row("web", &["FETCH", "GET", "SEARCH"], reads("http")),
    row("web", &["POST"], writes("http")),
    row("llm", &["COMPLETION"], contract(Model, Freely, "http")),
    row("llm_query", &["QUERY", "RUN"], contract(Model, Freely, "http")),
    row("db", &["F", "G"], naming(2, reads("db_read"))),
    row("db", &["C", "D", "P", "U"], naming(1, writes("db_write"))),
    row("sqlite", &["QUERY"], reads("sqlite")),
    row("sqlite", &["EXECUTE"], writes("sqlite")),
    row("postgres", &["QUERY"], reads("db_read")),
    row("postgres", &["EXECUTE", "TRANSACTION"], writes("db_write")),
    row("mysql", &["QUERY"], reads("db_read")),
    row("mysql", &["EXECUTE", "TRANSACTION"], writes("db_write")),
    row("fs", &["READ", "LIST"], reads("fs")),
    row("fs", &["WRITE", "DELETE"], contract(Write, Freely, "fs")),
    row("cache", &["GET"], naming(1, reads("cache_read"))),
    row("cache", &["SET"], naming(1, contract(Write, Freely, "cache_write"))),
    row("queue", &["PUT", "GET", "POP"], naming(1, contract(Write, WithKey, "queue"))),
    row("queue", &["LEN"], naming(1, reads("queue"))),
    row("txn", &["BEGIN", "COMMIT", "ROLLBACK"], naming(1, writes("txn"))),
    row("tools", &["CALL"], naming(1, writes("tool"))),
    row(
        "memory",
        &["RECALL", "EXPORT", "EXPORT_GRAPH"],
        memory(Read, Freely, "memory_read", "episode"),
    ),
    row("memory", &["SEARCH"], memory(Read, Freely, "memory_read", "semantic")),
    row("memory", &["PATTERN_RECALL"], memory(Read, Freely, "memory_read", "procedural")),
    row(
        "memory",
        &["STORE", "STORE_PATTERN"],
        memory(Write, WithKey, "memory_write", "procedural"),
    ),
    row("memory", &["RECALL_PATTERN", "EXECUTE", "MERGE"], reads("memory_read")),
    row("memory", &["PATCH"], contract(Write, WithKey, "memory_write")),
    // What is kept in a namespace, by its kind.
    row("memory", &["GET", "LIST"], naming(2, reads("memory_read"))),
    row(
        "memory",
        &["PUT", "APPEND", "DELETE"],
        naming(2, contract(Write, WithKey, "memory_write")),
    ),
    row("memory", &["PRUNE"], naming(1, contract(Write, WithKey, "memory_write"))),
    row("persona", &["LOAD", "GET"], memory(Read, Freely, "memory_read", "persona")),
    row("persona", &["UPDATE"], memory(Write, WithKey, "memory_write", "persona")),
    row("vector_memory", &["SEARCH", "LIST_SIMILAR"], naming(1, reads("memory_read"))),
    row("vector_memory", &["UPSERT"], naming(1, contract(Write, Freely, "memory_write"))),
    row("ext", &["ECHO", "G"], reads("http")),
    row("ext", &["EXEC", "NEXT", "OP", "P", "RUN"], writes("http")),
    row("a2a", &["DISCOVER", "GET_TASK"], reads("http")),
    row("a2a", &["SEND"], writes("http")),
    row(
        "ainl_graph_memory",
        &["MEMORY_EXECUTE", "MEMORY_PATTERN_RECALL", "MEMORY_RECALL", "MEMORY_SEARCH"],
        reads("memory_read"),
    ),
    row("ainl_graph_memory", &["MEMORY_PATCH"], writes("memory_write")),
    row("airtable", &["FIND", "GET_TABLE", "LIST", "LIST_BASES", "LIST_TABLES"], reads("db_read")),
    row("airtable", &["ATTACHMENT_DOWNLOAD", "WEBHOOK_LIST"], reads("http")),
    row("airtable", &["CREATE", "DELETE", "UPDATE", "UPSERT"], writes("db_write")),
    row("airtable", &["ATTACHMENT_UPLOAD", "WEBHOOK_CREATE", "WEBHOOK_DELETE"], writes("http")),
    row("api", &["G"], reads("http")),
    row("api", &["P", "POST"], writes("http")),
    row("auth", &["VALIDATE"], reads("control")),
    row("bridge", &["POST"], writes("http")),
    row(
        "browser",
        &["NAVIGATE", "READ_PAGE", "RUN_JS", "SCREENSHOT", "SESSION_STATUS", "WAIT"],
        reads("http"),
    ),
    row("browser", &["BACK", "CLICK", "CLOSE", "SCROLL", "SESSION_START", "TYPE"], writes("http")),
    row("calendar", &["G"], reads("http")),
    row("classify", &["SCORE_RELEVANCE"], writes("http")),
    row(
        "code_context",
        &[
            "COMPRESS_CONTEXT",
            "GET_DEPENDENCIES",
            "GET_FULL_SOURCE",
            "GET_IMPACT",
            "GET_SKELETON",
            "QUERY_CONTEXT",
            "STATS",
        ],
        reads("memory_read"),
    ),
    row("code_context", &["INDEX"], writes("memory_write")),
    row("crm", &["QUERY"], reads("db_read")),
    row("crm", &["CREATE", "UPDATE"], writes("db_write")),
    row("crm_db", &["F"], reads("db_read")),
    row("crm_db", &["P"], writes("db_write")),
    row(
        "dynamodb",
        &[
            "BATCH_GET",
            "DESCRIBE_TABLE",
            "GET",
            "LIST_TABLES",
            "QUERY",
            "SCAN",
            "STREAMS_SUBSCRIBE",
            "STREAMS_UNSUBSCRIBE",
            "TRANSACT_GET",
        ],
        reads("db_read"),
    ),
    row(
        "dynamodb",
        &["BATCH_WRITE", "DELETE", "PUT", "TRANSACT_WRITE", "UPDATE"],
        writes("db_write"),
    ),
    row("email", &["G"], reads("http")),
    row("fanout", &["ALL"], writes("call")),
    row("langchain_tool", &["CALL", "MY_SEARCH_TOOL"], writes("tool")),
    row(
        "pggraph",
        &["FIND_RELATED", "SEARCH", "SHORTEST_PATH", "STATUS", "TEST_ENABLED", "TRAVERSE"],
        reads("db_read"),
    ),
    row("pggraph", &["AUTO_DISCOVER", "BUILD", "RESET"], writes("db_write")),
    row("ptc_runner", &["HEALTH", "STATUS"], reads("http")),
    row("ptc_runner", &["RUN"], writes("http")),
    row("redis", &["GET", "HGET", "HMGET", "INFO", "PING"], reads("cache_read")),
    row("redis", &["LLEN", "SUBSCRIBE"], reads("queue")),
    row(
        "redis",
        &["DECR", "DELETE", "HDEL", "HSET", "INCR", "SET", "TRANSACTION"],
        writes("cache_write"),
    ),
    row("redis", &["LPOP", "LPUSH", "PUBLISH", "RPOP", "RPUSH"], writes("queue")),
    row("social", &["G"], reads("http")),
    row(
        "solana",
        &[
            "DERIVE_PDA",
            "GET_ACCOUNT",
            "GET_BALANCE",
            "GET_LATEST_BLOCKHASH",
            "GET_MARKET_STATE",
            "GET_PROGRAM_ACCOUNTS",
            "GET_PYTH_PRICE",
            "GET_SIGNATURES_FOR_ADDRESS",
            "GET_TOKEN_ACCOUNTS",
            "HERMES_FALLBACK",
            "SIMULATE_EVENTS",
        ],
        reads("http"),
    ),
    row("solana", &["INVOKE", "TRANSFER", "TRANSFER_SPL"], writes("http")),
    row("state", &["GET_SEEN_IDS"], reads("db_read")),
    row("state", &["MARK_SEEN"], writes("db_write")),
    row("supabase", &["FROM", "QUERY", "RPC", "SELECT"], reads("db_read")),
    row(
        "supabase",
        &[
            "AUTH_GET_USER",
            "REALTIME_GET_CURSOR",
            "REALTIME_REPLAY",
            "REALTIME_SUBSCRIBE",
            "STORAGE_DOWNLOAD",
            "STORAGE_GET_PUBLIC_URL",
            "STORAGE_LIST",
        ],
        reads("http"),
    ),
    row("supabase", &["DELETE", "INSERT", "UPDATE", "UPSERT"], writes("db_write")),
    row(
        "supabase",
        &[
            "AUTH_RESET_PASSWORD_FOR_EMAIL",
            "AUTH_SIGN_IN_WITH_PASSWORD",
            "AUTH_SIGN_OUT",
            "AUTH_SIGN_UP",
            "REALTIME_ACK",
            "REALTIME_BROADCAST",
            "REALTIME_UNSUBSCRIBE",
            "STORAGE_REMOVE",
            "STORAGE_UPLOAD",
        ],
        writes("http"),
    ),
    row("svc", &["CADDY", "CLOUDFLARED", "CRM", "MADDY", "STATUS"], reads("http")),
    row("svc", &["RESTART", "START", "STOP"], writes("http")),
    row(
        "tiktok",
        &["ANALYTICS", "PROFILE", "RECENT", "SEARCH", "TRENDING", "VIDEO"],
        reads("http"),
    ),
    row("tool_registry", &["DISCOVER", "GET", "LIST"], reads("memory_read")),
    row("tool_registry", &["REGISTER"], writes("memory_write")),
    row("wasm", &["CALL"], contract(Nothing, Freely, "compute")),
    row("x", &["SEARCH"], reads("http")),
    row("x", &["POST_REPLY"], writes("http")),
];
