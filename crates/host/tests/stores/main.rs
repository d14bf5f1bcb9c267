//! Stores of the five protocols that outlive their runs, and folders that are searched like one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod config;
mod folders;
mod shelves;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use graph::{Again, Touches};
use history::Timestamp;
use host::{Adapter, Call, Calling};
use runtime::stores::{StoreKind, StoreUse, StoreVerb};
use runtime::{Answer, Request, ToolCall};
use value::{Map, Value, json};

/// A folder of its own, gone after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-stores-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A kind of store, by its config.
fn kind(config: &str) -> StoreKind {
    let declared = format!(r#"{{"store_type": "kv", "config": {config}}}"#);
    StoreKind::declared(&json::parse(&declared).unwrap())
}

/// A call of the store `s`, at a second. The same number is the same effect.
fn call(kind: StoreKind, verb: StoreVerb, args: Map, number: u64, second: i64) -> Call {
    let tool = ToolCall {
        server: "store".into(),
        tool: "read".into(),
        args,
        touches: Touches::Read,
        again: Again::Freely,
        nth: 1,
        store: Some(StoreUse { id: "s".into(), kind, verb }),
        timeout_ms: None,
    };
    Call {
        run: "r".into(),
        at: "main/n1".into(),
        request: Request::Tool(Box::new(tool)),
        key: number.to_string().into(),
        attempt: 1,
        now: Timestamp::from_micros(second * 1_000_000),
    }
}

/// What an adapter answers, as JSON, or its fault.
fn answer(adapter: &dyn Adapter, call: Call) -> String {
    let answer = match adapter.call(call) {
        Calling::Now(answer) => answer,
        Calling::Later(later) => {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.build().unwrap().block_on(later)
        }
    };
    match answer {
        Answer::Value(value) => json::compact(&value),
        Answer::Failed(fault) => format!("{}: {}", fault.kind.word(), fault.message),
        other => panic!("{other:?}"),
    }
}

fn args(name: &str, value: &str) -> Map {
    [(name.into(), json::parse(value).unwrap())].into_iter().collect()
}

fn read(adapter: &dyn Adapter, kind: StoreKind, query: &str) -> String {
    answer(adapter, call(kind, StoreVerb::Read, args("key", query), 0, 100))
}

fn ids(answer: &str) -> String {
    let answer = json::parse(answer).unwrap();
    let ids = answer.as_list().unwrap().iter().map(|it| it.get("id").unwrap().as_text().unwrap());
    ids.map(|id| &**id).collect::<Vec<_>>().join(" ")
}

/// Texts of what was found.
fn texts(answer: &str) -> Vec<Value> {
    let answer = json::parse(answer).unwrap();
    answer.as_list().unwrap().iter().map(|it| it.get("text").unwrap().clone()).collect()
}
