//! The one decision point: before an effect leaves, an ordered list of deciders is asked. The
//! first that does not allow it decides.

use graph::Touches;
use value::Text;

use crate::call::{Pending, Request, ToolCall};
use crate::money::Money;
use crate::options::{Replay, ToolContract};
use crate::plan::Plan;
use crate::run::Run;
use crate::{Fault, FaultKind};

/// What a decider says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// It has nothing against it.
    Allow,
    /// It may not leave.
    Deny(Fault),
}

/// Decides about a call, from what is known of the run.
type Decider = fn(&Plan, &Run, &Pending) -> Verdict;

/// In this order. Policies add to it.
static DECIDERS: &[Decider] = &[capabilities, forks, tokens, cost, calls];

/// Asks all deciders.
pub(crate) fn decide(plan: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let verdicts = DECIDERS.iter().map(|decider| decider(plan, run, pending));
    verdicts.into_iter().find(|verdict| *verdict != Verdict::Allow).unwrap_or(Verdict::Allow)
}

fn deny(kind: FaultKind, message: String) -> Verdict {
    Verdict::Deny(Fault::new(kind, message))
}

/// A store may be used as it was declared, and a tool if all that it needs is granted.
fn capabilities(plan: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    let Some(used) = &call.store else { return permissions(run, call) };
    let declared = plan.stores.iter().find(|store| store.id == used.id);
    match declared.map(|store| store.allows(used.verb)) {
        Some(Err(fault)) => Verdict::Deny(fault),
        Some(Ok(())) | None => Verdict::Allow,
    }
}

fn permissions(run: &Run, call: &ToolCall) -> Verdict {
    let needed = contract(run, call).map_or(&[][..], |contract| &contract.permissions);
    match not_granted(&call.name(), needed, &run.options.grants) {
        None => Verdict::Allow,
        Some(fault) => Verdict::Deny(fault),
    }
}

/// Why a tool may not be called that needs what is not granted.
pub fn not_granted(tool: &str, needed: &[Text], grants: &[Text]) -> Option<Fault> {
    let is_granted = |needed: &&Text| grants.iter().any(|grant| covers(grant, needed));
    let missing = needed.iter().find(|needed| !is_granted(needed))?;
    let message = format!(
        "`{tool}` needs `{missing}`, which is not granted; whoever operates it can add it to \
         `capabilities` of `[grants]` in quipu.toml"
    );
    Some(Fault::new(FaultKind::Denied, message))
}

/// Whether a grant covers what is needed: `fs.write` covers `fs.write:notes`, and so does
/// `fs.write:n*`. What is needed without a scope is everywhere, so that no scope covers it.
fn covers(grant: &str, needed: &str) -> bool {
    if grant == needed {
        return true;
    }
    let Some((name, scope)) = needed.split_once(':') else { return false };
    match grant.split_once(':') {
        None => grant == name,
        Some((granted, scopes)) => {
            let begins = scopes.strip_suffix('*').is_some_and(|start| scope.starts_with(start));
            granted == name && begins
        }
    }
}

/// What is known of a tool, or of the verb of an adapter: a store of the same name is none.
fn contract<'r>(run: &'r Run, call: &ToolCall) -> Option<&'r ToolContract> {
    let known = run.options.tools.get(&call.name());
    known.filter(|contract| call.store.is_none() && !contract.made_up)
}

/// What a call will cost, as far as that is known before.
pub(crate) fn estimate(run: &Run, request: &Request) -> Money {
    let Request::Tool(call) = request else { return Money::ZERO };
    contract(run, call).map_or(Money::ZERO, |contract| contract.cost)
}

/// What a fork writes would happen a second time.
fn forks(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    if run.from.is_none() || call.touches != Touches::Write {
        return Verdict::Allow;
    }
    let name = format_args!("{}.{}", call.server, call.tool);
    match contract(run, call).map(|contract| contract.replay).unwrap_or_default() {
        Replay::Live => Verdict::Allow,
        Replay::MustStub if run.options.live => Verdict::Allow,
        Replay::MustStub => {
            deny(FaultKind::Denied, format!("a fork does not write: `{name}` needs `--live`"))
        }
        Replay::FailLoud => {
            let message = format!(
                "a fork never calls `{name}`, whose replay policy is `fail-loud`: give its answer \
                 (`--output {}=VALUE`)",
                pending.at
            );
            deny(FaultKind::Denied, message)
        }
    }
}

fn tokens(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let used = run.counts.prompt_tokens.saturating_add(run.counts.completion_tokens);
    match (&pending.request, run.options.limits.tokens) {
        (Request::Model(_), Some(most)) if used >= most => {
            deny(FaultKind::Tokens, format!("{used} tokens of {most} are used up"))
        }
        _ => Verdict::Allow,
    }
}

fn cost(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let used = run.counts.cost;
    match (&pending.request, run.options.limits.cost) {
        // What costs nothing may be asked for nothing.
        (Request::Model(_), Some(most)) if used >= most && used != Money::default() => {
            deny(FaultKind::Cost, format!("{used} of {most} are spent"))
        }
        // What is allowed is counted as spent at once, so that calls that are under way at the
        // same time cannot spend the same money.
        (Request::Tool(call), Some(most)) => {
            let estimate = estimate(run, &pending.request);
            match used.plus(estimate) <= most || estimate == Money::ZERO {
                true => Verdict::Allow,
                false => deny(
                    FaultKind::Cost,
                    format!("`{}` costs {estimate}, and {used} of {most} are spent", call.name()),
                ),
            }
        }
        _ => Verdict::Allow,
    }
}

/// How often a tool, or the verb of an adapter, may be called.
fn calls(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    let name = call.name();
    match run.options.limits.calls.get(&name) {
        // A store is no tool, whatever it is called.
        Some(most) if call.store.is_none() && call.nth > *most => {
            deny(FaultKind::Calls, format!("`{name}` may be called {most} times"))
        }
        _ => Verdict::Allow,
    }
}
