//! What a text includes, and what became of it. Whoever can read files reads them; a front-end
//! says what it wants, and tells its author where that failed.

use std::collections::BTreeMap;

use diagnostics::{Source, Span};
use value::Text;

use crate::{Format, ainl};

/// A file that a text wants to have included.
#[derive(Clone, Debug, PartialEq)]
pub struct Include {
    /// Where it says so; no two of them are at the same place.
    pub at: Span,
    /// Which file, as it is written.
    pub path: Text,
}

/// What part of a source includes. Formats without includes have none.
pub fn includes(source: &Source, part: Span, format: Format) -> Vec<Include> {
    match format {
        Format::Ainl => ainl::includes(source, part),
        Format::Graph | Format::Ontology | Format::Stargraph | Format::Rules => Vec::new(),
    }
}

/// What became of the files that a text includes, and those that they include.
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<Span, Result<Span, Missing>>);

impl Files {
    /// Keeps what became of an include: the part of the source that holds it now, or why not.
    pub fn keep(&mut self, at: Span, became: Result<Span, Missing>) {
        self.0.insert(at, became);
    }

    /// What became of the include at a place. Nothing where nobody looked for it.
    pub fn get(&self, at: Span) -> Option<Result<Span, &Missing>> {
        self.0.get(&at).map(|became| became.as_ref().copied())
    }

    /// All of them, by their places.
    pub fn iter(&self) -> impl Iterator<Item = (Span, Result<Span, &Missing>)> {
        self.0.iter().map(|(at, became)| (*at, became.as_ref().copied()))
    }
}

/// Why a file was not included.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// There is none of this name.
    NotFound {
        /// Where it could have been, in the order in which they were tried.
        looked: Vec<Text>,
    },
    /// It is included by itself.
    Cycle {
        /// The files from it to itself: the first is the last.
        chain: Vec<Text>,
    },
    /// There is one, but it cannot be read.
    Unreadable {
        /// Which one.
        file: Text,
        /// What the system said.
        why: String,
    },
    /// Its bytes are no text.
    NotUtf8 {
        /// Which one.
        file: Text,
        /// The line that has the first wrong byte.
        line: usize,
    },
    /// It is an address, and nothing is fetched.
    Address,
    /// Files include files, deeper than this.
    TooDeep(usize),
    /// More files than this are included.
    TooMany(usize),
    /// Included files have more bytes than this together.
    TooLarge(usize),
}
