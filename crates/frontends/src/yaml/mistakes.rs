//! What the author most likely did, where the parser only says what it expected.

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};

use super::{Stop, too_deep, words};

/// A text in which nothing is written.
pub(super) fn empty(source: &Source) -> Stop {
    let comments = !source.text.trim().is_empty();
    let message = if comments { "the text has only comments" } else { "the text is empty" };
    let found = Diagnostic::new(&codes::NOT_YAML, Anchor::Span(Span::default()), message);
    Box::new(found.help("a spec begins with a key, such as `name: `"))
}

/// An alias inside of what it stands for.
pub(super) fn recursive(source: &Source, alias: Span, anchored: Span) -> Stop {
    let name = words(&source.text[alias.range()]);
    let message = format!("{name} stands inside of what it stands for");
    let found = Diagnostic::new(&codes::UNRESOLVED_ALIAS, Anchor::Span(alias), message);
    let first = Span::new(anchored.range().start, anchored.range().start + 1);
    let found = found.label(Anchor::Span(first), "it begins here");
    Box::new(found.help("a value cannot contain itself; write out what is meant"))
}

/// What to say: where, what, and what to do about it.
struct Mistake {
    span: Span,
    message: String,
    help: &'static str,
    label: Option<(Span, &'static str)>,
}

impl Mistake {
    fn new(span: Span, message: impl Into<String>, help: &'static str) -> Mistake {
        Mistake { span, message: message.into(), help, label: None }
    }
}

const QUOTES: &str = "if it is text, put it in quotes";
const SPACE: &str = "write `key: value`, with a space after the `:`";

/// Says in our words what the parser found at a place. `bracket` is the innermost open one.
pub(super) fn explain(source: &Source, info: &str, at: usize, bracket: Option<usize>) -> Stop {
    if info.starts_with("recursion limit") {
        return too_deep(character(source, at));
    }
    if info.contains("unknown anchor") {
        return unknown_alias(source, at);
    }
    let said = Lines { text: &source.text, at };
    let mistake = said.mistake(info, bracket);
    let message = format!("this is not YAML: {}", mistake.message);
    let mut found = Diagnostic::new(&codes::NOT_YAML, Anchor::Span(mistake.span), message);
    if let Some((span, label)) = mistake.label {
        found = found.label(Anchor::Span(span), label);
    }
    Box::new(found.help(mistake.help))
}

fn unknown_alias(source: &Source, at: usize) -> Stop {
    let rest = &source.text[at..];
    let ends = |c: char| c.is_whitespace() || ",[]{}".contains(c);
    let length = rest.find(ends).unwrap_or(rest.len());
    let name = rest[..length].trim_start_matches('*');
    let message = format!("nothing before this is named {}", words(&format!("&{name}")));
    let span = Anchor::Span(Span::new(at, at + length));
    let found = Diagnostic::new(&codes::UNRESOLVED_ALIAS, span, message);
    Box::new(found.help(if name.ends_with(':') {
        "a name can end with `:`; put a space before it"
    } else {
        "an alias repeats a value that is named before it; if it is text, put it in quotes"
    }))
}

fn character(source: &Source, at: usize) -> Span {
    let width = source.text[at..].chars().next().map_or(0, char::len_utf8);
    Span::new(at, at + width)
}

/// The text around the place that the parser complains about.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Lines<'_> {
    fn mistake(&self, info: &str, bracket: Option<usize>) -> Mistake {
        let here = self.here();
        let has = |words: &str| info.contains(words);
        if has("byte order mark") || has("unprintable") {
            let found = self.text[self.at..].chars().next().map_or(0, u32::from);
            let message = format!("an invisible character (U+{found:04X}) stands here");
            return Mistake::new(here, message, "remove it");
        }
        if has("tab") || has("valid YAML whitespace") {
            return self.tab();
        }
        if has("mapping values are not allowed") {
            return self.second_colon();
        }
        if has("simple key expect") {
            return self.no_colon();
        }
        if has("quoted scalar, found unexpected") || has("invalid indentation in quoted") {
            let quote = self.text[self.at..].chars().next().unwrap_or('"');
            let help = "close it where the text ends; lines that go on are indented";
            return Mistake::new(here, format!("the `{quote}` is never closed"), help);
        }
        if has("after double-quoted scalar") {
            return self.behind_quotes();
        }
        if has("quoted scalar") {
            return self.escape();
        }
        if let Some(open) = bracket
            && (info == "invalid indentation" || has("indentation in flow"))
        {
            let help = "indent it deeper, or close the bracket before it";
            let message = "what stands in brackets is indented deeper than their key";
            let mut mistake = Mistake::new(here, message, help);
            mistake.label = Some((Span::new(open, open + 1), "inside of these brackets"));
            return mistake;
        }
        if has("flow") || has("illegal placement") {
            return self.in_brackets(bracket);
        }
        if has("did not find expected key") {
            return self.odd_line();
        }
        if has("document start") {
            return self.outside();
        }
        let (message, help) = self.in_our_words(info);
        Mistake::new(here, message, help)
    }

