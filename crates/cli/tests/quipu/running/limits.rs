//! Limits hold over all processes that drive a run, and what is given wrongly is said before.

use super::*;

/// Works, asks, and works again for ever.
fn endless() -> Folder {
    let folder = Folder::new();
    let ask = r#"{"id": "n0", "op": "Ask", "data": {"prompt": "Go on?", "out": "go"}}"#;
    folder
        .program("work", "echo 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"free\"\n")
        .write(
            "agent.json",
            graph(&[
                ("start", &format!("{CALL}, {ask}"), "n1-next-n0 n0-next->again"),
                ("again", CALL, "n1-next->again"),
            ]),
        );
    folder
}

#[test]
fn limits_are_counted_over_processes() {
    for (limit, value, code, message) in [
        (
            "--max-visits",
            "3",
            "visits_exceeded",
            "3 processes were begun, and `again` would be one more",
        ),
        ("--max-steps", "9", "steps_exceeded", "9 steps"),
        ("--max-calls", "work=2", "calls_exceeded", "`work` may be called 2 times"),
    ] {
        let folder = endless();
        let done = folder.run(&["run", "agent.json", "--id", "r", limit, value, "--json"]);
        assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"), "{}", done.stdout);
        let inbox = folder.run(&["inbox", "--json"]).json();
        let question = text(&list(&inbox, "questions")[0], "question").to_string();
        assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
        let done = folder.run(&["resume", "r", "--json"]);
        let document = shown(&done);
        assert_eq!((done.code, ending(&document)), (1, code), "{}", done.stdout);
        assert_eq!(text(document.get("error").unwrap(), "message"), message);
        folder.is_sound("r");
    }
}

#[test]
fn time_and_tokens_end_a_run() {
    let folder = endless();
    let run = ["run", "agent.json", "--id", "r", "--max-time", "1h", "--json"];
    let done = folder.run_at("2026-03-02T09:00:00.000000Z", &run);
    assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"), "{}", done.stdout);
    let done = folder.run_at("2026-03-02T10:00:00.000000Z", &["resume", "r", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (1, "time_exceeded"), "{}", done.stdout);
    assert_eq!(text(shown(&done).get("error").unwrap(), "message"), "3600000 ms are over");
    folder.is_sound("r");

    let example = crate::console::root().join("examples/support.yaml");
    let example = example.to_str().unwrap();
    let limits = ["--model", "stub:low", "--max-tokens", "10", "--id", "t", "--json"];
    let done = folder.run(&[&["run", example][..], &limits].concat());
    assert_eq!((done.code, ending(&shown(&done))), (1, "tokens_exceeded"), "{}", done.stdout);
    folder.is_sound("t");
}

#[test]
fn time_ends_a_run_that_computes_where_it_is() {
    let folder = Folder::new();
    counting(&folder);
    let done = folder.start(&["run", "agent.json", "--id", "r", "--max-time", "1s", "--json"]);
    let done = done.end();
    assert_eq!((done.code, ending(&shown(&done))), (1, "time_exceeded"), "{}", done.stdout);
    assert_eq!(folder.kinds("r"), ["run_started", "run_finished"]);
    folder.is_sound("r");
}

/// What it waits for is given up then, and may still come back.
#[test]
fn time_ends_a_run_that_computes_while_a_tool_works() {
    let folder = Folder::new();
    let fork = r#"{"id": "n0", "op": "Set", "data": {"name": "n", "ref": 0}},
        {"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}}"#;
    // What is called leaves while it sleeps.
    let counts = r#"{"id": "n0", "op": "R", "data": {"adapter": "core.SLEEP", "target": 5}},
        {"id": "n1", "op": "While",
            "data": {"cond": "n < 900000", "body": "add", "limit": 1000000}}"#;
    folder
        .program("work", "echo begun >> works\nuntil test -e enough; do sleep 0.01; done\necho 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n0-next-n1 n1-branch->works n1-branch->counts n1-next-n2"),
                ("works", CALL, ""),
                ("counts", counts, "n0-next-n1 n1-body->add"),
                ADD,
            ]),
        );
    let process = folder.start(&["run", "agent.json", "--id", "r", "--max-time", "1s", "--json"]);
    folder.until("it computes", |folder| !folder.text("works").is_empty());
    folder.until("its time is over", |folder| {
        folder.kinds("r").contains(&"run_finished".to_string())
    });
    folder.write("enough", "");
    let done = process.end();
    assert_eq!((done.code, ending(&shown(&done))), (1, "time_exceeded"), "{}", done.stdout);
    let kinds = [
        "run_started",
        "tool_call",
        "timer_set",
        "effect_started",
        "timer_fired",
        "run_finished",
        "interruption",
        "tool_result",
    ];
    assert_eq!(folder.kinds("r"), kinds);
    folder.is_sound("r");
}

