//! Rules over what a graph can do: what nobody may call, what alone may be called, and what a
//! person must have agreed to. The same rules are held against a graph before it runs and against
//! each call of a run before it leaves, so nothing here knows which of the two it is.

mod glob;
mod origin;
mod subject;

use value::Text;

use crate::effects::{Effect, Tier, Touches};
use crate::model::{Endpoint, Graph};

pub use glob::Glob;
pub use origin::{From, Origin, What, request};
pub use subject::Subject;

/// The rules of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rulebook {
    /// The file, as the user knows it.
    pub file: Text,
    /// In the order of the file.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it wants.
    pub list: List,
    /// Its place in that list, from 1 on.
    pub number: usize,
    /// What it is about.
    pub about: About,
    /// Why, in words for whoever meets it.
    pub reason: Option<Text>,
    /// What whoever is asked must be allowed to do.
    pub capability: Option<Text>,
    /// How long they have, in seconds.
    pub expires_s: Option<i64>,
    /// A denial ends the run.
    pub aborts: bool,
}

/// What a rule wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// That it never happens.
    Deny,
    /// That nothing happens which no rule of this list is about.
    Allow,
    /// That a person agrees.
    Ask,
    /// That it is there.
    Require,
}

impl List {
    /// All of them, in the order of their strictness.
    pub const ALL: [List; 4] = [List::Deny, List::Allow, List::Ask, List::Require];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            List::Deny => "deny",
            List::Allow => "allow",
            List::Ask => "ask",
            List::Require => "require",
        }
    }
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// What nodes do.
    Nodes(Box<Scope>),
    /// Endpoints with these paths; only those that do not ask who is calling, where `without_auth`.
    Endpoints {
        /// `/users/*`, or with the method before it.
        paths: Vec<Glob>,
        /// Only those without auth.
        without_auth: bool,
    },
    /// What the program declares: `auth`, `auth.jwt`, `queue.orders`.
    Capabilities(Vec<Glob>),
}

/// Which nodes. What is not said does not matter; of each list one is enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// What is called.
    pub adapters: Vec<Glob>,
    /// `io`, `pure`, `meta`.
    pub effects: Vec<Effect>,
    /// `io-read`, `io-write`, ...
    pub tiers: Vec<Tier>,
    /// `http`, `queue`, `db_write`, ...
    pub kinds: Vec<Glob>,
    /// `read`, `write`, `model`, ...
    pub touches: Vec<Touches>,
    /// The label in which it stands.
    pub labels: Vec<Glob>,
    /// What leads to it.
    pub from: Option<From>,
}

impl Scope {
    /// Whether it is about this, wherever a run begins.
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        fn one<T>(all: &[T], is: impl FnMut(&T) -> bool) -> bool {
            all.is_empty() || all.iter().any(is)
        }
        one(&self.adapters, |glob| subject.names.iter().any(|name| glob.matches(name)))
            && one(&self.effects, |effect| *effect == subject.effect)
            && one(&self.tiers, |tier| *tier == subject.tier)
            && one(&self.kinds, |glob| subject.kind.is_some_and(|kind| glob.matches(kind)))
            && one(&self.touches, |touches| *touches == subject.touches)
            && one(&self.labels, |glob| glob.matches(subject.label))
    }
}

/// What the rules say about something that happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<'a> {
    /// Nothing.
    Fine,
    /// This rule forbids it.
    Denied(&'a Rule),
    /// There are rules that say what is allowed, and this is none of it.
    NotAllowed,
    /// This rule wants a person to agree.
    Ask(&'a Rule),
}

impl Rulebook {
    /// What the rules say about something that happens in a run; `within` says whether what leads
    /// there is as a rule has it. A denial counts more than a question.
    pub fn decide(&self, subject: &Subject<'_>, within: impl Fn(&From) -> bool) -> Verdict<'_> {
        let holds =
            |scope: &Scope| scope.matches(subject) && scope.from.as_ref().is_none_or(&within);
        let first = |list| self.nodes(list).find(|(_, scope)| holds(scope)).map(|(rule, _)| rule);
        if let Some(rule) = first(List::Deny) {
            return Verdict::Denied(rule);
        }
        if self.lists_all() && subject.leaves() && first(List::Allow).is_none() {
            return Verdict::NotAllowed;
        }
        first(List::Ask).map_or(Verdict::Fine, Verdict::Ask)
    }

    /// Whether only what it allows may be called.
    pub fn lists_all(&self) -> bool {
        self.nodes(List::Allow).next().is_some()
    }

    /// The rules of a list that are about nodes.
    pub fn nodes(&self, list: List) -> impl Iterator<Item = (&Rule, &Scope)> {
        let of = self.rules.iter().filter(move |rule| rule.list == list);
        of.filter_map(|rule| match &rule.about {
            About::Nodes(scope) => Some((rule, &**scope)),
            _ => None,
        })
    }

    /// A rule as messages name it, with its reason.
    pub fn named(&self, rule: &Rule) -> String {
        let reason = rule.reason.as_ref().map(|reason| format!(": {reason}"));
        format!(
            "`{}` rule {} of {}{}",
            rule.list.word(),
            rule.number,
            self.file,
            reason.unwrap_or_default()
        )
    }
}

/// Whether a pattern is about an endpoint: by its path, or by its method and path.
pub fn is_about(paths: &[Glob], endpoint: &Endpoint) -> bool {
    paths.iter().any(|glob| origin::names(glob, endpoint))
}

/// What a program declares, with the pointer to it: `auth`, and `auth.jwt` for what kind it is;
/// `queue`, and `queue.orders` for each of them.
pub fn declared(graph: &Graph) -> Vec<(String, Vec<Text>)> {
    let mut all = Vec::new();
    for (name, value) in graph.capabilities.iter() {
        let Some(members) = value.as_map().filter(|members| !members.is_empty()) else { continue };
        all.push((name.to_string(), vec![name.clone()]));
        if let Some(kind) = members.get("kind").and_then(value::Value::as_text) {
            all.push((format!("{name}.{kind}"), vec![name.clone(), "kind".into()]));
            continue;
        }
        let each =
            members.keys().map(|one| (format!("{name}.{one}"), vec![name.clone(), one.clone()]));
        all.extend(each);
    }
    all
}
