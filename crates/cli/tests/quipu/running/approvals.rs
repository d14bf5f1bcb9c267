//! A policy decides before a call leaves, and people approve exactly that call, once.

use super::*;

/// Small refunds are allowed, large ones are asked about, others are denied.
const RULES: &str = "rules:
  - when: tool == 'refund' and args.input > 100
    decision: ask
    capability: approve.refund
    expires_s: 60
    reason: a large refund
  - {when: tool == 'refund', decision: allow}
  - {when: tool == 'wipe', decision: deny_abort, reason: never}
default: deny_continue
";

const TESTS: &str = "- {call: {tool: refund, args: {input: 5}}, expect: allow}
- {call: {tool: refund, args: {input: 500}}, expect: ask}
- {call: {tool: wipe}, expect: deny_abort}
- {call: {tool: other}, expect: deny_continue}
";

const CONFIG: &str = "[tools.refund]\ncommand = [\"./refund\"]\n[tools.wipe]\ncommand = [\"./wipe\"]\n\
    [tools.other]\ncommand = [\"./wipe\"]\n[people.alice]\ncapabilities = [\"approve.refund\"]\n";

fn call(id: &str, tool: &str) -> String {
    format!(
        r#"{{"id": "{id}", "op": "R",
            "data": {{"adapter": "tool.CALL", "target": "{tool}", "out": "done"}}}}"#
    )
}

const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$done"}}"#;

/// An agent that calls one tool, which leaves a line for each call.
fn shop(tool: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!("{}, {END}", call("n1", tool));
    folder
        .program("refund", "read -r given; echo \"$given\" >> refunds; echo true")
        .program("wipe", "touch wiped; echo true")
        .write("quipu.toml", CONFIG)
        .write("rules.yaml", RULES)
        .write("tests.yaml", TESTS)
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n9")]));
    folder
}

/// Runs the agent under the rules, with an amount.
fn run(folder: &Folder, id: &str, amount: &str) -> Done {
    let input = format!("input={amount}");
    let words = ["run", "agent.json", "--id", id, "--input", &input, "--policy", "rules.yaml"];
    folder.run(&[&words[..], &["--json"]].concat())
}

/// The open questions, as `quipu inbox` shows them.
fn open(folder: &Folder) -> Vec<Value> {
    let inbox = folder.run(&["inbox", "--json"]).json();
    list(&inbox, "questions").to_vec()
}

fn question(folder: &Folder) -> String {
    text(&open(folder)[0], "question").to_string()
}

/// The decisions of a run: what was decided, and by whom.
fn decisions(folder: &Folder, run: &str) -> Vec<(String, Option<String>)> {
    let events = folder.events(run);
    let decided = events.iter().filter(|event| text(event, "kind") == "approval_decided");
    let who = |event: &Value| event.get("actor").and_then(Value::as_text).map(ToString::to_string);
    decided.map(|event| (text(event, "outcome").to_string(), who(event))).collect()
}

#[test]
fn what_is_allowed_leaves_and_what_is_denied_never_does() {
    let folder = shop("refund");
    let done = run(&folder, "r", "5");
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    assert_eq!(folder.text("refunds").lines().count(), 1);
    assert_eq!(decisions(&folder, "r"), [("policy_allow".to_string(), None)]);
    folder.is_sound("r");
    for (tool, code, outcome) in
        [("other", "denied", "policy_deny_continue"), ("wipe", "aborted", "policy_deny_abort")]
    {
        let folder = shop(tool);
        let done = run(&folder, "r", "5");
        assert_eq!((done.code, ending(&shown(&done))), (1, code));
        assert!(!folder.path().join("wiped").exists(), "`{tool}` ran");
        assert_eq!(decisions(&folder, "r"), [(outcome.to_string(), None)]);
        folder.is_sound("r");
    }
}

