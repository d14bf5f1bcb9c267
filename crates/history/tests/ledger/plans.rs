//! Plans for resources: what wishes become, and which are refused.

use std::collections::BTreeMap;

use history::kinds::records::PlanItem;
use history::kinds::words::PlanMode;
use history::plan::{Branches, Live, Refusal, Wish, check_merge, plan};
use value::Text;

use super::{START, events, fact};

const KEEP: Wish = Wish::KeepByParent;
const TAKE: Wish = Wish::KeepByFork;
const COPY: Wish = Wish::Snapshot { into: None };
const DROP: Wish = Wish::Discard;

/// A folder with a part, a container that cannot be copied, and a manual that is only read.
const RESOURCES: &[&str] = &[
    START,
    r#"{"kind": "resource_registered", "resource": {"id": "work", "kind": "file", "name": "work",
        "capabilities": ["snapshot", "restore"]}}"#,
    r#"{"kind": "resource_attached", "resource_ref": "work", "mode": "rw"}"#,
    r#"{"kind": "resource_registered", "part_of": "work", "resource": {"id": "cache", "kind": "file",
        "name": "cache", "capabilities": []}}"#,
    r#"{"kind": "resource_registered", "resource": {"id": "shell", "kind": "docker_container",
        "name": "shell", "capabilities": ["snapshot"], "imperative": true}}"#,
    r#"{"kind": "resource_attached", "resource_ref": "shell", "mode": "rw"}"#,
    r#"{"kind": "resource_registered", "resource": {"id": "manual", "kind": "uri", "name": "manual",
        "capabilities": ["share"]}}"#,
    r#"{"kind": "resource_attached", "resource_ref": "manual", "mode": "ro"}"#,
    r#"{"kind": "resource_registered", "resource": {"id": "idle", "kind": "file", "name": "idle",
        "capabilities": []}}"#,
];

fn live(texts: &[&str]) -> Live {
    let mut live = Live::default();
    events(texts).iter().for_each(|event| live.apply(&fact(event)));
    live
}

fn made(
    live: &Live,
    wishes: &[(&str, Wish)],
    elsewhere: &[(&str, &str)],
) -> Result<Vec<PlanItem>, Vec<Refusal>> {
    let wishes = wishes.iter().map(|(id, wish)| (Text::from(*id), wish.clone())).collect();
    let elsewhere: BTreeMap<Text, Text> =
        elsewhere.iter().map(|(id, branch)| ((*id).into(), (*branch).into())).collect();
    let branches = Branches { from: &"main".into(), to: &"try".into() };
    plan(live, &wishes, branches, &elsewhere)
}

fn item(resource: &str, mode: PlanMode, kept_by: Option<&str>) -> PlanItem {
    let kept_by = kept_by.map(Text::from);
    PlanItem { resource: resource.into(), mode, kept_by, snapshot_ref: None }
}

#[test]
fn a_plan_says_what_becomes_of_each_resource_that_can_be_written() {
    let live = live(RESOURCES);
    let found = made(&live, &[("cache", DROP), ("shell", KEEP), ("work", COPY)], &[]);
    let expected = [
        item("cache", PlanMode::Discard, None),
        item("shell", PlanMode::Keep, Some("main")),
        item("work", PlanMode::Snapshot, None),
    ];
    assert_eq!(found.unwrap(), expected);
    // What is only read may be in the plan, and need not.
    let wishes = [("cache", TAKE), ("manual", KEEP), ("shell", TAKE), ("work", TAKE)];
    let found = made(&live, &wishes, &[]).unwrap();
    assert_eq!(found.len(), 4);
    assert_eq!(found[3], item("work", PlanMode::Keep, Some("try")));
    assert_eq!(made(&Live::default(), &[], &[]), Ok(vec![]));
}

#[test]
fn a_plan_that_leaves_something_out_says_what() {
    let refused = made(&live(RESOURCES), &[("shell", DROP)], &[]).unwrap_err();
    let resources = vec!["cache".into(), "work".into()];
    assert_eq!(refused, [Refusal::Missing { resources }]);
    let said = refused[0].to_string();
    assert_eq!(said, "the plan does not say what becomes of `cache`, `work`");
}

