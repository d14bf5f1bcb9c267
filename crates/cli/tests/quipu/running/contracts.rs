//! What holds for a tool, from `quipu.toml` to the process that is started or not.

use super::*;

/// Calls `work` and answers with what it says.
fn agent(config: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!(r#"{CALL}, {{"id": "n2", "op": "J", "data": {{"var": "$done"}}}}"#);
    folder
        .program("work", "echo called >> calls\necho '\"done\"'")
        .write("quipu.toml", format!("[tools.work]\ncommand = [\"./work\"]\n{config}"))
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
    folder
}

fn calls(folder: &Folder) -> usize {
    let written = std::fs::read_to_string(folder.path().join("calls")).unwrap_or_default();
    written.lines().count()
}

#[test]
fn a_tool_that_needs_a_capability_runs_only_if_it_is_granted() {
    let needs = "permissions = [\"net.web\"]\n";
    let folder = agent(needs);
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let document = shown(&done);
    assert_eq!((done.code, ending(&document), calls(&folder)), (1, "denied", 0));
    let message = text(document.get("error").unwrap(), "message").to_string();
    assert!(message.contains("`work` needs `net.web`, which is not granted"), "{message}");
    folder.is_sound("r");
    let config = folder.text("quipu.toml");
    folder.write("quipu.toml", format!("{config}[grants]\ncapabilities = [\"net.web\"]\n"));
    let done = folder.run(&["run", "agent.json", "--id", "s", "--json"]);
    assert_eq!((done.code, calls(&folder)), (0, 1), "{}", done.stdout);
    folder.is_sound("s");
}

/// What a run did not know of when it began is looked at where it leaves.
#[test]
fn a_tool_that_is_called_by_another_name_needs_its_capability_too() {
    let folder = agent("permissions = [\"net.web\"]\n");
    let direct = CALL.replace("tool.CALL", "tool.work");
    folder.write("agent.json", graph(&[("start", &direct, "")]));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!((ending(&shown(&done)), calls(&folder)), ("denied", 0), "{}", done.stdout);
    let config = folder.text("quipu.toml");
    folder.write("quipu.toml", format!("{config}[grants]\ncapabilities = [\"net.web\"]\n"));
    folder.run(&["run", "agent.json", "--id", "s", "--json"]);
    assert_eq!(calls(&folder), 1);
}

#[test]
fn branches_at_the_same_time_do_not_spend_more_than_there_is() {
    let folder = agent("again = \"free\"\ncost = \"0.30\"\n");
    let fork = r#"{"id": "n1", "op": "Fork", "data": {"over": "$items", "item": "input"}},
        {"id": "n2", "op": "Join", "data": {}}"#;
    let labels = [("start", fork, "n1-branch->one n1-next-n2"), ("one", CALL, "")];
    folder.write("agent.json", graph(&labels));
    let items = ["--input", "items=[1,2,3,4,5,6,7,8]"];
    let run = |id: &str, most: &str| {
        let arguments =
            ["run", "agent.json", "--id", id, items[0], items[1], "--max-cost", most, "--json"];
        shown(&folder.run(&arguments))
    };
    let document = run("r", "1");
    assert_eq!(ending(&document), "cost_exceeded", "{document:?}");
    assert!(calls(&folder) <= 3, "{} calls of 0.30 cost more than 1", calls(&folder));
    folder.is_sound("r");
    let before = calls(&folder);
    let document = run("s", "2.40");
    assert_eq!(calls(&folder) - before, 8, "{document:?}");
    assert_eq!(text(document.get("usage").unwrap(), "cost"), "2.4");
    folder.is_sound("s");
}

#[test]
fn arguments_that_do_not_fit_start_no_process() {
    let folder = agent("input = { properties = { input = { type = \"integer\" } } }\n");
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let document = shown(&done);
    assert_eq!((ending(&document), calls(&folder)), ("schema", 0));
    let error = document.get("error").unwrap();
    assert_eq!(
        text(error, "message"),
        "`work` was not called: its arguments do not fit its schema: /input: \"\" is not of type \
         \"integer\""
    );
    folder.is_sound("r");
}
