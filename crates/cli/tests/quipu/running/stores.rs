//! Stores that are searched: by the command line, from a spec to an answer.

use super::*;

const SPEC: &str = r#"
name: Handbook
version: "1.0"
description: Answers from a folder.
entry_point: look
entities:
  - { id: writer, type: agent, label: Writer, model: m }
  - { id: handbook, type: store, label: Handbook, store_type: vector, access: read }
  - { id: asked, type: store, label: Asked, store_type: kv, config: { protocol: memory, keep: 2 } }
schemas:
  - { name: Question, fields: [{ name: question, type: string }] }
  - { name: Asked, fields: [{ name: top_k, type: integer, default: 1 }] }
state: { schema: Question }
processes:
  - id: look
    type: step
    label: Look
    logic: |
      state.data["found"] = [it["id"] for it in state.data["handbook"]]
      state.data["_done"] = False
  - { id: recall, type: step, label: Recall }
edges:
  - { type: read, from: look, to: handbook, query_key: question, query: Asked }
  - { type: write, from: look, to: asked, data: Question }
  - { type: flow, from: look, to: recall }
  - { type: read, from: recall, to: asked }
"#;

fn asking() -> Folder {
    let folder = Folder::new();
    folder
        .write("agent.yaml", SPEC)
        .write("quipu.toml", "[stores.handbook]\nfolder = \"./docs\"\n")
        .write("answers.json", "[]");
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    folder
        .write("docs/leave.md", "# Leave\n\nTwenty-five days of holiday each year.\n")
        .write("docs/travel.md", "# Travel\n\nTrains before planes.\n");
    folder
}

fn ask(folder: &Folder, id: &str, question: &str) -> Value {
    let question = format!("question={question}");
    let model = ["--model", "script:answers.json"];
    let run = ["run", "agent.yaml", "--id", id, "--input", &question, "--json"];
    let done = folder.run(&[&run[..], &model].concat());
    assert_eq!(done.code, 0, "{} {}", done.stdout, done.stderr);
    folder.is_sound(id);
    folder.run(&["state", id, "--json"]).json()
}

#[test]
fn a_folder_is_searched_and_what_was_found_is_recorded() {
    let folder = asking();
    let state = ask(&folder, "one", "How many holidays?");
    assert!(
        json::compact(&state).contains(r#""found":["leave.md#1"]"#),
        "{}",
        json::compact(&state)
    );
    // What is gone is still known to the run that found it.
    std::fs::remove_file(folder.path().join("docs/leave.md")).unwrap();
    assert_eq!(folder.run(&["replay", "one"]).code, 0);
    let state = json::compact(&ask(&folder, "two", "train or plane"));
    assert!(state.contains(r#""found":["travel.md#1"]"#), "{state}");
    // The memory outlived the first run.
    assert!(state.contains("How many holidays?"), "{state}");
    let state = json::compact(&ask(&folder, "three", "again"));
    assert!(!state.contains("How many holidays?"), "{state}");
}

#[test]
fn stores_are_listed_with_what_they_may_be_used_for() {
    let folder = asking();
    let done = folder.run(&["query", "agent.yaml", "stores"]);
    assert_eq!(
        done.stdout,
        "handbook  vector  db.handbook:read\nasked  memory  db.asked:read db.asked:write\n"
    );
    let items = folder.run(&["query", "agent.yaml", "stores", "--json"]).json();
    let first = &list(&items, "items")[0];
    assert_eq!(text(first, "provider"), "quipu.vector");
    let doctor = folder.run(&["doctor"]);
    assert!(doctor.stdout.contains("docs: 2 files, 2 passages"), "{}", doctor.stdout);
}

/// A spec cannot name a folder, however it tries.
#[test]
fn no_spec_reads_a_folder() {
    let folder = asking();
    folder.write("quipu.toml", "");
    let named = SPEC.replace(
        "store_type: vector,",
        "store_type: vector, config: { folder: ./docs, path: ./docs },",
    );
    folder.write("agent.yaml", &named);
    let state = json::compact(&ask(&folder, "one", "holidays"));
    assert!(state.contains(r#""found":[]"#), "{state}");
    let refused = named.replace("{ folder:", "{ provider: quipu.vector, folder:");
    folder.write("agent.yaml", refused);
    let done = folder.run(&["check", "agent.yaml"]);
    assert_eq!(done.code, 1);
    assert!(done.stdout.contains("G501") || done.stderr.contains("G501"), "{}", done.stdout);
}
