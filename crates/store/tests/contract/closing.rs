//! Files: what they leave behind, how large they become, and what shows that they were damaged.

use std::fs;
use std::process::Command;

use history::kinds::Blob;
use history::{Operation, Target, Timestamp};
use rusqlite::Connection;
use store::{Append, AppendError, Archive, Durability, Expected, SqliteStore, Store, StoreError};
use value::Digest;

use crate::sample::{Folder, add, begin, events, fork, own, place, plain, run};

#[test]
fn closing_leaves_one_file() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.file("store")).unwrap();
    begin(&store, "a", 0, 10);
    assert_eq!(own(&store, "a").len(), 10);
    assert_eq!(folder.names(), ["store", "store-shm", "store-wal"]);
    drop(store);
    assert_eq!(folder.names(), ["store"]);
    drop(SqliteStore::open_reader(folder.file("store")).unwrap());
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn a_reader_that_closes_last_leaves_one_file_too() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.file("store")).unwrap();
    begin(&store, "a", 0, 10);
    let reader = SqliteStore::open_reader(folder.file("store")).unwrap();
    drop(store);
    assert_eq!(own(&reader, "a"), events(0..10));
    drop(reader);
    assert_eq!(folder.names(), ["store"]);
    assert_eq!(own(&SqliteStore::open(folder.file("store")).unwrap(), "a"), events(0..10));
}

#[test]
fn everything_is_there_when_it_is_opened_again() {
    let folder = Folder::new();
    let open = || SqliteStore::open(folder.file("store")).unwrap();
    let (stream, blob, key) = (run("a"), Blob::new("bytes"), Some(Digest::of(b"key")));
    let added = events(0..5000);
    let append = plain(&stream, Expected::New, &added);
    let receipt = open()
        .append(&Append { key, blobs: std::slice::from_ref(&blob), ..append.clone() })
        .unwrap();
    fork(&open(), "b", place("a", 7), 5000..5001);
    let target = Some(Target { place: place("a", 4999), link: receipt.link });
    let operation = Operation {
        name: "main".into(),
        previous: None,
        target,
        ts: Timestamp::from_micros(1),
        actor: Some("me".into()),
        reason: None,
    };
    let id = open().move_name(&operation).unwrap();
    let store = open();
    assert!(store.append(&Append { key, ..append }).unwrap().repeated);
    assert_eq!(own(&store, "a"), added);
    assert_eq!(store.stream(&run("b")).unwrap().unwrap().parent, Some(place("a", 7)));
    assert_eq!(store.blob(blob.id()).unwrap(), Some(b"bytes".to_vec()));
    assert_eq!(store.name("main").unwrap(), Some((id, operation)));
    // The index of ids goes on where it was.
    add(&store, "a", Expected::Next(5000), &events(6000..10_000)).unwrap();
    let last = &events(9_999..10_000)[0];
    assert_eq!(store.find(&last.id().to_string(), 9).unwrap(), [(place("a", 8999), last.id())]);
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
}

#[test]
fn the_log_stays_short_while_others_read() {
    /// About four times the number of pages from which on it is shortened.
    const BYTES_MAX: u64 = 80 << 20;
    let folder = Folder::new();
    let store = SqliteStore::open(folder.file("store")).unwrap();
    let reader = SqliteStore::open_reader(folder.file("store")).unwrap();
    let blobs: Vec<Blob> =
        (0..32_u32).map(|number| Blob::new(vec![number as u8; 1 << 20])).collect();
    for _ in 0..8 {
        for blob in &blobs {
            store.put_blobs(std::slice::from_ref(blob), Durability::Os).unwrap();
            assert!(reader.blob(blob.id()).unwrap().is_some());
        }
        let log = fs::metadata(folder.file("store-wal")).unwrap().len();
        assert!(log < BYTES_MAX, "{log}");
        let ids: Vec<_> = blobs.iter().map(Blob::id).collect();
        assert!(store.remove_blobs(&ids, 0).unwrap());
    }
}

/// What is said of a store after somebody else changed its file.
fn tampered(sql: &str) -> (SqliteStore, Vec<String>, Folder) {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.file("store")).unwrap();
    begin(&store, "a", 0, 5000);
    fork(&store, "b", place("a", 7), 5000..5010);
    let (stream, added) = (run("c"), events(0..2));
    let key = Some(Digest::of(b"key"));
    store.append(&Append { key, ..plain(&stream, Expected::New, &added) }).unwrap();
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
    drop(store);
    let other = Connection::open(folder.file("store")).unwrap();
    other.execute_batch(sql).unwrap();
    drop(other);
    let store = SqliteStore::open(folder.file("store")).unwrap();
    let found = store.check_files().unwrap();
    (store, found, folder)
}

#[test]
fn a_body_that_was_changed_is_named_and_not_read() {
    let (store, _, _folder) =
        tampered("UPDATE event SET body = replace(body, '\"n\":3,', '\"n\":4,') WHERE seq = 3");
    match store.read(&run("a"), 0, 10) {
        Err(error @ StoreError::Damaged(_)) => assert_eq!(
            error.to_string(),
            "the store is damaged: `a@3`: its body is not what its id was computed from"
        ),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.read(&run("a"), 4, 2).unwrap().len(), 2);
}

