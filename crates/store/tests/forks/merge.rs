//! Merges: a decision that is recorded where it goes on.

use history::kinds::records::PlanItem;
use history::kinds::words::{MergeStrategy, PlanMode};
use history::plan::{Refusal, Wish};
use history::{EventId, Stream};
use store::fork::fork;
use store::merge::{MergeError, MergeRequest, Merged, merge};
use store::names::{self, By};
use store::{Archive as _, Durability, MemoryStore};

use crate::{append, at, event, history, line, now, own, request};

const START: &str = r#"{"kind": "run_started"}"#;
const PAUSE: &str = r#"{"kind": "run_paused"}"#;

fn asked(into: &str, from: &str, strategy: MergeStrategy, picked: &[EventId]) -> MergeRequest {
    MergeRequest {
        into: into.into(),
        from: from.into(),
        strategy,
        picked: picked.to_vec(),
        resources: Vec::new(),
        reason: Some("it works".into()),
        ts: now(200),
        durability: Durability::Os,
    }
}

/// `r1` with four events, and `r2`, which was forked behind the second and has three of its own.
fn two_branches() -> MemoryStore {
    let store = MemoryStore::default();
    append(&store, "r1", &[START, PAUSE, PAUSE, PAUSE]);
    fork(&store, &at("r1", 1), &request("r2", &[])).unwrap();
    append(&store, "r2", &[PAUSE]);
    store
}

#[test]
fn a_merge_is_a_decision_in_the_run_that_goes_on() {
    let store = two_branches();
    let by = By { ts: now(150), actor: None, reason: None };
    names::set(&store, "main", &at("r1", 2), by.clone()).unwrap();
    // What the branch left out would be part of it.
    let early = merge(&store, &asked("main", "r2", MergeStrategy::Theirs, &[]));
    assert!(matches!(early, Err(MergeError::NotAtTheEnd { end, .. }) if end == at("r1", 3)));
    names::set(&store, "main", &at("r1", 3), by).unwrap();
    let done = merge(&store, &asked("main", "r2", MergeStrategy::Theirs, &[])).unwrap();
    let info = store.stream(&Stream::run("r1")).unwrap().unwrap();
    assert_eq!(done, Merged { place: at("r1", 4), link: info.link });
    let last = event("r2", 4, PAUSE).id();
    assert_eq!(
        own(&store, "r1")[4],
        line(&format!(
            r#"{{"kind": "branch_merged", "into": "main", "from": "r2", "strategy": "theirs",
                "reason": "it works",
                "merged": {{"event_id": "{last}", "run_id": "r2", "seq": 4}}}}"#
        ))
    );
    history(&store, "r1");
    assert_eq!(store.stream(&Stream::run("r2")).unwrap().unwrap().next, 5);
}

#[test]
fn events_are_picked_from_the_branch_that_ends() {
    let store = two_branches();
    let (shared, other, own_event) =
        (event("r1", 1, PAUSE).id(), event("r1", 3, PAUSE).id(), event("r2", 4, PAUSE).id());
    let pick =
        |picked: &[EventId]| merge(&store, &asked("r1", "r2", MergeStrategy::CherryPick, picked));
    let refused = pick(&[own_event, other]).unwrap_err();
    assert!(matches!(refused, MergeError::NotThere { id, .. } if id == other), "{refused}");
    assert!(matches!(pick(&[]), Err(MergeError::Picked)));
    let ours = merge(&store, &asked("r1", "r2", MergeStrategy::Ours, &[own_event]));
    assert!(matches!(ours, Err(MergeError::Picked)));
    // Up to an earlier place, later events cannot be picked.
    let early = merge(&store, &asked("r1", "r2@3", MergeStrategy::CherryPick, &[own_event]));
    assert!(matches!(early, Err(MergeError::NotThere { .. })));
    assert_eq!(store.stream(&Stream::run("r1")).unwrap().unwrap().next, 4);
    pick(&[own_event, shared]).unwrap();
    assert_eq!(store.stream(&Stream::run("r1")).unwrap().unwrap().next, 5);
}

#[test]
fn what_is_not_there_or_not_apart_is_not_merged() {
    let store = two_branches();
    let ours = |into: &str, from: &str| {
        merge(&store, &asked(into, from, MergeStrategy::Ours, &[])).unwrap_err()
    };
    assert!(matches!(ours("r1", "r9"), MergeError::NoBranch(words) if *words == *"r9"));
    assert!(matches!(ours("r1", "r2@9"), MergeError::NoBranch(_)));
    assert!(matches!(ours("r1", "r1"), MergeError::Part { .. }));
    assert!(matches!(ours("r1", "r2@1"), MergeError::Part { .. }));
    assert!(matches!(ours("r2", "r1@1"), MergeError::Part { .. }));
}

#[test]
fn a_resource_of_both_goes_to_one() {
    let store = MemoryStore::default();
    let registered = r#"{"kind": "resource_registered", "resource": {"id": "work", "kind": "file",
        "name": "work", "capabilities": []}}"#;
    let attached = r#"{"kind": "resource_attached", "resource_ref": "work", "mode": "rw"}"#;
    append(&store, "r1", &[START, registered, attached]);
    fork(&store, &at("r1", 2), &request("r2", &[("work", Wish::KeepByFork)])).unwrap();
    let mut asked = asked("r1", "r2", MergeStrategy::Theirs, &[]);
    let missing = Refusal::Missing { resources: vec!["work".into()] };
    let refused = merge(&store, &asked);
    assert!(matches!(refused, Err(MergeError::Refused(why)) if why == [missing]));
    asked.resources = vec![PlanItem {
        resource: "work".into(),
        mode: PlanMode::Keep,
        kept_by: Some("r2".into()),
        snapshot_ref: None,
    }];
    merge(&store, &asked).unwrap();
    let (_, ledger) = history(&store, "r1");
    assert_eq!(ledger.live().writable().len(), 0);
}
