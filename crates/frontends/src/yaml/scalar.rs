//! What a scalar is, by the core schema of YAML 1.2.

use saphyr_parser::Tag;

use super::Node;

/// Something wrong with a scalar or a tag that was kept all the same.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// A number that cannot be kept exactly.
    Inexact,
    /// `.inf` or `.nan`.
    NoNumber,
    /// A tag that means nothing here.
    UnknownTag(String),
    /// A tag that asks for something else than what is written.
    NotOfTag(&'static str),
}

/// The value of a plain scalar.
pub(super) fn plain(text: &str) -> (Node, Option<Problem>) {
    let kept = |problem| (Node::Text(text.into()), Some(problem));
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return (Node::Null, None),
        "true" | "True" | "TRUE" => return (Node::Bool(true), None),
        "false" | "False" | "FALSE" => return (Node::Bool(false), None),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    // Most texts are words.
    if !unsigned.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
        return (Node::Text(text.into()), None);
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return kept(Problem::NoNumber);
    }
    if let Some(whole) = whole(text, unsigned) {
        return match whole {
            Some(value) => {
                let inexact = value.unsigned_abs() > SAFE_MAX;
                (Node::Int(value), inexact.then_some(Problem::Inexact))
            }
            None => kept(Problem::Inexact),
        };
    }
    if !is_float(unsigned) {
        return (Node::Text(text.into()), None);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && significant(unsigned) <= DIGITS_MAX => {
            (Node::Float(value), None)
        }
        _ => kept(Problem::Inexact),
    }
}

/// Whole numbers beyond this are rounded by most readers of JSON.
const SAFE_MAX: u64 = 9_007_199_254_740_991;

/// A 64-bit float gives back at most so many digits.
const DIGITS_MAX: usize = 17;

/// The whole number that is written, or nothing where it needs more than 64 bits; nothing at all
/// where it is no whole number.
fn whole(text: &str, unsigned: &str) -> Option<Option<i64>> {
    let digits = |prefix: &str, radix: u32| {
        let rest = text.strip_prefix(prefix)?;
        let all = !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix));
        all.then(|| i64::from_str_radix(rest, radix).ok())
    };
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return (!unsigned.is_empty()).then(|| text.parse().ok());
    }
    digits("0x", 16).or_else(|| digits("0o", 8))
}

/// `1.5`, `1.`, `.5`, `1e3`: what Rust reads as a float, without the words it knows besides.
fn is_float(unsigned: &str) -> bool {
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (unsigned, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = number.split_once('.').unwrap_or((number, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    all_digits(before) && all_digits(after) && before.len() + after.len() > 0 && exponent_fits
}

/// How many digits count: those between the zeros at both ends.
fn significant(unsigned: &str) -> usize {
    let number = unsigned.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').len()
}

/// The value of a scalar with a tag; `untagged` is what it would be without.
pub(super) fn tagged(text: &str, tag: &Tag, untagged: Node) -> (Node, Option<Problem>) {
    let as_text = || Node::Text(text.into());
    match name(tag) {
        Some("!" | "str") => (as_text(), None),
        Some(kind @ ("int" | "float" | "bool" | "null")) => {
            let (node, problem) = plain(text);
            match (kind, node) {
                ("float", Node::Int(value)) => (Node::Float(value as f64), problem),
                ("int", node @ Node::Int(_))
                | ("float", node @ Node::Float(_))
                | ("bool", node @ Node::Bool(_))
                | ("null", node @ Node::Null) => (node, problem),
                _ if problem.is_some() => (as_text(), problem),
                ("int", _) => (as_text(), Some(Problem::NotOfTag("a whole number"))),
                ("float", _) => (as_text(), Some(Problem::NotOfTag("a number"))),
                ("bool", _) => (as_text(), Some(Problem::NotOfTag("`true` or `false`"))),
                _ => (as_text(), Some(Problem::NotOfTag("null"))),
            }
        }
        _ => (untagged, Some(unknown(tag))),
    }
}

/// What a tag says about a list or a map.
pub(super) fn collection(tag: &Tag, own: &str) -> Option<Problem> {
    match name(tag) {
        Some("!") => None,
        Some(name) if name == own => None,
        Some("map") => Some(Problem::NotOfTag("a map")),
        Some("seq") => Some(Problem::NotOfTag("a list")),
        Some("str") => Some(Problem::NotOfTag("text")),
        _ => Some(unknown(tag)),
    }
}

/// The name of a tag of the core schema.
fn name(tag: &Tag) -> Option<&str> {
    let known = ["str", "int", "float", "bool", "null", "map", "seq"];
    let written = if tag.is_yaml_core_schema() {
        tag.suffix.as_str()
    } else if tag.handle.is_empty() {
        if tag.suffix == "!" {
            return Some("!");
        }
        tag.suffix.strip_prefix("tag:yaml.org,2002:")?
    } else {
        return None;
    };
    known.contains(&written).then_some(written)
}

/// Cut, because a short text can ask for a long tag very often.
fn unknown(tag: &Tag) -> Problem {
    let prefix = if tag.is_yaml_core_schema() { "!!" } else { &tag.handle };
    Problem::UnknownTag(prefix.chars().chain(tag.suffix.chars()).take(60).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let shown = |text: &str| {
            let (node, problem) = plain(text);
            problem.map_or(format!("{node:?}"), |problem| format!("{node:?} {problem:?}"))
        };
        for (text, expected) in [
            ("", "Null"),
            ("~", "Null"),
            ("NULL", "Null"),
            ("nUll", "Text(\"nUll\")"),
            ("True", "Bool(true)"),
            ("yes", "Text(\"yes\")"),
            ("off", "Text(\"off\")"),
            ("0", "Int(0)"),
            ("-0", "Int(0)"),
            ("+12", "Int(12)"),
            ("007", "Int(7)"),
            ("0x1F", "Int(31)"),
            ("0o17", "Int(15)"),
            ("0b1", "Text(\"0b1\")"),
            ("-0x1", "Text(\"-0x1\")"),
            ("0x", "Text(\"0x\")"),
            ("1_000", "Text(\"1_000\")"),
            ("12:30", "Text(\"12:30\")"),
            ("1.5", "Float(1.5)"),
            ("1.", "Float(1.0)"),
            ("-.5e-3", "Float(-0.0005)"),
            ("1e300", "Float(1e300)"),
            (".", "Text(\".\")"),
            ("1e", "Text(\"1e\")"),
            ("1.2.3", "Text(\"1.2.3\")"),
            ("inf", "Text(\"inf\")"),
            ("-", "Text(\"-\")"),
            ("9007199254740991", "Int(9007199254740991)"),
            ("9007199254740993", "Int(9007199254740993) Inexact"),
            ("-9223372036854775808", "Int(-9223372036854775808) Inexact"),
            ("99999999999999999999", "Text(\"99999999999999999999\") Inexact"),
            ("0xFFFFFFFFFFFFFFFF", "Text(\"0xFFFFFFFFFFFFFFFF\") Inexact"),
            ("1e999", "Text(\"1e999\") Inexact"),
            ("0.12345678901234567890", "Text(\"0.12345678901234567890\") Inexact"),
            ("-.INF", "Text(\"-.INF\") NoNumber"),
            (".nan", "Text(\".nan\") NoNumber"),
            ("-.nan", "Text(\"-.nan\")"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
