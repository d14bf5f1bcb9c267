//! How a written spec looks: YAML in the layout of the examples. What fits on a line is one.

use std::fmt::Write;

use value::{Map, Value, json};

/// No line that could be broken is longer.
const WIDTH: usize = 100;

/// The members of a spec, those that are lists of objects with an empty line before them.
pub(super) fn document(members: &Map) -> String {
    let mut text = String::new();
    for (name, value) in members {
        let is_section = value.as_list().is_some_and(|items| items.iter().all(is_object))
            || value.as_map().is_some();
        if is_section && !text.is_empty() {
            text.push('\n');
        }
        member(name, value, 0, is_section, &mut text);
    }
    text
}

fn is_object(value: &Value) -> bool {
    value.as_map().is_some()
}

/// A member on its own line, or on several.
fn member(name: &str, value: &Value, depth: usize, broken: bool, text: &mut String) {
    indent(depth, text);
    text.push_str(&scalar(name));
    text.push(':');
    rest(value, depth, broken, text);
}

/// What stands behind a key.
fn rest(value: &Value, depth: usize, broken: bool, text: &mut String) {
    if let Value::Text(words) = value
        && let Some(header) = block_header(words)
    {
        let _ = writeln!(text, " {header}");
        for line in words.lines() {
            if !line.is_empty() {
                indent(depth + 1, text);
                text.push_str(line);
            }
            text.push('\n');
        }
        return;
    }
    let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    if let Some(short) = on_one_line(value, WIDTH.saturating_sub(column + 1))
        && !(broken && has_parts(value))
    {
        let _ = writeln!(text, " {short}");
        return;
    }
    match value {
        Value::List(items) if !items.is_empty() => {
            text.push('\n');
            items.iter().for_each(|one| item(one, depth + 1, text));
        }
        Value::Map(members) if !members.is_empty() => {
            text.push('\n');
            for (name, value) in &**members {
                member(name, value, depth + 1, false, text);
            }
        }
        scalar_or_empty => {
            let _ = writeln!(text, " {}", in_line(scalar_or_empty));
        }
    }
}

fn has_parts(value: &Value) -> bool {
    match value {
        Value::List(items) => !items.is_empty(),
        Value::Map(members) => !members.is_empty(),
        _ => false,
    }
}

/// An item of a list.
fn item(value: &Value, depth: usize, text: &mut String) {
    indent(depth, text);
    text.push('-');
    let room = WIDTH.saturating_sub(2 * depth + 2);
    match value {
        Value::Map(members) if !members.is_empty() && on_one_line(value, room).is_none() => {
            for (place, (name, value)) in members.iter().enumerate() {
                if place == 0 {
                    text.push(' ');
                    text.push_str(&scalar(name));
                    text.push(':');
                    rest(value, depth + 1, false, text);
                } else {
                    member(name, value, depth + 1, false, text);
                }
            }
        }
        value => rest(value, depth, false, text),
    }
}

fn indent(depth: usize, text: &mut String) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// A value on one line, where it fits and has no text that is better written as lines.
fn on_one_line(value: &Value, room: usize) -> Option<String> {
    if has_lines(value) {
        return None;
    }
    Some(in_line(value)).filter(|short| short.chars().count() <= room)
}

fn has_lines(value: &Value) -> bool {
    match value {
        Value::Text(text) => block_header(text).is_some(),
        Value::List(items) => items.iter().any(has_lines),
        Value::Map(members) => members.values().any(has_lines),
        _ => false,
    }
}

/// A value in the flow style of YAML.
fn in_line(value: &Value) -> String {
    match value {
        Value::Text(text) => scalar(text),
        Value::Float(number) => format!("{number:?}"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(in_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(members) if members.is_empty() => "{}".to_string(),
        Value::Map(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", scalar(name), in_line(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => json::compact(other),
    }
}

/// The header of a block of lines, where a text can be written as one.
fn block_header(text: &str) -> Option<&'static str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let is_plain = |line: &str| {
        !line.starts_with('\t')
            && (line.is_empty() || !line.trim().is_empty())
            && line.chars().all(|letter| letter == '\t' || is_shown(letter))
    };
    let fits = body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.split('\n').all(is_plain);
    fits.then_some(if body.len() == text.len() { "|-" } else { "|" })
}

/// Text as a scalar: plain where nothing else can be read in it, else in quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_string();
    }
    if !text.contains('\'') && text.chars().all(is_shown) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter if is_shown(letter) => quoted.push(letter),
            letter => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(letter));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a letter may stand in a text as it is.
fn is_shown(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Words that some readers of YAML take for something else than text.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let inner = |letter: char| letter.is_alphanumeric() || "_ -./()<>=+*;!?$%".contains(letter);
    begins
        && !text.ends_with(' ')
        && text.chars().all(inner)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    use super::*;
    use crate::yaml;

    fn read(text: &str) -> Value {
        let mut findings = Vec::new();
        let tree = yaml::read(&Source::new("x.yaml", text.to_string()), &mut findings);
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        tree.unwrap().to_value()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "",
            " ",
            "plain words",
            "true",
            "Null",
            "yes",
            "~",
            "-",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "12",
            "1.5",
            "1e3",
            "0x1F",
            ".5",
            "2024-01-01",
            "it's",
            "\"",
            "a\\b",
            "'",
            "{a}",
            "[a]",
            "a, b",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "|",
            ">",
            "?",
            "a:",
            "tab\there",
            "\u{7}",
            "two\nlines",
            "two\nlines\n",
            "ends\n\n",
            "\nbegins",
            " indented\nlines",
            "a\n  b\n\nc\n",
            "a\r\nb",
            "a\n \nb",
            "a\n\tb",
            "\u{feff}x",
            "\u{2028}",
            "\u{85}",
            "ünï cödé",
            "日本",
            "=",
            "<<",
            "---",
            "...",
            "--- a\n... b\n",
            "a\n--- b",
            "x\n# no comment",
        ];
        for text in texts {
            let value = Value::map([
                ("alone", Value::text(text)),
                ("list", Value::list([Value::text(text), Value::Null])),
                ("deep", Value::map([(text, Value::list([Value::map([("x", text.into())])]))])),
                ("last", Value::list([Value::list([Value::text(text)]), true.into()])),
            ]);
            let written = document(value.as_map().unwrap());
            assert_eq!(read(&written), value, "{written}");
        }
        let numbers = [Value::Int(-3), Value::Float(1.0), Value::Float(1e300), Value::Float(0.1)];
        let empty = [Value::list([]), Value::map::<&str>([])];
        let value = Value::map([("all", Value::list(numbers.into_iter().chain(empty)))]);
        assert_eq!(read(&document(value.as_map().unwrap())), value);
    }
}
