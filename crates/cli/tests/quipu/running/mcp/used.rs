//! What servers are there for: tools, resources, and what they say in between.

use super::*;

#[test]
fn what_a_tool_answers_is_taken_as_it_was_meant() {
    let folder = folder("roots = [\"./da ta\"]\n");
    let root = folder.path().canonicalize().unwrap().join("da%20ta");
    for (arguments, answer) in [
        (&["here.add", "a=1", "b=2.5"][..], r#"{"sum":3.5}"#.to_owned()),
        (&["here.echo", "text={\"a\": 1"], r#""{\"a\": 1""#.to_owned()),
        (&["here.echo", "--args", r#"{"text": "[1]"}"#], r#""[1]""#.to_owned()),
        (&["here.roots"], format!("\"file://{}\"", root.display())),
        (&["here.ask"], r#""refused""#.to_owned()),
        (
            &["here.parts"],
            r#"[{"type":"text","text":"look"},{"type":"image","data":"aGk=","mimeType":"image/png"}]"#
                .to_owned(),
        ),
    ] {
        let answered = call(&folder, arguments).map(|value| json::compact(&value));
        assert_eq!(answered, Ok(answer), "{arguments:?}");
    }
    let failed = call(&folder, &["here.fail"]).unwrap_err();
    assert_eq!(told(&failed), "tool (may have happened): there is no such thing");
    assert_eq!(failed.get("details").unwrap().get("reported"), Some(&Value::Bool(true)));
    let long = call(&folder, &["here.long"]).unwrap_err();
    assert_eq!(
        told(&long),
        "tool (may have happened): the session with `here` ended: it sent a message of more than \
         8388608 bytes"
    );
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
}

/// A run starts a server once, and gives every effect its key.
#[test]
fn a_run_shares_one_session_and_every_effect_has_its_key() {
    let folder = folder("[tools.write]\nmcp = \"here\"\ntool = \"note\"\nagain = \"key\"\n");
    std::fs::remove_file(folder.path().join("starts")).unwrap();
    agent(&folder, &["write", "echo", "write"]);
    let done = folder.run(&["run", "agent.json", "--id", "r", "--input", "input=hi", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(lines(&folder, "starts"), 1);
    let events = folder.events("r");
    let left = events.iter().filter(|event| text(event, "kind") == "effect_started");
    let keys: Vec<String> = left.map(|event| text(event, "idem_key").to_owned()).collect();
    let expected = format!("{} hi\n{} hi\n", keys[0], keys[2]);
    assert_eq!(folder.text("notes"), expected);
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
    folder.is_sound("r");
}

#[test]
fn a_resource_is_read_recorded_and_subscribed_to() {
    let folder = folder(
        "[tools.greet]\nmcp = \"here\"\nresource = \"test://greeting/{input}\"\n\
         [tools.wait]\nmcp = \"here\"\ntool = \"slow\"\n",
    );
    agent(&folder, &["greet", "touch", "wait"]);
    let run = folder.start(&["run", "agent.json", "--id", "r", "--input", "input=a/b", "--json"]);
    folder.until("the server waits", |folder| folder.text("began") == "\n");
    folder.until("what it said is recorded", |folder| {
        folder.kinds("r").iter().filter(|kind| kind.starts_with("mcp.")).count() == 3
    });
    folder.write("go", "");
    let done = run.end();
    let document = shown(&done);
    assert_eq!(ending(&document), "done", "{}", done.stderr);
    let state = document.get("state").unwrap();
    assert_eq!(text(state, "out1"), "hello a%2Fb");
    assert_eq!(text(state, "out3"), "done, and told of it");
    assert_eq!(folder.text("subscribed"), "test://greeting/a%2Fb\n");
    let events = folder.events("r");
    let of = |kind: &str| events.iter().find(|event| text(event, "kind") == kind).unwrap();
    assert_eq!(text(of("mcp.resource_read"), "uri"), "test://greeting/a%2Fb");
    let hash = value::digest(&"hello a%2Fb".into()).to_string();
    assert_eq!(text(of("mcp.resource_read"), "hash"), hash);
    assert_eq!(text(of("mcp.resource_updated"), "uri"), "test://greeting/you");
    for kind in ["mcp.resource_read", "mcp.resource_updated", "mcp.resource_list_changed"] {
        assert_eq!((text(of(kind), "server"), text(of(kind), "run_id")), ("here", "r"));
    }
    folder.is_sound("r");
}

/// A call that is given up is given up at the server too.
#[test]
fn a_server_hears_that_nobody_waits_any_more() {
    let folder = folder("[tools.wait]\nmcp = \"here\"\ntool = \"slow\"\ntimeout = \"100ms\"\n");
    let late = call(&folder, &["wait"]).unwrap_err();
    assert_eq!(told(&late), "timeout (may have happened): `here` took longer than 100ms");
    folder.until("the server has heard it", |folder| lines(folder, "cancelled") == 1);

    let asks = folder.start(&["tools", "call", "here.slow", "--yes"]);
    folder.until("it waits", |folder| lines(folder, "began") == 2);
    asks.interrupt();
    assert_eq!(asks.end().code, 130);
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
}

/// Killed in the middle of a call: what the tool declares says whether anything is in doubt, and
/// the next call has a new session.
#[test]
fn a_server_that_is_killed_is_started_again() {
    let retry = r#"{"id": "n2", "op": "Retry", "data": {"count": 1}}"#;
    let dies =
        r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "die", "out": "x"}}"#;
    for (declared, happened, deaths) in [
        ("touches = \"write\"\nagain = \"ask\"", true, 1),
        ("touches = \"read\"\nagain = \"free\"", false, 2),
    ] {
        let folder = folder(&format!("[tools.die]\nmcp = \"here\"\n{declared}\n"));
        let nodes = format!("{dies}, {retry}");
        folder.write("agent.json", graph(&[("start", &nodes, "n1-retry-n2")]));
        let before = lines(&folder, "starts");
        let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
        let error = shown(&done).get("error").unwrap().clone();
        let doubt = if happened { "may have happened" } else { "has not happened" };
        assert_eq!(
            told(&error),
            format!(
                "tool ({doubt}): the session with `here` ended: it ended (signal: 9 (SIGKILL))"
            )
        );
        assert_eq!(folder.text("notes"), "died\n".repeat(deaths));
        assert_eq!(lines(&folder, "starts") - before, deaths);
        assert_eq!(call(&folder, &["here.echo", "text=still here"]), Ok("still here".into()));
        folder.is_sound("r");
    }
}

/// A server that hangs for good is not asked for ever: the next call finds out, and has a new one.
#[test]
fn a_server_that_stands_still_is_replaced() {
    let declared = "touches = \"read\"\nagain = \"free\"\ntimeout = \"1s\"";
    let folder = folder(&format!("[tools.freeze]\nmcp = \"here\"\n{declared}\n"));
    let nodes = r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "freeze", "out": "x"}},
        {"id": "n2", "op": "Retry", "data": {"count": 1}}"#;
    folder.write("agent.json", graph(&[("start", nodes, "n1-retry-n2")]));
    let before = lines(&folder, "starts");
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    let document = shown(&done);
    assert_eq!(ending(&document), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(text(document.get("state").unwrap(), "x"), "thawed");
    assert_eq!(lines(&folder, "starts") - before, 2);
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
    folder.is_sound("r");
}

/// What may change something is not called because nobody said no.
#[test]
fn a_write_outside_a_run_needs_somebody_who_agrees() {
    let folder = folder("[tools.look]\nmcp = \"here\"\ntool = \"echo\"\ntouches = \"read\"\n");
    let done = folder.run(&["tools", "call", "here.note", "text=x"]);
    let error = "error: nobody is here who could agree; say `--yes` if you do\n";
    assert_eq!((done.code, &*done.stderr, &*folder.text("notes")), (2, error, ""));
    let done = folder.run(&["tools", "call", "look", "text=x"]);
    assert_eq!((done.code, &*done.stdout), (0, "x\n"));
    let done = folder.run(&["tools", "call", "lok", "text=x"]);
    assert_eq!(done.stderr, "error: there is no tool `lok`; did you mean `look`?\n");
}

/// The process that drives the run is killed; the server ends with its input, and a resumed run
/// has a new one.
#[test]
fn a_run_that_was_killed_goes_on_with_a_new_session() {
    let folder = folder(
        "[tools.wait]\nmcp = \"here\"\ntool = \"slow\"\ntouches = \"read\"\nagain = \"free\"\n",
    );
    agent(&folder, &["note", "wait"]);
    let run = folder.start(&["run", "agent.json", "--id", "r", "--input", "input=once"]);
    folder.until("it waits", |folder| lines(folder, "began") == 1);
    run.kill();
    folder.until("the server has ended too", |folder| !is_anybody_in(folder));
    folder.write("go", "");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    assert_eq!(lines(&folder, "notes"), 1, "what was done is not done again");
    folder.is_sound("r");
}

#[test]
fn what_the_doctor_and_the_list_say_can_be_acted_on() {
    let folder = unaccepted(
        "[tools.write]\nmcp = \"here\"\ntool = \"note\"\n[mcp.away]\nurl = \"http://127.0.0.1:9/mcp\"\n",
    );
    let listed = folder.run(&["tools", "list", "--json"]);
    let document = shown(&listed);
    let state = |id: &str| {
        let tools = list(&document, "tools").iter();
        let found = tools.clone().find(|tool| text(tool, "id") == id).unwrap();
        (text(found, "state").to_owned(), text(found, "source").to_owned())
    };
    assert_eq!(listed.code, 1, "one server is away");
    assert_eq!(state("write"), ("new".into(), "quipu.toml".into()));
    assert_eq!(state("here.note"), ("new".into(), "server".into()));
    assert_eq!(state("clock"), ("ok".into(), "built in".into()));
    let away = list(&document, "servers").iter().find(|it| text(it, "name") == "away").unwrap();
    assert_eq!(text(away, "state"), "unreachable");
    assert!(text(away, "detail").starts_with("no session with `away`: "), "{away:?}");

    let examined = shown(&folder.run(&["doctor", "--json"]));
    let detail = |name: &str| {
        let checks = list(&examined, "checks").iter();
        let check = checks.clone().find(|check| text(check, "name") == name).unwrap();
        text(check, "detail").to_owned()
    };
    assert_eq!(
        detail("tool write"),
        "`note` of the server `here` was never accepted; look at it, then `quipu tools accept \
         here.note`"
    );
    assert_eq!(detail("mcp here"), "sh: 0 tools accepted, 15 not yet (`quipu tools list`)");
    assert!(detail("mcp away").ends_with("; put `[mcp.away]` in quipu.toml right, or start it"));
}
