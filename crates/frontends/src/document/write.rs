//! From a graph to its document. Everything derived is written; what was not understood is
//! written as it was.

use std::collections::BTreeSet;

use graph::hash::{Hashes, LabelHashes};
use graph::{Edge, EmitEdge, Endpoint, Exit, Extra, Graph, Label, Node};
use value::{Digest, Map, Ordered, Text, Value};

/// The document, without `errors`, `warnings` and `diagnostics`, which are the compiler's.
pub fn write(graph: &Graph, hashes: &Hashes) -> Map {
    let mut extra = graph.extra.clone();
    let services = services(graph, extra.remove("services"));
    let odd_declarations = extra.remove("declarations");
    let labels = graph.labels.iter().zip(hashes.labels.values());
    let mut labels: Map =
        labels.map(|((id, made), hashes)| (id.clone(), label(made, hashes))).collect();
    if let Some(Value::Map(odd)) = extra.remove("labels") {
        labels.extend((*odd).clone());
    }
    let mut document = Map::default();
    let mut put = |name: &str, value: Value| {
        document.insert(name.into(), value);
    };
    put("ir_version", Value::Text(graph.ir_version.clone()));
    put("graph_schema_version", graph.schema_version().into());
    put("graph_semantic_checksum", digest(&hashes.checksum));
    put("labels", labels.into());
    let mut declarations = graph.declarations.to_map();
    match odd_declarations {
        Some(Value::Map(odd)) => declarations.extend((*odd).clone()),
        Some(other) => put("declarations", other),
        None => {}
    }
    if !declarations.is_empty() {
        put("declarations", declarations.into());
    }
    put("services", services);
    put("capabilities", graph.capabilities.clone().into());
    put("crons", Value::list(graph.crons.iter().cloned()));
    put("runtime_policy", graph.runtime_policy.clone().into());
    put("meta", Value::list([]));
    let nodes: usize = graph.labels.values().map(|label| label.nodes.len()).sum();
    put("stats", Value::map([("lines", Value::Int(0)), ("ops", Value::Int(nodes as i64))]));
    // What was not understood stands where it stood.
    for (name, value) in extra {
        document.insert(name, value);
    }
    document
}

fn services(graph: &Graph, kept: Option<Value>) -> Value {
    let mut services = match kept {
        Some(Value::Map(map)) => (*map).clone(),
        Some(other) => return other,
        None => Map::default(),
    };
    let mut core = match services.get("core") {
        Some(Value::Map(core)) => (**core).clone(),
        None => Map::default(),
        Some(_) => return services.into(),
    };
    // What is no endpoint stayed there.
    let mut eps = match core.get("eps") {
        Some(Value::Map(eps)) => (**eps).clone(),
        None => Map::default(),
        Some(_) => return services.into(),
    };
    let mut paths: Ordered<Map> = Ordered::default();
    for endpoint in &graph.endpoints {
        if !paths.contains_key(&endpoint.path) {
            let kept = eps.get(&endpoint.path).and_then(Value::as_map).cloned();
            paths.insert(endpoint.path.clone(), kept.unwrap_or_default());
        }
        let methods = paths.get_mut(&endpoint.path).expect("the path was inserted above");
        methods.insert(endpoint.method.clone(), Value::Map(endpoint.members.clone()));
    }
    eps.extend(paths.into_iter().map(|(path, methods)| (path, methods.into())));
    core.insert("eps".into(), eps.into());
    services.insert("core".into(), core.into());
    services.into()
}

fn label(label: &Label, hashes: &LabelHashes) -> Value {
    let mut map = Map::default();
    let mut put = |name: &str, value: Value| {
        map.insert(name.into(), value);
    };
    put("entry", label.entry.clone().into());
    let nodes = label.nodes.iter().zip(&hashes.nodes).map(|(made, hash)| node(made, Some(hash)));
    put("nodes", with_odd(nodes, &label.odd_nodes));
    put("edges", with_odd(label.edges.iter().map(edge), &label.odd_edges));
    put("emit_edges", Value::list(label.emit_edges.iter().map(emit_edge)));
    put("exits", Value::list(label.exits.iter().map(exit)));
    put("effect_summary", effect_summary(label));
    put("id_hash", digest(&hashes.label));
    with_extra(map, &label.extra)
}

/// A list with what was not understood at the places where it stood.
fn with_odd(items: impl Iterator<Item = Value>, odd: &[(u32, Value)]) -> Value {
    if odd.is_empty() {
        return Value::list(items);
    }
    let mut list: Vec<Value> = Vec::new();
    let mut odd = odd.iter().peekable();
    for item in items {
        while let Some((_, value)) = odd.next_if(|(place, _)| *place as usize <= list.len()) {
            list.push(value.clone());
        }
        list.push(item);
    }
    list.extend(odd.map(|(_, value)| value.clone()));
    Value::list(list)
}

