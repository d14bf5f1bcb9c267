//! Which node a failure is told of: the one whose fault it is, however it was come to.

use super::*;

/// A node that fails, and before it one that does not.
const CHARGE: &str = r#"{"id": "n1", "op": "Set", "data": {"name": "x", "ref": 1}},
    {"id": "n2", "op": "R", "data": {"adapter": "core.FAIL", "target": "no_money"}}"#;

fn call(id: &str, label: &str) -> String {
    format!(r#"{{"id": "{id}", "op": "Call", "data": {{"label": "{label}", "out": "x"}}}}"#)
}

fn fork(strategy: &str) -> String {
    format!(
        r#"{{"id": "n1", "op": "Fork", "data": {{}}}},
           {{"id": "n2", "op": "Join", "data": {{"strategy": "{strategy}"}}}}"#
    )
}

/// Runs labels of which `charge` fails, and gives the error.
fn error(labels: &[(&str, &str, &str)]) -> Value {
    let folder = Folder::new();
    let labels: Vec<_> = labels.iter().copied().chain([("charge", CHARGE, "n1-next-n2")]).collect();
    folder.write("agent.json", graph(&labels));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
    let document = shown(&done);
    let error = document.get("error").unwrap();
    let node = text(error, "node");
    // Everybody says the same.
    let again = shown(&folder.run(&["resume", "r", "--json"]));
    assert_eq!(again.get("error"), Some(error));
    let last = format!("r@{}", folder.events("r").len() - 1);
    let why = folder.run(&["why", &last, "--json"]).json();
    let needs = text(&list(&why, "not_taken")[0], "needs");
    assert!(needs.starts_with(&format!("a `Retry` or an `Err` at {node}, ")), "{needs}");
    folder.is_sound("r");
    error.clone()
}

#[test]
fn what_a_call_or_a_loop_fails_with_is_told_of_the_node_in_it() {
    let (inner, outer) = (call("n1", "charge"), call("n1", "pay"));
    let turns = r#"{"id": "n1", "op": "Loop", "data": {"ref": [1, 2], "item": "item"}}"#;
    for labels in [
        &[("main", inner.as_str(), "")][..],
        &[("main", &outer, ""), ("pay", &inner, "")],
        &[("main", turns, "n1-body->pay"), ("pay", &inner, "")],
    ] {
        let error = error(labels);
        assert_eq!((text(&error, "node"), text(&error, "code")), ("charge/n2", "no_money"));
    }
}

/// A guard of a caller that lets the failure through does not take it on.
#[test]
fn what_was_tried_again_in_vain_is_told_of_the_node_that_failed() {
    let nodes = format!(
        r#"{}, {{"id": "n2", "op": "Retry", "data": {{"count": 1}}}}"#,
        call("n1", "charge")
    );
    let error = error(&[("main", &nodes, "n1-retry-n2")]);
    assert_eq!(text(&error, "node"), "charge/n2");
}

/// A handler that fails is a failure of its own.
#[test]
fn what_a_handler_fails_with_is_told_of_the_handler() {
    let nodes = format!(
        r#"{}, {{"id": "n2", "op": "Err", "data": {{"handler": "late"}}}}"#,
        call("n1", "charge")
    );
    let fails = r#"{"id": "n1", "op": "R", "data": {"adapter": "core.FAIL", "target": "late"}}"#;
    let edges = "n1-err-n2 n2-handler->late";
    let error = error(&[("main", &nodes, edges), ("late", fails, "")]);
    assert_eq!((text(&error, "node"), text(&error, "code")), ("late/n1", "late"));
}

#[test]
fn what_a_branch_fails_with_is_told_of_the_node_in_it() {
    let (pay, fine) =
        (call("n1", "charge"), r#"{"id": "n1", "op": "Set", "data": {"name": "y", "ref": 1}}"#);
    let edges = "n1-branch->pay n1-branch->fine n1-next-n2";
    let branches = [("pay", pay.as_str(), ""), ("fine", fine, "")];
    let run = |strategy: &str, fine: &str| {
        let fork = fork(strategy);
        error(&[("main", &fork, edges), branches[0], ("fine", fine, "")])
    };
    let all = run("all", fine);
    assert_eq!((text(&all, "node"), text(&all, "code")), ("charge/n2", "no_money"));
    let most = run("quorum:2", fine);
    assert_eq!((text(&most, "node"), text(&most, "code")), ("charge/n2", "branches"));

    // Where several failed, it is nobody's fault alone: each is told of.
    let any = run("any", &pay);
    assert_eq!((text(&any, "node"), text(&any, "code")), ("main/n2", "branches"));
    let failed: Vec<&str> = list(&any, "details").iter().map(|one| text(one, "at")).collect();
    assert_eq!(failed, ["charge/n2", "charge/n2"]);
}

/// A word for how a join ends that nobody knows must not count as another one.
#[test]
fn a_join_of_an_unknown_strategy_does_not_run() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {}},
        {"id": "n2", "op": "Join", "data": {"strategy": "majority"}}"#;
    let set = r#"{"id": "n1", "op": "Set", "data": {"name": "x", "ref": 1}}"#;
    let edges = "n1-branch->one n1-next-n2";
    folder.write("agent.json", graph(&[("start", fork, edges), ("one", set, "")]));
    let done = folder.run(&["run", "agent.json"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    assert!(done.stderr.contains("the strategy `majority`"), "{}", done.stderr);
    assert!(!folder.path().join(".quipu").exists(), "nothing was begun");
}

/// Only Python runs: what else stands under `logic` is no block, and its failure is none of one.
#[test]
fn logic_in_another_language_fails_where_it_stands_and_can_be_read_again() {
    let folder = Folder::new();
    let script = r#"{"id": "n1", "op": "R", "data": {"adapter": "logic.JS", "target": "x = 1"}}"#;
    folder.write("agent.json", graph(&[("start", script, "")]));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let document = shown(&done);
    assert_eq!((done.code, ending(&document)), (1, "missing"), "{}", done.stdout);
    let error = document.get("error").unwrap();
    assert_eq!(text(error, "message"), "`logic.JS` cannot run yet");
    assert_eq!(folder.kinds("r"), ["run_started", "run_finished"]);
    folder.is_sound("r");
    for command in [&["why", "r"][..], &["resume", "r"], &["fork", "r@0"]] {
        let done = folder.run(&[command, &["--json"]].concat());
        assert!(done.code < 2, "{command:?}: {}{}", done.stdout, done.stderr);
    }
}

/// What is printed where a run failed must lead to where it can go on otherwise.
#[test]
fn the_fork_that_is_advised_is_from_before_what_failed() {
    let folder = Folder::new();
    let block = r#"{"id": "n1", "op": "R",
        "data": {"adapter": "logic.PYTHON", "target": "state.data['y'] = 1 / state.data['x']"}}"#;
    folder.write("agent.json", graph(&[("start", block, "")]));
    let done = folder.run(&["run", "agent.json", "--id", "a", "--input", "x=0"]);
    assert!(done.stderr.contains("quipu fork a@0 "), "{}", done.stderr);
    for (at, id) in [("a@0", "b"), ("a@1", "c")] {
        let done = folder.run(&["fork", at, "--id", id, "--json"]);
        assert_eq!(ending(&shown(&done)), "logic", "{}", done.stderr);
        assert_eq!(shown(&done).get("from").unwrap().get("seq"), Some(&Value::Int(0)));
        folder.is_sound(id);
        let done = folder.run(&["fork", at, "--set", "x=1", "--json"]);
        assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    }
    folder.program("pay", "echo paid >> payments; echo 1");
    folder.write("quipu.toml", "[tools.pay]\ncommand = [\"./pay\"]\n");
    let calls = r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "pay", "out": "x"}},
        {"id": "n2", "op": "R", "data": {"adapter": "tool.CALL", "target": "pay", "out": "y"}}"#;
    folder.write("agent.json", graph(&[("start", calls, "n1-next-n2")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "p"]).code, 0);
    let denied = folder.run(&["fork", "p@3", "--id", "q"]);
    let advised = denied.stderr.lines().find_map(|line| line.trim().strip_prefix("quipu fork "));
    let advised = advised.unwrap().split(' ').next().unwrap().to_owned();
    let done = folder.run(&["fork", &advised, "--live", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{advised}: {}{}", denied.stderr, done.stderr);
    assert_eq!(folder.text("payments"), "paid\npaid\npaid\n");
}
