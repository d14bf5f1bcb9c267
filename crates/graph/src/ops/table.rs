//! The rows. Order: spec 1's list, then ours.

use super::Leads::{Either, Label, Node};
use super::Port::{After, Body, Branch, Else, Err, Expired, Goto, Handler, Next, Retry, Then};
use super::Runs::{Call, Control, Guard, Person, Pure, Return, Store};
use super::SlotKind::{
    Adapter, Bind, Callee, Condition, FirstValue, Gives, Literal, Name, Number, Protects, Takes,
    Target, Value, Values, Word,
};
use super::{Does, Leads, OpDef, Port, PortDef, Runs, Slot, SlotKind, Unsaid, Written};
use crate::effects::Touches;

const fn need(name: &'static str, kind: SlotKind) -> Slot {
    Slot { name, kind, required: true, unsaid: Unsaid::Absent }
}

const fn may(name: &'static str, kind: SlotKind) -> Slot {
    Slot { name, kind, required: false, unsaid: Unsaid::Absent }
}

const fn or(name: &'static str, kind: SlotKind, word: &'static str) -> Slot {
    Slot { name, kind, required: false, unsaid: Unsaid::Is(word) }
}

const fn or_null(name: &'static str, kind: SlotKind) -> Slot {
    Slot { name, kind, required: false, unsaid: Unsaid::Null }
}

const fn one(port: Port, to: Leads) -> PortDef {
    PortDef { port, to, required: false, many: false }
}

const fn must(port: Port, to: Leads) -> PortDef {
    PortDef { port, to, required: true, many: false }
}

const fn many(port: Port, to: Leads) -> PortDef {
    PortDef { port, to, required: true, many: true }
}

const fn written(name: &'static str) -> Written {
    Written { name, when: None }
}

/// What every step that can fail has: tried again, handled, on. Guards come first, so that a
/// walk meets them beside the node they protect.
const STEP: &[PortDef] = &[one(Retry, Node), one(Err, Node), one(Next, Either)];

const LOOP: &[PortDef] = &[one(Retry, Node), one(Err, Node), must(Body, Label), one(After, Either)];

/// What most rows share; each row says only where it differs.
pub(super) const ROW: OpDef = OpDef {
    name: "",
    slots: &[],
    least: 0,
    ports: STEP,
    runs: Pure,
    does: Does::Set,
    reads: &[],
    writes: &[],
    lists_reads: true,
    joins: false,
    feeds: false,
    standard: true,
    sketch: "",
    doc: "",
};

