//! Files of older versions. `version-1.db` was made by a program that knew version 1 only, from
//! the export in `docs/history.md`.

use std::fs;

use store::{Change, Holder, Leases, Shelves, SqliteStore, Store};
use value::Digest;

use crate::sample::{Folder, begin, run};

const VERSION_1: &[u8] = include_bytes!("version-1.db");

/// What it holds, as it was exported.
fn expected() -> &'static str {
    let page = include_str!("../../../../docs/history.md");
    let (_, rest) = page.split_once("<!-- generated: export -->\n```jsonl\n").unwrap();
    rest.split_once("```").unwrap().0
}

fn exported(store: &dyn Store) -> String {
    let mut lines = Vec::new();
    store::export(store, None, &mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

fn version(bytes: &[u8]) -> u32 {
    // Where SQLite keeps the `user_version`.
    u32::from_be_bytes(bytes[60..64].try_into().unwrap())
}

#[test]
fn a_file_of_version_1_is_read_as_it_is() {
    let folder = Folder::new();
    let path = folder.file("store");
    fs::write(&path, VERSION_1).unwrap();
    assert_eq!(version(VERSION_1), 1);
    let reader = SqliteStore::open_reader(&path).unwrap();
    assert_eq!(exported(&reader), expected());
    assert_eq!(reader.check_files().unwrap(), Vec::<String>::new());
    assert_eq!(reader.shelf_read("s").unwrap(), []);
    assert_eq!(reader.shelf_get("s", "k").unwrap(), None);
    drop(reader);
    assert!(fs::read(&path).unwrap() == VERSION_1);
}

#[test]
fn a_file_of_version_1_is_brought_to_the_current_version_when_it_is_written() {
    let folder = Folder::new();
    let path = folder.file("store");
    fs::write(&path, VERSION_1).unwrap();
    let reader = SqliteStore::open_reader(&path).unwrap();
    assert_eq!(reader.shelf_read("s").unwrap(), []);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(exported(&store), expected());
    begin(&store, "new", 0, 3);
    store.shelf_write("s", &[Change::Push("a".into())], &Digest::of(b"key")).unwrap();
    let now = history::Timestamp::from_micros(0);
    store.acquire(&run("new"), &Holder::this_process(), now, 1).unwrap().unwrap();
    // Who read it before reads on.
    assert_eq!(reader.shelf_read("s").unwrap().len(), 1);
    drop(reader);
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
    let verified = store::verify(&store, &mut |_| {}).unwrap();
    assert_eq!(verified.damage, []);
    drop(store);
    assert_eq!(folder.names(), ["store"]);
    assert_eq!(version(&fs::read(&path).unwrap()), 2);
}
