//! Runs go on as they were begun, whoever resumes or forks them, and from wherever.

use crate::run::Folder;
use crate::running::{CALL, done, ending, graph, list, shown, text};

const ASK: &str = r#"{"id": "n1", "op": "Ask",
    "data": {"prompt": "Go?", "options": ["Yes", "No"], "out": "go"}}"#;

const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$done"}}"#;

/// An agent in a folder of its own, with its tool: it asks, and then it works.
fn working() -> Folder {
    let folder = Folder::new();
    let work = CALL.replace("n1", "n2");
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    folder
        .program("agents/work", "echo x >> works; echo '\"worked\"'")
        .write("agents/quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agents/agent.json",
            graph(&[("start", &format!("{ASK}, {work}, {END}"), "n1-next-n2 n2-next-n9")]),
        );
    folder
}

const RUN: &[&str] = &["run", "agents/agent.json", "--id", "r", "--json"];

fn answer(folder: &Folder, run: &str) {
    let inbox = folder.run(&["inbox", run, "--json"]).json();
    let question = text(&list(&inbox, "questions")[0], "question").to_string();
    assert_eq!(folder.run(&["answer", &question, "yes", "--run", run]).code, 0);
}

/// A stub would make answers up for a tool that it does not find.
#[test]
fn tools_are_found_where_they_were_when_the_run_began() {
    for model in [None, Some("stub:high")] {
        let folder = working();
        let model: Vec<&str> =
            model.map(|model| ["--model", model]).into_iter().flatten().collect();
        let begun = folder.run(&[RUN, &["--answers", "ask"], &model].concat());
        assert_eq!(begun.code, 3, "{}{}", begun.stdout, begun.stderr);
        answer(&folder, "r");
        let forked = folder.run(&["fork", "r", "--live", "--id", "f", "--json"]);
        assert_eq!(text(&shown(&forked), "result"), "worked", "{}", forked.stdout);
        let resumed = folder.run(&["resume", "r", "--json"]);
        assert_eq!(text(&shown(&resumed), "result"), "worked", "{}", resumed.stdout);
        assert_eq!(folder.text("agents/works"), "x\nx\n");
        folder.is_sound("r");
        folder.is_sound("f");
    }
}

#[test]
fn without_its_tools_a_run_is_left_as_it_is() {
    let folder = working();
    assert_eq!(folder.run(&[RUN, &["--model", "stub:low", "--answers", "ask"]].concat()).code, 3);
    answer(&folder, "r");
    std::fs::rename(folder.path().join("agents/quipu.toml"), folder.path().join("other.toml"))
        .unwrap();
    let before = folder.kinds("r");
    for command in [&["resume", "r"][..], &["fork", "r", "--id", "f"]] {
        let refused = folder.run(command);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
        assert!(refused.stderr.starts_with("error: nothing is bound to `work` any more"));
        assert!(refused.stderr.contains("agents/quipu.toml` right, or say `--config FILE`"));
    }
    assert_eq!(folder.kinds("r"), before);
    assert_eq!(folder.run(&["log", "f"]).code, 2, "there is no fork");
    // Its command is beside the agent.
    let moved = "[tools.work]\ncommand = [\"./agents/work\"]\n";
    folder.write("other.toml", moved);
    let resumed = folder.run(&["resume", "r", "--config", "other.toml", "--json"]);
    assert_eq!(text(&shown(&resumed), "result"), "worked", "{}", resumed.stdout);
}

#[test]
fn what_people_should_answer_is_never_made_up_later() {
    let folder = working();
    assert_eq!(folder.run(&[RUN, &["--model", "stub:low", "--answers", "ask"]].concat()).code, 3);
    for command in [&["resume", "r", "--json"][..], &["fork", "r", "--id", "f", "--json"]] {
        let done = folder.run(command);
        assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"), "{}", done.stdout);
    }
    let made_up = folder.run(&[RUN, &["--id", "s", "--model", "stub:low"]].concat());
    assert_eq!(made_up.code, 2, "an id is given once");
    let made_up = folder.run(&["run", "agents/agent.json", "--model", "stub:low", "--json"]);
    assert_eq!(ending(&shown(&made_up)), "done", "a stub alone answers");
}

