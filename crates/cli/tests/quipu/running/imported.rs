//! Runs that an import brought. Their histories name files of whoever wrote them, and say what tools
//! do, who may answer and what was allowed: none of it counts here.

use super::*;

const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$done"}}"#;

fn ask(more: &str) -> String {
    format!(
        r#"{{"id": "n1", "op": "Ask",
            "data": {{"prompt": "Pay?", "options": ["Yes", "No"], "out": "said"{more}}}}}"#
    )
}

fn call(id: &str) -> String {
    format!(
        r#"{{"id": "{id}", "op": "R",
            "data": {{"adapter": "tool.CALL", "target": "pay", "out": "done"}}}}"#
    )
}

/// A folder in which an agent asks and then pays, with a configuration of its own.
fn asking(config: &str, more: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!("{}, {}, {END}", ask(more), call("n2"));
    folder
        .program("pay", "echo paid >> payments; echo true")
        .write("quipu.toml", format!("[tools.pay]\ncommand = [\"./pay\"]\n{config}"))
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
    folder
}

/// A folder of somebody who binds `pay` too.
fn home(config: &str) -> Folder {
    let folder = Folder::new();
    folder
        .program("pay", "echo paid >> payments; echo true")
        .write("mine.toml", format!("[tools.pay]\ncommand = [\"./pay\"]\n{config}"));
    folder
}