#[test]
fn an_approval_is_for_exactly_this_call_and_only_who_may_gives_it() {
    let folder = shop("refund");
    let done = run(&folder, "r", "500");
    assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"));
    let asked = open(&folder).remove(0);
    let prompt = text(&asked, "prompt");
    assert_eq!(prompt, "May `tool.refund` be called with {\"input\":500}? a large refund");
    assert_eq!(text(&asked, "capability"), "approve.refund");
    let id = text(&asked, "question");

    for somebody in ["mallory", "Alice", ""] {
        let refused = folder.run(&["answer", id, "approve", "--as", somebody, "--json"]);
        assert_eq!(refused.code, 1);
        let why = text(&shown(&refused), "error").to_string();
        assert!(why.contains("needs `approve.refund`") && why.contains("alice may"), "{why}");
    }
    assert_eq!(folder.text("refunds"), "");
    let taken = folder.run(&["answer", id, "approve", "--as", "alice", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    // Nobody drives the run: what was approved has not left.
    assert_eq!(folder.text("refunds"), "");
    let again = folder.run(&["answer", id, "deny", "--as", "alice", "--json"]);
    assert_eq!(again.code, 1);
    assert_eq!(text(shown(&again).get("first").unwrap(), "answer"), "approve");

    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    assert_eq!(folder.text("refunds"), "{\"input\":500}\n");
    let by_alice = ("user_approve".to_string(), Some("alice".to_string()));
    assert_eq!(decisions(&folder, "r"), [by_alice]);
    folder.is_sound("r");
    // Another run with the same arguments is another call.
    assert_eq!(run(&folder, "again", "500").code, 3);
    assert_eq!(folder.text("refunds").lines().count(), 1);
}

#[test]
fn a_denial_by_a_person_never_runs_the_call() {
    let folder = shop("refund");
    run(&folder, "r", "500");
    let denied = folder.run(&["answer", &question(&folder), "deny", "--as", "alice"]);
    assert_eq!(denied.code, 0, "{}", denied.stderr);
    for _ in 0..2 {
        let done = folder.run(&["resume", "r", "--json"]);
        assert_eq!((done.code, ending(&shown(&done))), (1, "denied"));
        assert!(text(shown(&done).get("error").unwrap(), "message").contains("alice"));
    }
    assert_eq!(folder.text("refunds"), "");
    folder.is_sound("r");
}

#[test]
fn what_expires_is_denied_however_late_somebody_approves() {
    let folder = shop("refund");
    let at = |second: &str| format!("2026-01-01T00:0{second}Z");
    let words =
        ["run", "agent.json", "--id", "r", "--input", "input=500", "--policy", "rules.yaml"];
    assert_eq!(folder.run_at(&at("0:00"), &words).code, 3);
    let id = question(&folder);
    let late = folder.run_at(&at("1:01"), &["answer", &id, "approve", "--as", "alice"]);
    assert_eq!(late.code, 1, "{}", late.stdout);
    assert!(late.stderr.contains("expired"), "{}", late.stderr);
    let done = folder.run_at(&at("1:02"), &["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "denied");
    assert_eq!(folder.text("refunds"), "");
    assert_eq!(decisions(&folder, "r"), [("expired".to_string(), None)]);
    folder.is_sound("r");
}

/// The first option is the safe one: that is what those take who look at nothing.
#[test]
fn who_answers_unseen_denies() {
    let folder = shop("refund");
    let list = ["--answers", "answers.json"];
    folder.write("answers.json", r#"["approve"]"#);
    for (more, who) in [(&["--model", "stub:high"][..], "alice"), (&list[..], "mallory")] {
        let run = format!("of-{who}");
        let words = ["run", "agent.json", "--id", &run, "--input", "input=500", "--json"];
        let words = [&words[..], &["--policy", "rules.yaml", "--as", who], more].concat();
        let done = folder.run(&words);
        assert_eq!(ending(&shown(&done)), "denied", "{}", done.stderr);
        assert_eq!(folder.text("refunds"), "", "{who}");
    }
    let words = ["run", "agent.json", "--id", "r", "--input", "input=500", "--json"];
    let words = [&words[..], &["--policy", "rules.yaml", "--as", "alice"], &list[..]].concat();
    assert_eq!(ending(&shown(&folder.run(&words))), "done");
    assert_eq!(decisions(&folder, "r")[0].1.as_deref(), Some("alice"));
}

/// The approved call runs exactly once, whenever a process dies.
#[test]
fn an_approved_call_runs_once_wherever_its_process_is_killed() {
    let folder = shop("refund");
    // It leaves a line at once, and then takes its time.
    folder.program(
        "refund",
        r#"grep -q "^$QUIPU_IDEMPOTENCY_KEY" refunds 2>/dev/null ||
            echo "$QUIPU_IDEMPOTENCY_KEY" >> refunds
        touch begun; while [ -e slow ]; do sleep 0.01; done; echo true"#,
    );
    folder.write("quipu.toml", CONFIG.replacen("\n", "\nagain = \"key\"\n", 1)).write("slow", "");
    // Killed while it asks, or before: nobody is asked twice.
    let begin =
        ["run", "agent.json", "--id", "r", "--input", "input=500", "--policy", "rules.yaml"];
    let process = folder.start(&begin);
    folder.until("the run is begun", |folder| folder.run(&["state", "r"]).code == 0);
    process.kill();
    let waits = folder.run(&["resume", "r"]);
    assert_eq!(waits.code, 3, "{}", waits.stderr);
    assert_eq!(open(&folder).len(), 1);
    let answered = folder.run(&["answer", &question(&folder), "approve", "--as", "alice"]);
    assert_eq!(answered.code, 0);
    // Killed with the approval given, while the call is under way.
    let process = folder.start(&["resume", "r"]);
    folder.until("the call has left", |folder| folder.path().join("begun").exists());
    process.kill();
    std::fs::remove_file(folder.path().join("slow")).unwrap();
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    assert_eq!(folder.text("refunds").lines().count(), 1);
    assert_eq!(decisions(&folder, "r").len(), 1);
    assert_eq!(ending(&shown(&folder.run(&["resume", "r", "--json"]))), "done");
    folder.is_sound("r");
}

/// The same at many moments: processes are killed ever later, until one comes to the end.
#[test]
fn an_approval_survives_every_death_and_is_used_once() {
    for again in ["key", "ask"] {
        let folder = shop("refund");
        folder.program(
            "refund",
            r#"grep -q "^$QUIPU_IDEMPOTENCY_KEY" refunds 2>/dev/null ||
                echo "$QUIPU_IDEMPOTENCY_KEY" >> refunds; echo true"#,
        );
        folder.write("quipu.toml", CONFIG.replacen("\n", &format!("\nagain = \"{again}\"\n"), 1));
        assert_eq!(run(&folder, "r", "500").code, 3);
        let approve = ["answer", &question(&folder), "approve", "--as", "alice"];
        // Whoever answers may die as well: then it is answered, or it is not.
        for micros in (0..).step_by(3_000) {
            let process = folder.start(&approve);
            std::thread::sleep(Duration::from_micros(micros));
            process.kill();
            if open(&folder).is_empty() {
                break;
            }
        }
        assert_eq!(decisions(&folder, "r").len(), 1);
        for micros in (0..).step_by(3_000) {
            let process = folder.start(&["resume", "r", "--json"]);
            std::thread::sleep(Duration::from_micros(micros));
            process.kill();
            if folder.kinds("r").contains(&"run_finished".to_string()) {
                break;
            }
        }
        let end = folder.run(&["resume", "r", "--json"]);
        let ended = ending(&shown(&end)).to_string();
        let calls = folder.text("refunds").lines().count();
        // What must not be repeated may be in doubt, but never happens twice.
        match again {
            "key" => assert_eq!((&*ended, calls), ("done", 1)),
            _ => {
                assert!(matches!(&*ended, "done" | "interrupted") && calls <= 1, "{ended} {calls}")
            }
        }
        assert_eq!(decisions(&folder, "r").len(), 1);
        folder.is_sound("r");
    }
}

#[test]
fn a_fork_asks_again_about_what_its_parent_was_allowed() {
    let folder = shop("refund");
    run(&folder, "r", "500");
    folder.run(&["answer", &question(&folder), "approve", "--as", "alice"]);
    // The last event is the approval; nothing has left.
    let last = folder.kinds("r").len() - 1;
    let fork = ["fork", &format!("r@{last}"), "--id", "f", "--live", "--json"];
    let done = folder.run(&fork);
    assert_eq!(ending(&shown(&done)), "waiting", "{}{}", done.stdout, done.stderr);
    assert_eq!(folder.text("refunds"), "");
    let asked = open(&folder);
    assert_eq!(asked.len(), 1);
    assert_eq!(text(&asked[0], "run"), "f");
    assert_eq!(ending(&shown(&folder.run(&["resume", "r", "--json"]))), "done");
    assert_eq!(folder.text("refunds").lines().count(), 1);
    folder.run(&["answer", text(&asked[0], "question"), "deny", "--as", "alice"]);
    assert_eq!(ending(&shown(&folder.run(&["resume", "f", "--json"]))), "denied");
    assert_eq!(folder.text("refunds").lines().count(), 1);
    folder.is_sound("f");
}

#[test]
fn a_policy_comes_into_force_with_tests_that_pass_and_counts_for_runs_that_wait() {
    let folder = shop("refund");
    run(&folder, "r", "500");
    folder.run(&["answer", &question(&folder), "approve", "--as", "alice"]);
    // Approved under the rules that it was tried with, and not used yet.
    folder.write("tight.yaml", "rules: []\ndefault: deny_continue\n");
    let bad = folder.run(&["policy", "propose", "tight.yaml", "--tests", "tests.yaml", "--json"]);
    assert_eq!(bad.code, 1);
    let name = text(&shown(&bad), "policy").to_string();
    let refused = folder.run(&["policy", "activate", &name, "--actor", "ada", "--json"]);
    assert_eq!(refused.code, 1);
    assert_eq!(text(&shown(&refused), "error"), "3 of its tests fail");
    folder
        .write("none.yaml", "[]")
        .write("few.yaml", "[{call: {tool: refund}, expect: deny_continue}]");
    let words = |tests| ["policy", "propose", "tight.yaml", "--tests", tests, "--json"];
    let untested = text(&shown(&folder.run(&words("none.yaml"))), "policy").to_string();
    let refused = folder.run(&["policy", "activate", &untested, "--actor", "ada", "--json"]);
    assert!(text(&shown(&refused), "error").contains("no tests"));
    let good = text(&shown(&folder.run(&words("few.yaml"))), "policy").to_string();
    let active = folder.run(&["policy", "activate", &good[..12], "--actor", "ada", "--json"]);
    assert_eq!(active.code, 0, "{}{}", active.stdout, active.stderr);
    let history = folder.run(&["policy", "history", "--json"]).json();
    let told: Vec<&str> =
        list(&history, "policies").iter().map(|step| text(step, "what")).collect();
    assert_eq!(told, ["proposed", "proposed", "proposed", "activated"]);

    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "denied", "{}", done.stderr);
    assert_eq!(folder.text("refunds"), "");
    let kinds = folder.kinds("r");
    assert!(kinds.contains(&"policy_activated".to_string()), "{kinds:?}");
    let digest = text(&shown(&active), "digest").to_string();
    let events = folder.events("r");
    let last = events.iter().rfind(|event| text(event, "kind") == "approval_decided").unwrap();
    assert_eq!(text(last, "policy_digest"), digest);
    assert_eq!(
        folder.run(&["policy", "show", &digest]).stdout.trim_end(),
        "rules: []\ndefault: deny_continue"
    );
    folder.is_sound("r");
    // What begins now begins under it.
    let begun = folder.run(&["run", "agent.json", "--input", "input=5", "--json"]);
    assert_eq!(ending(&shown(&begun)), "denied");
    assert_eq!(folder.text("refunds"), "");
}

/// Whatever a policy does that is no decision denies, and says why.
#[test]
fn a_policy_that_breaks_denies() {
    for (body, why) in [
        ("    return call['nothing']", "KeyError"),
        ("    while True: pass", "time limit"),
        ("    return {'decision': 'x' * (1 << 40)}", "MemoryError"),
        ("    return {'decision': 'perhaps'}", "none of allow"),
        ("    return 'allow'", "in the place of a decision"),
        ("    return {'decision': 'allow', 'and': 1}", "unknown member"),
        ("    return open('/etc/passwd').read()", "failed"),
        ("    pass", "in the place of a decision"),
        ("    return decide(call)", "RecursionError"),
    ] {
        let folder = shop("refund");
        folder.write("policy.py", format!("def decide(call):\n{body}\n"));
        let words =
            ["run", "agent.json", "--id", "r", "--input", "input=5", "--policy", "policy.py"];
        let done = folder.run(&[&words[..], &["--json"]].concat());
        assert_eq!(ending(&shown(&done)), "denied", "{body}: {}", done.stderr);
        assert_eq!(folder.text("refunds"), "", "{body}");
        let events = folder.events("r");
        let decided = events.iter().find(|event| text(event, "kind") == "approval_decided");
        let decided = decided.unwrap();
        assert_eq!(text(decided, "outcome"), "evaluator_error", "{body}");
        assert!(text(decided, "reason").contains(why), "{body}: {}", text(decided, "reason"));
        folder.is_sound("r");
    }
}

#[test]
fn what_is_no_policy_is_refused_before_anything_runs() {
    for (name, content, why) in [
        ("p.py", "def decide(call):\n  return (", "SyntaxError"),
        ("p.py", "x = 1\n", "def decide(call)"),
        ("p.yaml", "rules: []\n", "default"),
        ("p.yaml", "rules: [{when: amount > 3, decision: ask}]\ndefault: allow\n", "no `amount`"),
        ("p.yaml", "rules: [{when: tool == 'x', decision: maybe}]\ndefault: allow\n", "maybe"),
        ("p.yaml", "rules: [{decision: ask}]\ndefault: allow\n", "needs `when`"),
        ("p.yaml", "rules: [{when: 'a b c', decision: ask}]\ndefault: allow\n", "no condition"),
        ("p.yaml", "default: perhaps\n", "one of allow"),
        ("p.yaml", "a: [\n", "p.yaml:"),
    ] {
        let folder = shop("refund");
        folder.write(name, content);
        let done = folder.run(&["run", "agent.json", "--input", "input=5", "--policy", name]);
        assert_eq!(done.code, 1, "{content}: {}", done.stdout);
        assert!(done.stderr.contains(why), "{content}: {}", done.stderr);
        folder.write("tests.yaml", "[]");
        let tested = folder.run(&["policy", "test", name, "--tests", "tests.yaml", "--json"]);
        assert_eq!(tested.code, 1, "{content}: {}", tested.stderr);
        assert!(text(&tested.json(), "error").contains(why), "{content}: {}", tested.stdout);
        assert_eq!(folder.text("refunds"), "");
    }
}

/// A rule that compares what has no order protects nobody: it must not be passed by.
#[test]
fn a_rule_that_cannot_be_decided_denies() {
    let folder = shop("refund");
    for (number, amount) in ["\"500\"", "[500]", "null"].into_iter().enumerate() {
        let run_id = format!("r{number}");
        let done = run(&folder, &run_id, amount);
        assert_eq!(ending(&shown(&done)), "denied", "{amount}: {}", done.stderr);
        assert_eq!(decisions(&folder, &run_id)[0].0, "evaluator_error");
    }
    assert_eq!(folder.text("refunds"), "");
}

#[test]
fn why_explains_every_decision_in_one_way() {
    let folder = shop("refund");
    run(&folder, "allowed", "5");
    run(&folder, "asked", "500");
    let why = |run: &str, kind: &str| {
        let seq = folder.kinds(run).iter().position(|own| own == kind).unwrap();
        let why = folder.run(&["why", &format!("{run}@{seq}"), "--json"]).json();
        (
            text(&why, "decision").to_string(),
            text(&why, "source").to_string(),
            text(&why, "text").to_string(),
        )
    };
    let (decision, source, _) = why("allowed", "approval_decided");
    assert_eq!((&*decision, &*source), ("c1 may leave", "policy"));
    let (decision, source, reason) = why("asked", "approval_requested");
    assert_eq!((&*decision, &*source), ("c1 waits for approval", "policy"));
    assert!(reason.ends_with("a large refund"), "{reason}");
    folder.run(&["answer", &question(&folder), "deny", "--as", "alice"]);
    let (decision, source, _) = why("asked", "approval_decided");
    assert_eq!((&*decision, &*source), ("c1 may not leave", "person"));
}

/// What a policy allows is still held to the run's budget.
#[test]
fn an_allow_is_no_way_round_a_budget() {
    let folder = shop("refund");
    let nodes = format!("{}, {}, {END}", call("n1", "refund"), call("n2", "refund"));
    folder.write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
    let words = ["run", "agent.json", "--id", "r", "--input", "input=5", "--max-calls", "refund=1"];
    let done = folder.run(&[&words[..], &["--policy", "rules.yaml", "--json"]].concat());
    assert_eq!(ending(&shown(&done)), "calls_exceeded", "{}", done.stderr);
    assert_eq!(folder.text("refunds").lines().count(), 1);
    folder.is_sound("r");
}
