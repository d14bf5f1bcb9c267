//! Lines and their words.
//!
//! A word is bare or quoted; quotes end the word before them, so that `x"y"z` is three words. A `#`
//! outside of quotes begins a comment. Nothing else separates words but spaces and tabs.

use std::borrow::Cow;
use std::ops::Range;

use diagnostics::{Anchor, Diagnostic, Span, codes};

/// A word of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word<'a> {
    /// What it says: without quotes, escapes resolved.
    pub(crate) text: Cow<'a, str>,
    /// Where it stands, with its quotes.
    pub(crate) span: Span,
    /// Whether it is in quotes, and so is text and nothing else.
    pub(crate) quoted: bool,
}

impl<'a> Word<'a> {
    /// A bare word.
    pub(crate) fn bare(text: impl Into<Cow<'a, str>>, span: Span) -> Word<'a> {
        Word { text: text.into(), span, quoted: false }
    }

    /// The name that a `->name` binds.
    pub(crate) fn bound(&self) -> Option<&str> {
        let name = self.arrow()?;
        (!name.starts_with('L')).then_some(name)
    }

    /// A part of a bare word; a quoted one has none but itself.
    pub(crate) fn part(&self, part: Range<usize>) -> Word<'a> {
        if self.quoted {
            return self.clone();
        }
        let text = match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[part.clone()]),
            Cow::Owned(text) => Cow::Owned(text[part.clone()].to_string()),
        };
        let place = |at: usize| self.span.start + at as u32;
        let span = Span { start: place(part.start), end: place(part.end) };
        Word { text, span, quoted: false }
    }

    /// What stands behind an arrow.
    pub(crate) fn arrow(&self) -> Option<&str> {
        self.text.strip_prefix("->").filter(|rest| !self.quoted && !rest.is_empty())
    }
}

/// A line with something on it: its first word says what it is.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// Its number in its file, from 1 on.
    pub(crate) number: usize,
    /// The first word.
    pub(crate) op: Word<'a>,
    /// The others.
    pub(crate) words: Vec<Word<'a>>,
}

impl Line<'_> {
    /// From the first word to the last.
    pub(crate) fn span(&self) -> Span {
        let end = self.words.last().map_or(self.op.span.end, |word| word.span.end);
        Span { start: self.op.span.start, end }
    }
}

/// The lines of a text that have words on them. Spans count from `base`.
pub(crate) fn lines<'a>(
    text: &'a str,
    base: u32,
    findings: &mut Vec<Diagnostic>,
) -> impl Iterator<Item = Line<'a>> {
    numbered(text).filter_map(move |(number, start, line)| {
        let mut words = words(line, base + start, findings).into_iter();
        let op = words.next()?;
        Some(Line { number, op, words: words.collect() })
    })
}

/// The lines of a text without their ends, each with its number and its first byte.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, u32, &str)> {
    let mut start = 0;
    (1..).zip(text.split('\n')).map(move |(number, line)| {
        let at = start;
        start += line.len() + 1;
        (number, Span::new(at, at).start, line.strip_suffix('\r').unwrap_or(line))
    })
}

/// The words of one line that begins at this byte.
pub(crate) fn words<'a>(
    line: &'a str,
    start: u32,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Word<'a>> {
    let bytes = line.as_bytes();
    let mut words = Vec::with_capacity(4);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        match byte {
            b' ' | b'\t' => at += 1,
            b'#' => break,
            b'"' | b'\'' => {
                let (text, end) = quoted(line, begin);
                at = end.unwrap_or(line.len());
                let span = Span { start: start + begin as u32, end: start + at as u32 };
                if end.is_none() {
                    findings.push(unclosed(span, &line[begin..=begin]));
                }
                words.push(Word { text, span, quoted: true });
            }
            _ => {
                let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'#' | b'"' | b'\'');
                let rest = &bytes[at..];
                at += rest.iter().position(is_end).unwrap_or(rest.len());
                let span = Span { start: start + begin as u32, end: start + at as u32 };
                words.push(Word::bare(&line[begin..at], span));
            }
        }
    }
    words
}

