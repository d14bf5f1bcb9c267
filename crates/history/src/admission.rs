//! Which JSON text may be hashed. RFC 8785 would silently choose between two members of one
//! name and round numbers; such text is refused instead, so that a hash covers what was written.

use std::ops::Range;

use value::json::{self, Problem, Unreadable};
use value::{At, Pointer, Value};

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// It is no JSON, has a lone surrogate, or is nested too deeply.
    NotJson(Unreadable),
    /// A member is given twice.
    Duplicate(Pointer),
    /// The canonical form of a number has other digits.
    Inexact {
        /// Where the number stands, in bytes.
        at: Range<usize>,
        /// Where it stands in the document.
        pointer: Pointer,
        /// What it would become.
        becomes: String,
    },
}

/// Reads a text that may be hashed. What comes back has a canonical form ([`json::canonical`])
/// that is read as the same value again.
pub fn admit(text: &str) -> Result<Value, Refused> {
    let (value, problems) = json::read(text).map_err(Refused::NotJson)?;
    // Whether a number is rounded is decided by its digits, below.
    let duplicate = problems.into_iter().find_map(|problem| match problem {
        Problem::Duplicate { at } => Some(at),
        Problem::Rounded { .. } => None,
    });
    if let Some(at) = duplicate {
        return Err(Refused::Duplicate(at));
    }
    for (index, at) in numbers(text).enumerate() {
        if let Some(becomes) = rounded(&text[at.clone()]) {
            let pointer = number_at(&value, &At::Root, &mut { index }).unwrap_or_default();
            return Err(Refused::Inexact { at, pointer, becomes });
        }
    }
    Ok(value)
}

/// Whether a value survives its canonical form: every number keeps its digits, and it is not
/// nested more deeply than can be read again below the members of an event.
pub fn is_exact(value: &Value) -> bool {
    fn visit(value: &Value, depth: usize) -> bool {
        match value {
            Value::Int(int) => {
                int.unsigned_abs() <= SAFE_MAX || rounded(&int.to_string()).is_none()
            }
            Value::List(items) => {
                depth < DEPTH_MAX && items.iter().all(|item| visit(item, depth + 1))
            }
            Value::Map(map) => depth < DEPTH_MAX && map.values().all(|item| visit(item, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Float(_) | Value::Text(_) => true,
        }
    }
    visit(value, 0)
}

/// How deep a member may be nested: there is room for what stands around it.
pub const DEPTH_MAX: usize = json::DEPTH_MAX - 20;

/// Every whole number up to here is a 64-bit float.
const SAFE_MAX: u64 = 1 << 53;

/// Where the numbers of a valid text stand.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = end_of_text(bytes, at),
                b'-' | b'0'..=b'9' => {
                    let is_part =
                        |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                    return Some(std::mem::replace(&mut at, end)..end);
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Where a number stands, by how many come before it. What was read has the order of its text.
fn number_at(value: &Value, at: &At<'_>, before: &mut usize) -> Option<Pointer> {
    match value {
        Value::Int(_) | Value::Float(_) if *before == 0 => Some(at.pointer()),
        Value::Int(_) | Value::Float(_) => {
            *before -= 1;
            None
        }
        Value::List(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| number_at(item, &at.item(index), before))
        }
        Value::Map(members) => {
            let mut members = members.iter();
            members.find_map(|(name, member)| number_at(member, &at.member(name), before))
        }
        Value::Null | Value::Bool(_) | Value::Text(_) => None,
    }
}

/// Behind the closing quote of the text that begins here.
pub(crate) fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Behind the value that begins here in a valid text without spaces. In another text it is some
/// place, and a caller finds out.
pub(crate) fn end_of_value(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_text(bytes, at).min(bytes.len());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => depth -= 1,
            b'}' | b']' | b',' if depth == 0 => break,
            _ => {}
        }
        at += 1;
    }
    at
}

/// What the canonical form makes of a number, if that is another number.
fn rounded(number: &str) -> Option<String> {
    /// So many digits always survive.
    const DIGITS: usize = 15;
    if number.len() <= DIGITS && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut buffer = ryu_js::Buffer::new();
    let canonical = buffer.format(number.parse::<f64>().unwrap_or(f64::NAN));
    (Decimal::read(number) != Decimal::read(canonical)).then(|| canonical.to_string())
}

/// A number by its digits: `digits` without zeros at its ends, times ten to the `exponent`.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole_digits = whole.strip_prefix('-').unwrap_or(whole);
        let mut digits: Vec<u8> = whole_digits.bytes().chain(fraction.bytes()).collect();
        let mut exponent =
            exponent.parse::<i64>().ok()?.checked_sub_unsigned(fraction.len() as u64)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits, exponent: 0 });
        }
        Some(Decimal { negative: whole.starts_with('-'), digits, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_keep_their_digits_are_admitted() {
        for number in [
            "0",
            "-0",
            "-0.0",
            "1.0",
            "1.50",
            "0.1",
            "1e30",
            "1E+2",
            "-12.5e-3",
            "9007199254740991",
            "9007199254740992",
            "1152921504606847000",
            "1e21",
            "5e-324",
            "1.7976931348623157e308",
        ] {
            let value = admit(number).unwrap();
            let canonical = json::canonical(&value);
            assert_eq!(json::canonical(&admit(&canonical).unwrap()), canonical, "{number}");
        }
    }

    #[test]
    fn numbers_that_would_change_are_refused_where_they_stand() {
        for (number, becomes) in [
            ("9007199254740993", "9007199254740992"),
            ("1152921504606846976", "1152921504606847000"),
            ("18446744073709551615", "18446744073709552000"),
            ("333333333.33333329", "333333333.3333333"),
            ("0.10000000000000001", "0.1"),
            ("1e-400", "0"),
        ] {
            let text = format!(r#"{{"z": {{"a": [1, -2.5]}}, "é\"1.": ["1e999", {number}, 3]}}"#);
            let Err(Refused::Inexact { at, pointer, becomes: found }) = admit(&text) else {
                panic!("{number} is admitted")
            };
            assert_eq!((&text[at], found.as_str()), (number, becomes));
            assert_eq!(pointer.as_str(), "/é\"1./1");
        }
    }

    #[test]
    fn other_text_that_has_no_canonical_form_is_refused() {
        assert!(matches!(admit(r#"{"a": 1, "a": 1}"#), Err(Refused::Duplicate(_))));
        for text in [r#""\ud800""#, "1e400", "NaN", "[1,]", "", "{} {}"] {
            assert!(matches!(admit(text), Err(Refused::NotJson(_))), "{text}");
        }
        let deep = "[".repeat(json::DEPTH_MAX + 1) + &"]".repeat(json::DEPTH_MAX + 1);
        assert!(matches!(admit(&deep), Err(Refused::NotJson(why)) if why.too_deep));
    }
}
