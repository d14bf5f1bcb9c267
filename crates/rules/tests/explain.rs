//! What is told of rules that fire, and of those that do not.

use std::sync::Arc;

use expect_test::{Expect, expect};
use rules::{Field, Limits, Memory, Rulebook, read};

const TRIAGE: &str = r#"
(deftemplate incident (slot id) (slot severity (type INTEGER)) (multislot tags))
(deftemplate owner (slot id) (slot name))

(defrule page
  (declare (salience 10))
  (incident (id ?i) (severity ?s&:(>= ?s 4)))
  (owner (id ?i) (name ?who))
  =>
  (assert (paged ?who)))

(defrule note
  (incident (id ?i) (severity ?s&1|2))
  =>
  (assert (noted ?i)))

(defrule quiet
  (incident (id ?i))
  (not (owner (id ?i)))
  =>
  (assert (nobody ?i)))

(defrule spread
  (incident (id ?i) (tags ?first ?second))
  (incident (id ?j&~?i) (tags ?first ~?second))
  (test (> (str-length ?first) 3))
  =>
  (assert (related ?i ?j)))

(defrule all-owned
  (forall (incident (id ?i)) (owner (id ?i)))
  =>
  (assert (covered)))
"#;

fn memory(facts: &[&str]) -> Memory {
    memory_of(TRIAGE, facts)
}

fn memory_of(text: &str, facts: &[&str]) -> Memory {
    let (mut program, found) = read::read(text);
    assert_eq!(found, []);
    let facts: Vec<_> = facts
        .iter()
        .map(|text| read::read_fact(&mut program, text).expect("the fact is right"))
        .collect();
    let book = Rulebook::new(program).expect("the program is right");
    let mut memory = Memory::new(Arc::new(book), Limits::default());
    facts.iter().for_each(|fact| memory.assert_new(fact));
    memory
}

fn why_not(memory: &Memory, rule: &str, expected: Expect) {
    let rules = &memory.rulebook().program().rules;
    let at = rules.iter().position(|known| &*known.name == rule).expect("the rule is there");
    expected.assert_eq(&memory.why_not(at, TRIAGE).to_string());
}

#[test]
fn a_firing_tells_what_completed_it_and_what_waits() {
    let memory = memory(&[
        "(incident (id a) (severity 1) (tags disk full))",
        "(incident (id b) (severity 5) (tags disk slow))",
        "(owner (id b) (name kim))",
    ]);
    let firing = memory.explain_next(TRIAGE).expect("something can fire");
    expect![[r#"
        page (salience 10)
          because  f-2 (incident (id b) (severity 5) (tags disk slow))
          because  f-3 (owner (id b) (name kim))
          with     ?i = b
          with     ?s = 5
          with     ?who = kim
          before   spread (f-2, f-1): its salience is 0
          before   spread (f-1, f-2): its salience is 0
          before   note (f-1): its salience is 0
          before   quiet (f-1): its salience is 0"#]]
    .assert_eq(&firing.to_string());
}

#[test]
fn a_rule_that_waits_in_several_ways_is_told_once() {
    let text = "(defrule first (declare (salience 1)) (go) =>)
                (defrule pair (list $? ?x $? ?x $?) =>)";
    let memory = memory_of(text, &["(list a a a)", "(go)"]);
    let firing = memory.explain_next(text).expect("something can fire");
    assert_eq!(firing.rivals.len(), 3);
    expect![[r#"
        first (salience 1)
          because  f-2 (go)
          before   pair (f-1): its salience is 0 (3 times)"#]]
    .assert_eq(&firing.to_string());
}

#[test]
fn a_rule_that_does_not_fire_tells_the_nearest_fact() {
    let memory = memory(&[
        "(incident (id a) (severity 3) (tags disk full))",
        "(incident (id b) (severity 3) (tags disk full))",
        "(owner (id b) (name kim))",
    ]);
    why_not(
        &memory,
        "page",
        expect![[r#"
        page: condition 1 is not fulfilled
          nearest  f-2 (incident (id b) (severity 3) (tags disk full))
          but      `severity` is 3, needs >= 4"#]],
    );
    why_not(
        &memory,
        "note",
        expect![[r#"
            note: condition 1 is not fulfilled
              nearest  f-2 (incident (id b) (severity 3) (tags disk full))
              but      `severity` is 3, needs 1 or 2"#]],
    );
    why_not(&memory, "quiet", expect!["quiet: it is the next to fire"]);
    why_not(
        &memory,
        "spread",
        expect![[r#"
        spread: condition 2 is not fulfilled
          nearest  f-2 (incident (id b) (severity 3) (tags disk full))
          but      field 2 of `tags` is full, must not be full (`~?second`)
          with     f-1 (incident (id a) (severity 3) (tags disk full))"#]],
    );
    why_not(
        &memory,
        "all-owned",
        expect![[r#"
            all-owned: condition 1 is not fulfilled
              it does not hold for all
              because  f-1 (incident (id a) (severity 3) (tags disk full))"#]],
    );
}

#[test]
fn a_rule_without_facts_says_so() {
    why_not(
        &memory(&[]),
        "page",
        expect![[r#"
        page: condition 1 is not fulfilled
          there is no fact `incident`"#]],
    );
}

#[test]
fn a_join_that_fails_is_told_by_its_values() {
    let memory = memory(&["(incident (id a) (severity 5))", "(owner (id b) (name kim))"]);
    why_not(
        &memory,
        "page",
        expect![[r#"
        page: condition 2 is not fulfilled
          nearest  f-2 (owner (id b) (name kim))
          but      `id` is b, needs a (`?i`)
          with     f-1 (incident (id a) (severity 5) (tags))"#]],
    );
}

#[test]
fn tests_that_take_long_are_given_up_with_what_is_found() {
    let facts: String = (0..40).map(|number| format!("(n {number})")).collect();
    let text = format!(
        "(deffunction slow (?x) (loop-for-count 30000 (bind ?y 1)) FALSE)
         (deffacts d {facts}) (defrule r (n ?a) (n ?b&:(slow ?b)) => )"
    );
    let (program, found) = read::read(&text);
    assert!(!diagnostics::any_error(&found), "{found:?}");
    let book = Rulebook::new(program).expect("the program is right");
    let memory = Memory::new(Arc::new(book), Limits::default());
    let expected = expect![[r#"
        r: condition 2 is not fulfilled
          nearest  f-40 (n 39)
          but      field 1 is 39, fails `:(slow ?b)`
          with     f-1 (n 0)"#]];
    expected.assert_eq(&memory.why_not(0, &text).to_string());
}

/// A match that comes may have the number of one that went, and the same facts.
#[test]
fn what_can_no_longer_fire_has_no_values() {
    let text = "(deftemplate t (slot a)) (deffacts d (t (a 1))) (defrule r (t (a ?x)) => )";
    let (program, found) = read::read(text);
    assert_eq!(found, []);
    let book = Rulebook::new(program).expect("the program is right");
    let mut memory = Memory::new(Arc::new(book), Limits::default());
    let before = memory.agenda().next().expect("the rule can fire");
    let fact = before.facts[0].expect("the condition has a fact");
    assert_eq!(memory.values(&before).len(), 1);
    memory.modify(fact, vec![(0, Field::Int(2))]);
    let after = memory.agenda().next().expect("the rule can fire again");
    assert_eq!(after.facts, before.facts);
    assert_eq!(memory.values(&before), []);
    assert!(memory.values(&after).iter().any(|(_, value)| *value == Field::Int(2)));
}
