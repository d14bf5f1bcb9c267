//! Secrets: where they come from at the moment of a call, and how they are kept from coming back.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use value::{Map, Text, Value, json};

use super::template::percent_encoded;

/// Longer files hold no secret.
const BYTES_MAX: u64 = 64 << 10;

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A variable of the environment.
    Variable(String),
    /// A file; what it ends with that is white space does not count.
    File(PathBuf),
}

impl Source {
    /// The secret, or why there is none and what to do about it.
    fn reveal(&self) -> Result<String, String> {
        match self {
            Source::Variable(name) => match std::env::var(name) {
                Ok(secret) if !secret.is_empty() => Ok(secret),
                Ok(_) => Err(format!("the environment variable `{name}` is empty")),
                Err(std::env::VarError::NotPresent) => {
                    Err(format!("set the environment variable `{name}`"))
                }
                Err(_) => Err(format!("the environment variable `{name}` is no UTF-8")),
            },
            Source::File(path) => {
                let shown = path.display();
                let read = std::fs::metadata(path).and_then(|about| match about {
                    about if !about.is_file() => Err(std::io::Error::other("it is no file")),
                    about if about.len() > BYTES_MAX => {
                        Err(std::io::Error::other("it is too long for a secret"))
                    }
                    _ => std::fs::read_to_string(path),
                });
                let secret = read.map_err(|why| format!("`{shown}` cannot be read: {why}"))?;
                match secret.trim_end() {
                    "" => Err(format!("`{shown}` is empty")),
                    secret => Ok(secret.to_owned()),
                }
            }
        }
    }
}

/// Secrets for the time of a call.
pub(super) struct Revealed {
    secrets: BTreeMap<Text, String>,
    /// What a server may say of them, the longest first: one may be a part of another.
    forms: Vec<(String, String)>,
}

impl fmt::Debug for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.secrets.keys()).finish()
    }
}

impl Revealed {
    pub(super) fn of(sources: &BTreeMap<Text, Source>) -> Result<Revealed, String> {
        let mut secrets = BTreeMap::new();
        for (name, source) in sources {
            let secret = source
                .reveal()
                .map_err(|why| format!("the secret `{name}` is not there: {why}"))?;
            secrets.insert(name.clone(), secret);
        }
        let mut forms: Vec<(String, String)> = Vec::new();
        for (name, secret) in &secrets {
            let quoted = json::compact(&Value::text(&**secret));
            let escaped = quoted[1..quoted.len() - 1].to_owned();
            // As the name of a host it is written in small letters.
            let small = secret.to_ascii_lowercase();
            for form in [secret.clone(), percent_encoded(secret), escaped, small] {
                forms.push((form, format!("{{secret:{name}}}")));
            }
        }
        forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        Ok(Revealed { secrets, forms })
    }

    /// What stands for a secret. All that a binding names were revealed.
    pub(super) fn get(&self, name: &Text) -> String {
        self.secrets.get(name).cloned().unwrap_or_default()
    }

    /// A text without secrets.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        for (form, name) in &self.forms {
            if hidden.contains(form) {
                hidden = hidden.replace(form, name);
            }
        }
        hidden
    }

    /// A value without secrets, neither in texts nor in the names of members.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        if self.forms.is_empty() {
            return value;
        }
        match value {
            Value::Text(text) => Value::text(self.hide(&text)),
            Value::List(items) => Value::list(items.iter().map(|item| self.hide_in(item.clone()))),
            Value::Map(members) => {
                let hidden = members.iter().map(|(name, value)| {
                    (Text::from(self.hide(name)), self.hide_in(value.clone()))
                });
                hidden.collect::<Map>().into()
            }
            Value::Int(_) | Value::Float(_) => {
                let written = json::compact(&value);
                let found = self.forms.iter().find(|(form, _)| *form == written);
                found.map_or(value, |(_, name)| Value::text(&**name))
            }
            other @ (Value::Null | Value::Bool(_)) => other,
        }
    }
}
