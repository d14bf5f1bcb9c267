//! Conditions that can never hold, and gates that leave a case to nobody.

use diagnostics::{Diagnostic, codes};
use graph::ops::{Port, SlotKind};
use value::{Value, json};

use crate::calls::{Call, Calls};
use crate::clauses::{
    self, Clause, Domain, can_hold, constants, number, numbers, plainly_can_hold,
};
use crate::flow::{Flow, NodeId, Way};
use crate::names::Names;
use crate::paths::{self, about_gate, at_slot, listed};

/// A list of conditions that takes more tries than this is not looked at any further.
const TRIES_MAX: usize = 1 << 17;

/// What a condition costs that is only looked at, in tries.
const COST_OF_OTHER: usize = 8;

/// One finding for each condition that cannot hold, one for each gate with a hole.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    for (at, _) in flow.nodes().filter(|(at, _)| flow.is_reached[*at as usize]) {
        if clauses::expr(flow.node(at)).is_none() || follows_another(flow, at) {
            continue;
        }
        let chain = chain_from(flow, at);
        let clauses: Vec<Clause<'_>> =
            chain.iter().filter_map(|at| Clause::of(flow.node(*at))).collect();
        let before = findings.len();
        never_hold(flow, names, calls, &chain, &clauses, findings);
        // A condition that never holds is why a value falls through.
        if findings.len() == before {
            findings.extend(hole(flow, names, calls, &chain, &clauses));
        }
    }
}

/// The condition that is asked next, where this one does not hold: it is asked only then.
fn next_in_chain(flow: &Flow<'_>, at: NodeId) -> Option<NodeId> {
    let next = flow.out(at).iter().find(|arc| arc.port == Port::Else && arc.way == Way::On)?.to;
    let is_asked_here = flow.label_of(next) == flow.label_of(at)
        && flow.into(next).len() == 1
        && flow.labels[flow.label_of(at)].entry != Some(next);
    (is_asked_here && clauses::expr(flow.node(next)).is_some()).then_some(next)
}

fn follows_another(flow: &Flow<'_>, at: NodeId) -> bool {
    match flow.into(at) {
        [(from, Way::On)] => {
            clauses::expr(flow.node(*from)).is_some() && next_in_chain(flow, *from) == Some(at)
        }
        _ => false,
    }
}

fn chain_from(flow: &Flow<'_>, at: NodeId) -> Vec<NodeId> {
    let mut chain = vec![at];
    // Each has one way in, so a chain that comes back to its start would have no start.
    while let Some(next) = next_in_chain(flow, chain[chain.len() - 1]) {
        chain.push(next);
    }
    chain
}

/// What a name can hold: the words of an enumeration, or true and false, where every answer that
/// has the name is declared so.
fn domain(names: &Names<'_>, calls: &Calls<'_>, subject: &str) -> Domain {
    let known = || {
        let name = names.find(subject)?;
        let writers = names.writers(name);
        let is_carried = names.carriers(name).iter().any(|at| writers.binary_search(at).is_err());
        if writers.is_empty() || is_carried || names.is_input(name) || !names.inexact.is_empty() {
            return None;
        }
        let mut values: Vec<Value> = Vec::new();
        for at in writers {
            let shape = calls.given(*at, name)?.shape;
            if shape.is_boolean() {
                values.extend([Value::Bool(true), Value::Bool(false)]);
            } else {
                values.extend(shape.words()?.into_iter().map(Value::text));
            }
        }
        Some(Domain::Only(values))
    };
    known().unwrap_or(Domain::Open)
}

