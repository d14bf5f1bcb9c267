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
mod scoped;
mod several;
mod tested;

use diagnostics::{Anchor, Diagnostic, Severity, Source, Span, any_error, codes, render};
use frontends::yaml;
use graph::policy::{From, List, Rulebook};
use history::BlobId;
use history::kinds::Blob;
use runtime::{Ruled, Ruling};
use store::{Store, StoreError};
use value::{Map, Text, Value, json};

pub use call::{about, with_defaults};
pub(crate) use decision::strictness;
pub use kept::{
    ALL_AGENTS, Activation, ActiveError, Proposal, Step, activate, all_history, find, history,
    in_force, keep, propose,
};
pub use several::{Part, Why};
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
    /// Rules in YAML: about what a graph can do, and about calls with their arguments.
    Rules,
    /// Several policies, each in a language of its own.
    Several,
}

/// A policy that can be asked.
#[derive(Debug)]
pub struct Policy {
    language: Language,
    source: Text,
    digest: Text,
    document: Value,
    program: Program,
}

#[derive(Debug)]
enum Program {
    Python(Box<Python>),
    Rules(Rulebook, Option<Rules>),
    Several(Vec<Part>),
}

/// Says whether what leads to a call is as a rule has it.
pub type Leads<'a> = dyn Fn(&From) -> bool + 'a;

/// Where in a graph a call comes from.
#[derive(Clone, Copy)]
pub struct Within<'a> {
    /// The label of its node.
    pub label: &'a str,
    /// What leads there.
    pub leads: &'a Leads<'a>,
}

impl Policy {
    /// Reads a policy. What it is written in follows from the name of its file.
    pub fn read(source: &Source) -> Result<Policy, String> {
        let mut findings = Vec::new();
        let policy = Policy::check(source, &mut findings);
        policy.ok_or_else(|| {
            let errors = findings.iter().filter(|found| found.severity == Severity::Error);
            errors.map(|found| render::line(source, found)).collect::<Vec<_>>().join("\n")
        })
    }

    /// The same, with everything that is wrong. There is none where something is an error.
    pub fn check(source: &Source, findings: &mut Vec<Diagnostic>) -> Option<Policy> {
        let is_python = source.file.ends_with(".py");
        let language = if is_python { Language::Python } else { Language::Rules };
        Policy::new(language, source, findings)
    }

    fn new(language: Language, source: &Source, findings: &mut Vec<Diagnostic>) -> Option<Policy> {
        let mut unreadable = |why: String| {
            let at = Anchor::Span(Span::default());
            findings.push(Diagnostic::new(&codes::POLICY_UNREADABLE, at, why));
            None
        };
        if source.text.len() > SOURCE_MAX {
            return unreadable(format!("a policy has at most {SOURCE_MAX} bytes"));
        }
        let program = match language {
            Language::Python => match Python::new(&source.text) {
                Ok(python) => Program::Python(Box::new(python)),
                Err(why) => return unreadable(why),
            },
            Language::Rules => {
                let before = findings.len();
                let tree = yaml::read(source, findings)?;
                let book = frontends::policy::read(source, &tree, findings);
                let rules = Rules::read(&tree, findings);
                if any_error(&findings[before..]) {
                    return None;
                }
                Program::Rules(book, rules)
            }
            Language::Several => return unreadable("this is no policy".to_owned()),
        };
        let text: Text = source.text.as_str().into();
        let mut members =
            vec![("language", language.word().into()), ("source", Value::Text(text.clone()))];
        if matches!(&program, Program::Rules(book, _) if !book.rules.is_empty()) {
            // Decisions name the file; where it is on somebody's disk is nobody's business.
            let file = source.file.rsplit(['/', '\\']).next().unwrap_or_default();
            members.push(("file", file.into()));
        }
        Some(Policy::made(language, text, Value::map(members), program))
    }

    fn made(language: Language, source: Text, document: Value, program: Program) -> Policy {
        let digest = Blob::new(json::canonical(&document)).id().to_string().into();
        Policy { language, source, digest, document, program }
    }

    /// The policy that is kept under a digest; nothing where it is not there.
    pub fn load(
        store: &dyn Store,
        digest: &str,
    ) -> Result<Option<Result<Policy, String>>, StoreError> {
        let Some(id) = BlobId::parse(digest) else { return Ok(None) };
        let Some(bytes) = history::Archive::blob(store, id)? else { return Ok(None) };
        let document = Blob::read(&bytes).unwrap_or_default();
        let policy = Policy::of(&document);
        Ok(Some(policy.ok_or_else(|| format!("`{digest}` is no policy")).flatten()))
    }

