//! What a spec costs from text to a checked graph, by the number of its processes.
//!
//! `limit_yaml` is the least that any reader pays: the events of the YAML parser alone.
//! `corpus` reads every spec of the folder that `QUIPU_CORPUS` names, in one go.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use diagnostics::Source;
use divan::{Bencher, black_box, counter::ItemsCount};
use frontends::Ontology;
use graph::Graph;
use graph::validate::{Edges, validate};

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 3] = [1_000, 3_000, 10_000];

fn main() {
    divan::main();
}

fn source(processes: usize) -> Source {
    Source::new("bench.yaml", sim::spec(1, processes))
}

fn check(source: &Source) -> Option<Graph> {
    let mut reading = frontends::ontology::read(source, Ontology::V02);
    let graph = graph::normalize(reading.draft?, &mut reading.findings);
    reading.findings.extend(validate(&graph, Edges::Strict));
    reading.findings.extend(compiler::analyse(&graph));
    reading.origins.trace(&mut reading.findings);
    Some(graph)
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn read_check_lower(bencher: Bencher<'_, '_>, processes: usize) {
    let source = source(processes);
    bencher
        .counter(ItemsCount::new(processes))
        .bench_local(|| check(black_box(&source)).unwrap().labels.len());
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn read_tree(bencher: Bencher<'_, '_>, processes: usize) {
    let source = source(processes);
    bencher
        .counter(ItemsCount::new(processes))
        .bench_local(|| frontends::yaml::read(black_box(&source), &mut Vec::new()).is_some());
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn limit_yaml(bencher: Bencher<'_, '_>, processes: usize) {
    let source = source(processes);
    bencher.counter(ItemsCount::new(processes)).bench_local(|| {
        saphyr_parser::Parser::new_from_str(black_box(&source.text)).filter(Result::is_ok).count()
    });
}

#[divan::bench(sample_count = 30)]
fn corpus(bencher: Bencher<'_, '_>) {
    let Some(folder) = std::env::var_os("QUIPU_CORPUS") else { return };
    let folder = std::path::Path::new(&folder).join("ontology/specs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<Source> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| Source::new("spec.yaml", std::fs::read_to_string(path).unwrap()))
        .collect();
    bencher
        .counter(ItemsCount::new(sources.len()))
        .bench_local(|| sources.iter().filter_map(check).count());
}
