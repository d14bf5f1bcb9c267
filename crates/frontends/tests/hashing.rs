//! `docs/hashing.md` is true: its tables are those of the code, its vectors are what the code
//! computes, and `hashing.py`, which knows only the page, computes the same. `UPDATE=1` writes
//! tables and vectors again.
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use diagnostics::Source;
use frontends::{Format, document};
use graph::hash::Hashes;
use graph::ops::{OPS, OpDef, Port, Slot, SlotKind};
use graph::{Graph, Kind};
use value::{Digest, Value, json};

/// How many generated documents both implementations must agree on.
const DOCUMENTS: u64 = 50;

#[test]
fn the_page_is_true() {
    let page = page();
    assert!(with_tables(page) == page, "the tables of the page are stale: run with UPDATE=1");
    let vectors = vectors(page);
    for vector in &vectors {
        let title = vector.title;
        let graph = read(&page[vector.document.clone()]);
        let shown = vector.shown(page);
        assert_eq!(without_texts(&shown), hashes(&graph), "{title}: run with UPDATE=1");
        check_texts(title, &shown);
    }
    let [chain, twin] = ["A plain chain", "The same chain, written in another way"].map(|title| {
        let vector = vectors.iter().find(|vector| vector.title == title).expect("it is there");
        Hashes::of(&read(&page[vector.document.clone()])).checksum
    });
    assert_eq!(chain, twin);

    // As they are written, and as they are compiled: both must be enough.
    let written = vectors.iter().map(|vector| page[vector.document.clone()].to_string());
    let compiled = vectors.iter().map(|vector| compiled(&read(&page[vector.document.clone()])));
    let documents: Vec<String> = written.chain(compiled).collect();
    let Some(found) = second_opinion(&documents) else { return };
    for (vector, found) in vectors.iter().cycle().zip(found) {
        assert_eq!(found, vector.shown(page), "{}: the second opinion differs", vector.title);
    }
}

#[test]
fn a_second_implementation_agrees_on_generated_documents() {
    page();
    let documents: Vec<String> = (0..DOCUMENTS)
        .map(|seed| sim::document(seed, 1 + seed as usize * 4))
        .map(|document| compiled(&read(&json::compact(&document))))
        .collect();
    let Some(found) = second_opinion(&documents) else { return };
    for ((seed, document), found) in documents.iter().enumerate().zip(found) {
        let carried = carried_hashes(&json::parse(document).unwrap());
        assert_eq!(without_texts(&found), carried, "seed {seed}");
    }
}

/// The page, brought up to date first where that is asked for.
fn page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let path = folder().join("../../../docs/hashing.md");
        let page = std::fs::read_to_string(&path).expect("the page is there");
        if std::env::var_os("UPDATE").is_none() {
            return page;
        }
        // The script reads the tables from the page, so they must be there before it runs.
        let page = with_tables(&page);
        std::fs::write(&path, &page).expect("the page can be written");
        let page = with_vectors(&page);
        std::fs::write(&path, &page).expect("the page can be written");
        page
    });
    &PAGE
}

/// A vector: where its two blocks are in the page.
struct Vector<'a> {
    title: &'a str,
    document: Range<usize>,
    hashes: Range<usize>,
}

impl Vector<'_> {
    /// What the page shows for it.
    fn shown(&self, page: &str) -> Value {
        json::parse(&page[self.hashes.clone()])
            .unwrap_or_else(|error| panic!("{}: {error:?}; run with UPDATE=1", self.title))
    }
}

fn vectors(page: &str) -> Vec<Vector<'_>> {
    const HEADING: &str = "\n### ";
    let start = page.find("\n## Vectors\n").expect("the page has vectors");
    let headings = page[start..].match_indices(HEADING).map(|(at, _)| start + at + HEADING.len());
    headings
        .map(|at| {
            let title = page[at..].lines().next().unwrap_or_default();
            let document = block(page, at);
            let hashes = block(page, document.end);
            Vector { title, document, hashes }
        })
        .collect()
}

/// Where the inside of the next block is.
fn block(page: &str, from: usize) -> Range<usize> {
    const FENCE: &str = "\n```json\n";
    let start = from + page[from..].find(FENCE).expect("a block follows") + FENCE.len();
    // The block may be empty, and then its second fence follows the line break of the first.
    let end = start + page[start - 1..].find("\n```").expect("the block ends");
    start..end
}

fn with_vectors(page: &str) -> String {
    let vectors = vectors(page);
    let documents: Vec<String> =
        vectors.iter().map(|vector| page[vector.document.clone()].to_string()).collect();
    let found = second_opinion(&documents).expect("UPDATE needs python3");
    let mut page = page.to_string();
    for (vector, found) in vectors.into_iter().zip(found).rev() {
        page.replace_range(vector.hashes, &format!("{}\n", json::pretty(&found)));
    }
    page
}

fn with_tables(page: &str) -> String {
    let ports = words(Port::ALL.map(Port::word));
    let kinds = words(Kind::ALL.map(Kind::word));
    [("ops", format!("\n{}", ops())), ("ports", ports), ("kinds", kinds)].into_iter().fold(
        page.to_string(),
        |mut page, (name, text)| {
            let mark = format!("<!-- generated: {name} -->");
            let start = page.find(&mark).expect("the page has a place for it") + mark.len();
            let end = start + page[start..].find("<!-- end -->").expect("the place ends");
            page.replace_range(start..end, &text);
            page
        },
    )
}

