//! A state that changes, and the facts and rules that follow it.

use std::sync::Arc;

use proptest::prelude::*;
use rules::read::{read, read_with};
use rules::state::{Mirror, Shape};
use rules::{FactRef, Limits, Memory, Origin, Provenance, Rulebook, Stop};
use value::{Value, json};

fn parsed(text: &str) -> Value {
    json::parse(text).expect("the test's JSON")
}

/// A memory that follows a state.
struct Run {
    mirror: Mirror,
    memory: Memory,
}

impl Run {
    fn new(shape: Shape, text: &str) -> Run {
        let (program, findings) = read_with(shape.templates(), text);
        assert!(!diagnostics::any_error(&findings), "{findings:?}");
        let mirror = Mirror::new(Arc::new(shape), &program).expect("the templates are its own");
        let book = Arc::new(Rulebook::new(program).expect("the rules are right"));
        Run { mirror, memory: Memory::new(book, Limits::default()) }
    }

    fn of_types(types: &str, text: &str) -> Run {
        let (shape, refused) = Shape::of_types(&parsed(types));
        assert!(refused.is_empty(), "{refused:?}");
        Run::new(shape, text)
    }

    /// Follows the state, and says how many facts went and came.
    fn sync(&mut self, state: &str) -> (usize, usize) {
        let synced = self.mirror.sync(&mut self.memory, &parsed(state), None);
        (synced.retracted.len(), synced.asserted.len())
    }

    /// The rules that fire now, by name.
    fn fired(&mut self) -> Vec<String> {
        let mut fired = Vec::new();
        assert_eq!(self.memory.run(|rule| fired.push(rule)), Stop::Quiet);
        let rules = &self.memory.rulebook().program().rules;
        fired.into_iter().map(|rule| rules[rule as usize].name.to_string()).collect()
    }

    fn facts(&self) -> Vec<String> {
        self.memory.facts().map(|fact| shown(&self.memory, fact)).collect()
    }

    fn indexes(&self) -> Vec<u64> {
        self.memory.facts().map(|fact| fact.index).collect()
    }
}

fn shown(memory: &Memory, fact: FactRef) -> String {
    let template = &memory.rulebook().program().templates[fact.template.0 as usize];
    let fields: Vec<String> = fact.fields.iter().map(ToString::to_string).collect();
    format!("{} {}", template.name, fields.join(" "))
}

