//! What older compilers wrote: ops that are adapter calls by another name, and members of `data`
//! that repeat others.

use std::sync::Arc;

use value::{Map, Value};

use super::{OpDef, SlotKind};

struct Legacy {
    op: &'static str,
    adapter: &'static str,
    /// Members of `data` that are the verb's arguments, in order; the first is the target.
    arguments: &'static [&'static str],
}

const LEGACY: &[Legacy] = &[
    Legacy { op: "memory.merge", adapter: "memory.merge", arguments: &["pattern", "label_id"] },
    Legacy { op: "MemoryMerge", adapter: "memory.merge", arguments: &["pattern", "label_id"] },
    Legacy { op: "MemoryExecute", adapter: "memory.execute", arguments: &["pattern"] },
    Legacy { op: "MemoryPatch", adapter: "memory.patch", arguments: &["pattern", "label_name"] },
    Legacy {
        op: "persona.update",
        adapter: "persona.update",
        arguments: &["trait_name", "strength", "learned_from", "edge_type"],
    },
];

/// The adapter call that a legacy op stands for: its `op` and its `data`.
pub fn translate(op: &str, data: &Map) -> Option<(&'static str, Map)> {
    let legacy = LEGACY.iter().find(|legacy| legacy.op == op)?;
    let mut call = Map::default();
    call.insert("op".into(), CALL.into());
    if let Some(lineno) = data.get("lineno") {
        call.insert("lineno".into(), lineno.clone());
    }
    let mut arguments: Vec<Value> = legacy
        .arguments
        .iter()
        .map(|name| data.get(name).cloned().unwrap_or(Value::Null))
        .collect();
    while arguments.last() == Some(&Value::Null) {
        arguments.pop();
    }
    call.insert("adapter".into(), legacy.adapter.into());
    let mut arguments = arguments.into_iter();
    call.insert("target".into(), arguments.next().unwrap_or_else(|| "".into()));
    call.insert("args".into(), Value::list(arguments));
    for (name, value) in data {
        let known = matches!(&**name, "op" | "lineno") || legacy.arguments.contains(&&**name);
        if !known {
            call.insert(name.clone(), value.clone());
        }
    }
    Some((CALL, call))
}

const CALL: &str = "R";

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
