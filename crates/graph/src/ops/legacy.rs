//! Ops that older compilers wrote and that are adapter calls by another name.

use value::{Map, Value};

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
