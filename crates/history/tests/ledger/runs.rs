//! How runs begin, fork and end; ledgers of forks.

use diagnostics::codes;
use history::{Event, Ledger};

use super::{Case, START, check, events, fact, violations};

const CALL: &str = r#"{"kind": "tool_call", "call_id": "c1"}"#;
const RESULT: &str = r#"{"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {}}"#;
const FINISHED: &str = r#"{"kind": "run_finished", "exit": "success"}"#;
const FORK: &str = r##"{"kind": "run_started", "run_id": "r2", "reason": "fork",
    "from": {"run_id": "r1", "seq": 1, "event_id": "#1"}}"##;

#[test]
fn a_run_begins_once_and_with_its_start() {
    check(&[
        Case {
            code: &codes::NOT_STARTED,
            broken: &[
                r#"{"kind": "timer_set", "timer": "t", "due": "2026-09-22T00:00:00.000000Z"}"#,
            ],
            lawful: &[START],
        },
        Case { code: &codes::STARTED_TWICE, broken: &[START, START], lawful: &[START] },
        Case {
            code: &codes::WRONG_ORIGIN,
            broken: &[START, CALL, r#"{"kind": "run_started", "run_id": "r2"}"#],
            lawful: &[START, CALL, FORK],
        },
        Case {
            code: &codes::WRONG_ORIGIN,
            broken: &[START, CALL, RESULT, FORK],
            lawful: &[
                START,
                CALL,
                FORK,
                r#"{"kind": "tool_result", "run_id": "r2",
                "call_id": "c1", "status": "ok", "result": {}}"#,
            ],
        },
        Case {
            code: &codes::NOT_STARTED,
            broken: &[START, CALL, r#"{"kind": "run_paused", "run_id": "r2"}"#],
            lawful: &[START, CALL, FORK, r#"{"kind": "run_paused", "run_id": "r2"}"#],
        },
    ]);
}

#[test]
fn only_what_was_seen_late_follows_the_end() {
    check(&[
        Case {
            code: &codes::AFTER_THE_END,
            broken: &[START, FINISHED, CALL],
            lawful: &[
                START,
                CALL,
                FINISHED,
                RESULT,
                r#"{"kind": "interruption", "reason": "shutdown", "affects": ["@1"]}"#,
                r#"{"kind": "resource_liveness_probe", "resource_ref": "v", "status": "dead"}"#,
                r#"{"kind": "redacted", "target": "@1", "reason": "x", "actor": "ann"}"#,
            ],
        },
        Case {
            code: &codes::AFTER_THE_END,
            broken: &[START, FINISHED, FINISHED],
            lawful: &[
                START,
                r#"{"kind": "run_cancelled"}"#,
                r#"{"kind": "run_finished", "exit": "aborted"}"#,
            ],
        },
        Case {
            code: &codes::AFTER_THE_END,
            broken: &[START, r#"{"kind": "run_cancelled"}"#, CALL],
            lawful: &[
                START,
                r#"{"kind": "run_finished", "exit": "handed_off"}"#,
                CALL,
                RESULT,
                FINISHED,
            ],
        },
        // A fork of a run that has ended is open again.
        Case {
            code: &codes::AFTER_THE_END,
            broken: &[
                START,
                FINISHED,
                FORK,
                r#"{"kind": "run_finished", "run_id": "r2"}"#,
                r#"{"kind": "run_paused", "run_id": "r2"}"#,
            ],
            lawful: &[START, FINISHED, FORK, r#"{"kind": "run_paused", "run_id": "r2"}"#],
        },
    ]);
}

#[test]
fn what_is_not_here_does_not_count_against_a_fork_without_its_parent() {
    let origin = r#"{"kind": "run_started", "run_id": "r1", "reason": "fork", "from": {"run_id": "r0",
        "seq": 7, "event_id": "4444444444444444444444444444444444444444444444444444444444444444"}}"#;
    let history = events(&[origin, RESULT, r#"{"kind": "handle_closed", "handle_ref": "h"}"#]);
    assert_eq!(violations(&history), []);
    let twice = violations(&events(&[origin, CALL, RESULT, RESULT]));
    assert_eq!(twice.len(), 1, "{twice:?}");
}

#[test]
fn events_that_cannot_be_read_count_as_themselves() {
    let unknown = Event::read(r#"{"kind": "x.vendor.thing"}"#).unwrap();
    let broken = Event::read(r#"{"kind": "tool_call", "run_id": "r1"}"#).unwrap();
    let [start, finished] = &events(&[START, FINISHED])[..] else { unreachable!("there are two") };
    let mut ledger = Ledger::default();
    for event in [start, &unknown, finished] {
        let fact = event.fact();
        assert_eq!(ledger.check(event, fact.as_ref(), None), []);
        ledger.apply(event, fact.as_ref());
    }
    assert_eq!(ledger.check(&unknown, None, None), []);
    let found = ledger.check(&broken, None, None);
    assert_eq!(found.iter().map(|one| one.code()).collect::<Vec<_>>(), [&codes::AFTER_THE_END]);
}

#[test]
fn a_run_that_begins_with_what_cannot_be_read_has_begun() {
    let start = Event::read(r#"{"kind": "run_started", "run_id": "r1", "ts": 7}"#).unwrap();
    let [_, next] = &events(&[START, FINISHED])[..] else { unreachable!("there are two") };
    let mut ledger = Ledger::default();
    for event in [&start, next] {
        let fact = event.fact();
        assert_eq!(ledger.check(event, fact.as_ref(), None), []);
        ledger.apply(event, fact.as_ref());
    }
    // What has no start is told so once, by its first event.
    let other = Event::read(r#"{"kind": "tool_call", "run_id": "r2"}"#).unwrap();
    let found = Ledger::default().check(&other, None, None);
    assert_eq!(found.iter().map(|one| one.code()).collect::<Vec<_>>(), [&codes::NOT_STARTED]);
}

#[test]
fn one_member_that_is_not_as_it_must_be_hides_nothing_else() {
    let history = events(&[
        START,
        r#"{"kind": "resource_registered", "resource": {"id": "ws", "name": 7,
            "capabilities": ["snapshot", 7], "imperative": "no"}}"#,
        r#"{"kind": "resource_attached", "resource_ref": "ws", "mode": null, "mount": null}"#,
        r#"{"kind": "model_request", "request_id": "q1", "model": 7, "params": [],
            "input_refs": ["m1", 7, {"$blob": "x"}]}"#,
        r#"{"kind": "model_response", "request_id": "q1", "usage": {"total_tokens": "many"}}"#,
        r#"{"kind": "tool_call", "call_id": "c1", "server": null, "tool": null, "args": null,
            "requested_by": {"event_id": "me"}}"#,
        r#"{"kind": "effect_started", "call": "@5"}"#,
        r#"{"kind": "tool_result", "call_id": "c1", "status": null, "valid_at": null}"#,
        r#"{"kind": "interruption", "affects": [7, "@5"]}"#,
    ]);
    assert_eq!(violations(&history), []);
    let mut ledger = Ledger::default();
    history.iter().for_each(|event| ledger.apply(event, event.fact().as_ref()));
    let usable: Vec<_> = ledger.live().writable().into_iter().map(|id| &**id).collect();
    assert_eq!(usable, ["ws"]);
}

#[test]
fn a_ledger_that_was_cloned_goes_on_like_the_one_it_was_cloned_from() {
    let history = long();
    let mut whole = Ledger::default();
    history.iter().for_each(|event| whole.apply(event, Some(&fact(event))));
    let mut prefix = Ledger::default();
    for (at, event) in history.iter().enumerate() {
        if at % 29 == 0 {
            let mut clone = prefix.clone();
            for event in &history[at..] {
                assert_eq!(clone.check(event, Some(&fact(event)), None), [], "{}", event.body());
                clone.apply(event, Some(&fact(event)));
            }
            assert_eq!(clone, whole, "cloned at {at}");
        }
        prefix.apply(event, Some(&fact(event)));
    }
}

/// A lawful run with some of everything, longer than what a ledger keeps unshared.
fn long() -> Vec<Event> {
    let mut texts = vec![START.to_string()];
    for turn in 0..60 {
        let at = texts.len();
        texts.extend([
            format!(r#"{{"kind": "model_request", "model": "m", "params": {{}},
                    "input_refs": [], "request_id": "q{turn}"}}"#),
            format!(r#"{{"kind": "model_response", "request_id": "q{turn}", "output_ref": "m"}}"#),
            format!(r#"{{"kind": "tool_call", "call_id": "c{turn}", "requested_by": "@{}"}}"#, at + 1),
            format!(r#"{{"kind": "approval_requested", "call": "@{}"}}"#, at + 2),
            format!(r#"{{"kind": "approval_decided", "request": "@{}", "outcome": "user_approve"}}"#, at + 3),
            format!(r#"{{"kind": "effect_started", "call": "@{}", "attempt": 1, "idem_key": "k{turn}"}}"#, at + 2),
            format!(r#"{{"kind": "tool_result", "call_id": "c{turn}", "status": "ok", "result": {{}}}}"#),
        ]);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    events(&texts)
}
