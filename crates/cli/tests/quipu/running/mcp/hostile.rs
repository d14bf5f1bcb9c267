//! Servers that talk nonsense, flood, hang and die: each is an error that says what happened, in
//! bounded time and memory, and nothing is left behind.

use super::*;

/// What a first message may look like.
const GREETING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}"#
);

#[test]
fn a_hostile_server_is_an_error_in_bounded_time() {
    let greets = format!("read line; echo '{GREETING}'; read line");
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let page =
        |id: &str, rest: &str| format!(r#"{{"jsonrpc":"2.0","id":'{id}',"result":{{{rest}}}}}"#);
    let for_ever = format!(
        "{greets}\nn=1; while read line; do echo '{}'; n=$((n+1)); done",
        page("$n", r#""tools":[],"nextCursor":"more""#)
    );
    let twice = format!(
        "{greets}; read line; echo '{}'; cat",
        page("1", &format!(r#""tools":[{},{}]"#, tool("a"), tool("a")))
    );
    let no_tools = format!("{greets}; read line; echo '{}'; cat", page("1", r#""tools":7"#));
    for (lines, why) in [
        ("exit 3", "it ended (exit status: 3)"),
        ("echo 'no config' >&2; exit 3", "it ended (exit status: 3), after it wrote: no config"),
        ("sleep 1000", "`here` did not begin a session within 2s"),
        ("yes nonsense", "it wrote more than 65536 bytes that are no messages"),
        ("yes ''", "it wrote more than 65536 bytes that are no messages"),
        ("cat /dev/zero", "it wrote more than 65536 bytes that are no messages"),
        ("yes '{' | tr -d '\\n'", "it sent a message of more than 8388608 bytes"),
        (
            "yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'",
            "`here` did not begin a session within 2s",
        ),
        ("yes '{}'", "`here` did not begin a session within 2s"),
        (
            "yes '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}'",
            "it sent more than 20000 messages without being asked",
        ),
        ("read line; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":7}'; cat", ""),
        ("exec >&-; sleep 1000", "it closed its standard output"),
        (&format!("{greets}; read line; sleep 1000"), "took longer than 2s to list its tools"),
        (&format!("{greets}; exit 4"), "it ended (exit status: 4)"),
        (&for_ever, "the tools of `here` have more than 100 pages"),
        (&twice, "`here` offers two tools `a`: nobody can say which is meant"),
        (&no_tools, ""),
    ] {
        let folder = Folder::new();
        folder.write("serve.sh", lines);
        folder.write(
            "quipu.toml",
            "[mcp.here]\ncommand = [\"sh\", \"serve.sh\"]\ntimeout = \"2s\"\n",
        );
        let begin = Instant::now();
        let error = told(&call(&folder, &["here.a"]).unwrap_err());
        assert!(begin.elapsed() < HANG, "{lines} hangs");
        assert!(error.contains("(has not happened)") && error.contains(why), "{lines}: {error}");
        folder.until("nobody is left", |folder| !is_anybody_in(folder));
    }
}

/// A server that does not care whether anybody is there is killed with all that it started,
/// however the command ends.
#[test]
fn a_server_that_does_not_listen_is_not_left_behind() {
    let tool = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}"#;
    let folder = Folder::new();
    folder.write(
        "serve.sh",
        format!(
            "read line; echo '{GREETING}'; read line; read line; echo '{tool}'\n\
             read line && echo called >>calls\nsleep 1000 & sleep 1000"
        ),
    );
    folder.write("quipu.toml", "[mcp.here]\ncommand = [\"sh\", \"serve.sh\"]\n");
    assert_eq!(folder.run(&["tools", "accept", "here", "--yes"]).code, 0);
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
    for times in 1..=5 {
        let calls = folder.start(&["tools", "call", "here.a", "--yes"]);
        folder.until("it was called", |folder| lines(folder, "calls") == times);
        calls.interrupt();
        assert_eq!(calls.end().code, 130);
        folder.until("nobody is left", |folder| !is_anybody_in(folder));
    }
}

/// A program that fails may well say with what it was started.
#[test]
fn a_complaint_holds_no_secret() {
    for given in ["env = [\"QUIPU_CANARY\"]", "secrets = { QUIPU_CANARY = { file = \"token\" } }"] {
        let folder = Folder::new();
        folder.write("serve.sh", "echo \"bad token $QUIPU_CANARY\" >&2; exit 3");
        folder.write("token", "canary-4711\n");
        let config = format!("[mcp.here]\ncommand = [\"sh\", \"serve.sh\"]\n{given}\n");
        folder.write("quipu.toml", config);
        for arguments in
            [&["tools", "call", "here.a", "--yes"][..], &["tools", "list"], &["doctor"]]
        {
            let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
            command.args(arguments).current_dir(folder.path()).env("QUIPU_CANARY", "canary-4711");
            let done = done(command.output().unwrap());
            let said = format!("{}{}", done.stdout, done.stderr);
            assert!(said.contains("bad token {secret:QUIPU_CANARY}"), "{said}");
            assert!(!said.contains("canary"), "{said}");
        }
    }
}

/// What is said of the world in `quipu.toml` is said well where it is wrong.
#[test]
fn mistakes_in_the_configuration_are_told_with_their_place() {
    for (config, error) in [
        (
            "[mcp.a]\n",
            "1:6: nobody knows where `a` is; add `command = [\"./server\"]` or `url = \"http://...\"`",
        ),
        (
            "[mcp.a]\ncommand = [\"x\"]\nurl = \"http://h\"\n",
            "1:6: `a` has either `command` or `url`",
        ),
        (
            "[mcp.a]\nurl = \"file:///x\"\n",
            "2:7: `url` must be an address with `http://` or `https://`",
        ),
        (
            "[mcp.a]\nurl = \"http://me:pw@h\"\n",
            "2:7: an address holds no secrets; write `headers = { Authorization = \"Bearer {secret:NAME}\" }`",
        ),
        (
            "[mcp.a]\nurl = \"http://h\"\nheaders = { Host = \"x\" }\n",
            "3:13: `Host` is no header to set",
        ),
        (
            "[mcp.a]\nurl = \"http://h\"\nheaders = { A = \"{secret:\" }\n",
            "3:17: `{secret:` is not closed",
        ),
        (
            "[mcp.a]\nurl = \"http://h\"\nenv = [\"X\"]\n",
            "3:1: `env` is for a server with `command`",
        ),
        (
            "[mcp.\"a.b\"]\ncommand = [\"x\"]\n",
            "1:6: the name of a server has no `.`: `SERVER.TOOL` names its tools",
        ),
        ("[tools.t]\nmcp = \"files\"\n", "2:7: unknown server `files`; add `[mcp.files]`"),
        (
            "[mcp.file]\ncommand = [\"x\"]\n[tools.t]\nmcp = \"files\"\n",
            "4:7: unknown server `files`; did you mean `file`?",
        ),
        (
            "[mcp.a]\ncommand = [\"x\"]\n[tools.t]\nmcp = \"a\"\nresource = \"{x}\"\n",
            "5:12: this is no address of a resource: it must begin with a scheme, as in `file:///{+path}`",
        ),
        (
            "[mcp.a]\ncommand = [\"x\"]\n[tools.t]\nmcp = \"a\"\nresource = \"a:b\"\ntool = \"t\"\n",
            "6:1: a binding has either `tool` or `resource`",
        ),
    ] {
        let folder = Folder::new();
        folder.write("quipu.toml", config);
        let done = folder.run(&["tools", "list"]);
        let (code, stderr) = (done.code, done.stderr);
        assert_eq!(
            (code, stderr.trim_end()),
            (2, &*format!("error: ./quipu.toml:{error}")),
            "{config}"
        );
    }
}
