//! Whatever is changed in a file is found, at the event where it is.

use std::collections::BTreeMap;
use std::io::Cursor;

use history::kinds::Blob;
use history::{Event, Place, Stream};
use rusqlite::Connection;
use store::fork::{self, ForkRequest};
use store::names::{By, set};
use store::{Clean, Durability, Expected, Importing, StoreError, gc, import};

use crate::shelf::{Shelf, bare, event, file, fork, noon};

/// Three events of `r`, a fork of the second one with two more, a name, and a value.
fn filled() -> Shelf {
    let shelf = Shelf::sqlite();
    let start = fork("f", "r", 1, &event("r", "2"));
    let lines =
        [bare("r", "1"), bare("r", "2"), bare("r", "3"), start, bare("f", "1"), bare("g", "1")];
    shelf.take(file(&lines));
    shelf.name("main", &Stream::run("r"), None);
    shelf.name("main", &Stream::run("f"), Some("a test"));
    let blob = Blob::new("a value");
    let text = format!(
        r#"{{"a":{{"$blob":"{}"}},"kind":"x.test.b","ts":"2026-01-01T00:00:00.000000Z"}}"#,
        blob.id()
    );
    let event = Event::read(&text).unwrap();
    shelf.append_with(&Stream::Store, Expected::New, &[event], &[blob]);
    shelf
}

/// What is found after a change by SQL. Damage that only the file shows is left out, but is
/// there if nothing else is.
fn after(sql: &str) -> Vec<String> {
    after_all(&[sql])
}

fn after_all(changes: &[&str]) -> Vec<String> {
    let shelf = filled();
    assert_eq!(shelf.verify(), [""; 0]);
    let home = shelf.close();
    let connection = Connection::open(home.file()).unwrap();
    for sql in changes {
        let changed = connection.execute(sql, []).unwrap();
        assert!(changed > 0, "{sql}");
    }
    drop(connection);
    let shelf = Shelf::open(home);
    let mut found = shelf.verify();
    let events = found.iter().take_while(|what| !what.starts_with(": ")).count();
    if events > 0 {
        found.truncate(events);
    }
    found
}

/// Where the head of a stream stands.
const HEAD: i64 = i64::MAX;

const OF_R1: &str = "WHERE seq = 1 AND stream = (SELECT no FROM stream WHERE name = 'run:r')";

#[test]
fn a_changed_body_is_found() {
    let found =
        after(&format!("UPDATE event SET body = replace(body, 'x.test', 'x.tset') {OF_R1}"));
    let id = event("r", "2").id();
    assert_eq!(found, [format!("r@1 {id}: its body is not what its id was computed from")]);
}

#[test]
fn a_body_with_its_hash_that_is_another_event_breaks_the_link() {
    let other = event("r", "9");
    let id: String = other.id().to_string();
    let body = other.body();
    let found = after(&format!("UPDATE event SET body = '{body}', id = x'{id}' {OF_R1}"));
    assert_eq!(found, [format!("r@1 {id}: its link does not follow from the events before it")]);
}

#[test]
fn a_made_up_body_with_its_hash_is_found() {
    let made_up = |body: &str| {
        let id = value::Digest::of(body.as_bytes());
        let found = after(&format!("UPDATE event SET body = '{body}', id = x'{id:x}' {OF_R1}"));
        let start = format!("r@1 {id:x}: ");
        found.iter().map(|what| what.strip_prefix(&start).unwrap().to_string()).collect::<Vec<_>>()
    };
    let link = "its link does not follow from the events before it";
    for body in ["x", "", "{}", &bare("r", "2").replace(':', ": ")] {
        assert_eq!(made_up(body), ["its body is no event"], "{body}");
    }
    for body in [r#"{"kind":"x.test","a":1}"#, r#"{"a":[nothing],"kind":"x.test"}"#] {
        assert_eq!(made_up(body), [link, "what it says is not in canonical form"], "{body}");
    }
}

#[test]
fn a_changed_link_is_found_once() {
    let found = after(&format!("UPDATE event SET link = zeroblob(32) {OF_R1}"));
    let id = event("r", "2").id();
    let start = Event::read(&fork("f", "r", 1, &event("r", "2"))).unwrap().id();
    let what = "its link does not follow from the events before it";
    assert_eq!(found, [format!("f@2 {start}: {what}"), format!("r@1 {id}: {what}")]);
}

