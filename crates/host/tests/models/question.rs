//! Questions, and answers on one line.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use history::Timestamp;
use host::{Adapter, Call, Calling};
use runtime::{Answer, ModelCall, Request};
use value::Map;

/// A question, as the one of this number in its run.
pub(crate) fn question(turn: u32, prompt: &str) -> ModelCall {
    ModelCall {
        agent: "writer".into(),
        model: "gpt-5".into(),
        system: "You write.".into(),
        prompt: prompt.into(),
        talk: Vec::new(),
        refs: Vec::new(),
        tools: std::sync::Arc::default(),
        shape: None,
        schema: None,
        params: Map::default(),
        timeout_ms: None,
        turn,
    }
}

pub(crate) fn call(question: ModelCall) -> Call {
    Call {
        run: "run-1".into(),
        at: "write/n1".into(),
        request: Request::Model(Box::new(question)),
        key: "key-1".into(),
        attempt: 1,
        now: Timestamp::from_micros(0),
    }
}

/// Asks, and shows the answer: its text, its tokens, or why there is none.
pub(crate) fn ask(model: &dyn Adapter, question: ModelCall) -> String {
    let answer = match model.call(call(question)) {
        Calling::Now(answer) => answer,
        Calling::Later(future) => {
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
        }
    };
    match answer {
        Answer::Model(answer) => {
            format!("{} ({} + {})", answer.text, answer.prompt_tokens, answer.completion_tokens)
        }
        Answer::Failed(fault) => fault.to_string(),
        other => panic!("no model answers {other:?}"),
    }
}

/// A file that is gone after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-models-{}-{number}.jsonl", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Failing to clean up is no reason to fail.
        let _ = std::fs::remove_file(&self.0);
    }
}
