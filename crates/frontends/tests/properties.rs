//! What holds for every graph: hashes follow meaning, differences can be applied, rewrites keep
//! graphs valid. Documents come from seeds, so a failing case is one number.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use diagnostics::Source;
use graph::diff::{apply, diff};
use graph::hash::Hashes;
use graph::ops::Port;
use graph::rewrite::{Patch, rewrite};
use graph::validate::{Edges, validate};
use graph::{Edge, Graph, Kind, Label, Operand};
use proptest::prelude::*;
use sim::Random;
use value::{Map, Value, json};

/// A graph with all sorts of edges: repeated, from and to nowhere, by ports that the op lacks.
fn wild(random: &mut Random, size: usize) -> Graph {
    let node = |random: &mut Random, at: usize| {
        let op = *random.pick(&["R", "Set", "If", "J", "Err", "Retry", "Zap"]);
        let data = Value::map([
            ("name", (*random.pick(&["a", "b"])).into()),
            ("count", (*random.pick(&["1", "often"])).into()),
            ("cond", (*random.pick(&["x", "x > 3", "x over 3", "x over 4"])).into()),
        ]);
        Value::map([("id", format!("n{}", at + 1).into()), ("op", op.into()), ("data", data)])
    };
    let nodes: Vec<Value> = (0..size).map(|at| node(random, at)).collect();
    let edge = |random: &mut Random| {
        let to = match random.below(5) {
            0 => ("main".to_string(), "label"),
            _ => (format!("n{}", random.between(1, size + 1)), "node"),
        };
        let port = *random.pick(&["next", "then", "else", "err", "retry", "branch"]);
        Value::map([
            ("from", format!("n{}", random.between(1, size)).into()),
            ("to", to.0.into()),
            ("to_kind", to.1.into()),
            ("port", port.into()),
        ])
    };
    let edges: Vec<Value> = (0..random.below(2 * size)).map(|_| edge(random)).collect();
    let label = Value::map([("nodes", Value::list(nodes)), ("edges", Value::list(edges))]);
    normalised(&Value::map([("labels", Value::map([("main", label)]))]))
}

/// Reads a document that may have errors.
fn normalised(document: &Value) -> Graph {
    let source = Source::new("test.json", json::compact(document));
    let reading = frontends::read(&source, frontends::Format::Graph, frontends::Ontology::V1);
    graph::normalize(reading.draft.expect("it is a document"), &mut Vec::new())
}

fn read(document: &Value) -> Graph {
    let source = Source::new("test.json", json::compact(document));
    let mut reading = frontends::read(&source, frontends::Format::Graph, frontends::Ontology::V1);
    let graph = graph::normalize(reading.draft.expect("it is a document"), &mut reading.findings);
    assert!(reading.findings.is_empty(), "{:?}", reading.findings);
    graph
}

fn print(graph: &Graph) -> Value {
    frontends::document::write(graph, &Hashes::of(graph)).into()
}

fn checksum(graph: &Graph) -> String {
    Hashes::of(graph).checksum.to_string()
}

fn cases() -> ProptestConfig {
    let slow = std::env::var_os("QUIPU_SLOW").is_some();
    ProptestConfig { cases: if slow { 300 } else { 32 }, ..ProptestConfig::default() }
}

/// A patch of one to three changes that are often possible and sometimes not.
fn random_patch(random: &mut Random, graph: &Graph) -> Value {
    let changes = (0..random.between(1, 3)).map(|_| random_change(random, graph));
    Value::map([("ops", Value::list(changes.collect::<Vec<_>>()))])
}

fn random_change(random: &mut Random, graph: &Graph) -> Value {
    let labels: Vec<_> = graph.labels.iter().collect();
    let (id, label) = *random.pick(&labels);
    let node = &random.pick(&label.nodes).id;
    let other_label = Value::Text(random.pick(&labels).0.clone());
    let (op, members): (&str, Vec<(&str, Value)>) = match random.below(7) {
        0 => {
            let data = Value::map([("name", "fresh".into()), ("ref", "hello".into())]);
            let new = Value::map([("op", "Set".into()), ("data", data)]);
            ("insert_node_after", vec![("after", Value::Text(node.clone())), ("node", new)])
        }
        1 => {
            let to = Value::Text(random.pick(&label.nodes).id.clone());
            (
                "rewire_edge",
                vec![("from", Value::Text(node.clone())), ("port", "next".into()), ("to", to)],
            )
        }
        2 => ("remove_node", vec![("node", Value::Text(node.clone()))]),
        3 => {
            let data = Value::map([("out", "renamed".into()), ("count", Value::Int(7))]);
            ("set_node_data", vec![("node", Value::Text(node.clone())), ("data", data)])
        }
        4 => ("wrap_r_with_retry", vec![("node", Value::Text(node.clone()))]),
        5 => (
            "attach_err_handler",
            vec![("node", Value::Text(node.clone())), ("handler", other_label)],
        ),
        _ => {
            let port = *random.pick(&["then", "else", "after", "handler"]);
            (
                "rewire_edge",
                vec![
                    ("from", Value::Text(node.clone())),
                    ("port", port.into()),
                    ("to", other_label),
                ],
            )
        }
    };
    let mut change: Map =
        [("op".into(), op.into()), ("label".into(), Value::Text(id.clone()))].into_iter().collect();
    change.extend(members.into_iter().map(|(name, value)| (name.into(), value)));
    change.into()
}

