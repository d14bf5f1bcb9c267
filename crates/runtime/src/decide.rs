//! The one decision point: before an effect leaves, an ordered list of deciders is asked. The
//! first that does not allow it decides.

use graph::Touches;

use crate::call::{Pending, Request, ToolCall};
use crate::money::Money;
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

/// A store may be used as it was declared.
fn capabilities(plan: &Plan, _: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    let Some(used) = &call.store else { return Verdict::Allow };
    let declared = plan.stores.iter().find(|store| store.id == used.id);
    match declared.map(|store| store.allows(used.verb)) {
        Some(Err(fault)) => Verdict::Deny(fault),
        Some(Ok(())) | None => Verdict::Allow,
    }
}

/// What a fork writes would happen a second time.
fn forks(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    if run.from.is_none() || run.options.live || call.touches != Touches::Write {
        return Verdict::Allow;
    }
    deny(
        FaultKind::Denied,
        format!("a fork does not write: `{}.{}` needs `--live`", call.server, call.tool),
    )
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
        _ => Verdict::Allow,
    }
}

/// How often a tool may be called.
fn calls(_: &Plan, run: &Run, pending: &Pending) -> Verdict {
    let Request::Tool(call) = &pending.request else { return Verdict::Allow };
    let Some(most) = run.options.limits.calls.get(&call.tool) else { return Verdict::Allow };
    // What has the same name elsewhere, like a store's `read`, is no tool.
    if &*call.server != ToolCall::TOOLS || call.nth <= *most {
        return Verdict::Allow;
    }
    deny(FaultKind::Calls, format!("`{}` may be called {most} times", call.tool))
}
