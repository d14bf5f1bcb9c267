//! Which model `--model` means.

use std::path::PathBuf;
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
