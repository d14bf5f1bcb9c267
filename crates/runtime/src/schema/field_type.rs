//! The types of fields: `string`, `list<T>`, `enum[a, b]`, `A | B`, the name of a schema.

use std::fmt;

use value::Text;

use super::SchemaId;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `string`
    Text,
    /// `integer`
    Integer,
    /// `float`, or `number`
    Float,
    /// `boolean`
    Boolean,
    /// `object`: any object.
    Object,
    /// `array`, or `list`: any list.
    Array,
    /// `datetime`: text like `2026-01-01T00:00:00`.
    Datetime,
    /// `list<T>`
    List(Box<Type>),
    /// `enum[a, b]`: one of these texts. INVARIANT: there is at least one.
    Enum(Vec<Text>),
    /// The name of a schema.
    Schema(SchemaId, Text),
    /// `A | B`. INVARIANT: there are at least two.
    Either(Vec<Type>),
    /// What is written is no type that we know, and anything fits it.
    Unknown,
}

/// How deep types may be nested: as deep as the front-end lets them.
const DEPTH_MAX: usize = 32;

impl Type {
    /// Reads a type. The front-ends have reported what is no type; here it is [`Type::Unknown`].
    pub(super) fn parse(text: &str, find: &dyn Fn(&str) -> Option<SchemaId>) -> Type {
        either(text, find, 0).unwrap_or(Type::Unknown)
    }
}

fn either(text: &str, find: &dyn Fn(&str) -> Option<SchemaId>, depth: usize) -> Option<Type> {
    if depth > DEPTH_MAX {
        return None;
    }
    let mut types = Vec::new();
    let (mut start, mut open) = (0, 0usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '[' => open += 1,
            '>' | ']' => open = open.saturating_sub(1),
            '|' if open == 0 => {
                types.push(one(&text[start..at], find, depth)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = one(&text[start..], find, depth)?;
    if types.is_empty() {
        return Some(last);
    }
    types.push(last);
    Some(Type::Either(types))
}

fn one(text: &str, find: &dyn Fn(&str) -> Option<SchemaId>, depth: usize) -> Option<Type> {
    let text = text.trim();
    let inside = |word: &str, open: char, close: char| {
        let rest = text.strip_prefix(word)?.trim_start().strip_prefix(open)?;
        rest.strip_suffix(close)
    };
    if let Some(inner) = inside("list", '<', '>') {
        return Some(Type::List(Box::new(either(inner, find, depth + 1)?)));
    }
    if let Some(words) = inside("enum", '[', ']') {
        let words = words.split(',').map(|word| word.trim().trim_matches(['"', '\'']));
        let words: Vec<Text> = words.map(Text::from).collect();
        return (!words.iter().any(|word| word.is_empty())).then_some(Type::Enum(words));
    }
    Some(match text {
        "" => return None,
        "string" => Type::Text,
        "integer" => Type::Integer,
        "float" | "number" => Type::Float,
        "boolean" => Type::Boolean,
        "object" => Type::Object,
        "array" | "list" => Type::Array,
        "datetime" => Type::Datetime,
        name => find(name).map_or(Type::Unknown, |id| Type::Schema(id, name.into())),
    })
}

/// In words for a person or a model.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Text => f.write_str("string"),
            Type::Integer => f.write_str("integer"),
            Type::Float => f.write_str("number"),
            Type::Boolean => f.write_str("boolean"),
            Type::Object => f.write_str("object"),
            Type::Array => f.write_str("list"),
            Type::Datetime => f.write_str("date and time like 2026-01-31T12:00:00Z"),
            Type::List(of) => write!(f, "list of {of}"),
            Type::Enum(words) => {
                f.write_str("one of ")?;
                between(f, words.iter().map(|word| format!("\"{word}\"")), ", ")
            }
            Type::Schema(_, name) => f.write_str(name),
            Type::Either(types) => between(f, types.iter(), " or "),
            Type::Unknown => f.write_str("any value"),
        }
    }
}

fn between(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = impl fmt::Display>,
    separator: &str,
) -> fmt::Result {
    for (index, item) in items.enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Type::parse(text, &|name| (name == "Issue").then_some(SchemaId(0))).to_string()
    }

    #[test]
    fn types_are_read_as_the_front_end_reads_them() {
        for (text, meant) in [
            ("string", "string"),
            (" list < list<Issue> > ", "list of list of Issue"),
            ("enum[a, b c, \"d|e\"]", "one of \"a\", \"b c\", \"d|e\""),
            ("string | list<Issue>", "string or list of Issue"),
            ("list<string | integer>", "list of string or integer"),
            ("Elsewhere", "any value"),
        ] {
            assert_eq!(shown(text), meant, "{text}");
        }
    }

    #[test]
    fn what_is_no_type_fits_anything() {
        for text in ["", "list<string", "list<>", "enum[]", "enum[a,]", "enum[a", "a |", "| a"] {
            assert_eq!(shown(text), "any value", "{text}");
        }
        let deep = "list<".repeat(100_000) + &">".repeat(100_000);
        assert_eq!(shown(&deep), "any value");
    }
}
