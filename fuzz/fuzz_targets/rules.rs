//! Any text as rules: it is read, and if it is a program, it runs within small limits.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rules::{Limits, Memory, Rulebook, read};

const LIMITS: Limits = Limits { firings: 200, facts: 500, matches: 5_000, steps: 100_000 };

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (mut program, found) = read::read(text);
    for one in &found {
        let span = one.at.span().range();
        assert!(text.get(span).is_some(), "a finding points into the text");
    }
    if diagnostics::any_error(&found) {
        return;
    }
    rules::check::check(&program);
    let outside = read::read_fact(&mut program, "(outside 1 2 3)").ok();
    let Ok(book) = Rulebook::new(program) else { return };
    let mut memory = Memory::new(Arc::new(book), LIMITS);
    outside.iter().for_each(|fact| memory.assert_new(fact));
    let mut fork = memory.fork();
    let mut fired = Vec::new();
    let stop = memory.run(|rule| fired.push(rule));
    assert!(fired.len() as u64 <= LIMITS.firings && memory.fact_count() <= LIMITS.facts);
    // A fork goes on as the memory that it is a fork of.
    let mut again = Vec::new();
    assert_eq!(fork.run(|rule| again.push(rule)), stop);
    assert_eq!(again, fired);
    memory.explain_next();
    for rule in 0..memory.rulebook().program().rules.len() {
        memory.why_not(rule, text);
    }
    for fact in memory.facts() {
        memory.print(fact.id);
    }
});
