//! Names: setting, removing, undoing, resolving.

use history::Place;
use store::names::{By, NameError, remove, resolve, set, undo};
use store::{MemoryStore, MoveError, Store as _};

use crate::{append, at, now};

const START: &str = r#"{"kind": "run_started"}"#;
const PAUSE: &str = r#"{"kind": "run_paused"}"#;

fn by(reason: Option<&str>) -> By {
    By { ts: now(300), actor: Some("ann".into()), reason: reason.map(str::to_string) }
}

fn run() -> MemoryStore {
    let store = MemoryStore::default();
    append(&store, "r1", &[START, PAUSE, PAUSE]);
    store
}

/// Where a name has pointed, the oldest first.
fn moves(store: &MemoryStore, name: &str) -> Vec<Option<Place>> {
    let operations = store.operations(name).unwrap();
    operations.into_iter().map(|(_, one)| one.target.map(|target| target.place)).collect()
}

#[test]
fn a_name_goes_forward_and_back_only_for_a_reason() {
    let store = run();
    set(&store, "main", &at("r1", 0), by(None)).unwrap();
    set(&store, "main", &at("r1", 2), by(None)).unwrap();
    let refused = set(&store, "main", &at("r1", 1), by(None)).unwrap_err();
    assert!(matches!(refused, NameError::Move(MoveError::NeedsReason(_))), "{refused}");
    set(&store, "main", &at("r1", 1), by(Some("too far"))).unwrap();
    assert_eq!(moves(&store, "main"), [0, 2, 1].map(|seq| Some(at("r1", seq))));
    let nowhere = set(&store, "main", &at("r1", 3), by(None)).unwrap_err();
    assert!(matches!(nowhere, NameError::NoPlace(place) if place == at("r1", 3)));
}

#[test]
fn undoing_is_one_more_move() {
    let store = run();
    set(&store, "main", &at("r1", 0), by(None)).unwrap();
    set(&store, "main", &at("r1", 2), by(None)).unwrap();
    undo(&store, "main", by(None)).unwrap();
    assert_eq!(resolve(&store, "main").unwrap(), Some(at("r1", 0)));
    undo(&store, "main", by(None)).unwrap();
    assert_eq!(moves(&store, "main"), [0, 2, 0, 2].map(|seq| Some(at("r1", seq))));
    let (_, last) = store.name("main").unwrap().unwrap();
    assert_eq!((last.reason.as_deref(), last.actor.as_deref()), (Some("undo"), Some("ann")));
}

#[test]
fn a_name_that_was_removed_can_be_had_back() {
    let store = run();
    set(&store, "main", &at("r1", 0), by(None)).unwrap();
    remove(&store, "main", by(Some("old"))).unwrap();
    assert_eq!(resolve(&store, "main").unwrap(), None);
    let again = remove(&store, "main", by(Some("old"))).unwrap_err();
    assert!(matches!(again, NameError::NoName { .. }));
    undo(&store, "main", by(None)).unwrap();
    assert_eq!(resolve(&store, "main").unwrap(), Some(at("r1", 0)));
    // Undoing the first move of a name leaves it pointing nowhere.
    set(&store, "try", &at("r1", 1), by(None)).unwrap();
    undo(&store, "try", by(None)).unwrap();
    assert_eq!(moves(&store, "try"), [Some(at("r1", 1)), None]);
    let unknown = undo(&store, "mian", by(None)).unwrap_err();
    assert!(matches!(unknown, NameError::NoName { near: Some(near), .. } if near == "main"));
}

#[test]
fn names_places_and_runs_are_resolved() {
    let store = run();
    set(&store, "main", &at("r1", 1), by(None)).unwrap();
    let found = ["main", "r1", "r1@0", "run:r1@2"].map(|words| resolve(&store, words).unwrap());
    assert_eq!(found, [1, 2, 0, 2].map(|seq| Some(at("r1", seq))));
    for words in ["r1@3", "r2", "r2@0", "", "@"] {
        assert_eq!(resolve(&store, words).unwrap(), None, "{words}");
    }
}
