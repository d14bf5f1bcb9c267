//! Words that several findings share.

use std::fmt::Display;

use diagnostics::{Anchor, Code, Diagnostic, Span};

use crate::program::Kinds;

/// A finding about a stretch of text.
pub(super) fn at(code: &'static Code, span: Span, message: impl Display) -> Diagnostic {
    Diagnostic::new(code, Anchor::Span(span), message)
}

/// "`a`, `b` or `c`"
pub(super) fn choice<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    joined(&quoted)
}

/// What kinds a value may be of: "a number or a symbol".
pub(super) fn described(kinds: Kinds) -> String {
    if kinds.holds(Kinds::SINGLE) {
        return "a single value".to_owned();
    }
    let mut words = Vec::new();
    let number = kinds.holds(Kinds::NUMBER);
    for (kind, word) in [
        (Kinds::SYMBOL, "a symbol"),
        (Kinds::TEXT, "a string"),
        (Kinds::INT, if number { "a number" } else { "a whole number" }),
        (Kinds::FLOAT, if number { "" } else { "a float" }),
        (Kinds::FACT, "the address of a fact"),
        (Kinds::MANY, "a list"),
    ] {
        if kinds.holds(kind) && !word.is_empty() {
            words.push(word.to_owned());
        }
    }
    joined(&words)
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
