//! Which model `--model` means.

use std::fmt;
use std::io;
use std::path::{PathBuf, absolute};
use std::str::FromStr;

use value::Text;

/// How made-up answers are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Small numbers, no, the first of several.
    Low,
    /// Large numbers, yes, the last of several.
    High,
    /// Something else each time.
    Cycle,
}

const PROFILES: [(&str, Profile); 3] =
    [("low", Profile::Low), ("high", Profile::High), ("cycle", Profile::Cycle)];

/// Which model answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelChoice {
    /// `stub:low`, `stub:high`, `stub:cycle`: made-up answers that fit the schema.
    Stub(Profile),
    /// `script:FILE`: answers in the order of a file.
    Script(PathBuf),
    /// `record:FILE` or `record:FILE,MODEL`: asks, and keeps what is answered.
    Record {
        /// Where.
        path: PathBuf,
        /// Who is asked; each agent's own model when nothing is said.
        inner: Option<Box<ModelChoice>>,
    },
    /// `replay:FILE`: what was recorded before.
    Replay(PathBuf),
    /// Anything else: a model's name.
    Named(Text),
}

/// A choice that cannot be understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// No such profile.
    #[error("`{0}` is no model: write `stub:low`, `stub:high` or `stub:cycle`")]
    Profile(String),
    /// The name of a file is missing.
    #[error("`{text}` is no model: write `{kind}:FILE`")]
    File {
        /// What was written.
        text: String,
        /// What it begins with.
        kind: String,
    },
    /// A recording of what was never asked.
    #[error("`{0}` cannot be recorded: only a model that is asked can be")]
    Recorded(String),
    /// Nothing at all.
    #[error("a model needs a name, such as `stub:high`")]
    Empty,
}

impl FromStr for ModelChoice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<ModelChoice, ChoiceError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let file = |name: &str| {
            let is_name = !name.is_empty();
            is_name
                .then(|| PathBuf::from(name))
                .ok_or_else(|| ChoiceError::File { text: text.to_owned(), kind: kind.to_owned() })
        };
        match kind {
            "stub" => {
                let found = PROFILES.iter().find(|(name, _)| *name == rest);
                let found = found.ok_or_else(|| ChoiceError::Profile(text.to_owned()))?;
                Ok(ModelChoice::Stub(found.1))
            }
            "script" => Ok(ModelChoice::Script(file(rest)?)),
            "replay" => Ok(ModelChoice::Replay(file(rest)?)),
            "record" => {
                let (path, inner) = match rest.split_once(',') {
                    Some((path, inner)) => (path, Some(asked(inner)?)),
                    None => (rest, None),
                };
                Ok(ModelChoice::Record { path: file(path)?, inner })
            }
            "" => Err(ChoiceError::Empty),
            _ => Ok(ModelChoice::Named(text.into())),
        }
    }
}

/// As `--model` takes it.
impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelChoice::Stub(profile) => {
                let known = PROFILES.iter().find(|(_, known)| known == profile);
                write!(f, "stub:{}", known.map_or("", |(name, _)| name))
            }
            ModelChoice::Script(path) => write!(f, "script:{}", path.display()),
            ModelChoice::Replay(path) => write!(f, "replay:{}", path.display()),
            ModelChoice::Record { path, inner: None } => write!(f, "record:{}", path.display()),
            ModelChoice::Record { path, inner: Some(inner) } => {
                write!(f, "record:{},{inner}", path.display())
            }
            ModelChoice::Named(name) => f.write_str(name),
        }
    }
}

impl ModelChoice {
    /// The text that means the same in every folder: its files by their whole paths. Nothing where
    /// there is none, because it would be read as something else.
    pub fn everywhere(&self) -> io::Result<Option<Text>> {
        let whole = self.whole()?;
        let text = whole.to_string();
        Ok((text.parse().as_ref() == Ok(&whole)).then(|| text.into()))
    }

