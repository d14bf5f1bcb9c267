//! What a memory keeps beside its facts.

use std::sync::Arc;

use super::{Limits, Memory, Origin};
use crate::rulebook::Rulebook;

/// How many records there are beside facts.
fn kept(memory: &Memory) -> [usize; 3] {
    let state = &memory.state;
    [state.tokens.len(), state.lengths.len(), state.supports.len()]
}

#[test]
fn facts_that_go_leave_nothing_behind() {
    let (program, found) = crate::read::read(
        "(deffacts d (n 1) (n 2) (p 1 2) (p 2 2) (l 1 2 2))
         (defrule a (logical (n ?x) (p ?x ?y)) (not (q ?y)) => (assert (q (+ ?x 3))))
         (defrule b (n ?x) (l $?a ?x $?b) (exists (p ?x ?v) (n ?v)) => (assert (l ?x $?b)))
         (defrule c (forall (n ?x) (p ?x ?)) (not (and (l $? ?y $?) (q ?y))) => (assert (q 2)))",
    );
    assert!(!diagnostics::any_error(&found), "{found:?}");
    let book = Arc::new(Rulebook::new(program).expect("the rules are right"));
    let mut memory = Memory::new(book, Limits::default());
    let mut emptied = Vec::new();
    for _ in 0..3 {
        memory.run(|_| {});
        assert!(kept(&memory).iter().all(|count| *count > 0), "{:?}", kept(&memory));
        let mut fork = memory.fork();
        for memory in [&mut memory, &mut fork] {
            while let Some(fact) = memory.facts().last().map(|fact| fact.id) {
                memory.retract(fact);
            }
            emptied.push(kept(memory));
        }
        let book = Arc::clone(memory.rulebook());
        book.initial_facts.iter().for_each(|code| memory.act(code, Origin::Initial));
    }
    let [first, others @ ..] = &emptied[..] else { unreachable!("three rounds were made") };
    assert_eq!(first[1..], [0, 0]);
    assert!(others.iter().all(|kept| kept == first), "{emptied:?}");
}
