//! Files: who may open them, and what is no store.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use store::{Append, AppendError, Archive, Durability, Expected, SqliteStore, Store, StoreError};
use value::Digest;

use crate::sample::{Folder, add, begin, events, own, place, plain, run};

/// Says to a test that it is the other process of another test.
const CHILD: &str = "QUIPU_STORE_CHILD";

/// Another process that writes to a store, once it does, and what it says.
fn other_writer(path: &Path) -> (Child, impl Iterator<Item = std::io::Result<String>>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opening::another_process", "--nocapture"])
        .env(CHILD, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("it writes")));
    (child, lines)
}

#[test]
fn another_process() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let store = SqliteStore::open(path).unwrap();
    let next = store.stream(&run("a")).unwrap().map_or(0, |info| info.next);
    add(&store, "a", Expected::Next(next), &events(next..next + 3)).unwrap();
    println!("it writes");
    // Until the other process is done with it, or kills it.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

fn error(opened: Result<SqliteStore, StoreError>) -> StoreError {
    opened.err().expect("it cannot be opened")
}

fn unusable(opened: Result<SqliteStore, StoreError>) -> String {
    match error(opened) {
        StoreError::Unusable(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_writers_see_what_the_other_one_did() {
    let folder = Folder::new();
    let stores = [(); 2].map(|()| SqliteStore::open(folder.file("store")).unwrap());
    let (stream, key) = (run("a"), Some(Digest::of(b"key")));
    for next in 0..20 {
        let [mine, other] = [&stores[next as usize % 2], &stores[(next as usize + 1) % 2]];
        let added = events(next..next + 1);
        let append = plain(&stream, Expected::Next(next), &added);
        let append = Append { key: key.filter(|_| next == 7), ..append };
        let receipt = mine.append(&append).unwrap();
        assert!(!receipt.repeated);
        // The other one repeats it, whatever it is to wait for.
        let again = other.append(&Append { durability: Durability::Fsync, ..append }).unwrap();
        assert_eq!((again.repeated, again.link), (true, receipt.link));
        match add(other, "a", Expected::Next(next), &events(100..101)) {
            Err(AppendError::Conflict { actual, .. }) => assert_eq!(actual, next + 1),
            other => panic!("{other:?}"),
        }
    }
    let others = events(100..101);
    let append = plain(&stream, Expected::Next(20), &others);
    let refused = stores[0].append(&Append { key, ..append });
    assert!(matches!(refused, Err(AppendError::KeyReused(_))), "{refused:?}");
    let positions = stores[0].watch(0, 99, Duration::ZERO).unwrap();
    assert!(positions.iter().map(|arrival| arrival.position).eq(1..=20));
}

#[test]
fn the_index_of_ids_is_kept_by_two_writers() {
    let folder = Folder::new();
    let stores = [(); 2].map(|()| SqliteStore::open(folder.file("store")).unwrap());
    // Three batches of it, each begun by one and ended by whoever comes to its end.
    for (at, first) in (0..13_000).step_by(1_000).enumerate() {
        let store = &stores[at % 3 / 2];
        add(store, "a", Expected::Next(first), &events(first..first + 1_000)).unwrap();
    }
    for store in &stores {
        assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
        for seq in [0, 4_095, 4_096, 8_191, 12_288, 12_999] {
            let id = events(seq..seq + 1)[0].id();
            assert_eq!(store.find(&id.to_string(), 9).unwrap(), [(place("a", seq), id)]);
        }
    }
}

#[test]
fn whoever_watches_sees_what_other_writers_add() {
    let folder = Folder::new();
    let stores = [(); 2].map(|()| SqliteStore::open(folder.file("store")).unwrap());
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| stores[0].watch(0, 9, Duration::from_secs(60)).unwrap());
        begin(&stores[1], "a", 0, 3);
        assert_eq!(watcher.join().unwrap(), stores[1].watch(0, 9, Duration::ZERO).unwrap());
    });
    assert_eq!(stores.each_ref().map(|store| store.last_position().unwrap()), [3, 3]);
}

#[test]
fn a_writer_waits_for_another_program_but_not_forever() {
    let folder = Folder::new();
    let path = folder.file("store");
    let store = SqliteStore::open(&path).unwrap();
    begin(&store, "a", 0, 1);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    match add(&store, "a", Expected::Next(1), &events(1..2)) {
        Err(AppendError::Store(StoreError::Busy(why))) => {
            assert_eq!(why, "another process holds the store");
        }
        other => panic!("{other:?}"),
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| add(&store, "a", Expected::Next(1), &events(1..2)));
        other.execute_batch("ROLLBACK").unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(own(&store, "a"), events(0..2));
}