#[test]
fn a_changed_kind_is_found() {
    let found = after(&format!("UPDATE event SET kind = 2 {OF_R1}"));
    let id = event("r", "2").id();
    assert_eq!(found, [format!("r@1 {id}: it is kept as `run_started`, and says something else")]);
}

#[test]
fn a_changed_head_is_found() {
    let head = |set: &str| {
        after(&format!(
            "UPDATE place SET {set} WHERE seq = {HEAD}
             AND stream = (SELECT no FROM stream WHERE name = 'run:r')"
        ))
    };
    let link = "the stream ends with another link than its last event";
    assert_eq!(head("link = zeroblob(32)"), [format!("r@2: {link}")]);
    assert_eq!(head("position = 4"), ["r@3: it is missing"]);
    assert_eq!(head("position = 2"), [format!("r@1: {link}")]);
    let first = after("UPDATE stream SET first = 1 WHERE name = 'run:r'");
    assert_eq!(first, ["r@1: the stream begins at 1"]);
}

#[test]
fn a_changed_origin_is_found() {
    let fork = |set: &str| after(&format!("UPDATE stream SET {set} WHERE name = 'run:f'"));
    let start = Event::read(&fork_start()).unwrap().id();
    let what = "its link does not follow from the events before it";
    assert_eq!(
        fork("fork_seq = 0"),
        [
            "f@2: the stream goes on from `r@0`, but begins at 2".into(),
            format!("f@2 {start}: {what}")
        ]
    );
    assert_eq!(
        fork("parent = (SELECT no FROM stream WHERE name = 'run:g')"),
        ["f@2: the event it goes on from, `g@1`, is not there"]
    );
}

#[test]
fn a_stream_that_cannot_be_read_hides_no_other() {
    let both = |set: &str| {
        let body = "UPDATE event SET body = 'x' WHERE stream IN
            (SELECT no FROM stream WHERE name = 'run:g')";
        after_all(&[body, set])
    };
    let stream = |set: &str| format!("UPDATE stream SET {set} WHERE name = 'run:f'");
    let head = |set: &str| {
        format!(
            "UPDATE place SET {set} WHERE seq = {HEAD}
             AND stream = (SELECT no FROM stream WHERE name = 'run:f')"
        )
    };
    let g = format!("g@0 {}: its body is not what its id was computed from", event("g", "1").id());
    for set in [
        stream("parent = NULL"),
        stream("parent = 99"),
        stream("fork_seq = -1"),
        head("link = x'00'"),
        head("link = NULL"),
        head("seq = seq - 1"),
    ] {
        let f = "f@2: where its stream begins and ends cannot be read".to_string();
        assert_eq!(both(&set), [f, g.clone()], "{set}");
    }
    let f = "f@2: its stream ends before it begins".to_string();
    assert_eq!(both(&head("position = 0")), [f, g]);
}

fn fork_start() -> String {
    fork("f", "r", 1, &event("r", "2"))
}

#[test]
fn a_lost_event_is_found() {
    let found = after(&format!("DELETE FROM event {OF_R1}"));
    assert_eq!(found, ["r@1: it is missing"]);
    let found = after(&format!("DELETE FROM place {OF_R1}"));
    assert_eq!(
        found,
        ["f@2: the event it goes on from, `r@1`, is not there", "r@1: it is missing"]
    );
    let all = "seq <= 2 AND stream = (SELECT no FROM stream WHERE name = 'run:r')";
    let found = after(&format!("DELETE FROM event WHERE {all}"));
    assert_eq!(found, ["r@0: it is missing", "r@1: it is missing", "r@2: it is missing"]);
    let both = ["event", "place"].map(|table| format!("DELETE FROM {table} WHERE {all}"));
    let found = after_all(&both.each_ref().map(String::as_str));
    assert_eq!(
        found,
        [
            "f@2: the event it goes on from, `r@1`, is not there",
            "r@0: it is missing, and 2 after it"
        ]
    );
}

