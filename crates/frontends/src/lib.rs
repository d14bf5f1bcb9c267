//! From text to a [`graph::draft::Draft`], and from a graph to text.
//!
//! A front-end knows one format and nothing of what another format would want to check too.
//! There are three: [`document`], the graph as JSON, [`ainl`], programs of lines, and
//! [`ontology`], specs as YAML.
//!
//! ```
//! use diagnostics::Source;
//! let source = Source::new("hello.json", r#"{"labels": {"1": {"nodes": [
//!     {"id": "n1", "op": "J", "data": {"op": "J", "var": "ok"}}]}}}"#);
//! let mut reading = frontends::read(&source, frontends::Format::Graph, frontends::Ontology::V1);
//! let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
//! assert!(reading.findings.is_empty());
//! assert_eq!(graph.labels["1"].exits[0].var.as_deref(), Some("ok"));
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

pub mod ainl;
mod detect;
pub mod document;
mod includes;
mod json;
pub mod ontology;
mod origins;
pub mod policy;
#[doc(hidden)]
pub mod yaml;

pub use detect::{Format, detect};
use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use graph::draft::Draft;
pub use includes::{Files, Include, Missing, includes};
pub use json::locate;
pub use ontology::Ontology;
pub use origins::Origins;
use value::{Ordered, Text, Value};

/// What reading a text gave.
pub struct Reading {
    /// What the author wrote; nothing where the text could not be read at all.
    pub draft: Option<Draft>,
    /// What is wrong with it. Places are pointers until [`locate`] resolves them.
    pub findings: Vec<Diagnostic>,
    /// Findings that a graph document carries from when it was compiled, as it writes them.
    pub carried: Vec<Value>,
    /// Where the pieces of the draft come from, in a text that is no graph document.
    pub origins: Origins,
}

/// What a text of another format cannot say.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// The node as `label/n1`, or what else it is about.
    pub at: String,
    /// What is lost, or said in another way.
    pub what: String,
}

/// Reads a text that is only JSON to us, such as a patch. Its findings have their places.
pub fn read_json(source: &Source) -> (Option<Value>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let value = json::read(source, &mut findings);
    locate(source, &mut findings);
    (value, findings)
}

/// What a text alone does not say.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// What became of the files that it includes.
    pub files: Files,
    /// The names of the inputs that a run of it is given.
    pub inputs: Vec<Text>,
    /// What is declared elsewhere of verbs that are not built in.
    pub contracts: Ordered<Value>,
}

/// Reads a text as a format, with nothing else given.
pub fn read(source: &Source, format: Format, ontology: Ontology) -> Reading {
    read_with(source, format, ontology, &Given::default())
}

/// Reads a text as a format. Graph documents and specs say everything themselves.
pub fn read_with(source: &Source, format: Format, ontology: Ontology, given: &Given) -> Reading {
    match format {
        Format::Graph => document::read(source),
        Format::Ainl => ainl::read(source, given),
        Format::Ontology => ontology::read(source, ontology),
        Format::Stargraph => no_graph(
            source,
            "a Stargraph document cannot be read yet",
            "give an Agent Graph v1 document or an Agent Ontology spec; `--from` says which",
        ),
        Format::Rules => no_graph(
            source,
            "this is a file of rules, which are no graph",
            "`quipu rules` runs it, `quipu check` says what is wrong with it, and `quipu show` \
             draws it",
        ),
    }
}

/// A text that is understood and has no graph.
fn no_graph(source: &Source, message: &str, help: &str) -> Reading {
    let first_line = source.line(1);
    let at = Anchor::Span(Span::new(first_line.start, first_line.end));
    let finding = Diagnostic::new(&codes::UNKNOWN_FORMAT, at, message).help(help);
    let (carried, origins) = (Vec::new(), Origins::default());
    Reading { draft: None, findings: vec![finding], carried, origins }
}
