//! `core.ENV NAME`: a variable of the environment, if the operator lists it. What it holds is kept in
//! the history like every answer, so that it is no way to a secret.

use runtime::Answer;
use value::{Text, Value, json};

use super::{denied, refused, taken, text};
use crate::adapter::{Adapter, Call, Calling};

/// The variables that may be read.
#[derive(Clone, Debug)]
pub(crate) struct Env {
    pub(crate) allow: Vec<Text>,
}

impl Env {
    /// What to write so that a variable may be read.
    pub(super) fn denied(&self, name: &str) -> Calling {
        let listed = self.allow.iter().cloned().chain([name.into()]).map(Value::Text);
        let listed = json::compact(&Value::list(listed));
        denied(format!(
            "the variable `{name}` may not be read; if it is no secret, write in quipu.toml:\n\n\
             [adapters.env]\nallow = {listed}\n"
        ))
    }

    pub(super) fn look(&self) -> Result<String, String> {
        let names: Vec<String> = self.allow.iter().map(|name| format!("`{name}`")).collect();
        Ok(format!("may read {}", names.join(", ")))
    }
}

impl Adapter for Env {
    fn call(&self, call: Call) -> Calling {
        let Some(tool) = taken(&call) else { return Calling::misrouted(&call) };
        let Some(name) = text(&tool.args) else {
            return refused("`core.ENV` needs the name of a variable, as text".to_owned());
        };
        if !self.allow.contains(name) {
            return self.denied(name);
        }
        match std::env::var(&**name) {
            Ok(value) => Calling::Now(Answer::Value(value.into())),
            Err(std::env::VarError::NotPresent) => Calling::Now(Answer::Value(Value::Null)),
            Err(std::env::VarError::NotUnicode(_)) => {
                refused(format!("the variable `{name}` is no UTF-8 text"))
            }
        }
    }
}
