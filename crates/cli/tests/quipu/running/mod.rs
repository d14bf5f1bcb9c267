//! Runs as a user drives them: with programs as tools, several processes, and signals.

pub(super) mod adapters;
mod answers;
mod approvals;
mod branches;
mod broken;
mod contracts;
mod doubt;
mod doubts;
mod entry;
mod examples;
mod failures;
mod forks;
mod http;
mod imported;
mod interrupted;
mod kept;
mod killed;
mod limits;
mod mcp;
mod models;
mod people;
mod recorded;
mod room;
mod ruled;
mod shared;
mod stores;
mod terminal;
mod tools;

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use value::{Value, json};

use crate::run::{Done, Folder};

/// Longer than anything here takes, even on a busy machine: only a hang reaches it.
pub(super) const HANG: Duration = Duration::from_secs(60);

impl Folder {
    /// A program in the shell, which can be a tool.
    pub(super) fn program(&self, name: &str, lines: &str) -> &Folder {
        self.write(name, format!("#!/bin/sh\n{lines}"));
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path().join(name), may_run).unwrap();
        self
    }

    /// What a file holds; nothing if it is not there.
    pub(super) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    /// Starts the binary, and leaves it running.
    pub(super) fn start(&self, arguments: &[&str]) -> Running {
        let child = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(arguments)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Running(child.unwrap())
    }

    /// Runs the binary at another time.
    pub(super) fn run_at(&self, now: &str, arguments: &[&str]) -> Done {
        let output = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(arguments)
            .current_dir(self.path())
            .env("QUIPU_NOW", now)
            .output();
        done(output.unwrap())
    }

    /// Waits until something is so.
    pub(super) fn until(&self, what: &str, is_so: impl Fn(&Folder) -> bool) {
        let begin = Instant::now();
        while !is_so(self) {
            assert!(begin.elapsed() < HANG, "it never came to this: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The events of a run.
    pub(super) fn events(&self, run: &str) -> Vec<Value> {
        let log = self.run(&["log", run, "--limit", "100000", "--json"]).json();
        list(&log, "events").iter().map(|entry| entry.get("event").unwrap().clone()).collect()
    }

    /// The kinds of a run's events.
    pub(super) fn kinds(&self, run: &str) -> Vec<String> {
        self.events(run).iter().map(|event| text(event, "kind").to_string()).collect()
    }

    /// Everything is as it was written, and the run can be derived again.
    pub(super) fn is_sound(&self, run: &str) {
        let verified = self.run(&["verify", "--json"]);
        assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
        let replayed = self.run(&["replay", run, "--json"]);
        assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
        let state = self.run(&["state", run, "--json"]);
        assert_eq!(state.code, 0, "{}{}", state.stdout, state.stderr);
    }
}

/// A process of the binary.
pub(super) struct Running(Child);

impl Running {
    /// Ends it as no process can see coming, whatever it started.
    pub(super) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Sends it what Ctrl-C sends.
    pub(super) fn interrupt(&self) {
        let number = self.0.id().to_string();
        let sent = Command::new("kill").args(["-INT", &number]).status().unwrap();
        assert!(sent.success());
    }

    /// Its number.
    pub(super) fn number(&self) -> u32 {
        self.0.id()
    }

    /// Whether it has not ended yet. One that was killed and not waited for has.
    pub(super) fn is_running(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id()));
        let state = stat.ok().and_then(|stat| stat.rsplit_once(')').map(|it| it.1.to_string()));
        state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
    }

    /// The next line that it says beside its data.
    pub(super) fn line(&mut self) -> String {
        let mut line = Vec::new();
        let stderr = self.0.stderr.as_mut().unwrap();
        // One by one: what comes behind is for whoever waits for the end.
        let mut byte = [0];
        while stderr.read(&mut byte).unwrap() > 0 && byte != *b"\n" {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    /// Waits for its end.
    pub(super) fn end(mut self) -> Done {
        let begin = Instant::now();
        // The pipes hold what little it says, so that they need not be read before.
        while self.0.try_wait().unwrap().is_none() {
            if begin.elapsed() > HANG {
                self.0.kill().unwrap();
                panic!("the binary hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        done(self.0.wait_with_output().unwrap())
    }
}

/// What a command did.
pub(super) fn done(output: Output) -> Done {
    Done {
        code: output.status.code().expect("the binary was not killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A text in a document.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_text).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

/// A list in a document.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_list).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

/// How a run ended: `done`, or the code of its error.
pub(super) fn ending(document: &Value) -> &str {
    match document.get("error") {
        Some(error @ Value::Map(_)) => text(error, "code"),
        _ => text(document, "status"),
    }
}

/// What a run came to, from a command that printed it.
pub(super) fn shown(done: &Done) -> Value {
    json::parse(&done.stdout).unwrap_or_else(|_| panic!("{}{}", done.stdout, done.stderr))
}

/// A graph document of these labels; the first one is where runs begin.
pub(super) fn graph(labels: &[(&str, &str, &str)]) -> String {
    let labels: Vec<String> = labels
        .iter()
        .map(|(id, nodes, edges)| {
            let edges: Vec<String> = edges.split_whitespace().map(edge).collect();
            format!(r#""{id}": {{"nodes": [{nodes}], "edges": [{}]}}"#, edges.join(", "))
        })
        .collect();
    format!(r#"{{"labels": {{{}}}}}"#, labels.join(",\n"))
}

/// `n1-next-n2` leads to a node, `n1-body->one` to a label.
fn edge(words: &str) -> String {
    let (words, kind) = match words.contains("->") {
        true => (words.replace("->", "-"), "label"),
        false => (words.to_string(), "node"),
    };
    let mut parts = words.splitn(3, '-');
    let (from, port, to) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    format!(r#"{{"from": "{from}", "port": "{port}", "to": "{to}", "to_kind": "{kind}"}}"#)
}

/// A node that calls a tool and keeps what it answers in `done`.
pub(super) const CALL: &str =
    r#"{"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "work", "out": "done"}}"#;

/// Counts for hours: each turn is a block of logic that takes its time.
pub(super) fn counting(folder: &Folder) {
    let first = r#"{"id": "n0", "op": "Set", "data": {"name": "n", "ref": 0}}"#;
    let turns = r#"{"id": "n1", "op": "While",
        "data": {"cond": "n < 900000", "body": "add", "limit": 1000000}}"#;
    let nodes = format!("{first}, {turns}");
    folder.write("agent.json", graph(&[("start", &nodes, "n0-next-n1 n1-body->add"), ADD]));
}

/// Adds one to `n`, slowly.
pub(super) const ADD: (&str, &str, &str) = (
    "add",
    r#"{"id": "n1", "op": "R", "data": {"adapter": "logic.PYTHON",
        "target": "for i in range(300000):\n    pass\nstate.data['n'] = state.data['n'] + 1"}}"#,
    "",
);