#[cfg(unix)]
#[test]
fn a_store_is_the_same_by_any_path() {
    let folder = Folder::new();
    let path = folder.file("store");
    let writer = SqliteStore::open(&path).unwrap();
    std::os::unix::fs::symlink(&path, folder.file("link")).unwrap();
    begin(&SqliteStore::open(folder.file("link")).unwrap(), "a", 0, 2);
    add(&writer, "a", Expected::Next(2), &events(2..3)).unwrap();
    assert_eq!(own(&SqliteStore::open_reader(folder.file("link")).unwrap(), "a"), events(0..3));
    drop(writer);
    assert_eq!(folder.names(), ["link", "store"]);
}

#[test]
fn another_process_that_has_a_store_open_keeps_nobody_away() {
    let folder = Folder::new();
    let path = folder.file("store");
    let (mut other, _said) = other_writer(&path);
    let reader = SqliteStore::open_reader(&path).unwrap();
    assert_eq!(own(&reader, "a"), events(0..3));
    add(&SqliteStore::open(&path).unwrap(), "a", Expected::Next(3), &events(3..5)).unwrap();
    assert_eq!(own(&reader, "a"), events(0..5));
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    assert_eq!(own(&reader, "a"), events(0..5));
    drop(reader);
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn a_writer_that_was_killed_leaves_everything_and_is_in_nobodys_way() {
    let folder = Folder::new();
    let path = folder.file("store");
    for round in 1..=3 {
        let (mut other, _said) = other_writer(&path);
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(folder.names().contains(&"store-wal".to_string()));
        let reader = SqliteStore::open_reader(&path).unwrap();
        assert_eq!(own(&reader, "a"), events(0..3 * round));
    }
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(own(&store, "a"), events(0..9));
    add(&store, "a", Expected::Next(9), &events(9..10)).unwrap();
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
    drop(store);
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn readers_see_what_is_added_beside_them_and_add_nothing() {
    let folder = Folder::new();
    let path = folder.file("store");
    let writer = SqliteStore::open(&path).unwrap();
    let readers = [(); 3].map(|()| SqliteStore::open_reader(&path).unwrap());
    for number in 0..5 {
        add(&writer, "a", Expected::Next(number), &events(number..number + 1)).unwrap();
        for reader in &readers {
            assert_eq!(own(reader, "a"), events(0..number + 1));
        }
    }
    let refused = add(&readers[0], "a", Expected::Next(5), &events(5..6)).unwrap_err();
    let expected = format!("`{}` is open for reading only", path.display());
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn a_reader_waits_for_what_a_writer_adds() {
    let folder = Folder::new();
    let path = folder.file("store");
    let writer = SqliteStore::open(&path).unwrap();
    let reader = SqliteStore::open_reader(&path).unwrap();
    assert_eq!(reader.watch(0, 9, Duration::from_millis(20)).unwrap(), []);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| reader.watch(0, 9, Duration::from_secs(60)).unwrap());
        begin(&writer, "a", 0, 3);
        let seen = watcher.join().unwrap();
        assert_eq!(seen, writer.watch(0, 9, Duration::ZERO).unwrap());
    });
}

#[test]
fn a_reader_needs_a_store() {
    let folder = Folder::new();
    let path = folder.file("a/store");
    let nothing = format!("there is no store `{}`", path.display());
    assert_eq!(unusable(SqliteStore::open_reader(&path)), nothing);
    assert_eq!(folder.names(), [""; 0]);
    let path = folder.file("empty");
    fs::write(&path, "").unwrap();
    let empty = format!("`{}` is empty", path.display());
    assert_eq!(unusable(SqliteStore::open_reader(&path)), empty);
    assert_eq!(folder.names(), ["empty"]);
    let is_folder = format!("`{}` is a folder", folder.path().display());
    assert_eq!(unusable(SqliteStore::open_reader(folder.path())), is_folder);
    assert_eq!(unusable(SqliteStore::open(folder.path())), is_folder);
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = Folder::new();
    let path = folder.file("store?a=b#c%20");
    fs::write(&path, "").unwrap();
    begin(&SqliteStore::open(&path).unwrap(), "a", 0, 1);
    assert_eq!(own(&SqliteStore::open_reader(&path).unwrap(), "a"), events(0..1));
    assert_eq!(folder.names(), ["store?a=b#c%20"]);
}