/// A node as documents write it.
pub fn node(node: &Node, hash: Option<&Digest>) -> Value {
    let mut map = Map::with_capacity(14);
    let mut put = |name: &str, value: Value| {
        map.insert(name.into(), value);
    };
    if !node.id.is_empty() {
        put("id", Value::Text(node.id.clone()));
    }
    if !node.op.name().is_empty() {
        put("op", node.op.name().into());
    }
    put("effect", node.effect.word().into());
    put("effect_tier", node.tier.word().into());
    put("effect_kinds", Value::list(node.kinds.iter().map(|kind| Value::text(&**kind))));
    put("reads", texts(&node.reads));
    put("writes", texts(&node.writes));
    if node.inexact {
        put("inexact", true.into());
    }
    put("lineno", node.lineno.into());
    put("data", Value::Map(node.data.clone()));
    if node.def().is_some() {
        let mut operands = node.operands.to_map();
        if let Some(Value::Map(odd)) = node.extra.get("operands") {
            operands.extend((**odd).clone());
        }
        put("operands", operands.into());
    }
    if let Some(memory_type) = &node.memory_type {
        put("memory_type", Value::Text(memory_type.clone()));
    }
    if let Some(hash) = hash {
        put("hash", digest(hash));
    }
    for (name, value) in node.extra.iter() {
        // Odd operands of a known op are among the others already.
        if &**name != "operands" || value.as_map().is_none() || node.def().is_none() {
            map.insert(name.clone(), value.clone());
        }
    }
    map.into()
}

/// An edge as documents write it.
pub fn edge(edge: &Edge) -> Value {
    let mut map = Map::with_capacity(5);
    let mut put = |name: &str, value: Value| {
        map.insert(name.into(), value);
    };
    if !edge.from.is_empty() {
        put("from", Value::Text(edge.from.clone()));
    }
    if !edge.to.is_empty() {
        put("to", Value::Text(edge.to.clone()));
    }
    put("to_kind", edge.to_kind.word().into());
    if let Some(port) = edge.port {
        put("port", port.word().into());
    }
    if edge.analysis_only {
        put("analysis_only", true.into());
    }
    with_extra(map, &edge.extra)
}

/// An emit edge as documents write it.
pub fn emit_edge(edge: &EmitEdge) -> Value {
    match edge {
        EmitEdge::Data { from, to, var } => Value::map([
            ("from", Value::Text(from.clone())),
            ("to", Value::Text(to.clone())),
            ("port", "data".into()),
            ("var", Value::Text(var.clone())),
        ]),
        EmitEdge::Emit { from, var, target } => Value::map([
            ("from", Value::Text(from.clone())),
            ("to", "emit_target".into()),
            ("port", "emit".into()),
            ("var", var.clone().into()),
            ("target", Value::Text(target.clone())),
        ]),
    }
}

/// An endpoint with its path and method.
pub fn endpoint(endpoint: &Endpoint) -> Value {
    let mut map = Map::default();
    map.insert("path".into(), Value::Text(endpoint.path.clone()));
    map.insert("method".into(), Value::Text(endpoint.method.clone()));
    map.insert("label".into(), endpoint.label.clone().into());
    for (name, value) in endpoint.members.iter() {
        map.insert_new(name.clone(), value.clone());
    }
    map.into()
}

/// An exit as documents write it.
pub fn exit(exit: &Exit) -> Value {
    let mut map = Map::default();
    map.insert("node".into(), Value::Text(exit.node.clone()));
    map.insert("var".into(), exit.var.clone().into());
    with_extra(map, &exit.extra)
}

/// Everything a label reads, writes and touches, sorted.
fn effect_summary(label: &Label) -> Value {
    let (mut reads, mut writes, mut effects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for node in &label.nodes {
        reads.extend(node.reads.iter().map(|name| &**name));
        writes.extend(node.writes.iter().map(|name| &**name));
        effects.extend(node.kinds.iter().map(|kind| &**kind));
    }
    let list = |names: BTreeSet<&str>| Value::list(names.into_iter().map(Value::from));
    Value::map([("reads", list(reads)), ("writes", list(writes)), ("effects", list(effects))])
}

fn with_extra(mut map: Map, extra: &Extra) -> Value {
    for (name, value) in extra.iter() {
        map.insert(name.clone(), value.clone());
    }
    map.into()
}

fn texts(names: &[Text]) -> Value {
    Value::list(names.iter().cloned().map(Value::Text))
}

fn digest(digest: &Digest) -> Value {
    Value::text(digest.to_string())
}
