//! Programs of the reference, compiled by us and by it. They are read in place, from the folder
//! that `QUIPU_CORPUS` names; without it the test says so and passes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::hash::Hashes;
use value::{Value, json};

/// Where a compiled program is not what the reference makes of it, and why. Each is met, and
/// nothing else differs.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    (
        "compact_if",
        "labels/_entry/nodes/1",
        "the comparison is computed; the reference stores the text `(core.eq`, which always holds",
    ),
    (
        "compact_if",
        "labels/_entry/emit_edges",
        "a comparison is an `X`, and only `R` and `Set` have edges of data",
    ),
    (
        "mem_types",
        "labels/1/nodes/3",
        "exporting what is remembered changes nothing; the reference has no contract for the verb",
    ),
    ("mem_types", "labels/1/nodes/8", OLD_OP),
    ("mem_types", "labels/1/nodes/9", OLD_OP),
    ("mem_types", "labels/1/nodes/10", OLD_OP),
    ("mem_types", "labels/1/emit_edges", OLD_OP),
];

/// Why some nodes have another op.
const OLD_OP: &str = "what calls an adapter is an `R`, also where the reference has an op for it";

/// Members of nodes that say what a node is. `reads` and `writes` are ours.
const OF_NODES: [&str; 4] = ["id", "op", "effect", "effect_tier"];

/// Members of labels beside the nodes.
const OF_LABELS: [&str; 4] = ["edges", "entry", "exits", "emit_edges"];

/// Members of the document that are recorded.
const OF_DOCUMENTS: [&str; 4] = ["services", "types", "crons", "capabilities"];

#[test]
fn programs_become_the_graphs_that_the_reference_makes() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let folder = Path::new(&corpus).join("ainl");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(files.len() > 40, "the corpus is incomplete");
    let mut different = BTreeSet::new();
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let recorded = json::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let text = recorded.get("source").and_then(Value::as_text).unwrap();
        let places = differences(&recorded, &compiled(text));
        different.extend(places.into_iter().map(|place| (name.clone(), place)));
    }
    let expected: BTreeSet<(String, String)> =
        DEVIATIONS.iter().map(|(name, place, _)| (name.to_string(), place.to_string())).collect();
    let unexpected: Vec<_> = different.difference(&expected).collect();
    let missing: Vec<_> = expected.difference(&different).collect();
    assert!(unexpected.is_empty() && missing.is_empty(), "{unexpected:#?}, not met: {missing:#?}");
}

fn compiled(text: &str) -> Value {
    let source = Source::new("case.ainl", text);
    assert_eq!(frontends::detect(&source), Format::Ainl, "{text}");
    let mut reading = frontends::read(&source, Format::Ainl, Ontology::V1);
    let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    frontends::document::write(&graph, &Hashes::of(&graph)).into()
}

/// The places where two documents differ.
fn differences(recorded: &Value, ours: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let mut compare = |place: String, recorded: Option<Value>, ours: Option<Value>| {
        if recorded != ours {
            places.push(place);
        }
    };
    for name in OF_DOCUMENTS {
        // Where the reference had none, it was not recorded; we always have `services.core.eps`.
        if let Some(recorded) = recorded.get(name) {
            let mut own = ours.get(name).cloned();
            if name == "services" && recorded.get("core").is_none() {
                own = own.map(|own| without(&own, &["core"]));
            }
            compare(name.to_string(), Some(sorted(recorded)), own.as_ref().map(sorted));
        }
    }
    let labels = |of: &Value| of.get("labels").and_then(Value::as_map).cloned().unwrap();
    let (recorded, ours) = (labels(recorded), labels(ours));
    let ids = |of: &value::Map| Value::list(of.keys().cloned().map(Value::Text));
    compare("labels".to_string(), Some(ids(&recorded)), Some(ids(&ours)));
    for (id, label) in recorded.iter() {
        let own = ours.get(id);
        for name in OF_LABELS {
            let of = |label: Option<&Value>| Some(sorted(label?.get(name)?));
            compare(format!("labels/{id}/{name}"), of(Some(label)), of(own));
        }
        let nodes = |label: Option<&Value>| {
            let nodes = label.and_then(|label| label.get("nodes")).and_then(Value::as_list);
            nodes.unwrap_or_default().to_vec()
        };
        let (recorded, ours) = (nodes(Some(label)), nodes(own));
        for at in 0..recorded.len().max(ours.len()) {
            let place = format!("labels/{id}/nodes/{at}");
            compare(place, recorded.get(at).map(node), ours.get(at).map(node));
        }
    }
    places
}

/// What is compared of a node.
fn node(node: &Value) -> Value {
    let members = OF_NODES.map(|name| (name, node.get(name).cloned().unwrap_or(Value::Null)));
    let data = node.get("data").map(|data| without(data, &["raw", "lineno"]));
    let data = data.map(|data| ("data", sorted(&data)));
    Value::map(members.into_iter().chain(data))
}

fn without(map: &Value, names: &[&str]) -> Value {
    let members = map.as_map().unwrap().iter().filter(|(name, _)| !names.contains(&&***name));
    Value::map(members.map(|(name, value)| (name.clone(), value.clone())))
}

/// The order of members says nothing.
fn sorted(value: &Value) -> Value {
    json::parse(&json::canonical(value)).unwrap()
}
