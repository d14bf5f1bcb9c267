//! Calls of tools, decisions about them, effects and results.

use diagnostics::codes;

use super::{Case, START, check};

const CALL: &str = r#"{"kind": "tool_call", "call_id": "c1"}"#;
const RESULT: &str = r#"{"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {}}"#;
const LATER: &str =
    r#"{"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {"n": 2}}"#;
const ASK: &str = r#"{"kind": "approval_requested", "call": "@1"}"#;
const ALLOW: &str = r#"{"kind": "approval_decided", "request": "@2", "outcome": "user_approve"}"#;
const DENY: &str =
    r#"{"kind": "approval_decided", "request": "@2", "outcome": "user_deny_continue"}"#;
const EXPIRE: &str = r#"{"kind": "approval_decided", "request": "@2", "outcome": "expired"}"#;
const EFFECT: &str = r#"{"kind": "effect_started", "call": "@1", "attempt": 1, "idem_key": "k"}"#;
const RETRY: &str = r#"{"kind": "effect_started", "call": "@1", "attempt": 2, "idem_key": "k"}"#;
const OTHER_KEY: &str =
    r#"{"kind": "effect_started", "call": "@1", "attempt": 2, "idem_key": "other"}"#;
/// A digest of a policy.
const OLD: &str = "1111111111111111111111111111111111111111111111111111111111111111";

#[test]
fn a_result_needs_a_call_and_a_call_has_one_result() {
    check(&[
        Case {
            code: &codes::RESULT_WITHOUT_CALL,
            broken: &[START, RESULT],
            lawful: &[START, CALL, RESULT],
        },
        Case {
            code: &codes::SECOND_RESULT,
            broken: &[START, CALL, RESULT, LATER],
            lawful: &[START, CALL, RESULT],
        },
        Case {
            code: &codes::CALL_ID_REUSED,
            broken: &[
                START,
                CALL,
                RESULT,
                r#"{"kind": "tool_call", "call_id": "c1", "tool": "b"}"#,
            ],
            lawful: &[
                START,
                CALL,
                RESULT,
                r#"{"kind": "tool_call", "call_id": "c2", "tool": "b"}"#,
            ],
        },
    ]);
}

#[test]
fn a_result_may_replace_another_one_if_a_substitution_says_so_first() {
    let [.., later] = &super::events(&[START, CALL, RESULT, START, LATER])[..] else {
        unreachable!("there are five")
    };
    let announced = format!(
        r#"{{"kind": "substitution", "original_event": "@2", "replacement_event": {{"event_id": "{}"}}}}"#,
        later.id()
    );
    let history = super::events(&[START, CALL, RESULT, &announced, LATER]);
    assert_eq!(super::violations(&history), []);
}

