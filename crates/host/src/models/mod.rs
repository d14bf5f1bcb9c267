//! Models that need no network: made-up answers, answers from a file, and answers that were
//! recorded before. Which one is meant is a [`ModelChoice`].

mod absent;
mod cassette;
mod choice;
mod script;
mod stub;

pub use absent::Absent;
pub use cassette::{Recorder, Replayer};
pub use choice::{ChoiceError, ModelChoice, Profile};
pub use script::Script;
pub use stub::{Sample, Stub};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Source, render, unreadable};
use runtime::{Answer, ModelAnswer, ModelCall};
use value::{Text, Value, json};

use crate::adapter::Adapter;
use crate::registry::Unbound;

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

impl ModelChoice {
    /// The adapter that answers: `sample` makes answers up, `named` asks the models that have a
    /// name.
    pub fn open(
        &self,
        sample: &dyn Fn(Profile) -> Sample,
        named: Arc<dyn Adapter>,
    ) -> Result<Arc<dyn Adapter>, ModelError> {
        Ok(match self {
            ModelChoice::Stub(profile) => Arc::new(Stub::new(sample(*profile))),
            ModelChoice::Script(path) => Arc::new(Script::load(path)?),
            ModelChoice::Replay(path) => Arc::new(Replayer::load(path)?),
            ModelChoice::Record { path, inner } => {
                let inner = match inner {
                    Some(inner) => inner.open(sample, named)?,
                    None => named,
                };
                Arc::new(Recorder::open(path, inner)?)
            }
            ModelChoice::Named(_) => named,
        })
    }

    /// Whether its answers are there at once, so that a run's path follows from them alone.
    pub fn is_immediate(&self) -> bool {
        match self {
            ModelChoice::Stub(_) | ModelChoice::Script(_) | ModelChoice::Replay(_) => true,
            ModelChoice::Record { inner, .. } => {
                inner.as_ref().is_some_and(|inner| inner.is_immediate())
            }
            ModelChoice::Named(_) => false,
        }
    }

    /// What becomes of tools beside this model that nothing is bound to.
    pub fn unbound(&self) -> Unbound {
        match self {
            ModelChoice::Stub(_) => Unbound::MakeUp,
            ModelChoice::Record { inner: Some(inner), .. } => inner.unbound(),
            _ => Unbound::Fail,
        }
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
        ..ModelAnswer::default()
    }))
}
