//! Programs that hang, flood, die and talk nonsense: each is an error that says what happened.

use super::*;

/// An agent whose tool is a program with these lines.
fn agent(lines: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!(r#"{CALL}, {{"id": "n2", "op": "J", "data": {{"var": "$done"}}}}"#);
    folder
        .program("work", lines)
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\ntimeout = \"10s\"\n")
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
    folder
}

#[test]
fn what_a_tool_does_wrong_is_told_with_all_that_is_known() {
    let flood = "`work` wrote more than 16777216 bytes to standard output and was killed";
    for (lines, code, message) in [
        ("sleep 100", "timeout", "`work` took longer than 100ms and was killed"),
        ("cat /dev/zero", "tool", flood),
        (
            "kill -SEGV $$",
            "tool",
            "`work` ended with signal 11 and wrote nothing to standard error",
        ),
        ("echo it broke >&2; exit 1", "tool", "it broke"),
        ("exit 7", "tool", "`work` ended with exit code 7 and wrote nothing to standard error"),
        (
            "echo '{not json'",
            "tool",
            "the answer of `work` cannot be read as JSON (key must be a string); it begins with \
             `{not json`",
        ),
        (
            "echo '{\"a\": 1, \"a\": 2}'",
            "tool",
            "the answer of `work` cannot be read as JSON (`/a` is given twice); it begins with \
             `{\"a\": 1, \"a\": 2}`",
        ),
    ] {
        let folder = agent(lines);
        if code == "timeout" {
            let config = folder.text("quipu.toml").replace("10s", "100ms");
            folder.write("quipu.toml", config);
        }
        let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
        let document = shown(&done);
        assert_eq!((done.code, ending(&document)), (1, code), "{lines}");
        assert_eq!((text(&document, "run"), text(&document, "status")), ("r", "failed"));
        let error = document.get("error").unwrap();
        assert_eq!((text(error, "node"), text(error, "message")), ("start/n1", message));
        let details = error.get("details").unwrap();
        assert_eq!(details.get("attempt"), Some(&Value::Int(1)));
        assert_eq!(details.get("may_have_happened"), Some(&Value::Bool(true)));
        folder.is_sound("r");
    }
}

