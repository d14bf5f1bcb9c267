//! What the compact syntax can have wrong with it.

use diagnostics::{Anchor, Diagnostic, Span, codes, nearest};

use super::super::token::{Line, Word};

/// The words that begin a statement.
const STATEMENTS: &[&str] =
    &["in:", "config", "state", "if", "elif", "else:", "out", "err", "call"];

fn span_of(words: &[Word<'_>]) -> Span {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
        _ => Span::default(),
    }
}

/// A line that says nothing.
pub(super) fn unknown(line: &Line<'_>) -> Diagnostic {
    let word = &*line.op.text;
    let at = Anchor::Span(line.op.span);
    let message = format!("`{word}` begins no statement, so this line means nothing");
    let found = Diagnostic::new(&codes::UNKNOWN_STATEMENT, at.clone(), message);
    match nearest(word, STATEMENTS.iter().copied()) {
        _ if matches!(word, "for" | "while") => found.help(
            "there are no loops here; lines of ops have them: `Loop items item ->L_body ->L_after`",
        ),
        Some(near) if !line.op.quoted => found.meant(near, at),
        _ => found.help(
            "a statement is `name = value`, a call such as `core.ADD 1 2`, `if`, `out`, `err`, \
             `call`, `in:`, `config`, `state`, or a line of ops",
        ),
    }
}

/// A line that is indented like no block that is open.
pub(super) fn indentation(line: &Line<'_>, what: &str) -> Diagnostic {
    let message = format!("this line is indented {what}");
    Diagnostic::new(&codes::WRONG_INDENTATION, Anchor::Span(line.span()), message)
        .help("indent all lines of a block alike, by the same spaces or tabs")
}

/// `if` without statements below it.
pub(super) fn empty_block(line: Span, what: &str) -> Diagnostic {
    let message = format!("`{what}` has no statements below it");
    Diagnostic::new(&codes::EMPTY_BLOCK, Anchor::Span(line), message)
        .help("indent what belongs to it further than it is itself")
}

/// A decorator that nothing knows, or without what it needs.
pub(super) fn decorator(word: &Word<'_>, argument: Option<&Word<'_>>) -> Diagnostic {
    let at = Anchor::Span(word.span);
    let name = &*word.text;
    let (code, help) = (&codes::ODD_HEADER, "there are `@cron \"0 9 * * *\"` and `@api \"/path\"`");
    if argument.is_none() && matches!(name, "@cron" | "@api") {
        let what = if name == "@cron" { "when it runs" } else { "its path" };
        return Diagnostic::new(code, at, format!("`{name}` does not say {what}")).help(help);
    }
    let found = Diagnostic::new(code, at.clone(), format!("`{name}` means nothing in a header"));
    match nearest(name, ["@cron", "@api"]) {
        Some(near) => found.meant(near, at),
        None => found.help(help),
    }
}

/// Something on the line of a header or of `else` that nothing reads.
pub(super) fn behind_block(words: &[Word<'_>], what: &str) -> Diagnostic {
    let message = format!("this is not read: behind `{what}` stands nothing");
    Diagnostic::new(&codes::ODD_HEADER, Anchor::Span(span_of(words)), message)
        .help("statements stand on lines of their own")
}

/// A block that is not opened by a colon.
pub(super) fn no_colon(line: &Line<'_>) -> Diagnostic {
    let end = line.span().end;
    let at = Anchor::Span(Span { start: end, end });
    let message = format!("the line of `{}` does not end in a colon", line.op.text);
    Diagnostic::new(&codes::ODD_HEADER, Anchor::Span(line.span()), message)
        .help("write `:` at its end; what belongs to it stands below, on lines of its own")
        .fix("write `:` at the end of the line", at, ":")
        .unsure()
}

/// A condition that cannot be read.
pub(super) fn odd_condition(words: &[Word<'_>], sign: Option<&Word<'_>>) -> Box<Diagnostic> {
    let code = &codes::ODD_CONDITION;
    if let Some(sign) = sign.filter(|sign| sign.text == "=" && !sign.quoted) {
        let at = Anchor::Span(sign.span);
        let found = Diagnostic::new(code, at.clone(), "`=` stores a value, and compares nothing");
        return Box::new(found.help("write `==` to compare").fix("write `==`", at, "==").unsure());
    }
    let message = match words {
        [] => "there is no condition",
        _ => "this condition cannot be read",
    };
    let found = Diagnostic::new(code, Anchor::Span(span_of(words)), message);
    Box::new(found.help(
        "a condition is a name, or `a == b` (also !=, <, <=, >, >=), with `not`, `and` and `or` \
         but without parentheses; quote text with spaces",
    ))
}

/// A value that cannot be read.
pub(super) fn odd_value(words: &[Word<'_>]) -> Box<Diagnostic> {
    let found = Diagnostic::new(
        &codes::ODD_VALUE,
        Anchor::Span(span_of(words)),
        "this is more than one value, and none that can be computed in one step",
    );
    Box::new(found.help(
        "a value is one word, a quoted text, a call such as `core.ADD 1 2`, one sum such as \
         `a + b`, or a condition; give intermediate results names",
    ))
}

/// `if` or `name =` with nothing behind it.
pub(super) fn nothing_behind(line: &Line<'_>, what: &str) -> Diagnostic {
    let message = format!("{what} is missing at the end of this line");
    Diagnostic::new(&codes::ODD_VALUE, Anchor::Span(line.span()), message)
        .help("write it, or take the line away")
}

/// Something that is no name.
pub(super) fn no_name(word: &Word<'_>, what: &str) -> Diagnostic {
    let message = format!("`{}` is no name of {what}", word.text);
    Diagnostic::new(&codes::NO_NAME, Anchor::Span(word.span), message)
        .help("a name is letters, digits and `_`, and begins with no digit")
}

/// A line where a name is missing.
pub(super) fn missing_name(line: &Line<'_>, what: &str) -> Diagnostic {
    let message = format!("`{}` does not say which {what}", line.op.text);
    Diagnostic::new(&codes::NO_NAME, Anchor::Span(line.span()), message)
        .help("write its name behind it")
}

/// `else` that belongs to no `if`.
pub(super) fn stray_else(line: &Line<'_>) -> Diagnostic {
    let message = format!("`{}` belongs to no `if`", line.op.text.trim_end_matches(':'));
    Diagnostic::new(&codes::STRAY_ELSE, Anchor::Span(line.span()), message)
        .help("it stands right below the block of an `if`, and is indented like the `if`")
}
