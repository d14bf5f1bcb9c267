//! What people and scripts are told about runs.

use std::process::Command;

use crate::run::{Done, Folder};
use crate::running::{graph, list, text};

const END: &str = r#"{"id": "n1", "op": "J", "data": {"var": "$long"}}"#;

/// Formats pad up to 65,535 characters, and values are longer.
#[test]
fn tables_hold_what_is_longer_than_any_line() {
    let folder = Folder::new();
    let long = "x".repeat(70_000);
    folder
        .write("agent.json", graph(&[("start", END, "")]))
        .write("inputs.json", format!(r#"{{"long": "{long}", "short": 1}}"#));
    assert_eq!(folder.run(&["run", "agent.json", "--inputs", "inputs.json", "--id", "r"]).code, 0);
    let state = folder.run(&["state", "r"]);
    assert_eq!((state.code, state.stderr.as_str()), (0, ""));
    assert_eq!(state.stdout, format!("long   \"{long}\"\nshort  1\n"));
    let named = folder.run(&["run", "agent.json", "--id", &long]);
    assert_eq!(named.code, 0);
    assert!(named.stderr.contains(&format!("next: quipu log {long}  ")));
    assert_eq!(folder.run(&["runs"]).code, 0);
}

#[test]
fn a_step_stands_among_the_events_as_an_event_does() {
    let folder = Folder::new();
    folder.write("agent.json", graph(&[("start", END, "")]));
    folder.run(&["run", "agent.json", "--id", "r"]);
    let log = folder.run(&["log", "r", "--trace", "--json"]).json();
    let steps = list(&log, "events").iter().filter_map(|entry| entry.get("step"));
    let told: Vec<&str> = steps.map(|step| text(step, "what")).collect();
    assert_eq!(told.last(), Some(&"returned"), "{told:?}");
}

/// How a block failed is known only from the second of two events; what came before it is told
/// before both.
#[test]
fn a_step_stands_before_the_events_that_come_after_it() {
    let folder = Folder::new();
    let spec = r#"
name: Fails
version: "1.0"
description: Fails in its second step.
entry_point: first
entities:
  - { id: who, type: agent, label: Who, model: m, system_prompt: Say }
processes:
  - { id: first, type: step, label: First, logic: "state.data['n'] = 1" }
  - { id: second, type: step, label: Second, logic: "raise ValueError('no')" }
edges:
  - { type: flow, from: first, to: second }
"#;
    folder.write("agent.yaml", spec);
    assert_eq!(folder.run(&["run", "agent.yaml", "--id", "r"]).code, 1);
    let log = folder.run(&["log", "r", "--trace", "--json"]).json();
    let told = list(&log, "events").iter().map(|entry| match entry.get("step") {
        Some(step) => format!("  {} {}\n", text(step, "what"), text(step, "at")),
        None => format!("{}\n", text(entry, "kind")),
    });
    expect_test::expect![[r#"
        run_started
          entered first
          ran first/n1
          entered second
        tool_call
        tool_result
        run_finished
    "#]]
    .assert_eq(&told.collect::<String>());
}

/// A history that says something else than the engine does is told up to there.
#[test]
fn a_trace_ends_where_the_history_is_not_what_the_engine_derives() {
    let folder = Folder::new();
    folder.write("agent.json", graph(&[("start", END, "")]));
    folder.run(&["run", "agent.json", "--id", "r", "--input", "long=1"]);
    let log = folder.run(&["log", "r", "--json"]).json();
    let lines = list(&log, "events").iter().map(|entry| {
        let mut event = entry.get("event").unwrap().as_map().unwrap().clone();
        event.remove("event_id");
        event.insert("run_id".into(), "other".into());
        if text(entry, "kind") == "run_finished" {
            event.insert("result".into(), "something else".into());
        }
        value::json::compact(&event.into()) + "\n"
    });
    folder.write("other.jsonl", lines.collect::<String>());
    assert_eq!(folder.run(&["import", "other.jsonl"]).code, 0);
    let told = folder.run(&["log", "other", "--trace", "--json"]);
    let document = told.json();
    let entries = list(&document, "events");
    assert_eq!((told.code, text(&entries[0], "kind")), (2, "run_started"));
    let last = entries.last().and_then(|entry| entry.get("step")).unwrap();
    assert_eq!(text(last, "what"), "returned");
    let message = text(document.get("error").unwrap(), "message");
    assert!(message.starts_with("`other@1` is not what the engine derives"), "{message}");
    let told = folder.run(&["log", "other", "--trace"]);
    assert_eq!((told.code, told.stdout.lines().count()), (2, entries.len() + 1));
    assert!(told.stderr.contains(message), "{}", told.stderr);
}

/// Whoever pauses a run does not answer for others; whoever comes too late cannot.
#[test]
fn the_inbox_has_what_can_be_answered() {
    let folder = Folder::new();
    let ask =
        r#"{"id": "n1", "op": "Ask", "data": {"prompt": "Go?", "expires": 3600, "out": "go"}}"#;
    let waits = r#"{"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}}"#;
    let labels = [
        ("start", waits, "n1-branch->asks n1-branch->works n1-next-n2"),
        ("asks", ask, ""),
        ("works", crate::running::CALL, ""),
    ];
    folder
        .program("work", "echo x >> works; until test -e enough; do sleep 0.01; done; echo 1")
        .write(
            "quipu.toml",
            "[tools.work]\ncommand = [\"./work\"]\ntouches = \"read\"\nagain = \"free\"\n",
        )
        .write("agent.json", graph(&labels));
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("the tool works", |folder| !folder.text("works").is_empty());
    process.interrupt();
    assert_eq!(process.end().code, 130);
    assert_eq!(folder.kinds("r").last().map(String::as_str), Some("run_paused"));
    let open = |folder: &Folder| list(&folder.run(&["inbox", "--json"]).json(), "questions").len();
    assert_eq!(open(&folder), 1);
    let runs = folder.run(&["runs", "--json"]).json();
    assert_eq!(text(&list(&runs, "runs")[0], "status"), "waiting");
    folder.write("enough", "");

    // Nobody has noticed that its time is over before somebody resumes the run.
    let inbox = late(&folder, &["inbox"]);
    assert!(inbox.stdout.contains("Z; `quipu resume r` goes on\n"), "{}", inbox.stdout);
    assert_eq!(late(&folder, &["resume", "r"]).code, 1, "nobody answered in time");
    assert!(folder.kinds("r").contains(&"timer_fired".to_string()));
    assert_eq!(open(&folder), 0);
}

/// Runs the binary many years later.
fn late(folder: &Folder, arguments: &[&str]) -> Done {
    let output = Command::new(env!("CARGO_BIN_EXE_quipu"))
        .args(arguments)
        .current_dir(folder.path())
        .env("QUIPU_NOW", "2099-01-01T00:00:00Z")
        .output()
        .unwrap();
    Done {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What a run gives back is what its last event says, for whoever asks.
#[test]
fn a_run_that_returns_nothing_gives_what_was_answered_last() {
    for (end, result) in [(r#"{}"#, "\"worked\""), (r#"{"var": "$nothing"}"#, "null")] {
        let folder = Folder::new();
        let nodes =
            format!(r#"{}, {{"id": "n2", "op": "J", "data": {end}}}"#, crate::running::CALL);
        folder
            .program("work", "echo '\"worked\"'")
            .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
            .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
        let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]).json();
        let last = folder.events("r").pop().unwrap();
        for document in [&done, &last] {
            let own = document.get("result").cloned().unwrap_or_default();
            assert_eq!(value::json::compact(&own), result);
        }
        folder.is_sound("r");
    }
}

/// What is proposed can be typed as it stands.
#[test]
fn hints_name_the_store_the_events_and_the_options() {
    let folder = Folder::new();
    let ask = r#"{"id": "n1", "op": "Ask",
        "data": {"prompt": "Go?", "options": ["not now", "yes"], "out": "go"}}"#;
    folder
        .write("agent.json", graph(&[("start", ask, "")]))
        .write("fails.json", graph(&[("start", crate::running::CALL, "")]));
    let store = ["--store", "sqlite:my store.db"];
    let asked = folder.run(&[&["run", "agent.json", "--id", "r"], &store[..]].concat());
    let there = "--store 'sqlite:my store.db'\n";
    assert!(asked.stderr.contains(&format!(" 'not now'|yes {there}")), "{}", asked.stderr);
    assert!(asked.stderr.ends_with(&format!("then: quipu resume r {there}")), "{}", asked.stderr);
    let more = ["--input", "v=1", "--max-calls", "nothing=1"];
    let failed = folder.run(&[&["run", "fails.json", "--id", "f"], &more[..]].concat());
    for told in [
        "note: nothing asks for `v`; gates see only declared names\n",
        "note: `--max-calls nothing=1`: the agent has no tool `nothing`\n",
        "  attempt 1; nothing has happened\n",
        "quipu fork f@2  ",
        "quipu why f@3   ",
    ] {
        assert!(failed.stderr.contains(told), "{told}: {}", failed.stderr);
    }
}
