//! Folders that are kept and had back.

use std::fs;

use history::BlobId;
use history::kinds::Blob;
use store::folder::{FolderError, restore, snapshot};
use store::{Archive as _, Durability, MemoryStore, Store};

use crate::scratch::{Scratch, tree};

/// Some of everything that a workspace has.
fn workspace(scratch: &Scratch) {
    scratch.write("work/src/main.rs", b"fn main() {}");
    scratch.write("work/src.txt", b"same");
    scratch.write("work/copy.txt", b"same");
    scratch.write("work/data/été", b"\x00\xff");
    scratch.write("work/empty.txt", b"");
    fs::create_dir_all(scratch.path("work/nothing/here")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        scratch.write("work/run.sh", b"#!/bin/sh\n");
        fs::set_permissions(scratch.path("work/run.sh"), fs::Permissions::from_mode(0o755))
            .unwrap();
        symlink("src/main.rs", scratch.path("work/main")).unwrap();
        symlink("/nowhere/at/all", scratch.path("work/dangling")).unwrap();
        symlink("..", scratch.path("work/data/up")).unwrap();
    }
}

fn count(store: &MemoryStore) -> usize {
    store.blobs(None, 1000).unwrap().len()
}

#[test]
fn a_folder_is_had_back_as_it_was() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    workspace(&scratch);
    let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
    restore(&store, kept.manifest, &scratch.path("deep/down/again")).unwrap();
    let again = tree(&scratch.path("deep/down/again"));
    assert_eq!(again, tree(&scratch.path("work")));
    assert_eq!(kept.entries, again.len());
    let bytes = if cfg!(unix) { 32 } else { 22 };
    assert_eq!(kept.bytes, bytes);
}

#[test]
fn the_same_tree_has_the_same_manifest_and_costs_nothing_again() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    workspace(&scratch);
    let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
    let before = count(&store);
    fs::create_dir(scratch.path("again")).unwrap();
    restore(&store, kept.manifest, &scratch.path("again")).unwrap();
    assert_eq!(snapshot(&store, &scratch.path("again"), Durability::Os).unwrap(), kept);
    assert_eq!(count(&store), before);
    // One file changes: its content and the manifest are new, and nothing else is.
    scratch.write("again/src.txt", b"other");
    let changed = snapshot(&store, &scratch.path("again"), Durability::Os).unwrap();
    assert_ne!(changed.manifest, kept.manifest);
    assert_eq!(count(&store), before + 2);
}

#[test]
fn a_manifest_can_be_read_by_anybody() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a/b.txt", b"hello");
    let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
    let text = String::from_utf8(store.blob(kept.manifest).unwrap().unwrap()).unwrap();
    let content = Blob::new("hello").id();
    let expected = [
        r#"{"entries":[{"kind":"folder","path":"a"},"#,
        &format!(r#"{{"content":{{"$blob":"{content}"}},"kind":"file","path":"a/b.txt"}}],"#),
        r#""format":"quipu.folder/1"}"#,
    ]
    .concat();
    assert_eq!(text, expected);
}

#[test]
fn nothing_is_overwritten() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("work/a.txt", b"kept");
    let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
    scratch.write("full/other.txt", b"mine");
    scratch.write("file", b"mine");
    for occupied in ["full", "file", "work"] {
        let before = tree(&scratch.path("."));
        let refused = restore(&store, kept.manifest, &scratch.path(occupied)).unwrap_err();
        assert!(matches!(refused, FolderError::Occupied(path) if path == scratch.path(occupied)));
        assert_eq!(tree(&scratch.path(".")), before);
    }
}

