//! Branches: how they begin, and what becomes of them where they join.

use std::collections::BTreeSet;

use history::kinds::words::InterruptionReason;
use value::Value;

use crate::call::Stage;
use crate::change::{Change, What};
use crate::doubt::Doubt;
use crate::frame::Frame;
use crate::plan::{LabelNo, NodeNo, Operand, Plan, PlanNode, Slot, Step, Strategy};
use crate::record::Recorder;
use crate::run::{Failure, Fiber, FiberNo, Group, GroupNo, Mode, Run};
use crate::step::{items, value_of};
use crate::{Fault, FaultKind, request};

/// The branches of a fork begin.
pub(crate) fn begin(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    over: Option<&Operand>,
    labels: &[LabelNo],
    item: Option<Slot>,
) -> Result<Change, Fault> {
    let branches: Vec<(LabelNo, Option<(Slot, Value)>)> = match over {
        None => labels.iter().map(|label| (*label, None)).collect(),
        Some(over) => {
            let items = items(&value_of(&own.frame, over))?;
            let each = items.iter().flat_map(|one| {
                labels.iter().map(move |label| (*label, item.map(|slot| (slot, one.clone()))))
            });
            each.collect()
        }
    };
    let most = run.options.limits.fibers;
    if (run.fibers.len() + branches.len()) as u64 > most {
        let message = format!("{} branches beside {}", branches.len(), run.fibers.len());
        return Err(Fault::new(FaultKind::Fibers, message));
    }
    Ok(Change::derived(What::Forked { fiber, node, branches }))
}

/// It is clear how a join ends: the branches that still run are given up.
pub(crate) fn settle(plan: &Plan, run: &Run, number: GroupNo) -> Change {
    let group = &run.groups[&number];
    let join = plan.node(group.join);
    let mut recorder = Recorder::new(run, Some(&join.at));
    let lost = beneath(run, group);
    let mut given_up: Vec<_> = lost.iter().flat_map(|fiber| run.calls_of(*fiber)).collect();
    given_up.sort_by_key(|waiting| waiting.pending.id);
    let intents = request::affected(given_up.into_iter());
    if !intents.is_empty() {
        recorder.interruption(InterruptionReason::Canceled, intents);
    }
    let merged = match group.is_met() {
        true => merge(plan, run, group).map_err(|fault| Failure::at(fault, &join.at)),
        false => Err(failure(join, group)),
    };
    let what = match merged {
        Ok(frame) => What::Joined { group: number, frame },
        Err(failure) => {
            let doubt = doubt(run, group, &lost);
            let failure = Box::new(Failure { doubt, ..failure });
            What::JoinFailed { group: number, failure }
        }
    };
    Change { events: recorder.events, what }
}

/// The fibers that belong to a group, and to the groups of those, and so on.
pub(crate) fn beneath(run: &Run, group: &Group) -> BTreeSet<FiberNo> {
    let mut all = group.alive.clone();
    let mut more: Vec<FiberNo> = all.iter().copied().collect();
    while let Some(fiber) = more.pop() {
        if let Some(inner) = run.fiber(fiber).waits_at().and_then(|inner| run.groups.get(&inner)) {
            more.extend(inner.alive.iter().filter(|one| all.insert(**one)));
        }
    }
    all
}

/// What a join that fails leaves in doubt: the worst of all that its branches do, whether they
/// have failed or are given up.
fn doubt(run: &Run, group: &Group, lost: &BTreeSet<FiberNo>) -> Doubt {
    let given_up = lost.iter().flat_map(|fiber| {
        let own = run.fiber(*fiber);
        let failing = match &own.mode {
            Mode::Failing(_, failure) => Some(failure.doubt),
            _ => None,
        };
        let under_way = run.calls_of(*fiber).map(|waiting| &waiting.pending);
        let under_way = under_way.filter(|pending| pending.stage == Stage::Started);
        let attempted = own.tries.iter().filter_map(|one| one.effect);
        let attempted = attempted.map(|effect| effect.doubt);
        failing.into_iter().chain(under_way.map(Doubt::of)).chain(attempted)
    });
    let waited_for = lost.iter().filter_map(|fiber| run.fiber(*fiber).waits_at());
    let groups = waited_for.filter_map(|inner| run.groups.get(&inner)).chain([group]);
    let failed = groups.flat_map(|group| group.failed.values()).map(|failure| failure.doubt);
    given_up.chain(failed).max().unwrap_or(Doubt::Nothing).beyond_its_node()
}

/// The frames of the branches that succeeded, in the order in which they began.
fn merge(plan: &Plan, run: &Run, group: &Group) -> Result<Frame, Fault> {
    let base = &run.fiber(group.owner).frame;
    let own = match &plan.node(group.join).step {
        Step::Join { reducers, .. } => reducers,
        _ => unreachable!("a group waits at a join"),
    };
    let mut merged = base.clone();
    for (order, branch) in &group.succeeded {
        // What a branch was given is what it began with, whatever its owner has under that name.
        let given = group.items.get(*order as usize);
        let of_given = given.map(|(slot, item)| (*slot, Some(item), branch.get(*slot)));
        let of_given = of_given.filter(|(_, item, value)| item != value);
        let changed = branch.changed_from(base).map(|(slot, value)| (slot, base.get(slot), value));
        let changed = changed.filter(|(slot, ..)| given.is_none_or(|(given, _)| given != slot));
        for (slot, base, value) in changed.chain(of_given) {
            let reducer = own.get(&slot).or_else(|| plan.reducers.get(&slot));
            match (reducer, value) {
                (Some(reducer), Some(value)) => {
                    let so_far = merged.take(slot);
                    let reduced = reducer.reduce(base, so_far, value)?;
                    merged.set(slot, Some(reduced));
                }
                (_, value) => merged.set(slot, value.cloned()),
            }
        }
    }
    Ok(merged)
}

/// Why a join fails. Where only one branch has failed, it is the fault of what failed in it.
fn failure(join: &PlanNode, group: &Group) -> Failure {
    let mut failed = group.failed.values();
    let only = match (failed.next(), failed.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    if matches!(join.step, Step::Join { strategy: Strategy::All, .. })
        && let Some(only) = only
    {
        return Failure::clone(only);
    }
    let told = group.failed.iter().take(20).map(|(branch, failure)| {
        let mut error = failure.fault.to_value();
        if let Value::Map(map) = &mut error {
            let map = std::sync::Arc::make_mut(map);
            map.insert("branch".into(), Value::Int(i64::from(*branch)));
            map.insert("at".into(), failure.at.clone().into());
        }
        error
    });
    let message = format!(
        "{} of {} branches failed, and {} must succeed",
        group.failed.len(),
        group.branches,
        group.needed
    );
    let fault =
        Fault { details: Some(Value::list(told)), ..Fault::new(FaultKind::Branches, message) };
    Failure::at(fault, only.and_then(|only| only.at.as_ref()).unwrap_or(&join.at))
}
