//! Branches that run beside each other: names that two of them write, and branches that never
//! meet again.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, codes};
use graph::ops::Port;
use graph::{Filled, Kind, Operand};

use crate::flow::{Flow, NodeId, Way};
use crate::names::{NameId, Names};
use crate::paths::{self, at_node, listed};

/// Walking through the branches takes no longer than so many walks over the graph.
const WORK_PER_NODE: usize = 16;

/// At most two findings for each fork.
pub(crate) fn check(flow: &Flow<'_>, names: &Names<'_>, findings: &mut Vec<Diagnostic>) {
    let (mut work, mut reading) = (flow.len() * WORK_PER_NODE, flow.len() * WORK_PER_NODE);
    for (at, _) in flow.nodes().filter(|(at, _)| flow.is_reached[*at as usize]) {
        let branches: Vec<NodeId> =
            flow.out(at).iter().filter(|arc| arc.way == Way::Branch).map(|arc| arc.to).collect();
        if branches.len() < 2 {
            continue;
        }
        let Some(fork) = Fork::new(flow, at, branches, &mut work) else { return };
        findings.extend(fork.overwritten(flow, names, &mut reading));
        findings.extend(fork.apart(flow));
    }
}

struct Fork {
    at: NodeId,
    join: Option<NodeId>,
    branches: Vec<NodeId>,
    /// What runs between the fork and its join, and in which branch it comes first.
    region: BTreeMap<NodeId, usize>,
}

impl Fork {
    fn new(flow: &Flow<'_>, at: NodeId, branches: Vec<NodeId>, work: &mut usize) -> Option<Fork> {
        let next = flow.out(at).iter().find(|arc| arc.port == Port::Next).map(|arc| arc.to);
        let join = next.filter(|next| flow.joins(*next));
        let mut region = BTreeMap::new();
        for (branch, entry) in branches.iter().enumerate() {
            let mut stack = vec![*entry];
            while let Some(step) = stack.pop() {
                *work = work.checked_sub(1)?;
                if Some(step) == next || step == at || region.contains_key(&step) {
                    continue;
                }
                region.insert(step, branch);
                stack.extend(flow.out(step).iter().map(|arc| arc.to));
            }
        }
        Some(Fork { at, join, branches, region })
    }

    /// Whether somebody reads a name after the join before it is written again. A name that only
    /// the branches themselves read is each one's own.
    fn is_read(&self, flow: &Flow<'_>, names: &Names<'_>, name: NameId, work: &mut usize) -> bool {
        let readers = names.readers(name);
        if !readers.iter().any(|at| !self.region.contains_key(at)) {
            return false;
        }
        let mut seen = BTreeSet::new();
        let mut stack: Vec<NodeId> = self.join.into_iter().collect();
        while let Some(at) = stack.pop() {
            // Without the time to look, somebody may.
            let Some(left) = work.checked_sub(1) else { return true };
            *work = left;
            if !seen.insert(at) {
                continue;
            }
            if readers.binary_search(&at).is_ok() {
                return true;
            }
            if names.writers(name).binary_search(&at).is_err() {
                stack.extend(flow.out(at).iter().map(|arc| arc.to));
            }
        }
        false
    }

    /// Names that two branches write, of which one value is lost.
    fn overwritten(
        &self,
        flow: &Flow<'_>,
        names: &Names<'_>,
        work: &mut usize,
    ) -> Option<Diagnostic> {
        let join = self.join?;
        let mut first: BTreeMap<NameId, NodeId> = BTreeMap::new();
        let mut lost: BTreeMap<NameId, (NodeId, NodeId)> = BTreeMap::new();
        for (at, branch) in &self.region {
            for name in names.writes(*at) {
                let other = *first.entry(*name).or_insert(*at);
                if self.region[&other] != *branch && !lost.contains_key(name) {
                    lost.insert(*name, (other, *at));
                }
            }
        }
        lost.retain(|name, _| {
            !names.is_reserved(*name)
                && !is_reduced(flow, join, names.text(*name))
                && self.is_read(flow, names, *name, work)
        });
        let (one, other) = *lost.values().next()?;
        let texts: Vec<&str> = lost.keys().map(|name| names.text(*name)).collect();
        let branch = |at: NodeId| flow.label_id(self.branches[self.region[&at]]);
        let message = format!(
            "the branches `{}` and `{}` both write {}, and no reducer says which value counts",
            branch(one.min(other)),
            branch(one.max(other)),
            listed(&texts, "and")
        );
        Some(
            Diagnostic::new(&codes::PARALLEL_WRITES, at_node(flow, self.at), message)
                .label(at_node(flow, one), format!("`{}` is written here", texts[0]))
                .label(at_node(flow, other), "and here")
                .help("write under two names, or declare a reducer for it")
                .path(paths::shown(flow, &[self.at, one, other, join])),
        )
    }

    /// Branches that go on to other labels and do not come together: the run waits for them, and
    /// then there is nothing that would use what they did.
    fn apart(&self, flow: &Flow<'_>) -> Option<Diagnostic> {
        let join = self.join.filter(|join| flow.label_of(*join) == flow.label_of(self.at))?;
        let [after] = flow.out(join) else { return None };
        let last = flow.node(after.to);
        if !last.def().is_some_and(|op| op.returns()) || last.operands.iter().next().is_some() {
            return None;
        }
        let of_branch =
            |number: usize| self.region.iter().filter(move |(_, branch)| **branch == number);
        let own = |number: usize| flow.label_of(self.branches[number]);
        let goes_on =
            |number: usize| of_branch(number).any(|(at, _)| flow.label_of(*at) != own(number));
        if !(0..self.branches.len()).any(goes_on) {
            return None;
        }
        let ends = (0..self.branches.len()).filter_map(|number| {
            of_branch(number).map(|(at, _)| *at).find(|at| flow.is_end[*at as usize])
        });
        let path: Vec<NodeId> = std::iter::once(self.at).chain(ends).collect();
        let mut seen = BTreeSet::new();
        let ids =
            self.branches.iter().map(|at| &**flow.label_id(*at)).filter(|id| seen.insert(*id));
        let ids: Vec<&str> = ids.collect();
        let message = format!(
            "`{}` starts {}, which never meet again",
            flow.label_id(self.at),
            listed(&ids, "and")
        );
        Some(
            Diagnostic::new(&codes::NEVER_JOINS, at_node(flow, self.at), message)
                .help("lead them to one step that uses what they did, or start only one")
                .path(paths::shown(flow, &path)),
        )
    }
}

fn is_reduced(flow: &Flow<'_>, join: NodeId, name: &str) -> bool {
    let node = flow.node(join);
    let slot = node.def().and_then(|op| op.slot("reducers"));
    let at_join = slot.and_then(|slot| match node.operands.get(slot.name)? {
        Filled::One(Operand::Lit(reducers)) => reducers.get(name),
        _ => None,
    });
    at_join.is_some() || flow.graph.declarations.of(Kind::Reducers).contains_key(name)
}