#[test]
fn paths_that_leave_the_folder_are_refused_before_anything_is_written() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    let content = Blob::new("x");
    store.put_blobs(std::slice::from_ref(&content), Durability::Os).unwrap();
    let file = |path: &str| {
        format!(r#"{{"kind":"file","path":"{path}","content":{{"$blob":"{}"}}}}"#, content.id())
    };
    let link = r#"{"kind":"link","path":"out","target":"/tmp"}"#.to_string();
    let cases = [
        (vec![file("../x")], "`../x` would leave the folder"),
        (vec![file("/x")], "`/x` would leave the folder"),
        (vec![file("a/../../x")], "`a/../../x` would leave the folder"),
        (vec![file("./x")], "`./x` would leave the folder"),
        (vec![file("a//x")], "`a//x` would leave the folder"),
        (vec![file("")], "`` would leave the folder"),
        (vec![link, file("out/x")], "`out/x` is in no folder of the manifest"),
        (vec![file("a"), file("a/x")], "`a/x` is in no folder of the manifest"),
        (vec![file("a/x")], "`a/x` is in no folder of the manifest"),
        (vec![file("a"), file("a")], "`a` is there twice"),
        (
            vec![r#"{"kind":"pipe","path":"a"}"#.into()],
            r#"`{"kind":"pipe","path":"a"}` is no entry"#,
        ),
    ];
    for (entries, why) in cases {
        let text = format!(r#"{{"entries":[{}],"format":"quipu.folder/1"}}"#, entries.join(","));
        let manifest = Blob::new(text);
        store.put_blobs(std::slice::from_ref(&manifest), Durability::Os).unwrap();
        let refused = restore(&store, manifest.id(), &scratch.path("new")).unwrap_err();
        let expected = format!("the manifest `{}` cannot be followed: {why}", manifest.id());
        assert_eq!(refused.to_string(), expected);
        assert!(!scratch.path("new").exists());
    }
}

#[test]
fn what_is_missing_is_named_and_so_is_what_is_there() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    let nothing = BlobId(value::Digest::of(b"nothing"));
    let refused = restore(&store, nothing, &scratch.path("new")).unwrap_err();
    assert!(matches!(refused, FolderError::NoContent(id) if id == nothing));
    scratch.write("work/a.txt", b"first");
    scratch.write("work/b.txt", b"second");
    let kept = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap();
    let second = Blob::new("second").id();
    assert!(store.remove_blobs(&[second], u64::MAX).unwrap());
    let into = scratch.path("new");
    let refused = restore(&store, kept.manifest, &into).unwrap_err();
    let expected =
        format!("there is nothing behind `{second}`; 1 of 2 entries are in `{}`", into.display());
    assert_eq!(refused.to_string(), expected);
    assert_eq!(tree(&into), ["a.txt = first"]);
}

#[test]
fn what_is_no_folder_cannot_be_kept() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    scratch.write("file", b"");
    for path in ["file", "missing"] {
        let refused = snapshot(&store, &scratch.path(path), Durability::Os).unwrap_err();
        assert!(matches!(refused, FolderError::NotAFolder(found) if found == scratch.path(path)));
    }
}

#[cfg(unix)]
#[test]
fn what_is_more_than_its_content_is_refused_by_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::UnixListener;
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    fs::create_dir(scratch.path("a")).unwrap();
    let _socket = UnixListener::bind(scratch.path("a/socket")).unwrap();
    let refused = snapshot(&store, &scratch.path("a"), Durability::Os).unwrap_err();
    assert!(matches!(refused, FolderError::BadKind(path) if path == scratch.path("a/socket")));
    fs::create_dir(scratch.path("b")).unwrap();
    let name = scratch.path("b").join(OsStr::from_bytes(b"\xff"));
    // Some systems have no such names.
    if fs::write(&name, b"").is_ok() {
        let refused = snapshot(&store, &scratch.path("b"), Durability::Os).unwrap_err();
        assert!(matches!(refused, FolderError::BadName(path) if path == name));
    }
}

#[test]
fn a_file_beyond_the_limit_is_refused_without_being_read() {
    let (scratch, store) = (Scratch::new(), MemoryStore::default());
    fs::create_dir(scratch.path("work")).unwrap();
    // A hole takes no room on the disk.
    let file = fs::File::create(scratch.path("work/huge")).unwrap();
    file.set_len(1_000_000_001).unwrap();
    let refused = snapshot(&store, &scratch.path("work"), Durability::Os).unwrap_err();
    assert!(matches!(refused, FolderError::TooLarge(path) if path == scratch.path("work/huge")));
}
