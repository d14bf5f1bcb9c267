//! Where runs begin: what requests, the clock and people name.

use std::fmt;

use value::{Text, Value};

use super::Glob;
use crate::model::{Endpoint, Graph};
use crate::normalize::bare_label;
use crate::query::method_word;

/// What runs begin with, as a rule names it. One of them is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct From {
    /// What runs by the clock: a schedule, or its label.
    pub cron: Vec<Glob>,
    /// A request: its path, or its method and path.
    pub endpoint: Vec<Glob>,
    /// Any label.
    pub label: Vec<Glob>,
    /// The label that a run begins with where nobody says otherwise.
    pub entry: Vec<Glob>,
}

/// A place where runs begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its label.
    pub label: Text,
    /// What begins there.
    pub what: What,
}

/// What begins a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The clock, by a schedule.
    Cron(Text),
    /// A request: method and path.
    Endpoint(Text),
    /// Another label, or a person who names it.
    Label,
    /// Whoever names nothing.
    Entry,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Cron(when) => write!(f, "the cron `{when}` of `{}`", self.label),
            What::Endpoint(request) => write!(f, "the endpoint `{request}`"),
            What::Label => write!(f, "the label `{}`", self.label),
            What::Entry => write!(f, "the entry `{}`", self.label),
        }
    }
}

impl From {
    /// The places that are meant, in the order of the document.
    pub fn origins(&self, graph: &Graph) -> Vec<Origin> {
        let fits = |globs: &[Glob], name: &str| globs.iter().any(|glob| glob.matches(name));
        let mut origins = Vec::new();
        for (label, when) in crons(graph) {
            if fits(&self.cron, &label) || fits(&self.cron, &when) {
                origins.push(Origin { label, what: What::Cron(when) });
            }
        }
        for endpoint in &graph.endpoints {
            if let Some(label) = &endpoint.label
                && self.endpoint.iter().any(|glob| names(glob, endpoint))
            {
                let what = What::Endpoint(request(endpoint).into());
                origins.push(Origin { label: label.clone(), what });
            }
        }
        for label in graph.labels.keys().filter(|label| fits(&self.label, label)) {
            origins.push(Origin { label: label.clone(), what: What::Label });
        }
        let entry = graph.begins_at().filter(|entry| fits(&self.entry, entry));
        origins.extend(entry.map(|entry| Origin { label: entry.clone(), what: What::Entry }));
        origins
    }

    /// Whether a run that begins with a label is one of those that are meant, whatever it comes to.
    pub fn begins(&self, graph: &Graph, label: &str) -> bool {
        let began = From { label: Vec::new(), entry: Vec::new(), ..self.clone() };
        let is_it = |origin: Origin| *origin.label == *label;
        began.origins(graph).into_iter().any(is_it)
            || self.entry.iter().any(|glob| glob.matches(label))
    }
}

/// Whether a pattern is about an endpoint: by its path, or by `METHOD path`.
pub(super) fn names(glob: &Glob, endpoint: &Endpoint) -> bool {
    glob.matches(&endpoint.path) || glob.matches(&request(endpoint))
}

/// `GET /users`
pub fn request(endpoint: &Endpoint) -> String {
    format!("{} {}", method_word(&endpoint.method), endpoint.path)
}

/// The labels that run by the clock, and when.
fn crons(graph: &Graph) -> impl Iterator<Item = (Text, Text)> {
    graph.crons.iter().filter_map(|cron| {
        let written = cron.get("label")?.as_text()?;
        let when = cron.get("expr").and_then(Value::as_text);
        let without_arrow = written.strip_prefix("->").unwrap_or(written);
        let label = match graph.labels.contains_key(without_arrow) {
            true => Text::from(without_arrow),
            false => Text::from(bare_label(written)),
        };
        Some((label, when.unwrap_or(written).clone()))
    })
}
