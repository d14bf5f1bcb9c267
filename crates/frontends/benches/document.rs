//! What a document costs from text to hashes, and what a comparison costs, by size.
//!
//! `limit_parse` is the least that any reader pays: a generic JSON parse of the same text.
//! `compiled` documents carry every derived member, and are about four times as long.

use diagnostics::Source;
use divan::{Bencher, black_box, counter::ItemsCount};
use graph::Graph;
use graph::hash::Hashes;
use graph::validate::{Edges, validate};

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn text(nodes: usize) -> String {
    value::json::compact(&sim::document(1, nodes))
}

fn compiled_text(nodes: usize) -> String {
    let graph = read(&Source::new("bench.json", text(nodes)));
    value::json::compact(&frontends::document::write(&graph, &Hashes::of(&graph)).into())
}

fn read(source: &Source) -> Graph {
    let mut reading = frontends::read(source, frontends::detect(source), frontends::Ontology::V1);
    let graph =
        graph::normalize(reading.draft.expect("the document can be read"), &mut reading.findings);
    assert!(reading.findings.is_empty(), "the document is clean");
    graph
}

fn end_to_end(source: &Source) -> (Graph, Hashes) {
    let graph = read(source);
    assert!(validate(&graph, Edges::Strict).is_empty());
    let hashes = Hashes::of(&graph);
    (graph, hashes)
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn read_normalise_validate_hash(bencher: Bencher<'_, '_>, nodes: usize) {
    let source = Source::new("bench.json", text(nodes));
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| end_to_end(black_box(&source)));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn read_normalise_validate_hash_compiled(bencher: Bencher<'_, '_>, nodes: usize) {
    let source = Source::new("bench.json", compiled_text(nodes));
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| end_to_end(black_box(&source)));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn limit_parse(bencher: Bencher<'_, '_>, nodes: usize) {
    let text = text(nodes);
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| serde_json::from_str::<serde_json::Value>(black_box(&text)));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn limit_parse_compiled(bencher: Bencher<'_, '_>, nodes: usize) {
    let text = compiled_text(nodes);
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| serde_json::from_str::<serde_json::Value>(black_box(&text)));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn diff(bencher: Bencher<'_, '_>, nodes: usize) {
    let old = read(&Source::new("old.json", text(nodes)));
    let edited = text(nodes).replace("\"count\":3", "\"count\":4");
    let new = read(&Source::new("new.json", edited));
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| graph::diff::diff(black_box(&old), black_box(&new)).is_empty());
}
