//! Forks: what is appended, what becomes of resources, what is refused.

use history::plan::{Refusal, Wish};
use history::{Link, Place, Stream};
use sim::WatchedStore;
use store::fork::{Copied, ForkError, Restored, fork};
use store::{Archive as _, MemoryStore, Store};
use value::Text;

use crate::scratch::{Scratch, tree};
use crate::{append, at, event, history, line, own, request, writable};

const START: &str = r#"{"kind": "run_started"}"#;
const PAUSE: &str = r#"{"kind": "run_paused"}"#;
const SHELL: &str = r#"{"kind": "resource_registered", "resource": {"id": "shell", "kind":
    "docker_container", "name": "shell", "capabilities": [], "imperative": true}}"#;
const SHELL_ATTACHED: &str =
    r#"{"kind": "resource_attached", "resource_ref": "shell", "mode": "rw"}"#;

/// A run with a folder at this path, attached for writing as event 2.
fn with_folder(store: &dyn Store, path: &std::path::Path) {
    let registered = format!(
        r#"{{"kind": "resource_registered", "resource": {{"id": "work", "kind": "file",
            "name": "workspace", "capabilities": ["snapshot", "restore"],
            "metadata": {{"path": "{}", "note": "mine"}}}}}}"#,
        path.display()
    );
    let attached = r#"{"kind": "resource_attached", "resource_ref": "work", "mode": "rw",
        "mount": "/mnt"}"#;
    append(store, "r1", &[START, &registered, attached]);
}

fn copy(into: &std::path::Path) -> Wish {
    Wish::Snapshot { into: Some(into.display().to_string().into()) }
}

#[test]
fn a_fork_shares_what_was_before_and_leaves_its_parent_alone() {
    let store = MemoryStore::default();
    append(&store, "r1", &[START, PAUSE, PAUSE]);
    let before = store.stream(&Stream::run("r1")).unwrap();
    let forked = fork(&store, &at("r1", 1), &request("r2", &[])).unwrap();
    let shared = event("r1", 1, PAUSE).id();
    assert_eq!((forked.from, forked.first), (at("r1", 1), at("r2", 2)));
    assert_eq!((forked.plan, forked.copies), (vec![], vec![]));
    assert_eq!(
        own(&store, "r2"),
        [
            line(&format!(
                r#"{{"kind": "run_started", "reason": "fork",
                    "from": {{"run_id": "r1", "seq": 1, "event_id": "{shared}"}}}}"#
            )),
            line(&format!(
                r#"{{"kind": "agent_forked", "from_branch": "main", "to_branch": "r2",
                    "at_event": {{"event_id": "{shared}"}}}}"#
            )),
        ]
    );
    assert_eq!(store.stream(&Stream::run("r1")).unwrap(), before);
    let (facts, _) = history(&store, "r2");
    let agents: Vec<_> = facts.iter().map(|(common, _)| common.agent_id.as_deref()).collect();
    assert_eq!(agents, [Some("clerk"); 4]);
    let link: Option<Link> = store.stream(&Stream::run("r2")).unwrap().map(|info| info.link);
    assert_eq!(link, Some(forked.link));
}

#[test]
fn a_fork_of_a_fork_goes_on_from_whose_event_it_is() {
    let store = MemoryStore::default();
    append(&store, "r1", &[START, PAUSE, PAUSE]);
    fork(&store, &at("r1", 1), &request("r2", &[])).unwrap();
    let forked = fork(&store, &at("r2", 0), &request("r3", &[])).unwrap();
    assert_eq!((forked.from, forked.first), (at("r1", 0), at("r3", 1)));
    let forked = fork(&store, &at("r2", 3), &request("r4", &[])).unwrap();
    assert_eq!((forked.from, forked.first), (at("r2", 3), at("r4", 4)));
    for run in ["r3", "r4"] {
        history(&store, run);
    }
}

#[test]
fn only_events_of_runs_can_be_forked_from_and_ids_are_not_used_twice() {
    let store = MemoryStore::default();
    append(&store, "r1", &[START]);
    let refused = |place: Place, run: &str| fork(&store, &place, &request(run, &[])).unwrap_err();
    let agent = Place::new(Stream::Agent("clerk".into()), 0);
    assert!(matches!(refused(agent, "r2"), ForkError::NotARun(Stream::Agent(_))));
    for nowhere in [at("r1", 1), at("r1", u64::MAX), at("other", 0)] {
        assert!(matches!(refused(nowhere.clone(), "r2"), ForkError::NoPlace(at) if at == nowhere));
    }
    assert!(matches!(refused(at("r1", 0), "r1"), ForkError::Exists(_)));
    assert_eq!(store.streams(None, 10).unwrap().len(), 1);
}

