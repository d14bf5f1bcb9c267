//! Policies: programs that say what becomes of a call before it leaves.
//!
//! A policy is Python (`def decide(call)`) or a list of rules in YAML. It is kept in the store under
//! the digest of what it is, so that every decision names exactly the program that made it. What
//! is no well-formed decision is a denial, whatever the reason.

mod call;
mod decision;
mod kept;
mod python;
mod rules;
mod tested;

use diagnostics::{Diagnostic, Source, render};
use frontends::yaml;
use history::BlobId;
use history::kinds::Blob;
use runtime::{Ruled, Ruling};
use store::{Store, StoreError};
use value::{Map, Text, Value, json};

pub use call::{about, with_defaults};
pub use kept::{
    ALL_AGENTS, Activation, ActiveError, Proposal, Step, activate, all_history, find, history,
    in_force, keep, propose,
};
pub use tested::{Test, Tested, read_tests};

use python::Python;
use rules::Rules;

/// Nobody writes a longer one by hand.
const SOURCE_MAX: usize = 256 << 10;

/// What a policy is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with a function `decide`.
    Python,
    /// A list of rules.
    Rules,
}

/// A policy that can be asked.
#[derive(Debug)]
pub struct Policy {
    language: Language,
    source: Text,
    digest: Text,
    program: Program,
}

#[derive(Debug)]
enum Program {
    Python(Box<Python>),
    Rules(Rules),
}

impl Policy {
    /// Reads a policy. What it is written in follows from the name of its file.
    pub fn read(source: &Source) -> Result<Policy, String> {
        let is_python = source.file.ends_with(".py");
        let language = if is_python { Language::Python } else { Language::Rules };
        Policy::new(language, source.text.as_str().into(), &source.file)
    }

    fn new(language: Language, text: Text, file: &str) -> Result<Policy, String> {
        if text.len() > SOURCE_MAX {
            return Err(format!("`{file}` is longer than {SOURCE_MAX} bytes"));
        }
        let program = match language {
            Language::Python => {
                let python = Python::new(&text).map_err(|why| format!("{file}: {why}"))?;
                Program::Python(Box::new(python))
            }
            Language::Rules => Program::Rules(Rules::read(&Source::new(file, &*text))?),
        };
        let digest = document_of(language, &text).id().to_string().into();
        Ok(Policy { language, source: text, digest, program })
    }

    /// The policy that is kept under a digest; nothing where it is not there.
    pub fn load(
        store: &dyn Store,
        digest: &str,
    ) -> Result<Option<Result<Policy, String>>, StoreError> {
        let Some(id) = BlobId::parse(digest) else { return Ok(None) };
        let Some(bytes) = history::Archive::blob(store, id)? else { return Ok(None) };
        let document = Blob::read(&bytes).unwrap_or_default();
        let text = |name: &str| document.get(name).and_then(Value::as_text).cloned();
        let language = match text("language").as_deref() {
            Some("python") => Language::Python,
            Some("rules") => Language::Rules,
            _ => return Ok(Some(Err(format!("`{digest}` is no policy")))),
        };
        let source = text("source").unwrap_or_else(|| "".into());
        Ok(Some(Policy::new(language, source, "policy")))
    }

    /// What every decision of it names.
    pub fn digest(&self) -> &Text {
        &self.digest
    }

    /// What it is written in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The program.
    pub fn source(&self) -> &Text {
        &self.source
    }

    /// What it is kept as.
    pub fn document(&self) -> Blob {
        document_of(self.language, &self.source)
    }

    /// What becomes of a call. Everything that is no well-formed decision is a denial.
    pub fn decide(&mut self, call: &Map) -> Ruling {
        let said = match &mut self.program {
            Program::Python(python) => python.decide(call),
            Program::Rules(rules) => rules.decide(call),
        };
        let ruled = said.and_then(|said| decision::read(&said));
        let (outcome, reason) = match ruled {
            Ok((outcome, reason)) => (outcome, reason),
            Err(why) => (Ruled::Broken, Some(why)),
        };
        Ruling { outcome, reason: reason.map(Into::into), policy: self.digest.clone() }
    }
}

/// What becomes of a call where its policy cannot be asked at all.
pub fn unasked(policy: &Text, why: &str) -> Ruling {
    let reason = Some(format!("the policy cannot be asked: {why}").into());
    Ruling { outcome: Ruled::Broken, reason, policy: policy.clone() }
}

impl Language {
    /// The word for it in what is kept.
    pub fn word(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Rules => "rules",
        }
    }
}

fn document_of(language: Language, source: &Text) -> Blob {
    let members = [("language", language.word().into()), ("source", Value::Text(source.clone()))];
    Blob::new(json::canonical(&Value::map(members)))
}

/// A text as YAML, which JSON is a part of.
fn yaml_tree(source: &Source) -> Result<yaml::Tree, String> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    let tree = yaml::read(source, &mut findings);
    let said: Vec<String> = findings.iter().map(|one| render::line(source, one)).collect();
    match tree {
        Some(tree) if said.is_empty() => Ok(tree),
        _ => Err(said.join("\n")),
    }
}
