//! MCP servers: real ones, over standard input and output and over HTTP, and hostile ones.

mod hostile;
mod http;
mod pins;
mod real;
mod server;
mod traced;
mod used;

use super::*;

/// A folder with a server `here`, which is this test binary; everything it has is accepted.
fn folder(more: &str) -> Folder {
    let folder = unaccepted(more);
    let done = folder.run(&["tools", "accept", "here", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    folder
}

/// The same, and nothing is accepted yet.
fn unaccepted(more: &str) -> Folder {
    let folder = Folder::new();
    folder.write("serve.sh", server::script());
    folder.write("quipu.toml", format!("[mcp.here]\ncommand = [\"sh\", \"serve.sh\"]\n{more}"));
    folder
}

/// An agent that calls these tools, one after the other, each with the input it was given.
fn agent(folder: &Folder, tools: &[&str]) {
    let nodes: Vec<String> = tools
        .iter()
        .enumerate()
        .map(|(position, tool)| {
            let at = position + 1;
            let data =
                format!(r#"{{"adapter": "tool.CALL", "target": "{tool}", "out": "out{at}"}}"#);
            format!(r#"{{"id": "n{at}", "op": "R", "data": {data}}}"#)
        })
        .collect();
    let edges: Vec<String> = (1..tools.len()).map(|at| format!("n{at}-next-n{}", at + 1)).collect();
    folder.write("agent.json", graph(&[("start", &nodes.join(","), &edges.join(" "))]));
}

/// Calls a tool, and gives what it answers, or its failure.
fn call(folder: &Folder, arguments: &[&str]) -> Result<Value, Value> {
    let all = [&["tools", "call"][..], arguments, &["--yes", "--json"]].concat();
    let done = folder.run(&all);
    let document = shown(&done);
    match done.code {
        0 => Ok(document.get("result").unwrap().clone()),
        _ => Err(document.get("error").unwrap().clone()),
    }
}

/// A failure on one line: its code, whether the effect may have happened, its message.
fn told(error: &Value) -> String {
    let happened = error.get("details").and_then(|details| details.get("may_have_happened"));
    let doubt = match happened {
        Some(Value::Bool(true)) => "may have happened",
        Some(Value::Bool(false)) => "has not happened",
        other => panic!("it must say whether the effect may have happened, but says {other:?}"),
    };
    format!("{} ({doubt}): {}", text(error, "code"), text(error, "message"))
}

/// How many lines a file has.
fn lines(folder: &Folder, name: &str) -> usize {
    folder.text(name).lines().count()
}

/// Whether any process runs in this folder.
fn is_anybody_in(folder: &Folder) -> bool {
    let place = folder.path().canonicalize().unwrap();
    let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .any(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|at| at == place))
}
