//! Documents that several tests are about.

use value::{Value, json};

/// A call, its two guards, a branch; a label that handles errors and one that goes on.
pub(crate) const SHOP: &str = r#"{
  "labels": {
    "1": {
      "nodes": [
        {"id": "n1", "op": "R",
         "data": {"op": "R", "adapter": "db.F", "target": "User", "out": "user"}},
        {"id": "n2", "op": "Retry", "data": {"op": "Retry", "count": 2}},
        {"id": "n3", "op": "Err", "data": {"op": "Err", "handler": "failed"}},
        {"id": "n4", "op": "R",
         "data": {"op": "R", "adapter": "dbx.F", "target": "user", "out": "score"}},
        {"id": "n5", "op": "QueuePut",
         "data": {"op": "QueuePut", "queue": "jobs", "value": "score"}},
        {"id": "n6", "op": "R",
         "data": {"op": "R", "adapter": "memory.recall", "target": "user", "out": "past"}},
        {"id": "n7", "op": "If",
         "data": {"op": "If", "cond": "past", "then": "2", "else": "failed"}}
      ],
      "edges": [
        {"from": "n1", "to": "n2", "to_kind": "node", "port": "retry"},
        {"from": "n1", "to": "n3", "to_kind": "node", "port": "err"},
        {"from": "n1", "to": "n4", "to_kind": "node", "port": "next"},
        {"from": "n3", "to": "failed", "to_kind": "label", "port": "handler"},
        {"from": "n4", "to": "n5", "to_kind": "node", "port": "next"},
        {"from": "n5", "to": "n6", "to_kind": "node", "port": "next"},
        {"from": "n6", "to": "n7", "to_kind": "node", "port": "next"},
        {"from": "n7", "to": "2", "to_kind": "label", "port": "then"},
        {"from": "n7", "to": "failed", "to_kind": "label", "port": "else"}
      ]
    },
    "2": {
      "nodes": [
        {"id": "n1", "op": "Set", "data": {"op": "Set", "name": "reply", "ref": "score"}},
        {"id": "n2", "op": "J", "data": {"op": "J", "var": "reply"}}
      ],
      "edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]
    },
    "failed": {
      "nodes": [{"id": "n1", "op": "J", "data": {"op": "J", "var": "_error"}}],
      "edges": []
    }
  },
  "services": {"core": {"eps": {"/users": {
    "G": {"label_id": "1", "return_var": "reply"}, "POST": {"label_id": "2"}}}}},
  "required_emit_targets": {"minimal_emit": ["x"]},
  "declarations": {
    "inputs": {"score": {"from": "user"}},
    "contracts": {"dbx.F": {"effect_tier": "io-write", "effect_kind": "http"}}}
}
"#;

/// A call, a step, a return; and a label that returns the error.
pub(crate) const CHAIN: &str = r#"{"labels": {
  "1": {
    "nodes": [
      {"id": "n1", "op": "R",
       "data": {"op": "R", "adapter": "http.GET", "target": "/a", "out": "page"}},
      {"id": "n2", "op": "Set", "data": {"op": "Set", "name": "copy", "ref": "page"}},
      {"id": "n3", "op": "J", "data": {"op": "J", "var": "copy"}}],
    "edges": [
      {"from": "n1", "to": "n2", "to_kind": "node", "port": "next"},
      {"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}]},
  "2": {"nodes": [{"id": "n1", "op": "J", "data": {"op": "J", "var": "_error"}}]}
}}
"#;

/// One label: the nodes in order, each an op with its data, and edges as `from port to`.
pub(crate) fn one_label(nodes: &[(&str, String)], edges: &[(usize, &str, usize)]) -> String {
    let nodes = nodes.iter().enumerate().map(|(at, (op, data))| {
        format!(r#"{{"id": "n{}", "op": "{op}", "data": {{"op": "{op}", {data}}}}}"#, at + 1)
    });
    let edges = edges.iter().map(|(from, port, to)| {
        format!(r#"{{"from": "n{from}", "to": "n{to}", "to_kind": "node", "port": "{port}"}}"#)
    });
    let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
    format!(
        "{{\"labels\": {{\"1\": {{\"nodes\": [{}],\n\"edges\": [{}]}}}}}}",
        nodes.join(",\n"),
        edges.join(",\n")
    )
}

/// A chain of `Set` nodes that write these names, and a return.
pub(crate) fn sets(names: &[String]) -> String {
    let set = |name: &String| ("Set", format!(r#""name": "{name}", "ref": 1"#));
    let mut nodes: Vec<_> = names.iter().map(set).collect();
    nodes.push(("J", r#""var": 1"#.to_string()));
    let edges: Vec<_> = (1..nodes.len()).map(|from| (from, "next", from + 1)).collect();
    one_label(&nodes, &edges)
}

/// A member of a member: `at(&value, "labels/1/nodes/0/id")`.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('/').fold(value, |value, step| {
        let found = match value {
            Value::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
            other => other.get(step),
        };
        found.unwrap_or_else(|| panic!("no `{step}` of `{path}` in {}", json::compact(value)))
    })
}

/// The same as one line of JSON.
pub(crate) fn line(value: &Value, path: &str) -> String {
    json::compact(at(value, path))
}
