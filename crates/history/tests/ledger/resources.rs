//! Resources: registered, attached, restored, kept by one branch.

use diagnostics::codes;

use super::{Case, START, check};

const VOLUME: &str = r#"{"kind": "resource_registered", "resource": {"id": "vol", "kind":
    "docker_volume", "name": "work", "capabilities": ["snapshot", "restore"]}}"#;
const PROCESS: &str = r#"{"kind": "resource_registered", "resource": {"id": "vol", "kind":
    "docker_container", "name": "work", "capabilities": ["snapshot"]}}"#;
const ATTACHED: &str = r#"{"kind": "resource_attached", "resource_ref": "vol", "mode": "rw"}"#;
const SNAPSHOT: &str = r#"{"kind": "snapshot_created", "resource_ref": "vol", "snapshot_ref": "s1",
    "outcome": "ok"}"#;
const RESTORED: &str = r#"{"kind": "restore_attempted", "snapshot_ref": "s1", "outcome": "ok"}"#;
const UNSUPPORTED: &str =
    r#"{"kind": "restore_attempted", "snapshot_ref": "s1", "outcome": "unsupported"}"#;
const FORK: &str = r##"{"kind": "run_started", "run_id": "r2", "reason": "fork",
    "from": {"run_id": "r1", "seq": 2, "event_id": "#2"}}"##;
const KEPT_BY_MAIN: &str = r#"{"kind": "agent_forked", "run_id": "r2", "from_branch": "main",
    "to_branch": "try", "at_event": "@2",
    "volume_plan": [{"resource": "vol", "mode": "keep", "kept_by": "main"}]}"#;
const KEPT_BY_FORK: &str = r#"{"kind": "agent_forked", "run_id": "r2", "from_branch": "main",
    "to_branch": "try", "at_event": "@2",
    "volume_plan": [{"resource": "vol", "mode": "keep", "kept_by": "try"}]}"#;
const ATTACHED_AGAIN: &str =
    r#"{"kind": "resource_attached", "run_id": "r2", "resource_ref": "vol", "mode": "rw"}"#;

#[test]
fn a_resource_is_registered_before_it_is_used() {
    for used in [
        ATTACHED,
        SNAPSHOT,
        r#"{"kind": "resource_detached", "resource_ref": "vol"}"#,
        r#"{"kind": "resource_transferred", "resource_ref": "vol", "to": {"agent_id": "b"}}"#,
    ] {
        let broken = super::violations(&super::events(&[START, used, used]));
        let codes: Vec<_> = broken.iter().map(|(at, one)| (*at, one.code())).collect();
        assert_eq!(codes, [(1, &codes::UNKNOWN_RESOURCE)], "it is said once");
        assert_eq!(super::violations(&super::events(&[START, VOLUME, used])), []);
    }
}

#[test]
fn what_cannot_be_restored_is_not_restored() {
    check(&[
        Case {
            code: &codes::RESTORE_UNSUPPORTED,
            broken: &[START, PROCESS, SNAPSHOT, RESTORED],
            lawful: &[START, VOLUME, SNAPSHOT, RESTORED],
        },
        Case {
            code: &codes::RESTORE_UNSUPPORTED,
            broken: &[
                START,
                r#"{"kind": "resource_registered", "resource": {"id": "vol", "kind": "docker_volume",
                    "name": "work", "capabilities": ["snapshot", "restore"], "imperative": true}}"#,
                SNAPSHOT,
                RESTORED,
            ],
            lawful: &[START, PROCESS, SNAPSHOT, UNSUPPORTED],
        },
    ]);
}

#[test]
fn a_fork_plans_for_what_can_be_written_and_leaves_each_resource_to_one_branch() {
    check(&[
        Case {
            code: &codes::BROKEN_PLAN,
            broken: &[
                START,
                VOLUME,
                ATTACHED,
                FORK,
                r#"{"kind": "agent_forked", "run_id": "r2", "from_branch": "main",
                    "to_branch": "try", "at_event": "@2"}"#,
            ],
            lawful: &[START, VOLUME, ATTACHED, FORK, KEPT_BY_MAIN],
        },
        Case {
            code: &codes::HELD_ELSEWHERE,
            broken: &[START, VOLUME, ATTACHED, FORK, KEPT_BY_MAIN, ATTACHED_AGAIN],
            lawful: &[START, VOLUME, ATTACHED, FORK, KEPT_BY_FORK, ATTACHED_AGAIN],
        },
        Case {
            code: &codes::HELD_ELSEWHERE,
            broken: &[
                START,
                VOLUME,
                ATTACHED,
                FORK,
                r#"{"kind": "agent_forked", "run_id": "r2", "from_branch": "main",
                    "to_branch": "try", "at_event": "@2",
                    "volume_plan": [{"resource": "vol", "mode": "snapshot"}]}"#,
                ATTACHED_AGAIN,
            ],
            lawful: &[
                START,
                VOLUME,
                ATTACHED,
                FORK,
                KEPT_BY_MAIN,
                r#"{"kind": "resource_attached", "run_id": "r2", "resource_ref": "vol", "mode": "ro"}"#,
                r#"{"kind": "resource_transferred", "run_id": "r2", "resource_ref": "vol",
                    "to": {"run_id": "r2"}}"#,
                ATTACHED_AGAIN,
            ],
        },
    ]);
}

#[test]
fn a_handle_is_opened_before_it_is_closed() {
    const OPENED: &str = r#"{"kind": "handle_opened", "handle": {"id": "h", "resource_ref": "vol",
        "provider": "docker", "provider_id": "4f"}}"#;
    const CLOSED: &str = r#"{"kind": "handle_closed", "handle_ref": "h"}"#;
    check(&[Case {
        code: &codes::HANDLE_NOT_OPEN,
        broken: &[START, OPENED, CLOSED, CLOSED],
        lawful: &[START, OPENED, CLOSED],
    }]);
}
