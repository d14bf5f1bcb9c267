//! What is printed after a doubt is right: each command is followed as it stands there.

use super::*;

/// Works until a file says that it need not, and notes that it has begun.
const WORK: &str = "echo x >> works\nwhile test -e wait; do sleep 0.01; done\necho true";

fn call(tool: &str, out: &str) -> String {
    CALL.replace("work", tool).replace("done", out)
}

/// The tool `work` must not be repeated unasked; `look` may.
fn folder(labels: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::new();
    folder
        .program("work", WORK)
        .program("look", &WORK.replace("works", "looks"))
        .write(
            "quipu.toml",
            "[tools.work]\ncommand = [\"./work\"]\n[tools.look]\ncommand = [\"./look\"]\n\
             touches = \"read\"\nagain = \"free\"\n",
        )
        .write("wait", "")
        .write("agent.json", graph(labels));
    folder
}

fn lines(folder: &Folder, name: &str) -> usize {
    folder.text(name).lines().count()
}

/// Kills a command as soon as the tools have begun.
fn kill_while_working(folder: &Folder, arguments: &[&str], is_so: impl Fn(&Folder) -> bool) {
    let process = folder.start(arguments);
    folder.until("the tools work", is_so);
    process.kill();
}

/// Runs a line as a shell does, with a value in place of `VALUE`.
fn follow(folder: &Folder, line: &str) -> Done {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_quipu"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &line.replace("VALUE", "true")])
        .current_dir(folder.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output();
    done(output.unwrap())
}

/// What stands behind some words in what was told.
fn told<'a>(done: &'a Done, words: &str) -> &'a str {
    let line = done.stderr.lines().find_map(|line| line.strip_prefix(words));
    line.unwrap_or_else(|| panic!("no `{words}` in {}", done.stderr)).trim()
}

/// Follows what a run that is in doubt was said to go on with, whatever happened.
fn follow_all(folder: &Folder, run: &str) {
    let begun = lines(folder, "works");
    let told_json = folder.run(&["resume", run, "--json"]);
    assert_eq!(ending(&shown(&told_json)), "interrupted", "{}", told_json.stdout);
    std::fs::remove_file(folder.path().join("wait")).unwrap();
    let told_text = folder.run(&["resume", run]);
    let happened = told(&told_text, "if it happened:");
    assert_eq!(text(&shown(&told_json), "next"), happened);
    for (line, more) in [(happened, 0), (told(&told_text, "if it did not:"), 1)] {
        let before = lines(folder, "works");
        let done = follow(folder, &format!("{line} --json"));
        assert_eq!(ending(&shown(&done)), "done", "{line}: {}{}", done.stdout, done.stderr);
        assert_eq!(lines(folder, "works"), before + more, "{line}");
        folder.is_sound(text(&shown(&done), "run"));
    }
    assert_eq!(lines(folder, "works"), begun + 1);
    // Nothing else that is printed names another place to fork at.
    let place = happened.split(' ').nth(2).unwrap();
    let forks: Vec<&str> = told_text.stderr.split("quipu fork ").skip(1).collect();
    assert!(forks.iter().all(|fork| fork.starts_with(&format!("{place} "))), "{forks:?}");
    folder.is_sound(run);
}

const FORK: &str =
    r#"{"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}}"#;

#[test]
fn beside_another_branch_that_was_given_up() {
    let folder = folder(&[
        ("start", FORK, "n1-branch->pays n1-branch->looks n1-next-n2"),
        ("pays", &call("work", "done"), ""),
        ("looks", &call("look", "seen"), ""),
    ]);
    kill_while_working(&folder, &["run", "agent.json", "--id", "r"], |folder| {
        lines(folder, "works") == 1 && lines(folder, "looks") == 1
    });
    follow_all(&folder, "r");
}

#[test]
fn in_a_fork_that_goes_on_with_a_call_of_its_parent() {
    let folder = folder(&[("start", CALL, "")]);
    kill_while_working(&folder, &["run", "agent.json", "--id", "r"], |folder| {
        lines(folder, "works") == 1
    });
    assert_eq!(folder.kinds("r"), ["run_started", "tool_call", "effect_started"]);
    kill_while_working(&folder, &["fork", "r@2", "--live", "--id", "f"], |folder| {
        lines(folder, "works") == 2
    });
    follow_all(&folder, "f");
}

#[test]
fn in_a_fork_from_behind_the_doubt() {
    let folder = folder(&[("start", CALL, "")]);
    kill_while_working(&folder, &["run", "agent.json", "--id", "r"], |folder| {
        lines(folder, "works") == 1
    });
    assert_eq!(folder.run(&["resume", "r"]).code, 1);
    assert_eq!(folder.kinds("r")[3], "interruption");
    let done = folder.run(&["fork", "r@3", "--id", "f", "--json"]);
    assert_eq!(ending(&shown(&done)), "interrupted", "{}{}", done.stdout, done.stderr);
    assert_eq!(text(&shown(&done), "next"), "quipu fork f@2 --live --output start/n1=VALUE");
    follow_all(&folder, "f");
}

/// One value can be given for a node: two calls of it cannot both have happened.
#[test]
fn where_a_node_has_several_calls_in_doubt_no_command_pretends_to_answer_them() {
    let over = FORK.replace("{}}, ", r#"{"over": [1, 2], "item": "input"}}, "#);
    let folder = folder(&[
        ("start", &over, "n1-branch->pays n1-next-n2"),
        ("pays", &call("work", "done"), ""),
    ]);
    kill_while_working(&folder, &["run", "agent.json", "--id", "r"], |folder| {
        lines(folder, "works") == 2
    });
    std::fs::remove_file(folder.path().join("wait")).unwrap();
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "interrupted", "{}", done.stdout);
    assert_eq!(shown(&done).get("next"), None);
    let done = folder.run(&["resume", "r"]);
    let why = "no command can say so: several calls of pays/n1 are in doubt";
    assert_eq!(told(&done, "if it happened:"), why);
    let again = follow(&folder, &format!("{} --json", told(&done, "if it did not:")));
    assert_eq!(ending(&shown(&again)), "done", "{}{}", again.stdout, again.stderr);
    assert_eq!(lines(&folder, "works"), 4);
}