    /// What needs no look around.
    fn in_our_words(&self, info: &str) -> (String, &'static str) {
        let has = |words: &str| info.contains(words);
        let sign = self.text[self.at..].chars().next().unwrap_or(' ');
        let (message, help) = if has("unexpected character") {
            let sign = if sign == '`' { "a backtick".into() } else { format!("`{sign}`") };
            return (format!("a text cannot begin with {sign}"), "put the text in quotes");
        } else if has("anchor or alias") {
            return (format!("a name must follow `{sign}`"), QUOTES);
        } else if has("misplaced bracket") {
            return (
                format!("this `{sign}` closes nothing"),
                "remove it; if it is text, put it in quotes",
            );
        } else if has("block sequence entries") {
            let help = "begin the list on a line of its own; if it is text, put it in quotes";
            ("a list cannot begin behind other text", help)
        } else if has("mapping keys") {
            ("a text cannot begin with `? `", "put the text in quotes")
        } else if has("'-' indicator") {
            let help = "items of one list are indented alike; what belongs to an item, deeper";
            ("an item (`- `) must begin here, like those above", help)
        } else if has("comment or line break") && has("block scalar") {
            let help = "begin the text on the next line, indented; or put it in quotes";
            ("nothing can follow this sign on its line", help)
        } else if has("wrongly indented line") {
            ("this line is indented less than the first line of its text", "indent it as deep")
        } else if has("comment intercepting") {
            let help = "move the comment away; if it is text, put all of it in quotes";
            ("a comment stands in the middle of a text", help)
        } else if has("comments must be separated") {
            ("a space is missing before `#`", "add one for a comment; if it is text, use quotes")
        } else if has("only valid inside a block") || has("cannot start with '-'") {
            ("`-` cannot stand in brackets", "separate items by commas; put text in quotes")
        } else if has("may not precede") {
            ("a space is missing after `:`", SPACE)
        } else if has("tag") || has("handle") {
            ("this tag cannot be read", QUOTES)
        } else if has("directive") || has("document end") {
            (
                "this cannot stand here",
                "a line that begins with `%` or `...` is no text; use quotes",
            )
        } else if has("expected node content") || has("end of plain scalar") {
            ("a value must begin here", "if it is text, put it in quotes")
        } else if has("invalid indentation") {
            ("this line is not indented like those around it", "indent it as deep")
        } else {
            ("nothing that can stand here", "look for a missing quote, bracket, `:` or indentation")
        };
        (message.to_owned(), help)
    }

    /// The tab that stands where spaces must.
    fn tab(&self) -> Mistake {
        let start = self.line_start(self.at);
        let tab = self.text[start..].find('\t').map_or(self.at, |offset| start + offset);
        let span = Span::new(tab, (tab + 1).min(self.text.len()));
        Mistake::new(span, "a tab stands here", "YAML is indented with spaces")
    }

    /// A `:` where there is a key already.
    fn second_colon(&self) -> Mistake {
        let colon = self.here();
        let start = self.line_start(self.at);
        let before = &self.text[start..self.at];
        let key = before.trim_start().trim_start_matches("- ");
        if let Some(first) = key.find(": ") {
            let from = self.at - key.len();
            let mut mistake =
                Mistake::new(colon, "a second `:` stands on this line", "put the text in quotes");
            mistake.label = Some((Span::new(from + first, from + first + 1), "the first one"));
            return mistake;
        }
        if let Some((above, line)) = self.line_above(start) {
            if let Some(glued) = glued_colon(line) {
                let at = above + glued;
                return Mistake::new(Span::new(at, at + 1), "a space is missing after `:`", SPACE);
            }
            let span = Span::new(self.at - key.trim_start().len(), self.at);
            let mut mistake = Mistake::new(
                span,
                format!("{} is indented like text of the line above", words(key.trim())),
                "indent the keys of one map alike, or put the text in quotes",
            );
            let end = above + line.trim_end().len();
            let begin = above + line.len() - line.trim_start().len();
            mistake.label = Some((Span::new(begin, end.max(begin)), "this line goes on there"));
            return mistake;
        }
        Mistake::new(colon, "a key cannot stand here", "put the text in quotes")
    }

    /// A line without a `:` among those of a map.
    fn no_colon(&self) -> Mistake {
        let before = self.text[..self.at].trim_end();
        let start = self.line_start(before.len());
        let line = &before[start..];
        let begin = start + line.len() - line.trim_start().len();
        if let Some(glued) = glued_colon(line) {
            let at = start + glued;
            return Mistake::new(Span::new(at, at + 1), "a space is missing after `:`", SPACE);
        }
        if line.trim_start().starts_with('*') && line.contains(':') {
            let message = "the `:` belongs to the name of this alias";
            let help = "write `*name : value`, with a space before the `:`";
            return Mistake::new(Span::new(begin, before.len()), message, help);
        }
        let message = format!("{} is no `key: value`", words(line.trim()));
        let help = "add the `:`; a text that goes on from the line above is indented deeper";
        Mistake::new(Span::new(begin, before.len()), message, help)
    }