/// A graph some rewrites away.
fn rewritten(random: &mut Random, graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for _ in 0..random.between(1, 6) {
        let patch =
            Patch::from_value(&random_patch(random, &graph)).expect("the patch is well formed");
        if let Ok(next) = rewrite(&graph, &patch) {
            graph = next;
        }
    }
    graph
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_printed_graph_reads_back_as_itself(seed: u64, size in 1usize..120) {
        let graph = read(&sim::document(seed, size));
        prop_assert!(validate(&graph, Edges::Strict).is_empty());
        let printed = print(&graph);
        let again = read(&printed);
        prop_assert_eq!(json::compact(&print(&again)), json::compact(&printed));
    }

    #[test]
    fn hashes_ignore_lines_key_order_and_numbers(seed: u64, size in 1usize..80) {
        let document = sim::document(seed, size);
        let mut random = Random::new(seed);
        let shuffled = shuffle(&mut random, &document);
        prop_assert_eq!(checksum(&read(&document)), checksum(&read(&shuffled)));
    }

    #[test]
    fn hashes_notice_every_slot_and_edge(seed: u64, size in 1usize..40) {
        let graph = read(&sim::document(seed, size));
        let before = checksum(&graph);
        for (label, node) in everywhere(&graph) {
            let operands: Vec<_> = graph.labels[label].nodes[node].operands.iter().map(|(slot, _)| slot).collect();
            for slot in operands {
                let mut changed = graph.clone();
                let touched = &mut changed.labels.get_mut(label).unwrap().nodes[node];
                let op = touched.def().unwrap();
                let other = graph::Filled::One(Operand::Lit("something else".into()));
                touched.operands.set(op, slot, Some(other));
                prop_assert_ne!(&checksum(&changed), &before, "{} {}", op.name, slot.name);
            }
        }
        let edits: [fn(&mut Vec<Edge>, usize); 4] = [
            |edges, at| drop(edges.remove(at)),
            |edges, at| edges[at].port = Some(Port::Expired),
            |edges, at| edges[at].to = "elsewhere".into(),
            |edges, at| edges.push(edges[at].clone()),
        ];
        for (label, edges) in graph.labels.iter().map(|(id, label)| (id, label.edges.len())) {
            for edge in 0..edges {
                for edit in edits {
                    let mut changed = graph.clone();
                    edit(&mut changed.labels.get_mut(label).unwrap().edges, edge);
                    prop_assert_ne!(&checksum(&changed), &before);
                }
            }
        }
    }

    #[test]
    fn a_difference_applied_gives_the_other_graph(seed: u64, size in 1usize..100, far in any::<bool>()) {
        let old = read(&sim::document(seed, size));
        let mut random = Random::new(seed ^ 1);
        let new = if far { read(&sim::document(seed ^ 2, size)) } else { rewritten(&mut random, &old) };
        let found = diff(&old, &new);
        prop_assert_eq!(found.is_empty(), checksum(&old) == checksum(&new), "{}", found.summary());
        let made = apply(&found, &old);
        prop_assert_eq!(checksum(&made), checksum(&new), "{}", found.summary());
        for (id, label) in &new.labels {
            prop_assert_eq!(order(&made.labels[id]), order(label));
        }
    }

    #[test]
    fn a_difference_of_graphs_with_errors_applies_too(seed: u64, size in 1usize..9) {
        let mut random = Random::new(seed);
        let (old, new) = (wild(&mut random, size), wild(&mut random, size));
        let found = diff(&old, &new);
        prop_assert_eq!(found.is_empty(), checksum(&old) == checksum(&new), "{}", found.summary());
        prop_assert_eq!(checksum(&apply(&found, &old)), checksum(&new), "{}", found.summary());
        prop_assert!(diff(&old, &old).is_empty());
        let printed = print(&old);
        let again = normalised(&printed);
        prop_assert_eq!(json::compact(&print(&again)), json::compact(&printed));
    }

    #[test]
    fn rewrites_keep_graphs_valid_and_hashes_fresh(seed: u64, size in 1usize..80) {
        let graph = read(&sim::document(seed, size));
        let before = json::compact(&print(&graph));
        let mut random = Random::new(seed ^ 3);
        let patch = Patch::from_value(&random_patch(&mut random, &graph)).expect("the patch is well formed");
        let result = rewrite(&graph, &patch);
        prop_assert_eq!(json::compact(&print(&graph)), before, "the graph given stays as it is");
        match result {
            Err(refusal) => prop_assert!(!refusal.message.is_empty()),
            Ok(made) => {
                prop_assert!(validate(&made, Edges::Strict).is_empty());
                // Nothing derived is stale: reading what is printed derives the same again.
                let printed = print(&made);
                prop_assert_eq!(json::compact(&print(&read(&printed))), json::compact(&printed));
            }
        }
    }
}

