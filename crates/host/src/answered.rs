//! What adapters answer, as a run can take it.

use std::sync::Arc;

use graph::Touches;
use runtime::{Answer, Fault, FaultKind, Pending, Request};
use value::{Map, Value};

use crate::tools::{Effect, fault};

/// How deeply an answer may be nested: events hold it within something, and cannot be read again
/// from a certain depth on.
const DEPTH_MAX: usize = 100;

/// An answer that can be kept, and that says which attempt it belongs to where it is a failure.
pub(crate) fn settled(answer: Answer, pending: &Pending) -> Answer {
    match answer {
        Answer::Value(value) if is_deeper(&value, DEPTH_MAX) => {
            let message = format!("the answer is nested more than {DEPTH_MAX} levels deep");
            let too_deep = fault(FaultKind::Tool, effect(pending), message, []);
            Answer::Failed(attempted(too_deep, pending))
        }
        Answer::Failed(fault) => Answer::Failed(attempted(fault, pending)),
        other => other,
    }
}

/// Whether what was asked for has an effect, which whoever answered may have had.
fn effect(pending: &Pending) -> Effect {
    match &pending.request {
        Request::Tool(call) if call.touches == Touches::Write => Effect::Possible,
        _ => Effect::None,
    }
}

fn attempted(mut fault: Fault, pending: &Pending) -> Fault {
    let mut details = match fault.details.take() {
        Some(Value::Map(details)) => Arc::unwrap_or_clone(details),
        Some(other) => Map::from_iter([("details".into(), other)]),
        None => Map::default(),
    };
    details.insert("attempt".into(), Value::Int(pending.attempt.into()));
    fault.details = Some(details.into());
    fault
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::List(_) | Value::Map(_), None) => true,
        (Value::List(items), Some(levels)) => items.iter().any(|item| is_deeper(item, levels)),
        (Value::Map(map), Some(levels)) => map.values().any(|item| is_deeper(item, levels)),
        _ => false,
    }
}
