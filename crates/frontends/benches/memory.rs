//! What a graph costs in memory: `max alloc` divided by the number of nodes is the bytes per node,
//! with the text's own values still alive beside the graph.

use diagnostics::Source;
use divan::{AllocProfiler, Bencher, black_box};
use graph::hash::Hashes;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = [10_000, 100_000], sample_count = 3)]
fn graph_and_hashes(bencher: Bencher<'_, '_>, nodes: usize) {
    let source = Source::new("bench.json", value::json::compact(&sim::document(1, nodes)));
    bencher.bench_local(|| {
        let mut reading =
            frontends::read(black_box(&source), frontends::Format::Graph, frontends::Ontology::V1);
        let draft = reading.draft.expect("the document can be read");
        let graph = graph::normalize(draft, &mut reading.findings);
        let hashes = Hashes::of(&graph);
        (graph, hashes)
    });
}
