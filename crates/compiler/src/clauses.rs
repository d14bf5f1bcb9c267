//! Whether conditions can hold, by trying values. A condition tells values apart only by the
//! constants in it, so one value of each kind between them stands for all.

use std::borrow::Cow;
use std::collections::BTreeMap;

use graph::ops::{Port, SlotKind};
use graph::{Cmp, Expr, Node, Operand, Term, Test, truthy};
use value::Value;

/// A condition, as tests of variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clause<'g> {
    /// Always or never.
    Const(bool),
    /// Something true.
    Truthy(Variable<'g>),
    /// Compared with a constant.
    Compare(Variable<'g>, Cmp, &'g Value),
    /// A quality; or, with `true`, its absence.
    Is(Variable<'g>, Test, bool),
    /// Anything else that holds or not: a comparison of two variables, a search in a text.
    Opaque(String),
    /// It does not hold.
    Not(Box<Clause<'g>>),
    /// All hold.
    And(Vec<Clause<'g>>),
    /// One holds.
    Or(Vec<Clause<'g>>),
}

/// What a condition asks about: a variable, a member of it, or the length of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variable<'g> {
    /// As it is written.
    pub(crate) text: Cow<'g, str>,
    /// Whether it is a length.
    pub(crate) is_length: bool,
}

/// What variables hold; opaque conditions are under their own text, true or false.
/// There are few, so that looking through them is the fastest.
pub(crate) type Values<'a> = [(&'a str, &'a Value)];

impl<'g> Clause<'g> {
    /// The condition by which a node goes one way or the other.
    pub(crate) fn of(node: &'g Node) -> Option<Clause<'g>> {
        expr(node).map(Clause::new)
    }

    /// From the expression language.
    pub(crate) fn new(expr: &'g Expr) -> Clause<'g> {
        let opaque = || Clause::Opaque(expr.to_string());
        match expr {
            Expr::Const(holds) => Clause::Const(*holds),
            Expr::Truthy(term) => match variable(term) {
                Some(variable) => Clause::Truthy(variable),
                None => opaque(),
            },
            Expr::Exists(term) => match variable(term) {
                Some(variable) => Clause::Is(variable, Test::Null, true),
                None => opaque(),
            },
            Expr::Is(term, test, negated) => match variable(term) {
                Some(variable) => Clause::Is(variable, *test, *negated),
                None => opaque(),
            },
            Expr::Compare(left, cmp, right) => match (variable(left), right) {
                (Some(variable), Term::Lit(constant)) if is_plain(*cmp, constant) => {
                    Clause::Compare(variable, *cmp, constant)
                }
                _ => opaque(),
            },
            Expr::Not(inner) => Clause::Not(Box::new(Clause::new(inner))),
            Expr::And(items) => Clause::And(items.iter().map(Clause::new).collect()),
            Expr::Or(items) => Clause::Or(items.iter().map(Clause::new).collect()),
        }
    }

    /// Whether it holds where variables hold this. What is not given is null.
    pub(crate) fn holds(&self, values: &Values<'_>) -> bool {
        let found = |text: &str| values.iter().find(|(subject, _)| *subject == text);
        let value =
            |variable: &Variable| found(&variable.text).map_or(&Value::Null, |(_, value)| *value);
        match self {
            Clause::Const(holds) => *holds,
            Clause::Truthy(variable) => truthy(value(variable)),
            Clause::Compare(variable, cmp, constant) => cmp.holds(value(variable), constant),
            Clause::Is(variable, test, negated) => test.holds(value(variable)) != *negated,
            Clause::Opaque(text) => found(text).is_some_and(|(_, value)| truthy(value)),
            Clause::Not(inner) => !inner.holds(values),
            Clause::And(items) => items.iter().all(|item| item.holds(values)),
            Clause::Or(items) => items.iter().any(|item| item.holds(values)),
        }
    }

    /// Its tests, whatever stands between them.
    pub(crate) fn tests(&self) -> Vec<&Clause<'g>> {
        let (mut tests, mut stack) = (Vec::new(), vec![self]);
        while let Some(clause) = stack.pop() {
            match clause {
                Clause::Not(inner) => stack.push(inner),
                Clause::And(items) | Clause::Or(items) => stack.extend(items),
                Clause::Const(_) => {}
                test => tests.push(test),
            }
        }
        tests
    }

    /// What a test asks about; an opaque one about itself.
    pub(crate) fn subject(&self) -> Option<&str> {
        match self {
            Clause::Truthy(variable) | Clause::Compare(variable, ..) | Clause::Is(variable, ..) => {
                Some(&variable.text)
            }
            Clause::Opaque(text) => Some(text),
            _ => None,
        }
    }
}

/// The expression by which a node goes one way or the other.
pub(crate) fn expr(node: &Node) -> Option<&Expr> {
    node.def().filter(|op| op.port(Port::Then).is_some()).and_then(|_| condition(node))
}

/// The condition of a node, also of one that repeats something while it holds.
pub(crate) fn condition(node: &Node) -> Option<&Expr> {
    let op = node.def()?;
    match node.operands.one(op.slot_of(SlotKind::Condition)?.name)? {
        Operand::Expr(expr) => Some(expr),
        _ => None,
    }
}

fn variable(term: &Term) -> Option<Variable<'_>> {
    match term {
        Term::Name(path) => {
            let text = match path.parts() {
                [only] => Cow::Borrowed(&**only),
                parts => Cow::Owned(parts.join(".")),
            };
            Some(Variable { text, is_length: false })
        }
        Term::Length(path) => {
            let text = Cow::Owned(format!("{}.length", path.parts().join(".")));
            Some(Variable { text, is_length: true })
        }
        Term::Lit(_) => None,
    }
}

/// Whether a few values stand for all in this comparison.
fn is_plain(cmp: Cmp, constant: &Value) -> bool {
    match (cmp, constant) {
        (Cmp::Contains, _) => false,
        (Cmp::In | Cmp::NotIn, constant) => matches!(constant, Value::List(_)),
        (cmp, Value::Text(_)) => !cmp.is_order(),
        _ => true,
    }
}

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Domain {
    /// Anything.
    Open,
    /// Numbers, or nothing.
    Length,
    /// One of these, or nothing.
    Only(Vec<Value>),
    /// True or false; for an opaque condition.
    Either,
}

impl Domain {
    /// One value for each that the tests can tell apart.
    pub(crate) fn samples(&self, tests: &[&Clause<'_>]) -> Vec<Value> {
        let either = || [Value::Bool(true), Value::Bool(false)];
        match self {
            Domain::Either => either().to_vec(),
            Domain::Only(values) => values.iter().cloned().chain([Value::Null]).collect(),
            Domain::Length => {
                let whole =
                    numbers(tests).into_iter().map(f64::floor).filter(|number| *number >= 0.0);
                let mut whole: Vec<f64> = whole.chain([0.0]).collect();
                whole.sort_by(f64::total_cmp);
                whole.dedup();
                whole.into_iter().map(number).collect()
            }
            Domain::Open => {
                // Constants come first: most conditions hold for one of them, and then the
                // search is over.
                let is_number = |value: &&Value| matches!(value, Value::Int(_) | Value::Float(_));
                let others = constants(tests).filter(|value| !is_number(value)).cloned();
                let mut samples: Vec<Value> = others.collect();
                samples.extend(numbers(tests).into_iter().map(number));
                samples.extend(either());
                samples.extend([Value::text("\u{1}"), Value::list([Value::Null])]);
                samples.extend([Value::Null, Value::Int(0), Value::text(""), Value::list([])]);
                samples
            }
        }
    }
}

/// The constants that tests compare with.
/// The constants that tests compare with.
pub(crate) fn constants<'a>(tests: &'a [&'a Clause<'a>]) -> impl Iterator<Item = &'a Value> {
    tests.iter().flat_map(|test| match test {
        Clause::Compare(_, Cmp::In | Cmp::NotIn, Value::List(items)) => items.as_slice(),
        Clause::Compare(_, _, constant) => std::slice::from_ref(*constant),
        _ => &[],
    })
}

/// Numbers that tests compare with, those between them, and one on either side: the constants
/// first, as they make the better examples.
pub(crate) fn numbers(tests: &[&Clause<'_>]) -> Vec<f64> {
    let mut given: Vec<f64> = constants(tests)
        .filter_map(|value| match value {
            Value::Int(int) => Some(*int as f64),
            Value::Float(float) => Some(*float),
            _ => None,
        })
        .collect();
    given.sort_by(f64::total_cmp);
    given.dedup();
    let mut all = given.clone();
    for pair in given.windows(2) {
        let middle = pair[0] + (pair[1] - pair[0]) / 2.0;
        let whole = (pair[0] + 1.0).floor();
        all.push(if whole < pair[1] { whole } else { middle });
    }
    if let (Some(first), Some(last)) = (given.first(), given.last()) {
        all.extend([first - 1.0, last + 1.0]);
    }
    all
}

/// A number as documents write it.
pub(crate) fn number(number: f64) -> Value {
    const EXACT: f64 = 9e15;
    if number.fract() == 0.0 && number.abs() < EXACT {
        Value::Int(number as i64)
    } else {
        Value::Float(number)
    }
}

/// Whether it is plain that a condition can hold: it asks about each thing once, in a way that
/// some values meet and others do not. Nearly all conditions are so.
pub(crate) fn plainly_can_hold(clause: &Clause<'_>, is_open: impl Fn(&str) -> bool) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut stack = vec![clause];
    while let Some(clause) = stack.pop() {
        let is_free = match clause {
            Clause::Const(_) => false,
            Clause::Not(inner) => {
                stack.push(inner);
                true
            }
            Clause::And(items) | Clause::Or(items) => {
                stack.extend(items);
                !items.is_empty()
            }
            Clause::Opaque(text) => !seen.contains(&&**text),
            Clause::Compare(variable, cmp, _) => {
                !variable.is_length
                    && !matches!(cmp, Cmp::In | Cmp::NotIn)
                    && is_open(&variable.text)
            }
            Clause::Truthy(variable) | Clause::Is(variable, ..) => is_open(&variable.text),
        };
        if !is_free || clause.subject().is_some_and(|subject| seen.contains(&subject)) {
            return false;
        }
        seen.extend(clause.subject());
    }
    true
}

/// Whether one of the conditions can hold where none of the others does, or nothing if that
/// takes too many tries.
pub(crate) fn can_hold(
    clause: &Clause<'_>,
    others: &[&Clause<'_>],
    domain: impl Fn(&str) -> Domain,
    tries: &mut usize,
) -> Option<bool> {
    let mut by_subject: BTreeMap<&str, Vec<&Clause<'_>>> = BTreeMap::new();
    for test in clause.tests() {
        by_subject.entry(test.subject()?).or_default().push(test);
    }
    // What asks about other things may hold or not: it rules nothing out.
    let is_about_these = |other: &&&Clause<'_>| {
        other
            .tests()
            .iter()
            .all(|test| test.subject().is_some_and(|subject| by_subject.contains_key(subject)))
    };
    let others: Vec<&Clause<'_>> = others.iter().filter(is_about_these).copied().collect();
    let mut all_tests: BTreeMap<&str, Vec<&Clause<'_>>> = by_subject.clone();
    for test in others.iter().flat_map(|other| other.tests()) {
        all_tests.entry(test.subject()?).or_default().push(test);
    }
    let samples: Vec<(&str, Vec<Value>)> = all_tests
        .iter()
        .map(|(subject, tests)| {
            let kind = match tests[0] {
                Clause::Opaque(_) => Domain::Either,
                Clause::Truthy(variable)
                | Clause::Compare(variable, ..)
                | Clause::Is(variable, ..)
                    if variable.is_length =>
                {
                    Domain::Length
                }
                _ => domain(subject),
            };
            (*subject, kind.samples(tests))
        })
        .collect();
    let cost = samples
        .iter()
        .try_fold(1 + others.len(), |cost, (_, values)| cost.checked_mul(values.len()))?;
    *tries = tries.checked_sub(cost)?;
    let mut wheel = vec![0usize; samples.len()];
    let mut values: Vec<(&str, &Value)> =
        samples.iter().map(|(subject, values)| (*subject, &values[0])).collect();
    loop {
        if clause.holds(&values) && !others.iter().any(|other| other.holds(&values)) {
            return Some(true);
        }
        let Some(turned) = (0..wheel.len()).find(|at| wheel[*at] + 1 < samples[*at].1.len()) else {
            return Some(false);
        };
        wheel[turned] += 1;
        wheel[..turned].fill(0);
        for at in 0..=turned {
            values[at].1 = &samples[at].1[wheel[at]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Expr {
        Expr::parse(text).unwrap()
    }

    fn can(text: &str, others: &[&str]) -> bool {
        let (expr, others) = (parsed(text), others.iter().map(|text| parsed(text)));
        let others: Vec<Expr> = others.collect();
        let others: Vec<Clause<'_>> = others.iter().map(Clause::new).collect();
        let clause = Clause::new(&expr);
        let all: Vec<&Clause<'_>> = others.iter().collect();
        let can = can_hold(&clause, &all, |_| Domain::Open, &mut 100_000).unwrap();
        assert!(can || !others.is_empty() || !plainly_can_hold(&clause, |_| true), "{text}");
        can
    }

    #[test]
    fn contradictions_are_found() {
        assert!(!can("x > 5 and x < 3", &[]));
        assert!(!can("x = a and x = b", &[]));
        assert!(!can("x.length < 0", &[]));
        assert!(!can("x is empty and x.y = 1 and x is not empty", &[]));
        assert!(!can("x in [1, 2] and x > 2", &[]));
        assert!(!can("x = true and x is false", &[]));
        for text in
            ["x > 5 and x < 6", "x < 3 or x > 5", "x > 5 and y < 3", "x != a", "x > y and y > x"]
        {
            assert!(can(text, &[]), "{text}");
        }
    }

    #[test]
    fn earlier_clauses_take_their_cases() {
        assert!(!can("score >= 9", &["score >= 7"]));
        assert!(can("score >= 7", &["score >= 9"]));
        assert!(!can("ok", &["ok is true"]));
        assert!(!can("ok = true", &["ok"]));
        assert!(can("ok", &["ok = true"]));
        assert!(!can("a > b", &["a > b"]));
        assert!(can("a < b", &["a > b"]));
        // Text has no order with a number, so neither of both holds.
        assert!(can("score < 7 or score = high", &["score >= 7", "score < 7"]));
        assert!(!can("score = 7", &["score >= 7", "score < 7"]));
        assert!(!can("x contains a", &["x contains a", "y"]));
        assert!(!can("x = 1", &["always"]));
    }

    #[test]
    fn a_domain_narrows_what_can_hold() {
        let only = |_: &str| Domain::Only(vec![Value::text("low"), Value::text("high")]);
        let can = |text: &str| can_hold(&Clause::new(&parsed(text)), &[], only, &mut 1_000);
        assert_eq!(can("severity = hihg"), Some(false));
        assert_eq!(can("severity = high"), Some(true));
        assert_eq!(can("severity is empty"), Some(true));
    }

    #[test]
    fn too_many_cases_are_not_tried() {
        let text: Vec<String> = (0..12).map(|at| format!("v{at} > {at}")).collect();
        let expr = parsed(&text.join(" and "));
        assert_eq!(can_hold(&Clause::new(&expr), &[], |_| Domain::Open, &mut 100_000), None);
    }
}
