//! Folders as tools: what is in them, and nothing else, whoever asks and in whatever way.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use expect_test::expect;
use graph::{Again, Touches};
use host::config::Config;
use host::{Bound, Contract};
use proptest::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use value::{Value, json};

use crate::scratch::{Scratch, answer, call, shown, wrapped};

const SECRET: &str = "the canary sings outside";

/// A folder `notes` with a few files, and a secret beside it.
fn ground() -> Scratch {
    let folder = Scratch::new();
    fs::create_dir_all(folder.path("notes/deep/er")).unwrap();
    fs::write(folder.path("notes/a.md"), "first\nsecond whale\n").unwrap();
    fs::write(folder.path("notes/deep/b.md"), "a whale, too\n").unwrap();
    fs::write(folder.path("secret.txt"), SECRET).unwrap();
    fs::create_dir(folder.path("notes-beside")).unwrap();
    fs::write(folder.path("notes-beside/secret.txt"), SECRET).unwrap();
    folder
}

fn tool(folder: &Scratch) -> Arc<dyn Bound> {
    folder.tool(
        r#"files = { root = "./notes", allow = ["read", "list", "search", "write", "append"] }"#,
    )
}

fn ask(tool: &Arc<dyn Bound>, args: &Value) -> Result<String, String> {
    match answer(tool.call(call(&json::compact(args)))) {
        Ok(value) => Ok(json::compact(&value).replace("},{", "}, {")),
        Err(fault) => Err(shown(&fault)),
    }
}

fn at(operation: &str, path: &str) -> Value {
    let mut members = vec![("operation", Value::from(operation)), ("path", path.into())];
    if !matches!(operation, "read" | "list") {
        members.push(("text", "canary".into()));
    }
    Value::map(members)
}

