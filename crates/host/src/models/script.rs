//! `script:FILE`: answers in the order of a file.

use std::path::Path;

use diagnostics::Source;
use runtime::{Answer, Fault, FaultKind, Request};
use value::{Text, Value, json};

use super::{ModelError, read_json, uncounted};
use crate::adapter::{Adapter, Call, Calling};

/// A model whose answers are written down beforehand: the first question of a run's lineage takes
/// the first, and so on, so that a run that is resumed or forked goes on where it was.
#[derive(Clone, Debug)]
pub struct Script {
    file: Text,
    answers: Vec<Text>,
}

impl Script {
    /// Reads a file: a JSON array. A text is an answer as it is, anything else as its JSON.
    pub fn load(path: &Path) -> Result<Script, ModelError> {
        let text = std::fs::read_to_string(path).map_err(ModelError::unusable(path))?;
        Script::parse(&Source::new(path.display().to_string(), text))
    }

    /// Reads the text of such a file.
    pub fn parse(source: &Source) -> Result<Script, ModelError> {
        let file = source.file.clone();
        let Value::List(items) = read_json(source)? else {
            return Err(ModelError::Wrong(format!("{file}:1:1: a script must be a JSON array")));
        };
        let answer = |item: &Value| match item {
            Value::Text(text) => text.clone(),
            other => json::compact(other).into(),
        };
        Ok(Script { file, answers: items.iter().map(answer).collect() })
    }
}

impl Adapter for Script {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(question) = &call.request else { return Calling::misrouted(&call) };
        let place = (question.turn as usize).checked_sub(1);
        Calling::Now(match place.and_then(|place| self.answers.get(place)) {
            Some(text) => uncounted(question, text.clone()),
            None => Answer::Failed(Fault::new(
                FaultKind::Model,
                format!(
                    "the script `{}` has {} answers, and this is question {}",
                    self.file,
                    self.answers.len(),
                    question.turn
                ),
            )),
        })
    }
}
