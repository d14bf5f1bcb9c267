//! A folder is searched as it is now, and nothing outside of it is ever seen.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use host::{Folder, FolderLimits, Shelved};
use runtime::stores::StoreVerb;
use store::{MemoryStore, Store};
use value::Map;

use crate::{Scratch, answer, args, call, ids, kind, read, texts};

const VECTOR: &str = r#"{"protocol": "vector"}"#;

fn showing(folder: Folder) -> Shelved {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    Shelved::new(store, "agent".into()).with_folders([("s".into(), Arc::new(folder))])
}

fn shelved(scratch: &Scratch) -> Shelved {
    showing(Folder::new(scratch.path().join("docs"), None, FolderLimits::default()))
}

#[test]
fn files_are_found_by_what_they_say_now() {
    let scratch = Scratch::new();
    scratch.write("docs/cords.md", "# Cords\n\nA red cord.\n\n# Knots\n\nA knot in a cord.\n");
    scratch.write("docs/deep/er/notes.txt", "Llamas carry wool.\n");
    let shelved = shelved(&scratch);
    let find = |text: &str| read(&shelved, kind(VECTOR), text);
    assert_eq!(ids(&find(r#""knots""#)), "cords.md#5");
    assert_eq!(ids(&find(r#"{"text": "llama", "top_k": 1}"#)), "deep/er/notes.txt#1");
    let only = r#"{"text": "cord", "filter": {"path": "cords.md"}, "top_k": 1}"#;
    assert!(find(only).contains(r#""metadata":{"path":"cords.md","line":"#), "{}", find(only));
    // A file of the same size at the same time, another one, and one that is gone.
    scratch.write("docs/deep/er/notes.txt", "Alpacas carry wool\n");
    assert_eq!(texts(&find(r#""alpaca""#)), ["Alpacas carry wool".into()]);
    scratch.write("docs/new.txt", "A quipu.");
    assert_eq!(ids(&find(r#""quipu""#)), "new.txt#1");
    std::fs::remove_file(scratch.path().join("docs/new.txt")).unwrap();
    assert_eq!(ids(&find(r#""quipu""#)), "");
}

#[test]
fn nothing_is_written_and_only_a_vector_store_can_show_it() {
    let scratch = Scratch::new();
    scratch.write("docs/a.md", "one");
    let shelved = shelved(&scratch);
    let written = call(kind(VECTOR), StoreVerb::Write, args("value", r#""x""#), 1, 1);
    let said = answer(&shelved, written);
    assert!(said.starts_with("denied: store `s` shows the folder "), "{said}");
    let said = read(&shelved, kind(r#"{"protocol": "doc"}"#), r#""a""#);
    assert!(
        said.starts_with("store: store `s` shows a folder, which only a vector store"),
        "{said}"
    );
    let all = call(kind(VECTOR), StoreVerb::ReadAll, Map::default(), 2, 1);
    assert_eq!(ids(&answer(&shelved, all)), "a.md#1");
}

#[test]
fn no_link_leads_out_of_it() {
    let scratch = Scratch::new();
    scratch.write("secret.md", "secret canary");
    scratch.write("outside/secret.md", "secret canary");
    scratch.write("docs/in.md", "nothing to hide");
    scratch.write("docs/.hidden.md", "secret canary");
    scratch.write("docs/.git/secret.md", "secret canary");
    let docs = scratch.path().join("docs");
    symlink(scratch.path().join("secret.md"), docs.join("file.md")).unwrap();
    symlink("../secret.md", docs.join("relative.md")).unwrap();
    symlink(scratch.path().join("outside"), docs.join("folder")).unwrap();
    symlink(".", docs.join("loop")).unwrap();
    symlink("/proc/self/environ", docs.join("environ.txt")).unwrap();
    let shelved = shelved(&scratch);
    assert_eq!(ids(&read(&shelved, kind(VECTOR), r#""secret canary""#)), "");
    // One that takes the place of a file, or of a folder, that was read before.
    scratch.write("docs/sub/a.md", "harmless");
    assert_eq!(ids(&read(&shelved, kind(VECTOR), r#""harmless""#)), "sub/a.md#1");
    std::fs::remove_dir_all(docs.join("sub")).unwrap();
    symlink(scratch.path().join("outside"), docs.join("sub")).unwrap();
    std::fs::remove_file(docs.join("in.md")).unwrap();
    symlink(scratch.path().join("secret.md"), docs.join("in.md")).unwrap();
    let all = call(kind(VECTOR), StoreVerb::ReadAll, Map::default(), 2, 1);
    assert_eq!(answer(&shelved, all), "[]");
}

#[test]
fn what_is_no_text_is_left_out_and_too_much_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("docs/a.md", "one cord");
    scratch.write("docs/b.md", [0xff, 0xfe, b'c']);
    scratch.write("docs/program", "one cord");
    scratch.write("docs/c.md", "");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        scratch.path().join("docs/pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    scratch.write("docs/large.md", "cord ".repeat(20));
    let path = || scratch.path().join("docs");
    let limits = FolderLimits { file_bytes_max: 50, ..FolderLimits::default() };
    let folder = Folder::new(path(), None, limits);
    let looked = folder.look().unwrap();
    assert!(looked.ends_with("docs: 2 files, 1 passages, 2 left out"), "{looked}");
    assert_eq!(ids(&read(&showing(folder), kind(VECTOR), r#""cord""#)), "a.md#1");
    for (limits, why) in [
        (FolderLimits { files_max: 3, ..limits }, "it has more than 3 text files"),
        (FolderLimits { bytes_max: 9, ..limits }, "its text files have more than 9 bytes"),
    ] {
        let said = read(&showing(Folder::new(path(), None, limits)), kind(VECTOR), r#""cord""#);
        assert!(said.starts_with("store: ") && said.ends_with(why), "{said}");
    }
    let missing = Folder::new(scratch.path().join("nowhere"), None, limits);
    let said = read(&showing(missing), kind(VECTOR), r#""cord""#);
    assert!(said.contains("it cannot be opened: No such file or directory"), "{said}");
    let program = Folder::new(path(), Some(vec!["program".into()]), limits);
    assert_eq!(ids(&read(&showing(program), kind(VECTOR), r#""cord""#)), "");
}