fn never_hold(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    chain: &[NodeId],
    clauses: &[Clause<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    let mut tries = TRIES_MAX;
    let mut is_shadow_said = false;
    for (place, (at, clause)) in chain.iter().zip(clauses).enumerate() {
        if clause.tests().is_empty() {
            continue;
        }
        let domain = |subject: &str| domain(names, calls, subject);
        if place == 0 && plainly_can_hold(clause, |subject| domain(subject) == Domain::Open) {
            continue;
        }
        // Looking at the others costs something as well.
        let Some(left) = tries.checked_sub(place * COST_OF_OTHER) else { return };
        tries = left;
        let earlier: Vec<&Clause<'_>> = clauses[..place].iter().collect();
        if can_hold(clause, &earlier, domain, &mut tries) != Some(false) {
            continue;
        }
        let (why, help) = if can_hold(clause, &[], |_| Domain::Open, &mut tries) == Some(false) {
            ("it contradicts itself".to_string(), "write a condition that some value meets")
        } else if can_hold(clause, &[], domain, &mut tries) == Some(false) {
            (only_ever(names, calls, clause), "compare with a value that it can have")
        } else if is_fallback(flow, *at) || std::mem::replace(&mut is_shadow_said, true) {
            continue;
        } else {
            (
                "the conditions before it take all its cases".to_string(),
                "put it before them, or remove it",
            )
        };
        let Some(expr) = clauses::expr(flow.node(*at)) else { continue };
        let message = format!("`{expr}` in `{}` never holds: {why}", flow.label_id(*at));
        let found =
            Diagnostic::new(&codes::NEVER_HOLDS, at_slot(flow, *at, SlotKind::Condition), message)
                .help(help)
                .path(paths::shown(flow, &chain[..=place]));
        findings.push(about_gate(found, flow.gate(flow.label_of(*at))));
    }
}

/// Whether a clause is only there for when the author's branches do not hold.
fn is_fallback(flow: &Flow<'_>, at: NodeId) -> bool {
    let source = flow.node(at).clause().and_then(|clause| clause.get("source"));
    source == Some(&Value::text("polarity"))
}

fn only_ever(names: &Names<'_>, calls: &Calls<'_>, clause: &Clause<'_>) -> String {
    for subject in clause.tests().iter().filter_map(|test| test.subject()) {
        if let Domain::Only(values) = domain(names, calls, subject) {
            let mut words: Vec<String> = Vec::new();
            for word in values.iter().map(word) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            return format!("`{subject}` can only be {}", listed(&words, "or"));
        }
    }
    "no value meets it".to_string()
}

fn word(value: &Value) -> String {
    value.as_text().map_or_else(|| json::compact(value), |text| text.to_string())
}

/// A value that no condition of a gate takes, where what is left fails.
fn hole(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    chain: &[NodeId],
    clauses: &[Clause<'_>],
) -> Option<Diagnostic> {
    let last = *chain.last()?;
    let left = flow.out(last).iter().find(|arc| arc.port == Port::Else)?.to;
    if calls.of(left) != Some(Call::Fail) {
        return None;
    }
    let tests: Vec<&Clause<'_>> = clauses.iter().flat_map(Clause::tests).collect();
    let subject = tests.first()?.subject()?;
    if tests.iter().any(|test| matches!(test, Clause::Opaque(_)) || test.subject() != Some(subject))
    {
        return None;
    }
    let candidates = candidates(&tests, || domain(names, calls, subject))?;
    let falls = |value: &&Value| !clauses.iter().any(|clause| clause.holds(&[(subject, *value)]));
    let example = candidates.iter().find(falls)?;
    let label = flow.label_id(last);
    let message = format!("no branch of `{label}` takes `{subject}` = `{}`", word(example));
    let found =
        Diagnostic::new(&codes::GATE_HOLE, at_slot(flow, last, SlotKind::Condition), message)
            .help("add a default, or a condition that takes it: as it is, the run fails there")
            .path(paths::shown(flow, &[chain, &[left]].concat()));
    Some(about_gate(found, flow.gate(flow.label_of(last))))
}

/// The values that a gate's author had in mind: of an enumeration, numbers, or true and false.
/// Of other text there is always one more.
fn candidates(tests: &[&Clause<'_>], domain: impl FnOnce() -> Domain) -> Option<Vec<Value>> {
    if let Domain::Only(values) = domain() {
        return Some(values);
    }
    let is_number = |test: &&Clause<'_>| match test {
        Clause::Compare(variable, _, constant) => {
            !variable.is_length && matches!(constant, Value::Int(_) | Value::Float(_))
        }
        _ => false,
    };
    if tests.iter().all(is_number) {
        // Counts and scores are whole where the conditions are, and not negative where these are
        // not.
        let numbers = numbers(tests);
        let given = || constants(tests);
        let is_whole = given().all(|constant| matches!(constant, Value::Int(_)));
        let is_negative = |constant: &Value| match constant {
            Value::Int(int) => *int < 0,
            Value::Float(float) => *float < 0.0,
            _ => false,
        };
        let has_negative = given().any(is_negative);
        let meant =
            |sample: &f64| (!is_whole || sample.fract() == 0.0) && (has_negative || *sample >= 0.0);
        return Some(numbers.into_iter().filter(meant).map(number).collect());
    }
    if tests.iter().all(|test| matches!(test, Clause::Compare(variable, ..) if variable.is_length))
    {
        return Some(Domain::Length.samples(tests));
    }
    let is_boolean = |test: &&Clause<'_>| match test {
        Clause::Compare(_, _, constant) => matches!(constant, Value::Bool(_)),
        Clause::Truthy(_) | Clause::Is(_, graph::Test::True | graph::Test::False, _) => true,
        _ => false,
    };
    tests.iter().all(is_boolean).then(|| vec![Value::Bool(true), Value::Bool(false)])
}