fn ops() -> String {
    let row = |op: &OpDef| {
        let ports: Vec<_> = op.ports.iter().map(|def| format!("`{}`", def.port)).collect();
        let slots: Vec<_> = op.slots.iter().map(slot).collect();
        format!("| `{}` | {} | {} |\n", op.name, ports.join(" "), slots.join("; "))
    };
    let rows: String = OPS.iter().map(row).collect();
    format!("| op | ports, in this order | slots |\n|---|---|---|\n{rows}")
}

fn slot(slot: &Slot) -> String {
    let kind = match slot.kind {
        SlotKind::Adapter => "adapter",
        SlotKind::Value => "value",
        SlotKind::FirstValue => "first",
        SlotKind::Values => "values",
        SlotKind::Condition => "condition",
        SlotKind::Bind => "bind",
        SlotKind::Callee => "callee",
        SlotKind::Target(_) | SlotKind::Protects => "edge",
        SlotKind::Name | SlotKind::Takes | SlotKind::Gives => "name",
        SlotKind::Word(known) => return format!("`{}` word: {}", slot.name, words(known)),
        SlotKind::Number => "number",
        SlotKind::Literal => "literal",
    };
    format!("`{}` {kind}", slot.name)
}

fn words<'a>(words: impl AsRef<[&'a str]>) -> String {
    words.as_ref().iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Documents may have errors: hashes do not ask.
fn read(text: &str) -> Graph {
    let reading =
        frontends::read(&Source::new("vector.json", text), Format::Graph, frontends::Ontology::V1);
    graph::normalize(reading.draft.expect("it is a document"), &mut Vec::new())
}

fn compiled(graph: &Graph) -> String {
    json::compact(&document::write(graph, &Hashes::of(graph)).into())
}

/// What the code computes, in the form of the page but without the texts.
fn hashes(graph: &Graph) -> Value {
    let found = Hashes::of(graph);
    let labels = graph.labels.iter().zip(found.labels.values());
    let labels = labels.map(|((name, label), hashes)| {
        let nodes = label.nodes.iter().zip(&hashes.nodes).map(|(node, hash)| {
            Value::map([("id", Value::Text(node.id.clone())), ("hash", shown(hash))])
        });
        let members = [("nodes", Value::list(nodes)), ("id_hash", shown(&hashes.label))];
        (name.clone(), Value::map(members))
    });
    Value::map([
        ("labels", Value::map(labels)),
        ("graph_semantic_checksum", shown(&found.checksum)),
    ])
}

fn shown(digest: &Digest) -> Value {
    Value::text(digest.to_string())
}

/// The same, as a document carries it.
fn carried_hashes(document: &Value) -> Value {
    let keep = |value: &Value, names: [&'static str; 2]| {
        Value::map(names.map(|name| (name, value.get(name).cloned().unwrap_or_default())))
    };
    let labels = document.get("labels").and_then(Value::as_map).expect("it has labels");
    let labels = labels.iter().map(|(name, label)| {
        let nodes = label.get("nodes").and_then(Value::as_list).expect("it has nodes");
        let nodes = Value::list(nodes.iter().map(|node| keep(node, ["id", "hash"])));
        let id_hash = label.get("id_hash").cloned().unwrap_or_default();
        (name.clone(), Value::map([("nodes", nodes), ("id_hash", id_hash)]))
    });
    let checksum = document.get("graph_semantic_checksum").cloned().unwrap_or_default();
    Value::map([("labels", Value::map(labels)), ("graph_semantic_checksum", checksum)])
}

/// Drops each `text` that stands beside a hash.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::Map(map) => Value::map(
            map.iter()
                .filter(|(name, value)| &***name != "text" || value.as_text().is_none())
                .map(|(name, value)| (name.clone(), without_texts(value))),
        ),
        Value::List(items) => Value::list(items.iter().map(without_texts)),
        scalar => scalar.clone(),
    }
}

/// Each `text` is the one that the hash beside it was made of; and there is one for each hash.
fn check_texts(title: &str, value: &Value) {
    const HASHES: [&str; 3] = ["hash", "id_hash", "graph_semantic_checksum"];
    match value {
        Value::Map(map) => {
            for hash in HASHES.iter().filter_map(|name| map.get(name)?.as_text()) {
                let text = map.get("text").and_then(Value::as_text).expect("a hash has its text");
                assert_eq!(Digest::of(text.as_bytes()).to_string(), **hash, "{title}: {text}");
            }
            map.iter().for_each(|(_, value)| check_texts(title, value));
        }
        Value::List(items) => items.iter().for_each(|item| check_texts(title, item)),
        _ => {}
    }
}

/// What `hashing.py` prints for each document; nothing where there is no Python.
#[expect(clippy::print_stdout, reason = "whoever looks must see that it was skipped")]
fn second_opinion(documents: &[String]) -> Option<Vec<Value>> {
    let child = Command::new("python3")
        .arg(folder().join("hashing.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("skipped: there is no python3 to ask for a second opinion");
            return None;
        }
        other => other.expect("python3 can be started"),
    };
    // It reads all of its input before it prints anything, so neither side can wait for ever.
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin.write_all(documents.join("\n").as_bytes()).expect("it reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "hashing.py failed:\n{error}");
    let text = String::from_utf8(output.stdout).expect("it prints UTF-8");
    // Only `\n` ends a line: `\u{2028}` may stand inside of text.
    let lines = text.trim_end().split('\n');
    let found: Vec<Value> = lines.map(|line| json::parse(line).expect("it prints JSON")).collect();
    assert_eq!(found.len(), documents.len());
    Some(found)
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}
