//! Graphs that the reference compiler wrote. They are read in place, from the folder that
//! `QUIPU_CORPUS` names; without it the tests say so and pass.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Source};
use graph::hash::Hashes;
use graph::validate::{Edges, phase1, validate};
use graph::{Graph, query};
use value::{Map, Value, json};

struct Case {
    name: String,
    /// `{"labels": ...}`, as compiled.
    document: Value,
}

fn cases() -> Vec<Case> {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return Vec::new();
    };
    let folder = Path::new(&corpus).join("ainl");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let labels = json::parse(&text).unwrap().get("labels").unwrap().clone();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Case { name, document: Value::map([("labels", labels)]) }
    };
    files.into_iter().map(read).collect()
}

fn compile(document: &Value) -> (Graph, Vec<Diagnostic>) {
    let source = Source::new("case.json", json::compact(document));
    let mut reading = frontends::read(&source, frontends::detect(&source), frontends::Ontology::V1);
    let graph = graph::normalize(reading.draft.expect("it is a document"), &mut reading.findings);
    (graph, reading.findings)
}

fn print(graph: &Graph) -> Value {
    frontends::document::write(graph, &Hashes::of(graph)).into()
}

/// Some cases are wrong on purpose, in ways that are no part of phase 1.
const WITH_ERRORS: [&str; 3] = ["call_missing", "line_filter_foreach", "undef_target"];

#[test]
fn compiled_graphs_pass_phase_1() {
    for case in cases() {
        let (graph, mut findings) = compile(&case.document);
        phase1(&graph, Edges::Strict, &mut findings);
        assert!(findings.is_empty(), "{}: {findings:?}", case.name);
        let has_errors = diagnostics::any_error(&validate(&graph, Edges::Strict));
        assert_eq!(has_errors, WITH_ERRORS.contains(&&*case.name), "{}", case.name);
    }
}

#[test]
fn compiling_again_changes_nothing() {
    for case in cases() {
        let once = print(&compile(&case.document).0);
        let twice = print(&compile(&once).0);
        assert_eq!(json::compact(&once), json::compact(&twice), "{}", case.name);
    }
}

#[test]
fn what_older_documents_leave_out_comes_back() {
    for case in cases() {
        let (graph, findings) = compile(&without_derived(&case.document));
        assert!(findings.is_empty(), "{}: {findings:?}", case.name);
        let printed = print(&graph);
        for (id, label) in case.document.get("labels").unwrap().as_map().unwrap() {
            let own = printed.get("labels").unwrap().get(id).unwrap();
            for (list, member) in [("nodes", "effect"), ("edges", "port")] {
                let column = |label: &Value| {
                    let items = label.get(list).unwrap().as_list().unwrap().iter();
                    items.map(|item| item.get(member).cloned()).collect::<Vec<_>>()
                };
                assert_eq!(column(own), column(label), "{} label {id}: {member}", case.name);
            }
        }
    }
}

fn without_derived(value: &Value) -> Value {
    const DERIVED: [&str; 5] = ["effect", "reads", "writes", "lineno", "port"];
    match value {
        Value::Map(map) => {
            let kept = map.iter().filter(|(name, _)| !DERIVED.contains(&&***name));
            Value::from(
                kept.map(|(name, value)| (name.clone(), without_derived(value))).collect::<Map>(),
            )
        }
        Value::List(items) => Value::list(items.iter().map(without_derived)),
        other => other.clone(),
    }
}

#[test]
fn queries_answer() {
    for case in cases() {
        let (graph, _) = compile(&case.document);
        let nodes: usize = graph.labels.values().map(|label| label.nodes.len()).sum();
        let edges: usize = graph.labels.values().map(|label| label.edges.len()).sum();
        assert_eq!(query::label_nodes(&graph, &[]).count(), nodes);
        assert_eq!(query::label_edges(&graph, &[]).count(), edges);
        let exits: usize = graph.labels.values().map(|label| label.exits.len()).sum();
        assert_eq!(query::exit_nodes(&graph, &[]).count(), exits);
        for label in graph.labels.values() {
            let handled =
                label.edges.iter().filter(|edge| edge.port == Some(graph::ops::Port::Err)).count();
            let found = query::error_paths(label, None).paths.len();
            assert!(found >= handled, "{}", case.name);
            let ends = query::success_paths(label);
            assert!(!ends.truncated, "{}", case.name);
            for node in &label.nodes {
                let out = query::successors(label, &node.id, None).filter(|edge| edge.is_to_node());
                for edge in out {
                    let back = query::predecessors(label, &edge.to, edge.port);
                    assert!(back.into_iter().any(|edge| edge.from == node.id), "{}", case.name);
                }
            }
        }
    }
}
