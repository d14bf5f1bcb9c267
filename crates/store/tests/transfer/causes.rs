//! One cause, one finding: what follows from a line that could not be taken is not said again.

use std::io::Cursor;

use history::kinds::Blob;
use history::plan::Wish;
use history::{Place, Stream};
use rusqlite::Connection;
use store::fork::{ForkRequest, fork};
use store::names::{By, set};
use store::{Durability, Importing, import};

use crate::shelf::{Shelf, bare, file, noon};

const START: &str =
    r#"{"kind":"run_started","ts":"2026-01-01T00:00:00.000000Z","run_id":"r","agent_id":"a"}"#;

#[test]
fn a_fork_of_what_was_left_out_is_left_out_too() {
    let full = Shelf::memory();
    full.take(START);
    let fork = START.replace(r#""run_id":"r""#, r#""run_id":"f""#);
    let origin = full.0.stream(&Stream::run("r")).unwrap().unwrap();
    let id = full.0.read(&origin.stream, 0, 1).unwrap()[0].event.id();
    let from = format!(r#","from":{{"run_id":"r","seq":0,"event_id":"{id}"}}}}"#);
    full.take(fork.strip_suffix('}').unwrap().to_string() + &from);
    let by = By { ts: noon(), actor: None, reason: None };
    set(&*full.0, "main", &Place::new(Stream::run("f"), 1), by).unwrap();
    let export = full.export();
    // The first event of `r` has another time than its id says; `f` and `main` follow from it.
    let (fork, rest) = export.split_once('\n').unwrap();
    let spoilt = format!("{fork}\n{}", rest.replacen("T00:00:00", "T00:00:01", 1));
    let shelf = Shelf::memory();
    let said = shelf.import(&spoilt);
    assert_eq!(said.codes(), ["H102"], "{said:?}");
    assert_eq!((said.done.added, said.done.left, said.done.names), (0, 1, 0));
    assert_eq!(shelf.take(&export).added, 2);
    assert_eq!(shelf.export(), export);
}

#[test]
fn what_an_agent_has_its_runs_have() {
    let event = |kind: &str, rest: &str| {
        let ts = "2026-01-01T00:00:00.000000Z";
        format!(r#"{{"kind":"{kind}","ts":"{ts}","agent_id":"a",{rest}}}"#)
    };
    let resource = r#""resource":{"id":"w","kind":"file","name":"w","capabilities":[]}"#;
    let lines = [
        event("policy_proposed", r#""policy_ref":"p""#),
        event("resource_registered", resource),
        START.to_string(),
        event("policy_activated", r#""run_id":"r","policy_ref":"p""#),
        event("resource_attached", r#""run_id":"r","resource_ref":"w","mode":"ro""#),
    ];
    Shelf::memory().take(lines.join("\n"));
    let said = Shelf::memory().import(lines[2..].join("\n"));
    assert_eq!(said.codes(), ["H310", "H328"]);
}

#[test]
fn a_fork_may_plan_for_what_only_its_agent_speaks_of() {
    let event = |kind: &str, rest: &str| {
        let ts = "2026-01-01T00:00:00.000000Z";
        format!(r#"{{"kind":"{kind}","ts":"{ts}","agent_id":"a",{rest}}}"#)
    };
    let resource = r#""resource":{"id":"w","kind":"file","name":"w","capabilities":[]}"#;
    let lines = [
        event("resource_registered", resource),
        event("resource_attached", r#""resource_ref":"w","mode":"rw""#),
        START.to_string(),
    ];
    for wish in [Wish::KeepByParent, Wish::KeepByFork, Wish::Discard] {
        let shelf = Shelf::memory();
        shelf.take(lines.join("\n"));
        let request = ForkRequest {
            run: "f".into(),
            agent: None,
            from_branch: "main".into(),
            to_branch: "f".into(),
            ts: noon(),
            wishes: [("w".into(), wish)].into(),
            going_on: store::fork::GoingOn::default(),
            durability: Durability::Os,
        };
        fork(&*shelf.0, &Place::new(Stream::run("r"), 0), &request).unwrap();
        let (export, again) = (shelf.export(), Shelf::memory());
        again.take(&export);
        assert_eq!(again.export(), export);
    }
}

#[test]
fn only_a_time_to_come_is_a_mistake() {
    Shelf::memory().take(START.replace("2026", "1980"));
    assert_eq!(Shelf::memory().import(START.replace("2026", "2999")).codes(), ["H315"]);
}

#[test]
fn bytes_that_have_changed_break_an_import_off_and_bytes_that_are_gone_do_not() {
    let blob = Blob::new("[1]");
    let line = bare("r", "1").replacen('{', &format!(r#"{{"a":{{"$blob":"{}"}},"#, blob.id()), 1);
    let value = format!(r#"{{"blob":"{}","text":"[1]"}}"#, blob.id());
    for (sql, is_taken) in [("UPDATE blob SET bytes = x'00'", false), ("DELETE FROM blob", true)] {
        let shelf = Shelf::sqlite();
        shelf.take(file(&[&line, &value]));
        let home = shelf.close();
        assert_eq!(Connection::open(home.file()).unwrap().execute(sql, []).unwrap(), 1);
        let shelf = Shelf::open(home);
        let importing = Importing { file: "f".into(), strict: false, now: noon() };
        let done = import(&*shelf.0, &mut Cursor::new(bare("r", "2")), &importing, &mut |_, _| {});
        let said = done.map(|done| done.added).map_err(|error| error.to_string());
        assert_eq!(said.is_ok(), is_taken, "{said:?}");
    }
}