    fn whole(&self) -> io::Result<ModelChoice> {
        Ok(match self {
            ModelChoice::Script(path) => ModelChoice::Script(absolute(path)?),
            ModelChoice::Replay(path) => ModelChoice::Replay(absolute(path)?),
            ModelChoice::Record { path, inner } => {
                let inner = inner.as_ref().map(|inner| inner.whole()).transpose()?;
                ModelChoice::Record { path: absolute(path)?, inner: inner.map(Box::new) }
            }
            ModelChoice::Stub(_) | ModelChoice::Named(_) => self.clone(),
        })
    }
}

/// A model whose answers are worth recording.
fn asked(text: &str) -> Result<Box<ModelChoice>, ChoiceError> {
    match text.parse()? {
        ModelChoice::Record { .. } | ModelChoice::Replay(_) => {
            Err(ChoiceError::Recorded(text.to_owned()))
        }
        choice => Ok(Box::new(choice)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ModelChoice, String> {
        text.parse().map_err(|error: ChoiceError| error.to_string())
    }

    #[test]
    fn choices_are_read() {
        assert_eq!(read("stub:cycle"), Ok(ModelChoice::Stub(Profile::Cycle)));
        assert_eq!(read("script:a:b.json"), Ok(ModelChoice::Script("a:b.json".into())));
        assert_eq!(read("replay:c.jsonl"), Ok(ModelChoice::Replay("c.jsonl".into())));
        let record = |inner| ModelChoice::Record { path: "c.jsonl".into(), inner };
        assert_eq!(read("record:c.jsonl"), Ok(record(None)));
        let stub = Box::new(ModelChoice::Stub(Profile::Low));
        assert_eq!(read("record:c.jsonl,stub:low"), Ok(record(Some(stub))));
        for name in ["gpt-5", "openai/gpt-5", "llama3:8b", "stubs"] {
            assert_eq!(read(name), Ok(ModelChoice::Named(name.into())));
        }
    }

    #[test]
    fn a_choice_means_the_same_everywhere() {
        let here = absolute("x").unwrap().parent().unwrap().display().to_string();
        for (text, everywhere) in [
            ("stub:low", "stub:low"),
            ("stub:high", "stub:high"),
            ("stub:cycle", "stub:cycle"),
            ("llama3:8b", "llama3:8b"),
            ("script:a.json", "script:HERE/a.json"),
            ("script:/a,b/c.json", "script:/a,b/c.json"),
            ("replay:./c.jsonl", "replay:HERE/c.jsonl"),
            ("record:c.jsonl", "record:HERE/c.jsonl"),
            ("record:c.jsonl,script:b.json", "record:HERE/c.jsonl,script:HERE/b.json"),
        ] {
            let found = read(text).unwrap().everywhere().unwrap();
            assert_eq!(found.as_deref(), Some(&*everywhere.replace("HERE", &here)), "{text}");
        }
        let comma = ModelChoice::Record { path: "/a,b/c.jsonl".into(), inner: None };
        assert_eq!(comma.everywhere().unwrap(), None, "`b/c.jsonl` would be who is asked");
    }

    #[test]
    fn what_is_no_choice_says_what_is() {
        for (text, why) in [
            ("", "a model needs a name, such as `stub:high`"),
            (":x", "a model needs a name, such as `stub:high`"),
            ("stub", "`stub` is no model: write `stub:low`, `stub:high` or `stub:cycle`"),
            ("stub:hihg", "`stub:hihg` is no model: write `stub:low`, `stub:high` or `stub:cycle`"),
            ("script", "`script` is no model: write `script:FILE`"),
            ("replay:", "`replay:` is no model: write `replay:FILE`"),
            ("record:", "`record:` is no model: write `record:FILE`"),
            ("record:a,", "a model needs a name, such as `stub:high`"),
            (
                "record:a,replay:b",
                "`replay:b` cannot be recorded: only a model that is asked can be",
            ),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
        assert_eq!(
            read("record:,stub:low"),
            Err("`record:,stub:low` is no model: write `record:FILE`".to_owned())
        );
    }
}