#[test]
fn what_is_given_wrongly_is_said_before_anything_runs() {
    let folder = endless();
    folder.write("list.json", "[1]").write("half.json", "{\"a\":").write("bad.toml", "[tools.x]\n");
    folder.write("spec.yaml", "name: X\nversion: \"1.0\"\nentities: []\nprocesses: []\n");
    for (arguments, code, message) in [
        (&["--input", "x"][..], 2, "error: `x` is no value to set; write `NAME=VALUE`\n"),
        (&["--inputs", "list.json"], 2, "error: `list.json` must be a JSON object, not a list\n"),
        (&["--inputs", "half.json"], 2, "error: half.json:1:5: error[T002]: this is not JSON"),
        (&["--inputs", "none.json"], 2, "error: cannot read `none.json`"),
        (&["--max-calls", "work"], 2, "error: `work` is no limit; write `TOOL=N`\n"),
        (&["--max-time", "3x"], 2, "error: `3x` is no time; write seconds, or `90s`"),
        (&["--max-cost", "much"], 2, "error: `much` is no amount of money\n"),
        (&["--max-in-flight", "0"], 2, "error: `--max-in-flight 0` would let nothing leave\n"),
        (&["--model", "stub:middle"], 2, "error: `stub:middle` is no model"),
        (&["--model", "script:none.json"], 2, "error: cannot use `none.json`"),
        (&["--config", "bad.toml"], 2, "error: bad.toml:1:8: "),
        (&["--id", "last"], 2, "error: "),
    ] {
        let done = folder.run(&[&["run", "agent.json"][..], arguments].concat());
        assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.starts_with(message), "{arguments:?}: {}", done.stderr);
    }
    // It is remembered by its whole path, and told so.
    let done = folder.run(&["run", "agent.json", "--answers", "half.json"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.ends_with("half.json` must be a JSON array of answers\n"));
    let done = folder.run(&["run", "agent.json", "--max-visits", "0", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (1, "visits_exceeded"));
    let done = folder.run(&["run", "spec.yaml", "--json"]);
    assert_eq!((done.code, shown(&done).get("ok")), (1, Some(&Value::Bool(false))));
    for command in [&["resume", "none"][..], &["state", "none"], &["inbox", "none"]] {
        let done = folder.run(command);
        let why = "error: there is no run `none`; `quipu runs` lists all of them\n";
        assert_eq!((done.code, done.stderr.as_str()), (2, why), "{command:?}");
    }
    let done = folder.run(&["run", "agent.json", "--id", "r"]);
    assert_eq!(done.code, 3);
    let done = folder.run(&["run", "agent.json", "--id", "r"]);
    let why = "error: there is a run `r` already; `quipu resume r` goes on with it\n";
    assert_eq!((done.code, done.stderr.as_str()), (2, why));
}

/// What is done to a store is no call of a tool that has the same name.
#[test]
fn stores_and_tools_of_one_name_are_counted_apart() {
    let folder = Folder::new();
    let read = |id: &str| {
        format!(
            r#"{{"id": "{id}", "op": "R", "data": {{"adapter": "store.READ", "target": "s"}}}}"#
        )
    };
    let call = CALL.replace("\"work\"", "\"read\"").replace("n1", "n3");
    let nodes = format!("{}, {}, {call}", read("n1"), read("n2"));
    let labels =
        graph(&[("start", &nodes, "n1-next-n2 n2-next-n3 n3-next->more"), ("more", &call, "")]);
    let declared = r#"{"declarations": {"stores": {"s": {"store_type": "kv"}}},"#;
    folder
        .program("read", "echo 1")
        .write("quipu.toml", "[tools.read]\ncommand = [\"./read\"]\nagain = \"free\"\n")
        .write("agent.json", labels.replacen('{', declared, 1));
    let run = |most: &str| {
        let done = folder.run(&["run", "agent.json", "--id", most, "--max-calls", most, "--json"]);
        folder.is_sound(most);
        shown(&done)
    };
    assert_eq!(ending(&run("read=2")), "done");
    let failed = run("read=1");
    assert_eq!(ending(&failed), "calls_exceeded");
    assert_eq!(text(failed.get("error").unwrap(), "node"), "more/n3");
}
