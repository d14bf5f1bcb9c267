//! Conditions as agents' authors wrote them, and what a reference program makes of them in three
//! states. It is often wrong: here is in which ways. The texts are read in place, from the folder
//! that `QUIPU_CORPUS` names; without it the test says so and passes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::Path;

use graph::{Cmp, Expr, Term};
use value::{Map, Value, json};

const AGREE: &str = "both give the same answers";
const EMPTY: &str = "no condition here: no text; there: always true";
const DROPPED: &str =
    "no condition here: words for people; there: the first word or a part of the text counts";
const HIDDEN: &str =
    "no condition here: words for people; there: a name counts that the text does not have";
const UNREAD: &str = "cannot be read there, and so is always true";
const FAILS: &str = "ends in a type error there";
const PRECEDENCE: &str = "`and` does not bind tighter than `or` there";
const NOT: &str = "`not` is not known there: the variable `not` counts";
const IS: &str = "`is false` is not known there: the truth of the name counts";
const NEGATIVE: &str = "negative numbers are not known there: the truth of the name counts";
const UNEQUAL: &str = "`!=` is not known there: the truth of the name counts";
const IN: &str = "`in` is not known there: the truth of the name counts";

/// Ways to agree and to differ, with the number of texts.
const EXPECTED: [(&str, usize); 12] = [
    (AGREE, 96),
    (EMPTY, 1),
    (DROPPED, 57),
    (HIDDEN, 3),
    (UNREAD, 2),
    (FAILS, 1),
    (PRECEDENCE, 1),
    (NOT, 3),
    (IS, 3),
    (NEGATIVE, 1),
    (UNEQUAL, 1),
    (IN, 1),
];

struct Case<'a> {
    text: &'a str,
    /// The Python text that the reference makes of it.
    python: &'a str,
    /// What that gives in each state: a boolean, or the name of an exception.
    results: &'a [Value],
}

#[test]
fn answers_are_the_same_or_differ_in_known_ways() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let file = Path::new(&corpus).join("ontology/conditions.json");
    let recorded = json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let states: Vec<&Map> =
        items(&recorded, "states").iter().map(|state| state.as_map().unwrap()).collect();
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for condition in items(&recorded, "conditions") {
        let text = |name| &**condition.get(name).unwrap().as_text().unwrap();
        let results = items(condition, "results");
        let case = Case { text: text("condition"), python: text("expr"), results };
        found.entry(class(&case, &states)).or_default().push(case.text);
    }
    for (class, texts) in &found {
        eprintln!("{:4} {class}; such as `{}`", texts.len(), texts[0]);
    }
    let expected: BTreeMap<&str, usize> = EXPECTED.into_iter().collect();
    let found: BTreeMap<&str, usize> =
        found.iter().map(|(class, texts)| (*class, texts.len())).collect();
    assert_eq!(found, expected);
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).unwrap().as_list().unwrap()
}

/// In which way we agree or differ; there must be one.
fn class(case: &Case<'_>, states: &[&Map]) -> &'static str {
    let Ok(expr) = Expr::parse(case.text) else { return words(case) };
    // The states do not tell them apart, but the readings differ.
    if matches!(expr, Expr::Or(_)) && case.python.contains(") and ((") {
        return PRECEDENCE;
    }
    let ours: Vec<Value> = states.iter().map(|state| Value::Bool(expr.eval(*state))).collect();
    if ours == case.results {
        return AGREE;
    }
    if case.python.contains("could not parse") {
        return UNREAD;
    }
    let mut answers = ours.iter().zip(case.results);
    if answers.all(|(ours, theirs)| ours == theirs || theirs.as_text().is_some()) {
        return FAILS;
    }
    let first = case.text.split_whitespace().next().unwrap();
    let is_truth_of_first = case.python == format!("bool(state.data.get(\"{first}\"))");
    assert!(is_truth_of_first, "`{}` differs: {ours:?}, there {:?}", case.text, case.results);
    match &expr {
        Expr::Not(_) => NOT,
        Expr::Is(..) => IS,
        Expr::Compare(_, Cmp::Ne, _) => UNEQUAL,
        Expr::Compare(_, Cmp::In, _) => IN,
        Expr::Compare(_, _, Term::Lit(Value::Int(..0))) => NEGATIVE,
        _ => panic!("`{}` differs: {ours:?}, there {:?}", case.text, case.results),
    }
}

/// What the reference does with a text that is no condition.
fn words(case: &Case<'_>) -> &'static str {
    if case.text.trim().is_empty() {
        return EMPTY;
    }
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
    };
    let (own, theirs) = (words(case.text), words(case.python));
    let mut read = case.python.split("get(\"").skip(1).filter_map(|rest| rest.split('"').next());
    if read.any(|name| !own.iter().any(|word| word == name)) {
        return HIDDEN;
    }
    assert!(own.iter().any(|word| !theirs.contains(word)), "`{}` is refused", case.text);
    DROPPED
}