#[test]
fn a_list_of_answers_is_gone_on_with() {
    let folder = working();
    folder.write("answers.json", r#"["yes"]"#);
    assert_eq!(folder.run(&[RUN, &["--answers", "answers.json"]].concat()).code, 0);
    // From before the question: the list is asked again, from the same place in it.
    let forked = folder.run(&["fork", "r@0", "--live", "--id", "f", "--json"]);
    assert_eq!(ending(&shown(&forked)), "done", "{}", forked.stdout);
    assert!(folder.kinds("f").contains(&"question_answered".to_string()));
}

#[test]
fn a_question_without_an_answer_that_fits_fails_its_node() {
    for (answers, why) in [
        ("[]", "there is no answer 1 to `Go?`: `"),
        (r#"["perhaps"]"#, "cannot answer `Go?`: the answer must be one of: Yes, No\n"),
    ] {
        let folder = working();
        folder.write("answers.json", answers);
        let done = folder.run(&[RUN, &["--answers", "answers.json"]].concat());
        assert_eq!((done.code, ending(&shown(&done))), (1, "input"), "{}", done.stdout);
        let error = shown(&done).get("error").unwrap().clone();
        assert_eq!(text(&error, "message"), "`Go?` got no answer that fits");
        assert!(done.stderr.contains(why), "{}", done.stderr);
        assert!(folder.kinds("r").contains(&"interruption".to_string()));
        folder.is_sound("r");
    }
}

/// Whatever a question wants, a stub has it.
#[test]
fn a_stub_answers_what_fits() {
    let folder = Folder::new();
    for (schema, wanted) in [
        (r#"{"type": "integer"}"#, "1"),
        (r#"{"type": "integer", "minimum": 5}"#, "5"),
        (r#"{"type": "boolean"}"#, "true"),
        (r#"{"type": "string"}"#, "\"stub\""),
        (r#"{"type": "string", "enum": ["a", "b"]}"#, "\"a\""),
        (
            r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
            r#"{"n":1}"#,
        ),
    ] {
        let ask = format!(
            r#"{{"id": "n1", "op": "Ask",
                "data": {{"prompt": "?", "schema": {schema}, "out": "done"}}}}"#
        );
        folder.write("agent.json", graph(&[("start", &format!("{ask}, {END}"), "n1-next-n9")]));
        let done = folder.run(&["run", "agent.json", "--model", "stub:low", "--json"]);
        let result = shown(&done).get("result").cloned().unwrap_or_default();
        assert_eq!(value::json::compact(&result), wanted, "{schema}: {}", done.stdout);
    }
}

/// Answers of a file are found from any folder, as tools are.
#[test]
fn a_script_is_found_where_it_was_when_the_run_began() {
    let folder = Folder::new();
    let said = r#"{"id": "n2", "op": "R", "data": {"adapter": "agent.INVOKE", "target": "who",
        "out": "done"}}"#;
    let nodes = graph(&[("start", &format!("{ASK}, {said}, {END}"), "n1-next-n2 n2-next-n9")]);
    let who = r#""declarations": {"agents": {"who": {"model": "m"}}}, "labels""#;
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    folder
        .write("agents/agent.json", nodes.replacen("\"labels\"", who, 1))
        .write("agents/answers.json", r#"["from the script"]"#);
    let in_agents = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(arguments)
            .current_dir(folder.path().join("agents"))
            .output();
        done(output.unwrap())
    };
    let store = ["--store", "sqlite:../history.db"];
    let begin = ["run", "agent.json", "--model", "script:answers.json", "--id", "r"];
    let begun = in_agents(&[&begin[..], &store].concat());
    assert_eq!(begun.code, 3, "{}{}", begun.stdout, begun.stderr);
    let from = ["--store", "sqlite:history.db", "--json"];
    let inbox = folder.run(&[&["inbox"][..], &from].concat()).json();
    let question = text(&list(&inbox, "questions")[0], "question").to_string();
    let answered = folder.run(&[&["answer", &question, "yes"][..], &from].concat());
    assert_eq!(answered.code, 0, "{}{}", answered.stdout, answered.stderr);
    for command in [&["fork", "r", "--id", "f"][..], &["resume", "f"], &["resume", "r"]] {
        let done = folder.run(&[command, &from].concat());
        let said = text(&shown(&done), "result").to_string();
        assert_eq!(said, "from the script", "{command:?}: {}", done.stderr);
    }

    // Without it a run is left as it is, and somebody else can answer.
    let script = folder.path().join("agents/answers.json");
    std::fs::remove_file(&script).unwrap();
    let forked = ["fork", "r@3", "--id", "g"];
    let refused = folder.run(&[&forked[..], &from[..2]].concat());
    let path = script.display();
    let why = format!(
        "error: the run was begun with `--model script:{path}`; put that file right, or say \
         `--model MODEL`: cannot use `{path}`: "
    );
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.starts_with(&why), "{}\n{why}", refused.stderr);
    let other = folder.run(&[&forked[..], &from, &["--model", "stub:low"]].concat());
    assert_eq!(text(&shown(&other), "status"), "done", "{}", other.stdout);
}

/// A fork with another model is a rehearsal only if that model makes things up.
#[test]
fn a_fork_is_of_the_world_that_it_is_given() {
    let folder = working();
    let begun = folder.run(&[RUN, &["--model", "stub:low", "--answers", "ask"]].concat());
    assert_eq!(begun.code, 3);
    folder.write("model.json", "[]").write("none.toml", "");
    let options = |run: &str| {
        let started =
            folder.events(run).into_iter().rfind(|event| text(event, "kind") == "run_started");
        started.unwrap().get("options").cloned().unwrap()
    };
    assert!(options("r").get("rehearsal").is_some());
    let fork = |id: &str, more: &[&str]| {
        let done = folder.run(&[&["fork", "r", "--no-run", "--id", id], more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        options(id)
    };
    let scripted = fork("f", &["--model", "script:model.json"]);
    assert_eq!(scripted.get("rehearsal"), None);
    assert_eq!(text(scripted.get("tools").unwrap().get("work").unwrap(), "touches"), "write");
    let made_up = fork("g", &["--model", "stub:high", "--config", "none.toml"]);
    let tool = made_up.get("tools").unwrap().get("work").unwrap();
    assert_eq!((text(tool, "touches"), tool.get("made_up").is_some()), ("nothing", true));
}

/// The timer of a question stands behind it: a fork from between asks again, and is answered.
#[test]
fn a_fork_is_answered_at_the_event_that_asks() {
    let folder = Folder::new();
    let ask =
        ASK.replace("\"out\"", "\"expires\": 86400000, \"out\"").replace("\"go\"", "\"done\"");
    folder.write("agent.json", graph(&[("start", &format!("{ask}, {END}"), "n1-next-n9")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    let kinds = folder.kinds("r");
    let asked = kinds.iter().position(|kind| kind == "question_asked").unwrap();
    for seq in [asked - 1, asked, asked + 1] {
        let (at, id) = (format!("r@{seq}"), format!("f{seq}"));
        let forked = folder.run(&["fork", &at, "--answer", "no", "--id", &id, "--json"]);
        assert_eq!(forked.code, 0, "{at}: {}", forked.stderr);
        assert_eq!(text(&shown(&forked), "result"), "no", "{at}: {}", forked.stdout);
        folder.is_sound(&id);
    }
}

#[test]
fn an_output_is_for_who_is_asked_and_is_missed_where_nobody_was() {
    let folder = working();
    assert_eq!(folder.run(RUN).code, 3);
    let refused = folder.run(&["fork", "r", "--output", "start/n1=yes"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`start/n1` asks no model and no tool"), "{}", refused.stderr);
    let waiting = folder.run(&["fork", "r", "--output", "start/n2=1"]);
    assert_eq!(waiting.code, 3);
    assert!(waiting.stderr.contains("did not come to `start/n2`"), "{}", waiting.stderr);
}
