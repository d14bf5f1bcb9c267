//! Any text is a program of rules or a list of findings, never a panic; and a program ends within
//! its limits, the same each time, and its forks go on as it does.
#![no_main]

use std::sync::Arc;

use diagnostics::Source;
use libfuzzer_sys::fuzz_target;
use rules::{Limits, Memory, Rulebook, Stop};

const LIMITS: Limits = Limits { firings: 50, facts: 100, matches: 5_000, steps: 50_000 };

fuzz_target!(|text: &str| {
    let source = Source::new("input", text);
    let (book, mut findings) = Rulebook::read(text);
    for finding in &mut findings {
        let inside = finding.anchors_mut().all(|at| text.get(at.span().range()).is_some());
        assert!(inside, "a span is outside of the text: {}", diagnostics::render::line(&source, finding));
    }
    let Some(book) = book.map(Arc::new) else { return };
    let mut memory = Memory::new(Arc::clone(&book), LIMITS);
    let mut fork = memory.fork();
    let ended = run(&mut memory);
    assert_eq!(run(&mut fork), ended, "a fork does otherwise");
    assert_eq!(run(&mut Memory::new(Arc::clone(&book), LIMITS)), ended, "a second run does otherwise");
    assert!(fork.diff(&memory).is_empty());
    memory.explain_next(text);
    for rule in 0..book.program().rules.len() {
        let _ = memory.why_not(rule, text);
    }
});

/// What can be seen of a run: how it ended, what fired, the facts, and what was printed.
fn run(memory: &mut Memory) -> (Stop, Vec<u32>, Vec<String>, String) {
    let mut fired = Vec::new();
    let stop = memory.run(|rule| fired.push(rule));
    assert!(fired.len() as u64 <= LIMITS.firings && memory.fact_count() <= LIMITS.facts);
    let facts = memory.facts().map(|fact| format!("{} {:?}", fact.index, fact.fields)).collect();
    (stop, fired, facts, memory.take_printed())
}