/// Brings a run of one folder to another.
fn bring(from: &Folder, run: &str, to: &Folder) {
    let exported = from.run(&["export", run]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    to.write("brought.jsonl", exported.stdout);
    let imported = to.run(&["import", "brought.jsonl"]);
    assert_eq!(imported.code, 0, "{}{}", imported.stdout, imported.stderr);
}

fn question(folder: &Folder) -> String {
    let inbox = folder.run(&["inbox", "--json"]).json();
    text(&list(&inbox, "questions")[0], "question").to_string()
}

fn waiting(folder: &Folder, more: &[&str]) {
    let words = [&["run", "agent.json", "--id", "r", "--json"][..], more].concat();
    let done = folder.run(&words);
    assert_eq!(ending(&shown(&done)), "waiting", "{}{}", done.stdout, done.stderr);
}

/// The files and programs that a command opened, where `strace` is there.
fn opened(folder: &Folder, arguments: &[&str]) -> Option<String> {
    let file = folder.path().join("trace");
    let mut command = Command::new("strace");
    command.args([
        "-f",
        "-qq",
        "-e",
        "trace=open,openat,execve,connect,stat,statx,newfstatat",
        "-o",
    ]);
    command.arg(&file).arg(env!("CARGO_BIN_EXE_quipu")).args(arguments);
    command.current_dir(folder.path()).stdin(Stdio::null()).output().ok()?;
    std::fs::read_to_string(&file).ok().filter(|text| !text.is_empty())
}

#[test]
fn nothing_that_an_imported_history_names_is_opened() {
    let (theirs, mine) = (asking("", ""), home(""));
    theirs.write("answers.json", "[]").write("script.json", "[]");
    waiting(&theirs, &["--model", "script:script.json", "--answers", "ask"]);
    bring(&theirs, "r", &mine);
    let answered = mine.run(&["answer", &question(&mine), "yes"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);

    let place = theirs.path().display().to_string();
    let reads: [&[&str]; 9] = [
        &["resume", "r"],
        &["fork", "r", "--id", "f"],
        &["fork", "r", "--id", "f", "--no-run"],
        &["log", "r"],
        &["why", "r"],
        &["state", "r"],
        &["replay", "r"],
        &["export", "r"],
        &["spans", "r"],
    ];
    for (number, arguments) in reads.into_iter().enumerate() {
        let done = mine.run(arguments);
        let is_refused = number < 3;
        assert_eq!(done.code, if is_refused { 2 } else { 0 }, "{arguments:?}: {}", done.stderr);
        if let Some(trace) = opened(&mine, arguments) {
            assert!(!trace.contains(&place), "{arguments:?} looks into `{place}`");
        }
    }
    assert_eq!(theirs.text("payments"), "");
    // And the trace would have shown it.
    if let Some(trace) = opened(&theirs, &["resume", "r"]) {
        assert!(trace.contains(&place));
    }

    let told = mine.run(&["resume", "r"]).stderr;
    let script = theirs.path().join("script.json");
    for part in [
        "`r` was not begun in this store".to_owned(),
        format!("the configuration `{place}/quipu.toml`"),
        format!("the model `script:{}`", script.display()),
        "\n  quipu resume r --config FILE --model MODEL\n".to_owned(),
        "\n  quipu fork r --no-config --model stub:high\n".to_owned(),
    ] {
        assert!(told.contains(&part), "{part:?} is not in {told}");
    }
    // What was said is said again; the model is still missing.
    let told = mine.run(&["resume", "r", "--config", "mine.toml"]);
    assert_eq!(told.code, 2);
    let line = "\n  quipu resume r --config mine.toml --model MODEL\n";
    assert!(told.stderr.contains(line), "{}", told.stderr);
    assert_eq!(mine.text("payments"), "");

    mine.write("own.json", "[]");
    let words = ["--config", "mine.toml", "--model", "script:own.json", "--json"];
    let done = mine.run(&[&["resume", "r"][..], &words].concat());
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!((&*mine.text("payments"), &*theirs.text("payments")), ("paid\n", ""));
    mine.is_sound("r");
}

#[test]
fn what_the_refusal_proposes_can_be_typed() {
    let (theirs, mine) = (asking("", ""), home(""));
    waiting(&theirs, &[]);
    bring(&theirs, "r", &mine);
    let told = mine.run(&["resume", "r"]).stderr;
    assert!(told.contains("\n  quipu resume r --config FILE\n"), "{told}");
    let tried = ["fork", "r", "--no-config", "--model", "stub:high", "--id", "f", "--json"];
    let done = mine.run(&tried);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    let done = mine.run(&["resume", "r", "--config", "mine.toml", "--json"]);
    assert_eq!(ending(&shown(&done)), "waiting", "{}{}", done.stdout, done.stderr);
    // A file that is merely there was not named.
    mine.write("quipu.toml", mine.text("mine.toml"));
    assert_eq!(mine.run(&["resume", "r"]).code, 2);
    let unbound = mine.run(&["resume", "r", "--no-config"]);
    assert!(unbound.stderr.contains("nothing is bound to `pay` any more"), "{}", unbound.stderr);
    assert_eq!(mine.text("payments"), "");
}

#[test]
fn a_fork_of_an_imported_run_is_begun_here() {
    let (theirs, mine) = (asking("", ""), home(""));
    waiting(&theirs, &[]);
    bring(&theirs, "r", &mine);
    let made = ["fork", "r", "--id", "f", "--config", "mine.toml", "--live", "--json"];
    assert_eq!(ending(&shown(&mine.run(&made))), "waiting");
    let inbox = mine.run(&["inbox", "f", "--json"]).json();
    let asked = text(&list(&inbox, "questions")[0], "question").to_string();
    assert_eq!(mine.run(&["answer", &asked, "yes", "--run", "f"]).code, 0);
    // It goes by what was said when it was made.
    let done = mine.run(&["resume", "f", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!((&*mine.text("payments"), &*theirs.text("payments")), ("paid\n", ""));
    mine.is_sound("f");
}

#[test]
fn a_run_that_comes_back_is_trusted_as_far_as_it_was_written_here() {
    let (theirs, mine) = (asking("", ""), Folder::new());
    waiting(&theirs, &[]);
    bring(&theirs, "r", &mine);
    // Nothing is new in it.
    bring(&mine, "r", &theirs);
    assert_eq!(ending(&shown(&theirs.run(&["resume", "r", "--json"]))), "waiting");
    // Somebody else has answered in the name of whomever.
    assert_eq!(mine.run(&["answer", &question(&mine), "yes", "--as", "alice"]).code, 0);
    bring(&mine, "r", &theirs);
    let refused = theirs.run(&["resume", "r"]);
    assert_eq!((refused.code, &*theirs.text("payments")), (2, ""), "{}", refused.stderr);
    // Before that it is what it was.
    let before = ["fork", "r@1", "--id", "f", "--json"];
    let done = theirs.run(&before);
    assert_eq!(ending(&shown(&done)), "waiting", "{}{}", done.stdout, done.stderr);
}

#[test]
fn who_may_answer_is_said_here() {
    let people = |name: &str| format!("[people.{name}]\ncapabilities = [\"pay\"]\n");
    let (theirs, mine) = (asking(&people("mallory"), r#", "capability": "pay""#), home(""));
    waiting(&theirs, &[]);
    bring(&theirs, "r", &mine);
    let asked = question(&mine);
    let refused = mine.run(&["answer", &asked, "yes", "--as", "mallory"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("nobody may"), "{}", refused.stderr);
    mine.write("people.toml", people("alice"));
    let words = ["--config", "people.toml", "--as"];
    let refused = mine.run(&[&["answer", &asked, "yes"][..], &words, &["mallory"]].concat());
    assert!(refused.stderr.contains("alice may"), "{}", refused.stderr);
    let taken = mine.run(&[&["answer", &asked, "yes"][..], &words, &["alice"]].concat());
    assert_eq!(taken.code, 0, "{}", taken.stderr);
}

/// A history says that `pay` only reads, that it is granted everything, and that it may go on for
/// ever.
#[test]
fn what_a_history_allows_itself_does_not_count() {
    let lax = "touches = \"read\"\nagain = \"free\"\n[grants]\ncapabilities = [\"money\"]\n";
    let (theirs, mine) = (asking(lax, ""), home("permissions = [\"money\"]\n"));
    waiting(&theirs, &["--max-visits", "100000"]);
    bring(&theirs, "r", &mine);
    assert_eq!(mine.run(&["answer", &question(&mine), "yes"]).code, 0);
    let words = ["--config", "mine.toml"];
    let refused = mine.run(&[&["resume", "r"][..], &words].concat());
    assert_eq!(refused.code, 2, "{}{}", refused.stdout, refused.stderr);
    for part in [
        "what `pay` does and needs is not what is bound here",
        "it is granted `money`",
        "it may use 100000 processes, where 1000 are usual",
        "`quipu fork r --config FILE --model MODEL`",
    ] {
        assert!(refused.stderr.contains(part), "{part:?} is not in {}", refused.stderr);
    }
    // A fork writes only if somebody says so here, and with what is granted here.
    let fork = |id: &str, more: &[&str]| {
        let words = [&["fork", "r", "--id", id, "--json"][..], &words, more].concat();
        shown(&mine.run(&words))
    };
    let denied = fork("f", &[]);
    assert_eq!(ending(&denied), "denied");
    let denied = fork("g", &["--live"]);
    let message = text(denied.get("error").unwrap(), "message");
    assert!(message.contains("`pay` needs `money`, which is not granted"), "{message}");
    assert_eq!(mine.text("payments"), "");
    let granted = format!("{}[grants]\ncapabilities = [\"money\"]\n", mine.text("mine.toml"));
    mine.write("mine.toml", granted);
    assert_eq!(ending(&fork("h", &[])), "denied");
    assert_eq!(ending(&fork("i", &["--live"])), "done");
    assert_eq!(mine.text("payments"), "paid\n");
    let begun = mine.events("i").into_iter().filter(|event| text(event, "kind") == "run_started");
    let limits = begun.map(|event| event.get("options").unwrap().get("limits").cloned());
    let limits: Vec<bool> = limits.map(|limits| limits.is_some()).collect();
    assert_eq!(limits, [true, false], "the fork has the limits of its parent");
    mine.is_sound("i");
}

const ASKS: &str = "rules:\n  - {when: tool == 'pay', decision: ask}\ndefault: deny_continue\n";
const ASKS_TESTS: &str = "- {call: {tool: pay}, expect: ask}\n";

/// Puts a policy in force.
fn activate(folder: &Folder, rules: &str, tests: &str) {
    folder.write("rules.yaml", rules).write("tests.yaml", tests);
    let proposed =
        folder.run(&["policy", "propose", "rules.yaml", "--tests", "tests.yaml", "--json"]);
    let name = text(&shown(&proposed), "policy").to_string();
    let active = folder.run(&["policy", "activate", &name, "--actor", "ada"]);
    assert_eq!(active.code, 0, "{}", active.stderr);
}

/// The policy that is in force here is asked, whatever time the history has and whatever was
/// approved elsewhere.
#[test]
fn the_policy_of_this_store_decides_about_imported_runs() {
    for elsewhere in [None, Some(ASKS)] {
        let (theirs, mine) = (asking("", ""), home(""));
        let nodes = format!("{}, {END}", call("n2"));
        theirs.write("agent.json", graph(&[("start", &nodes, "n2-next-n9")]));
        if let Some(rules) = elsewhere {
            // The same policy: its decision was made elsewhere all the same.
            activate(&theirs, rules, ASKS_TESTS);
            waiting(&theirs, &[]);
            assert_eq!(theirs.run(&["answer", &question(&theirs), "approve"]).code, 0);
        } else {
            let nodes = format!("{}, {}, {END}", ask(""), call("n2"));
            theirs.write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
            let future = "2126-03-01T09:00:00Z";
            let done = theirs.run_at(future, &["run", "agent.json", "--id", "r", "--json"]);
            assert_eq!(ending(&shown(&done)), "waiting", "{}", done.stderr);
            let asked = question(&theirs);
            assert_eq!(theirs.run_at(future, &["answer", &asked, "yes"]).code, 0);
        }
        activate(&mine, ASKS, ASKS_TESTS);
        bring(&theirs, "r", &mine);
        let resume = ["resume", "r", "--config", "mine.toml", "--json"];
        let done = mine.run(&resume);
        assert_eq!(ending(&shown(&done)), "waiting", "{}{}", done.stdout, done.stderr);
        assert_eq!(mine.text("payments"), "");
        // What is approved here counts, and is not asked again.
        let asked = list(&shown(&done), "questions")[0].as_text().unwrap().to_string();
        let taken = mine.run(&["answer", &asked, "approve"]);
        assert_eq!(taken.code, 0, "{}", taken.stderr);
        let done = mine.run(&resume);
        assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
        assert_eq!(mine.text("payments"), "paid\n");
        mine.is_sound("r");
    }
}

#[test]
fn an_import_puts_no_policy_in_force_and_none_out_of_it() {
    let (theirs, mine) = (asking("", ""), asking("", ""));
    let allows = ("default: allow\n", "- {call: {tool: pay}, expect: allow}\n");
    activate(&mine, ASKS, ASKS_TESTS);
    activate(&theirs, allows.0, allows.1);
    let exported = theirs.run(&["export"]).stdout;
    for (folder, expected) in [(&mine, "waiting"), (&Folder::new(), "done")] {
        // Behind what is there: an event alone belongs to the end of its stream.
        let alone = exported.lines().filter_map(|line| json::parse(line).ok());
        let alone = alone.filter_map(|line| line.get("event").cloned());
        let lines: String = alone.map(|event| json::compact(&event) + "\n").collect();
        folder.write("brought.jsonl", if expected == "done" { &exported } else { &lines });
        let imported = folder.run(&["import", "brought.jsonl"]);
        assert_eq!(imported.code, 0, "{}{}", imported.stdout, imported.stderr);
        let told = folder.run(&["policy", "history"]).stdout;
        assert!(told.contains("elsewhere: not in force here"), "{told}");
        let nodes = format!("{}, {END}", call("n2"));
        folder
            .program("pay", "echo paid >> payments; echo true")
            .write("quipu.toml", "[tools.pay]\ncommand = [\"./pay\"]\n")
            .write("agent.json", graph(&[("start", &nodes, "n2-next-n9")]));
        let done = folder.run(&["run", "agent.json", "--id", "own", "--json"]);
        assert_eq!(ending(&shown(&done)), expected, "{}{}", done.stdout, done.stderr);
        let decided = folder.kinds("own").contains(&"approval_decided".to_string());
        assert!(!decided, "the policy that came has decided");
    }
}

/// Nobody can be asked about a call that has left: in a fork it has not.
#[test]
fn a_call_that_left_elsewhere_does_not_leave_again_past_the_policy() {
    let keyed = "again = \"key\"\n";
    let (theirs, mine) = (asking(keyed, ""), home(keyed));
    let nodes = format!("{}, {END}", call("n2"));
    theirs
        .program("pay", "echo begun >> payments; sleep 60")
        .write("agent.json", graph(&[("start", &nodes, "n2-next-n9")]));
    let running = theirs.start(&["run", "agent.json", "--id", "r"]);
    theirs.until("the call has left", |folder| folder.text("payments") == "begun\n");
    running.kill();
    activate(&mine, ASKS, ASKS_TESTS);
    bring(&theirs, "r", &mine);
    let refused = mine.run(&["resume", "r", "--config", "mine.toml"]);
    assert_eq!(refused.code, 2, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("`pay` had left before the policy"), "{}", refused.stderr);
    let words = ["fork", "r", "--id", "f", "--live", "--config", "mine.toml", "--json"];
    let forked = mine.run(&words);
    assert_eq!(ending(&shown(&forked)), "waiting", "{}{}", forked.stdout, forked.stderr);
    assert_eq!(mine.text("payments"), "");
    mine.is_sound("f");
}
