//! What older compilers wrote: ops that are adapter calls by another name, and members of `data`
//! that repeat others.

use std::sync::Arc;

use value::{Map, Text, Value};

use super::{OpDef, Slot, SlotKind, Unsaid, table};
use crate::contracts::Verb;
use crate::draft::DraftNode;
use crate::model::Node;

struct Legacy {
    /// Its slots are the verb's arguments, in order, and the output.
    op: OpDef,
    adapter: &'static str,
}

const fn argument(name: &'static str) -> Slot {
    Slot { name, kind: SlotKind::Value, required: false, unsaid: Unsaid::Null }
}

const fn output(word: &'static str) -> Slot {
    Slot { name: "out", kind: SlotKind::Bind, required: false, unsaid: Unsaid::Is(word) }
}

const EDGE_TYPES: SlotKind = SlotKind::Word(&[
    "knows",
    "believes",
    "learned_from",
    "contradicts",
    "caused_by",
    "part_of",
    "references",
    "derived_from",
    "inherited_by",
]);

const EDGE_TYPE: Slot =
    Slot { name: "edge_type", kind: EDGE_TYPES, required: false, unsaid: Unsaid::Null };

const fn legacy(
    name: &'static str,
    least: usize,
    slots: &'static [Slot],
    adapter: &'static str,
) -> Legacy {
    Legacy { op: OpDef { name, least, slots, ..table::ROW }, adapter }
}

const MERGE: &[Slot] = &[argument("pattern"), argument("label_id"), output("mm_result")];

static LEGACY: &[Legacy] = &[
    legacy("memory.merge", 1, MERGE, "memory.merge"),
    legacy("MemoryMerge", 1, MERGE, "memory.merge"),
    legacy("MemoryExecute", 1, &[argument("pattern"), output("res")], "memory.execute"),
    legacy(
        "MemoryPatch",
        2,
        &[argument("pattern"), argument("label_name"), output("res")],
        "memory.patch",
    ),
    legacy(
        "persona.update",
        2,
        &[argument("trait_name"), argument("strength"), argument("learned_from"), EDGE_TYPE],
        "persona.update",
    ),
];

/// The row of a legacy op, for whoever reads its words. It is in no graph.
pub fn find_legacy(op: &str) -> Option<&'static OpDef> {
    LEGACY.iter().find(|legacy| legacy.op.name == op).map(|legacy| &legacy.op)
}

/// Names that ops have only where they stand on the line of their label.
const INLINE: [(&str, &str); 2] = [("Filter", "Filt"), ("ForEach", "Loop")];

/// The row for a word on the line of a label.
pub fn find_inline(word: &str) -> Option<&'static OpDef> {
    let other = INLINE.iter().find(|(inline, _)| *inline == word);
    super::find(other.map_or(word, |(_, name)| name))
}

/// The adapter call that a legacy op stands for: its `op` and its `data`.
pub fn translate(op: &str, data: &Map) -> Option<(&'static str, Map)> {
    let legacy = LEGACY.iter().find(|legacy| legacy.op.name == op)?;
    let names = legacy.op.slots.iter().filter(|slot| slot.kind != SlotKind::Bind);
    let names: Vec<&str> = names.map(|slot| slot.name).collect();
    let mut call = Map::default();
    call.insert("op".into(), CALL.into());
    if let Some(lineno) = data.get("lineno") {
        call.insert("lineno".into(), lineno.clone());
    }
    let mut arguments: Vec<Value> =
        names.iter().map(|name| data.get(name).cloned().unwrap_or(Value::Null)).collect();
    while arguments.last() == Some(&Value::Null) {
        arguments.pop();
    }
    call.insert("adapter".into(), legacy.adapter.into());
    let mut arguments = arguments.into_iter();
    call.insert("target".into(), arguments.next().unwrap_or_else(|| "".into()));
    call.insert("args".into(), Value::list(arguments));
    for (name, value) in data {
        let known = matches!(&**name, "op" | "lineno") || names.contains(&&**name);
        if !known {
            call.insert(name.clone(), value.clone());
        }
    }
    Some((CALL, call))
}

const CALL: &str = "R";

/// Where a node that stands for a skipped one keeps what was written.
const SKIPPED: &str = "skipped";

/// Makes a call of a node with an op that nobody knows which does nothing, and keeps what was
/// written beside it: for documents that want such ops to be skipped.
pub(crate) fn skip(node: &mut DraftNode) {
    let Some(op) = node.op.clone().filter(|op| !op.is_empty() && super::find(op).is_none()) else {
        return;
    };
    let data = node.data.take().unwrap_or_default();
    let mut kept = vec![("op", Value::Text(op))];
    let mut call = Map::default();
    call.insert("op".into(), CALL.into());
    if let Some(lineno) = data.get("lineno") {
        call.insert("lineno".into(), lineno.clone());
    }
    call.insert("adapter".into(), "core.NOOP".into());
    kept.push(("data", Value::Map(data)));
    kept.extend(node.operands.take().map(|operands| ("operands", Value::Map(operands))));
    // Whoever used the word before loses nothing.
    kept.extend(node.extra.get(SKIPPED).cloned().map(|before| (SKIPPED, before)));
    node.extra.keep(SKIPPED.into(), Value::map(kept));
    (node.op, node.data) = (Some(CALL.into()), Some(Arc::new(call)));
    (node.reads, node.writes, node.effect) = (None, None, None);
    (node.kinds, node.tier, node.memory_type) = (None, None, None);
}

/// The op that a node stands for, where it is a call that does nothing in place of one that nobody
/// knows.
pub(crate) fn skipped(node: &Node) -> Option<&Text> {
    let kept = node.extra.get(SKIPPED).filter(|_| node.verb() == Some(Verb::Noop))?;
    kept.get("op")?.as_text()
}

/// Members of `data` that repeat others, and are kept in step with them.
pub(crate) fn refresh_repeats(op: &OpDef, data: &mut Arc<Map>) {
    let Some(slot) = op.slot_of(SlotKind::Adapter) else { return };
    let Some(Value::Text(adapter)) = data.get(slot.name).cloned() else { return };
    let target = data.get("target").cloned().unwrap_or_else(|| "".into());
    let args = data.get("args").cloned().unwrap_or_else(|| Value::list([]));
    let (source, verb) = adapter.split_once('.').unwrap_or((&adapter, ""));
    let entity = match &target {
        Value::Text(text) if text.starts_with('/') => "".into(),
        other => other.clone(),
    };
    let fields =
        args.as_list().and_then(|args| args.first()).cloned().unwrap_or_else(|| "*".into());
    let repeats = [
        ("src", Value::text(source)),
        ("req_op", Value::text(verb.to_uppercase())),
        ("entity", entity),
        ("fields", fields),
    ];
    let data = Arc::make_mut(data);
    for (name, value) in repeats {
        if let Some(member) = data.get_mut(name) {
            *member = value;
        }
    }
    data.remove("raw");
}