#[test]
fn a_long_run_is_forked_without_being_read() {
    let store = WatchedStore::default();
    append(&store, "r1", &[START]);
    let many = vec![PAUSE; 5000];
    append(&store, "r1", &many);
    store.count();
    fork(&store, &at("r1", 5000), &request("r2", &[])).unwrap();
    // The event itself, the start of the run, and the start once more among events about resources.
    assert_eq!(store.count(), 3);
}

#[test]
fn a_folder_is_copied_and_the_fork_has_the_copy() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/notes/a.txt", b"hello");
    with_folder(&store, &scratch.path("work"));
    let into = scratch.path("copy");
    let forked = fork(&store, &at("r1", 2), &request("r2", &[("work", copy(&into))])).unwrap();
    let restored = Restored { resource: "work.r2".into(), folder: into.clone() };
    assert_eq!(forked.copies, [Copied { resource: "work".into(), restored: Some(restored) }]);
    assert_eq!(forked.plan[0].snapshot_ref, Some("r2/work".into()));
    assert_eq!(tree(&into), ["notes/", "notes/a.txt = hello"]);
    assert_eq!(writable(&store, "r2"), ["work.r2"]);
    assert_eq!(writable(&store, "r1"), ["work"]);
    let lines = own(&store, "r2");
    assert!(lines[1].contains(
        r#""volume_plan":[{"mode":"snapshot","resource":"work","snapshot_ref":"r2/work"}]"#
    ));
    assert_eq!(lines[2], r#"{"kind":"resource_detached","resource_ref":"work"}"#);
    assert!(
        lines[3].starts_with(r#"{"kind":"snapshot_created","outcome":"ok","resource_ref":"work","#),
        "{}",
        lines[3]
    );
    assert!(
        lines[3].contains(r#""external_ref":{"id":""#) && lines[3].contains(r#""kind":"blob"}"#)
    );
    assert!(lines[3].contains(r#""size_bytes":5"#));
    assert_eq!(
        lines[4],
        r#"{"kind":"restore_attempted","new_resource_ref":"work.r2","outcome":"ok","snapshot_ref":"r2/work"}"#
    );
    assert_eq!(
        lines[5],
        line(&format!(
            r#"{{"kind": "resource_registered", "resource": {{"id": "work.r2", "kind": "file",
                "name": "workspace", "capabilities": ["snapshot", "restore"],
                "metadata": {{"note": "mine", "path": "{}"}},
                "scope": {{"agent_id": "clerk", "run_id": "r2"}}}}}}"#,
            into.display()
        ))
    );
    assert_eq!(lines[6], r#"{"kind":"resource_attached","mode":"rw","resource_ref":"work.r2"}"#);
    assert_eq!(lines.len(), 7);
    // The copy can be forked in its turn.
    scratch.write("copy/notes/b.txt", b"more");
    let again = scratch.path("again");
    let wishes = [("work.r2", copy(&again))];
    fork(&store, &at("r2", 9), &request("r3", &wishes)).unwrap();
    assert_eq!(tree(&again), tree(&into));
    assert_eq!(writable(&store, "r3"), ["work.r2.r3"]);
}

#[test]
fn a_resource_is_kept_by_one_branch() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    with_folder(&store, &scratch.path("work"));
    let keep = |run: &str, wish: Wish| fork(&store, &at("r1", 2), &request(run, &[("work", wish)]));
    keep("left", Wish::KeepByParent).unwrap();
    assert_eq!(writable(&store, "left"), [""; 0]);
    keep("dropped", Wish::Discard).unwrap();
    assert_eq!(writable(&store, "dropped"), [""; 0]);
    keep("taken", Wish::KeepByFork).unwrap();
    assert_eq!(writable(&store, "taken"), ["work"]);
    // The fork says that it has it, as its parent had it.
    let attached =
        r#"{"kind":"resource_attached","mode":"rw","mount":"/mnt","resource_ref":"work"}"#;
    assert_eq!(own(&store, "taken")[2..], [attached]);
    for wish in [Wish::KeepByFork, Wish::KeepByParent] {
        let held = Refusal::Held { resource: "work".into(), branch: "taken".into() };
        let refused = keep("late", wish).unwrap_err();
        assert!(matches!(&refused, ForkError::Refused(why) if *why == [held]), "{refused}");
    }
    // Whoever has it may hand it on to a fork of its own, which then has it.
    let wishes = [("work", Wish::KeepByFork)];
    fork(&store, &at("taken", 4), &request("heir", &wishes)).unwrap();
    assert_eq!(writable(&store, "heir"), ["work"]);
    append(&store, "taken", &[r#"{"kind": "resource_detached", "resource_ref": "work"}"#]);
    let held = Refusal::Held { resource: "work".into(), branch: "heir".into() };
    let refused = keep("late", Wish::KeepByFork).unwrap_err();
    assert!(matches!(&refused, ForkError::Refused(why) if *why == [held]), "{refused}");
    // Once it was given back, another branch may have it.
    append(&store, "heir", &[r#"{"kind": "resource_detached", "resource_ref": "work"}"#]);
    keep("late", Wish::KeepByFork).unwrap();
    assert_eq!(writable(&store, "late"), ["work"]);
}

#[test]
fn a_fork_without_a_whole_plan_is_refused_and_changes_nothing() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a.txt", b"hello");
    with_folder(&store, &scratch.path("work"));
    append(&store, "r1", &[SHELL, SHELL_ATTACHED]);
    let refused = |wishes: &[(&str, Wish)]| fork(&store, &at("r1", 4), &request("r2", wishes));
    let missing = Refusal::Missing { resources: vec!["shell".into(), "work".into()] };
    assert!(matches!(refused(&[]), Err(ForkError::Refused(why)) if why == [missing]));
    let into = copy(&scratch.path("copy"));
    let found = refused(&[("work", into.clone()), ("shell", into)]);
    let cannot = Refusal::NoSnapshot { resource: "shell".into(), imperative: false };
    assert!(matches!(found, Err(ForkError::Refused(why)) if why == [cannot]));
    let nowhere = refused(&[("work", Wish::Snapshot { into: None }), ("shell", Wish::Discard)]);
    assert!(matches!(nowhere, Err(ForkError::NoTarget(id)) if *id == *"work"));
    assert!(!scratch.path("copy").exists());
    assert_eq!(store.streams(None, 10).unwrap().len(), 1);
    // Before the shell was there, nothing needs to be said of it.
    fork(&store, &at("r1", 2), &request("r2", &[("work", Wish::Discard)])).unwrap();
}

#[test]
fn what_nobody_here_can_copy_is_recorded_as_such() {
    let store = MemoryStore::default();
    let volume = r#"{"kind": "resource_registered", "resource": {"id": "vol", "kind":
        "docker_volume", "name": "data", "capabilities": ["snapshot", "restore"]}}"#;
    let attached = r#"{"kind": "resource_attached", "resource_ref": "vol", "mode": "rw"}"#;
    append(&store, "r1", &[START, volume, attached]);
    let wishes = [("vol", Wish::Snapshot { into: None })];
    let forked = fork(&store, &at("r1", 2), &request("r2", &wishes)).unwrap();
    assert_eq!(forked.copies, [Copied { resource: "vol".into(), restored: None }]);
    assert_eq!(writable(&store, "r2"), [""; 0]);
    assert_eq!(
        own(&store, "r2")[3..],
        [
            line(
                r#"{"kind": "snapshot_created", "outcome": "error", "resource_ref": "vol",
                    "snapshot_ref": "r2/vol", "error": {"code": "unsupported",
                    "message": "a `docker_volume` cannot be copied"}}"#
            ),
            line(
                r#"{"kind": "restore_attempted", "outcome": "unsupported",
                    "snapshot_ref": "r2/vol"}"#
            ),
        ]
    );
}