#[test]
fn an_effect_needs_the_decision_that_was_asked_for() {
    check(&[
        Case {
            code: &codes::EFFECT_UNDECIDED,
            broken: &[START, CALL, ASK, EFFECT],
            lawful: &[START, CALL, ASK, ALLOW, EFFECT, RESULT],
        },
        Case {
            code: &codes::EFFECT_DENIED,
            broken: &[START, CALL, ASK, DENY, EFFECT],
            lawful: &[START, CALL, EFFECT, RETRY, OTHER_KEY, RESULT],
        },
        // Nobody was there to decide, so that it was asked again.
        Case {
            code: &codes::EFFECT_DENIED,
            broken: &[START, CALL, ASK, EXPIRE, EFFECT],
            lawful: &[
                START,
                CALL,
                ASK,
                EXPIRE,
                r#"{"kind": "approval_requested", "call": "@1"}"#,
                r#"{"kind": "approval_decided", "request": "@4", "outcome": "user_approve"}"#,
                EFFECT,
            ],
        },
        // What was denied stays denied, whoever says otherwise later.
        Case {
            code: &codes::EFFECT_DENIED,
            broken: &[
                START,
                CALL,
                ASK,
                DENY,
                r#"{"kind": "approval_decided", "call": "@1", "outcome": "policy_allow"}"#,
                EFFECT,
            ],
            lawful: &[
                START,
                CALL,
                r#"{"kind": "approval_decided", "call": "@1", "outcome": "policy_allow"}"#,
                EFFECT,
            ],
        },
        Case {
            code: &codes::DECISION_USED,
            broken: &[START, CALL, ASK, ALLOW, EFFECT, OTHER_KEY],
            lawful: &[START, CALL, ASK, ALLOW, EFFECT, RETRY],
        },
        Case {
            code: &codes::DECISION_USED,
            broken: &[START, CALL, ASK, ALLOW, EFFECT, EFFECT],
            lawful: &[
                START,
                CALL,
                ASK,
                r#"{"kind": "approval_decided", "request": "@2", "outcome": "user_approve", "single_use": false}"#,
                EFFECT,
                OTHER_KEY,
            ],
        },
        Case {
            code: &codes::SECOND_DECISION,
            broken: &[START, CALL, ASK, ALLOW, DENY],
            lawful: &[START, CALL, ASK, DENY],
        },
        // Nobody knows what other systems mean by their words.
        Case {
            code: &codes::EFFECT_DENIED,
            broken: &[
                START,
                CALL,
                r#"{"kind": "approval_decided", "call": "@1", "outcome": "sure"}"#,
                EFFECT,
            ],
            lawful: &[START, CALL, EFFECT],
        },
        Case {
            code: &codes::EFFECT_DENIED,
            broken: &[
                START,
                CALL,
                r#"{"kind": "approval_requested", "call": "@1",
                    "expires_at": "2026-01-01T00:00:00.000000Z"}"#,
                ALLOW,
                EFFECT,
            ],
            lawful: &[
                START,
                CALL,
                r#"{"kind": "approval_requested", "call": "@1",
                    "expires_at": "2027-01-01T00:00:00.000000Z"}"#,
                ALLOW,
                EFFECT,
            ],
        },
        Case {
            code: &codes::DECISION_OF_ANOTHER,
            broken: &[
                START,
                CALL,
                ASK,
                r#"{"kind": "tool_call", "call_id": "c2"}"#,
                r#"{"kind": "approval_decided", "request": "@2", "call": "@3",
                    "outcome": "user_approve"}"#,
            ],
            lawful: &[
                START,
                CALL,
                ASK,
                r#"{"kind": "approval_decided", "request": "@2", "call": "@1",
                    "outcome": "user_approve"}"#,
                EFFECT,
            ],
        },
    ]);
}

#[test]
fn a_second_decision_changes_nothing() {
    let codes = |texts: &[&str]| -> Vec<_> {
        let found = super::violations(&super::events(texts));
        found.iter().map(|(at, one)| (*at, one.code().id)).collect()
    };
    // What was allowed once and used is not allowed once more.
    let used = codes(&[START, CALL, ASK, ALLOW, EFFECT, ALLOW, OTHER_KEY]);
    assert_eq!(used, [(5, "H323"), (6, "H305")]);
    assert_eq!(codes(&[START, CALL, ASK, EXPIRE, ALLOW, EFFECT]), [(4, "H323"), (5, "H304")]);
    assert_eq!(codes(&[START, CALL, ASK, ALLOW, DENY, EFFECT]), [(4, "H323")]);
}

#[test]
fn a_decision_counts_only_under_its_policy() {
    let activated =
        format!(r#"{{"kind": "policy_activated", "policy_ref": "{OLD}", "actor": "ann"}}"#);
    let decided = format!(
        r#"{{"kind": "approval_decided", "call": "@1", "outcome": "policy_allow", "policy_digest": "{OLD}"}}"#
    );
    let newer = activated.replace('1', "2");
    let lawful = super::events(&[START, CALL, &activated, &decided, EFFECT]);
    assert_eq!(super::violations(&lawful), []);
    let broken = super::events(&[START, CALL, &activated, &decided, &newer, EFFECT]);
    let [(5, found)] = &super::violations(&broken)[..] else { panic!("one violation") };
    assert_eq!(found.code(), &codes::DECISION_OUTDATED);
    // An effect that has left under the old policy may be tried again.
    let retried = super::events(&[START, CALL, &activated, &decided, EFFECT, &newer, RETRY]);
    assert_eq!(super::violations(&retried), []);
}

#[test]
fn references_lead_to_events_of_the_lineage() {
    check(&[
        Case {
            code: &codes::UNKNOWN_EVENT,
            broken: &[
                START,
                r#"{"kind": "tool_call", "call_id": "c1", "requested_by": {"event_id":
                    "4444444444444444444444444444444444444444444444444444444444444444"}}"#,
            ],
            lawful: &[START, CALL],
        },
        Case {
            code: &codes::UNKNOWN_EVENT,
            broken: &[
                START,
                r#"{"kind": "interruption", "reason": "crash", "affects": ["@0", {"event_id":
                    "4444444444444444444444444444444444444444444444444444444444444444"}]}"#,
            ],
            lawful: &[
                START,
                CALL,
                r#"{"kind": "interruption", "reason": "crash", "affects": ["@0", "@1"]}"#,
            ],
        },
        Case {
            code: &codes::REFERENCE_OF_ANOTHER_KIND,
            broken: &[START, CALL, r#"{"kind": "approval_requested", "call": "@0"}"#],
            lawful: &[START, CALL, ASK],
        },
        Case {
            code: &codes::REFERENCE_OF_ANOTHER_KIND,
            broken: &[
                START,
                CALL,
                ASK,
                r#"{"kind": "approval_decided", "request": "@1", "outcome": "expired"}"#,
            ],
            lawful: &[START, CALL, ASK, EXPIRE],
        },
        Case {
            code: &codes::SUBSTITUTION_BACKWARDS,
            broken: &[
                START,
                CALL,
                r#"{"kind": "substitution", "original_event": "@1", "replacement_event": "@0"}"#,
            ],
            lawful: &[
                START,
                CALL,
                r#"{"kind": "substitution", "original_event": "@0", "replacement_event": "@1"}"#,
            ],
        },
    ]);
}

