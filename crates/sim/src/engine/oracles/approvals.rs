//! Where a run has a policy, no call leaves that was not allowed, and none leaves by what was said
//! about another one, in another run, or under another policy.

use std::collections::{BTreeMap, BTreeSet};

use history::EventId;
use history::kinds::What;
use history::kinds::words::ApprovalOutcome;
use runtime::Request;
use value::Text;

use super::super::driven::{Driver, Logged};

/// A call of a tool, as far as its history has come.
struct Call {
    name: Text,
    /// The policy under which it was allowed, in this run.
    allowed_by: Option<Text>,
    is_denied: bool,
}

/// Every call that left, or was answered, was allowed before.
pub(super) fn hold(driver: &Driver<'_>) -> Result<(), String> {
    let mut calls: BTreeMap<EventId, Call> = BTreeMap::new();
    let mut policy: Option<Text> = None;
    let mut given: BTreeSet<EventId> = BTreeSet::new();
    for Logged { fact, .. } in &driver.log {
        if let What::Substitution(substitution) = &fact.what {
            given.insert(substitution.replacement_event.event_id);
        }
    }
    for (seq, Logged { sealed, fact }) in driver.log.iter().enumerate() {
        let wrong = |name: &Text, why: &str| Err(format!("event {seq}: `{name}` {why}"));
        match &fact.what {
            What::RunStarted(started) => {
                let options = started.options.as_deref().map(runtime::Options::from_map);
                policy = options.and_then(|options| options.policy);
                calls.values_mut().for_each(|call| call.allowed_by = None);
            }
            What::PolicyActivated(activated) => policy = Some(activated.policy_ref.clone()),
            What::ToolCall(call) if is_tool(call.server.as_deref()) => {
                let name = call.call_id.clone();
                let call = Call { name, allowed_by: None, is_denied: false };
                calls.insert(sealed.event.id(), call);
            }
            What::ApprovalDecided(decided) => {
                let about = decided.call.as_ref().and_then(|call| calls.get_mut(&call.event_id));
                let Some(call) = about else { continue };
                match decided.outcome.allows() {
                    true => call.allowed_by.clone_from(&decided.policy_digest),
                    false => call.is_denied = true,
                }
                if decided.outcome == ApprovalOutcome::UserApprove && decided.request.is_none() {
                    return wrong(&call.name, "was approved, and nobody was asked");
                }
            }
            What::EffectStarted(left) if policy.is_some() => {
                let Some(call) = calls.get(&left.call.event_id) else { continue };
                let is_first = left.attempt == Some(1);
                if call.is_denied || call.allowed_by.is_none() {
                    return wrong(&call.name, "leaves, and nobody allowed it");
                }
                if is_first && call.allowed_by != policy {
                    return wrong(&call.name, "leaves, allowed by a policy that is not in force");
                }
            }
            What::ToolResult(result) if policy.is_some() => {
                let call = calls.values().find(|call| call.name == result.call_id);
                let is_late = call.is_none_or(|call| call.allowed_by.is_some());
                if let Some(call) = call.filter(|_| !given.contains(&sealed.event.id()) && !is_late)
                {
                    return wrong(&call.name, "was answered, and nobody allowed it");
                }
            }
            _ => {}
        }
    }
    let denied = calls.values().filter(|call| call.is_denied && call.allowed_by.is_none());
    match denied.into_iter().find(|call| driver.desk.carried_out.contains_key(&call.name)) {
        Some(call) => Err(format!("`{}` was denied, and carried out", call.name)),
        None => Ok(()),
    }
}

fn is_tool(server: Option<&str>) -> bool {
    !matches!(server, Some("store" | "channel" | "logic"))
}

/// Whether a fork has to ask somebody again about a call that its parent was asked about.
pub(super) fn asks_again(fork: &Driver<'_>) -> bool {
    let asked = fork.log.iter().filter_map(|logged| match &logged.fact.what {
        What::ApprovalRequested(asked) => Some(asked.call.event_id),
        _ => None,
    });
    let asked: BTreeSet<EventId> = asked.collect();
    let tools = fork.run.pending().filter(|it| matches!(it.request, Request::Tool(_)));
    tools.into_iter().any(|pending| asked.contains(&pending.intent))
}