#[test]
fn files_are_read_listed_searched_and_written() {
    let folder = ground();
    let tool = tool(&folder);
    let said: Vec<String> = [
        r#"{"operation": "read", "path": "a.md"}"#,
        r#"{"operation": "read", "path": "./deep//b.md"}"#,
        r#"{"operation": "list"}"#,
        r#"{"operation": "search", "text": "whale"}"#,
        r#"{"operation": "search", "text": "whale", "path": "deep"}"#,
        r#"{"operation": "search", "text": "second", "path": "a.md"}"#,
        r#"{"operation": "write", "path": "new/er/c.md", "text": "so\n"}"#,
        r#"{"operation": "append", "path": "new/er/c.md", "text": "it goes\n"}"#,
        r#"{"operation": "read", "path": "new/er/c.md"}"#,
        r#"{"operation": "write", "path": "a.md", "text": ""}"#,
        r#"{"operation": "read", "path": "a.md"}"#,
        r#"{"operation": "read", "path": "none.md"}"#,
        r#"{"operation": "read", "path": "deep"}"#,
        r#"{"operation": "write", "path": "deep", "text": "x"}"#,
        r#"{"operation": "write", "path": "a.md/x", "text": "x"}"#,
        r#"{"operation": "remove", "path": "a.md"}"#,
        r#"{"operation": "read"}"#,
        r#"{"operation": "read", "path": 5}"#,
        r#"{"operation": "search", "text": ""}"#,
        r#"{}"#,
    ]
    .iter()
    .map(|args| ask(&tool, &json::parse(args).unwrap()).unwrap_or_else(|said| said) + "\n")
    .collect();
    expect![[r#"
        "first\nsecond whale\n"
        "a whale, too\n"
        {"entries":[{"name":"a.md","kind":"file","bytes":19},
            {"name":"deep","kind":"folder"}],"is_cut":false}
        {"found":[{"path":"a.md","line":2,"text":"second whale"},
            {"path":"deep/b.md","line":1,"text":"a whale, too"}],"is_cut":false}
        {"found":[{"path":"deep/b.md","line":1,"text":"a whale, too"}],"is_cut":false}
        {"found":[{"path":"a.md","line":2,"text":"second whale"}],"is_cut":false}
        {"path":"new/er/c.md","bytes":3}
        {"path":"new/er/c.md","bytes":8}
        "so\nit goes\n"
        {"path":"a.md","bytes":0}
        ""
        tool (has not happened): t: there is no `none.md`
        tool (has not happened): t: `deep`: it is a folder
        tool (has not happened): t: `deep` is a folder
        tool (has not happened): t: `a.md/x` leads through something that is no folder
        tool (has not happened): t: `remove` is not allowed here, but read, list, search, write,
            append
        tool (has not happened): t: `path` is missing
        tool (has not happened): t: `path` must be text, but is a number
        tool (has not happened): t: `text` is empty: everything would be found
        tool (has not happened): t: `operation` is missing: it is one of read, list, search,
            write, append
    "#]]
    .assert_eq(&wrapped(&said.concat()));
    let left: Vec<_> = fs::read_dir(folder.path("notes")).unwrap().collect();
    assert_eq!(left.len(), 3, "nothing temporary is left: {left:?}");
}

#[test]
fn its_contract_is_what_it_may_do() {
    let folder = ground();
    for (allow, touches, again) in [
        (r#"["read", "list"]"#, Touches::Read, Again::Freely),
        (r#"["write", "read"]"#, Touches::Write, Again::WithKey),
        (r#"["append", "write"]"#, Touches::Write, Again::ByAsking),
    ] {
        let tool = folder.tool(&format!("files = {{ root = \"notes\", allow = {allow} }}"));
        assert_eq!(tool.contract(), Contract { touches, again }, "{allow}");
    }
    let reads = folder.tool("files = { root = \"notes\" }");
    let said = ask(&reads, &at("write", "x")).unwrap_err();
    expect!["tool (has not happened): t: `write` is not allowed here, but read, list, search"]
        .assert_eq(&said);
}

/// Every way that is known to lead out, with every operation: nothing outside is read, and nothing
/// is made there.
#[test]
fn no_path_leads_out() {
    let folder = ground();
    let notes = folder.path("notes");
    let outside = folder.path("secret.txt");
    symlink("../secret.txt", notes.join("link-file")).unwrap();
    symlink("..", notes.join("link-up")).unwrap();
    symlink(&outside, notes.join("link-absolute")).unwrap();
    symlink("/", notes.join("link-root")).unwrap();
    symlink("deep", notes.join("link-inside")).unwrap();
    symlink("link-chain-2", notes.join("link-chain-1")).unwrap();
    symlink("../secret.txt", notes.join("link-chain-2")).unwrap();
    symlink("link-loop", notes.join("link-loop")).unwrap();
    symlink("/proc/self/root", notes.join("link-magic")).unwrap();
    symlink("../made-by-link", notes.join("link-dangling")).unwrap();
    let inside = notes.join("a.md");
    let paths = [
        "..",
        "../secret.txt",
        "../notes-beside/secret.txt",
        "deep/../../secret.txt",
        "deep/../a.md",
        "./../secret.txt",
        "deep/er/../../../secret.txt",
        "....//secret.txt",
        "..//secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        &outside.to_string_lossy(),
        &inside.to_string_lossy(),
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "..%2fsecret.txt",
        "..%c0%afsecret.txt",
        "..\\secret.txt",
        "deep\\..\\..\\secret.txt",
        "~/secret.txt",
        "$HOME/secret.txt",
        "file:///etc/passwd",
        "a.md\0.txt",
        "../secret.txt\0",
        "\0",
        "．．/secret.txt",
        "․․/secret.txt",
        "..\u{200b}/secret.txt",
        " ../secret.txt",
        "../ secret.txt",
        "CON",
        "NUL",
        "aux.txt",
        "A.MD",
        "DEEP/../../secret.txt",
        "link-file",
        "link-up",
        "link-up/secret.txt",
        "link-absolute",
        "link-root/etc/passwd",
        "link-inside/b.md",
        "link-chain-1",
        "link-loop",
        "link-magic/etc/passwd",
        "link-dangling",
        "deep/../link-up/secret.txt",
        "",
        ".",
        "/",
    ];
    let tool = tool(&folder);
    for path in paths {
        for operation in ["read", "list", "search", "write", "append"] {
            let said = ask(&tool, &at(operation, path));
            if let Ok(said) = &said {
                assert!(!said.contains(SECRET), "{operation} {path:?}: {said}");
                assert!(!said.contains("root:"), "{operation} {path:?}: {said}");
                assert!(!said.contains("notes-beside"), "{operation} {path:?}: {said}");
            }
            let parts: Vec<&str> = path.split('/').collect();
            let leads_up = parts.contains(&"..") || path.starts_with('/') || path.contains('\0');
            // What was a link before may have been replaced by nothing.
            assert!(!leads_up || said.is_err(), "{operation} {path:?}: {said:?}");
            let is_link = path.starts_with("link-");
            assert!(!is_link || said.is_err(), "{operation} {path:?}: {said:?}");
        }
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), SECRET);
    let beside: Vec<String> = names(&folder.path("."));
    assert_eq!(beside, ["notes", "notes-beside", "quipu.toml", "secret.txt"]);
    assert_eq!(names(&folder.path("notes-beside")), ["secret.txt"]);
}

fn names(folder: &Path) -> Vec<String> {
    let found = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        found.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder on the way becomes a link, and back, all the time. Each call opens it before or after,
/// and must not read or write outside in between.
#[test]
fn a_link_that_is_swapped_in_meanwhile_is_not_followed() {
    let folder = ground();
    let notes = folder.path("notes");
    let outside = folder.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b.md"), SECRET).unwrap();
    symlink(&outside, folder.path("bait")).unwrap();
    let tool = tool(&folder);
    let stop = Arc::new(AtomicBool::new(false));
    let (seen, written) = std::thread::scope(|scope| {
        let (own, bait, deep) = (Arc::clone(&stop), folder.path("bait"), notes.join("deep"));
        scope.spawn(move || {
            while !own.load(Ordering::Relaxed) {
                renameat_with(CWD, &deep, CWD, &bait, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let (mut seen, mut written) = (0, 0);
        for number in 0..3_000 {
            match ask(&tool, &at("read", "deep/b.md")) {
                Ok(text) => {
                    assert!(!text.contains(SECRET), "{text}");
                    seen += 1;
                }
                Err(said) => assert!(said.contains("(has not happened)"), "{said}"),
            }
            if number % 10 == 0 {
                written += usize::from(ask(&tool, &at("write", "deep/w.md")).is_ok());
                written += usize::from(ask(&tool, &at("append", "deep/p.md")).is_ok());
            }
        }
        stop.store(true, Ordering::Relaxed);
        (seen, written)
    });
    assert_eq!(names(&outside), ["b.md"], "nothing was made outside");
    assert!(seen > 0 && written > 0, "it was there now and then");
}

/// Where the kernel cannot be asked, the path is walked part by part; that is tried on the same
/// ground, by the same rules, in the unit tests of `beneath`.
#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = ground();
    let notes = folder.path("notes");
    assert!(Command::new("mkfifo").arg(notes.join("pipe")).status().unwrap().success());
    let _listener = std::os::unix::net::UnixListener::bind(notes.join("socket")).unwrap();
    let tool = tool(&folder);
    for path in ["pipe", "socket"] {
        for operation in ["read", "write", "append", "search"] {
            let said = ask(&tool, &at(operation, path)).unwrap_err();
            assert!(said.contains("no file") || said.contains("No such device"), "{said}");
        }
    }
    assert_eq!(ask(&tool, &at("search", ".")).unwrap(), r#"{"found":[],"is_cut":false}"#);
}

#[test]
fn what_is_too_large_or_no_text_says_so() {
    let folder = ground();
    let notes = folder.path("notes");
    fs::write(notes.join("bytes"), b"\xff\xfe canary").unwrap();
    let huge = fs::File::create(notes.join("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff");
    fs::write(notes.join(odd), "canary").unwrap();
    let closed = notes.join("closed");
    fs::write(&closed, "canary").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let tool = folder.tool(
        r#"files = { root = "notes", allow = ["read", "list", "write", "append", "search"], max_bytes = 100 }"#,
    );
    let said = |args: &Value| ask(&tool, args).unwrap_or_else(|said| said);
    let long = "é".repeat(60);
    let write = |operation: &str, path: &str, text: &str| {
        Value::map([("operation", operation.into()), ("path", path.into()), ("text", text.into())])
    };
    let all: Vec<String> = [
        at("read", "bytes"),
        at("read", "huge"),
        write("write", "new", &long),
        write("append", "a.md", &"x".repeat(99)),
        write("append", "huge", "x"),
        at("list", "."),
        at("read", &"x/".repeat(3_000)),
        at("read", &"long ".repeat(60)),
        at("read", &"x/".repeat(200)),
    ]
    .iter()
    .map(|args| said(args) + "\n")
    .collect();
    expect![[r#"
        tool (has not happened): t: `bytes` is no UTF-8 text
        tool (has not happened): t: `huge` is larger than 100 bytes, which is the most
        tool (has not happened): t: a text of 120 bytes is too large: 100 are the most
        tool (has not happened): t: `a.md` would be larger than 100 bytes
        tool (has not happened): t: `huge` would be larger than 100 bytes
        {"entries":[{"name":"a.md","kind":"file","bytes":19},
            {"name":"bytes","kind":"file","bytes":9}, {"name":"closed","kind":"file","bytes":6},
            {"name":"deep","kind":"folder"},
            {"name":"huge","kind":"file","bytes":1099511627776}],"is_cut":false}
        tool (has not happened): t: the path is longer than 4096 bytes
        tool (has not happened): t: `long long long long long long long long long long long long
            long long long long long long long long long long long long long long long long long long
            long long long long long long long long long long long long long long long long long long
            long long long long long long long long long long long long `: File name too long (os
            error 36)
        tool (has not happened): t: the path has more than 128 parts
    "#]].assert_eq(&wrapped(&all.concat()));
}

/// Another name of the same file is that file. Who may make such names in a folder may read what
/// they name; the tool makes none.
#[test]
fn a_hard_link_is_a_file_like_any_other() {
    let folder = ground();
    fs::hard_link(folder.path("secret.txt"), folder.path("notes/same")).unwrap();
    let tool = tool(&folder);
    assert_eq!(ask(&tool, &at("read", "same")).unwrap(), json::compact(&SECRET.into()));
    ask(&tool, &at("write", "same")).unwrap();
    let outside = fs::read_to_string(folder.path("secret.txt")).unwrap();
    assert_eq!(outside, SECRET, "a file that is written is a new one");
}

#[test]
fn the_folder_itself_may_be_a_link_and_may_be_missing() {
    let folder = ground();
    symlink("notes", folder.path("alias")).unwrap();
    let tool = folder.tool("files = { root = \"./alias\" }");
    assert_eq!(ask(&tool, &at("read", "deep/b.md")).unwrap(), r#""a whale, too\n""#);
    assert!(ask(&tool, &at("read", "../secret.txt")).is_err());
    let tool = folder.tool("files = { root = \"./nowhere\" }");
    let said = ask(&tool, &at("read", "a.md")).unwrap_err();
    assert!(said.contains("cannot be opened"), "{said}");
    assert!(tool.look().unwrap_err().contains("mkdir -p"));
    fs::write(folder.path("plain"), "").unwrap();
    let tool = folder.tool("files = { root = \"./plain\" }");
    assert!(ask(&tool, &at("list", ".")).is_err());
}

/// A crash in the middle of a write leaves the old text: what is new is in another file until all
/// of it is on the disk.
#[test]
fn whoever_reads_meanwhile_sees_the_old_text_or_the_new_one() {
    let folder = ground();
    let tool = tool(&folder);
    let texts = ["a".repeat(200_000), "b".repeat(300_000)];
    let write = |text: &str| {
        let args = [("operation", "write".into()), ("path", "big".into()), ("text", text.into())];
        ask(&tool, &Value::map(args)).unwrap();
    };
    write(&texts[0]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..40 {
                write(&texts[turn % 2]);
            }
            stop.store(true, Ordering::Relaxed);
        });
        while !stop.load(Ordering::Relaxed) {
            let read = fs::read_to_string(folder.path("notes/big")).unwrap();
            assert!(texts.contains(&read), "{} bytes", read.len());
        }
    });
}

/// Whoever can write what is started can have anything started.
#[test]
fn no_tool_may_write_what_another_one_starts() {
    let folder = ground();
    folder.program("notes/run", "cat");
    fs::write(folder.path("notes/script.sh"), "cat").unwrap();
    symlink("notes", folder.path("alias")).unwrap();
    let said = |allow: &str, other: &str| {
        let text = format!(
            "[tools.notes]\nfiles = {{ root = \"alias\", allow = [\"{allow}\"] }}\n\
             [tools.other]\n{other}\n"
        );
        fs::write(folder.path("quipu.toml"), text).unwrap();
        Config::in_folder(&folder.path(".")).map(|_| ()).map_err(|error| error.to_string())
    };
    for other in [
        "command = [\"./notes/run\"]",
        "command = [\"/bin/sh\", \"notes/script.sh\"]",
        "shell = [\"./notes/run\"]",
        "shell = { programs = [\"/bin/ls\", \"notes/../notes/run\"] }",
    ] {
        assert!(said("write", other).unwrap_err().contains("which `other` starts"), "{other}");
        assert_eq!(said("read", other), Ok(()), "{other}");
    }
    assert_eq!(said("write", "command = [\"/bin/cat\", \"-\"]"), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is put together of the pieces that lead somewhere, it does not lead out.
    #[test]
    fn no_path_of_any_pieces_leads_out(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "..", ".", "", "/", "deep", "up", "notes", "secret.txt", "a.md", "\0", "%2e%2e", "\\",
            ]),
            0..8,
        ),
        between in prop::sample::select(vec!["/", "//", "/./", ""]),
        operation in prop::sample::select(vec!["read", "list", "search", "write", "append"]),
    ) {
        let folder = ground();
        symlink("..", folder.path("notes/up")).unwrap();
        let said = ask(&tool(&folder), &at(operation, &pieces.join(between)));
        if let Ok(said) = &said {
            prop_assert!(!said.contains(SECRET) && !said.contains("notes-beside"), "{}", said);
        }
        prop_assert_eq!(names(&folder.path(".")), ["notes", "notes-beside", "quipu.toml", "secret.txt"]);
        prop_assert_eq!(fs::read_to_string(folder.path("secret.txt")).unwrap(), SECRET);
    }
}
