//! S6: only what runs starts anything. Seen by tracing the process: no program and no connection
//! for a file that is looked at, whatever servers and tools `quipu.toml` has.

use super::*;

/// What a process did of what is watched, where `strace` is there.
fn traced(folder: &Folder, arguments: &[&str]) -> Option<Vec<String>> {
    let file = folder.path().join("trace");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", "trace=execve,execveat,connect,fork,vfork", "-o"])
        .arg(&file)
        .arg(env!("CARGO_BIN_EXE_quipu"))
        .args(arguments)
        .current_dir(folder.path());
    command.stdin(Stdio::null()).output().ok()?;
    let text = std::fs::read_to_string(&file).ok().filter(|text| !text.is_empty())?;
    // The first one is the command itself.
    Some(text.lines().skip(1).map(str::to_owned).collect())
}

#[test]
fn nothing_is_started_and_nobody_is_connected_to_by_looking_at_files() {
    let folder = Folder::new();
    folder
        .write(
            "quipu.toml",
            "[mcp.here]\ncommand = [\"touch\", \"started\"]\n[mcp.away]\nurl = \"http://127.0.0.1:9/mcp\"\n\
             [tools.work]\nmcp = \"here\"\n[tools.other]\ncommand = [\"touch\", \"started\"]\n",
        )
        .write("agent.json", graph(&[("start", CALL, "")]))
        .write("old.jsonl", "");
    let reads: [&[&str]; 8] = [
        &["check", "agent.json"],
        &["show", "agent.json"],
        &["compile", "agent.json"],
        &["query", "agent.json", "nodes"],
        &["diff", "agent.json", "agent.json"],
        &["import", "old.jsonl"],
        &["runs"],
        &["verify"],
    ];
    for arguments in reads {
        match traced(&folder, arguments) {
            Some(done) => assert_eq!(done, [""; 0], "{arguments:?}"),
            None => {
                println!("skipped: there is no strace; `cargo xtask test` installs it");
                folder.run(arguments);
            }
        }
        assert!(!folder.path().join("started").exists(), "{arguments:?} starts a program");
    }
    // And the trace would have shown it.
    if let Some(done) = traced(&folder, &["tools", "list"]) {
        assert!(
            done.iter().any(|line| line.contains("execve") && line.contains("touch")),
            "{done:?}"
        );
        assert!(done.iter().any(|line| line.contains("connect(")), "{done:?}");
    }
    assert!(folder.path().join("started").exists());
}
