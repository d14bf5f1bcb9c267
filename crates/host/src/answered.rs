//! What adapters answer, as a run can take it.

use std::sync::Arc;

use runtime::{Answer, Fault, FaultKind, Pending};
use value::{Map, Value};

/// How deeply an answer may be nested: events hold it within something, and cannot be read again
/// from a certain depth on.
const DEPTH_MAX: usize = 100;

/// An answer that can be kept, and that says which attempt it belongs to where it is a failure.
pub(crate) fn settled(answer: Answer, pending: &Pending) -> Answer {
    match answer {
        Answer::Value(value) if is_deeper(&value, DEPTH_MAX) => {
            let message = format!("the answer is nested more than {DEPTH_MAX} levels deep");
            Answer::Failed(attempted(Fault::new(FaultKind::Tool, message), pending))
        }
        Answer::Failed(fault) => Answer::Failed(attempted(fault, pending)),
        other => other,
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