#[test]
fn an_event_in_another_stream_is_found() {
    let found = after(
        "UPDATE event SET stream = (SELECT no FROM stream WHERE name = 'run:g'), seq = 1
        WHERE seq = 2 AND stream = (SELECT no FROM stream WHERE name = 'run:r')",
    );
    assert_eq!(found, ["r@2: it is missing"]);
}

#[test]
fn a_changed_or_lost_value_is_found() {
    let id = Blob::new("a value").id();
    let found = after("UPDATE blob SET bytes = x'00'");
    assert_eq!(found, [format!(": the bytes behind `{id}` are others")]);
    let found = after("DELETE FROM blob");
    let text = format!(": it refers to {id}, which is not there");
    assert!(found.len() == 1 && found[0].starts_with("store@0 ") && found[0].ends_with(&text));
}

#[test]
fn a_changed_or_lost_move_is_found() {
    let found = after("UPDATE operation SET body = replace(body, 'test', 'tset') WHERE no = 2");
    assert!(found[0].starts_with(": the move `"), "{found:?}");
    let found = after("DELETE FROM operation WHERE no = 1");
    assert!(found[0].ends_with("does not follow the one before it"), "{found:?}");
    let found = after("UPDATE operation SET name = 'other' WHERE no = 1");
    assert!(found[0].ends_with("does not follow the one before it"), "{found:?}");
}

#[test]
fn reading_goes_on_behind_damage() {
    let shelf = Shelf::sqlite();
    let many: Vec<String> = (0..2000).map(|at| bare("r", &at.to_string())).collect();
    shelf.take(file(&many));
    let home = shelf.close();
    let connection = Connection::open(home.file()).unwrap();
    connection.execute("UPDATE event SET body = 'x' WHERE seq % 700 = 3", []).unwrap();
    connection.execute("UPDATE event SET body = 'x' WHERE seq >= 1800", []).unwrap();
    drop(connection);
    let shelf = Shelf::open(home);
    let mut told = 0;
    let done = store::verify(&*shelf.0, &mut |_| told += 1).unwrap();
    let places: Vec<String> =
        done.damage.iter().filter_map(|damage| Some(damage.place.as_ref()?.to_string())).collect();
    assert_eq!(places[..5], ["r@3", "r@703", "r@1403", "r@1800", "r@1801"]);
    assert_eq!((done.events, done.damage.len()), (1797, 100));
    assert!(done.damaged >= 203 && told >= 3);
    assert!(gc(&*shelf.0, Clean::Remove).is_err());
}

#[test]
fn whoever_meets_damage_is_told_that_it_is_damage() {
    let home = filled().close();
    let connection = Connection::open(home.file()).unwrap();
    connection.execute("UPDATE event SET body = 'x'", []).unwrap();
    drop(connection);
    let shelf = Shelf::open(home);
    let is_damage = |error: &dyn std::error::Error| {
        let causes = std::iter::successors(error.source(), |error| error.source());
        causes.into_iter().any(|error| {
            matches!(error.downcast_ref(), Some(StoreError::Damaged(damage)) if damage.place.is_some())
        })
    };
    let r1 = Place::new(Stream::run("r"), 1);
    assert!(is_damage(&store::export(&*shelf.0, None, &mut Vec::new()).unwrap_err()));
    assert!(is_damage(&gc(&*shelf.0, Clean::Remove).unwrap_err()));
    let by = By { ts: noon(), actor: None, reason: None };
    assert!(is_damage(&set(&*shelf.0, "other", &r1, by).unwrap_err()));
    let request = ForkRequest {
        run: "h".into(),
        agent: None,
        from_branch: "main".into(),
        to_branch: "h".into(),
        ts: noon(),
        wishes: BTreeMap::new(),
        going_on: store::fork::GoingOn::default(),
        durability: Durability::Os,
    };
    assert!(is_damage(&fork::fork(&*shelf.0, &r1, &request).unwrap_err()));
    let input = &mut Cursor::new(bare("r", "9") + "\n");
    let importing = Importing { file: "f".into(), strict: false, now: noon() };
    assert!(is_damage(&import(&*shelf.0, input, &importing, &mut |_, _| {}).unwrap_err()));
}
