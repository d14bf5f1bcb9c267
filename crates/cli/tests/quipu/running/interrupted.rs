//! Ctrl-C pauses a run so that it can go on.

use super::*;

/// A loop over a tool that takes its time.
fn looping(again: &str) -> Folder {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "input", "body": "one", "after": "end"}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$done"}}"#;
    folder
        .program(
            "work",
            "read -r given\necho \"begun $given\" >> works\nuntil test -e enough; do sleep 0.01; \
             done\necho \"ended $given\" >> works\necho true",
        )
        .write("quipu.toml", format!("[tools.work]\ncommand = [\"./work\"]\nagain = \"{again}\"\n"))
        .write(
            "agent.json",
            graph(&[
                ("start", over, "n1-body->one n1-after->end"),
                ("one", CALL, ""),
                ("end", end, ""),
            ]),
        );
    folder
}

fn start(folder: &Folder) -> Running {
    let process = folder.start(&["run", "agent.json", "--id", "r", "--input", "items=[1,2]"]);
    folder.until("the tool works", |folder| !folder.text("works").is_empty());
    process
}

#[test]
fn a_call_that_cannot_be_repeated_ends_before_the_run_pauses() {
    let folder = looping("ask");
    let mut process = start(&folder);
    process.interrupt();
    let notice = process.line();
    let told = "pausing: waits for one/n1, which cannot be repeated; once more ends at once";
    assert_eq!(notice, told);
    folder.write("enough", "");
    let done = process.end();
    assert_eq!(done.code, 130, "{}{}", done.stdout, done.stderr);
    let told = "paused: 2 processes, 1 tool call (run r)\nnext: quipu resume r  go on\n";
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", told));
    let kinds = ["run_started", "tool_call", "effect_started", "tool_result", "run_paused"];
    assert_eq!(folder.kinds("r"), kinds);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    let works =
        "begun {\"input\":1}\nended {\"input\":1}\nbegun {\"input\":2}\nended {\"input\":2}\n";
    assert_eq!(folder.text("works"), works);
    assert!(!folder.kinds("r").contains(&"interruption".to_string()));
    folder.is_sound("r");
}

/// A terminal interrupts all that belong to it. What is hit with us has not failed.
#[test]
fn a_tool_that_is_interrupted_with_its_run_does_not_fail_it() {
    let folder = looping("ask");
    folder.program(
        "work",
        "echo begun >> works\nuntil test -e enough; do sleep 0.01; done\nkill -INT $$; sleep 9",
    );
    let mut process = start(&folder);
    process.interrupt();
    assert!(process.line().starts_with("pausing: waits for one/n1"));
    folder.write("enough", "");
    assert_eq!(process.end().code, 130);
    let kinds = ["run_started", "tool_call", "effect_started", "run_paused"];
    assert_eq!(folder.kinds("r"), kinds);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "interrupted", "{}", done.stdout);
    folder.is_sound("r");
}

#[test]
fn a_second_interrupt_ends_at_once_and_leaves_a_doubt() {
    let folder = looping("ask");
    let mut process = start(&folder);
    process.interrupt();
    process.line();
    process.interrupt();
    assert_eq!(process.end().code, 130);
    folder.write("enough", "");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (1, "interrupted"), "{}", done.stdout);
    let next = "quipu fork r@2 --live --output one/n1=VALUE";
    assert_eq!(text(&shown(&done), "next"), next);
    // The command that it names is right, whatever happened.
    let fork = next.replace("VALUE", "true");
    let words: Vec<&str> = fork.split(' ').skip(1).chain(["--json"]).collect();
    let done = folder.run(&words);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    folder.is_sound("r");
}

#[test]
fn a_call_that_may_be_repeated_is() {
    for again in ["key", "free"] {
        let folder = looping(again);
        let process = start(&folder);
        process.interrupt();
        let done = process.end();
        assert_eq!(done.code, 130, "{}{}", done.stdout, done.stderr);
        assert_eq!(folder.kinds("r").last().unwrap(), "run_paused");
        // The program did not outlive the process.
        assert_eq!(folder.text("works"), "begun {\"input\":1}\n");
        folder.write("enough", "");
        let done = folder.run(&["resume", "r", "--json"]);
        assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
        assert_eq!(folder.text("works").lines().count(), 5);
        assert!(!folder.kinds("r").contains(&"interruption".to_string()));
        folder.is_sound("r");
    }
}

/// Two branches write. What the first answer leads to is recorded, but does not leave any more.
#[test]
fn what_was_recorded_but_did_not_leave_is_not_in_doubt() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {"over": "$items", "item": "input"}},
        {"id": "n2", "op": "Join", "data": {}}"#;
    let again = CALL.replace("n1", "n2");
    folder
        .program(
            "work",
            "read -r given\necho \"begun $given\" >> works\nuntil test -e enough; do sleep 0.01; \
             done\necho true",
        )
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->one n1-next-n2"),
                ("one", &format!("{CALL}, {again}"), "n1-next-n2"),
            ]),
        );
    let mut process = folder.start(&["run", "agent.json", "--id", "r", "--input", "items=[1,2,3]"]);
    folder.until("all tools work", |folder| folder.text("works").lines().count() == 3);
    process.interrupt();
    process.line();
    folder.write("enough", "");
    assert_eq!(process.end().code, 130);
    assert_eq!(folder.text("works").lines().count(), 3, "nothing more has left");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!(folder.text("works").lines().count(), 6);
    assert!(!folder.kinds("r").contains(&"interruption".to_string()));
    folder.is_sound("r");
}

#[test]
fn a_long_computation_pauses_and_goes_on() {
    let folder = Folder::new();
    let turns = r#"{"id": "n1", "op": "While",
        "data": {"cond": "n < 400000", "body": "add", "after": "end", "limit": 1000000}}"#;
    let first = r#"{"id": "n0", "op": "Set", "data": {"name": "n", "ref": 0}}"#;
    let add = r#"{"id": "n1", "op": "X", "data": {"dst": "n", "fn": "add", "args": ["$n", 1]}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$n"}}"#;
    folder.write(
        "agent.json",
        graph(&[
            ("start", &format!("{first}, {turns}"), "n0-next-n1 n1-body->add n1-after->end"),
            ("add", add, ""),
            ("end", end, ""),
        ]),
    );
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("it has begun", |folder| folder.run(&["state", "r"]).code == 0);
    process.interrupt();
    let done = process.end();
    assert_eq!(done.code, 130, "{}{}", done.stdout, done.stderr);
    assert_eq!(folder.kinds("r"), ["run_started", "run_paused"]);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(shown(&done).get("result"), Some(&Value::Int(400_000)));
    folder.is_sound("r");
}

/// However long a block takes, nobody waits for more than that.
#[test]
fn slow_blocks_pause() {
    let folder = Folder::new();
    counting(&folder);
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("it has begun", |folder| folder.run(&["state", "r"]).code == 0);
    process.interrupt();
    let done = process.end();
    assert_eq!(done.code, 130, "{}{}", done.stdout, done.stderr);
    assert_eq!(folder.kinds("r"), ["run_started", "run_paused"]);
    folder.is_sound("r");
}
