//! S4, S6: whoever only looks starts nothing, speaks to nobody and opens nothing but what was named
//! and the store. Seen by `strace`, from outside of the process.

use super::*;
use crate::running::graph;

/// What a process did of what is watched: programs, processes, the network, and files by name.
fn traced(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let file = folder.path().join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "4096", "-o"]).arg(&file).args([
        "-e",
        "trace=execve,execveat,fork,vfork,clone,clone3,socket,connect,bind,listen,sendto,sendmsg,\
         open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,symlink,symlinkat,\
         link,linkat,mkdir,mkdirat,memfd_create,ptrace,kill",
    ]);
    command.arg(env!("CARGO_BIN_EXE_quipu")).args(arguments).current_dir(folder.path());
    // Cargo sets it for tests, and the loader would look there.
    command.env_remove("LD_LIBRARY_PATH").stdin(Stdio::null());
    // A test that cannot look has not passed: `cargo xtask test` installs what it needs.
    let output = command.output().expect("`strace` must be installed: apt-get install strace");
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {output:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let mut lines =
        text.lines().map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned());
    let own = lines.next().unwrap();
    assert!(own.starts_with("execve("), "the first one is the command itself: {own}");
    lines.filter(|line| !line.starts_with("+++") && !line.starts_with("---")).collect()
}

/// The file that a call names, if it names one.
fn path(line: &str) -> Option<&str> {
    let begin = line.find('"')? + 1;
    Some(&line[begin..begin + line[begin..].find('"')?])
}

/// What the system's own loader, allocator and library read, whatever a program does.
fn is_of_the_system(path: &str) -> bool {
    let begins =
        ["/etc/ld.so", "/lib/", "/lib64/", "/usr/lib/", "/proc/self/", "/proc/sys/vm/", "/sys/"];
    path == "/dev/urandom"
        || path == "/dev/null"
        || begins.iter().any(|begin| path.starts_with(begin))
}

/// Specs whose every text would start, fetch or include something, if anybody followed it.
const SPEC: &str = r#"
name: "$(touch started)"
version: "1.0"
description: "!!python/object/apply:os.system [touch started]"
entry_point: s
entities:
  - { id: a, type: agent, label: A, model: "`touch started`", system_prompt: "@/etc/passwd" }
  - { id: t, type: tool, label: T, tool_type: shell, command: ["touch", "started"] }
  - { id: m, type: tool, label: M, tool_type: mcp, server: "npx -y evil", url: "http://127.0.0.1:9/" }
processes:
  - { id: s, type: step, label: S, logic: "import os\nos.system('touch started')\nopen('/etc/passwd')" }
  - { id: p, type: spawn, label: P, template: "../../../etc/passwd" }
edges:
  - { type: flow, from: s, to: p }
  - { type: invoke, from: s, to: t }
"#;