    /// The policy that was kept as a document; nothing where that is something else.
    fn of(document: &Value) -> Option<Result<Policy, String>> {
        let text = |name: &str| document.get(name).and_then(Value::as_text).cloned();
        let language = match text("language").as_deref() {
            Some("python") => Language::Python,
            Some("rules") => Language::Rules,
            Some("several") => return several::read(document),
            _ => return None,
        };
        let file = text("file").unwrap_or_else(|| "policy".into());
        let source = Source::new(&*file, &*text("source").unwrap_or_default());
        let mut findings = Vec::new();
        let said = |findings: &[Diagnostic]| {
            findings.iter().map(|found| render::line(&source, found)).collect::<Vec<_>>().join("\n")
        };
        let policy = Policy::new(language, &source, &mut findings);
        Some(policy.ok_or_else(|| said(&findings)))
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
        Blob::new(json::canonical(&self.document))
    }

    /// Its rules about what a graph can do: before a run begins the graph is held against them.
    pub fn books(&self) -> Vec<&Rulebook> {
        match &self.program {
            Program::Python(_) => Vec::new(),
            Program::Rules(book, _) if book.rules.is_empty() => Vec::new(),
            Program::Rules(book, _) => vec![book],
            Program::Several(parts) => parts.iter().flat_map(|part| part.policy.books()).collect(),
        }
    }

    /// Whether it asks what leads to a call.
    pub fn looks_at_ways(&self) -> bool {
        let scopes = self
            .books()
            .into_iter()
            .flat_map(|book| [List::Deny, List::Ask].into_iter().flat_map(|list| book.nodes(list)));
        scopes.into_iter().any(|(_, scope)| scope.from.is_some())
    }

    /// What becomes of a call. Everything that is no well-formed decision is a denial. Where a run
    /// came from is known only by the name of what it began with.
    pub fn decide(&mut self, call: &Map) -> Ruling {
        let began = call.get("began").and_then(Value::as_text).cloned().unwrap_or_default();
        let leads = |from: &From| {
            let globs = [&from.cron, &from.endpoint, &from.label, &from.entry];
            globs.into_iter().flatten().any(|glob| glob.matches(&began))
        };
        let node = call.get("node").and_then(Value::as_text).cloned().unwrap_or_default();
        // Ids of nodes seldom have a `/`, those of labels have one where files are included.
        let label = node.rsplit_once('/').map_or(&*node, |(label, _)| label);
        self.decide_within(call, Within { label, leads: &leads })
    }

    /// What becomes of a call in a run of which it is known what leads to it.
    pub fn decide_within(&mut self, call: &Map, within: Within<'_>) -> Ruling {
        let (outcome, reason) = self.outcome(call, within);
        Ruling { outcome, reason: reason.map(Into::into), policy: self.digest.clone() }
    }

    fn outcome(&mut self, call: &Map, within: Within<'_>) -> (Ruled, Option<String>) {
        let read = |said: Result<Value, String>| {
            let ruled = said.and_then(|said| decision::read(&said));
            ruled.unwrap_or_else(|why| (Ruled::Broken, Some(why)))
        };
        match &mut self.program {
            Program::Python(python) => read(python.decide(call)),
            Program::Rules(book, None) => scoped::decide(book, call, within),
            Program::Rules(book, Some(rules)) => {
                stricter(scoped::decide(book, call, within), read(rules.decide(call)))
            }
            Program::Several(parts) => {
                let said = parts.iter_mut().map(|part| part.policy.outcome(call, within));
                said.reduce(stricter).unwrap_or((Ruled::Broken, None))
            }
        }
    }
}

/// The stricter of two decisions; the one that says why, where both say the same.
fn stricter(
    one: (Ruled, Option<String>),
    other: (Ruled, Option<String>),
) -> (Ruled, Option<String>) {
    let (a, b) = (decision::strictness(&one.0), decision::strictness(&other.0));
    if b > a || (a == b && one.1.is_none()) { other } else { one }
}

/// What becomes of a call where its policy cannot be asked at all.
pub fn unasked(policy: &Text, why: &str) -> Ruling {
    let reason = Some(format!("the policy cannot be asked: {why}").into());
    Ruling { outcome: Ruled::Broken, reason, policy: policy.clone() }
}

impl Language {
    /// What it is, for people.
    pub fn described(self) -> &'static str {
        match self {
            Language::Python => "Python",
            Language::Rules => "`rules`",
            Language::Several => "several languages",
        }
    }

    /// The word for it in what is kept.
    pub fn word(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Rules => "rules",
            Language::Several => "several",
        }
    }
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
