//! Graphs in a few words: a label is its name, its nodes and its edges.
//!
//! A node is `Op; slot=value; slot=value`. `logic; reads=a b; writes=c; needs=d; inexact` is a
//! logic block that does so, `agent; ...`, `tool; ...` and `read; ...` are calls. An edge is
//! `n1 port target`, where a target that is no node of the label is a label.

use diagnostics::{Diagnostic, Source};
use graph::Graph;
use value::{Map, Value, json};

pub(crate) type Sketch<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

/// The graph, with `declarations` and so on in a second document.
pub(crate) fn graph(labels: &[Sketch<'_>], rest: &str) -> Graph {
    let mut document = match json::parse(rest).expect("the rest is JSON") {
        Value::Map(map) => (*map).clone(),
        _ => panic!("the rest is an object"),
    };
    let made: Map = labels.iter().map(|sketch| (sketch.0.into(), label(sketch))).collect();
    document.insert("labels".into(), made.into());
    let source = Source::new("sketch.json", json::compact(&document.into()));
    let mut reading = frontends::document::read(&source);
    let mut graph = graph::normalize(reading.draft.expect("it can be read"), &mut reading.findings);
    for ((_, nodes, _), label) in labels.iter().zip(graph.labels.values_mut()) {
        for (written, node) in
            nodes.iter().zip(&mut label.nodes).filter(|(written, _)| written.starts_with("logic"))
        {
            for part in written.split("; ").skip(1) {
                let (key, names) = part.split_once('=').unwrap_or((part, ""));
                let names = names.split(' ').map(value::Text::from);
                match key {
                    "reads" => node.reads.extend(names),
                    "writes" => node.writes.extend(names),
                    "needs" => {
                        node.needs.extend(names.clone());
                        node.reads.extend(names);
                    }
                    "inexact" => node.inexact = true,
                    _ => panic!("{part}"),
                }
            }
        }
    }
    graph
}

fn label((_, nodes, edges): &Sketch<'_>) -> Value {
    let made = nodes.iter().enumerate().map(|(at, written)| {
        let mut parts = written.split("; ");
        let word = parts.next().expect("a split has a first part");
        let (op, adapter) = match word {
            "agent" => ("R", Some("agent.INVOKE")),
            "tool" => ("R", Some("tool.CALL")),
            "read" => ("R", Some("store.READ")),
            "fail" => ("R", Some("core.FAIL")),
            "logic" => ("R", Some("logic.PYTHON")),
            op => (op, None),
        };
        let mut data = Map::default();
        if let Some(adapter) = adapter {
            data.insert("adapter".into(), adapter.into());
        }
        if word == "logic" {
            data.insert("target".into(), "pass".into());
        } else {
            for (key, value) in parts.filter_map(|part| part.split_once('=')) {
                data.insert(key.into(), json::parse(value).unwrap_or_else(|_| value.into()));
            }
        }
        Value::map([
            ("id", Value::text(format!("n{}", at + 1))),
            ("op", op.into()),
            ("data", data.into()),
        ])
    });
    let edges = edges.iter().map(|written| {
        let words: Vec<&str> = written.split(' ').collect();
        let is_node = words[2].strip_prefix('n').is_some_and(|rest| rest.parse::<usize>().is_ok());
        Value::map([
            ("from", words[0].into()),
            ("port", words[1].into()),
            ("to", words[2].into()),
            ("to_kind", if is_node { "node" } else { "label" }.into()),
        ])
    });
    Value::map([("nodes", Value::list(made)), ("edges", Value::list(edges))])
}

/// What is found: code and message, and the path where there is one.
pub(crate) fn found(graph: &Graph) -> Vec<String> {
    let shown = |found: &Diagnostic| {
        let path = if found.path.is_empty() {
            String::new()
        } else {
            format!(" | {}", found.path.join(" "))
        };
        format!("{} {}{path}", found.code.id, found.message)
    };
    compiler::analyse(graph).iter().map(shown).collect()
}

/// Compares what is found with what should be.
#[track_caller]
pub(crate) fn check(labels: &[Sketch<'_>], rest: &str, expected: &[&str]) {
    assert_eq!(found(&graph(labels, rest)), expected);
}
