//! What conditions can compute.

use std::sync::Arc;

use rules::read::read;
use rules::{Limits, Memory, Rulebook, Stop};

/// How often a rule with this condition fires, with `(n 1)`.
fn fired(condition: &str) -> usize {
    let text = format!("(deffacts d (n 1)) (defrule r {condition} => )");
    let (program, findings) = read(&text);
    assert!(!diagnostics::any_error(&findings), "{text}: {findings:?}");
    let book = Rulebook::new(program).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let mut memory = Memory::new(Arc::new(book), Limits::default());
    let mut count = 0;
    assert_eq!(memory.run(|_| count += 1), Stop::Quiet, "{text}");
    assert_eq!(memory.take_faults(), [], "{text}");
    count
}

/// As CLIPS has it. A loop gives `FALSE`, and its variable is none of the pattern's; what `bind`
/// binds is gone when the condition was computed.
#[test]
fn conditions_loop_and_bind() {
    let cases = [
        ("(n ?x) (test (bind ?q 1))", 1),
        ("(n ?x) (test (bind ?x FALSE))", 0),
        ("(n ?x&:(bind ?q 1))", 1),
        ("(n ?x&:(progn (bind ?x 7) (= ?x 1)))", 1),
        ("(n ?x) (test (loop-for-count (?i 1 3) (+ ?i ?x)))", 0),
        ("(n ?x) (test (not (loop-for-count (?x 1 3) (+ ?x ?x))))", 1),
        ("(n ?x) (test (not (progn$ (?e (create$ a b)) (eq ?e ?x ?e-index))))", 1),
        ("(n ?x&:(not (foreach ?e (create$ a b) (eq ?e ?x))))", 1),
        ("(n ?x) (test (switch ?x (case 1 then TRUE)))", 1),
        ("(n ?x) (test (if (> ?x 0) then (bind ?y ?x) else FALSE))", 1),
    ];
    for (condition, times) in cases {
        assert_eq!(fired(condition), times, "{condition}");
    }
}
