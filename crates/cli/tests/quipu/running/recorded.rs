//! A run that is read again sees what it saw the first time.

use super::*;

/// Histories keep the members of objects by their names, and `2.0` as `2`. Prompts and logic
/// depend on both.
#[test]
fn the_order_of_members_is_the_same_before_and_after() {
    let folder = Folder::new();
    folder
        .program("work", r#"echo '{"zulu": 2.0, "alpha": {"y": 1, "b": 2}}'"#)
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write("answers.json", r#"["fine"]"#)
        .write(
            "agent.yaml",
            r#"
name: Order
version: "1.0"
description: Looks at the order of what it is given.
entry_point: work_first
entities:
  - { id: who, type: agent, label: Who, model: m, system_prompt: Say }
  - { id: work, type: tool, label: Work, tool_type: api }
processes:
  - { id: work_first, type: step, label: Work }
  - id: ask_then
    type: step
    label: Ask
    logic: |
      state.data["keys"] = list(state.data["observation"]) + list(state.data["given"])
      state.data["half"] = str(state.data["observation"]["zulu"])
edges:
  - { type: invoke, from: work_first, to: work }
  - { type: flow, from: work_first, to: ask_then }
  - { type: invoke, from: ask_then, to: who }
schemas: []
"#,
        );
    let inputs = ["--input", r#"given={"z": 1, "a": 2}"#, "--input", "b=1.0", "--input", "a=1"];
    let model = ["--model", "script:answers.json", "--json", "--id", "r"];
    let done = folder.run(&[&["run", "agent.yaml"], &inputs[..], &model[..]].concat());
    let document = shown(&done);
    assert_eq!(ending(&document), "done", "{}", done.stdout);
    let state = document.get("state").unwrap();
    assert_eq!(json::compact(state.get("keys").unwrap()), r#"["alpha","zulu","a","z"]"#);
    assert_eq!(text(state, "half"), "2");
    folder.is_sound("r");
    let again = folder.run(&["state", "r", "--json"]).json();
    assert_eq!(again.get("state"), Some(state));
}

/// A graph may begin with its first label, which is not the first by name.
#[test]
fn a_run_begins_where_the_first_label_is() {
    let folder = Folder::new();
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$done"}}"#;
    folder
        .program("work", "echo 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write("agent.json", graph(&[("start", CALL, "n1-next->end"), ("end", end, "")]));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let document = shown(&done);
    assert_eq!(json::compact(document.get("path").unwrap()), r#"["start","end"]"#);
    folder.is_sound("r");
}

/// What models answered once is answered again without them, by the same words as on the command
/// line.
#[test]
fn a_cassette_answers_what_was_recorded_on_it() {
    let folder = Folder::new();
    folder.write("answers.json", r#"["first", "second"]"#).write(
        "agent.yaml",
        r#"
name: Twice
version: "1.0"
description: Asks two agents.
entry_point: one
entities:
  - { id: writer, type: agent, label: Writer, model: m, system_prompt: Write }
  - { id: critic, type: agent, label: Critic, model: n, system_prompt: Judge }
processes:
  - { id: one, type: step, label: One }
  - { id: two, type: step, label: Two }
edges:
  - { type: invoke, from: one, to: writer }
  - { type: flow, from: one, to: two }
  - { type: invoke, from: two, to: critic }
schemas: []
"#,
    );
    let run = |model: &str, text: &str| {
        let done = folder.run(&["run", "agent.yaml", "--model", model, "--json", "--input", text]);
        shown(&done)
    };
    let recorded = run("record:tape.jsonl,script:answers.json", "text=a");
    assert_eq!(ending(&recorded), "done");
    std::fs::remove_file(folder.path().join("answers.json")).unwrap();
    let again = run("replay:tape.jsonl", "text=a");
    assert_eq!(ending(&again), "done", "{}", json::compact(&again));
    assert_eq!(again.get("state"), recorded.get("state"));
    let other = run("replay:tape.jsonl", "text=b");
    assert_eq!(ending(&other), "model");
    let message = text(other.get("error").unwrap(), "message");
    assert!(message.contains("its `prompt` differs from character"), "{message}");
}

/// Whether a model is recorded, or was, makes no other order.
#[test]
fn a_recording_takes_the_same_path_as_what_it_records() {
    let folder = Folder::new();
    folder
        .program("work", "echo 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"free\"\n")
        .write("answers.json", r#"["first", "second", "third", "fourth"]"#)
        .write(
            "agent.yaml",
            r#"
name: Fan
version: "1.0"
description: Works in one branch and asks in the other.
entry_point: s
entities:
  - { id: writer, type: agent, label: Writer, model: m, system_prompt: Write }
  - { id: work, type: tool, label: Work, tool_type: api }
processes:
  - { id: s, type: step, label: S }
  - { id: a, type: step, label: A }
  - { id: a2, type: step, label: A2 }
  - { id: b, type: step, label: B }
  - { id: b2, type: step, label: B2 }
  - { id: b3, type: step, label: B3 }
edges:
  - { type: flow, from: s, to: a }
  - { type: flow, from: s, to: b }
  - { type: flow, from: a, to: a2 }
  - { type: flow, from: b, to: b2 }
  - { type: flow, from: b2, to: b3 }
  - { type: invoke, from: a, to: work }
  - { type: invoke, from: a2, to: writer }
  - { type: invoke, from: b, to: writer }
  - { type: invoke, from: b2, to: writer }
  - { type: invoke, from: b3, to: writer }
schemas: []
"#,
        );
    let story = |id: &str, model: &str| {
        let done = folder.run(&["run", "agent.yaml", "--id", id, "--model", model, "--json"]);
        assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
        let begun = folder.events(id).remove(0);
        let options = begun.get("options").unwrap();
        assert_eq!(options.get("in_turn"), Some(&Value::Bool(true)), "{model}");
        folder.is_sound(id);
        let path = json::compact(shown(&done).get("path").unwrap());
        (path, shown(&done).get("state").cloned(), folder.kinds(id))
    };
    let scripted = story("s", "script:answers.json");
    assert_eq!(story("r", "record:tape.jsonl,script:answers.json"), scripted);
    assert_eq!(story("a", "replay:tape.jsonl"), scripted);
}
