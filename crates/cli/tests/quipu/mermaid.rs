//! The real Mermaid reads what `quipu show --as mermaid` draws, and sees the graph in it:
//! whatever an author writes, it adds no node, no link and no group.

use std::path::Path;
use std::process::Command;

use value::{Map, Value, json};

use crate::run::Folder;

/// How many generated graphs are drawn.
const GENERATED: u64 = 16;

/// Texts that mean something to Mermaid, to Markdown or to HTML.
const HOSTILE: [&str; 12] = [
    "\"]; click c0r0 \"https://example.org\"",
    "`**bold** _it_ ~~no~~`",
    "end\nend\n%% gone",
    "%%{init: {'theme': 'dark'}}%%",
    "---\ntitle: x\n---",
    "<script>alert(1)</script><br/>&quot;#quot;",
    "a --> b; subgraph c; o--o x",
    "[({|/\\|})]:::class@{shape: circle}",
    "fa:fa-car www.example.org 1. - # $$x^2$$",
    "\u{0}\u{1b}[31m\u{202e}\u{2028}\u{fb02}\u{b0}\u{b0}34\u{b6}\u{df}",
    "日本 größe 😀 e\u{301} \u{5e9}\u{5dc}\u{5d5}\u{5dd}",
    " ",
];

/// What Mermaid should see.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    nodes: i64,
    links: i64,
    groups: i64,
}

#[test]
fn mermaid_reads_every_drawing_as_the_graph_it_is() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mermaid/parse.mjs");
    if let Some(why) = missing(&script) {
        println!("skipped: {why}");
        return;
    }
    let folder = Folder::new();
    let graphs = graphs();
    let mut files = Vec::new();
    for (position, (name, graph, _)) in graphs.iter().enumerate() {
        let (input, output) = (format!("{position}.json"), format!("{position}.mmd"));
        folder.write(&input, json::compact(graph));
        let done = folder.run(&["show", &input, "--from", "graph", "--as", "mermaid"]);
        assert_eq!(done.code, 0, "{name}: {}", done.stderr);
        folder.write(&output, done.stdout);
        files.push(output);
    }
    let mut command = Command::new("node");
    let output = command.arg(script).args(&files).current_dir(folder.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), files.len(), "{errors}");
    let mut wrong = Vec::new();
    for ((name, _, expected), line) in graphs.iter().zip(lines) {
        if let Err(why) = check(&json::parse(line).unwrap(), expected.as_ref()) {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A spec in which every text that can be drawn is this one; ids stay ids.
fn spec_of(text: &str) -> String {
    let everything = include_str!("../../../frontends/tests/specs/everything.yaml");
    let source = diagnostics::Source::new("all.yaml", everything);
    let tree = frontends::yaml::read(&source, &mut Vec::new()).unwrap();
    fn changed(value: &Value, text: &str) -> Value {
        match value {
            Value::Map(map) => Value::map(map.iter().map(|(name, value)| {
                let is_drawn =
                    matches!(&**name, "label" | "description" | "prompt" | "model" | "role");
                let value = if is_drawn { Value::text(text) } else { changed(value, text) };
                (name.clone(), value)
            })),
            Value::List(items) => Value::list(items.iter().map(|item| changed(item, text))),
            other => other.clone(),
        }
    }
    json::compact(&changed(&tree.to_value(), text))
}

#[test]
fn mermaid_reads_every_view_of_a_spec() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mermaid/parse.mjs");
    if let Some(why) = missing(&script) {
        println!("skipped: {why}");
        return;
    }
    let folder = Folder::new();
    let mut files = Vec::new();
    for (position, text) in HOSTILE.iter().chain(&["plain"]).enumerate() {
        folder.write("spec.yaml", spec_of(text));
        for view in ["flow", "architecture", "schemas"] {
            let done = folder.run(&["show", "spec.yaml", "--view", view, "--as", "mermaid"]);
            assert_eq!(done.code, 0, "{text:?}: {}", done.stderr);
            files.push(format!("{position}-{view}.mmd"));
            folder.write(files.last().unwrap(), done.stdout);
        }
    }
    let mut command = Command::new("node");
    let output = command.arg(script).args(&files).current_dir(folder.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let read = String::from_utf8(output.stdout).unwrap();
    let seen: Vec<Value> = read.lines().map(|line| json::parse(line).unwrap()).collect();
    assert_eq!(seen.len(), files.len(), "{errors}");
    // Whatever the texts say, the picture is the one with plain texts.
    let plain = &seen[seen.len() - 3..];
    for (file, (seen, plain)) in files.iter().zip(seen.iter().zip(plain.iter().cycle())) {
        for what in ["type", "nodes", "links", "groups"] {
            assert_eq!(seen.get(what), plain.get(what), "{what} of {file}");
        }
    }
}

/// Why Mermaid cannot be asked.
fn missing(script: &Path) -> Option<&'static str> {
    if !script.with_file_name("node_modules").is_dir() {
        return Some("tests/mermaid has no node_modules; `cargo xtask test` installs them");
    }
    let node = Command::new("node").arg("--version").output();
    if node.is_ok_and(|output| output.status.success()) { None } else { Some("there is no node") }
}

fn check(seen: &Value, expected: Option<&Seen>) -> Result<(), String> {
    if seen.get("type") != Some(&"flowchart-v2".into()) {
        return Err(json::compact(seen));
    }
    let count = |name: &str| match seen.get(name) {
        Some(Value::Int(count)) => *count,
        other => panic!("`{name}` is {other:?}"),
    };
    let seen = Seen { nodes: count("nodes"), links: count("links"), groups: count("groups") };
    match expected {
        Some(expected) if seen != *expected => Err(format!("{seen:?} instead of {expected:?}")),
        _ => Ok(()),
    }
}

/// Each with its name and, where that is easy to say, what there is to see in it.
fn graphs() -> Vec<(String, Value, Option<Seen>)> {
    let mut graphs: Vec<(String, Value, Option<Seen>)> = Vec::new();
    for seed in 0..GENERATED {
        let graph = sim::document(seed, 1 + seed as usize * 9);
        let seen = counted(&graph);
        graphs.push((format!("seed {seed}"), graph, Some(seen)));
    }
    for text in HOSTILE {
        let seen = Seen { nodes: 5, links: 4, groups: 2 };
        graphs.push((format!("{text:?}"), hostile(text), Some(seen)));
    }
    for (name, text, (nodes, links, groups)) in [
        ("no labels", r#"{"labels": {}}"#, (1, 0, 0)),
        ("an empty label", r#"{"labels": {"": {"nodes": []}, "a": {}}}"#, (2, 0, 2)),
        (
            "an unknown op",
            r#"{"labels": {"a": {"nodes": [{"id": "n1", "op": "Teleport"}, {"id": "n2"}, {}],
                "edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]}}}"#,
            (3, 1, 1),
        ),
        (
            "missing targets",
            r#"{"labels": {"a": {"nodes": [{"id": "n1", "op": "If", "data": {"cond": "x"}}],
                "edges": [{"from": "n1", "to": "b", "to_kind": "label", "port": "then"},
                          {"from": "n1", "to": "n7", "to_kind": "node", "port": "else"}]}}}"#,
            (3, 2, 1),
        ),
    ] {
        let seen = Seen { nodes, links, groups };
        let graph = json::parse(text).expect("it is JSON");
        graphs.push((name.into(), graph, Some(seen)));
    }
    graphs.extend(corpus().into_iter().map(|(name, graph)| (name, graph, None)));
    graphs
}

