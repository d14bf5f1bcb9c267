//! Stores that are full, held by others, or damaged.

use super::*;

fn looping() -> Folder {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "input", "body": "one", "after": "end"}}"#;
    let end = r#"{"id": "n1", "op": "X", "data": {"dst": "count", "fn": "len", "args": ["$items"]}},
        {"id": "n2", "op": "J", "data": {"var": "$count"}}"#;
    folder
        .program("work", "read -r given; echo $given >> works; echo 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"key\"\n")
        .write(
            "agent.json",
            graph(&[
                ("start", over, "n1-body->one n1-after->end"),
                ("one", CALL, ""),
                ("end", end, "n1-next-n2"),
            ]),
        );
    folder
}

/// No file may grow beyond so many kilobytes, as on a disk that is full.
fn run_within(folder: &Folder, kilobytes: u32, arguments: &[&str]) -> Done {
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kilobytes * 2);
    let output = Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_quipu")])
        .args(arguments)
        .current_dir(folder.path())
        .output();
    done(output.unwrap())
}

#[test]
fn a_run_on_a_full_disk_stops_and_goes_on_when_there_is_room() {
    let folder = looping();
    let items = format!("items={:?}", (1..=60).collect::<Vec<_>>());
    let run = ["run", "agent.json", "--id", "r", "--input", &items, "--json"];
    assert_eq!(run_within(&folder, 8, &run).code, 2, "there is no room for a store");
    let done = run_within(&folder, 120, &run);
    assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
    let error = shown(&done).get("error").unwrap().clone();
    assert_eq!((text(&error, "code"), text(&error, "next")), ("STOPPED", "quipu resume r"));
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(shown(&done).get("result"), Some(&Value::Int(60)));
    folder.is_sound("r");
}

#[test]
fn a_fork_on_a_full_disk_says_how_it_goes_on() {
    let folder = looping();
    let items = format!("items={:?}", (1..=60).collect::<Vec<_>>());
    let done = folder.run(&["run", "agent.json", "--id", "r", "--input", &items]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let fork = ["fork", "r@0", "--live", "--id", "f", "--json"];
    let done = run_within(&folder, 120, &fork);
    assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
    assert_eq!(text(&shown(&done), "run"), "f");
    let error = shown(&done).get("error").unwrap().clone();
    assert_eq!((text(&error, "code"), text(&error, "next")), ("STOPPED", "quipu resume f"));
    let done = folder.run(&["resume", "f", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    folder.is_sound("f");
}

/// Another program that writes to the store, until a file `enough` is there.
const HOLDER: &str = r#"
import os, sqlite3, time
store = sqlite3.connect(".quipu/quipu.db", isolation_level=None)
store.execute("BEGIN IMMEDIATE")
open("held", "w").close()
while not os.path.exists("enough"): time.sleep(0.01)
"#;

/// Has another program hold the store, if there is one that can.
fn hold(folder: &Folder) -> std::io::Result<()> {
    Command::new("python3").args(["-c", HOLDER]).current_dir(folder.path()).spawn()?;
    folder.until("the store is held", |folder| folder.path().join("held").exists());
    Ok(())
}

#[test]
fn a_store_that_another_program_holds_is_waited_for_a_while() {
    for is_let_go in [true, false] {
        let folder = looping();
        let first = folder.run(&["run", "agent.json", "--id", "first", "--input", "items=[1]"]);
        assert_eq!(first.code, 0, "{}", first.stderr);
        if let Err(error) = hold(&folder) {
            println!("skipped: python3 cannot hold the store: {error}");
            return;
        }
        let run = ["run", "agent.json", "--id", "r", "--input", "items=[2]", "--json"];
        let process = folder.start(&run);
        assert_eq!(folder.run(&["state", "first"]).code, 0, "who reads does not wait");
        if is_let_go {
            folder.write("enough", "");
            assert_eq!(ending(&shown(&process.end())), "done");
            continue;
        }
        let done = process.end();
        assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
        let error = shown(&done).get("error").unwrap().clone();
        assert_eq!(text(&error, "message"), "another process holds the store");
        const SAME: &str = "quipu run agent.json --id r --input 'items=[2]' --json";
        assert_eq!((text(&error, "code"), text(&error, "next")), ("STOPPED", SAME));
        folder.write("enough", "");
        assert_eq!(ending(&shown(&folder.run(&run))), "done", "nothing was begun before");
    }
}

#[test]
fn a_store_that_is_damaged_is_said_to_be_and_never_written_to() {
    let folder = looping();
    let done = folder.run(&["run", "agent.json", "--id", "r", "--input", "items=[1,2,3]"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let path = folder.path().join(".quipu/quipu.db");
    let whole = std::fs::read(&path).unwrap();
    let at = whole.windows(11).rposition(|window| window == b"run_started").unwrap();
    let mut damaged = whole.clone();
    damaged[at + 4] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert_eq!(folder.run(&["verify"]).code, 1);
    for command in [
        &["state", "r", "--json"][..],
        &["resume", "r", "--json"],
        &["why", "r", "--json"],
        &["replay", "r", "--json"],
        &["compare", "r", "r", "--json"],
        &["fork", "r@1", "--json"],
        &["log", "r", "--trace", "--json"],
    ] {
        let done = folder.run(command);
        assert_eq!(done.code, 1, "{command:?}: {}", done.stderr);
        assert_eq!(text(done.json().get("error").unwrap(), "code"), "DAMAGED");
    }
    for length in [whole.len() / 2, 5_000, 100, 0] {
        std::fs::write(&path, &whole[..length]).unwrap();
        for command in [&["state", "r"][..], &["resume", "r"], &["inbox"], &["verify"]] {
            let done = folder.run(command);
            assert!(!done.stderr.contains("panicked"), "{command:?}: {}", done.stderr);
            assert!(length == 0 || done.code > 0, "{command:?} of {length}: {}", done.stdout);
        }
    }
}

/// SQLite goes on in a file that has no name any more, and nobody would find the run.
#[test]
fn a_store_that_is_removed_while_a_run_goes_on_is_noticed() {
    let folder = looping();
    folder.program("work", "rm -f .quipu/quipu.db*; echo 1");
    let done = folder.run(&["run", "agent.json", "--id", "r", "--input", "items=[1,2,3]"]);
    assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains("was removed or replaced while it was open"), "{}", done.stderr);
}
