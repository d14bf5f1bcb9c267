//! Texts with secrets in them, which are looked up when they are needed; and what servers say, from
//! which they are taken out again.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use value::Value;

/// A text in which `{secret:NAME}` stands for the variable `NAME`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Secretive(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Fixed(String),
    Secret(String),
}

const BEGIN: &str = "{secret:";

impl Secretive {
    pub(crate) fn parse(text: &str) -> Result<Secretive, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((fixed, behind)) = rest.split_once(BEGIN) {
            let (name, behind) =
                behind.split_once('}').ok_or_else(|| format!("`{BEGIN}` is not closed"))?;
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_letter) {
                return Err("`{secret:NAME}` needs the name of a variable".to_owned());
            }
            parts.push(Part::Fixed(fixed.to_owned()));
            parts.push(Part::Secret(name.to_owned()));
            rest = behind;
        }
        parts.push(Part::Fixed(rest.to_owned()));
        Ok(Secretive(parts))
    }

    /// Whether it has secrets, and they are there.
    pub(super) fn is_secret(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Secret(_))) && self.reveal().is_ok()
    }

    /// Whether everything is there.
    pub(super) fn look(&self) -> Result<(), String> {
        self.reveal().map(drop)
    }

    /// The text with its secrets.
    pub(super) fn reveal(&self) -> Result<String, String> {
        let parts = self.0.iter().map(|part| match part {
            Part::Fixed(text) => Ok(text.clone()),
            Part::Secret(name) => match std::env::var(name) {
                Ok(secret) if !secret.is_empty() => Ok(secret),
                _ => Err(format!("the variable `{name}` is not set; `export {name}=...`")),
            },
        });
        parts.collect()
    }
}

/// What stands in the place of a secret.
const HIDDEN: &str = "[secret]";

/// What is shorter is no secret, and would be found in words that have nothing to do with it.
const LENGTH_MIN: usize = 6;

/// The secrets that a server was given: it may say them again, and nobody else may hear that.
#[derive(Default)]
pub(super) struct Known {
    /// What `{secret:NAME}` stood for.
    given: Mutex<Vec<String>>,
    /// What a program sees because `env` names it, secret or not.
    seen: Mutex<Vec<String>>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Known {
    /// The secrets of a text are known from now on.
    pub(super) fn learn(&self, text: &Secretive) {
        let names = text.0.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name),
            Part::Fixed(_) => None,
        });
        add(&self.given, names.filter_map(|name| std::env::var(name).ok()));
    }

    /// So is what variables hold.
    pub(super) fn learn_variables(&self, names: &[String]) {
        add(&self.seen, names.iter().filter_map(|name| std::env::var(name).ok()));
    }

    /// A message without any of them.
    pub(super) fn hide(&self, message: String) -> String {
        let all = [&self.given, &self.seen];
        all.into_iter().fold(message, |message, secrets| replaced(secrets, message))
    }

    /// An answer without what was given. What a program sees may well be part of an answer.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        match value {
            _ if self.is_empty() => value,
            Value::Text(text) => replaced(&self.given, text.to_string()).into(),
            Value::List(items) => Value::list(items.iter().map(|item| self.hide_in(item.clone()))),
            Value::Map(members) => Value::map(members.iter().map(|(name, value)| {
                (replaced(&self.given, name.to_string()), self.hide_in(value.clone()))
            })),
            other => other,
        }
    }

    fn is_empty(&self) -> bool {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

fn add(to: &Mutex<Vec<String>>, secrets: impl Iterator<Item = String>) {
    let mut known = to.lock().unwrap_or_else(PoisonError::into_inner);
    for secret in secrets.filter(|secret| secret.len() >= LENGTH_MIN) {
        if !known.contains(&secret) {
            known.push(secret);
        }
    }
}

fn replaced(secrets: &Mutex<Vec<String>>, text: String) -> String {
    let secrets = secrets.lock().unwrap_or_else(PoisonError::into_inner);
    secrets.iter().fold(text, |text, secret| match text.contains(secret) {
        true => text.replace(secret, HIDDEN),
        false => text,
    })
}
