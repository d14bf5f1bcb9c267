//! Models that need no network: made-up answers, answers from a file, and answers that were
//! recorded before. Which one is meant is a [`ModelChoice`].

mod cassette;
mod choice;
mod script;
mod stub;

pub use cassette::{Recorder, Replayer};
pub use choice::{ChoiceError, ModelChoice, Profile};
pub use script::Script;
pub use stub::{Sample, Stub};

use std::io;
use std::path::{Path, PathBuf};

use diagnostics::{Source, render, unreadable};
use runtime::{Answer, ModelAnswer, ModelCall};
use value::{Text, Value, json};

/// Why a file of answers cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It does not say what it should.
    #[error("{0}")]
    Wrong(String),
}

impl ModelError {
    fn unusable(path: &Path) -> impl FnOnce(io::Error) -> ModelError {
        let path = path.to_path_buf();
        |source| ModelError::Unusable { path, source }
    }
}

/// Reads one JSON value, or says where the text stops being one.
fn read_json(source: &Source) -> Result<Value, ModelError> {
    json::parse(&source.text)
        .map_err(|error| ModelError::Wrong(render::line(source, &unreadable(source, &error))))
}

/// An answer that no provider counted: about four characters are a token.
fn uncounted(question: &ModelCall, text: Text) -> Answer {
    let tokens = |characters: usize| (characters / 4) as u64;
    let asked = question.system.chars().count() + question.prompt.chars().count();
    Answer::Model(Box::new(ModelAnswer {
        prompt_tokens: tokens(asked),
        completion_tokens: tokens(text.chars().count()),
        text,
        finish_reason: Some("stop".into()),
        cost: None,
    }))
}
