//! Caches, queues, transactions and policies that a program uses and does not declare.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes, nearest};
use graph::ops::{Does, SlotKind};
use value::{Text, Value};

use crate::flow::Flow;
use crate::paths::at_slot;

/// Comparing more names than these takes longer than a reader would thank us for.
const NEAR_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 200;

/// One finding for each name, where it is used first. A document that has no list of its
/// services declares them elsewhere.
pub(crate) fn check(flow: &Flow<'_>, findings: &mut Vec<Diagnostic>) {
    let declared = &flow.graph.capabilities;
    if declared.is_empty() {
        return;
    }
    let mut said: BTreeSet<(&str, &Text)> = BTreeSet::new();
    for (at, node) in flow.nodes() {
        let Some(op) = node.def() else { continue };
        let Some((member, what)) = service(op.does) else { continue };
        let Some(Value::Map(known)) = declared.get(member) else { continue };
        let Some(slot) = op.slot_of(SlotKind::Name) else { continue };
        let Some(name) = node.operands.text(slot.name) else { continue };
        let is_built_in = op.does == Does::Enforce && (&**name == "auth" || name.contains(':'));
        if known.contains_key(name) || is_built_in || !said.insert((member, name)) {
            continue;
        }
        let near_max = if said.len() < SUGGESTIONS_MAX { NEAR_MAX } else { 0 };
        let place = at_slot(flow, at, SlotKind::Name);
        let message = format!("the {what} `{name}` is not declared");
        let found = Diagnostic::new(&codes::UNDECLARED_SERVICE, place, message);
        findings.push(match nearest(name, known.keys().map(|known| &**known).take(near_max)) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help(format!(
                "declare it (in AINL `C`, `Q`, `Txn` or `Pol`; else under `capabilities.{member}`)"
            )),
        });
    }
}

/// Where a graph declares what an op uses, and what that is called.
fn service(does: Does) -> Option<(&'static str, &'static str)> {
    Some(match does {
        Does::CacheGet | Does::CacheSet => ("cache", "cache"),
        Does::QueuePut => ("queue", "queue"),
        Does::Transact => ("txn", "transaction"),
        Does::Enforce => ("policy", "policy"),
        _ => return None,
    })
}
