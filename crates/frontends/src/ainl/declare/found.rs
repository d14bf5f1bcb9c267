//! What declarations can have wrong with them.

use diagnostics::{Anchor, Diagnostic, Span, codes, nearest};

use super::super::token::{Line, Word};
use super::table::{self, DECLARES, Declares, UNREAD_MODULES};

/// A line of a module that there is not, or of an op that its module has not.
pub(crate) fn about_module(line: &Line<'_>, consequence: &str) -> Option<Diagnostic> {
    let word = &*line.op.text;
    let (module, op) = word.split_once('.')?;
    if !graph::is_name(module) || !graph::is_name(op) {
        return None;
    }
    let at = Anchor::Span(line.op.span);
    if UNREAD_MODULES.contains(&module) {
        let message =
            format!("nothing reads `{module}.*`, so this line means nothing{consequence}");
        let found = Diagnostic::new(&codes::UNKNOWN_MODULE_OP, at, message);
        return Some(found.help("take the line away, or make it a comment with `#`"));
    }
    let own = |row: &&Declares| row.word.split_once('.').is_some_and(|(own, _)| own == module);
    if DECLARES.iter().any(|row| own(&row)) {
        let message =
            format!("module `{module}` has no `{op}`, so this line means nothing{consequence}");
        let found = Diagnostic::new(&codes::UNKNOWN_MODULE_OP, at.clone(), message);
        let words = || DECLARES.iter().filter(own).map(|row| row.word);
        return Some(match nearest(word, words()) {
            Some(near) => found.meant(near, at),
            None => {
                let mut words: Vec<&str> = words().collect();
                words.dedup();
                found.help(format!("there are {}", words.join(", ")))
            }
        });
    }
    if graph::contracts::find(module, op).is_some() {
        let message = format!("`{word}` is no op, so this line means nothing{consequence}");
        let found = Diagnostic::new(&codes::UNKNOWN_LINE, at.clone(), message);
        let call = format!("R {word}");
        return Some(
            found
                .help(format!("a call is written `{call}`"))
                .fix("write `R` before it", at, call)
                .unsure(),
        );
    }
    let message = format!("there is no module `{module}`, so this line means nothing{consequence}");
    let found = Diagnostic::new(&codes::UNKNOWN_MODULE, at.clone(), message);
    let modules = ["ops", "fe", "rag"];
    let near = nearest(module, modules).map(|near| format!("{near}.{op}"));
    Some(match near.filter(|near| super::find(near).is_some()) {
        Some(near) => found.meant(&near, at),
        None => found.help(format!(
            "the modules are {}; if an adapter is meant, write `R {word}`",
            modules.join(", ")
        )),
    })
}

/// Words that nothing of the line takes.
pub(super) fn surplus(row: &Declares, words: &[Word<'_>]) -> Option<Diagnostic> {
    super::super::found::surplus_words(row.word, &table::usage(row), words)
}

/// A word behind `S hybrid` that is no target.
pub(super) fn unknown_target(word: &Word<'_>, allowed: &[&'static str]) -> Diagnostic {
    let at = Anchor::Span(word.span);
    let message = format!("`{}` is no target of `S hybrid`, and is left out", word.text);
    let found = Diagnostic::new(&codes::UNKNOWN_TARGET, at.clone(), message);
    match nearest(&word.text, allowed.iter().copied()) {
        Some(near) => found.meant(near, at),
        None => found.help(format!("the targets are {}", allowed.join(", "))),
    }
}

/// An endpoint that is not said to run a label.
pub(super) fn no_label(word: &Word<'_>) -> Diagnostic {
    let at = Anchor::Span(word.span);
    let label = format!("->L{}", super::super::program::label_named(&word.text));
    let message = format!("`{}` is read as a label, which is written `{label}`", word.text);
    Diagnostic::new(&codes::ENDPOINT_TARGET, at.clone(), message)
        .help(format!("write `{label}`"))
        .fix(format!("write `{label}`"), at, label)
        .unsure()
}

/// Something that is declared again, and not the same.
pub(super) fn declared_again(line: &Line<'_>, first: Span) -> Diagnostic {
    let name = line.words.first().map_or("", |word| &word.text);
    let message =
        format!("`{} {name}` is declared again: what it said before is lost", line.op.text);
    Diagnostic::new(&codes::DECLARED_AGAIN, Anchor::Span(line.span()), message)
        .label(Anchor::Span(first), "it is declared here")
        .help("take one of them away, or give it another name")
}

/// A word that should be `name=value`.
pub(super) fn no_pair(word: &Word<'_>, between: char) -> Diagnostic {
    let what = if between == '=' { "value" } else { "type" };
    let message = format!("`{}` is not read: here stands `name{between}{what}`", word.text);
    let found = Diagnostic::new(&codes::NO_PAIR, Anchor::Span(word.span), message);
    found.help(format!("write `{}{between}{what}`", word.text))
}

/// `T` before any `U`.
pub(super) fn before_ui(line: &Line<'_>) -> Diagnostic {
    let message = "there is no `U` before this `T`, so that it belongs to nothing";
    let found = Diagnostic::new(&codes::UNDECLARED, Anchor::Span(line.span()), message);
    found.help("declare what it belongs to first: `U Name`")
}

/// A relation or an index of a type that no line before it declares.
pub(super) fn undeclared_type(line: &Line<'_>) -> Diagnostic {
    let name = line.words.first();
    let at = name.map_or(line.op.span, |word| word.span);
    let name = name.map_or("", |word| &word.text);
    let message = format!("no line before this `{}` declares type `{name}`", line.op.text);
    let found = Diagnostic::new(&codes::UNDECLARED, Anchor::Span(at), message);
    found.help(format!("declare it first: `D {name} id:I`"))
}

/// `Inc`, which includes nothing.
pub(super) fn only_recorded(line: &Line<'_>) -> Diagnostic {
    let path = line.words.first().map_or("", |word| &word.text);
    let message = format!("`Inc` only notes `{path}` down: nothing of it is read");
    let found = Diagnostic::new(&codes::ONLY_RECORDED, Anchor::Span(line.span()), message);
    found.help(format!("write `include {path}` at the beginning of the file to use its labels"))
}
