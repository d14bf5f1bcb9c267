//! S1: what is stored is data, and comes back as the data that it was. No key makes anything else
//! of it, and no key of ours leads to what others stored.

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use value::{Value, json};

use super::{CARRIES, cases};
use crate::run::Folder;
use crate::running::{list, shown, text};

/// Keys that mean something to us or to others, where somebody believes what he reads.
const KEYS: [&str; 30] = [
    "$blob",
    "blob",
    "base64",
    "$ref",
    "$id",
    "$schema",
    "$type",
    "__type",
    "__class__",
    "__proto__",
    "constructor",
    "lc",
    "kwargs",
    "py/object",
    "py/reduce",
    "!!python/object",
    "@type",
    "@class",
    "event_id",
    "event",
    "external_ref",
    "kind",
    "link",
    "seq",
    "stream",
    "secret",
    "$env",
    "$secret",
    "<<",
    "",
];

const TEXTS: [&str; 12] = [
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "constructor",
    "langchain_core.prompts",
    "os.system",
    "blob",
    "#/declarations",
    "{secret:HOME}",
    "{\"$blob\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
    "\"$blob\":",
    "\\\"$blob\\\":",
    "\u{0}",
    "",
];

fn hostile() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-9_000_000_000i64..9_000_000_000).prop_map(Value::Int),
        prop::sample::select(&TEXTS[..]).prop_map(Value::text),
        // Long enough to stand behind a hash of its own.
        Just(Value::from("x".repeat(5_000))),
    ];
    let inner = leaf.prop_recursive(5, 24, 4, |inner| {
        let key = prop::sample::select(&KEYS[..]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::list),
            prop::collection::btree_map(key, inner, 0..4).prop_map(Value::map),
        ]
    });
    let key = prop::sample::select(&KEYS[..]);
    prop::collection::btree_map(key, inner, 1..4).prop_map(Value::map)
}

/// Runs an agent that is given a value by everybody, and answers for the person too.
fn carried(value: &Value) -> Folder {
    let folder = Folder::new();
    let written = json::compact(value);
    folder
        .program("work", "cat > heard\ncat answer.json")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write("answer.json", &written)
        .write("said.json", format!("[{written}]"))
        .write("inputs.json", format!("{{\"x\": {written}}}"))
        .write("agent.json", CARRIES);
    let run = ["run", "agent.json", "--id", "r", "--inputs", "inputs.json", "--json"];
    let done = folder.run(&[&run[..], &["--model", "script:said.json"]].concat());
    assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
    let inbox = folder.run(&["inbox", "--json"]).json();
    let question = text(&list(&inbox, "questions")[0], "question").to_string();
    let answered = folder.run(&["answer", &question, &written, "--json"]);
    assert_eq!(answered.code, 0, "{}{}", answered.stdout, answered.stderr);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    folder
}

/// What each name of a run holds is the value, wherever it came from.
fn holds(state: &Value, value: &Value) {
    let state = state.get("state").unwrap();
    let written = json::canonical(value);
    for name in ["x", "y", "z", "done", "person"] {
        assert_eq!(json::canonical(state.get(name).unwrap()), written, "{name}");
    }
    let said = json::parse(text(state, "said")).unwrap();
    assert_eq!(json::canonical(&said), written);
    assert_eq!(state.get("way"), None, "no value is a reason to go another way");
}