    /// More text after a closing quote.
    fn behind_quotes(&self) -> Mistake {
        let before = self.text[..self.at].trim_end();
        let next = self.text[self.at..].chars().next().unwrap_or(' ');
        let help = if next == ',' {
            "remove the comma: lines of a map have none"
        } else if before.ends_with('\'') && next.is_alphanumeric() {
            "write an apostrophe in single quotes as `''`, or use double quotes"
        } else {
            "put all of the text in one pair of quotes; write `\\\"` for a quote inside"
        };
        Mistake::new(self.here(), "there is more text after the closing quote", help)
    }

    /// A backslash that means nothing, in the double-quoted text that begins here.
    fn escape(&self) -> Mistake {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let hex = |from: usize, count: usize| {
            let digits = bytes.get(from..from + count);
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            code.and_then(char::from_u32).is_some()
        };
        while let Some(byte) = bytes.get(at) {
            if *byte != b'\\' {
                at += 1;
                continue;
            }
            let fine = match bytes.get(at + 1) {
                Some(b'x') => hex(at + 2, 2),
                Some(b'u') => hex(at + 2, 4),
                Some(b'U') => hex(at + 2, 8),
                Some(other) => b"0abt\tnvfre \"/\\N_LP\r\n".contains(other),
                None => false,
            };
            if !fine {
                break;
            }
            at += 2;
        }
        let at = at.min(self.text.len());
        let width: usize = self.text[at..].chars().take(2).map(char::len_utf8).sum();
        let help = "write a backslash as `\\\\`, or use single quotes";
        Mistake::new(Span::new(at, at + width), "an unknown escape in text", help)
    }

    /// Something that fits into no brackets.
    fn in_brackets(&self, bracket: Option<usize>) -> Mistake {
        let here = self.here();
        let Some(open) = bracket.filter(|open| *open < self.at) else {
            let help = "is a bracket missing? if it is text, put it in quotes";
            return Mistake::new(here, "this does not fit into the brackets", help);
        };
        let is_list = self.text[open..].starts_with('[');
        let (sign, close) = if is_list { ('[', ']') } else { ('{', '}') };
        let bracket = Span::new(open, open + 1);
        let is_later = self.text[open..self.at].trim_end().contains('\n');
        if is_later || self.text[self.at..].trim().is_empty() {
            let help = if is_list { "a `]` is missing" } else { "a `}` is missing" };
            let mut mistake = Mistake::new(bracket, format!("the `{sign}` is never closed"), help);
            if is_later {
                mistake.label = Some((here, "it is still open here"));
            }
            return mistake;
        }
        let message = format!("a `,` or `{close}` must stand here");
        let mut mistake = Mistake::new(here, message, "if it is text, put it in quotes");
        mistake.label = Some((bracket, "inside of these brackets"));
        mistake
    }

    /// A line that fits to no line above.
    fn odd_line(&self) -> Mistake {
        let start = self.line_start(self.at);
        let rest = &self.text[start..];
        let line = rest.lines().next().unwrap_or_default();
        let begin = start + line.len() - line.trim_start().len();
        let span = Span::new(begin, start + line.trim_end().len());
        if line.trim_start().starts_with("- ") {
            let help = "the items of a list come right after their key, `key:`, without a value";
            return Mistake::new(span, "an item of a list cannot stand between keys", help);
        }
        let help = "indent the keys of one map alike, and what belongs to a key deeper";
        Mistake::new(span, "this line is not indented like those above", help)
    }

    /// Text after the end of what the document began with.
    fn outside(&self) -> Mistake {
        let begin = self.text.len() - self.text.trim_start().len();
        if self.text[begin..].starts_with('%') {
            let span = Span::new(begin, begin + 1);
            return Mistake::new(span, "a text cannot begin with `%`", "put the text in quotes");
        }
        let help = "is the first line indented deeper than this one, or no `key: value`?";
        Mistake::new(self.here(), "this does not belong to what the text began with", help)
    }

    /// The character at the place; nothing at the end of the text.
    fn here(&self) -> Span {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        Span::new(self.at, self.at + width)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The last line before this one with something on it, and where it begins.
    fn line_above(&self, start: usize) -> Option<(usize, &str)> {
        let before = self.text[..start].trim_end();
        let above = self.line_start(before.len());
        (!before.is_empty()).then(|| (above, &before[above..]))
    }
}

/// Where a key of one word has its value right behind the `:`.
fn glued_colon(line: &str) -> Option<usize> {
    let key = line.trim_start().trim_start_matches("- ");
    let colon = key.find(':')?;
    let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let is_key = colon > 0 && key[..colon].chars().all(is_word);
    let is_glued = key[colon + 1..].chars().next().is_some_and(|next| !next.is_whitespace());
    (is_key && is_glued && !key[colon..].starts_with("://")).then(|| line.len() - key.len() + colon)
}