#[test]
fn whoever_looks_starts_nothing_and_opens_only_what_was_named() {
    let folder = Folder::new();
    let nodes = r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "work", "out": "done"}},
        {"id": "n2", "op": "R", "data": {"adapter": "http.GET", "target": "http://127.0.0.1:9/"}},
        {"id": "n3", "op": "R", "data": {"adapter": "logic.PYTHON",
            "target": "import os\nos.system('touch started')"}}"#;
    let tag = "!!python/object/apply:os.system [touch started]";
    let tagged = SPEC.replace(&format!("\"{tag}\""), tag);
    assert_ne!(tagged, SPEC);
    let says = |text: &str| {
        let node = format!(r#"{{"id": "n1", "op": "J", "data": {{"var": "{text}"}}}}"#);
        graph(&[("start", &node, "")])
    };
    let patch = r#"{"ops": [{"op": "set_node_data", "label": "start", "node": "n1",
        "data": {"target": "$(touch started)"}}]}"#;
    let config = "[tools.work]\ncommand = [\"touch\", \"started\"]\n\
                  [tools.t]\ncommand = [\"touch\", \"started\"]\n\
                  [tools.web]\nhttp = \"GET http://127.0.0.1:8080/\"\n\
                  allow = [\"127.0.0.1:8080\"]\n";
    folder
        .write("spec.yaml", SPEC)
        .write("tagged.yaml", tagged)
        .write("agent.json", graph(&[("start", nodes, "n1-next-n2 n2-next-n3")]))
        .write("other.json", says("touch started"))
        .write("patch.json", patch)
        .write("quipu.toml", config)
        .write("quiet.json", says("x"));
    assert_eq!(folder.run(&["run", "quiet.json", "--id", "r"]).code, 0);
    let exported = folder.run(&["export", "r"]).stdout;
    // A history that speaks of tools, servers, folders and answers.
    let ts = "2026-03-01T09:00:00.000000Z";
    let told = [
        r#""kind": "run_started", "document": {"labels": {}},
            "options": {"config": "/etc/passwd", "model": "script:/etc/passwd"}"#,
        r#""kind": "tool_call", "call_id": "c", "tool": "work", "server": "sh -c 'touch started'",
            "args": {"command": "touch started"}"#,
        r#""kind": "mcp.resource_read", "server": "http://127.0.0.1:9/", "uri": "file:///etc/passwd",
            "content": "$(touch started)""#,
    ];
    let told: Vec<String> = told
        .iter()
        .map(|members| {
            let members = members.replace("\n", " ");
            format!("{{{members}, \"ts\": \"{ts}\", \"run_id\": \"told\", \"agent_id\": \"a\"}}\n")
        })
        .collect();
    folder.write("told.jsonl", told.concat()).write("all.jsonl", &exported);
    // It may name policies and contracts, which hold for every graph here.
    const CONFIG: &str = "quipu.toml";
    let named: &[(&[&str], &[&str])] = &[
        (&["check", "spec.yaml", "agent.json"], &["spec.yaml", "agent.json", CONFIG]),
        (&["check", "--strict", "spec.yaml"], &["spec.yaml", CONFIG]),
        (&["check", "tagged.yaml"], &["tagged.yaml", CONFIG]),
        (&["compile", "spec.yaml"], &["spec.yaml", CONFIG]),
        (&["compile", "agent.json"], &["agent.json", CONFIG]),
        (&["show", "agent.json"], &["agent.json", CONFIG]),
        (&["show", "spec.yaml", "--as", "svg"], &["spec.yaml", CONFIG]),
        (&["query", "agent.json", "label_nodes"], &["agent.json", CONFIG]),
        (&["diff", "agent.json", "other.json"], &["agent.json", "other.json", CONFIG]),
        (&["rewrite", "agent.json", "patch.json"], &["agent.json", "patch.json", CONFIG]),
        (&["explain", "A115"], &[]),
        (&["import", "told.jsonl"], &["told.jsonl"]),
        (&["import", "all.jsonl"], &["all.jsonl"]),
        (&["verify"], &[]),
        (&["log", "told"], &[]),
        (&["log", "r", "--json"], &[]),
        (&["runs"], &[]),
        (&["inbox"], &[]),
        (&["state", "r"], &[]),
        (&["why", "r"], &[]),
        (&["replay", "r"], &[]),
        (&["compare", "r", "r"], &[]),
        (&["export"], &[]),
    ];
    let store = folder.path().canonicalize().unwrap().join(".quipu");
    for (arguments, named) in named {
        for line in traced(&folder, arguments) {
            let is_thread = line.starts_with("clone") && line.contains("CLONE_THREAD");
            let opened = path(&line).filter(|_| !line.starts_with("exec"));
            let is_named = opened.is_some_and(|path| {
                let whole = folder.path().join(path);
                let is_store =
                    whole.starts_with(&store) || whole.starts_with(folder.path().join(".quipu"));
                is_of_the_system(path) || is_store || named.contains(&path)
            });
            assert!(is_thread || is_named, "{arguments:?} did this: {line}");
        }
        assert!(!folder.path().join("started").exists(), "{arguments:?} starts a program");
    }
    // And the trace would have shown it.
    folder.write("call.json", graph(&[("start", crate::running::CALL, "")]));
    let did = traced(&folder, &["run", "call.json"]);
    assert!(did.iter().any(|line| line.starts_with("exec") && line.contains("touch")), "{did:?}");
    assert!(did.iter().any(|line| path(line).is_some_and(|path| path.ends_with("quipu.toml"))));
    assert!(folder.path().join("started").exists());
}
