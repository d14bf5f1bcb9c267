//! Cycles that a run cannot leave: no way leads out of them, or none that can ever be taken.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes};
use graph::ops::{Port, SlotKind};
use graph::{Filled, Operand};

use crate::flow::{Arc, Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::paths::{self, Search, about_gate, at_label, at_slot, listed};
use graph::components::Components;

/// One finding for each cycle.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    misspelt: &BTreeSet<NameId>,
    search: &mut Search,
    findings: &mut Vec<Diagnostic>,
) {
    let next = |at: u32, way: usize| {
        // A way that is no part of a cycle leads nowhere new.
        flow.out(at).get(way).map(|arc| if goes_on(arc) { arc.to } else { at })
    };
    let cycles = Components::new(flow.len(), |at| flow.is_run[at as usize], next);
    let can_end = can_end(flow);
    let mut work = flow.len() * WORK_PER_NODE;
    let mut found: Vec<(usize, Diagnostic)> = Vec::new();
    for (number, members) in (0u32..).zip(&cycles.members) {
        let is_cycle = members.len() > 1
            || flow.out(members[0]).iter().any(|arc| goes_on(arc) && arc.to == members[0]);
        if !is_cycle {
            continue;
        }
        let is_inside = |at: NodeId| cycles.of[at as usize] == number;
        let finding = if !can_end[members[0] as usize] {
            let leaves =
                |at: NodeId| flow.out(at).iter().any(|arc| goes_on(arc) && !is_inside(arc.to));
            // What leads into another endless cycle is a consequence of that one.
            if members.iter().any(|at| leaves(*at)) {
                continue;
            }
            // A person who is asked again and again can stop; a chat is meant to go on.
            if members.iter().any(|at| flow.asks(*at)) {
                continue;
            }
            endless(flow, search, members, is_inside)
        } else {
            let Some(exits) = exits(flow, names, members, is_inside) else { continue };
            // Who means another name writes that one.
            if exits.asked.iter().any(|name| misspelt.contains(name))
                || may_write(flow, names, members, &exits.asked, &mut work)
            {
                continue;
            }
            stuck(flow, names, search, members, is_inside, exits)
        };
        found.push((flow.label_of(members[0]), finding));
    }
    found.sort_by_key(|(label, _)| *label);
    findings.extend(found.into_iter().map(|(_, finding)| finding));
}

/// Looking through what cycles call takes no longer than so many walks over the graph.
const WORK_PER_NODE: usize = 16;

fn goes_on(arc: &Arc) -> bool {
    matches!(arc.way, Way::On | Way::Fail)
}

/// Nodes from which the label, or the run, can end.
fn can_end(flow: &Flow<'_>) -> Vec<bool> {
    let mut can_end = flow.is_end.clone();
    let mut stack: Vec<NodeId> =
        (0..flow.len() as NodeId).filter(|at| can_end[*at as usize]).collect();
    while let Some(at) = stack.pop() {
        for (from, way) in flow.into(at) {
            if matches!(way, Way::On | Way::Fail)
                && !std::mem::replace(&mut can_end[*from as usize], true)
            {
                stack.push(*from);
            }
        }
    }
    can_end
}

/// The labels of a cycle, in document order, and a way around it.
fn around(
    flow: &Flow<'_>,
    search: &mut Search,
    members: &[NodeId],
    is_inside: impl Fn(NodeId) -> bool,
) -> (Vec<usize>, Vec<String>) {
    let mut labels: Vec<usize> = members.iter().map(|at| flow.label_of(*at)).collect();
    labels.dedup();
    let way = search.cycle(flow, members[0], |_, arc| goes_on(arc) && is_inside(arc.to));
    (labels, paths::shown(flow, &way.unwrap_or_default()))
}

fn endless(
    flow: &Flow<'_>,
    search: &mut Search,
    members: &[NodeId],
    is_inside: impl Fn(NodeId) -> bool,
) -> Diagnostic {
    let (labels, path) = around(flow, search, members, is_inside);
    let ids: Vec<&str> = labels.iter().map(|label| &**flow.labels[*label].id).collect();
    let message = match ids.as_slice() {
        [one] => format!("a run that comes to `{one}` never ends: it only leads back to itself"),
        _ => format!(
            "a run that comes to `{}` never ends: {} only lead to each other",
            ids[0],
            listed(&ids, "and")
        ),
    };
    let found = Diagnostic::new(&codes::NEVER_ENDS, at_label(flow.labels[labels[0]].id), message)
        .help("give one of them a way to an end")
        .path(path);
    about_gate(found, labels.iter().find_map(|label| flow.gate(*label)))
}

