//! What a document costs from text to hashes, and what a comparison costs, by size.
//!
//! `limit_parse` is the least that any reader pays: a generic JSON parse of the same text.
//! Allocation columns divided by the number of nodes are the bytes per node.

use diagnostics::Source;
use divan::{AllocProfiler, Bencher, black_box, counter::ItemsCount};
use graph::Graph;
use graph::hash::Hashes;
use graph::validate::{Edges, validate};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn text(nodes: usize) -> String {
    value::json::compact(&sim::document(1, nodes))
}

fn read(source: &Source) -> Graph {
    let mut reading = frontends::read(source, frontends::detect(&source.text));
    let graph = graph::normalize(reading.draft.expect("the document can be read"), &mut reading.findings);
    assert!(reading.findings.is_empty(), "the document is clean");
    graph
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn read_normalise_validate_hash(bencher: Bencher<'_, '_>, nodes: usize) {
    let source = Source::new("bench.json", text(nodes));
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        let graph = read(black_box(&source));
        assert!(validate(&graph, Edges::Strict).is_empty());
        Hashes::of(&graph).checksum
    });
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn limit_parse(bencher: Bencher<'_, '_>, nodes: usize) {
    let text = text(nodes);
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| serde_json::from_str::<serde_json::Value>(black_box(&text)).map(|value| value.is_object()));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn diff(bencher: Bencher<'_, '_>, nodes: usize) {
    let old = read(&Source::new("old.json", text(nodes)));
    let edited = text(nodes).replace("\"count\":3", "\"count\":4");
    let new = read(&Source::new("new.json", edited));
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| graph::diff::diff(black_box(&old), black_box(&new)).is_empty());
}
