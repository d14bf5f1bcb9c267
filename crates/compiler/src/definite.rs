//! Names that a node fails without, on a path on which nothing has written them.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes};
use graph::ops::{Port, SlotKind};
use graph::{Cmp, Expr};
use value::Map;

use crate::clauses;
use crate::dominators::Dominators;
use crate::flow::{Arc, Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::paths::{self, Search, at_node, at_slot};
use crate::spread::{GROUP, GROUPS_MAX, Spread, knots};

/// Looking for more paths than this takes longer than a reader reads.
pub(crate) const PATHS_MAX: usize = 100;

/// One finding for each name: what else needs it on that path is a consequence. Names that
/// nothing writes are what a run is given. Says which names they were.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    dominators: &Dominators,
    search: &mut Search,
    findings: &mut Vec<Diagnostic>,
) -> BTreeSet<NameId> {
    let mut said = BTreeSet::new();
    let mut open: BTreeSet<NameId> = BTreeSet::new();
    for at in &flow.order {
        for name in names.needs(*at) {
            let is_known = names.is_input(*name)
                || !names.is_written(*name)
                || is_written_above(flow, names, dominators, *name, *at);
            if !is_known {
                open.insert(*name);
            }
        }
    }
    let open: Vec<NameId> = open.into_iter().collect();
    if open.is_empty() {
        return said;
    }
    let knots = knots(flow);
    let mut missed: Vec<(NodeId, NameId)> = Vec::new();
    for group in open.chunks(GROUP).take(GROUPS_MAX) {
        let missing = Spread::new(flow, names, &knots, group).missing();
        let mut is_missed = 0u64;
        for at in &flow.order {
            for name in names.needs(*at) {
                let Ok(bit) = group.binary_search(name) else { continue };
                if missing[*at as usize] >> bit & 1 == 1 && is_missed >> bit & 1 == 0 {
                    is_missed |= 1 << bit;
                    missed.push((*at, *name));
                }
            }
        }
    }
    missed.sort_unstable();
    for (at, name) in missed.into_iter().take(PATHS_MAX) {
        if let Some(path) = path_without(flow, names, search, name, at) {
            findings.push(unwritten(flow, names, name, at, &path));
            said.insert(name);
        }
    }
    said
}

/// Whether a single node on every path writes it. Most names are settled by this.
fn is_written_above(
    flow: &Flow<'_>,
    names: &Names<'_>,
    dominators: &Dominators,
    name: NameId,
    at: NodeId,
) -> bool {
    // Names with more writers than this are settled faster all at once.
    const WRITERS_MAX: usize = 8;
    let is_sure = |from: NodeId| {
        dominators.is_above(from, at) && flow.out(from).iter().all(|arc| arc.way != Way::Fail)
    };
    names.writers(name).iter().take(WRITERS_MAX).any(|from| is_sure(*from))
}

/// A shortest path on which nothing writes the name, if it can be taken at all.
fn path_without(
    flow: &Flow<'_>,
    names: &Names<'_>,
    search: &mut Search,
    name: NameId,
    to: NodeId,
) -> Option<Vec<NodeId>> {
    let writes = |at: NodeId| {
        flow.is_inexact(at)
            || names.writes(at).contains(&name)
            || names.carriers(name).binary_search(&at).is_ok()
            || names.askers(name).binary_search(&at).is_ok()
    };
    let is_open = |at: NodeId, arc: &Arc| arc.way == Way::Fail || !writes(at);
    let path = search.shortest(flow, &flow.roots, is_open, |at| at == to)?;
    is_possible(flow, names, &path).then_some(path)
}

/// Whether a path can be taken: a condition on a name that nothing on it has written is decided.
pub(crate) fn is_possible(flow: &Flow<'_>, names: &Names<'_>, path: &[NodeId]) -> bool {
    let mut written: BTreeSet<NameId> = BTreeSet::new();
    let mut outcomes: Vec<(NodeId, bool)> = Vec::new();
    for pair in path.windows(2) {
        let (at, to) = (pair[0], pair[1]);
        if !agrees_with_earlier(flow, at, to, &mut outcomes) {
            return false;
        }
        let is_unknown = |name: &NameId| {
            written.contains(name) || names.is_input(*name) || !names.is_written(*name)
        };
        if let Some(expr) = clauses::expr(flow.node(at))
            && !names.reads(at).iter().any(is_unknown)
        {
            let way = if expr.eval(&Map::default()) { Port::Then } else { Port::Else };
            if !flow.out(at).iter().any(|arc| arc.to == to && arc.port == way) {
                return false;
            }
        }
        written.extend(names.writes(at).iter().chain(names.carries(at)));
        // What was asked about a name that is written now says nothing any more.
        outcomes.retain(|(asked, _)| {
            !flow.is_inexact(at)
                && !names.reads(*asked).iter().any(|name| names.writes(at).contains(name))
        });
    }
    true
}

/// Whether a condition comes out as it did, where the same was asked before on the path.
fn agrees_with_earlier(
    flow: &Flow<'_>,
    at: NodeId,
    to: NodeId,
    outcomes: &mut Vec<(NodeId, bool)>,
) -> bool {
    let Some(expr) = clauses::expr(flow.node(at)) else { return true };
    let mut ways = flow.out(at).iter().filter(|arc| arc.to == to).map(|arc| arc.port);
    let (Some(way), None) = (ways.next(), ways.next()) else { return true };
    let holds = match way {
        Port::Then => true,
        Port::Else => false,
        _ => return true,
    };
    for (earlier, held) in outcomes.iter() {
        let Some(earlier) = clauses::expr(flow.node(*earlier)) else { continue };
        let must = match (earlier, expr) {
            _ if earlier == expr => Some(*held),
            (Expr::Compare(a, cmp, b), Expr::Compare(c, other, d)) if a == c => {
                match (b == d, held) {
                    (true, _) if cmp.negated() == Some(*other) => Some(!held),
                    // It cannot equal two constants.
                    (false, true) if (*cmp, *other) == (Cmp::Eq, Cmp::Eq) => Some(false),
                    _ => None,
                }
            }
            _ => None,
        };
        if must.is_some_and(|must| must != holds) {
            return false;
        }
    }
    outcomes.push((at, holds));
    true
}

fn unwritten(
    flow: &Flow<'_>,
    names: &Names<'_>,
    name: NameId,
    at: NodeId,
    path: &[NodeId],
) -> Diagnostic {
    let (text, label) = (names.text(name), flow.label_id(at));
    let message = format!("`{label}` needs `{text}`, which nothing on some path to it has written");
    let writer = names.writers(name).iter().find(|writer| **writer != at);
    let mut found = Diagnostic::new(
        &codes::READ_BEFORE_WRITTEN,
        at_slot(flow, at, SlotKind::FirstValue),
        message,
    )
    .path(paths::shown(flow, path))
    .about(text);
    if let Some(writer) = writer {
        found = found.label(at_node(flow, *writer), format!("`{text}` is written here"));
    }
    found.help(format!("write `{text}` on every path, or read it with a default"))
}
