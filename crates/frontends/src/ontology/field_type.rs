//! The types of schema fields: `string`, `list<T>`, `enum[a, b]`, the name of a schema.

use std::ops::Range;

/// The types that have a name of their own.
pub(super) const SIMPLE: &[&str] = &["string", "integer", "float", "boolean", "object"];

/// Those that only ontology 0.2 has.
pub(super) const LATER: &[&str] = &["array", "datetime"];

/// What was found in a type.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// Names that are no simple types, with their places in the text: schemas, or mistakes.
    Names(Vec<Range<usize>>),
    /// It is no type: why, and where.
    Bad(&'static str, Range<usize>),
}

/// How deep types may be nested.
const DEPTH_MAX: usize = 32;

/// Reads a type.
pub(super) fn parse(text: &str) -> Found {
    let mut names = Vec::new();
    match alternatives(text, 0..text.len(), &mut names, 0) {
        Ok(()) => Found::Names(names),
        Err((why, at)) => Found::Bad(why, at),
    }
}

type Bad = (&'static str, Range<usize>);

/// `A | B`; a single one by itself.
fn alternatives(
    text: &str,
    range: Range<usize>,
    names: &mut Vec<Range<usize>>,
    depth: usize,
) -> Result<(), Bad> {
    if depth > DEPTH_MAX {
        return Err(("it is nested too deeply", range));
    }
    let mut start = range.start;
    let mut open = 0usize;
    for (at, letter) in text[range.clone()].char_indices() {
        match letter {
            '<' | '[' => open += 1,
            '>' | ']' => open = open.saturating_sub(1),
            '|' if open == 0 => {
                one(text, start..range.start + at, names, depth)?;
                start = range.start + at + 1;
            }
            _ => {}
        }
    }
    one(text, start..range.end, names, depth)
}

fn one(
    text: &str,
    range: Range<usize>,
    names: &mut Vec<Range<usize>>,
    depth: usize,
) -> Result<(), Bad> {
    let range = trimmed(text, range);
    let inner = &text[range.clone()];
    if inner.is_empty() {
        return Err(("a type is missing", range));
    }
    if let Some(rest) =
        inner.strip_prefix("list").map(str::trim_start).filter(|rest| rest.starts_with('<'))
    {
        let start = range.end - rest.len() + 1;
        if !rest.ends_with('>') {
            return Err(("a `>` is missing", range));
        }
        return alternatives(text, start..range.end - 1, names, depth + 1);
    }
    if let Some(rest) =
        inner.strip_prefix("enum").map(str::trim_start).filter(|rest| rest.starts_with('['))
    {
        let Some(words) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            return Err(("a `]` is missing", range));
        };
        if words.split(',').any(|word| word.trim().is_empty()) {
            return Err(("a word of the enum is missing", range));
        }
        return Ok(());
    }
    if inner.contains(['<', '>', '[', ']', ',']) || inner.contains(char::is_whitespace) {
        return Err(("types are written `list<T>`, `enum[a, b]` or as a name", range));
    }
    if !SIMPLE.contains(&inner) {
        names.push(range);
    }
    Ok(())
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    let end = range.end - (inner.len() - inner.trim_end().len());
    start..end.max(start)
}

/// Whether it is one of several types, which only ontology 0.2 knows.
pub(super) fn has_alternatives(text: &str) -> bool {
    let mut open = 0usize;
    text.chars().any(|letter| {
        match letter {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
        letter == '|' && open == 0
    })
}

/// What authors write for a simple type.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "str" | "text" | "string" => "string",
        "int" | "integer" | "long" => "integer",
        "number" | "double" | "decimal" | "float" => "float",
        "bool" | "boolean" => "boolean",
        "dict" | "map" | "json" | "any" | "object" => "object",
        "list" | "array" => "list<string>",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_stand() {
        for (text, names) in [
            ("string", vec![]),
            ("list<string>", vec![]),
            ("list< list<Issue> >", vec!["Issue"]),
            ("enum[a, b c, d|e]", vec![]),
            ("Issue", vec!["Issue"]),
            ("string | list<ContentBlock>", vec!["ContentBlock"]),
            ("  Größe ", vec!["Größe"]),
        ] {
            let Found::Names(found) = parse(text) else { panic!("{text}") };
            assert_eq!(found.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn what_is_no_type_says_why() {
        for text in [
            "",
            "list<string",
            "list<>",
            "enum[]",
            "enum[a",
            "a b",
            "list<a>>",
            "a |",
            "enum[a,]",
            "[x]",
        ] {
            assert!(matches!(parse(text), Found::Bad(..)), "{text}");
        }
        let deep = "list<".repeat(100_000);
        assert!(matches!(parse(&deep), Found::Bad(..)));
    }
}