const RULES: &str = "
    (defrule urgent (severity (value ?s&:(>= ?s 4))) => (assert (page ?s)))
    (defrule tagged (tags (value $? \"new\" $?)) => )
    (defrule owned (owner-name (value ?name)) (severity (value ?s)) => )";
const TYPES: &str = r#"{"severity": "int", "tags": "list[str]", "owner": {"name": "str"}}"#;

#[test]
fn only_what_changed_is_asserted_again() {
    let mut run = Run::of_types(TYPES, RULES);
    assert_eq!(run.sync(r#"{"severity": 3, "tags": ["new"], "owner": {"name": "Ann"}}"#), (0, 3));
    assert_eq!(run.facts(), ["severity 3", r#"tags ("new")"#, r#"owner-name "Ann""#]);
    assert_eq!(run.fired(), ["owned", "tagged"]);

    // Nothing changed, so nothing fires again.
    assert_eq!(run.sync(r#"{"severity": 3, "tags": ["new"], "owner": {"name": "Ann"}}"#), (0, 0));
    assert_eq!(run.fired(), Vec::<String>::new());

    // One field changed: what does not use it does not fire, and keeps its place.
    assert_eq!(run.sync(r#"{"severity": 5, "tags": ["new"], "owner": {"name": "Ann"}}"#), (1, 1));
    assert_eq!(run.indexes(), [2, 3, 4]);
    assert_eq!(run.fired(), ["urgent", "owned"]);
    assert_eq!(run.facts()[3], "page (5)");

    // What vanished goes.
    assert_eq!(run.sync(r#"{"severity": 5}"#), (2, 0));
    assert_eq!(run.facts(), ["severity 5", "page (5)"]);
    assert_eq!(run.sync("{}"), (1, 0));
    assert_eq!(run.sync("null"), (0, 0));
}

#[test]
fn facts_go_first_and_come_in_the_order_of_the_shape() {
    let mut run = Run::of_types(r#"{"a": "int", "b": "int", "c": "int"}"#, "");
    run.sync(r#"{"c": 1, "b": 1, "a": 1}"#);
    assert_eq!(run.facts(), ["a 1", "b 1", "c 1"]);
    run.sync(r#"{"c": 2, "b": 1, "a": 2}"#);
    assert_eq!(run.facts(), ["b 1", "a 2", "c 2"]);
    assert_eq!(run.indexes(), [2, 4, 5]);
}

#[test]
fn the_same_field_from_another_value_is_the_same_fact() {
    let mut run = Run::of_types(r#"{"a": "float", "b": "number", "c": "list"}"#, "");
    run.sync(r#"{"a": 1, "b": 1, "c": null}"#);
    assert_eq!(run.facts(), ["a 1.0", "b 1", "c ()"]);
    // As a number, `1` and `1.0` are two values.
    assert_eq!(run.sync(r#"{"a": 1.0, "b": 1.0, "c": []}"#), (1, 1));
    assert_eq!(run.facts(), ["a 1.0", "c ()", "b 1.0"]);
}

#[test]
fn a_declared_template_is_one_fact_of_many_fields() {
    let (mut shape, _) = Shape::of_types(&parsed(r#"{"severity": "int", "seen": "bool"}"#));
    let refused = shape.declare(&parsed(
        r#"{"name": "alert", "slots": [{"name": "severity", "type": "INTEGER"},
            {"name": "source", "type": "SYMBOL", "default": "nowhere"},
            {"name": "where.host", "type": "str"}, {"name": "tags", "type": "list[symbol]"}]}"#,
    ));
    assert_eq!(refused, []);
    let mut run = Run::new(shape, "(defrule r (alert (severity 3) (source ?s&~low)) => )");
    assert_eq!(run.sync(r#"{"seen": true}"#), (0, 1));
    assert_eq!(run.sync(r#"{"seen": true, "severity": 3}"#), (0, 1));
    assert_eq!(run.facts(), ["seen TRUE", "alert 3 nowhere nil ()"]);
    assert_eq!(run.fired(), ["r"]);
    let state = r#"{"severity": 3, "source": "low", "where": {"host": "h"}, "tags": ["x", "y"]}"#;
    assert_eq!(run.sync(state), (2, 1));
    assert_eq!(run.facts(), [r#"alert 3 low "h" (x y)"#]);
    assert_eq!(run.fired(), Vec::<String>::new());
}

#[test]
fn fields_can_be_ordered_facts() {
    let (shape, _) = Shape::of_types(&parsed(r#"{"severity": "int", "tags": "list[symbol]"}"#));
    let text = "(defrule r (severity ?s&:(>= ?s 4)) (tags $? new $?) => )";
    let mut run = Run::new(shape.ordered(), text);
    run.sync(r#"{"severity": 5, "tags": ["old", "new"]}"#);
    assert_eq!(run.facts(), ["severity (5)", "tags (old new)"]);
    assert_eq!(run.fired(), ["r"]);
}

#[test]
fn what_a_rule_retracted_comes_back_when_its_field_changes() {
    let mut run = Run::of_types(r#"{"a": "int"}"#, "(defrule take ?f <- (a) => (retract ?f))");
    run.sync(r#"{"a": 1}"#);
    assert_eq!(run.fired(), ["take"]);
    assert_eq!(run.sync(r#"{"a": 1}"#), (0, 0));
    assert_eq!(run.facts(), Vec::<String>::new());
    assert_eq!(run.sync(r#"{"a": 2}"#), (0, 1));
    assert_eq!(run.fired(), ["take"]);
}

#[test]
fn what_a_rule_modified_goes_when_its_field_changes() {
    let rule = "(defrule cap ?f <- (a (value ?x&:(> ?x 9))) => (modify ?f (value 9)))";
    let mut run = Run::of_types(r#"{"a": "int"}"#, rule);
    run.sync(r#"{"a": 12}"#);
    assert_eq!(run.fired(), ["cap"]);
    assert_eq!(run.facts(), ["a 9"]);
    assert_eq!(run.sync(r#"{"a": 3}"#), (1, 1));
    assert_eq!(run.facts(), ["a 3"]);
}

#[test]
fn a_fact_that_a_rule_asserted_before_is_taken_for_the_fields() {
    let rule = "(defrule guess (b) => (assert (a (value 7))))";
    let mut run = Run::of_types(r#"{"a": "int", "b": "int"}"#, rule);
    run.sync(r#"{"b": 1}"#);
    run.fired();
    assert_eq!(run.sync(r#"{"a": 7, "b": 1}"#), (0, 1));
    assert_eq!(run.facts(), ["b 1", "a 7"]);
    assert_eq!(run.sync(r#"{"b": 1}"#), (1, 0));
    assert_eq!(run.facts(), ["b 1"]);
}

#[test]
fn facts_carry_where_they_came_from() {
    let mut run = Run::of_types(r#"{"a": "int", "b": "int"}"#, "");
    let at = |step| {
        let origin = Provenance { origin: "state".into(), step: Some(step), ..Default::default() };
        Arc::new(origin)
    };
    run.mirror.sync(&mut run.memory, &parsed(r#"{"a": 1, "b": 1}"#), Some(&at(1)));
    run.mirror.sync(&mut run.memory, &parsed(r#"{"a": 2, "b": 1}"#), Some(&at(2)));
    let steps = run.memory.facts().map(|fact| match fact.origin {
        Origin::Outside(Some(provenance)) => provenance.step,
        _ => None,
    });
    assert_eq!(steps.collect::<Vec<_>>(), [Some(1), Some(2)]);
}

#[test]
fn a_fork_follows_another_state() {
    let mut run = Run::of_types(r#"{"a": "int", "b": "int"}"#, "");
    run.sync(r#"{"a": 1, "b": 1}"#);
    let mut other = Run { mirror: run.mirror.clone(), memory: run.memory.fork() };
    assert_eq!(other.sync(r#"{"a": 2, "b": 1}"#), (1, 1));
    assert_eq!(run.sync(r#"{"a": 1, "b": 3}"#), (1, 1));
    assert_eq!(run.facts(), ["a 1", "b 3"]);
    assert_eq!(other.facts(), ["b 1", "a 2"]);
}

#[test]
fn rules_are_checked_against_the_state() {
    let (shape, _) = Shape::of_types(&parsed(TYPES));
    let text = "(defrule r (severity (level ?s)) => )";
    let (_, findings) = read_with(shape.templates(), text);
    assert!(diagnostics::any_error(&findings), "{findings:?}");
    // As text the templates say the same.
    let (program, findings) = read(&format!("{shape}{RULES}"));
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    for (written, given) in program.templates.iter().zip(shape.templates()) {
        assert_eq!((&written.name, written.ordered), (&given.name, given.ordered));
        for (written, given) in written.slots.iter().zip(&given.slots) {
            assert_eq!((&written.name, written.many), (&given.name, given.many));
            assert_eq!(written.limits, given.limits, "{}", given.name);
            assert_eq!(format!("{:?}", written.default), format!("{:?}", given.default));
        }
    }
}

#[test]
fn a_template_of_the_program_may_have_more_slots_but_not_others() {
    let refused = |text: &str| {
        let (shape, _) = Shape::of_types(&parsed(r#"{"a": {"b": "int"}}"#));
        let (program, findings) = read(text);
        assert!(!diagnostics::any_error(&findings), "{findings:?}");
        Mirror::new(Arc::new(shape), &program).err().map(|refused| refused[0].to_string())
    };
    assert_eq!(refused("(deftemplate a-b (slot more) (slot value) (slot most (default 1)))"), None);
    assert_eq!(refused("(deftemplate other (slot value))"), None);
    let cases = [
        ("(deftemplate a-b (slot b))", "has no slot `value`"),
        ("(deftemplate a-b (multislot value))", "has a list in `value`, which is none"),
        ("(deffacts f (a-b 1))", "is ordered, and the state's is not"),
        (
            "(deftemplate a-b (slot value) (slot must (default ?NONE)))",
            "has a slot `must` that a state cannot fill",
        ),
    ];
    for (text, what) in cases {
        let expected = format!(
            "/a/b: the program's template `a-b` {what}; \
             leave the template to the state, or declare it alike"
        );
        assert_eq!(refused(text), Some(expected), "{text}");
    }
}

/// Few values, so that states repeat them.
fn value() -> impl Strategy<Value = Value> {
    let single = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0_i64..3).prop_map(Value::Int),
        (0_i64..3).prop_map(|number| Value::Float(number as f64 / 2.0)),
        "[ab]?".prop_map(Value::from),
    ];
    single.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::vec(("[xy]", inner), 0..3).prop_map(Value::map),
        ]
    })
}

fn state() -> impl Strategy<Value = Value> {
    prop::collection::vec(("[abcd]", value()), 0..5).prop_map(Value::map)
}

proptest! {
    /// Whatever happened on the way, the facts are those of the last state, and what did not
    /// change kept its fact.
    #[test]
    fn facts_follow_any_states(states in prop::collection::vec(state(), 1..8)) {
        let types = r#"{"a": "float", "b": "symbol", "c": "list", "d": {"x": "any"}}"#;
        let mut run = Run::of_types(types, "");
        for state in &states {
            let before: Vec<(u64, String)> = run.memory.facts().map(|fact| {
                (fact.index, shown(&run.memory, fact))
            }).collect();
            run.mirror.sync(&mut run.memory, state, None);
            let mut fresh = Run::of_types(types, "");
            fresh.mirror.sync(&mut fresh.memory, state, None);
            let (mut followed, mut expected) = (run.facts(), fresh.facts());
            followed.sort();
            expected.sort();
            prop_assert_eq!(&followed, &expected);
            let diff = fresh.memory.diff(&run.memory);
            prop_assert!(diff.is_empty());
            for (index, fact) in before {
                let kept = run.memory.facts().any(|now| now.index == index);
                prop_assert_eq!(kept, expected.contains(&fact), "{}", fact);
            }
        }
    }
}
