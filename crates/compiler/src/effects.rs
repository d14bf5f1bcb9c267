//! Effects that may happen again: tools that are tried again, and calls that never return.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, codes};
use graph::ops::{OpDef, Port, SlotKind};
use graph::{Index, Kind, Operand};
use value::{Text, Value};

use crate::calls::{Call, Calls};
use crate::flow::{Flow, NodeId, Way};
use crate::paths::{self, at_slot};

/// What a handler tries where it says that it does, but not how often.
const RETRIES_DEFAULT: i64 = 3;

/// One finding for each call of a tool that must not be repeated and may be.
pub(crate) fn repeated(flow: &Flow<'_>, calls: &Calls<'_>, findings: &mut Vec<Diagnostic>) {
    let once: Vec<&Text> = flow
        .graph
        .declarations
        .of(Kind::Tools)
        .iter()
        .filter(|(_, tool)| has_effects(tool) && tool.get("idempotent") != Some(&Value::Bool(true)))
        .map(|(id, _)| id)
        .collect();
    if once.is_empty() {
        return;
    }
    let handled = handled(flow);
    for label in &flow.labels {
        let nodes = label.first..label.first + label.label.nodes.len() as NodeId;
        let callers: Vec<NodeId> = nodes.filter(|at| calls.of(*at) == Some(Call::Tool)).collect();
        if callers.is_empty() {
            continue;
        }
        let guards = guards(flow, label.first, &Index::new(label.label));
        for at in callers {
            let tool = flow.node(at).tools().into_iter().find(|tool| once.contains(tool));
            let by_guard = guards.get(&at).map(|(guard, count)| (Some(*guard), None, *count));
            let by_handler =
                || handled.get(&**label.id).map(|(handler, count)| (None, Some(*handler), *count));
            let retried = by_guard.or_else(by_handler).filter(|_| flow.is_reached[at as usize]);
            if let (Some(tool), Some((guard, handler, count))) = (tool, retried) {
                findings.push(repeated_effect(flow, at, tool, guard, handler, count));
            }
        }
    }
}

/// Whether a tool does something outside.
pub(crate) fn has_effects(tool: &Value) -> bool {
    side_effects(tool).next().is_some()
}

/// What a tool does outside, in its author's words.
pub(crate) fn side_effects(tool: &Value) -> impl Iterator<Item = &Text> {
    let listed = tool.get("side_effects").and_then(Value::as_list).unwrap_or_default();
    listed
        .iter()
        .filter_map(Value::as_text)
        .filter(|effect| !effect.is_empty() && &***effect != "none")
}

/// Labels that a handler tries again: which one, and how often.
fn handled<'g>(flow: &Flow<'g>) -> BTreeMap<&'g str, (&'g Text, i64)> {
    let mut handled = BTreeMap::new();
    for (id, handler) in flow.graph.declarations.of(Kind::Handlers) {
        let Some(retry) = handler.get("retry").filter(|retry| retry.as_map().is_some()) else {
            continue;
        };
        let count = match retry.get("max_retries") {
            Some(Value::Int(count)) => *count,
            _ => RETRIES_DEFAULT,
        };
        let scope = handler.get("scope").and_then(Value::as_list).unwrap_or_default();
        for label in scope.iter().filter_map(Value::as_text).filter(|_| count > 0) {
            handled.entry(&**label).or_insert((id, count));
        }
    }
    handled
}

/// Nodes that are tried again where they stand: by which guard, and how often.
fn guards(flow: &Flow<'_>, first: NodeId, index: &Index<'_>) -> BTreeMap<NodeId, (NodeId, i64)> {
    let label = flow.labels[flow.label_of(first)].label;
    let mut guards = BTreeMap::new();
    for (at, edge) in label.edges.iter().enumerate() {
        let (Some(from), Some(guard)) = (index.find(&edge.from), index.target(at)) else {
            continue;
        };
        let node = &label.nodes[guard];
        if edge.port != Some(Port::Retry) || node.def().and_then(OpDef::guards) != Some(Port::Retry)
        {
            continue;
        }
        let slot = node.def().and_then(|op| op.slot("count"));
        if let Some(Operand::Lit(Value::Int(count))) =
            slot.and_then(|slot| node.operands.one(slot.name))
            && *count > 0
        {
            guards.insert(first + from as NodeId, (first + guard as NodeId, *count));
        }
    }
    guards
}

fn repeated_effect(
    flow: &Flow<'_>,
    at: NodeId,
    tool: &Text,
    guard: Option<NodeId>,
    handler: Option<&Text>,
    count: i64,
) -> Diagnostic {
    let times =
        if count == 1 { "once more".to_string() } else { format!("up to {count} times more") };
    let by = handler.map(|handler| format!(" by `{handler}`")).unwrap_or_default();
    let message =
        format!("`{tool}` has side effects, and `{}` may call it {times}{by}", flow.label_id(at));
    let path: Vec<NodeId> = std::iter::once(at).chain(guard).collect();
    Diagnostic::new(&codes::REPEATED_EFFECT, at_slot(flow, at, SlotKind::FirstValue), message)
        .help(format!(
            "say `idempotent: true` if `{tool}` may run twice, or call it where nothing is retried"
        ))
        .path(paths::shown(flow, &path))
}

/// One finding for each label that calls itself again whatever happens.
pub(crate) fn recursion(flow: &Flow<'_>, findings: &mut Vec<Diagnostic>) {
    if !flow.has_calls {
        return;
    }
    // The one node that must come next. A loop may have nothing to repeat.
    let next = |at: NodeId| {
        let out = flow.out(at);
        let calls = flow.node(at).def().is_some_and(|op| op.slot_of(SlotKind::Callee).is_some());
        match out.iter().find(|arc| arc.way == Way::Enter) {
            Some(callee) => calls.then_some(callee.to),
            None if flow.is_end[at as usize] => None,
            None => match out {
                [only] if only.way == Way::On => Some(only.to),
                _ => None,
            },
        }
    };
    // In which walk a node was met.
    let mut met = vec![0u32; flow.len()];
    for (walk, root) in (1..).zip(&flow.order) {
        let mut step = Some(*root);
        while let Some(at) = step.filter(|at| met[*at as usize] == 0) {
            met[at as usize] = walk;
            step = next(at);
        }
        if let Some(again) = step.filter(|at| met[*at as usize] == walk) {
            let mut cycle = vec![again];
            while let Some(at) = next(cycle[cycle.len() - 1]) {
                cycle.push(at);
                if at == again {
                    break;
                }
            }
            findings.extend(endless_call(flow, &cycle));
        }
    }
}

fn endless_call(flow: &Flow<'_>, cycle: &[NodeId]) -> Option<Diagnostic> {
    let is_call = |at: &&NodeId| flow.out(**at).iter().any(|arc| arc.way == Way::Enter);
    let call = *cycle.iter().filter(is_call).min()?;
    let label = flow.label_id(call);
    let message = format!("`{label}` calls itself again whatever happens, without end");
    Some(
        Diagnostic::new(&codes::ENDLESS_RECURSION, at_slot(flow, call, SlotKind::Callee), message)
            .help("call it on one branch only, so that another can return")
            .path(paths::shown(flow, cycle)),
    )
}
