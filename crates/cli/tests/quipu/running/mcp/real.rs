//! A server that others wrote, from npm: `tests/mcp` lists it.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Child;

use super::*;

/// The server's program, or why there is none.
fn everything() -> Result<PathBuf, &'static str> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp");
    let path = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let program = folder.join(path).canonicalize();
    let program =
        program.map_err(|_| "tests/mcp has no node_modules; `cargo xtask test` installs them")?;
    let node = Command::new("node").arg("--version").output();
    if node.is_ok_and(|output| output.status.success()) { Ok(program) } else { Err("no node") }
}

/// What is the same whichever way the server is reached.
fn works(folder: &Folder) {
    let config = folder.text("quipu.toml");
    folder.write(
        "quipu.toml",
        format!(
            "{config}roots = [\"./data\"]\n\
             [tools.sum]\nmcp = \"all\"\ntool = \"get-sum\"\ntouches = \"read\"\nagain = \"free\"\n\
             [tools.text]\nmcp = \"all\"\nresource = \"demo://resource/dynamic/text/{{id}}\"\n"
        ),
    );
    let denied = call(folder, &["sum", "a=1", "b=2"]).unwrap_err();
    assert_eq!(text(&denied, "code"), "denied");
    let accepted = folder.run(&["tools", "accept", "all", "--yes", "--json"]);
    assert!(list(&shown(&accepted), "accepted").len() > 10, "{}", accepted.stderr);
    assert_eq!(call(folder, &["sum", "a=1", "b=2"]), Ok("The sum of 1 and 2 is 3.".into()));
    assert_eq!(call(folder, &["all.echo", "message=hi"]), Ok("Echo: hi".into()));
    let structured = call(folder, &["all.get-structured-content", "location=New York"]).unwrap();
    assert!(structured.get("temperature").is_some(), "{structured:?}");
    let image = call(folder, &["all.get-tiny-image"]).unwrap();
    assert_eq!(text(&image.as_list().unwrap()[1], "type"), "image");
    let read = call(folder, &["text", "id=1"]).unwrap();
    assert!(read.as_text().unwrap().starts_with("Resource 1: "), "{read:?}");
    let slow = ["all.trigger-long-running-operation", "duration=0.2", "steps=4"];
    let slow = call(folder, &slow).unwrap();
    assert!(slow.as_text().unwrap().contains("completed"), "it told of its progress: {slow:?}");
    let wrong = call(folder, &["all.echo", "nothing=1"]).unwrap_err();
    assert_eq!(text(&wrong, "code"), "tool");

    agent(folder, &["sum"]);
    folder.write("inputs.json", r#"{"input": {"a": 2, "b": 3}}"#);
    let done = folder.run(&["run", "agent.json", "--id", "r", "--inputs", "inputs.json", "--json"]);
    let document = shown(&done);
    assert_eq!(ending(&document), "done", "{}", done.stderr);
    assert_eq!(text(document.get("state").unwrap(), "out1"), "The sum of 2 and 3 is 5.");
    folder.is_sound("r");
    let examined = folder.run(&["doctor", "--json"]);
    assert_eq!(examined.code, 0, "{}", examined.stdout);
}

#[test]
fn a_real_server_over_standard_input_and_output() {
    let program = match everything() {
        Ok(program) => program,
        Err(why) => return println!("skipped: {why}"),
    };
    let folder = Folder::new();
    let command = format!("[\"node\", {:?}, \"stdio\"]", program.display().to_string());
    folder.write("quipu.toml", format!("[mcp.all]\ncommand = {command}\n"));
    works(&folder);
    let roots = call(&folder, &["all.get-roots-list"]).unwrap();
    assert!(roots.as_text().unwrap().contains("/data"), "{roots:?}");
    folder.until("nobody is left", |folder| !is_anybody_in(folder));
}

/// A process that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_server_over_http() {
    let program = match everything() {
        Ok(program) => program,
        Err(why) => return println!("skipped: {why}"),
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut node = Command::new("node");
    node.arg(program).arg("streamableHttp").env("PORT", port.to_string());
    let server = node.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _server = Ends(server.unwrap());
    let folder = Folder::new();
    folder.until("it listens", |_| TcpStream::connect(("127.0.0.1", port)).is_ok());
    folder.write("quipu.toml", format!("[mcp.all]\nurl = \"http://127.0.0.1:{port}/mcp\"\n"));
    works(&folder);
}
