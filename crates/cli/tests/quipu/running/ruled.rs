//! The rules that a graph is held against decide about the calls of its runs too.

use super::*;

const CONFIG: &str = "[tools.pay]\ncommand = [\"./tool\"]\n[tools.wipe]\ncommand = [\"./tool\"]\n\
    [people.ada]\ncapabilities = [\"approve.pay\"]\n";

/// An agent that calls the tool that it is told to: nobody knows which before it runs. Its label runs
/// by the clock too.
fn desk(entry: &str) -> Folder {
    let folder = Folder::new();
    let call = r#"{"id": "n1", "op": "R",
        "data": {"adapter": "tool.CALL", "target": "$which", "out": "done"}}"#;
    let end = r#"{"id": "n2", "op": "J", "data": {"var": "$done"}}"#;
    let over = r#"{"id": "n1", "op": "Call", "data": {"label": "work", "out": "done"}}"#;
    let labels = [
        ("work", format!("{call}, {end}"), "n1-next-n2"),
        ("day", format!("{over}, {end}"), "n1-next-n2"),
        ("night", format!("{over}, {end}"), "n1-next-n2"),
    ];
    let labels: Vec<_> = labels.iter().map(|(id, nodes, edges)| (*id, &**nodes, *edges)).collect();
    let begins = format!(
        r#"{{"runtime_policy": {{"entry": "{entry}"}},
            "crons": [{{"label": "night", "expr": "0 4 * * *"}}], "labels""#
    );
    folder
        .program("tool", "read -r given; echo \"$given\" >> calls; echo '\"done\"'")
        .write("quipu.toml", CONFIG)
        .write("desk.json", graph(&labels).replacen("{\"labels\"", &begins, 1));
    folder
}

fn run(folder: &Folder, which: &str, more: &[&str]) -> Done {
    let which = format!("which={which}");
    let words = ["run", "desk.json", "--id", "r", "--input", &which, "--json"];
    folder.run(&[&words[..], more].concat())
}

fn calls(folder: &Folder) -> usize {
    folder.text("calls").lines().count()
}

#[test]
fn what_a_rule_forbids_is_denied_before_it_leaves() {
    for (policy, which, ending_as) in [
        ("deny: [tool.wipe]\n", "wipe", "denied"),
        ("deny: [tool.wipe]\n", "pay", "done"),
        ("deny:\n  - {adapters: tool.wipe, abort: true}\n", "wipe", "aborted"),
        ("deny:\n  - {adapters: tool.wipe, labels: day}\n", "wipe", "done"),
        (
            "allow: [tool.pay, tool.call]\ndeny: [{adapters: tool.pay, touches: read}]\n",
            "pay",
            "done",
        ),
        (
            "rules:\n  - {when: tool == 'pay', decision: allow}\ndefault: deny_continue\n",
            "wipe",
            "denied",
        ),
        ("rules: []\ndefault: allow\ndeny: [tool.wipe]\n", "wipe", "denied"),
        ("rules: []\ndefault: allow\ndeny: [tool.wipe]\n", "pay", "done"),
    ] {
        let folder = desk("day");
        folder.write("policy.yaml", policy);
        let done = run(&folder, which, &["--policy", "policy.yaml"]);
        assert_eq!(ending(&shown(&done)), ending_as, "{policy}{which}\n{}", done.stderr);
        assert_eq!(calls(&folder), usize::from(ending_as == "done"), "{policy}{which}");
        folder.is_sound("r");
    }
    let folder = desk("day");
    folder.write("policy.yaml", "deny:\n  - {adapters: tool.wipe, reason: never}\n");
    let done = run(&folder, "wipe", &["--policy", "policy.yaml"]);
    let message = json::compact(shown(&done).get("error").unwrap());
    assert!(message.contains("`deny` rule 1 of policy.yaml: never"), "{message}");
}

#[test]
fn where_a_run_began_counts() {
    let policy = "deny:\n  - {adapters: tool.*, from: {cron: \"*\"}}\n";
    for (entry, ending_as) in [("day", "done"), ("night", "P101")] {
        let folder = desk(entry);
        folder.write("policy.yaml", policy);
        let done = run(&folder, "pay", &["--policy", "policy.yaml"]);
        // The graph can do it in any case: it does not begin.
        assert!(done.code == 1 && done.stdout.contains("P101"), "{ending_as} {}", done.stdout);
    }
    // What only a run knows counts by where it began.
    let policy = policy.replace("tool.*", "tool.pay");
    for (entry, ending_as) in [("day", "done"), ("night", "denied"), ("work", "done")] {
        let folder = desk(entry);
        folder.write("policy.yaml", &policy);
        let done = run(&folder, "pay", &["--policy", "policy.yaml"]);
        assert_eq!(ending(&shown(&done)), ending_as, "{entry}\n{}", done.stderr);
    }
    // A label leads where the graph says, whoever comes by.
    for (label, ending_as) in [("day", "denied"), ("night", "denied"), ("other", "done")] {
        let folder = desk("day");
        let policy = format!("deny:\n  - {{adapters: tool.pay, from: {{label: {label}}}}}\n");
        folder.write("policy.yaml", &policy);
        let done = run(&folder, "pay", &["--policy", "policy.yaml"]);
        assert_eq!(ending(&shown(&done)), ending_as, "{label}\n{}", done.stderr);
    }
}

