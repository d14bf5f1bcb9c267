//! Names that move, and what they leave behind.

use history::{Operation, OperationId, Place, Target, Timestamp};
use store::{MoveError, Store};

use crate::sample::{begin, fork, place, run};

fn target(store: &dyn Store, place: Place) -> Option<Target> {
    let lineage = history::Lineage::of(store, &place.stream, None).unwrap().unwrap();
    let link = lineage.entry(store, place.seq).unwrap().unwrap().link;
    Some(Target { place, link })
}

fn operation(previous: Option<OperationId>, target: Option<Target>) -> Operation {
    Operation {
        name: "main".into(),
        previous,
        target,
        ts: Timestamp::from_micros(0),
        actor: None,
        reason: None,
    }
}

contract! {
    a_name_goes_forward_and_keeps_its_past,
    a_name_that_was_moved_by_somebody_else_is_a_conflict,
    the_last_operation_is_not_done_again,
    what_does_not_go_forward_needs_a_reason,
    a_name_that_was_removed_can_point_anywhere_again,
    a_target_exists_with_its_link,
    names_are_plain,
    of_two_who_move_a_name_one_is_told,
}

fn a_name_goes_forward_and_keeps_its_past(store: &dyn Store) {
    begin(store, "a", 0, 5);
    fork(store, "b", place("a", 2), 10..12);
    let mut done: Vec<(OperationId, Operation)> = Vec::new();
    // Along a run, then into its fork; `b@2` is `a@2`.
    for place in [place("a", 0), place("a", 1), place("a", 1), place("b", 2), place("b", 4)] {
        let last = done.last().map(|(id, _)| *id);
        let mut operation = operation(last, target(store, place));
        operation.actor = Some("me".into());
        let id = store.move_name(&operation).unwrap();
        assert_eq!(id, operation.id());
        done.push((id, operation));
        assert_eq!(store.name("main").unwrap().as_ref(), done.last());
        assert_eq!(store.operations("main").unwrap(), done);
    }
    assert_eq!(store.names().unwrap(), [done.pop().unwrap()]);
    assert_eq!(store.name("other").unwrap(), None);
    assert_eq!(store.operations("other").unwrap(), []);
}

fn a_name_that_was_moved_by_somebody_else_is_a_conflict(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let early = operation(Some(OperationId(value::Digest::of(b"?"))), target(store, place("a", 0)));
    let refused = store.move_name(&early);
    assert!(matches!(refused, Err(MoveError::Conflict { actual: None, .. })));
    let first = store.move_name(&operation(None, target(store, place("a", 0)))).unwrap();
    let second = store.move_name(&operation(Some(first), target(store, place("a", 1)))).unwrap();
    for previous in [None, Some(first)] {
        let refused = store.move_name(&operation(previous, target(store, place("a", 2))));
        match refused {
            Err(MoveError::Conflict { name, actual }) => {
                assert_eq!((name.as_str(), actual), ("main", Some(second)));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.operations("main").unwrap().len(), 2);
}

fn the_last_operation_is_not_done_again(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let first = operation(None, target(store, place("a", 0)));
    let id = store.move_name(&first).unwrap();
    assert_eq!(store.move_name(&first).unwrap(), id);
    let second = operation(Some(id), target(store, place("a", 1)));
    store.move_name(&second).unwrap();
    assert!(matches!(store.move_name(&first), Err(MoveError::Conflict { .. })));
    assert_eq!(store.operations("main").unwrap().len(), 2);
}

fn what_does_not_go_forward_needs_a_reason(store: &dyn Store) {
    begin(store, "a", 0, 5);
    fork(store, "b", place("a", 2), 10..12);
    let mut last = store.move_name(&operation(None, target(store, place("a", 3)))).unwrap();
    // Back, to a fork that does not have it, and to nowhere.
    for target in [target(store, place("a", 2)), target(store, place("b", 4)), None] {
        let mut back = operation(Some(last), target);
        for reason in [None, Some(String::new())] {
            back.reason = reason;
            let refused = store.move_name(&back);
            assert!(matches!(refused, Err(MoveError::NeedsReason(name)) if name == "main"));
        }
        back.reason = Some("undo".into());
        last = store.move_name(&back).unwrap();
        let mut home = operation(Some(last), crate::names::target(store, place("a", 3)));
        home.reason = Some("redo".into());
        last = store.move_name(&home).unwrap();
    }
}

fn a_name_that_was_removed_can_point_anywhere_again(store: &dyn Store) {
    begin(store, "a", 0, 2);
    begin(store, "b", 0, 2);
    let first = store.move_name(&operation(None, target(store, place("a", 1)))).unwrap();
    let mut removed = operation(Some(first), None);
    removed.reason = Some("done".into());
    let removed = store.move_name(&removed).unwrap();
    assert_eq!(store.name("main").unwrap().unwrap().1.target, None);
    store.move_name(&operation(Some(removed), target(store, place("b", 0)))).unwrap();
}

fn a_target_exists_with_its_link(store: &dyn Store) {
    let link = begin(store, "a", 0, 3).link;
    fork(store, "b", place("a", 1), 10..12);
    let to = |place| operation(None, Some(Target { place, link }));
    for place in [
        place("a", 3),
        place("a", u64::MAX),
        place("x", 0),
        place("a", 1),
        place("b", 0),
        place("b", 2),
    ] {
        let refused = store.move_name(&to(place.clone()));
        assert!(matches!(refused, Err(MoveError::NoTarget(none)) if none == place));
    }
    assert_eq!(store.names().unwrap(), []);
    store.move_name(&to(place("a", 2))).unwrap();
}

fn names_are_plain(store: &dyn Store) {
    begin(store, "a", 0, 1);
    let called = |name: &str| {
        let target = target(store, place("a", 0));
        store.move_name(&Operation { name: name.into(), ..operation(None, target) })
    };
    let long = "n".repeat(200);
    let good = ["a", "feature/x_1.2-b", "0", "_", ".hidden", "/", &long];
    for name in good {
        called(name).unwrap();
    }
    let too_long = "n".repeat(201);
    for name in ["", "-a", "a..b", "..", "a b", "é", "a\n", "a@1", "a:b", &too_long] {
        assert!(matches!(called(name), Err(MoveError::BadName(bad)) if bad == name), "{name}");
    }
    let mut expected = good.map(String::from);
    expected.sort();
    let names: Vec<String> =
        store.names().unwrap().into_iter().map(|(_, operation)| operation.name).collect();
    assert_eq!(names, expected);
}

fn of_two_who_move_a_name_one_is_told(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let tries = std::thread::scope(|scope| {
        let threads = [1, 2].map(|seq| {
            let operation = operation(None, target(store, place("a", seq)));
            scope.spawn(move || store.move_name(&operation))
        });
        threads.map(|thread| thread.join().unwrap())
    });
    let won: Vec<OperationId> = tries.iter().flatten().copied().collect();
    assert_eq!(won.len(), 1);
    assert_eq!(store.name("main").unwrap().unwrap().0, won[0]);
    assert_eq!(store.stream(&run("a")).unwrap().unwrap().next, 3);
}
