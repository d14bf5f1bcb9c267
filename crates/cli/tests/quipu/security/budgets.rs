//! S21: what a run may take holds over processes that die, over forks, and over branches at once.
//! `runtime/tests/telling/budgets.rs` has every order in which answers can come.

use std::collections::BTreeSet;

use super::*;
use crate::running::{CALL, ending, graph, shown, text};
use value::Value;

/// Works for ever. The tool notes each call by its key, so that an attempt that is repeated after a
/// crash is the same call.
fn endless(lines: &str) -> Folder {
    let folder = Folder::new();
    folder
        .program("work", &format!("echo $QUIPU_IDEMPOTENCY_KEY >> works\n{lines}\necho 1"))
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"free\"\n")
        .write(
            "agent.json",
            graph(&[("start", CALL, "n1-next->again"), ("again", CALL, "n1-next->again")]),
        );
    folder
}

fn calls(folder: &Folder) -> BTreeSet<String> {
    folder.text("works").lines().map(str::to_owned).collect()
}

#[test]
fn limits_of_calls_hold_over_processes_that_are_killed() {
    let folder = endless("sleep 0.05");
    let limit = ["--max-calls", "work=6"];
    let mut process =
        folder.start(&[&["run", "agent.json", "--id", "r", "--json"][..], &limit].concat());
    for killed in 1..5 {
        folder.until("it works", |folder| calls(folder).len() > killed);
        process.kill();
        process = folder.start(&["resume", "r", "--json"]);
    }
    let done = process.end();
    let document = shown(&done);
    assert_eq!((done.code, ending(&document)), (1, "calls_exceeded"), "{}", done.stdout);
    assert_eq!(calls(&folder).len(), 6, "{}", folder.text("works"));
    // It is over, whoever tries.
    for _ in 0..2 {
        folder.run(&["resume", "r", "--json"]);
    }
    assert_eq!(calls(&folder).len(), 6);
    folder.is_sound("r");
}

#[test]
fn limits_of_tokens_hold_over_processes_that_are_killed() {
    let folder = endless("sleep 0.05");
    let asks = r#"{"id": "n0", "op": "R", "data": {"adapter": "agent.INVOKE", "target": "a", "out": "said"}}"#;
    let label = |id| (id, format!("{asks}, {CALL}"), "n0-next-n1 n1-next->again");
    let labels = [label("start"), label("again")];
    let labels: Vec<(&str, &str, &str)> =
        labels.iter().map(|(id, nodes, edges)| (*id, nodes.as_str(), *edges)).collect();
    let declared = r#"{"declarations": {"agents": {"a": {"model": "m"}}},"#;
    folder.write("agent.json", graph(&labels).replacen('{', declared, 1));
    let run =
        ["run", "agent.json", "--id", "r", "--json", "--model", "stub:low", "--max-tokens", "100"];
    let mut process = folder.start(&run);
    for killed in 1..4 {
        folder.until("it works", |folder| calls(folder).len() > killed || !process.is_running());
        process.kill();
        process = folder.start(&["resume", "r", "--json"]);
    }
    let done = process.end();
    let document = shown(&done);
    assert_eq!(ending(&document), "tokens_exceeded", "{}{}", done.stdout, done.stderr);
    // What answers took, by their events: the last one may pass the limit, none begins behind it.
    let usages: Vec<i64> = folder
        .events("r")
        .iter()
        .filter(|event| text(event, "kind") == "model_response")
        .map(|event| match event.get("usage").and_then(|usage| usage.get("total_tokens")) {
            Some(Value::Int(tokens)) => *tokens,
            other => panic!("{other:?}"),
        })
        .collect();
    let before: i64 = usages[..usages.len() - 1].iter().sum();
    assert!(before < 100, "{usages:?}");
    let used = document.get("usage").and_then(|usage| usage.get("total_tokens")).unwrap();
    assert_eq!(used, &Value::Int(usages.iter().sum()));
    folder.is_sound("r");
}

/// A fork has spent what its parent had when it was made.
#[test]
fn a_fork_has_what_is_left() {
    let folder = endless("");
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json", "--max-calls", "work=4"]);
    assert_eq!(ending(&shown(&done)), "calls_exceeded", "{}", done.stdout);
    let events = folder.events("r");
    let results = (0..).zip(&events).filter(|(_, event)| text(event, "kind") == "tool_result");
    let third = results.map(|(seq, _): (usize, _)| seq).nth(2).unwrap();
    let fork = folder.run(&["fork", &format!("r@{third}"), "--live", "--json"]);
    assert_eq!(ending(&shown(&fork)), "calls_exceeded", "{}{}", fork.stdout, fork.stderr);
    assert_eq!(calls(&folder).len(), 5, "one more was left: {}", folder.text("works"));
}

/// Thirty branches, each of which would call three times.
#[test]
fn branches_at_once_call_no_program_too_often() {
    let folder = endless("sleep 0.01");
    let call = |id: &str| CALL.replace("n1", id);
    let each = format!("{}, {}, {}", call("n1"), call("n2"), call("n3"));
    let fork = r#"{"id": "n1", "op": "Fork", "data": {"over": "$all", "item": "one"}},
        {"id": "n2", "op": "Join", "data": {}}"#;
    folder.write(
        "agent.json",
        graph(&[
            ("start", fork, "n1-branch->each n1-next-n2"),
            ("each", &each, "n1-next-n2 n2-next-n3"),
        ]),
    );
    let all: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    let all = format!("all=[{}]", all.join(","));
    let run =
        ["run", "agent.json", "--id", "r", "--json", "--input", &all, "--max-calls", "work=7"];
    let done = folder.run(&run);
    assert_eq!(ending(&shown(&done)), "calls_exceeded", "{}{}", done.stdout, done.stderr);
    assert!(calls(&folder).len() <= 7, "{}", calls(&folder).len());
    folder.is_sound("r");
}