#[test]
fn the_item_of_a_list_is_pointed_to() {
    let history = super::events(&[
        START,
        r#"{"kind": "interruption", "reason": "crash", "affects": ["@0", {"event_id":
            "4444444444444444444444444444444444444444444444444444444444444444"}]}"#,
    ]);
    let [(1, found)] = &super::violations(&history)[..] else { panic!("one violation") };
    assert_eq!(found.pointer().as_str(), "/affects/1");
}

/// Where a run has a policy, silence allows nothing, and nothing that was said to another run does.
#[test]
fn an_effect_needs_an_allow_where_the_run_has_a_policy() {
    const POLICED: &str = r#"{"kind": "run_started", "options": {"policy": {"kind": "blob",
        "id": "1111111111111111111111111111111111111111111111111111111111111111"}}}"#;
    const ACTIVATED: &str = r#"{"kind": "policy_activated", "actor": "ada",
        "policy_ref": "2222222222222222222222222222222222222222222222222222222222222222",
        "path_or_uri": {"kind": "blob",
            "id": "2222222222222222222222222222222222222222222222222222222222222222"}}"#;
    const OF_FIRST: &str = r#"{"kind": "approval_decided", "call": "@1", "outcome": "policy_allow",
        "policy_digest": "1111111111111111111111111111111111111111111111111111111111111111"}"#;
    const OF_SECOND: &str = r#"{"kind": "approval_decided", "call": "@1", "outcome": "policy_allow",
        "policy_digest": "2222222222222222222222222222222222222222222222222222222222222222"}"#;
    const STORE: &str =
        r#"{"kind": "tool_call", "call_id": "c1", "server": "store", "tool": "read"}"#;
    const FORK: &str = r##"{"kind": "run_started", "reason": "fork", "run_id": "r2",
        "from": {"run_id": "r1", "seq": 2, "event_id": "#2"}}"##;
    check(&[
        Case {
            code: &codes::EFFECT_UNDECIDED,
            broken: &[POLICED, CALL, EFFECT],
            lawful: &[POLICED, CALL, OF_FIRST, EFFECT, RETRY, RESULT],
        },
        // Stores are no tools.
        Case {
            code: &codes::EFFECT_UNDECIDED,
            broken: &[START, CALL, ACTIVATED, EFFECT],
            lawful: &[POLICED, STORE, EFFECT],
        },
        Case {
            code: &codes::DECISION_OUTDATED,
            broken: &[POLICED, CALL, OF_FIRST, ACTIVATED, EFFECT],
            lawful: &[POLICED, CALL, OF_FIRST, ACTIVATED, OF_SECOND, EFFECT],
        },
    ]);
    let forked = super::events(&[POLICED, CALL, OF_FIRST, FORK, EFFECT]);
    let found: Vec<_> =
        super::violations(&forked).iter().map(|(at, one)| (*at, one.code().id)).collect();
    assert!(found.contains(&(4, codes::EFFECT_UNDECIDED.id)), "{found:?}");
}