/// Where a cycle can be left, and the names that decide it.
struct Exits {
    nodes: Vec<NodeId>,
    /// In ascending order.
    asked: Vec<NameId>,
}

/// The exits of a cycle, if it can be left by conditions on names only.
fn exits(
    flow: &Flow<'_>,
    names: &Names<'_>,
    members: &[NodeId],
    is_inside: impl Fn(NodeId) -> bool,
) -> Option<Exits> {
    let (mut nodes, mut asked) = (Vec::new(), Vec::new());
    for at in members {
        if flow.asks(*at) || flow.is_inexact(*at) {
            return None;
        }
        let leaves = |arc: &&Arc| goes_on(arc) && !is_inside(arc.to);
        let mut ways = flow.out(*at).iter().filter(leaves).peekable();
        if ways.peek().is_none() && !flow.is_end[*at as usize] {
            continue;
        }
        if ways.any(|arc| arc.way == Way::Fail) || !decides_by_names(flow, *at) {
            return None;
        }
        nodes.push(*at);
        asked.extend(names.reads(*at));
    }
    asked.sort_unstable();
    asked.dedup();
    // Constants are another matter, and whoever runs the graph may change its own names.
    let is_foreign = |name: &NameId| names.is_reserved(*name) && !names.is_written(*name);
    (!asked.is_empty() && !asked.iter().any(is_foreign)).then_some(Exits { nodes, asked })
}

/// A cycle whose exits all depend on names that nothing in it writes.
fn stuck(
    flow: &Flow<'_>,
    names: &Names<'_>,
    search: &mut Search,
    members: &[NodeId],
    is_inside: impl Fn(NodeId) -> bool,
    exits: Exits,
) -> Diagnostic {
    let exit = exits.nodes[0];
    let (_, path) = around(flow, search, members, is_inside);
    let mut texts: Vec<&str> = exits.asked.iter().map(|name| names.text(*name)).collect();
    texts.sort_unstable();
    let way = if exits.nodes.len() == 1 { "its only exit depends" } else { "its exits depend" };
    let first = flow.label_id(members[0]);
    let message = format!(
        "the cycle through `{first}` may never end: {way} on {}, which nothing in it writes",
        listed(&texts, "and")
    );
    let at = at_slot(flow, exit, SlotKind::Condition);
    let found = Diagnostic::new(&codes::STUCK_CYCLE, at, message)
        .help(format!("write {} inside the cycle, or give the cycle a bound", listed(&texts, "or")))
        .path(path);
    about_gate(found, flow.gate(flow.label_of(exit)))
}

/// Whether a node goes one way or another by a condition that can be read, and by nothing else.
fn decides_by_names(flow: &Flow<'_>, at: NodeId) -> bool {
    let node = flow.node(at);
    let Some(op) = node.def().filter(|op| op.port(Port::Then).is_some()) else { return false };
    let condition = op.slot_of(SlotKind::Condition).and_then(|slot| node.operands.get(slot.name));
    matches!(condition, Some(Filled::One(Operand::Expr(_) | Operand::Lit(_))))
}

/// Whether a cycle, or what it calls or starts beside itself, writes one of these names.
fn may_write(
    flow: &Flow<'_>,
    names: &Names<'_>,
    members: &[NodeId],
    asked: &[NameId],
    work: &mut usize,
) -> bool {
    let writes = |at: NodeId| {
        flow.is_inexact(at) || names.writes(at).iter().any(|name| asked.binary_search(name).is_ok())
    };
    if members.iter().any(|at| writes(*at)) {
        return true;
    }
    let entered = |at: NodeId| {
        let ways = flow.out(at).iter().filter(|arc| matches!(arc.way, Way::Enter | Way::Branch));
        ways.map(|arc| arc.to)
    };
    let mut stack: Vec<NodeId> = members.iter().flat_map(|at| entered(*at)).collect();
    if stack.is_empty() {
        return false;
    }
    // Only what is called needs a place to note it.
    let mut seen = BTreeSet::new();
    while let Some(at) = stack.pop() {
        let Some(left) = work.checked_sub(1) else { return true };
        *work = left;
        if !seen.insert(at) {
            continue;
        }
        if writes(at) || flow.asks(at) {
            return true;
        }
        stack.extend(flow.out(at).iter().map(|arc| arc.to));
    }
    false
}
