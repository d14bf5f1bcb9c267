//! No program does more than its limits allow, and each limit stops it under its own name.

use std::sync::Arc;

use rules::read::read;
use rules::{Limits, Memory, Rulebook, Stop};

const LIMITS: Limits = Limits { firings: 1_000, facts: 1_000, matches: 10_000, steps: 100_000 };

/// How a program ended, and how often a rule fired.
struct Ran {
    stop: Stop,
    fired: usize,
    memory: Memory,
}

fn run(text: &str) -> Ran {
    let (program, findings) = read(text);
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    let book = Rulebook::new(program).expect("the rules are right");
    let mut memory = Memory::new(Arc::new(book), LIMITS);
    let mut fired = 0;
    let stop = memory.run(|_| fired += 1);
    assert!(memory.fact_count() <= LIMITS.facts, "{} facts", memory.fact_count());
    Ran { stop, fired, memory }
}

/// `(n 0) (n 1) ...`
fn numbers(count: usize) -> String {
    (0..count).map(|number| format!("(n {number})")).collect()
}

#[test]
fn rules_fire_no_more_than_they_may() {
    let up = "(deffacts d (n 0)) (defrule up ?f <- (n ?x) => (retract ?f) (assert (n (+ ?x 1))))";
    let ran = run(up);
    assert_eq!((ran.stop, ran.fired), (Stop::Firings, LIMITS.firings as usize));
}

#[test]
fn there_are_no_more_facts_than_may_be() {
    let ran = run("(deffacts d (n 0)) (defrule up (n ?x) => (assert (n (+ ?x 1))))");
    assert_eq!((ran.stop, ran.memory.fact_count()), (Stop::Facts, LIMITS.facts));
    assert_eq!(run(&format!("(deffacts d {})", numbers(2_000))).stop, Stop::Facts);
}

#[test]
fn there_are_no_more_matches_than_may_be() {
    let cross = "(defrule r (n ?) (n ?) (n ?) (n ?) (n ?) => )";
    let list: String = (0..60).map(|number| format!("{number} ")).collect();
    let programs = [
        format!("(deffacts d {}) {cross}", numbers(100)),
        // The rules are there first.
        format!("{cross} (defrule s => (loop-for-count (?i 1 100) (assert (n ?i))))"),
        format!("(deffacts d (l {list})) (defrule r (l $? ?a $? ?b $? ?c $? ?d $?) => )"),
        format!(
            "(deffacts d {}) (defrule r (not (and (n ?a) (n ?) (n ?) (n ?))) => )",
            numbers(100)
        ),
        format!("(deffacts d {}) (defrule r (forall (n ?) (n ?) (n ?) (n ?)) => )", numbers(100)),
    ];
    for program in programs {
        assert_eq!(run(&program).stop, Stop::Matches, "{program}");
    }
}

#[test]
fn whatever_takes_the_steps_is_stopped_alike() {
    let endless = "(deffunction f ($?all) (while TRUE do (bind ?x 1)))";
    let programs = [
        "(defrule r => (while TRUE do (bind ?x 1)))".to_owned(),
        "(defrule r => (loop-for-count (?i 1 100000000000) (bind ?x ?i)))".to_owned(),
        "(defrule r => (bind ?l (create$ a b)) (while TRUE do (bind ?l (create$ ?l ?l))))"
            .to_owned(),
        "(defrule r => (while TRUE do (printout t \"again and again and again and again\")))"
            .to_owned(),
        // In what a reset does, and in conditions.
        format!("{endless} (deftemplate t (slot a (default-dynamic (f)))) (deffacts d (t))"),
        format!("{endless} (deffacts d (a 1)) (defrule r (a ?x&:(f ?x)) => )"),
        format!("{endless} (deffacts d (a 1)) (defrule r (a ?x) (test (f ?x)) => )"),
        format!(
            "{endless} (defrule s => (assert (a 1))) (defrule r (a ?x) (not (b ?y&:(f ?x ?y))) => (assert (b ?x)))"
        ),
        // In matching alone.
        format!(
            "(deffacts d {}) (defrule r (n ?a) (n ?b) (n ?c&:(= (+ ?a ?b ?c) -1)) => )",
            numbers(100)
        ),
    ];
    for program in programs {
        assert_eq!(run(&program).stop, Stop::Steps, "{program}");
    }
}

#[test]
fn all_firings_of_a_run_share_its_steps() {
    let ran = run("(deffacts d (n 0))
         (defrule up ?f <- (n ?x) =>
            (loop-for-count 5000 (bind ?y 1)) (retract ?f) (assert (n (+ ?x 1))))");
    assert_eq!(ran.stop, Stop::Steps);
    assert!(ran.fired < 20, "{} times 5000 steps", ran.fired);
}

#[test]
fn the_next_run_has_steps_of_its_own() {
    let mut ran = run("(defrule r (n ?x) => (loop-for-count 8000 (bind ?y 1)))
         (deffacts d (n 0))");
    for number in 1..20 {
        assert_eq!(ran.stop, Stop::Quiet, "after {number} runs");
        let fact = ran.memory.facts().next().expect("there is one");
        let (template, list) = (fact.template, rules::Field::many([rules::Field::Int(number)]));
        ran.memory.assert(template, vec![list], None);
        ran.stop = ran.memory.run(|_| {});
    }
}

/// Facts and values that are long take as many steps as they are long: otherwise a few steps would
/// be a lot of work.
#[test]
fn long_facts_count_for_more() {
    const GROWN: &str = "(bind ?l (create$ a b c d)) (loop-for-count 10 (bind ?l (create$ ?l ?l)))";
    let templates = "(deftemplate t (slot a) (multislot m)) (deftemplate u (slot a) (multislot m))";
    let made = format!("(defrule made => {GROWN} (assert (t (a 0) (m ?l)) (u (a 0) (m ?l x))))");
    let act = |actions: &str| {
        format!("{templates} {made} (defrule act ?f <- (t (a 0) (m $?l)) => {actions})")
    };
    // Each prints a letter each time it works on the list of 4096.
    let programs = [
        act("(while TRUE do (printout t x) (modify ?f (a 1)) (modify ?f (a 2)))"),
        act("(while TRUE do (printout t x) (assert (t (a 0) (m $?l))))"),
        act("(loop-for-count (?i 1 1000) (printout t x) (duplicate ?f (a ?i)))"),
        act("(loop-for-count (?i 1 1000) (printout t x) (assert (n ?i)))")
            + "(defrule same (t (m $?l)) (n ?) (u (m $?l)) => )",
        act("(loop-for-count (?i 1 1000) (printout t x) (assert (n ?i)))")
            + "(defrule other (t (m $?l)) (n ?) (u (m $?k&~$?l)) => )",
        act("(loop-for-count (?i 1 1000) (printout t x) (assert (n ?i)))")
            + "(defrule test (t (m ?first $?l)) (n ?x&:(eq ?first ?x)) => )
               (defrule length (t (m ?first $?l)) (n ?x&:(= ?x (length$ $?l))) => )",
    ];
    for program in programs {
        let mut ran = run(&program);
        assert_eq!(ran.stop, Stop::Steps, "{program}");
        let times = ran.memory.take_printed().len();
        assert!(times < 60, "{times} times 4096 fields: {program}");
    }
}