/// Nobody opens it, and it stays as it is.
fn is_left_alone(folder: &Folder, expected: &str) {
    let path = folder.file("store");
    let (before, names) = (fs::read(&path).unwrap(), folder.names());
    let expected = expected.replace("PATH", &path.display().to_string());
    assert_eq!(unusable(SqliteStore::open(&path)), expected);
    assert_eq!(unusable(SqliteStore::open_reader(&path)), expected);
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(folder.names(), names);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let folder = Folder::new();
    for text in ["{}\n".into(), "garbage ".repeat(10_000), "SQLite format 3\0garbage".into()] {
        fs::write(folder.file("store"), text).unwrap();
        is_left_alone(&folder, "`PATH` is not a store");
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    let folder = Folder::new();
    for mode in ["DELETE", "WAL"] {
        let other = Connection::open(folder.file("store")).unwrap();
        other.execute_batch("CREATE TABLE IF NOT EXISTS event(a)").unwrap();
        let sql = format!("PRAGMA journal_mode = {mode}");
        other.query_row(&sql, [], |_| Ok(())).unwrap();
        drop(other);
        is_left_alone(&folder, "`PATH` is a database of another program");
    }
}

#[test]
fn another_programs_database_with_a_log_beside_it_is_left_alone() {
    let folder = Folder::new();
    let other = Connection::open(folder.file("other")).unwrap();
    other.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    other.execute_batch("CREATE TABLE event(a); INSERT INTO event VALUES(1)").unwrap();
    // As a crash would leave it.
    for end in ["", "-wal"] {
        fs::copy(folder.file(&format!("other{end}")), folder.file(&format!("store{end}"))).unwrap();
    }
    let contents = || [fs::read(folder.file("store")), fs::read(folder.file("store-wal"))];
    let before = contents().map(Result::unwrap);
    let expected = format!("`{}` is a database of another program", folder.file("store").display());
    assert_eq!(unusable(SqliteStore::open(folder.file("store"))), expected);
    assert_eq!(unusable(SqliteStore::open_reader(folder.file("store"))), expected);
    assert!(contents().map(Result::unwrap) == before);
}

#[test]
fn a_newer_store_is_left_alone() {
    let folder = Folder::new();
    drop(SqliteStore::open(folder.file("store")).unwrap());
    let newer = Connection::open(folder.file("store")).unwrap();
    newer.pragma_update(None, "user_version", 1000).unwrap();
    drop(newer);
    is_left_alone(
        &folder,
        "`PATH` has version 1000; this program knows versions up to 3: use a newer one",
    );
}

#[test]
fn a_truncated_store_is_damaged_and_not_read_as_if_it_were_whole() {
    let folder = Folder::new();
    let path = folder.file("store");
    begin(&SqliteStore::open(&path).unwrap(), "a", 0, 2000);
    let bytes = fs::read(&path).unwrap();
    for length in [50, 100, 5000, 8192, bytes.len() / 2, bytes.len() - 8192, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        let found = SqliteStore::open(&path)
            .and_then(|store| Ok((store.check_files()?, store.read(&run("a"), 0, usize::MAX)?)));
        match found {
            Err(StoreError::Damaged(_) | StoreError::Unusable(_)) => {}
            // What is missing may be part of an index, or of no importance.
            Ok((found, entries)) => {
                assert_eq!(entries.len(), 2000);
                assert!(!found.is_empty() || length == bytes.len() - 1, "{length}");
            }
            Err(other) => panic!("{length}: {other:?}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_store_in_a_folder_that_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    fs::create_dir(folder.file("a")).unwrap();
    let path = folder.file("a/store");
    begin(&SqliteStore::open(&path).unwrap(), "a", 0, 3);
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&path, 0o444);
    allow(&folder.file("a"), 0o555);
    let read = SqliteStore::open_reader(&path).map(|store| own(&store, "a"));
    allow(&folder.file("a"), 0o755);
    assert_eq!(read.unwrap(), events(0..3));
    assert_eq!(fs::read_dir(folder.file("a")).unwrap().count(), 1);
}
