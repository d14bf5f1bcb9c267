//! From a stretch of a scalar's text to the stretch of the source that says it.

use std::ops::Range;

use diagnostics::{Source, Span};

use super::Tree;

/// Where a stretch of a scalar's text (in bytes of the text) is written. Exact for block texts,
/// for plain texts, and for quoted ones on one line; else it is the place of the whole scalar.
/// The scalar is gone through once.
pub fn inside(source: &Source, tree: &Tree, range: Range<usize>) -> Span {
    let Some(text) = tree.as_text() else { return tree.span };
    let start = boundary(text, range.start);
    let end = boundary(text, range.end.max(range.start));
    let written = &source.text[tree.span.range()];
    let begin = tree.span.range().start;
    let found = match written.as_bytes().first() {
        Some(b'|') => in_lines(&source.text, begin, text, start, end),
        Some(b'>') => {
            let header = written.find('\n').map_or(written.len(), |end| end + 1);
            in_words(written, header, text, start, end)
                .map(|range| begin + range.start..begin + range.end)
        }
        Some(b'\'' | b'"') => {
            in_quotes(written, text, start, end).map(|range| begin + range.start..begin + range.end)
        }
        // An alias says nothing about what it stands for.
        Some(b'*') | None => None,
        Some(_) => in_words(written, 0, text, start, end)
            .map(|range| begin + range.start..begin + range.end),
    };
    // The line break at the end is said by no character of the place.
    let last = tree.span.range().end;
    found.map_or(tree.span, |range| Span::new(range.start.min(last), range.end.min(last)))
}

fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Each line of a literal text is the end of a line of the source: only the indentation is gone.
fn in_lines(
    source: &str,
    header: usize,
    text: &str,
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    let mut from = header + source[header..].find('\n')? + 1;
    let mut at = 0;
    let mut found = None;
    for line in text.split('\n') {
        let rest = source.get(from..)?;
        let raw = rest.split('\n').next().unwrap_or_default();
        let length = raw.strip_suffix('\r').unwrap_or(raw).len();
        let content = from + length.saturating_sub(line.len());
        let place = |offset: usize| content + (offset - at).min(from + length - content);
        let covers = |offset: usize| (at..=at + line.len()).contains(&offset);
        if source.get(content..from + length) != Some(line) && !line.is_empty() {
            return None;
        }
        if found.is_none() && covers(start) {
            found = Some(place(start));
        }
        if let Some(first) = found
            && covers(end)
        {
            return Some(first..place(end));
        }
        at += line.len() + 1;
        from = (from + raw.len() + 1).min(source.len());
    }
    None
}

/// Lines of folded and plain texts are trimmed and joined, so each is found after the one before.
fn in_words(
    written: &str,
    from: usize,
    text: &str,
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    let mut line_at = from;
    let mut at = 0;
    let mut found = None;
    // Where the line before ended; what stands between two lines is said by the break there.
    let mut last = None;
    for raw in written[from..].split('\n') {
        let line = raw.trim_matches([' ', '\t', '\r']);
        let content = line_at + raw.len() - raw.trim_start_matches([' ', '\t', '\r']).len();
        line_at += raw.len() + 1;
        if line.is_empty() {
            continue;
        }
        let gap = text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\n']).len();
        if !text[at + gap..].starts_with(line) {
            return None;
        }
        let begins = at + gap;
        let place = |offset: usize| match last {
            Some(last) if offset < begins => last,
            _ => content + offset.saturating_sub(begins).min(line.len()),
        };
        at = begins + line.len();
        if found.is_none() && start <= at {
            // A stretch that begins between two lines begins with the second one.
            found = Some(if start < begins && end > begins { content } else { place(start) });
        }
        if let Some(first) = found
            && end <= at
        {
            return Some(first..place(end).max(first));
        }
        last = Some(content + line.len());
    }
    // The line break at the end of a folded text.
    let last = last?;
    Some(found.unwrap_or(last)..last)
}

/// Each character of a quoted text is itself or an escape.
fn in_quotes(written: &str, text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if written.contains(['\n', '\r']) {
        return None;
    }
    let is_double = written.starts_with('"');
    let mut at = 1;
    let mut found = None;
    for (offset, character) in text.char_indices().chain([(text.len(), '"')]) {
        if offset == start {
            found = Some(at);
        }
        if offset == end && written.is_char_boundary(at) {
            return found.map(|first| first..at);
        }
        let rest = written.get(at..)?;
        at += match rest.as_bytes() {
            [b'\\', b'x', ..] if is_double => 4,
            [b'\\', b'u', ..] if is_double => 6,
            [b'\\', b'U', ..] if is_double => 10,
            [b'\\', ..] if is_double => 2,
            [b'\'', ..] if !is_double => 2,
            _ => character.len_utf8(),
        };
    }
    None
}
