//! What the analysis of a whole graph costs, by its size: labels of four nodes, each with an
//! agent call of its own schemas, a condition, ways back and ways ahead.

use diagnostics::Source;
use divan::{Bencher, black_box, counter::ItemsCount};
use graph::Graph;

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LABELS: [usize; 3] = [1_000, 10_000, 30_000];

fn main() {
    divan::main();
}

/// Where every other step may go instead of on.
#[derive(Clone, Copy)]
enum Jump {
    /// To the last step: all that a step needs is there.
    Out,
    /// Over some steps: much that later ones need is missing.
    Ahead,
}

/// A long run in which each step takes what the one before it gave.
fn chain(labels: usize, jump: Jump) -> Graph {
    let mut schemas = String::new();
    let mut text = String::new();
    for at in 0..labels {
        let comma = if at == 0 { "" } else { "," };
        let field =
            |at: usize| format!(r#"{{"fields": [{{"name": "answer_{at}", "type": "string"}}]}}"#);
        schemas.push_str(&format!(r#"{comma}"Answer{at}": {}"#, field(at)));
        let takes =
            if at == 0 { String::new() } else { format!(r#""input": "Answer{}","#, at - 1) };
        let other = match jump {
            _ if at % 2 == 0 => format!("step_{}", at.saturating_sub(3)),
            Jump::Out => "end".to_string(),
            Jump::Ahead => format!("step_{}", (at + 5).min(labels - 1)),
        };
        let next = if at + 1 < labels {
            format!(
                r#",{{"from": "n4", "to": "step_{}", "to_kind": "label", "port": "next"}}"#,
                at + 1
            )
        } else {
            String::new()
        };
        text.push_str(&format!(
            r#"{comma}"step_{at}": {{"nodes": [
            {{"id": "n1", "op": "Set", "data": {{"name": "round_{at}", "ref": "0"}}}},
            {{"id": "n2", "op": "R", "data": {{"adapter": "agent.INVOKE", "target": "writer", {takes}
                "output": "Answer{at}", "out": "result_{at}"}}}},
            {{"id": "n3", "op": "If", "data": {{"cond": "answer_{at} = again and round_{at} < 3"}}}},
            {{"id": "n4", "op": "X", "data": {{"dst": "round_{at}", "fn": "add", "args": ["$round_{at}", 1]}}}}],
            "edges": [{{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}},
            {{"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}},
            {{"from": "n3", "to": "{other}", "to_kind": "label", "port": "then"}},
            {{"from": "n3", "to": "n4", "to_kind": "node", "port": "else"}}{next}]}}"#
        ));
    }
    let document = format!(
        r#"{{"labels": {{{text}, "end": {{"nodes": [{{"id": "n1", "op": "J", "data": {{}}}}]}}}},
        "runtime_policy": {{"entry": "step_0"}},
        "declarations": {{"agents": {{"writer": {{"model": "m"}}}}, "schemas": {{{schemas}}}}}}}"#
    );
    let mut graph = read(&Source::new("bench.json", document));
    // What logic would need of the step before.
    for (at, label) in graph.labels.values_mut().enumerate().take(labels).skip(1) {
        label.nodes[0].needs.push(format!("answer_{}", at - 1).into());
    }
    graph
}

/// Variables of a program: each label calls another, loops, reads what was written on one of two
/// ways, and returns.
fn program(labels: usize) -> Graph {
    let mut text = String::new();
    for at in 0..labels {
        let comma = if at == 0 { "" } else { "," };
        let (callee, next) = ((at + 1).min(labels - 1), (at + 2).min(labels - 1));
        text.push_str(&format!(
            r#"{comma}"{at}": {{"nodes": [
            {{"id": "n1", "op": "Set", "data": {{"name": "v{at}", "ref": "$total"}}}},
            {{"id": "n2", "op": "Call", "data": {{"label": "{callee}", "out": "r{at}"}}}},
            {{"id": "n3", "op": "X", "data": {{"dst": "total", "fn": "add", "args": ["$v{at}", "$r{at}"]}}}},
            {{"id": "n4", "op": "If", "data": {{"cond": "v{callee}? and total > {at}"}}}},
            {{"id": "n5", "op": "J", "data": {{"var": "total"}}}}],
            "edges": [{{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}},
            {{"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}},
            {{"from": "n3", "to": "n4", "to_kind": "node", "port": "next"}},
            {{"from": "n4", "to": "{next}", "to_kind": "label", "port": "then"}},
            {{"from": "n4", "to": "n5", "to_kind": "node", "port": "else"}}]}}"#
        ));
    }
    let rest = r#""runtime_policy": {"entry": "0"},
        "declarations": {"inputs": {"total": {"from": "user"}}}"#;
    read(&Source::new("bench.json", format!(r#"{{"labels": {{{text}}}, {rest}}}"#)))
}

fn read(source: &Source) -> Graph {
    let mut reading = frontends::document::read(source);
    graph::normalize(reading.draft.expect("the document can be read"), &mut reading.findings)
}

#[divan::bench(args = LABELS, sample_count = 20)]
fn analyse_clean(bencher: Bencher<'_, '_>, labels: usize) {
    let graph = chain(labels, Jump::Out);
    bencher.counter(ItemsCount::new(labels)).bench_local(|| compiler::analyse(black_box(&graph)));
}

#[divan::bench(args = LABELS, sample_count = 20)]
fn analyse_full_of_findings(bencher: Bencher<'_, '_>, labels: usize) {
    let graph = chain(labels, Jump::Ahead);
    bencher.counter(ItemsCount::new(labels)).bench_local(|| compiler::analyse(black_box(&graph)));
}

#[divan::bench(args = LABELS, sample_count = 20)]
fn analyse_variables(bencher: Bencher<'_, '_>, labels: usize) {
    let graph = program(labels);
    bencher.counter(ItemsCount::new(labels)).bench_local(|| compiler::analyse(black_box(&graph)));
}

/// Labels at random: calls, loops, failures, and few names that everything writes.
#[divan::bench(args = LABELS, sample_count = 20)]
fn analyse_random(bencher: Bencher<'_, '_>, labels: usize) {
    let document = value::json::compact(&sim::document(1, labels * 4));
    let graph = read(&Source::new("bench.json", document));
    bencher.counter(ItemsCount::new(labels)).bench_local(|| compiler::analyse(black_box(&graph)));
}