#[test]
fn a_copy_that_cannot_be_made_leaves_no_fork() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a.txt", b"hello");
    scratch.write("occupied/b.txt", b"mine");
    with_folder(&store, &scratch.path("work"));
    let into = scratch.path("occupied");
    let refused = fork(&store, &at("r1", 2), &request("r2", &[("work", copy(&into))])).unwrap_err();
    let expected = format!(
        "`work` cannot be copied: `{}` is there already and not an empty folder",
        into.display()
    );
    assert_eq!(refused.to_string(), expected);
    assert_eq!(tree(&into), ["b.txt = mine"]);
    assert_eq!(store.stream(&Stream::run("r2")).unwrap(), None);
    // A folder that is gone is told as well.
    std::fs::remove_dir_all(scratch.path("work")).unwrap();
    let wishes = [("work", copy(&scratch.path("copy")))];
    let refused = fork(&store, &at("r1", 2), &request("r2", &wishes)).unwrap_err();
    assert!(matches!(refused, ForkError::Folder { resource, .. } if *resource == *"work"));
}

#[test]
fn a_part_is_planned_for_and_goes_with_the_copy() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a.txt", b"hello");
    scratch.write("cache/b.txt", b"fast");
    with_folder(&store, &scratch.path("work"));
    let part = format!(
        r#"{{"kind": "resource_registered", "part_of": "work", "resource": {{"id": "cache",
            "kind": "file", "name": "cache", "capabilities": ["snapshot", "restore"],
            "metadata": {{"path": "{}"}}}}}}"#,
        scratch.path("cache").display()
    );
    append(&store, "r1", &[&part]);
    let forked = fork(&store, &at("r1", 3), &request("r2", &[("work", copy(&scratch.path("w")))]));
    let missing: Vec<Text> = vec!["cache".into()];
    assert!(matches!(
        forked,
        Err(ForkError::Refused(why)) if why == [Refusal::Missing { resources: missing }]
    ));
    let wishes = [("work", copy(&scratch.path("w"))), ("cache", copy(&scratch.path("c")))];
    fork(&store, &at("r1", 3), &request("r2", &wishes)).unwrap();
    assert_eq!(tree(&scratch.path("c")), ["b.txt = fast"]);
    let (_, ledger) = history(&store, "r2");
    assert_eq!(ledger.live().get("cache.r2").unwrap().part_of.as_deref(), Some("work.r2"));
    assert_eq!(writable(&store, "r2"), ["cache.r2", "work.r2"]);
}

