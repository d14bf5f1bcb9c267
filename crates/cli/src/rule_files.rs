//! Files of rules: reading them, and saying what is wrong with them.

use diagnostics::Source;
use frontends::{Format, Origins};
use rules::Rulebook;

use crate::load::{Loaded, Strictness};

/// A file of rules, with everything that can be said before they run.
pub(crate) fn loaded(source: Source, strictness: Strictness) -> Loaded {
    let (book, mut findings) = Rulebook::read(&source.text);
    for finding in &mut findings {
        finding.narrow(&source);
    }
    findings.sort_by_key(|finding| finding.at.span().start);
    strictness.apply(&mut findings);
    Loaded {
        source,
        format: Format::Rules,
        graph: None,
        rules: book,
        findings,
        carried: Vec::new(),
        origins: Origins::default(),
        unmendable: None,
    }
}
