//! A folder with a `quipu.toml` and small programs, gone after the test.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use history::Timestamp;
use host::config::Config;
use host::{Bound, Call, Calling};
use runtime::{Answer, Fault, Request, ToolCall};
use value::{Value, json};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("quipu-tools-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.0.join(inside)
    }

    /// A program of `sh`.
    pub(crate) fn program(&self, name: &str, script: &str) {
        self.executable(name, &format!("#!/bin/sh\n{script}\n"));
    }

    /// A file that may be executed. It is put in place by another process: while this one has a
    /// file open for writing, what another test starts has it open too, and nobody may run it.
    pub(crate) fn executable(&self, name: &str, text: &str) {
        let source = self.path(&format!("{name}.source"));
        fs::write(&source, text).unwrap();
        let mut copy = Command::new("sh");
        copy.args(["-c", "cp \"$1\" \"$2\" && chmod +x \"$2\"", "sh"]);
        assert!(copy.arg(&source).arg(self.path(name)).status().unwrap().success());
    }

    /// What a `quipu.toml` says.
    pub(crate) fn config(&self, text: &str) -> Config {
        fs::write(self.path("quipu.toml"), text).unwrap();
        Config::in_folder(&self.0).unwrap()
    }

    /// The tool `t` of a `quipu.toml` that has these lines about it.
    pub(crate) fn tool(&self, lines: &str) -> Arc<dyn Bound> {
        Arc::clone(&self.config(&format!("[tools.t]\n{lines}\n")).tools["t"].bound)
    }

    /// Writes a script, and calls it with some arguments.
    pub(crate) fn run(&self, script: &str, lines: &str, args: &str) -> Result<Value, Fault> {
        self.program("program", script);
        let tool = self.tool(&format!("command = [\"./program\"]\n{lines}"));
        answer(tool.call(call(args)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Failing to clean up is no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A call of the tool `t`, with arguments as JSON.
pub(crate) fn call(args: &str) -> Call {
    call_of("tool", "t", args)
}

/// A call of any tool.
pub(crate) fn call_of(server: &str, tool: &str, args: &str) -> Call {
    Call {
        run: "run-1".into(),
        at: "step/n1".into(),
        request: Request::Tool(Box::new(ToolCall {
            nth: 1,
            server: server.into(),
            tool: tool.into(),
            args: json::parse(args).unwrap().as_map().unwrap().clone(),
            touches: graph::Touches::Write,
            again: graph::Again::ByAsking,
            store: None,
            timeout_ms: None,
        })),
        key: "key-1".into(),
        attempt: 2,
        now: Timestamp::parse("2026-01-31T09:30:00Z").unwrap(),
    }
}

pub(crate) fn answer(calling: Calling) -> Result<Value, Fault> {
    let answer = match calling {
        Calling::Now(answer) => answer,
        Calling::Later(future) => runtime().block_on(future),
    };
    match answer {
        Answer::Value(value) => Ok(value),
        Answer::Failed(fault) => Err(fault),
        other => panic!("no tool answers {other:?}"),
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A failure on one line: its kind, whether the effect may have happened, its message.
pub(crate) fn shown(fault: &Fault) -> String {
    let details = fault.details.as_ref().unwrap();
    let doubt = match details.get("may_have_happened") {
        Some(Value::Bool(true)) => "may have happened",
        Some(Value::Bool(false)) => "has not happened",
        other => panic!("it must say whether the effect may have happened, but says {other:?}"),
    };
    format!("{} ({doubt}): {}", fault.kind.word(), fault.message)
}

/// The same on several lines, for expectations that people read.
pub(crate) fn folded(fault: &Fault) -> String {
    shown(fault).replace("): ", "):\n  ").replace("; ", ";\n  ")
}

/// Lines of a width that people read; what goes on is set in.
pub(crate) fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let mut width = 0;
        for (at, word) in line.split(' ').enumerate() {
            if width > 0 && width + word.len() > 90 {
                wrapped += "\n    ";
                width = 0;
            } else if at > 0 {
                wrapped.push(' ');
            }
            wrapped += word;
            width += word.len() + 1;
        }
        wrapped.push('\n');
    }
    wrapped
}
