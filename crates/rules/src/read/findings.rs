//! Words that several findings share.

use std::fmt::Display;

use diagnostics::{Anchor, Code, Diagnostic, Span};

/// A finding about a stretch of text.
pub(super) fn at(code: &'static Code, span: Span, message: impl Display) -> Diagnostic {
    Diagnostic::new(code, Anchor::Span(span), message)
}

/// "`a`, `b` or `c`"
pub(super) fn choice<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    joined(&quoted)
}

fn joined(words: &[String]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [word] => word.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// "1 argument", "2 arguments"
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
