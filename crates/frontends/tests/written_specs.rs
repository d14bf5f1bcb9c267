//! Specs that become graphs and specs again: what was written means the same.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use diagnostics::Source;
use frontends::{Format, Lost, Ontology, ontology};
use graph::Graph;
use graph::hash::Hashes;

/// The graph of a spec, where its text has no error.
fn graph_of(name: &str, text: &str) -> Option<(Graph, Ontology)> {
    [Ontology::V1, Ontology::V02].into_iter().find_map(|version| {
        let source = Source::new(name, text.to_string());
        let mut reading = frontends::read(&source, Format::Ontology, version);
        let graph = graph::normalize(reading.draft?, &mut reading.findings);
        (!diagnostics::any_error(&reading.findings)).then_some((graph, version))
    })
}

/// What is lost when a spec is written again; the text of it must be read again without errors,
/// and mean the same unless something was lost.
fn written_again(name: &str, text: &str) -> Option<Vec<Lost>> {
    let (graph, version) = graph_of(name, text)?;
    let (written, lost) = ontology::write(&graph);
    let source = Source::new("written.yaml", written.clone());
    let mut reading = frontends::read(&source, Format::Ontology, version);
    let again = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    assert!(
        !diagnostics::any_error(&reading.findings),
        "{name}: {:?}\n{written}",
        reading.findings
    );
    if lost.is_empty() {
        assert_eq!(Hashes::of(&graph).checksum, Hashes::of(&again).checksum, "{name}\n{written}");
        let (twice, _) = ontology::write(&again);
        assert_eq!(written, twice, "{name}: writing it twice changes it");
    }
    Some(lost)
}

#[test]
fn our_own_specs_mean_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in [
        "crates/frontends/tests/specs/everything.yaml",
        "crates/cli/templates/self-refine.yaml",
        "crates/cli/templates/human-approval.yaml",
        "crates/cli/templates/react.yaml",
        "examples/research/agent.yaml",
        "examples/handbook/agent.yaml",
        "examples/support.yaml",
        "examples/refunds/agent.yaml",
    ] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert_eq!(written_again(file, &text), Some(Vec::new()), "{file}");
    }
}

#[test]
fn a_process_that_does_something_else_is_reported() {
    let text = include_str!("specs/everything.yaml");
    let (mut graph, _) = graph_of("everything.yaml", text).unwrap();
    // A process goes on where its edges lead; this one is made to end before.
    let id: value::Text = "brief".into();
    let label = graph.labels.get_mut(&id).unwrap();
    let ends = label.edges.len();
    label.edges.retain(|edge| edge.to_kind != graph::ToKind::Label);
    label.edges.retain(|edge| edge.from != label.nodes[0].id);
    assert!(label.edges.len() < ends);
    let (_, lost) = ontology::write(&graph);
    assert!(lost.iter().any(|lost| lost.at == "brief"), "{lost:?}");
}

#[test]
fn made_up_specs_mean_the_same() {
    for seed in 0..150 {
        let spec = sim::spec(seed, 4 + (seed as usize % 40));
        assert_eq!(written_again("sim.yaml", &spec), Some(Vec::new()), "seed {seed}\n{spec}");
    }
}

#[test]
fn specs_of_the_corpus_mean_the_same() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let entries = std::fs::read_dir(Path::new(&corpus).join("ontology/specs")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let (mut written, mut differing) = (0, Vec::new());
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        match written_again(&name, &text) {
            Some(lost) if lost.is_empty() => written += 1,
            Some(lost) => differing.push(format!("{name}: {lost:?}")),
            None => {}
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(written > 20, "{written}");
}