#[test]
fn what_needs_an_approval_is_asked() {
    let folder = desk("day");
    folder.write(
        "policy.yaml",
        "ask:\n  - {adapters: tool.pay, capability: approve.pay, reason: money}\n",
    );
    let done = run(&folder, "pay", &["--policy", "policy.yaml"]);
    assert_eq!((done.code, calls(&folder)), (3, 0), "{}", done.stderr);
    let inbox = folder.run(&["inbox", "--json"]).json();
    let question = text(&list(&inbox, "questions")[0], "question").to_string();
    assert!(text(&list(&inbox, "questions")[0], "prompt").contains("rule 1 of policy.yaml: money"));
    assert_eq!(folder.run(&["answer", &question, "approve", "--as", "bob"]).code, 1);
    assert_eq!(folder.run(&["answer", &question, "approve", "--as", "ada"]).code, 0);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!((ending(&shown(&done)), calls(&folder)), ("done", 1), "{}", done.stderr);
    folder.is_sound("r");
}

#[test]
fn a_workspace_decides_with_whatever_else_does() {
    let folder = desk("day");
    folder
        .write("quipu.toml", format!("{CONFIG}[policy]\nfiles = [\"ours.yaml\"]\n"))
        .write("ours.yaml", "deny: [tool.wipe]\n")
        .write("more.yaml", "ask: [tool.*]\n")
        .write("tests.yaml", "- {call: {tool: pay}, expect: allow}\n")
        .write("all.yaml", "rules: []\ndefault: allow\n")
        .write("strict.yaml", "deny: [tool.pay]\n")
        .write("denies.yaml", "- {call: {tool: pay}, expect: deny_continue}\n");
    assert_eq!(ending(&shown(&run(&folder, "wipe", &[]))), "denied");
    folder.is_sound("r");
    // A policy that is tried makes nothing of it weaker, and neither does one that is in force.
    let activate = |file: &str, tests: &str| {
        let done = folder.run(&["policy", "propose", file, "--tests", tests, "--json"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let name = text(&done.json(), "policy").to_string();
        assert_eq!(folder.run(&["policy", "activate", &name, "--actor", "ada"]).code, 0);
    };
    activate("all.yaml", "tests.yaml");
    let again = |id: &str, which: &str, more: &[&str]| {
        let which = format!("which={which}");
        let words = ["run", "desk.json", "--id", id, "--input", &which, "--json"];
        folder.run(&[&words[..], more].concat())
    };
    assert_eq!(ending(&shown(&again("s", "wipe", &[]))), "denied");
    let tried = ["--policy", "all.yaml", "--policy", "more.yaml"];
    assert_eq!(ending(&shown(&again("t", "wipe", &tried))), "denied");
    assert_eq!(again("u", "pay", &tried).code, 3);
    // What comes into force while it waits decides with the workspace from then on.
    activate("strict.yaml", "denies.yaml");
    let done = folder.run(&["resume", "u", "--json"]);
    assert_eq!((ending(&shown(&done)), calls(&folder)), ("denied", 0), "{}", done.stderr);
    folder.is_sound("u");
    // Without a configuration there is no workspace, and the policy in force decides alone.
    activate("all.yaml", "tests.yaml");
    let done = again("v", "wipe", &["--no-config", "--model", "stub:low"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
}

#[test]
fn a_graph_that_breaks_the_rules_does_not_begin() {
    let put = r#"{"id": "n1", "op": "QueuePut", "data": {"queue": "q", "value": "x"}},
        {"id": "n2", "op": "J", "data": {"var": "done"}}"#;
    let folder = Folder::new();
    folder
        .write("put.json", graph(&[("a", put, "n1-next-n2")]))
        .write("policy.yaml", "deny: [queue.put]\n")
        .write("tests.yaml", "- {call: {server: queue, tool: put}, expect: deny_continue}\n")
        .write("bad.yaml", "deny: [{}]\n");
    let refused = |done: Done, code: &str| {
        assert!(done.code == 1 && done.stdout.contains(code), "{}{}", done.stdout, done.stderr);
        assert_eq!(folder.run(&["state", "r"]).code, 2, "it began");
    };
    let words = ["run", "put.json", "--id", "r", "--json"];
    refused(folder.run(&[&words[..], &["--policy", "policy.yaml"]].concat()), "P101");
    refused(folder.run(&[&words[..], &["--policy", "bad.yaml"]].concat()), "P113");
    folder.write("quipu.toml", "[policy]\nfiles = [\"policy.yaml\"]\n");
    refused(folder.run(&words), "P101");
    folder.write("quipu.toml", "");
    let done = folder.run(&["policy", "propose", "policy.yaml", "--tests", "tests.yaml", "--json"]);
    let name = text(&done.json(), "policy").to_string();
    assert_eq!(folder.run(&["policy", "activate", &name, "--actor", "ada"]).code, 0);
    refused(folder.run(&words), "P101");
}
