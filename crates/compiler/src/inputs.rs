//! What calls take and nothing before them gives, and what nobody gives at all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use diagnostics::{Diagnostic, codes};
use graph::ops::SlotKind;

use crate::calls::{Call, Calls};
use crate::dominators::Dominators;
use crate::flow::{Flow, NodeId};
use crate::names::{NameId, Names};
use crate::paths::{self, at_slot, listed};
use crate::spread::{GROUP, GROUPS_MAX, Spread, knots};

/// One finding for each call, and one for each node that first wants what was never declared.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    dominators: &Dominators,
    misspelt: &BTreeSet<NameId>,
    findings: &mut Vec<Diagnostic>,
) {
    let taken = taken(flow, calls);
    produced_too_late(flow, names, calls, dominators, &taken, findings);
    if names.declares_inputs && names.inexact.is_empty() {
        never_declared(flow, names, calls, &taken, misspelt, findings);
    }
}

/// What each agent or tool call must be given, in the order of a run.
fn taken(flow: &Flow<'_>, calls: &Calls<'_>) -> Vec<(NodeId, NameId)> {
    let mut taken = Vec::new();
    for at in &flow.order {
        let Some(schema) = calls.takes(*at) else { continue };
        if matches!(calls.of(*at), Some(Call::Agent | Call::Tool)) {
            let required = schema.fields.iter().filter(|field| field.is_required);
            taken.extend(required.map(|field| (*at, field.name)));
        }
    }
    taken
}

/// Fields that something writes, but only where it is too late for the call.
fn produced_too_late(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    dominators: &Dominators,
    taken: &[(NodeId, NameId)],
    findings: &mut Vec<Diagnostic>,
) {
    // A few writers are looked at one by one; that settles nearly all.
    const WRITERS_MAX: usize = 8;
    let is_open = |(at, name): &&(NodeId, NameId)| {
        let writers = names.writers(*name);
        let is_above = |from: &NodeId| dominators.is_above(*from, *at);
        !names.is_input(*name)
            && writers.iter().any(|from| from != at)
            && !writers.iter().take(WRITERS_MAX).any(is_above)
    };
    let open: Vec<(NodeId, NameId)> = taken.iter().filter(is_open).copied().collect();
    let wanted: BTreeSet<NameId> = open.iter().map(|(_, name)| *name).collect();
    let wanted: Vec<NameId> = wanted.into_iter().collect();
    if wanted.is_empty() {
        return;
    }
    let knots = knots(flow);
    let mut late: BTreeMap<NodeId, Vec<NameId>> = BTreeMap::new();
    for group in wanted.chunks(GROUP).take(GROUPS_MAX) {
        let written = Spread::new(flow, names, &knots, group).written(&knots);
        for (at, name) in &open {
            let Ok(bit) = group.binary_search(name) else { continue };
            if written[*at as usize] >> bit & 1 == 0 {
                late.entry(*at).or_default().push(*name);
            }
        }
    }
    if late.is_empty() {
        return;
    }
    let tree = Tree::new(flow);
    for (at, missing) in late {
        let texts: Vec<&str> = missing.iter().map(|name| names.text(*name)).collect();
        let label = flow.label_id(at);
        let schema = calls.takes(at).map_or("", |schema| schema.id);
        let message = format!(
            "nothing before `{label}` writes {}, which `{schema}` asks for",
            listed(&texts, "or")
        );
        let writer = names.writers(missing[0]).iter().find(|writer| **writer != at);
        let mut found =
            Diagnostic::new(&codes::PRODUCED_TOO_LATE, at_slot(flow, at, SlotKind::Takes), message)
                .help("write it earlier, or give the field a default")
                .path(paths::shown(flow, &tree.path_to(at)));
        if let Some(writer) = writer {
            let what = format!("`{}` is written only here", texts[0]);
            found = found.label(paths::at_node(flow, *writer), what);
        }
        findings.push(found);
    }
}

/// Names that are wanted, written nowhere, and not among the inputs that the author declares.
fn never_declared(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    taken: &[(NodeId, NameId)],
    misspelt: &BTreeSet<NameId>,
    findings: &mut Vec<Diagnostic>,
) {
    let needed = flow.order.iter().flat_map(|at| names.needs(*at).iter().map(|name| (*at, *name)));
    let mut wanted: Vec<(NodeId, NameId)> = needed.chain(taken.iter().copied()).collect();
    wanted.sort_unstable();
    let mut said: BTreeSet<NameId> = misspelt.clone();
    let mut missing: BTreeMap<NodeId, Vec<NameId>> = BTreeMap::new();
    for (at, name) in wanted {
        let is_given = names.is_declared(name)
            || names.is_written(name)
            || names.is_reserved(name)
            || !names.carriers(name).is_empty();
        if !is_given && said.insert(name) {
            missing.entry(at).or_default().push(name);
        }
    }
    if missing.is_empty() {
        return;
    }
    let tree = Tree::new(flow);
    for (at, missing) in missing {
        let texts: Vec<&str> = missing.iter().map(|name| names.text(*name)).collect();
        let label = flow.label_id(at);
        let (is, it) = if texts.len() == 1 { ("is", "it") } else { ("are", "them") };
        let message = format!(
            "`{label}` wants {}, which {is} neither written nor an input",
            listed(&texts, "and")
        );
        let kind = if calls.takes(at).is_some() { SlotKind::Takes } else { SlotKind::FirstValue };
        findings.push(
            Diagnostic::new(&codes::INPUT_NOT_DECLARED, at_slot(flow, at, kind), message)
                .help(format!(
                    "declare {it} among the inputs, write {it} before, or give a default"
                ))
                .path(paths::shown(flow, &tree.path_to(at))),
        );
    }
}

/// Shortest paths from the roots to everything, for many witnesses at the price of one.
struct Tree {
    before: Vec<NodeId>,
}

impl Tree {
    const NOBODY: NodeId = NodeId::MAX;

    fn new(flow: &Flow<'_>) -> Tree {
        let mut before = vec![Tree::NOBODY; flow.len()];
        let mut queue: VecDeque<NodeId> = flow.roots.iter().copied().collect();
        for root in &flow.roots {
            before[*root as usize] = *root;
        }
        while let Some(at) = queue.pop_front() {
            for arc in flow.out(at) {
                if before[arc.to as usize] == Tree::NOBODY {
                    before[arc.to as usize] = at;
                    queue.push_back(arc.to);
                }
            }
        }
        Tree { before }
    }

    fn path_to(&self, at: NodeId) -> Vec<NodeId> {
        let mut path = vec![at];
        let mut step = at;
        while !matches!(self.before[step as usize], Tree::NOBODY)
            && self.before[step as usize] != step
        {
            step = self.before[step as usize];
            path.push(step);
        }
        path.reverse();
        path
    }
}
