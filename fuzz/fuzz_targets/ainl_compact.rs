//! Any text below a header is a program in the compact syntax of AINL or a list of findings, never
//! a panic; and its graph, printed and read again, is the same graph.
#![no_main]

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::validate::{Edges, validate};
use libfuzzer_sys::fuzz_target;
use value::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let source = Source::new("input", format!("main:\n{text}"));
    let mut reading = frontends::read(&source, Format::Ainl, Ontology::V1);
    let draft = reading.draft.expect("any text is a program");
    let graph = graph::normalize(draft, &mut reading.findings);
    reading.findings.extend(validate(&graph, Edges::Strict));
    reading.findings.extend(compiler::analyse(&graph));
    reading.origins.trace(&mut reading.findings);
    for finding in &mut reading.findings {
        let inside = finding.anchors_mut().all(|at| source.text.get(at.span().range()).is_some());
        assert!(inside, "a span is outside of the text: {}", diagnostics::render::line(&source, finding));
    }
    let hashes = graph::hash::Hashes::of(&graph);
    let printed = json::pretty(&Value::from(frontends::document::write(&graph, &hashes)));
    let again = frontends::read(&Source::new("printed", printed.as_str()), Format::Graph, Ontology::V1);
    let again = graph::normalize(again.draft.expect("what is printed is read"), &mut Vec::new());
    assert_eq!(hashes.checksum, graph::hash::Hashes::of(&again).checksum, "printed as\n{printed}");
});
