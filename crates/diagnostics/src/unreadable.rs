//! Text that is no JSON, in words for its author.

use value::json::{self, Unreadable};

use crate::{Anchor, Diagnostic, Source, Span, codes};

/// Says where a text stops being JSON, and why.
pub fn unreadable(source: &Source, error: &Unreadable) -> Diagnostic {
    let end = source.text.trim_end().len();
    let line = source.first_line() + error.line - 1;
    let offset = source.offset(line, error.column).min(end);
    let width = source.text[offset..].chars().next().map_or(0, char::len_utf8);
    let at = Anchor::Span(Span::new(offset, offset + width));
    if error.too_deep {
        let message = format!("nested more than {} levels deep", json::DEPTH_MAX);
        return Diagnostic::new(&codes::TOO_DEEP, at, message);
    }
    if source.text.trim().is_empty() {
        return Diagnostic::new(&codes::NOT_JSON, at, "the text is empty");
    }
    let (message, help) = in_our_words(&error.message);
    let found = Diagnostic::new(&codes::NOT_JSON, at, format!("this is not JSON: {message}"));
    if help.is_empty() { found } else { found.help(help) }
}

/// The parser's messages are for programmers; authors get these.
fn in_our_words(message: &str) -> (&str, &str) {
    match message {
        "key must be a string" => ("a name must begin here", "names stand in double quotes"),
        "expected value" | "expected ident" => {
            ("a value must begin here", "text stands in double quotes, and JSON has no comments")
        }
        "trailing characters" => ("there is more text after its end", ""),
        "trailing comma" => ("nothing follows the comma before this", "remove the comma"),
        "EOF while parsing an object" => ("the text ends inside of an object", "a `}` is missing"),
        "EOF while parsing a list" => ("the text ends inside of a list", "a `]` is missing"),
        "EOF while parsing a string" => ("the text ends inside of text", "a `\"` is missing"),
        "EOF while parsing a value" => ("the text ends where a value must follow", ""),
        "expected `,` or `}`" => ("a `,` or `}` must stand here", ""),
        "expected `,` or `]`" => ("a `,` or `]` must stand here", ""),
        "expected `:`" => ("a `:` must stand here", ""),
        "invalid escape" => ("an unknown escape in text", "write a backslash as `\\\\`"),
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => (
            "half of a surrogate pair stands in text",
            "write both halves, or the character itself",
        ),
        "number out of range" => ("this number is too large", "write it as text, in quotes"),
        _ if message.starts_with("control character") => {
            ("a tab, line break or other control character stands in text", "write `\\t` or `\\n`")
        }
        other => (other, ""),
    }
}
