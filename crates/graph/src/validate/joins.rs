//! Part of phase 2: a fork waits at a join, and a join waits and merges in ways that there are.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Map, Pointer, Value};

use super::slots::one_of;
use crate::declarations::Kind;
use crate::index::Index;
use crate::model::{Graph, Label, Node};
use crate::operand::Operand;
use crate::ops::{OPS, OpDef, Port};
use crate::place;

/// The ways to make one value of those that several branches wrote.
pub const REDUCERS: [&str; 5] = ["append", "replace", "merge", "max", "min"];

/// What a join can wait for. The last stands for any number of branches, from 1 on.
const STRATEGIES: [&str; 5] = ["all", "any", "race", "quorum", "quorum:N"];

/// The reducer that specs declare and that no code belongs to.
const CUSTOM: &str = "custom";

/// What one label must know of the others.
pub(super) struct Joins<'g> {
    /// What each label begins with.
    first: BTreeMap<&'g str, &'static OpDef>,
}

impl<'g> Joins<'g> {
    /// Looks at where labels begin.
    pub(super) fn new(graph: &'g Graph) -> Joins<'g> {
        let first = |label: &Label| {
            let entry = label.entry.as_ref()?;
            label.nodes.iter().find(|node| node.id == *entry)?.def()
        };
        let labels = graph.labels.iter();
        Joins { first: labels.filter_map(|(id, label)| Some((&**id, first(label)?))).collect() }
    }

    /// Checks a label.
    pub(super) fn label(
        &self,
        id: &str,
        label: &Label,
        index: &Index<'_>,
        findings: &mut Vec<Diagnostic>,
    ) {
        for (position, node) in label.nodes.iter().enumerate() {
            let Some(op) = node.def() else { continue };
            if op.port(Port::Branch).is_some() {
                findings.extend(self.fork(id, label, (position, node, op), index));
            }
            if op.joins {
                findings.extend(strategy(id, node, op));
                reducers(id, node, op, findings);
            }
        }
    }

    /// A fork whose `next` does not lead to a join. What leads nowhere is reported as such.
    fn fork(
        &self,
        id: &str,
        label: &Label,
        (position, node, op): (usize, &Node, &OpDef),
        index: &Index<'_>,
    ) -> Option<Diagnostic> {
        let is_next = |at: &usize| label.edges[*at].port == Some(Port::Next);
        let at = index.edge_indices_from(position).find(is_next)?;
        let edge = &label.edges[at];
        let (is, found) = match index.target(at) {
            Some(target) => (label.nodes[target].def()?, format!("`{}`, which is", edge.to)),
            None if edge.is_to_label() => {
                (*self.first.get(&*edge.to)?, format!("label `{}`, which begins with", edge.to))
            }
            None => return None,
        };
        if is.joins {
            return None;
        }
        let at = Anchor::value(place::of_edge(id, edge, "to"));
        let message = format!(
            "{} of label `{id}` is `{}` and waits nowhere: its `next` leads to {found} `{}`",
            node.shown(),
            op.name,
            is.name
        );
        let join = OPS.iter().find(|op| op.joins).map_or("", |op| op.name);
        let help = format!("lead it to a `{join}`, or to a label that begins with one");
        Some(Diagnostic::new(&codes::FORK_WITHOUT_JOIN, at, message).help(help))
    }
}

fn strategy(id: &str, node: &Node, op: &OpDef) -> Option<Diagnostic> {
    let slot = op.slot("strategy")?;
    let given = node.operands.text(slot.name)?;
    let (counted, words) = STRATEGIES.split_last().expect("there are five");
    let is_number = |count: &str| count.parse().is_ok_and(|count: u32| count > 0);
    let count = given.strip_prefix(counted.trim_end_matches('N'));
    if words.contains(&&**given) || count.is_some_and(is_number) {
        return None;
    }
    let at = Anchor::value(of_slot(id, node, slot.name));
    let expected = one_of(&STRATEGIES);
    let message = format!("`{}` of `{}` must be {expected}, not `{given}`", slot.name, op.name);
    let found = Diagnostic::new(&codes::WRONG_SLOT, at, message);
    Some(match nearest(given, STRATEGIES.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found,
    })
}

fn reducers(id: &str, node: &Node, op: &OpDef, findings: &mut Vec<Diagnostic>) {
    let Some(slot) = op.slot("reducers") else { return };
    let Some(Operand::Lit(given)) = node.operands.one(slot.name) else { return };
    let at = || of_slot(id, node, slot.name);
    match given {
        Value::Map(given) => {
            each(given, |reducer| Some(reducer), &|name| at().child(name), findings)
        }
        other => {
            let (name, op, kind) = (slot.name, op.name, other.kind());
            let message = format!("`{name}` of `{op}` must be an object, not {kind}");
            let found = Diagnostic::new(&codes::WRONG_SLOT, Anchor::value(at()), message);
            findings.push(found.help("give each name its reducer: `{\"notes\": \"append\"}`"));
        }
    }
}

/// The reducers that the declarations give to names.
pub(super) fn declared(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let kind = Kind::Reducers;
    let place = Pointer::root().child("declarations").child(kind.word());
    let at = |name: &str| place.child(name).child("reducer");
    each(graph.declarations.of(kind), |of| of.get("reducer"), &at, findings);
}

/// Reports those that nobody can apply.
fn each(
    reducers: &Map,
    given: impl Fn(&Value) -> Option<&Value>,
    at: &dyn Fn(&str) -> Pointer,
    findings: &mut Vec<Diagnostic>,
) {
    for (name, reducer) in reducers {
        let Some(reducer) = given(reducer) else { continue };
        let word = reducer.as_text().map_or("", |word| word);
        if REDUCERS.contains(&word) {
            continue;
        }
        let why = match word {
            CUSTOM => format!("the reducer of `{name}` is `{CUSTOM}`, which no code belongs to"),
            "" => format!("the reducer of `{name}` is {}", reducer.kind()),
            other => format!("the reducer of `{name}` is `{other}`, which there is not"),
        };
        let message = format!("{why}: it counts as `replace`");
        let found = Diagnostic::new(&codes::NO_SUCH_REDUCER, Anchor::value(at(name)), message);
        findings.push(match nearest(word, REDUCERS.iter().copied()) {
            Some(near) if word != CUSTOM => found.help(format!("did you mean `{near}`?")),
            _ => found.help(format!("use {}", one_of(&REDUCERS))),
        });
    }
}

fn of_slot(id: &str, node: &Node, slot: &str) -> Pointer {
    match node.data.get(slot) {
        Some(_) => place::of_data(id, node, slot),
        None => place::of_node(id, node, "operands").child(slot),
    }
}