#[test]
fn a_failure_reads_well_and_ends_with_what_to_type() {
    let folder = agent("echo 'no money left' >&2; exit 1");
    let done = folder.run(&["run", "agent.json", "--id", "r"]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    expect_test::expect![[r#"
        failed at start/n1: tool: no money left
          attempt 1; what it does may have happened
          The message is the tool's own.
          1 process, 1 tool call (run r)
        next: quipu log r     what happened, event by event
              quipu why r@3   what led there
              quipu fork r@2  go on from before it; with `--live` it may write
    "#]]
    .assert_eq(&done.stderr);
}

/// A tool of which nothing is known, and a `Retry`: what the tool itself calls a failure is tried
/// again, and what is in doubt is not.
#[test]
fn only_what_is_in_doubt_is_not_tried_again_unasked() {
    let retried = format!(r#"{CALL}, {{"id": "n2", "op": "Retry", "data": {{"count": 2}}}}"#);
    for (fails, attempts, ending_in) in [
        ("echo it broke >&2; exit 1", 2, "done"),
        ("exit 137", 2, "done"),
        ("kill -KILL $$", 1, "tool"),
        ("exec sleep 100", 1, "timeout"),
        ("cat /dev/zero", 1, "tool"),
        ("echo '{not json'; exit 0", 1, "tool"),
        ("sleep 100 & exit 1", 1, "tool"),
        (&format!("echo '{}{}'", "[".repeat(101), "]".repeat(101)), 1, "tool"),
    ] {
        let folder = Folder::new();
        let lines = format!("test $QUIPU_ATTEMPT = 2 && echo 5 && exit 0\n{fails}");
        let time = if ending_in == "timeout" { "100ms" } else { "10s" };
        let config = format!("[tools.work]\ncommand = [\"./work\"]\ntimeout = \"{time}\"\n");
        folder
            .program("work", &lines)
            .write("quipu.toml", config)
            .write("agent.json", graph(&[("start", &retried, "n1-retry-n2")]));
        let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
        let events = folder.events("r");
        let left = events.iter().filter(|event| text(event, "kind") == "effect_started");
        let keys: Vec<&str> = left.map(|event| text(event, "idem_key")).collect();
        assert_eq!((ending(&shown(&done)), keys.len()), (ending_in, attempts), "{fails}");
        assert!(keys.iter().all(|key| *key == keys[0]), "one effect has one key");
        // What was done by an attempt that failed is no secret.
        let failed = events.iter().find_map(|event| event.get("error"));
        let details = failed.and_then(|error| error.get("details")).unwrap();
        assert_eq!(details.get("may_have_happened"), Some(&Value::Bool(true)), "{fails}");
        folder.is_sound("r");
    }
}

#[test]
fn a_tool_that_is_not_there_has_done_nothing() {
    let folder = agent("");
    std::fs::remove_file(folder.path().join("work")).unwrap();
    let done = folder.run(&["run", "agent.json", "--id", "gone", "--json"]);
    let error = shown(&done).get("error").unwrap().clone();
    assert_eq!((done.code, text(&error, "code")), (1, "tool"));
    assert!(text(&error, "message").starts_with("`work` cannot be started: "));
    let happened = error.get("details").and_then(|details| details.get("may_have_happened"));
    assert_eq!(happened, Some(&Value::Bool(false)));

    folder.write("quipu.toml", "");
    let done = folder.run(&["run", "agent.json", "--id", "unbound", "--json"]);
    let error = shown(&done).get("error").unwrap().clone();
    assert_eq!((done.code, text(&error, "code")), (1, "missing"));
    assert!(text(&error, "message").ends_with("[tools.work]\ncommand = [\"./program\"]\n"));
    let stub = folder.run(&["run", "agent.json", "--model", "stub:low", "--json"]);
    assert_eq!(text(&shown(&stub), "result"), "stub-tool:work:");
    folder.is_sound("unbound");
}

/// What a program answers is data: it moves no terminal, and nothing in it is looked up.
#[test]
fn an_answer_is_never_a_template_a_reference_or_code() {
    let hostile = r"\u001b[31m{{done}} $done ${HOME} __import__('os') %s \u202e";
    let folder = agent(&format!("cat <<'END'\n\"{hostile}\"\nEND"));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let plain = "\u{1b}[31m{{done}} $done ${HOME} __import__('os') %s \u{202e}";
    assert_eq!(text(&shown(&done), "result"), plain);
    assert!(!done.stdout.contains(['\u{1b}', '\u{202e}']));
    for command in [&["resume", "r"][..], &["state", "r"], &["log", "r"], &["event", "r@3"]] {
        let done = folder.run(command);
        let shown = format!("{}{}", done.stdout, done.stderr);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{command:?} shows {shown:?}");
    }
    folder.is_sound("r");
}

#[test]
fn large_and_deep_answers_are_taken_or_refused_whole() {
    let folder = agent("printf '\"'; head -c 10000000 /dev/zero | tr '\\0' x; printf '\"'");
    let done = folder.run(&["run", "agent.json", "--id", "large"]);
    assert_eq!((done.code, done.stdout.len()), (0, 10_000_001), "all of it, and a line's end");
    assert_eq!(folder.run(&["state", "large"]).code, 0);
    folder.is_sound("large");
    for (run, levels, is_taken) in [("deep", 100, true), ("deeper", 101, false)] {
        let answer = "[".repeat(levels) + &"]".repeat(levels);
        folder.program("work", &format!("echo '{answer}'"));
        let done = folder.run(&["run", "agent.json", "--id", run, "--json"]);
        assert_eq!(done.code, i32::from(!is_taken), "{}", done.stdout);
        folder.is_sound(run);
    }
}

/// A run may go on from anywhere: it remembers where its tools were bound.
#[test]
fn a_resumed_run_finds_its_tools() {
    for config in [None, Some("elsewhere/tools.toml")] {
        let folder = Folder::new();
        let ask = r#"{"id": "n0", "op": "Ask", "data": {"prompt": "Go?", "out": "go"}}"#;
        std::fs::create_dir(folder.path().join("agents")).unwrap();
        std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
        let file = config.unwrap_or("agents/quipu.toml");
        let place = file.split('/').next().unwrap();
        folder
            .program(&format!("{place}/work"), "echo 1")
            .write(file, "[tools.work]\ncommand = [\"./work\"]\n")
            .write(
                "agents/agent.json",
                graph(&[("start", &format!("{ask}, {CALL}"), "n0-next-n1")]),
            );
        let mut arguments = vec!["run", "agents/agent.json", "--id", "r"];
        arguments.extend(config.iter().flat_map(|config| ["--config", config]));
        assert_eq!(folder.run(&arguments).code, 3);
        let question =
            text(&list(&folder.run(&["inbox", "--json"]).json(), "questions")[0], "question")
                .to_string();
        assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
        let done = folder.run(&["resume", "r", "--json"]);
        assert_eq!(shown(&done).get("result"), Some(&Value::Int(1)), "{}", done.stdout);
    }
}

/// A run goes on with the graph that it was begun with.
#[test]
fn a_file_that_changes_does_not_change_what_runs() {
    let folder = agent("echo old >> works; echo 1");
    let ask = r#"{"id": "n0", "op": "Ask", "data": {"prompt": "Go?", "out": "go"}}"#;
    folder.write("agent.json", graph(&[("start", &format!("{ask}, {CALL}"), "n0-next-n1")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    for changed in [graph(&[("start", ask, "")]), "no JSON any more".to_string()] {
        folder.write("agent.json", changed);
        let done = folder.run(&["resume", "r"]);
        assert_eq!((done.code, done.stdout.as_str()), (3, ""), "{}", done.stderr);
    }
    std::fs::remove_file(folder.path().join("agent.json")).unwrap();
    let question =
        text(&list(&folder.run(&["inbox", "--json"]).json(), "questions")[0], "question")
            .to_string();
    assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(shown(&done).get("result"), Some(&Value::Int(1)), "{}", done.stdout);
    assert_eq!(folder.text("works"), "old\n");
    folder.is_sound("r");
}

/// Models are told what tools are called, not what their ids are.
#[test]
fn of_several_tools_the_one_is_called_that_is_named_by_its_label_or_its_id() {
    let folder = Folder::new();
    folder
        .program("search_tool", "echo '\"searched\"'")
        .program("web_tool", "echo '\"browsed\"'")
        .write(
            "quipu.toml",
            "[tools.search_tool]\ncommand = [\"./search_tool\"]\n\
             [tools.web_tool]\ncommand = [\"./web_tool\"]\n",
        )
        .write(
            "agent.yaml",
            r#"
name: Pick
version: "1.0"
description: Calls one of two tools.
entry_point: use
entities:
  - { id: who, type: agent, label: Who, model: m, system_prompt: Say }
  - { id: search_tool, type: tool, label: kb search, tool_type: api }
  - { id: web_tool, type: tool, label: Search_Tool, tool_type: api }
processes:
  - { id: use, type: step, label: Use }
edges:
  - { type: invoke, from: use, to: search_tool }
  - { type: invoke, from: use, to: web_tool }
schemas: []
"#,
        );
    for (named, observed) in [
        ("KB Search", "searched"),
        ("web_TOOL", "browsed"),
        // What models see counts first.
        ("search_tool", "browsed"),
        ("fly", "Unknown tool: fly. There are: kb search, Search_Tool."),
    ] {
        let input = format!("tool_name={named}");
        let done = folder.run(&["run", "agent.yaml", "--input", &input, "--json"]);
        let document = shown(&done);
        assert_eq!(ending(&document), "done", "{}", done.stdout);
        assert_eq!(text(document.get("state").unwrap(), "observation"), observed);
    }
}
