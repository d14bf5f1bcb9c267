//! Models: those of providers, and those that need no network: made-up answers, answers from a
//! file, and answers that were recorded before. Which one is meant is a [`ModelChoice`].

mod absent;
mod cassette;
mod choice;
mod named;
mod provider;
mod script;
mod stub;

pub use absent::Absent;
pub use cassette::{Recorder, Replayer};
pub use choice::{ChoiceError, ModelChoice, Profile};
pub(crate) use named::readable;
pub use named::{
    Missing, ModelSettings, PROVIDERS, Protocol, Provider, Variables, process_variables,
};
pub(crate) use provider::param;
pub use provider::{
    Looked, MAX_TOKENS, Named, PARAMS, PRICES_OF, Patience, Piece, Price, Providers, Speaker,
    TURN_MAX, Voice, unknown_params,
};
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
    /// The adapter that answers: `sample` makes answers up, `named` asks the model that has a name,
    /// or each agent's own where none is given.
    pub fn open(
        &self,
        sample: &dyn Fn(Profile) -> Sample,
        named: &dyn Fn(Option<&Text>) -> Arc<dyn Adapter>,
    ) -> Result<Arc<dyn Adapter>, ModelError> {
        Ok(match self {
            ModelChoice::Stub(profile) => Arc::new(Stub::new(sample(*profile))),
            ModelChoice::Script(path) => Arc::new(Script::load(path)?),
            ModelChoice::Replay(path) => Arc::new(Replayer::load(path)?),
            ModelChoice::Record { path, inner } => {
                let inner = match inner {
                    Some(inner) => inner.open(sample, named)?,
                    None => named(None),
                };
                Arc::new(Recorder::open(path, inner)?)
            }
            ModelChoice::Named(name) => named(Some(name)),
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

    /// The model that everybody asks over the network: one for all where it has a name, each
    /// agent's own where it has none. Nothing where nobody is asked.
    pub fn asks(&self) -> Option<Option<&Text>> {
        match self {
            ModelChoice::Named(name) => Some(Some(name)),
            ModelChoice::Record { inner: None, .. } => Some(None),
            ModelChoice::Record { inner: Some(inner), .. } => inner.asks(),
            ModelChoice::Stub(_) | ModelChoice::Script(_) | ModelChoice::Replay(_) => None,
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
