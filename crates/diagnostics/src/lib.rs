//! One type for everything that is wrong with an author's text, and its renderers.
//!
//! Nothing here knows about graphs, and nothing prints.
//!
//! ```
//! use diagnostics::{Anchor, Source, Span, codes, Diagnostic, render};
//! let source = Source::new("a.json", "{\"op\": \"Zork\"}");
//! let found = Diagnostic::new(&codes::UNKNOWN_OP, Anchor::Span(Span::new(7, 13)), "unknown op `Zork`");
//! assert!(render::line(&source, &found).starts_with("a.json:1:8: error[G301]: unknown op"));
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

pub mod codes;
mod nearest;
mod plain;
pub mod render;
mod source;
mod unreadable;

use std::fmt::Display;

pub use codes::Code;
pub use nearest::nearest;
pub use plain::{is_plain, plain};
pub use source::{Position, Source, Span};
pub use unreadable::unreadable;
use value::{Part, Pointer, Text};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text cannot be used as it is.
    Error,
    /// It can be used, but its author would want to know.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word used in every output.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Where something is. A pointer becomes a span once somebody wants to show it.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor {
    /// A stretch of the text.
    Span(Span),
    /// A place in the document, and which part of it is meant.
    Pointer(Pointer, Part),
    /// Both, as the source map found them.
    Located(Span, Pointer),
}

impl Anchor {
    /// The value at a place.
    pub fn value(pointer: Pointer) -> Anchor {
        Anchor::Pointer(pointer, Part::Value)
    }

    /// The name of the member at a place.
    pub fn key(pointer: Pointer) -> Anchor {
        Anchor::Pointer(pointer, Part::Key)
    }

    /// The span, where it is known; else the start of the text.
    pub fn span(&self) -> Span {
        match self {
            Anchor::Span(span) | Anchor::Located(span, _) => *span,
            Anchor::Pointer(..) => Span::default(),
        }
    }

    /// The pointer, where there is one.
    pub fn pointer(&self) -> Option<&Pointer> {
        match self {
            Anchor::Pointer(pointer, _) | Anchor::Located(_, pointer) => Some(pointer),
            Anchor::Span(_) => None,
        }
    }
}

/// A second place that helps to understand the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where.
    pub at: Anchor,
    /// What is there.
    pub message: String,
}

/// One change of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What is replaced.
    pub at: Anchor,
    /// By what.
    pub text: String,
}

/// A way to mend it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What it does, as an instruction.
    pub title: String,
    /// The edits, all or none.
    pub edits: Vec<Edit>,
    /// Whether it may be applied without asking.
    pub safe: bool,
}

/// Something about the author's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Which kind of finding; `quipu explain` has a page for it.
    pub code: &'static Code,
    /// How bad.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// Where.
    pub at: Anchor,
    /// The gate it is about, by its id.
    pub gate: Option<Text>,
    /// The name it is about: where it stands in a longer text, only the name is shown.
    pub name: Option<Text>,
    /// Other places.
    pub labels: Vec<Label>,
    /// The witness: `label/node`, in the order they are passed.
    pub path: Vec<String>,
    /// What to do about it. Shared: many findings of one file may have the same.
    pub help: Option<Text>,
    /// An edit that does it. In a box: a bad file has as many findings as lines, few with a fix.
    pub fix: Option<Box<Fix>>,
}

impl Diagnostic {
    /// A finding with the severity its code has by default.
    pub fn new(code: &'static Code, at: Anchor, message: impl Display) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity,
            message: shortened(plain(&message.to_string()).into_owned()),
            at,
            gate: None,
            name: None,
            labels: Vec::new(),
            path: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<Text>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, at: Anchor, message: impl Display) -> Diagnostic {
        self.labels.push(Label { at, message: message.to_string() });
        self
    }

    /// Adds the witness path.
    #[must_use]
    pub fn path(mut self, path: Vec<String>) -> Diagnostic {
        self.path = path;
        self
    }

    /// Adds a fix that replaces the text at one place.
    #[must_use]
    pub fn fix(mut self, title: impl Display, at: Anchor, text: impl Display) -> Diagnostic {
        let edits = vec![Edit { at, text: text.to_string() }];
        self.fix = Some(Box::new(Fix { title: title.to_string(), edits, safe: true }));
        self
    }

    /// Says what was probably meant, and offers to write it.
    #[must_use]
    pub fn meant(self, near: &str, at: Anchor) -> Diagnostic {
        let found = self.help(format!("did you mean `{near}`?"));
        found.fix(format!("write `{near}`"), at, near).unsure()
    }

    /// The fix is a guess: a person has to agree to it.
    #[must_use]
    pub fn unsure(mut self) -> Diagnostic {
        if let Some(fix) = &mut self.fix {
            fix.safe = false;
        }
        self
    }

    /// Says which name it is about.
    #[must_use]
    pub fn about(mut self, name: &str) -> Diagnostic {
        self.name = Some(name.into());
        self
    }

    /// Shrinks its places, once they are known, to the name it is about.
    pub fn narrow(&mut self, source: &Source) {
        let Some(name) = self.name.clone().filter(|name| !name.is_empty()) else { return };
        let labels = self.labels.iter_mut().map(|label| &mut label.at);
        for anchor in std::iter::once(&mut self.at).chain(labels) {
            if let Anchor::Span(span) | Anchor::Located(span, _) = anchor
                && let Some(found) = find_name(source, *span, &name)
            {
                *span = found;
            }
        }
    }

    /// Every anchor it has, to be resolved.
    pub fn anchors_mut(&mut self) -> impl Iterator<Item = &mut Anchor> {
        let edits = self.fix.iter_mut().flat_map(|fix| &mut fix.edits);
        std::iter::once(&mut self.at)
            .chain(self.labels.iter_mut().map(|label| &mut label.at))
            .chain(edits.map(|edit| &mut edit.at))
    }
}

/// Where a name stands in a stretch of text: as a key in brackets, else in quotes, else alone. In
/// code the name of a variable may well be the name of a key, and neither counts in a comment.
fn find_name(source: &Source, span: Span, name: &str) -> Option<Span> {
    let text = source.text.get(source.within_file(span).range())?;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let stands_alone = |start: &usize| {
        !text[..*start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    };
    let is_code = |start: &usize| {
        let line = text[..*start].rfind('\n').map_or(0, |end| end + 1);
        !text[line..*start].trim_start().starts_with('#')
    };
    let places = || {
        let places = text.match_indices(name).map(|(start, _)| start);
        places.filter(stands_alone).filter(is_code)
    };
    let is_quoted = |start: &usize| text[..*start].ends_with(['"', '\'']);
    let is_key = |start: &usize| text[..*start].ends_with("[\"") || text[..*start].ends_with("['");
    let start =
        places().find(is_key).or_else(|| places().find(is_quoted)).or_else(|| places().next())?;
    let start = span.range().start + start;
    Some(Span::new(start, start + name.len()))
}

/// Authors' words are repeated in messages, but not without end.
fn shortened(mut message: String) -> String {
    const LENGTH_MAX: usize = 400;
    if let Some((end, _)) = message.char_indices().nth(LENGTH_MAX) {
        message.truncate(end);
        message.push_str("...");
    }
    message
}

/// Whether any of them is an error.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
