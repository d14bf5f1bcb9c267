//! Any bytes are a document or a list of findings, never a panic; and a graph that is printed
//! and read again is the same graph.
#![no_main]

use diagnostics::{Diagnostic, Source};
use graph::validate::{Edges, validate};
use graph::{Graph, draw};
use libfuzzer_sys::fuzz_target;
use value::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let source = Source::new("input", text);
    let Some(graph) = read(&source) else { return };
    let hashes = graph::hash::Hashes::of(&graph);
    let printed = json::pretty(&Value::from(frontends::document::write(&graph, &hashes)));

    let again = read(&Source::new("printed", printed.as_str())).expect("what is printed is read");
    let hashes_again = graph::hash::Hashes::of(&again);
    assert_eq!(hashes.checksum, hashes_again.checksum, "printed as\n{printed}");
    let printed_again =
        json::pretty(&Value::from(frontends::document::write(&again, &hashes_again)));
    assert_eq!(printed, printed_again);

    draw::outline(&graph, None);
    draw::mermaid(&graph, None);
    draw::svg(&graph, None);
    assert!(graph::diff::diff(&graph, &again).is_empty());
});

/// What `quipu check` does, up to showing what it found.
fn read(source: &Source) -> Option<Graph> {
    let frontends::Reading { draft, mut findings, .. } =
        frontends::read(source, frontends::Format::Graph, frontends::Ontology::V1);
    let graph = draft.map(|draft| {
        let graph = graph::normalize(draft, &mut findings);
        findings.extend(validate(&graph, Edges::Strict));
        graph
    });
    frontends::locate(source, &mut findings);
    for finding in &mut findings {
        let inside = finding.anchors_mut().all(|at| source.text.get(at.span().range()).is_some());
        assert!(inside, "a span is outside of the text: {}", shown(source, finding));
    }
    graph
}

fn shown(source: &Source, finding: &Diagnostic) -> String {
    diagnostics::render::line(source, finding)
}
