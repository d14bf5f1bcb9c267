//! Models, people and moments that a run waits for; policies; clocks.

use diagnostics::codes;
use history::{Ledger, Timestamp, Violation};

use super::{Case, START, check, events, fact};

const REQUEST: &str = r#"{"kind": "model_request", "model": "m", "params": {}, "input_refs": [],
    "request_id": "q1"}"#;
const BARE: &str = r#"{"kind": "model_request", "model": "m", "params": {}, "input_refs": [],
    "correlation_id": "chain"}"#;
const RESPONSE: &str = r#"{"kind": "model_response", "request_id": "q1", "output_ref": "m1"}"#;
const QUESTION: &str = r#"{"kind": "question_asked", "question_id": "h1", "prompt": "sure?"}"#;
const ANSWER: &str = r#"{"kind": "question_answered", "question_id": "h1", "answer": true}"#;
const SET: &str = r#"{"kind": "timer_set", "timer": "t1", "due": "2026-09-22T00:00:00.000000Z"}"#;
const FIRED: &str = r#"{"kind": "timer_fired", "timer": "t1"}"#;
const PROPOSED: &str = r#"{"kind": "policy_proposed", "policy_ref": "p1"}"#;
const ACTIVATED: &str = r#"{"kind": "policy_activated", "policy_ref": "p1"}"#;

#[test]
fn a_model_answers_what_it_was_asked_once_per_attempt() {
    check(&[
        Case {
            code: &codes::RESPONSE_WITHOUT_REQUEST,
            broken: &[START, RESPONSE],
            lawful: &[START, REQUEST, RESPONSE],
        },
        Case {
            code: &codes::RESPONSE_WITHOUT_REQUEST,
            broken: &[START, BARE, RESPONSE],
            lawful: &[
                START,
                BARE,
                r##"{"kind": "model_response", "request_id": "#1", "output_ref": "m1"}"##,
            ],
        },
        Case {
            code: &codes::SECOND_RESPONSE,
            broken: &[START, REQUEST, RESPONSE, RESPONSE],
            lawful: &[
                START,
                REQUEST,
                RESPONSE,
                r#"{"kind": "model_response", "request_id": "q1", "output_ref": "m1", "attempt": 2}"#,
            ],
        },
        Case {
            code: &codes::SECOND_RESPONSE,
            broken: &[
                START,
                BARE,
                r#"{"kind": "model_response", "request_id": "chain", "output_ref": "m1"}"#,
                r#"{"kind": "model_response", "request_id": "chain", "output_ref": "m2"}"#,
            ],
            // A chain has many requests, each with its response.
            lawful: &[
                START,
                BARE,
                r#"{"kind": "model_response", "request_id": "chain", "output_ref": "m1"}"#,
                BARE,
                r#"{"kind": "model_response", "request_id": "chain", "output_ref": "m2"}"#,
            ],
        },
    ]);
}

#[test]
fn a_question_is_answered_once_and_a_timer_fires_when_set() {
    check(&[
        Case {
            code: &codes::ANSWER_WITHOUT_QUESTION,
            broken: &[START, ANSWER],
            lawful: &[START, QUESTION, ANSWER],
        },
        Case {
            code: &codes::SECOND_ANSWER,
            broken: &[START, QUESTION, ANSWER, ANSWER],
            lawful: &[START, QUESTION, ANSWER],
        },
        Case { code: &codes::TIMER_NOT_SET, broken: &[START, FIRED], lawful: &[START, SET, FIRED] },
        Case {
            code: &codes::TIMER_NOT_SET,
            broken: &[START, SET, FIRED, FIRED],
            lawful: &[START, SET, FIRED, SET, FIRED],
        },
    ]);
}

#[test]
fn a_policy_comes_into_force_if_proposed_or_set_by_a_person() {
    check(&[
        Case {
            code: &codes::POLICY_NOT_PROPOSED,
            broken: &[START, ACTIVATED],
            lawful: &[START, PROPOSED, ACTIVATED, ACTIVATED],
        },
        Case {
            code: &codes::POLICY_NOT_PROPOSED,
            broken: &[
                START,
                PROPOSED,
                r#"{"kind": "policy_decided", "policy_ref": "p1", "decision": "rejected"}"#,
                ACTIVATED,
            ],
            lawful: &[START, r#"{"kind": "policy_activated", "policy_ref": "p1", "actor": "ann"}"#],
        },
        Case {
            code: &codes::POLICY_TESTS_FAILED,
            broken: &[
                START,
                r#"{"kind": "policy_proposed", "policy_ref": "p1",
                    "tests_summary": {"total": 3, "passed": 2, "failed": 1}}"#,
                ACTIVATED,
            ],
            // What counts is how the tests went when it came into force.
            lawful: &[
                START,
                r#"{"kind": "policy_proposed", "policy_ref": "p1",
                    "tests_summary": {"total": 3, "passed": 2, "failed": 1}}"#,
                r#"{"kind": "policy_activated", "policy_ref": "p1",
                    "tests_summary": {"total": 3, "passed": 3, "failed": 0}}"#,
            ],
        },
    ]);
}

#[test]
fn a_time_is_suspect_if_it_is_a_day_away_from_when_it_was_recorded() {
    const DAY: i64 = 24 * 60 * 60 * 1_000_000;
    let [event] = &events(&[START])[..] else { unreachable!("there is one") };
    let fact = fact(event);
    let ts = fact.common.ts;
    let at = |micros| Timestamp::from_micros(ts.micros() + micros);
    let check = |recorded| Ledger::default().check(event, Some(&fact), recorded);
    for lawful in [None, Some(at(0)), Some(at(DAY)), Some(at(-DAY))] {
        assert_eq!(check(lawful), [], "{lawful:?}");
    }
    for recorded in [at(DAY + 1), at(-DAY - 1)] {
        assert_eq!(check(Some(recorded)), [Violation::ClockSuspect { ts, recorded }]);
    }
}
