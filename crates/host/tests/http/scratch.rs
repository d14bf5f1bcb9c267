//! A tool that a `quipu.toml` binds to HTTP, and calls of it.

use std::any::Any;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use diagnostics::Source;
use history::Timestamp;
use host::config::{Config, ConfigError};
use host::http::Resolve;
use host::tools::Api;
use host::{Adapter, Bound, Call, Calling};
use runtime::{Answer, Fault, Request, ToolCall};
use value::{Value, json};

use crate::names::Names;

/// A folder, gone after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("quipu-http-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// The tool `t` of a `quipu.toml` in this folder that has these lines about it. Its host is
    /// `api.example`, which is on loopback and listed.
    pub(crate) fn tool(&self, lines: &str) -> Api {
        let text = format!("[tools.t]\nallow = [\"api.example\"]\n{lines}\n");
        let config = Config::parse(&Source::new("quipu.toml", text), &self.0);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let bound: &dyn Bound = &*config.tools["t"].bound;
        let api = (bound as &dyn Any).downcast_ref::<Api>().unwrap().clone();
        let names: Arc<dyn Resolve> = Names::on_loopback(&["api.example"]);
        api.with_resolve(names)
    }

    /// Calls the tool `t` with arguments as JSON.
    pub(crate) fn call(&self, lines: &str, args: &str) -> Result<Value, Fault> {
        called(&self.tool(lines), args)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Failing to clean up is no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is wrong with the tool `t`.
pub(crate) fn findings(lines: &str) -> String {
    let source = Source::new("quipu.toml", format!("[tools.t]\n{lines}\n"));
    match Config::parse(&source, std::path::Path::new("/project")) {
        Err(ConfigError::Wrong(findings)) => {
            let lines = findings.iter().map(|finding| format!("{finding}\n"));
            folded(&lines.collect::<String>())
        }
        other => format!("{other:?}"),
    }
}

/// Calls a tool once, without a `quipu.toml` of its own.
pub(crate) fn call(lines: &str, args: &str) -> Result<Value, Fault> {
    Scratch::new().call(lines, args)
}

pub(crate) fn called(api: &Api, args: &str) -> Result<Value, Fault> {
    let call = Call {
        run: "run-1".into(),
        at: "step/n1".into(),
        request: Request::Tool(Box::new(ToolCall {
            nth: 1,
            server: "tool".into(),
            tool: "t".into(),
            args: json::parse(args).unwrap().as_map().unwrap().clone(),
            touches: graph::Touches::Write,
            again: graph::Again::ByAsking,
            store: None,
            timeout_ms: None,
        })),
        key: "key-1".into(),
        attempt: 1,
        now: Timestamp::parse("2026-01-31T09:30:00Z").unwrap(),
    };
    let Calling::Later(future) = api.call(call) else { panic!("HTTP takes time") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(future) {
        Answer::Value(value) => Ok(value),
        Answer::Failed(fault) => Err(fault),
        other => panic!("no tool answers {other:?}"),
    }
}

/// A failure in three lines: its kind and what is known of the effect, its message, its details.
pub(crate) fn shown(fault: &Fault, port: u16) -> String {
    let doubt = match (fault.happened(), fault.is_in_doubt()) {
        (Some(runtime::Happened::No), _) => "has not happened",
        (Some(runtime::Happened::Maybe), false) => "may have happened, as the server says",
        (Some(runtime::Happened::Maybe), true) => "may have happened",
        (None, _) => panic!("it must say whether the effect may have happened"),
    };
    let details = json::compact(fault.details.as_ref().unwrap());
    let text = format!("{}, {doubt}\n{}\n{details}", fault.kind.word(), fault.message);
    folded(&text.replace(&port.to_string(), "PORT"))
}

/// Long lines in pieces, for expectations that people read.
pub(crate) fn folded(text: &str) -> String {
    const LENGTH_MAX: usize = 88;
    let mut folded = String::new();
    for line in text.lines() {
        let mut length = 0;
        for piece in line.split_inclusive([' ', ',']) {
            if length > 0 && length + piece.len() > LENGTH_MAX {
                folded.truncate(folded.trim_end().len());
                folded.push_str("\n  ");
                length = 0;
            }
            folded.push_str(piece);
            length += piece.len();
        }
        folded.push('\n');
    }
    folded.truncate(folded.trim_end().len());
    folded
}