#[test]
fn a_plan_names_nothing_that_is_not_in_use() {
    let wishes = [("cache", DROP), ("shell", DROP), ("work", DROP), ("idle", DROP), ("shel", DROP)];
    let refused = made(&live(RESOURCES), &wishes, &[]).unwrap_err();
    let expected = [
        Refusal::NotLive { resource: "idle".into(), near: None },
        Refusal::NotLive { resource: "shel".into(), near: Some("shell".into()) },
    ];
    assert_eq!(refused, expected);
    assert_eq!(refused[1].help(), "did you mean `shell`?");
}

#[test]
fn only_what_can_be_copied_is_copied() {
    let wishes = [("cache", COPY), ("shell", COPY), ("work", COPY)];
    let refused = made(&live(RESOURCES), &wishes, &[]).unwrap_err();
    let expected = [
        Refusal::NoSnapshot { resource: "cache".into(), imperative: false },
        Refusal::NoSnapshot { resource: "shell".into(), imperative: true },
    ];
    assert_eq!(refused, expected);
}

#[test]
fn two_branches_do_not_keep_one_resource() {
    let live = live(RESOURCES);
    let held = [("work", "other")];
    for wish in [KEEP, TAKE] {
        let wishes = [("cache", DROP), ("shell", DROP), ("work", wish)];
        let expected = Refusal::Held { resource: "work".into(), branch: "other".into() };
        assert_eq!(made(&live, &wishes, &held), Err(vec![expected]));
    }
    let wishes = [("cache", DROP), ("shell", DROP), ("work", COPY)];
    assert!(made(&live, &wishes, &held).is_ok());
}

#[test]
fn what_is_detached_transferred_or_left_behind_needs_no_plan() {
    let detached: Vec<&str> = [
        RESOURCES,
        &[
            r#"{"kind": "resource_detached", "resource_ref": "work"}"#,
            r#"{"kind": "resource_detached", "resource_ref": "shell"}"#,
        ],
    ]
    .concat();
    assert_eq!(made(&live(&detached), &[], &[]), Ok(vec![]));
    let given: Vec<&str> = [
        RESOURCES,
        &[r#"{"kind": "resource_transferred", "resource_ref": "cache", "to": {"agent_id": "b"}}"#],
    ]
    .concat();
    assert!(made(&live(&given), &[("shell", DROP), ("work", DROP)], &[]).is_ok());
    let forked: Vec<&str> = [
        RESOURCES,
        &[
            r##"{"kind": "run_started", "run_id": "r2", "from": {"run_id": "r1", "seq": 8,
                "event_id": "#8"}}"##,
            r#"{"kind": "agent_forked", "run_id": "r2", "from_branch": "main", "to_branch": "try",
                "at_event": "@8", "volume_plan": [
                    {"resource": "cache", "mode": "discard"},
                    {"resource": "shell", "mode": "keep", "kept_by": "main"},
                    {"resource": "work", "mode": "keep", "kept_by": "try"}]}"#,
        ],
    ]
    .concat();
    let live = live(&forked);
    assert_eq!(live.writable().into_iter().map(|id| &**id).collect::<Vec<_>>(), ["work"]);
    assert_eq!(live.get("shell").unwrap().away.as_deref(), Some("main"));
}

#[test]
fn a_merge_leaves_each_resource_to_one_branch() {
    let (into, from) = (live(RESOURCES), live(&RESOURCES[..3]));
    let branches = Branches { from: &"try".into(), to: &"main".into() };
    let check = |items: &[PlanItem]| check_merge(&into, &from, branches, items);
    let stranger = Refusal::Stranger { resource: "work".into(), branch: "else".into() };
    assert_eq!(check(&[item("work", PlanMode::Keep, Some("else"))]), [stranger]);
    let missing = Refusal::Missing { resources: vec!["work".into()] };
    assert_eq!(check(&[]), [missing]);
    assert_eq!(check(&[item("work", PlanMode::Keep, Some("main"))]), []);
    assert_eq!(check(&[item("work", PlanMode::Discard, None)]), []);
    let resource = Text::from("work");
    let nobody = check(&[item("work", PlanMode::Keep, None)]);
    assert_eq!(nobody, [Refusal::KeptByNobody { resource: resource.clone() }]);
    let copied = check(&[item("work", PlanMode::Snapshot, None)]);
    assert_eq!(copied, [Refusal::TwoOwners { resource: resource.clone() }]);
    let keep = item("work", PlanMode::Keep, Some("main"));
    assert_eq!(check(&[keep.clone(), keep]), [Refusal::Twice { resource }]);
}
