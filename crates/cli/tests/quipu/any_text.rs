//! What holds for any text at all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use diagnostics::{Source, render};
use graph::validate::{Edges, validate};
use proptest::prelude::*;
use value::json;

/// What the binary does with a text, in this process: findings with their places, every output.
/// Everything that is printed must be readable again, with the same meaning.
fn in_process(text: &str) -> Result<(), String> {
    let source = Source::new("text", text);
    let Some((graph, printed)) = read(&source)? else { return Ok(()) };
    let again = Source::new("printed", printed.as_str());
    let (graph_again, printed_again) = read(&again)?.ok_or("what is printed cannot be read")?;
    if printed != printed_again {
        return Err(format!("printed again, it is another document:\n{printed}\n{printed_again}"));
    }
    if !graph::diff::diff(&graph, &graph_again).is_empty() {
        return Err("printed and read again, it is another graph".to_string());
    }
    graph::draw::outline(&graph, None);
    graph::draw::mermaid(&graph, None);
    graph::draw::svg(&graph, None);
    Ok(())
}

/// The graph with its document, where the text has one.
pub(crate) fn read(source: &Source) -> Result<Option<(graph::Graph, String)>, String> {
    let frontends::Reading { draft, mut findings, origins, .. } =
        frontends::read(source, frontends::detect(source), frontends::Ontology::V1);
    let graph = draft.map(|draft| {
        let graph = graph::normalize(draft, &mut findings);
        findings.extend(validate(&graph, Edges::Strict));
        graph
    });
    origins.trace(&mut findings);
    frontends::locate(source, &mut findings);
    for finding in &mut findings {
        if finding.anchors_mut().any(|at| source.text.get(at.span().range()).is_none()) {
            return Err(format!("outside of the text: {}", render::line(source, finding)));
        }
        render::text(source, finding, render::Style::Plain);
        render::value(source, finding);
    }
    if graph.is_none() && findings.is_empty() {
        return Err("neither a graph nor a finding".to_string());
    }
    Ok(graph.map(|graph| {
        let hashes = graph::hash::Hashes::of(&graph);
        let printed = json::pretty(&frontends::document::write(&graph, &hashes).into());
        (graph, printed)
    }))
}

/// As `in_process`, where a panic is a failure that names its text.
pub(crate) fn survives(text: &str) -> Result<(), String> {
    let result = catch_unwind(AssertUnwindSafe(|| in_process(text)));
    let result = result.unwrap_or_else(|_| Err("it panicked".to_string()));
    result.map_err(|why| format!("{why}, for the text\n{text}"))
}

/// Pieces that documents are made of, in an order that makes no sense.
fn scraps() -> impl Strategy<Value = String> {
    const SCRAPS: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u00",
        "\n",
        "\r\n",
        " ",
        "null",
        "true",
        "-",
        "1e9",
        "0.5",
        "99999999999999999999",
        "\"labels\":",
        "\"1\":",
        "\"nodes\":[",
        "\"edges\":[",
        "\"id\":",
        "\"op\":",
        "\"data\":{",
        "\"n1\"",
        "\"R\"",
        "\"J\"",
        "\"If\"",
        "\"port\":",
        "\"next\"",
        "\"legacy\":{\"steps\":[",
        "\"exits\":[",
        "ü",
        "😀",
        "\u{feff}",
        "\u{0}",
    ];
    prop::collection::vec(prop::sample::select(SCRAPS), 0..60).prop_map(|scraps| scraps.concat())
}

/// A valid document in which a few places were overwritten, cut out or repeated.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0usize..20, scraps(), any::<bool>());
    (any::<u64>(), 1usize..30, prop::collection::vec(edit, 0..4)).prop_map(|(seed, size, edits)| {
        let mut text = json::pretty(&sim::document(seed, size));
        for (place, length, scrap, repeat) in edits {
            let near = |text: &str, at: usize| text.floor_char_boundary(at.min(text.len()));
            let start = near(&text, place.index(text.len() + 1));
            let end = near(&text, start + length);
            let new = if repeat { text[start..end].repeat(2) } else { scrap };
            text.replace_range(start..end, &new);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("QUIPU_SLOW").is_some() { 2_000 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_panics_and_every_finding_has_a_span_inside_of_it(
        text in prop_oneof![scraps(), mutated(), any::<String>()],
    ) {
        survives(&text).map_err(TestCaseError::fail)?;
    }
}
