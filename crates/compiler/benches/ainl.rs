//! What it costs to check AINL: from the text to a graph that was validated and analysed, by the
//! number of lines.

use diagnostics::Source;
use divan::{Bencher, black_box, counter::ItemsCount};
use frontends::{Format, Ontology};
use graph::validate::{Edges, validate};

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn main() {
    divan::main();
}

fn source(lines: usize) -> (Source, usize) {
    let text = sim::program(7, lines);
    let count = text.lines().count();
    (Source::new("program.ainl", text), count)
}

fn draft(source: &Source) -> graph::draft::Draft {
    let reading = frontends::read(source, Format::Ainl, Ontology::V1);
    assert!(reading.findings.is_empty(), "the program is clean");
    reading.draft.expect("a program always has one")
}

/// The text alone: words, steps, names.
#[divan::bench(args = LINES, sample_count = 10, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>, lines: usize) {
    let (source, count) = source(lines);
    bencher.counter(ItemsCount::new(count)).bench_local(|| draft(black_box(&source)));
}

/// To a checked graph.
#[divan::bench(args = LINES, sample_count = 10, sample_size = 1)]
fn check(bencher: Bencher<'_, '_>, lines: usize) {
    let (source, count) = source(lines);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut findings = Vec::new();
        let graph = graph::normalize(draft(black_box(&source)), &mut findings);
        findings.extend(validate(&graph, Edges::Strict));
        findings.extend(compiler::analyse(&graph));
        assert!(findings.is_empty(), "{findings:?}");
        graph
    });
}
