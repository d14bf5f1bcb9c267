//! Where each process goes on: by its loop edges, while they are taken, and then by its flow
//! edges.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, codes};
use graph::{Cmp, Expr, Path, Term};
use value::{Text, Value};

use super::control::{Control, flows, loops, passed};
use super::fields::NodeType;
use super::gates::Decision;
use super::spec::{Line, Spec};
use crate::yaml::Tree;

/// The ways on of one process.
#[derive(Debug, Default)]
pub(super) struct Ways<'s, 't> {
    pub(super) loops: Vec<Loop<'s, 't>>,
    /// What is left of its flow edges.
    pub(super) flows: Vec<(usize, &'s Line<'t>)>,
}

/// A loop edge that is asked.
#[derive(Debug)]
pub(super) struct Loop<'s, 't> {
    pub(super) line: &'s Line<'t>,
    pub(super) to: usize,
    /// When it is taken; nothing where it always is.
    pub(super) when: Option<Expr>,
    /// The name that counts how often it was taken, where there is a limit.
    pub(super) counter: Option<Text>,
}

/// The ways on of every node of a spec, by its position.
pub(super) fn ways<'s, 't>(
    spec: &'s Spec<'t>,
    control: &Control,
    decisions: &BTreeMap<usize, Decision>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Ways<'s, 't>> {
    let asked = asked_on_cycles(control, decisions);
    let mut counters = BTreeSet::new();
    let mut all: Vec<Ways<'s, 't>> = Vec::with_capacity(spec.things.len());
    for (process, thing) in spec.things.iter().enumerate() {
        if thing.place.list != "processes" || thing.is(NodeType::Gate) {
            all.push(Ways::default());
            continue;
        }
        let mut ways = Ways { loops: Vec::new(), flows: flows(spec, process) };
        for line in loops(spec, process) {
            let Some(to) = passed(spec, line.to) else { continue };
            let condition = condition(line, findings);
            let limit = line.tree.get("max_iterations").and_then(Tree::as_int);
            let flows_there = ways.flows.iter().any(|(target, _)| *target == to);
            // A gate on the way round decides alone: the edge is only drawn.
            let is_decided = spec.things[to].is(NodeType::Gate)
                || condition.as_ref().is_some_and(|condition| {
                    let cycle = control.cycle_of(process);
                    let names =
                        (cycle == control.cycle_of(to)).then(|| asked.get(&cycle)).flatten();
                    names.is_some_and(|names| {
                        condition.names().into_iter().any(|name| names.contains(name))
                    })
                });
            if flows_there && limit.is_none() && is_decided {
                continue;
            }
            ways.flows.retain(|(target, _)| *target != to);
            let counter = limit.map(|_| counter(line, &mut counters));
            let in_limit = limit.zip(counter.as_ref()).map(|(limit, counter)| {
                let count = Term::Name(Path::parse(counter).expect("it is made of letters"));
                Expr::Compare(count, Cmp::Lt, Term::Lit(Value::Int(limit)))
            });
            let condition = condition.filter(|condition| *condition != Expr::Const(true));
            let when = condition.into_iter().chain(in_limit).reduce(|a, b| Expr::all([a, b]));
            let is_always = when.is_none();
            ways.loops.push(Loop { line, to, when, counter });
            // What comes after a loop that is always taken is never asked.
            if is_always {
                ways.flows.clear();
                break;
            }
        }
        all.push(ways);
    }
    all
}

/// The names that gates ask for, by the cycle they are on.
fn asked_on_cycles<'d>(
    control: &Control,
    decisions: &'d BTreeMap<usize, Decision>,
) -> BTreeMap<u32, BTreeSet<&'d Text>> {
    let mut asked: BTreeMap<u32, BTreeSet<&Text>> = BTreeMap::new();
    for (gate, decision) in decisions {
        let names = decision.clauses.iter().flat_map(|clause| clause.when.names());
        asked.entry(control.cycle_of(*gate)).or_default().extend(names);
    }
    asked
}

/// The condition of a loop edge. Words for people count as always, and are reported.
fn condition(line: &Line<'_>, findings: &mut Vec<Diagnostic>) -> Option<Expr> {
    let text = line.text("condition")?;
    let parsed = Expr::parse(text);
    if parsed.is_err() {
        let at = line.place.member(line.tree, "condition");
        let taken = match line.tree.get("max_iterations").and_then(Tree::as_int) {
            Some(limit) => format!("so it is taken {limit} times"),
            None => "so it is always taken".to_string(),
        };
        let message = format!("nobody can tell when `{text}` holds, {taken}");
        let found = Diagnostic::new(&codes::WORDS_FOR_PEOPLE, at, message);
        findings.push(found.help("write a condition such as `round < 3`"));
    }
    parsed.ok()
}

/// The name that counts how often a loop edge was taken; no two edges share one.
fn counter(line: &Line<'_>, known: &mut BTreeSet<Text>) -> Text {
    let base = format!("_loops_{}_{}", plain(line.from), plain(line.to));
    let mut name: Text = base.as_str().into();
    if !known.insert(name.clone()) {
        name = format!("{base}_{}", line.place.index).into();
        known.insert(name.clone());
    }
    name
}

/// An id as a part of a name.
pub(super) fn plain(id: &str) -> String {
    id.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}
