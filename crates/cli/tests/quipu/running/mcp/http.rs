//! Servers behind an address.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;

use super::*;

/// A server in a process of its own, which ends with the test.
struct Listening(Child);

impl Listening {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that nobody uses.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn configured(port: u16, more: &str) -> Folder {
    let folder = Folder::new();
    folder
        .write("quipu.toml", format!("[mcp.here]\nurl = \"http://127.0.0.1:{port}/mcp\"\n{more}"));
    folder
}

#[test]
fn a_server_behind_an_address_is_killed_and_started_again_under_a_run() {
    let port = free_port();
    let wait =
        "[tools.wait]\nmcp = \"here\"\ntool = \"slow\"\ntouches = \"read\"\nagain = \"free\"\n";
    let folder = configured(port, wait);
    let mut server = Listening(server::listening(folder.path(), port));
    assert_eq!(folder.run(&["tools", "accept", "--all", "--yes"]).code, 0);
    assert_eq!(
        call(&folder, &["here.add", "a=1", "b=2"]).map(|sum| json::compact(&sum)),
        Ok(r#"{"sum":3.0}"#.into())
    );

    let slow = r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "wait", "out": "x"}},
        {"id": "n2", "op": "Retry", "data": {"count": 50, "backoff_ms": 100}}"#;
    folder.write("agent.json", graph(&[("start", slow, "n1-retry-n2")]));
    let run = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    folder.until("it waits", |folder| lines(folder, "began") == 1);
    server.kill();
    folder.until("the call has failed", |folder| {
        folder.kinds("r").iter().any(|kind| kind == "tool_result")
    });
    folder.write("go", "");
    server = Listening(server::listening(folder.path(), port));
    let done = run.end();
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stderr);
    folder.is_sound("r");
    server.kill();

    let away = told(&call(&folder, &["here.add", "a=1", "b=2"]).unwrap_err());
    assert!(away.starts_with("tool (has not happened): no session with `here`: "), "{away}");
}

/// A server that was started again does not know the session. The call is made once more in a new
/// one, and what the server offers there is looked at first.
#[test]
fn a_session_that_the_server_forgot_is_no_way_around_the_pins() {
    let port = free_port();
    let folder = configured(port, "[tools.wait]\ncommand = [\"sh\", \"wait.sh\"]\n");
    folder.write("wait.sh", "touch asked; while ! test -e go; do sleep 0.01; done; echo 1");
    for poison in [false, true] {
        let id = format!("r{poison}");
        let mut server = Listening(server::listening(folder.path(), port));
        assert_eq!(folder.run(&["tools", "accept", "--all", "--yes"]).code, 0);
        agent(&folder, &["note", "wait", "note"]);
        let run = folder.start(&["run", "agent.json", "--id", &id, "--input", "input=x", "--json"]);
        folder.until("it waits", |folder| folder.path().join("asked").exists());
        server.kill();
        if poison {
            folder.write("poison", "");
        }
        server = Listening(server::listening(folder.path(), port));
        folder.write("go", "");
        let done = run.end();
        let expected = if poison { "denied" } else { "done" };
        assert_eq!(ending(&shown(&done)), expected, "{}{}", done.stdout, done.stderr);
        folder.is_sound(&id);
        server.kill();
        ["go", "asked"].iter().for_each(|file| {
            let _ = std::fs::remove_file(folder.path().join(file));
        });
    }
    assert_eq!(lines(&folder, "notes"), 3);
}

/// A secret is looked up when a session begins. It is in no event, no message and no file, even if
/// the server says it again.
#[test]
fn a_header_holds_a_secret_by_reference_only() {
    const CANARY: &str = "canary-4711";
    let port = free_port();
    let folder =
        configured(port, "headers = { Authorization = \"Bearer {secret:QUIPU_CANARY}\" }\n");
    let _server = Listening(server::listening(folder.path(), port));
    let without = told(&call(&folder, &["here.echo"]).unwrap_err());
    assert_eq!(
        without,
        "tool (has not happened): no session with `here`: the secret `QUIPU_CANARY` is not there: \
         the variable `QUIPU_CANARY` is not set; `export QUIPU_CANARY=...`"
    );
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).current_dir(folder.path()).env("QUIPU_CANARY", CANARY);
        done(command.output().unwrap())
    };
    agent(&folder, &["echo", "leak", "spill"]);
    let mut said = String::new();
    for arguments in [
        &["tools", "accept", "--all", "--yes", "--json"][..],
        &["tools", "list"],
        &["doctor"],
        &["run", "agent.json", "--id", "r", "--input", "input=x"],
        &["export"],
        &["log", "r", "--json"],
    ] {
        let done = run(arguments);
        said += &format!("{}{}", done.stdout, done.stderr);
    }
    assert!(folder.text("headers").contains(&format!("Bearer {CANARY}")), "it was used");
    std::fs::remove_file(folder.path().join("headers")).unwrap();
    assert!(
        said.contains("wrong: Bearer {secret:QUIPU_CANARY}") && !said.contains(CANARY),
        "{said}"
    );
    let mut everything = Command::new("grep");
    let everything = everything.args(["-r", CANARY, "."]).current_dir(folder.path());
    let found = everything.output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}

/// Answers every request with the same bytes, and gives what it was asked.
fn answering(answer: &'static [u8]) -> (u16, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut length = 0;
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        std::io::Read::read_exact(&mut reader, &mut vec![0; length]).unwrap();
        flood(stream, answer);
    });
    (port, serving)
}

/// Writes a head, and where it promises more than it has, nonsense without end.
fn flood(mut stream: TcpStream, answer: &[u8]) {
    if stream.write_all(answer).is_err() || !answer.ends_with(b"\r\n\r\n") {
        return;
    }
    while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
}

#[test]
fn a_hostile_address_is_an_error_in_bounded_time_and_memory() {
    for (answer, why) in [
        (&b"nonsense\r\n"[..], "no session with `here`: "),
        (b"", "no session with `here`: "),
        (
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\nend",
            "it answers 302 Found, which would lead elsewhere; write the address that counts",
        ),
        (
            b"HTTP/1.1 401 Unauthorized\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nno!",
            "it answers 401 Unauthorized: no!",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999999999999\r\n\r\n",
            "it sent a message of more than 8388608 bytes",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999999999999\r\n\r\n",
            "it sent a message of more than 8388608 bytes",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5\r\n\r\n<html",
            "it answers 200 OK: <html",
        ),
    ] {
        let (port, serving) = answering(answer);
        let folder = configured(port, "timeout = \"5s\"\n");
        let error = told(&call(&folder, &["here.a"]).unwrap_err());
        assert!(error.contains("(has not happened)") && error.contains(why), "{error}");
        serving.join().unwrap();
    }
}
