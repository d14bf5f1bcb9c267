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

/// What a program that was read without errors is refused for, once it is made ready.
fn refused(text: &str) -> Vec<String> {
    let (program, findings) = read(text);
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    let found = Rulebook::new(program).err().unwrap_or_default();
    found.iter().map(|found| format!("{}: {}", found.code.id, found.message)).collect()
}

/// The facts that a reset of a program leaves.
fn facts(text: &str) -> Vec<String> {
    let memory = run(text).memory;
    memory.facts().filter_map(|fact| memory.print(fact.id)).collect()
}

#[test]
fn globals_are_computed_in_the_order_in_which_they_can_be() {
    let later = "(deffacts f (x ?*g*)) (defglobal ?*h* = 1) (defglobal ?*g* = ?*h*)";
    assert_eq!(facts(later), ["(x 1)"]);
    let again = "(defglobal ?*a* = 1) (defglobal ?*b* = 2) (defglobal ?*a* = ?*b*)";
    assert_eq!(facts(&format!("{again} (deffacts f (x ?*a*))")), ["(x 2)"]);
    let function = "(deffunction f () 1) (defglobal ?*a* = (f)) (defglobal ?*b* = 3)
        (deffunction f () ?*b*) (deffacts f (x ?*a*))";
    assert_eq!(facts(function), ["(x 3)"]);
    let follows = "(defglobal ?*a* = 1) (defglobal ?*b* = ?*a*) (defglobal ?*a* = 2)";
    assert_eq!(facts(&format!("{follows} (deffacts f (x ?*b*))")), ["(x 2)"]);
}

#[test]
fn globals_that_need_each_other_are_refused() {
    let text = "(defglobal ?*a* = 1) (defglobal ?*b* = ?*a*) (defglobal ?*a* = ?*b*)";
    let missing = |name: &str| format!("R221: `?*{name}*` has no value yet");
    assert_eq!(refused(text), [missing("a"), missing("b")]);
    let itself = "(defglobal ?*a* = 1) (defglobal ?*a* = (bind ?*a*))";
    assert_eq!(refused(itself), ["R221: `?*a*` calls and calls: 10000 calls are open"]);
}

#[test]
fn what_doubles_from_one_to_the_next_is_stopped() {
    let global = |at: usize| {
        let before = at - 1;
        format!("(defglobal ?*g{at}* = (+ (bind ?*g{before}*) (bind ?*g{before}*)))")
    };
    let globals: String = (1..60).map(global).collect();
    let globals = format!("(defglobal ?*g0* = 1) {globals}");
    assert_eq!(refused(&globals), ["R221: the limit of steps is reached"]);
    let template = |at: usize| {
        let asserted = format!("(assert (t{}))", at - 1);
        format!("(deftemplate t{at} (multislot a (default-dynamic {asserted} {asserted})))")
    };
    let templates: String = (1..60).map(template).collect();
    let templates = format!("(deftemplate t0 (slot a)) {templates} (deffacts f (t59))");
    assert_eq!(run(&templates).stop, Stop::Steps);
}

#[test]
fn a_salience_as_low_as_numbers_go_is_out_of_range() {
    let text = "(deffunction low () (integer -9223372036854775808))
        (defrule r (declare (salience (low))) => )";
    assert_eq!(refused(text), ["R220: the salience -9223372036854775808 is out of range"]);
}

#[test]
fn lists_of_arguments_are_paid_for_before_they_are_made() {
    let long = "(bind ?l (create$ a b)) (loop-for-count 12 (bind ?l (create$ ?l ?l)))";
    let programs = [
        format!("(deffunction f ($?x) (f ?x a)) (defrule r => {long} (f ?l))"),
        format!("(deffunction f ($?x) 1) (defrule r => {long} (loop-for-count 20 (f ?l a)))"),
    ];
    for program in programs {
        assert_eq!(run(&program).stop, Stop::Steps, "{program}");
    }
}

#[test]
fn a_pattern_counts_as_compiled_once() {
    let stop = |pattern: &str| {
        let text =
            format!(r#"(defrule r => (loop-for-count (?i 1 2000) (regex-match {pattern} "abc")))"#);
        let (program, findings) = read(&text);
        assert!(!diagnostics::any_error(&findings), "{findings:?}");
        let book = Rulebook::new(program).expect("the rules are right");
        Memory::new(Arc::new(book), Limits::default()).run(|_| {})
    };
    assert_eq!(stop("(str-cat a (mod ?i 4))"), Stop::Quiet);
    assert_eq!(stop("(str-cat a ?i)"), Stop::Steps);
}

#[test]
fn only_so_much_text_waits_to_be_read() {
    let text = "(deffacts f (go) (then))
        (defrule tell (declare (salience 1)) (go) =>
          (bind ?text \"0123456789abcdef\")
          (loop-for-count 12 (bind ?text (str-cat ?text ?text)))
          (loop-for-count 400 (printout t ?text)))
        (defrule after (then) => (assert (done)))";
    let (program, _) = read(text);
    let book = Rulebook::new(program).expect("it is sound");
    let mut memory = Memory::new(Arc::new(book), Limits::default());
    assert_eq!(memory.run(|_| {}), Stop::Printed);
    assert_eq!(memory.take_printed().len(), 1 << 24);
    assert_eq!(memory.run(|_| {}), Stop::Quiet);
    assert_eq!(memory.fact_count(), 3);
}

#[test]
fn what_is_decided_already_takes_steps_to_pass() {
    let facts: String = (0..40).map(|number| format!("(m {number})")).collect();
    let text = |group: &str| {
        format!(
            "(defrule r (n ?) ({group} (and (m ?) (m ?))) => ) (deffacts d {} {facts})",
            numbers(500)
        )
    };
    assert_eq!(run(&text("exists")).stop, Stop::Steps);
    assert_eq!(run(&text("not")).stop, Stop::Steps);
}
