//! Where secrets come from.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use value::Text;

use super::Revealed;

/// Longer files hold no secret.
const BYTES_MAX: u64 = 64 << 10;

/// Where a secret comes from. Never the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A variable of the environment.
    Variable(String),
    /// A file; what it ends with that is white space does not count.
    File(PathBuf),
}

impl Source {
    /// The secret, or why there is none and what to do about it.
    pub(crate) fn reveal(&self) -> Result<String, String> {
        self.reveal_by(process_variable)
    }

    /// The same with other variables than those of this process.
    pub(crate) fn reveal_by(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<String, String> {
        match self {
            Source::Variable(name) => match variable(name) {
                Some(secret) if !secret.trim().is_empty() => Ok(secret),
                Some(_) => Err(format!("the variable `{name}` is empty")),
                None => Err(format!("the variable `{name}` is not set; `export {name}=...`")),
            },
            Source::File(path) => {
                let shown = path.display();
                let secret =
                    read(path).map_err(|why| format!("`{shown}` cannot be read: {why}"))?;
                match secret.trim_end() {
                    "" => Err(format!("`{shown}` is empty")),
                    secret => Ok(secret.to_owned()),
                }
            }
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if about.len() > BYTES_MAX {
        return Err(io::Error::other("it is too long for a secret"));
    }
    std::fs::read_to_string(path)
}

/// A variable of this process. One that is no UTF-8 is none.
pub(crate) fn process_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where all secrets of somebody come from, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources(BTreeMap<Text, Source>);

impl Sources {
    pub(crate) fn names(&self) -> impl Iterator<Item = &Text> {
        self.0.keys()
    }

    /// All of them, or why one of them is not there.
    pub(crate) fn reveal(&self) -> Result<Revealed, String> {
        let mut revealed = Revealed::default();
        for (name, source) in &self.0 {
            let secret = source.reveal();
            let secret =
                secret.map_err(|why| format!("the secret `{name}` is not there: {why}"))?;
            revealed.add(name.clone(), secret);
        }
        Ok(revealed)
    }

    /// Whether there are some, and all are there.
    pub(crate) fn are_there(&self) -> bool {
        !self.0.is_empty() && self.reveal().is_ok()
    }
}

impl FromIterator<(Text, Source)> for Sources {
    fn from_iter<I: IntoIterator<Item = (Text, Source)>>(all: I) -> Sources {
        Sources(all.into_iter().collect())
    }
}
