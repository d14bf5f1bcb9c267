//! Variables that are read where nothing may have written them: the step goes on with null.
//!
//! What a step fails without is another matter ([`crate::definite`]); so are conditions that ask
//! whether a name is there.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes, nearest};
use graph::ops::{Does, SlotKind};
use graph::{Filled, Node, Operand};

use crate::definite::{PATHS_MAX, is_possible};
use crate::dominators::Dominators;
use crate::flow::{Arc, Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::paths::{self, Search, at_node, at_use};
use crate::spread::{self, GROUP, GROUPS_MAX, Spread};

/// Comparing more names than these takes longer than a reader would thank us for.
const NEAR_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 200;

/// One finding for each name, where it is read first: what else reads it is a consequence. Names
/// that were told already are left out.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    dominators: &Dominators,
    told: &BTreeSet<NameId>,
    search: &mut Search,
    findings: &mut Vec<Diagnostic>,
) {
    let is_settled: Vec<bool> = (0..names.len() as NameId)
        .map(|name| names.is_input(name) || names.is_reserved(name) || told.contains(&name))
        .collect();
    never_written(flow, names, &is_settled, findings);
    let mut open: BTreeSet<NameId> = BTreeSet::new();
    for at in &flow.order {
        for name in uses(flow, names, *at) {
            if !is_settled[*name as usize]
                && names.is_written(*name)
                && !is_written_above(flow, names, dominators, *name, *at)
            {
                open.insert(*name);
            }
        }
    }
    let open: Vec<NameId> = open.into_iter().collect();
    let branches = if open.is_empty() { None } else { spread::branches(flow) };
    let mut missed: Vec<(NodeId, Vec<NodeId>, NameId)> = Vec::new();
    let mut tries = 0;
    for group in open.chunks(GROUP).take(groups_max(flow.len())) {
        let spread = Spread::certain(flow, names, branches.as_ref(), group);
        let missing = spread.missing();
        let mut is_missed = 0u64;
        for at in &flow.order {
            for name in uses(flow, names, *at) {
                let Ok(bit) = group.binary_search(name) else { continue };
                let is_new = missing[*at as usize] >> bit & 1 == 1 && is_missed >> bit & 1 == 0;
                if !is_new || tries >= PATHS_MAX {
                    continue;
                }
                is_missed |= 1 << bit;
                tries += 1;
                let is_open = |from: NodeId, arc: &Arc| spread.known_on(from, arc) >> bit & 1 == 0;
                let path = search.shortest(flow, &flow.roots, is_open, |to| to == *at);
                if let Some(path) = path.filter(|path| is_possible(flow, names, path)) {
                    missed.push((*at, path, *name));
                }
            }
        }
    }
    missed.sort_unstable();
    let missed = missed.into_iter();
    findings.extend(missed.map(|(at, path, name)| unwritten(flow, names, name, at, &path)));
}

/// What a node reads from variables. One that stores a variable under its own name only says
/// that a run may be given it.
fn uses<'a>(flow: &Flow<'_>, names: &'a Names<'_>, at: NodeId) -> &'a [NameId] {
    let uses = names.uses(at);
    let keeps =
        uses == names.writes(at) && flow.node(at).def().is_some_and(|op| op.does == Does::Set);
    if keeps { &[] } else { uses }
}

/// How many groups of names are looked at: many where that takes no time.
fn groups_max(nodes: usize) -> usize {
    const VISITS_MAX: usize = 2_000_000;
    GROUPS_MAX.max(VISITS_MAX / nodes.max(1))
}

/// Whether every path passes a place behind which the name is written. Most are settled by this.
fn is_written_above(
    flow: &Flow<'_>,
    names: &Names<'_>,
    dominators: &Dominators,
    name: NameId,
    at: NodeId,
) -> bool {
    // Names with more writers than this are settled faster all at once.
    const WRITERS_MAX: usize = 8;
    let is_sure = |from: &NodeId| {
        let binds_inside = flow.binds_inside(*from);
        let carries = |arc: &Arc| match arc.way {
            Way::On => !binds_inside,
            Way::Enter | Way::Branch => binds_inside,
            Way::Fail => false,
        };
        let ways = flow.out(*from);
        if ways.iter().all(carries) {
            return dominators.is_above(*from, at);
        }
        // Only some ways bring it: one of them must be the only way to where it is read.
        ways.iter().filter(|arc| carries(arc)).any(|arc| {
            flow.into(arc.to).len() == 1 && (arc.to == at || dominators.is_above(arc.to, at))
        })
    };
    names.writers(name).iter().take(WRITERS_MAX).any(is_sure)
}

fn unwritten(
    flow: &Flow<'_>,
    names: &Names<'_>,
    name: NameId,
    at: NodeId,
    path: &[NodeId],
) -> Diagnostic {
    let (text, label) = (names.text(name), flow.label_id(at));
    let message = format!("`{label}` reads `{text}`, which nothing on some path to it has written");
    let mut found = Diagnostic::new(&codes::MAYBE_UNWRITTEN, at_use(flow, at, text), message)
        .path(paths::shown(flow, path))
        .about(text);
    if let Some(writer) = names.writers(name).iter().find(|writer| **writer != at) {
        found = found.label(at_node(flow, *writer), format!("`{text}` is written here"));
    }
    found.help(format!("write `{text}` on every path, or ask first whether it is there"))
}

/// Variables that nothing writes and that are no inputs. A name that only conditions read is an
/// input that nobody declared. Where something may write any name, nothing is known.
fn never_written(
    flow: &Flow<'_>,
    names: &Names<'_>,
    is_settled: &[bool],
    findings: &mut Vec<Diagnostic>,
) {
    if !names.inexact.is_empty() {
        return;
    }
    let mut said: BTreeSet<NameId> = BTreeSet::new();
    for (at, node) in flow.nodes().filter(|(at, _)| flow.is_reached[*at as usize]) {
        for name in names.uses(at) {
            let is_given = is_settled[*name as usize]
                || names.is_written(*name)
                || !names.carriers(*name).is_empty();
            let text = names.text(*name);
            if is_given || !is_variable(node, text) || !said.insert(*name) {
                continue;
            }
            let message = format!("nothing writes `{text}`, and it is no input");
            let found =
                Diagnostic::new(&codes::NEVER_WRITTEN, at_use(flow, at, text), message).about(text);
            let near_max = if said.len() < SUGGESTIONS_MAX { NEAR_MAX } else { 0 };
            let known = (0..names.len() as NameId)
                .filter(|other| names.is_written(*other) || names.is_input(*other))
                .map(|other| names.text(other))
                .take(near_max);
            findings.push(match nearest(text, known) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found.help(format!(
                    "write `{text}` before, declare it as an input, or quote it if it is text"
                )),
            });
        }
    }
}

fn is_variable(node: &Node, name: &str) -> bool {
    let is_it = |operand: &Operand| matches!(operand, Operand::Var(read) if **read == *name);
    node.operands.iter().filter(|(slot, _)| slot.kind != SlotKind::Bind).any(|(_, filled)| {
        match filled {
            Filled::One(operand) => is_it(operand),
            Filled::Many(operands) => operands.iter().any(is_it),
        }
    })
}