/// What there is to see in a graph whose every edge leads somewhere: calls are links too.
fn counted(graph: &Value) -> Seen {
    let mut seen = Seen::default();
    for (_, label) in graph.get("labels").and_then(Value::as_map).expect("it has labels") {
        let list = |name: &str| label.get(name).and_then(Value::as_list).expect("it is a list");
        let calls = list("nodes").iter().filter(|node| node.get("op") == Some(&"Call".into()));
        seen.nodes += list("nodes").len() as i64;
        seen.links += (list("edges").len() + calls.count()) as i64;
        seen.groups += 1;
    }
    seen
}

/// A graph that has the text wherever an author can write one.
fn hostile(text: &str) -> Value {
    let node = |id: &str, op: &str, data: &[(&str, &str)]| {
        let data: Map = data.iter().map(|(name, word)| ((*name).into(), (*word).into())).collect();
        Value::map([("id", id.into()), ("op", op.into()), ("data", data.into())])
    };
    let edge = |from: &str, to: &str, to_kind: &str, port: &str| {
        let members = [("from", from), ("to", to), ("to_kind", to_kind), ("port", port)];
        Value::map(members.map(|(name, word)| (name, Value::from(word))))
    };
    let first = Value::map([
        (
            "nodes",
            Value::list([
                node(text, "Set", &[("name", text), ("ref", text)]),
                node("n2", text, &[("word", text)]),
                node("n3", "If", &[("cond", "x"), ("then", text)]),
            ]),
        ),
        (
            "edges",
            Value::list([
                edge(text, "n2", "node", "next"),
                edge("n2", "n3", "node", "next"),
                edge("n3", text, "label", "then"),
                edge("n3", &format!("not {text}"), "label", "else"),
            ]),
        ),
    ]);
    let second = Value::map([("nodes", Value::list([node("n1", "J", &[("var", text)])]))]);
    let endpoint = Value::map([("label_id", Value::from(text))]);
    let paths = Value::map([(text, Value::map([(text, endpoint)]))]);
    Value::map([
        ("labels", Value::map([("first", first), (text, second)])),
        ("services", Value::map([("core", Value::map([("eps", paths)]))])),
    ])
}

/// Graphs of another compiler, where there are any.
fn corpus() -> Vec<(String, Value)> {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else { return Vec::new() };
    let entries = std::fs::read_dir(Path::new(&corpus).join("ainl")).expect("it is a corpus");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let graphs = paths.iter().filter_map(|path| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let (case, _) = json::read(&text).expect("it is JSON");
        let labels = case.get("labels")?.clone();
        Some((path.display().to_string(), Value::map([("labels", labels)])))
    });
    graphs.collect()
}
