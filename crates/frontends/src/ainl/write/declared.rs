//! What stands before the labels: endpoints, what runs by the clock, and what steps refer to by
//! name.

use graph::{Graph, Kind, Node, Operand};
use value::{Map, Value};

use super::words::is_plain;
use crate::Lost;
use crate::ainl::token::quote;

/// Writes the declarations that AINL has words for.
pub(super) fn write(graph: &Graph, text: &mut String, lost: &mut Vec<Lost>) {
    for endpoint in &graph.endpoints {
        let Some(label) = &endpoint.label else { continue };
        let mut line = format!("E {} {} ->L{label}", word(&endpoint.path), endpoint.method);
        if let Some(returned) = endpoint.members.get("return_var").and_then(Value::as_text) {
            line.push_str(&format!(" ->{returned}"));
        }
        push(text, line);
    }
    for cron in &graph.crons {
        let member = |name: &str| cron.get(name).and_then(Value::as_text);
        match (member("label"), member("expr")) {
            (Some(label), Some(expr)) => push(text, format!("Cr {} {expr}", word(label))),
            _ => lost.push(Lost { at: "crons".into(), what: "a cron without label".into() }),
        }
    }
    modes(graph, text);
    types(graph, text);
    services(graph, text, lost);
    inputs(graph, lost);
    for kind in Kind::ALL {
        // Inputs are declared by steps; contracts belong to a file of their own.
        let declared = graph.declarations.of(kind);
        if declared.is_empty() || kind == Kind::Inputs {
            continue;
        }
        let names: Vec<&str> = declared.keys().map(|name| &**name).collect();
        let what = format!("AINL has no {}: {}", kind.word(), names.join(", "));
        lost.push(Lost { at: format!("declarations/{}", kind.word()), what });
    }
}

/// Services and how they run: `S core web /api`.
fn modes(graph: &Graph, text: &mut String) {
    let services = graph.extra.get("services").and_then(Value::as_map);
    for (name, service) in services.into_iter().flat_map(|services| services.iter()) {
        let member = |name: &str| service.get(name).and_then(Value::as_text);
        let Some(mode) = member("mode").filter(|mode| !mode.is_empty()) else { continue };
        let path = member("path").filter(|path| !path.is_empty());
        let path = path.map(|path| format!(" {}", word(path))).unwrap_or_default();
        push(text, format!("S {} {}{path}", word(name), word(mode)));
    }
}

/// Types with their fields: `D User id:I name:S!`.
fn types(graph: &Graph, text: &mut String) {
    let types = graph.extra.get("types").and_then(Value::as_map);
    for (name, declared) in types.into_iter().flat_map(|types| types.iter()) {
        let fields = declared.get("fields").and_then(Value::as_map);
        let mut line = format!("D {}", word(name));
        for (field, kind) in fields.into_iter().flat_map(|fields| fields.iter()) {
            let is = |list: &str| {
                let items = declared.get(list).and_then(Value::as_list).unwrap_or_default();
                items.contains(&Value::Text(field.clone()))
            };
            let mark = if is("required") {
                "!"
            } else if is("optional") {
                "?"
            } else {
                ""
            };
            line.push_str(&format!(" {field}:{}{mark}", kind.as_text().map_or("", |kind| kind)));
        }
        push(text, line);
    }
}

/// Inputs that something reads and that no step declares by writing them to themselves.
fn inputs(graph: &Graph, lost: &mut Vec<Lost>) {
    let nodes = || graph.labels.values().flat_map(|label| &label.nodes);
    for name in graph.declarations.of(Kind::Inputs).keys() {
        let declares = |node: &Node| {
            let value = node.operands.one("ref");
            node.operands.text("name") == Some(name)
                && matches!(value, Some(Operand::Var(own)) if own == name)
        };
        if nodes().any(|node| node.reads.contains(name)) && !nodes().any(declares) {
            let what =
                format!("no step declares it: write `Set {name} ${name}` where a run begins");
            lost.push(Lost { at: format!("declarations/inputs/{name}"), what });
        }
    }
}

/// Caches, queues, transactions, policies and how callers are known.
fn services(graph: &Graph, text: &mut String, lost: &mut Vec<Lost>) {
    /// The op, and the members that follow the name on its line.
    const ROWS: [(&str, &str, &[&str]); 3] = [
        ("cache", "C", &["key", "ttl", "default"]),
        ("queue", "Q", &["maxSize", "retry"]),
        ("txn", "Txn", &["adapter", "mode"]),
    ];
    let members = |name: &str| graph.capabilities.get(name).and_then(Value::as_map);
    let empty = Map::default();
    for (kind, op, slots) in ROWS {
        for (name, declared) in members(kind).unwrap_or(&empty) {
            let mut line = format!("{op} {}", word(name));
            for slot in slots {
                match declared.get(slot) {
                    None | Some(Value::Null) => break,
                    Some(value) => line.push_str(&format!(" {}", shown(value))),
                }
            }
            push(text, line);
        }
    }
    for (name, policy) in members("policy").unwrap_or(&empty) {
        let constraints = policy.get("constraints").and_then(Value::as_map).unwrap_or(&empty);
        let mut line = format!("Pol {}", word(name));
        for (key, value) in constraints {
            line.push_str(&format!(" {key}={}", shown(value)));
        }
        push(text, line);
    }
    if let Some(auth) = members("auth").filter(|auth| !auth.is_empty()) {
        let member = |name: &str| auth.get(name).and_then(Value::as_text);
        match (member("kind"), member("arg")) {
            (Some(kind), Some(arg)) => push(text, format!("A {} {}", word(kind), word(arg))),
            _ => lost.push(Lost { at: "capabilities/auth".into(), what: "an odd `auth`".into() }),
        }
    }
}

fn push(text: &mut String, line: String) {
    text.push_str(&line);
    text.push('\n');
}

/// A value as a word.
fn shown(value: &Value) -> String {
    value.as_text().map_or_else(|| value::json::compact(value), |text| word(text))
}

fn word(text: &str) -> String {
    if is_plain(text) { text.to_string() } else { quote(text) }
}