/// Every op.
pub static OPS: &[OpDef] = &[
    OpDef {
        name: "R",
        does: Does::Adapter,
        slots: &[
            need("adapter", Adapter),
            may("target", FirstValue),
            may("args", Values),
            or("out", Bind, "res"),
            may("input", Takes),
            may("output", Gives),
            may("timeout_ms", Number),
            may("async", Literal),
        ],
        runs: Runs::Adapter,
        lists_reads: false,
        feeds: true,
        sketch: "{adapter}[ {target}][ {args}]",
        doc: "Calls an adapter verb with arguments and stores the answer in `out`.",
        ..ROW
    },
    OpDef {
        name: "If",
        does: Does::If,
        slots: &[need("cond", Condition), may("then", Target(Then)), or_null("else", Target(Else))],
        least: 2,
        ports: &[one(Retry, Node), one(Err, Node), must(Then, Either), one(Else, Either)],
        runs: Control,
        sketch: "if {cond}",
        doc: "Goes on by `then` when the condition holds, else by `else`.",
        ..ROW
    },
    OpDef {
        name: "Call",
        does: Does::Call,
        slots: &[need("label", Callee), may("out", Bind)],
        least: 1,
        runs: Call,
        writes: &[written("_call_result")],
        sketch: "call {label}",
        doc: "Runs a label on the same frame and stores what it returns in `out`.",
        ..ROW
    },
    OpDef {
        name: "Loop",
        does: Does::Loop,
        slots: &[
            need("ref", Value),
            need("item", Bind),
            may("body", Target(Body)),
            may("after", Target(After)),
        ],
        least: 4,
        ports: LOOP,
        runs: Control,
        writes: &[written("_loop_last")],
        lists_reads: false,
        sketch: "for {item} in {ref}",
        doc: "Calls the `body` label once for each item of a list, then goes on by `after`.",
        ..ROW
    },
    OpDef {
        name: "While",
        does: Does::While,
        slots: &[
            need("cond", Condition),
            may("body", Target(Body)),
            may("after", Target(After)),
            may("limit", Number),
        ],
        least: 3,
        ports: LOOP,
        runs: Control,
        writes: &[written("_while_last")],
        lists_reads: false,
        sketch: "while {cond}[ (limit {limit})]",
        doc: "Calls the `body` label while the condition holds, then goes on by `after`.",
        ..ROW
    },
    OpDef {
        name: "J",
        does: Does::Return,
        slots: &[or("var", Value, "data")],
        ports: &[],
        runs: Return,
        sketch: "return[ {var}]",
        doc: "Ends the label and returns a value.",
        ..ROW
    },
    OpDef {
        name: "Retry",
        does: Does::Guard,
        slots: &[
            or("count", Number, "3"),
            or("backoff_ms", Number, "0"),
            may("backoff_strategy", Word(&["fixed", "none", "linear", "exponential"])),
            may("backoff_max_ms", Number),
            may("errors", Literal),
            may("at_node_id", Protects),
        ],
        ports: &[one(Err, Node), one(Next, Either)],
        runs: Guard(Retry),
        sketch: "retry[ {count}x][, {backoff_ms} ms][ {backoff_strategy}]",
        doc: "Tries the node that its `retry` edge comes from again, up to `count` times.",
        ..ROW
    },
    OpDef {
        name: "Err",
        does: Does::Guard,
        slots: &[may("handler", Target(Handler)), may("at_node_id", Protects)],
        least: 1,
        ports: &[one(Retry, Node), must(Handler, Label), one(Next, Either)],
        runs: Guard(Err),
        writes: &[written("_error")],
        sketch: "on error",
        doc: "Goes to the `handler` label when the node that its `err` edge comes from fails, or one \
              behind it that has no other `Err`.",
        ..ROW
    },
    OpDef {
        name: "Set",
        does: Does::Set,
        slots: &[need("name", Bind), need("ref", Value)],
        least: 2,
        feeds: true,
        sketch: "set {name} = {ref}",
        doc: "Stores a value under a name.",
        ..ROW
    },
    OpDef {
        name: "X",
        does: Does::Compute,
        slots: &[need("dst", Bind), need("fn", Name), may("args", Values)],
        least: 2,
        lists_reads: false,
        sketch: "set {dst} = {fn}[ {args}]",
        doc: "Computes a function of values and stores it in `dst`.",
        ..ROW
    },
    OpDef {
        name: "Filt",
        does: Does::Filter,
        slots: &[
            need("name", Bind),
            need("ref", Value),
            need("field", Name),
            need("cmp", Word(&["==", "=", "!=", "<", "<=", ">", ">=", "in", "contains"])),
            need("value", Value),
        ],
        least: 5,
        sketch: "set {name} = {ref} where {field} {cmp} {value}",
        doc: "Keeps the items of a list whose field compares with a value.",
        ..ROW
    },
    OpDef {
        name: "Sort",
        does: Does::Sort,
        slots: &[
            need("name", Bind),
            need("ref", Value),
            need("field", Name),
            or("order", Word(&["asc", "desc"]), "asc"),
        ],
        least: 3,
        sketch: "set {name} = {ref} by {field}[ {order}]",
        doc: "Sorts a list of objects by a field.",
        ..ROW
    },
    OpDef {
        name: "CacheGet",
        does: Does::CacheGet,
        slots: &[
            need("name", Name),
            need("key", Value),
            or("out", Bind, "data"),
            or_null("fallback", Value),
        ],
        least: 2,
        runs: Store(Touches::Read, "cache_read", "cache.GET"),
        sketch: "cache {name} get {key}[ else {fallback}]",
        doc: "Reads a key of a cache, or takes the fallback.",
        ..ROW
    },
    OpDef {
        name: "CacheSet",
        does: Does::CacheSet,
        slots: &[
            need("name", Name),
            need("key", Value),
            need("value", Value),
            or("ttl_s", Number, "0"),
        ],
        least: 3,
        runs: Store(Touches::Write, "cache_write", "cache.SET"),
        sketch: "cache {name} set {key} = {value}[ for {ttl_s} s]",
        doc: "Writes a key of a cache.",
        ..ROW
    },
    OpDef {
        name: "QueuePut",
        does: Does::QueuePut,
        slots: &[need("queue", Name), need("value", Value), or_null("out", Bind)],
        least: 2,
        runs: Store(Touches::Write, "queue", "queue.PUT"),
        sketch: "queue {queue} put {value}",
        doc: "Puts a value on a queue.",
        ..ROW
    },
    OpDef {
        name: "Tx",
        does: Does::Transact,
        slots: &[need("action", Word(&["begin", "commit", "rollback"])), need("name", Name)],
        least: 2,
        runs: Store(Touches::Write, "txn", "txn.RUN"),
        writes: &[Written { name: "_txid", when: Some(("action", "begin")) }],
        sketch: "{action} transaction {name}",
        doc: "Begins, commits or rolls back a transaction.",
        ..ROW
    },
    OpDef {
        name: "Enf",
        does: Does::Enforce,
        slots: &[need("policy", Name)],
        least: 1,
        reads: &["_auth_present", "_role"],
        sketch: "require {policy}",
        doc: "Fails unless the policy holds for who is calling.",
        ..ROW
    },
    OpDef {
        name: "Route",
        does: Does::Route,
        slots: &[need("rules", Literal)],
        ports: &[one(Err, Node), many(Goto, Label), one(Else, Either)],
        runs: Control,
        standard: false,
        sketch: "choose by {rules}",
        doc: "Goes to the label that the rules choose, or on by `else`.",
        ..ROW
    },
    OpDef {
        name: "Fork",
        does: Does::Fork,
        slots: &[may("over", Value), may("item", Bind)],
        ports: &[one(Err, Node), many(Branch, Label), must(Next, Either)],
        runs: Control,
        standard: false,
        sketch: "fork[ for {item} in {over}]",
        doc: "Starts a fiber for each branch, for each item of `over` where given, and waits at the join.",
        ..ROW
    },
    OpDef {
        name: "Join",
        does: Does::Join,
        slots: &[may("strategy", Name), may("reducers", Literal)],
        ports: &[one(Err, Node), one(Next, Either)],
        runs: Control,
        joins: true,
        standard: false,
        sketch: "join[ {strategy}]",
        doc: "Goes on with the merged frame when enough branches have arrived.",
        ..ROW
    },
    OpDef {
        name: "Ask",
        does: Does::Ask,
        slots: &[
            need("prompt", Value),
            may("schema", Literal),
            may("options", Literal),
            may("default", Value),
            may("expires", Literal),
            may("capability", Name),
            may("out", Bind),
        ],
        ports: &[one(Retry, Node), one(Err, Node), one(Next, Either), one(Expired, Either)],
        runs: Person,
        standard: false,
        sketch: "ask[ {capability}:] {prompt}",
        doc: "Asks a person and waits for the answer.",
        ..ROW
    },
];
