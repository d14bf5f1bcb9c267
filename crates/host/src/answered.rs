//! What adapters answer, as a run can take it.

use graph::Touches;
use runtime::{Answer, Fault, FaultKind, Happened, Pending, Request};
use value::Value;

/// How deeply an answer may be nested: events hold it within something, and cannot be read again
/// from a certain depth on.
const DEPTH_MAX: usize = 100;

/// An answer that can be kept, and that says which attempt it belongs to where it is a failure.
pub(crate) fn settled(answer: Answer, pending: &Pending) -> Answer {
    match answer {
        Answer::Value(value) if is_deeper(&value, DEPTH_MAX) => {
            let message = format!("the answer is nested more than {DEPTH_MAX} levels deep");
            let too_deep = Fault::new(FaultKind::Tool, message).with_happened(happened(pending));
            Answer::Failed(attempted(too_deep, pending))
        }
        Answer::Failed(fault) => Answer::Failed(attempted(fault, pending)),
        other => other,
    }
}

/// Whether a program ended by a signal that asks processes to end. A terminal sends it to all of
/// them, also to a program that has not left the group of its parent yet.
pub(crate) fn was_asked_to_end(answer: &Answer) -> bool {
    /// Hang up, interrupt, terminate.
    const SIGNALS: [i64; 3] = [1, 2, 15];
    let Answer::Failed(fault) = answer else { return false };
    let signal = fault.details.as_ref().and_then(|details| details.get("signal"));
    matches!(signal, Some(Value::Int(signal)) if SIGNALS.contains(signal))
}

/// Whether what was asked for may have happened: it has, where whoever answered did anything.
fn happened(pending: &Pending) -> Happened {
    match &pending.request {
        Request::Tool(call) if call.touches == Touches::Write => Happened::Maybe,
        _ => Happened::No,
    }
}

fn attempted(fault: Fault, pending: &Pending) -> Fault {
    fault.with_detail("attempt", Value::Int(pending.attempt.into()))
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::List(_) | Value::Map(_), None) => true,
        (Value::List(items), Some(levels)) => items.iter().any(|item| is_deeper(item, levels)),
        (Value::Map(map), Some(levels)) => map.values().any(|item| is_deeper(item, levels)),
        _ => false,
    }
}