fn round_trips(value: &Value) -> TestCaseResult {
    let folder = carried(value);
    let heard = json::parse(&folder.text("heard")).unwrap();
    assert_eq!(json::canonical(heard.get("x").unwrap()), json::canonical(value));
    holds(&folder.run(&["state", "r", "--json"]).json(), value);
    folder.is_sound("r");
    // A fork at the last event but one has all of it too.
    let last = folder.events("r").len() - 2;
    let fork = folder.run(&["fork", &format!("r@{last}"), "--no-run", "--json"]);
    assert_eq!(fork.code, 0, "{}", fork.stderr);
    let forked = text(&shown(&fork), "run").to_string();
    holds(&folder.run(&["state", &forked, "--json"]).json(), value);
    // And so has whoever it is sent to.
    let exported = folder.run(&["export"]).stdout;
    folder.write("all.jsonl", &exported);
    let there = ["--store", "sqlite:there.db"];
    let imported = folder.run(&[&["import", "all.jsonl"][..], &there].concat());
    assert_eq!(imported.code, 0, "{}{}", imported.stdout, imported.stderr);
    holds(&folder.run(&[&["state", "r", "--json"][..], &there].concat()).json(), value);
    for command in [&["verify"][..], &["replay", "r"]] {
        let done = folder.run(&[command, &there].concat());
        assert_eq!(done.code, 0, "{command:?}: {}{}", done.stdout, done.stderr);
    }
    assert_eq!(folder.run(&[&["export"][..], &there].concat()).stdout, exported);
    Ok(())
}

/// Through a run, its log, state, replay, fork, export, import and verify.
#[test]
fn values_with_keys_that_mean_something_elsewhere_are_data() {
    let config =
        ProptestConfig { cases: cases(6), failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&hostile(), |value| round_trips(&value)).unwrap();
}

/// Somebody knows the hash of what another run keeps, and has every place say it.
#[test]
fn a_hash_in_an_answer_does_not_lead_to_what_others_keep() {
    let folder = Folder::new();
    let secret = format!("private {}", "p".repeat(5_000));
    folder
        .write(
            "private.json",
            crate::running::graph(&[(
                "start",
                r#"{"id": "n1", "op": "J", "data": {"var": "$x"}}"#,
                "",
            )]),
        )
        .write("inputs.json", json::compact(&Value::map([("x", Value::text(&*secret))])));
    let done = folder.run(&["run", "private.json", "--id", "private", "--inputs", "inputs.json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let exported = folder.run(&["export", "private"]).stdout;
    let blobs = exported.lines().map(|line| json::parse(line).unwrap());
    let hashes: Vec<Value> = blobs.filter_map(|line| line.get("blob").cloned()).collect();
    assert!(!hashes.is_empty(), "what is long stands behind a hash");
    for hash in &hashes {
        let reference = Value::map([("$blob", hash.clone())]);
        let deeper =
            Value::map([("a", Value::list([reference.clone()])), ("value", reference.clone())]);
        for value in [reference.clone(), deeper] {
            let attacker = carried(&value);
            // In the store where the other run is.
            let store = format!("sqlite:{}", folder.path().join(".quipu/quipu.db").display());
            attacker.write("r.jsonl", attacker.run(&["export", "r"]).stdout);
            let imported = attacker.run(&["import", "r.jsonl", "--store", &store]);
            assert_eq!(imported.code, 0, "{}{}", imported.stdout, imported.stderr);
            let mut told = String::new();
            for command in [
                &["state", "r", "--json"][..],
                &["log", "r", "--json", "--limit", "1000"],
                &["replay", "r", "--json"],
                &["why", "r", "--json"],
                &["export", "r"],
                &["compare", "r", "r", "--json"],
            ] {
                let done = attacker.run(&[command, &["--store", &store]].concat());
                told += &done.stdout;
                told += &done.stderr;
            }
            assert!(!told.contains("private p"), "a reference was followed");
            let state = attacker.run(&["state", "r", "--json", "--store", &store]).json();
            holds(&state, &value);
            // The next attacker's run has the same name: it is another store.
            let other = Folder::new();
            std::fs::copy(attacker.path().join("r.jsonl"), other.path().join("r.jsonl")).unwrap();
            assert_eq!(other.run(&["import", "r.jsonl"]).code, 0, "it lacks nothing of others");
            std::fs::remove_dir_all(folder.path().join(".quipu")).unwrap();
            folder.write("private.jsonl", &exported);
            assert_eq!(folder.run(&["import", "private.jsonl"]).code, 0);
        }
    }
}
