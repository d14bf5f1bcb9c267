//! What is to be different in a fork is held against it before there is one.

use super::*;

fn ask(prompt: &str, more: &str) -> String {
    format!(
        r#"{{"id": "n1", "op": "Ask",
            "data": {{"prompt": "{prompt}", "options": ["yes", "no"], "out": "said"{more}}}}}"#
    )
}

const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$said"}}"#;

/// Asks only if it is told to, or if the tool says so.
fn asking() -> Folder {
    let folder = Folder::new();
    let gate = r#"{"id": "n2", "op": "If", "data": {"cond": "done == 'ask' or wanted == true"}}"#;
    folder
        .program("work", "echo '\"go on\"'")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", &format!("{CALL}, {gate}"), "n1-next-n2 n2-then->ask n2-else->end"),
                ("ask", &format!("{}, {END}", ask("Sure?", "")), "n1-next-n9"),
                ("end", END, ""),
            ]),
        );
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(folder.kinds("r")[3], "tool_result");
    folder
}

#[test]
fn an_answer_that_does_not_fit_leaves_no_fork() {
    let folder = asking();
    let wrong = ["fork", "r@3", "--set", "wanted=true", "--id", "f", "--branch", "b"];
    let done = folder.run(&[&wrong[..], &["--answer", "perhaps"]].concat());
    assert_eq!(done.code, 2, "{}{}", done.stdout, done.stderr);
    let why = "error: `--answer` cannot be taken: the answer must be one of: yes, no\n";
    assert_eq!(done.stderr, why);
    let done = folder.run(&[&wrong[..], &["--answer", "no", "--json"]].concat());
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!((text(&shown(&done), "run"), text(&shown(&done), "result")), ("f", "no"));
    folder.is_sound("f");
}

#[test]
fn an_answer_is_for_what_the_fork_asks_with_its_other_values() {
    let folder = asking();
    for (at, more) in [("r@3", ["--set", "wanted=true"]), ("r@0", ["--output", "start/n1=ask"])] {
        let fork = ["fork", at, "--answer", "Yes", "--json"];
        let done = folder.run(&[&fork[..], &more].concat());
        let document = shown(&done);
        assert_eq!(ending(&document), "done", "{at}: {}{}", done.stdout, done.stderr);
        assert_eq!(text(&document, "result"), "yes");
        folder.is_sound(text(&document, "run"));
    }
    let done = folder.run(&["fork", "r@3", "--id", "g", "--answer", "yes"]);
    let why = "error: no question is open at r@3\n";
    assert_eq!((done.code, done.stderr.as_str()), (2, why));
    assert_eq!(folder.run(&["log", "g"]).code, 2, "nothing was begun");
}

#[test]
fn several_answers_are_given_one_after_the_other() {
    let folder = Folder::new();
    let second = ask("Really?", "").replace("n1", "n2").replace("said", "really");
    let both = r#"{"id": "n9", "op": "J", "data": {"var": "$really"}}"#;
    let nodes = format!("{}, {second}, {both}", ask("Sure?", ""));
    folder.write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    let done = folder.run(&["fork", "r", "--answer", "no", "--answer", "yes", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(text(&shown(&done), "result"), "yes");
    folder.is_sound(text(&shown(&done), "run"));
}

#[test]
fn an_answer_that_comes_too_late_leaves_no_fork() {
    let folder = Folder::new();
    let nodes = format!("{}, {END}", ask("Sure?", r#", "expires": "1h", "default": "no""#));
    folder.write("agent.json", graph(&[("start", &nodes, "n1-next-n9")]));
    let run = ["run", "agent.json", "--id", "r"];
    assert_eq!(folder.run_at("2026-03-02T09:00:00.000000Z", &run).code, 3);
    let fork = ["fork", "r@2", "--id", "f", "--answer", "yes"];
    let done = folder.run_at("2026-03-02T10:00:00.000000Z", &fork);
    assert_eq!(done.code, 2, "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.starts_with("error: `--answer` cannot be taken: it expired at "));
    assert_eq!(folder.run(&["log", "f"]).code, 2, "nothing was begun");
}
