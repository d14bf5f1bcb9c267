//! Several processes and one run.

use super::*;

/// A tool that says when it has begun, and ends when it may.
fn slow(again: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!(r#"{CALL}, {{"id": "n2", "op": "J", "data": {{"var": "$done"}}}}"#);
    folder
        .program(
            "work",
            "echo begun $QUIPU_ATTEMPT >> works\nuntil test -e enough; do sleep 0.01; done\n\
             echo ended $QUIPU_ATTEMPT >> works\necho '\"worked\"'",
        )
        .write("quipu.toml", format!("[tools.work]\ncommand = [\"./work\"]\nagain = \"{again}\"\n"))
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
    folder
}

fn begun(folder: &Folder, times: usize) {
    folder.until("the tool works", |folder| folder.text("works").lines().count() == times);
}

#[test]
fn one_process_drives_a_run_and_the_other_says_which() {
    let folder = slow("ask");
    let process = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    begun(&folder, 1);
    let second = folder.run(&["resume", "r", "--json"]);
    assert_eq!(second.code, 1);
    let error = shown(&second).get("error").unwrap().clone();
    assert_eq!((text(&error, "code"), text(&error, "next")), ("HELD", "quipu log r"));
    let told = format!("another process drives this run: process {};", process.number());
    assert!(text(&error, "message").starts_with(&told), "{}", second.stdout);
    let third = folder.run(&["resume", "r"]);
    assert!(third.stderr.starts_with(&format!("error: {told}")), "{}", third.stderr);
    folder.write("enough", "");
    let done = process.end();
    assert_eq!(text(&shown(&done), "result"), "worked");
    assert_eq!(folder.text("works"), "begun 1\nended 1\n");
    folder.is_sound("r");
}

/// Nobody knows which of them is first, and nothing happens twice.
#[test]
fn of_many_processes_that_resume_a_run_one_drives_it() {
    let folder = slow("key");
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    begun(&folder, 1);
    process.kill();
    let processes: Vec<Running> =
        (0..4).map(|_| folder.start(&["resume", "r", "--json"])).collect();
    // The lease of a process that was killed does not have to end.
    begun(&folder, 2);
    folder.until("the others gave up", |_| {
        processes.iter().filter(|process| process.is_running()).count() == 1
    });
    folder.write("enough", "");
    let ended: Vec<Done> = processes.into_iter().map(Running::end).collect();
    let codes = |wanted: i32| ended.iter().filter(|done| done.code == wanted).count();
    assert_eq!((codes(0), codes(1)), (1, 3));
    for done in ended.iter().filter(|done| done.code == 1) {
        assert_eq!(text(shown(done).get("error").unwrap(), "code"), "HELD");
    }
    assert_eq!(folder.kinds("r").iter().filter(|kind| *kind == "effect_started").count(), 2);
    folder.is_sound("r");
}

#[test]
fn a_run_that_waits_for_a_tool_is_cancelled_from_elsewhere() {
    let folder = slow("ask");
    let process = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    begun(&folder, 1);
    let cancelled = folder.run(&["cancel", "r", "-m", "not needed", "--json"]);
    assert_eq!((cancelled.code, text(&shown(&cancelled), "run")), (0, "r"));
    // It changes something outside, so that what becomes of it is still waited for.
    folder.write("enough", "");
    let done = process.end();
    assert_eq!((done.code, text(&shown(&done), "status")), (1, "cancelled"), "{}", done.stdout);
    let error = shown(&done).get("error").unwrap().clone();
    assert_eq!((text(&error, "code"), text(&error, "message")), ("cancelled", "not needed"));
    let again = folder.run(&["cancel", "r", "--json"]);
    assert_eq!(again.code, 1);
    let told = "`r` has ended already; `quipu resume r` shows how";
    assert_eq!(text(&shown(&again), "error"), told);
    assert_eq!(folder.run(&["cancel", "r"]).stderr, format!("{told}\n"));
    let resumed = folder.run(&["resume", "r", "--json"]);
    assert_eq!((resumed.code, text(&shown(&resumed), "status")), (1, "cancelled"));
    assert_eq!(folder.run(&["cancel", "nothing"]).code, 2);
    folder.is_sound("r");
}

/// Nothing changes but the reading, so that nobody waits for what is given up.
#[test]
fn a_tool_that_only_reads_is_ended_when_its_run_is_cancelled() {
    let folder = slow("free");
    folder.write(
        "quipu.toml",
        "[tools.work]\ncommand = [\"./work\"]\ntouches = \"read\"\nagain = \"free\"\n",
    );
    let process = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    begun(&folder, 1);
    assert_eq!(folder.run(&["cancel", "r"]).stdout, "r is cancelled\n");
    let done = process.end();
    assert_eq!((done.code, text(&shown(&done), "status")), (1, "cancelled"), "{}", done.stdout);
    assert_eq!(folder.text("works"), "begun 1\n");
    folder.is_sound("r");
}

#[test]
fn a_run_that_nobody_drives_is_cancelled_too() {
    let folder = Folder::new();
    let ask = r#"{"id": "n1", "op": "Ask", "data": {"prompt": "Go?", "out": "go"}}"#;
    folder.write("agent.json", graph(&[("start", ask, "")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    assert_eq!(folder.run(&["cancel", "r"]).code, 0);
    let inbox = folder.run(&["inbox"]);
    assert_eq!(
        (inbox.stdout.as_str(), inbox.stderr.as_str()),
        ("", "nobody waits for an answer\n")
    );
    folder.is_sound("r");
}

#[test]
fn a_run_that_computes_is_cancelled_from_elsewhere() {
    let folder = Folder::new();
    counting(&folder);
    let process = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    folder.until("it has begun", |folder| folder.run(&["state", "r"]).code == 0);
    assert_eq!(folder.run(&["cancel", "r"]).code, 0);
    let done = process.end();
    assert_eq!((done.code, text(&shown(&done), "status")), (1, "cancelled"), "{}", done.stdout);
    assert_eq!(folder.kinds("r"), ["run_started", "run_cancelled"]);
    folder.is_sound("r");
}