#[test]
fn what_the_agent_has_outside_of_its_runs_is_planned_for_too() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    with_folder(&store, &scratch.path("work"));
    let told = |text: &str, seconds: u64| {
        let stream = Stream::Agent("clerk".into());
        let next = store.stream(&stream).unwrap().map_or(0, |info| info.next);
        let mut members = event("", seconds, text).members();
        members.remove("run_id");
        let events = [history::Event::from_value(members.into()).unwrap()];
        let expected = store::Expected::Next(next);
        store.append(&crate::plain(&stream, expected, &events)).unwrap();
    };
    told(SHELL, 10);
    told(SHELL_ATTACHED, 11);
    let asked =
        |run: &str, wishes: &[(&str, Wish)]| fork(&store, &at("r1", 2), &request(run, wishes));
    let missing = Refusal::Missing { resources: vec!["shell".into()] };
    let refused = asked("r2", &[("work", Wish::Discard)]);
    assert!(matches!(refused, Err(ForkError::Refused(why)) if why == [missing]));
    asked("r2", &[("work", Wish::Discard), ("shell", Wish::KeepByParent)]).unwrap();
    // A fork of the fork has neither, and one that takes the agent's has it alone.
    fork(&store, &at("r2", 4), &request("r3", &[])).unwrap();
    asked("r4", &[("work", Wish::Discard), ("shell", Wish::KeepByFork)]).unwrap();
    let held = Refusal::Held { resource: "shell".into(), branch: "r4".into() };
    let refused = asked("r5", &[("work", Wish::Discard), ("shell", Wish::KeepByParent)]);
    assert!(matches!(refused, Err(ForkError::Refused(why)) if why == [held]));
    // What the agent no longer has needs no plan.
    told(r#"{"kind": "resource_detached", "resource_ref": "shell"}"#, 200);
    asked("r6", &[("work", Wish::Discard)]).unwrap();
}

#[test]
fn branches_are_told_apart_by_their_names() {
    let store = MemoryStore::default();
    append(&store, "r1", &[START]);
    let refused = fork(&store, &at("r1", 0), &request("main", &[])).unwrap_err();
    assert_eq!(refused.to_string(), "a fork of `main` cannot be called `main` too");
    assert_eq!(store.streams(None, 10).unwrap().len(), 1);
}

#[test]
fn a_copy_goes_to_a_place_of_its_own() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("at/work/notes/a.txt", b"hello");
    with_folder(&store, &scratch.path("at/work"));
    let refused = |into: &str| {
        let request = request("r2", &[("work", copy(&scratch.path(into)))]);
        fork(&store, &at("r1", 2), &request).unwrap_err()
    };
    for into in ["at/work", "at/work/copy", "at/work/notes/deep/copy", "at"] {
        assert!(matches!(refused(into), ForkError::Overlap { .. }), "{into}");
    }
    let nowhere = [("work", Wish::Snapshot { into: Some("".into()) })];
    let nowhere = fork(&store, &at("r1", 2), &request("r2", &nowhere));
    assert!(matches!(nowhere, Err(ForkError::NoTarget(_))));
    // Nothing was even read.
    assert_eq!(store.blobs(None, 10).unwrap(), []);
    assert_eq!(tree(&scratch.path("at")), ["work/", "work/notes/", "work/notes/a.txt = hello"]);
}

#[test]
fn a_copy_is_recorded_where_it_is_wherever_one_stands() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a.txt", b"hello");
    with_folder(&store, &scratch.path("work"));
    let here = std::env::current_dir().unwrap();
    let root: std::path::PathBuf = here.components().skip(1).map(|_| "..").collect();
    let into = root.join(scratch.path("copy").strip_prefix("/").unwrap());
    let forked = fork(&store, &at("r1", 2), &request("r2", &[("work", copy(&into))])).unwrap();
    assert_eq!(forked.copies[0].restored.as_ref().unwrap().folder, into);
    assert_eq!(tree(&scratch.path("copy")), ["a.txt = hello"]);
    let path = format!(r#""path":"{}""#, here.join(&into).display());
    assert!(own(&store, "r2")[5].contains(&path), "{path}");
}
