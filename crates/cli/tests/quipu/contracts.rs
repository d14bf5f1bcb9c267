//! What verbs do that are not built in: contract files, and what becomes of them.

use value::{Value, json};

use crate::documents::at;
use crate::run::{Done, Folder};

const AGENT: &str = r#"{"labels": {"a": {
    "nodes": [
        {"id": "n1", "op": "R", "data": {"adapter": "clients.find", "target": "ada", "out": "x"}},
        {"id": "n2", "op": "J", "data": {"var": "x"}}],
    "edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]}}}"#;

const CONTRACTS: &str = r#"{
    "clients.FIND": {"effect_tier": "io-read", "effect_kind": "db_read"},
    "clients.DROP": {"effect_tier": "io-write", "effect_kind": "db_write"},
    "http.GET": {"effect_tier": "io-read", "effect_kind": "http"}
}"#;

fn codes(done: &Done) -> Vec<String> {
    let findings = at(&done.json(), "files/0/diagnostics").clone();
    let code = |found: &Value| at(found, "code").as_text().unwrap().to_string();
    findings.as_list().unwrap().iter().map(code).collect()
}

#[test]
fn a_verb_that_no_contract_names_is_found_and_a_declared_one_is_not() {
    let folder = Folder::new();
    folder.write("a.json", AGENT).write("c.json", CONTRACTS);
    assert_eq!(codes(&folder.run(&["check", "a.json", "--json"])), ["G421"]);
    let done = folder.run(&["check", "a.json", "--json", "--strict", "--contracts", "c.json"]);
    assert_eq!((done.code, codes(&done)), (0, vec![]), "{}", done.stderr);
    folder.write("quipu.toml", "[contracts]\nfiles = [\"c.json\"]\n");
    let done = folder.run(&["check", "a.json", "--json", "--strict"]);
    assert_eq!((done.code, codes(&done)), (0, vec![]), "{}", done.stderr);
}

#[test]
fn a_misspelt_verb_is_told_what_was_meant() {
    for (written, meant) in [("http.GTE", "http.GET"), ("htp.GET", "http.GET")] {
        let done = Folder::new()
            .run_with(&["check", "-", "--json"], &AGENT.replace("clients.find", written));
        let found = at(&done.json(), "files/0/diagnostics/0").clone();
        let help = at(&found, "help").as_text().unwrap().clone();
        assert!(help.contains(&format!("did you mean `{meant}`?")), "{help}");
        assert_eq!(json::compact(at(&found, "fix/safe")), "false");
    }
}

/// The compiled document has what it needs of the file, and no more.
#[test]
fn a_compiled_graph_needs_no_file() {
    let folder = Folder::new();
    folder.write("a.json", AGENT).write("c.json", CONTRACTS);
    let done = folder.run(&["compile", "a.json", "--contracts", "c.json"]);
    let document = done.json();
    let declared = at(&document, "declarations/contracts").as_map().unwrap();
    assert_eq!(declared.keys().map(|name| &**name).collect::<Vec<_>>(), ["clients.FIND"]);
    let node = at(&document, "labels/a/nodes/0").clone();
    assert_eq!(json::compact(at(&node, "effect_tier")), "\"io-read\"");
    assert_eq!(json::compact(at(&node, "effect_kinds")), "[\"db_read\"]");
    folder.write("b.json", &done.stdout);
    let again = folder.run(&["compile", "b.json"]);
    assert_eq!(again.stdout, done.stdout);
    assert_eq!(codes(&folder.run(&["check", "b.json", "--json"])), [""; 0]);
}

#[test]
fn what_is_wrong_with_a_contract_file_has_its_place() {
    let folder = Folder::new();
    folder.write("a.json", AGENT);
    for (file, text, line) in [
        (
            "c.json",
            "{\"clients.FIND\":\n  {\"effect_tier\": \"read\", \"effect_kind\": \"db\"}}",
            2,
        ),
        ("c.json", "{\"http.POST\": {\"effect_tier\": \"io-read\", \"effect_kind\": \"http\"}}", 1),
        ("c.json", "{\"clients.FIND\":\n", 1),
        ("c.json", "[]", 1),
        ("c.yaml", "clients.FIND:\n  effect_tier: read\n  effect_kind: db\n", 2),
        ("c.yaml", "clients.find:\n  effect_tier: pure\n  effect_kind: db\n", 1),
    ] {
        folder.write(file, text);
        let done = folder.run(&["check", "a.json", "--json", "--contracts", file]);
        assert_eq!(done.code, 1, "{text}: {}", done.stderr);
        let found = at(&done.json(), "files/0/diagnostics/0").clone();
        assert_eq!(at(&found, "file").as_text().map(|name| &**name), Some(file));
        assert_eq!(at(&found, "span/start/line"), &Value::Int(line), "{text}");
        assert_eq!(at(&found, "severity"), &Value::from("error"));
        let run = folder.run(&["run", "a.json", "--store", "memory", "--contracts", file]);
        assert_eq!(run.code, 1, "{text}: {}", run.stderr);
    }
    let done = folder.run(&["check", "a.json", "--contracts", "nowhere.json"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
}