#[test]
fn an_event_that_was_put_far_behind_costs_no_time() {
    for position in [1_i64 << 60, i64::MAX] {
        let (store, found, _folder) =
            tampered(&format!("UPDATE event SET position = {position} WHERE position = 5012"));
        assert!(found[0].starts_with("the events do not stand at the positions 1 to"), "{found:?}");
        let id = events(7..8)[0].id();
        assert_eq!(store.find(&id.to_string(), 9).unwrap(), [(place("a", 7), id)]);
        // Whether there is room behind it or not, nothing panics.
        let added = add(&store, "d", Expected::New, &events(0..1));
        assert_eq!(added.is_ok(), position != i64::MAX, "{added:?}");
    }
}

#[test]
fn what_no_longer_follows_from_the_events_is_found() {
    for (sql, expected) in [
        (
            "UPDATE place SET position = 9 WHERE seq = 9223372036854775807 AND stream = 1",
            "the events of `run:a` are not those from 0 to 9",
        ),
        (
            "UPDATE place SET link = zeroblob(32) WHERE seq = 9223372036854775807 AND stream = 2",
            "the last link of `run:b` is another one",
        ),
        (
            "UPDATE stream SET fork_seq = 8 WHERE name = 'run:b'",
            "`run:b` does not begin behind its origin",
        ),
        (
            "DELETE FROM event WHERE position = 4998",
            "the events do not stand at the positions 1 to 5012",
        ),
        (
            "DELETE FROM stream WHERE name = 'run:c'",
            "the event at position 5011 belongs to no stream",
        ),
        ("DELETE FROM event_id WHERE position = 7", "the index of ids has 4095 rows, not 4096"),
        (
            "UPDATE event_id SET id8 = 1 WHERE position = 7",
            "the index of ids lacks the event at position 7",
        ),
        ("DELETE FROM event_kind WHERE position = 7", "the index of kinds has 4095 rows, not 4096"),
        (
            "UPDATE event_kind SET position = 8 WHERE position = 7",
            "the index of kinds lacks the event at position 7",
        ),
        (
            "UPDATE place SET kind = 1 WHERE seq = 3 AND stream = 1",
            "the event at position 4 is not where its stream says",
        ),
        (
            "UPDATE place SET link = zeroblob(32) WHERE seq = 3 AND stream = 1",
            "the event at position 4 is not where its stream says",
        ),
        (
            "INSERT INTO place(stream, seq, kind, position) VALUES(9, 0, 0, 1)",
            "there are 5012 events at 5013 places",
        ),
        (
            "INSERT INTO place(stream, seq, position, link)
             VALUES(9, 9223372036854775807, 0, zeroblob(32))",
            "stream 9 has a head and no name",
        ),
        (
            "DELETE FROM place WHERE seq = 9223372036854775807 AND stream = 2",
            "the events of `run:b` are not those from 8 to nothing",
        ),
        ("UPDATE idempotency SET seq = 2", "a key of stream 3 names events that are not there"),
    ] {
        let (_store, found, _folder) = tampered(sql);
        assert!(found.iter().any(|words| words == expected), "{sql}: {found:?}");
    }
}

/// Says to a test that it is the process of another test that can write so much only.
const CRAMPED: &str = "QUIPU_STORE_CRAMPED";

#[cfg(unix)]
#[test]
fn after_a_failed_write_nothing_is_written_until_the_store_is_opened_again() {
    let folder = Folder::new();
    let path = folder.file("store");
    begin(&SqliteStore::open(&path).unwrap(), "a", 0, 1);
    // A limit to the size of files makes writing fail, and no more than that.
    let status = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "closing::a_process_that_cannot_write_on", "--nocapture"])
        .env(CRAMPED, &path)
        .status()
        .unwrap();
    assert!(status.success());
    let store = SqliteStore::open(&path).unwrap();
    let kept = own(&store, "a");
    assert_eq!(kept, events(0..kept.len() as u64));
    let acknowledged = fs::read_to_string(folder.file("acknowledged")).unwrap();
    assert!(kept.len() as u64 >= acknowledged.parse::<u64>().unwrap());
    add(&store, "a", Expected::Next(kept.len() as u64), &events(0..1)).unwrap();
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
}

#[test]
fn a_process_that_cannot_write_on() {
    let Ok(path) = std::env::var(CRAMPED) else { return };
    let store = SqliteStore::open(&path).unwrap();
    let mut next = 1;
    let stream = run("a");
    let failed = loop {
        let added = events(next..next + 50);
        let append = plain(&stream, Expected::Next(next), &added);
        match store.append(&Append { durability: Durability::Group, ..append }) {
            Ok(_) => next += 50,
            Err(error) => break error,
        }
    };
    assert!(matches!(failed, AppendError::Store(StoreError::System(_))), "{failed:?}");
    for _ in 0..2 {
        let again = add(&store, "a", Expected::Next(next), &events(next..next + 1)).unwrap_err();
        assert!(matches!(again, AppendError::Store(StoreError::Poisoned(_))), "{again:?}");
        let blob = store.put_blobs(&[Blob::new("x")], Durability::Os).unwrap_err();
        assert!(matches!(blob, AppendError::Store(StoreError::Poisoned(_))), "{blob:?}");
    }
    // Nothing of what failed can be seen.
    assert_eq!(own(&store, "a"), events(0..next));
    fs::write(std::path::Path::new(&path).with_file_name("acknowledged"), next.to_string())
        .unwrap();
}
