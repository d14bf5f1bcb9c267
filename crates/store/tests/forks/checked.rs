//! Appends that are held to what came before.

use history::{Event, Ledger, Stream, Violation};
use store::{AppendError, Archive as _, Expected, MemoryStore, append_checked};

use crate::{event, plain};

#[test]
fn what_contradicts_the_events_before_it_is_not_appended() {
    let store = MemoryStore::default();
    let stream = Stream::run("r1");
    let mut ledger = Ledger::default();
    let start = event("r1", 0, r#"{"kind": "run_started"}"#);
    let call = event(
        "r1",
        1,
        &format!(
            r#"{{"kind": "tool_call", "call_id": "c1", "server": "s", "tool": "t", "args": {{}},
                "requested_by": {{"event_id": "{}"}}}}"#,
            start.id()
        ),
    );
    let result =
        event("r1", 2, r#"{"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {}}"#);
    let mut add = |next: u64, events: &[Event]| {
        append_checked(&store, &mut ledger, &plain(&stream, Expected::Next(next), events))
    };
    let refused = add(0, &[start.clone(), result.clone()]);
    let Err(AppendError::Unlawful(why)) = refused else { panic!("{refused:?}") };
    assert!(matches!(&why[..], [Violation::ResultWithoutCall { .. }]), "{why:?}");
    assert_eq!(store.stream(&stream).unwrap(), None);
    // What was refused left no trace in the ledger, and what was appended is in it.
    add(0, &[start, call]).unwrap();
    add(2, std::slice::from_ref(&result)).unwrap();
    let refused = add(3, &[result]);
    let Err(AppendError::Unlawful(why)) = refused else { panic!("{refused:?}") };
    assert!(matches!(&why[..], [Violation::SecondResult { .. }]), "{why:?}");
    assert_eq!(store.stream(&stream).unwrap().unwrap().next, 3);
}
