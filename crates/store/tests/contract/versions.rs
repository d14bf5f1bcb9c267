//! Files of older versions. `version-1.db` was made by a program that knew version 1 only, from
//! the export in `docs/history.md`.

use std::fs;

use history::Archive;
use store::{Change, Holder, Leases, Shelves, SqliteStore, Store, StoreError};
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
fn a_reader_of_version_1_is_told_what_to_do() {
    let folder = Folder::new();
    let path = folder.file("store");
    fs::write(&path, VERSION_1).unwrap();
    assert_eq!(version(VERSION_1), 1);
    match SqliteStore::open_reader(&path).err() {
        Some(StoreError::Unusable(why)) => assert_eq!(
            why,
            format!("`{}` has the old version 1: open it for writing once", path.display())
        ),
        other => panic!("{other:?}"),
    }
    assert!(fs::read(&path).unwrap() == VERSION_1);
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn a_file_of_version_1_is_brought_to_the_current_version_when_it_is_written() {
    let folder = Folder::new();
    let path = folder.file("store");
    fs::write(&path, VERSION_1).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(exported(&store), expected());
    // Who wrote its runs is not known, so that they are not trusted; what is begun here is.
    let runs = store.streams(None, 100).unwrap();
    assert!(runs.iter().any(|info| info.stream.run_id().is_some()));
    for info in runs {
        let here = store.written_here(&info.stream, 0, u64::MAX).unwrap();
        assert_eq!(here, info.stream.run_id().is_none(), "{}", info.stream);
    }
    begin(&store, "new", 0, 3);
    assert!(store.written_here(&run("new"), 0, u64::MAX).unwrap());
    store.shelf_write("s", &[Change::Push("a".into())], &Digest::of(b"key")).unwrap();
    let now = history::Timestamp::from_micros(0);
    store.acquire(&run("new"), &Holder::this_process(), now, 1).unwrap().unwrap();
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
    let verified = store::verify(&store, &mut |_| {}).unwrap();
    assert_eq!(verified.damage, []);
    drop(store);
    assert_eq!(folder.names(), ["store"]);
    assert_eq!(version(&fs::read(&path).unwrap()), 3);
}