/// The text of a quoted word that begins here, and where the word ends, if it does.
fn quoted(line: &str, begin: usize) -> (Cow<'_, str>, Option<usize>) {
    let quote = line.as_bytes()[begin];
    let body = &line[begin + 1..];
    let mut text = Cow::Borrowed("");
    let mut letters = body.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == char::from(quote) {
            return (text, Some(begin + 1 + at + 1));
        }
        let escaped = match letters.peek() {
            Some((_, next)) if letter == '\\' => escape(quote, *next),
            _ => None,
        };
        match (escaped, &mut text) {
            (Some(meant), text) => {
                letters.next();
                text.to_mut().push(meant);
            }
            (None, Cow::Borrowed(_)) => text = Cow::Borrowed(&body[..at + letter.len_utf8()]),
            (None, Cow::Owned(text)) => text.push(letter),
        }
    }
    (text, None)
}

/// What a letter behind a backslash stands for; nothing where the backslash stands for itself.
fn escape(quote: u8, letter: char) -> Option<char> {
    match (quote, letter) {
        (_, '\\') => Some('\\'),
        (b'"', 'n') => Some('\n'),
        (b'"', 't') => Some('\t'),
        (b'"', 'r') => Some('\r'),
        _ => (letter == char::from(quote)).then_some(letter),
    }
}

/// How a text is written in quotes, so that reading it gives the same text.
pub(crate) fn quote(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            other => written.push(other),
        }
    }
    written.push('"');
    written
}

fn unclosed(span: Span, quote: &str) -> Diagnostic {
    let end = Anchor::Span(Span { start: span.end, end: span.end });
    Diagnostic::new(&codes::OPEN_QUOTE, Anchor::Span(span), "this text has no closing quote")
        .help(format!("end it with {quote} on the same line"))
        .fix(format!("write {quote} at the end of the line"), end, quote)
        .unsure()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<(String, bool)> {
        let words = words(line, 0, &mut Vec::new());
        words.into_iter().map(|word| (word.text.into_owned(), word.quoted)).collect()
    }

    #[test]
    fn quotes_separate_words() {
        let expected = [("x", false), ("y z", true), ("w", false)];
        assert_eq!(texts("x\"y z\"w # c \"d"), expected.map(|(text, is)| (text.to_string(), is)));
        assert_eq!(texts("a#b"), [("a".to_string(), false)]);
    }

    #[test]
    fn only_some_backslashes_escape() {
        assert_eq!(texts(r#""a\"b\\c\n\d""#), [("a\"b\\c\n\\d".to_string(), true)]);
        assert_eq!(texts(r"'a\'b\n\\'"), [("a'b\\n\\".to_string(), true)]);
    }

    #[test]
    fn an_open_quote_is_found_and_the_rest_is_its_text() {
        for (line, is_open) in
            [("\"a", true), ("\"a\\\"", true), ("\"", true), ("\"a\\\\\"", false), ("''", false)]
        {
            let mut findings = Vec::new();
            let found = words(line, 0, &mut findings);
            assert_eq!(!findings.is_empty(), is_open, "{line}");
            assert_eq!(found.len(), 1, "{line}");
        }
    }

    #[test]
    fn what_is_quoted_reads_as_it_was() {
        for text in ["", "a b", "\"\\\n\t\r#'", "\\n", "é😀"] {
            assert_eq!(texts(&quote(text)), [(text.to_string(), true)]);
        }
    }

    #[test]
    fn line_ends_of_windows_are_no_words() {
        let mut findings = Vec::new();
        let lines: Vec<_> = lines("L1:\r\n  J x\r\n", 0, &mut findings).collect();
        assert_eq!(lines[0].op.text, "L1:");
        assert_eq!((&*lines[1].words[0].text, lines[1].number), ("x", 2));
    }
}