#[test]
fn the_checksum_notices_the_rest_of_the_document() {
    let graphs = (0..).map(|seed| read(&sim::document(seed, 10)));
    let graph = graphs.into_iter().find(|graph| !graph.endpoints.is_empty()).unwrap();
    let before = checksum(&graph);
    type Edit = fn(&mut Graph);
    let edits: [(&str, Edit); 7] = [
        ("cron", |graph| graph.crons.push(Value::map([("label", "1".into())]))),
        ("capability", |graph| drop(graph.capabilities.insert("auth".into(), true.into()))),
        ("policy", |graph| drop(graph.runtime_policy.insert("limit".into(), 3.into()))),
        ("prompt", |graph| {
            let agents = graph.declarations.of_mut(Kind::Agents);
            agents.insert("writer".into(), Value::map([("prompt", "Be brief.".into())]));
        }),
        ("endpoint", |graph| graph.endpoints.clear()),
        ("label", |graph| {
            let label = graph.labels.values().next().unwrap().clone();
            graph.labels.insert("again".into(), label);
        }),
        ("entry", |graph| graph.labels.values_mut().next().unwrap().entry = Some("n2".into())),
    ];
    for (what, edit) in edits {
        let mut changed = graph.clone();
        edit(&mut changed);
        assert_ne!(checksum(&changed), before, "{what}");
    }
}

fn everywhere(graph: &Graph) -> Vec<(&str, usize)> {
    let labels = graph.labels.iter();
    labels.flat_map(|(id, label)| (0..label.nodes.len()).map(move |node| (&**id, node))).collect()
}

/// The nodes of a label in order, by what they are.
fn order(label: &Label) -> Vec<String> {
    label.nodes.iter().map(|node| graph::hash::hash_node(node).to_string()).collect()
}

/// The same graph, written otherwise: keys in another order, no line numbers, nodes in another
/// order with other numbers.
fn shuffle(random: &mut Random, document: &Value) -> Value {
    match document {
        Value::Map(map) if map.contains_key("nodes") => shuffle_label(random, map),
        Value::Map(map) => {
            let kept = map.iter().filter(|(name, _)| &***name != "lineno");
            let members: Vec<_> =
                kept.map(|(name, value)| (name.clone(), shuffle(random, value))).collect();
            Value::map(shuffled(random, members))
        }
        Value::List(items) => {
            Value::list(items.iter().map(|item| shuffle(random, item)).collect::<Vec<_>>())
        }
        other => other.clone(),
    }
}

fn shuffle_label(random: &mut Random, label: &Map) -> Value {
    let nodes = label["nodes"].as_list().unwrap().to_vec();
    let nodes = shuffled(random, nodes);
    let id = |node: &Value| node.get("id").unwrap().as_text().unwrap().clone();
    let new_id =
        |old: &str| format!("n{}", nodes.iter().position(|node| &*id(node) == old).unwrap() + 1);
    let edges = label["edges"].as_list().unwrap().iter().map(|edge| {
        let mut edge = edge.as_map().unwrap().clone();
        let is_node = edge["to_kind"] == Value::text("node");
        for end in if is_node { vec!["from", "to"] } else { vec!["from"] } {
            let named = edge[end].as_text().unwrap().clone();
            edge.insert(end.into(), new_id(&named).into());
        }
        Value::from(edge)
    });
    let edges = shuffled(random, edges.collect::<Vec<_>>());
    let renumbered = nodes.iter().map(|node| {
        let mut members = node.as_map().unwrap().clone();
        members.insert("id".into(), new_id(&id(node)).into());
        shuffle(&mut Random::new(1), &members.into())
    });
    let entry = new_id("n1");
    Value::map([
        ("edges", Value::list(edges)),
        ("entry", entry.into()),
        ("nodes", Value::list(renumbered.collect::<Vec<_>>())),
    ])
}

fn shuffled<T>(random: &mut Random, mut items: Vec<T>) -> Vec<T> {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
    items
}
