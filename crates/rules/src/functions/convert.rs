//! From texts to values, by the rules for what is written in a program.

use super::arguments::{Outcome, fields, lexeme};
use crate::field::Field;

pub(super) fn explode(args: &[Field]) -> Outcome {
    match &args[0] {
        Field::Text(name) => fields(Scan(name.as_str()).collect()),
        _ => Err(super::arguments::misfit(args, 0, crate::program::Kinds::TEXT)),
    }
}

/// The first value in a text; the symbol `EOF` where there is none.
pub(super) fn first(args: &[Field]) -> Outcome {
    Ok(Scan(lexeme(args, 0)?).next().unwrap_or_else(|| Field::symbol("EOF")))
}

/// What is left of a text whose values are read one by one. What has a meaning only in programs,
/// such as a variable or a parenthesis, is a symbol.
struct Scan<'a>(&'a str);

/// Whether a letter ends a symbol. A `<` does unless the symbol begins with it.
fn ends(letter: char) -> bool {
    matches!(letter, '<' | '"' | '(' | ')' | '&' | '|' | '~' | ';')
        || letter.is_ascii_whitespace()
        || letter.is_ascii_control()
}

impl Iterator for Scan<'_> {
    type Item = Field;

    fn next(&mut self) -> Option<Field> {
        loop {
            self.0 = self.0.trim_start_matches(|letter: char| {
                letter.is_ascii_whitespace() || letter.is_ascii_control()
            });
            let Some(comment) = self.0.strip_prefix(';') else { break };
            self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let first = self.0.chars().next()?;
        if first == '"' {
            return Some(self.string());
        }
        let start = first.len_utf8();
        let end = match first {
            '(' | ')' | '&' | '|' | '~' => start,
            _ => self.0[start..].find(ends).map_or(self.0.len(), |end| start + end),
        };
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(number(word).unwrap_or_else(|| Field::symbol(word)))
    }
}

impl Scan<'_> {
    /// A string from its opening quote on; one that does not end has all that follows.
    fn string(&mut self) -> Field {
        let mut whole = String::new();
        let mut letters = self.0[1..].chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => break,
                '\\' => whole.extend(letters.next()),
                letter => whole.push(letter),
            }
        }
        self.0 = letters.as_str();
        Field::text(&whole)
    }
}

/// A number as programs write it: a sign, digits, a point and more of them, an exponent.
fn number(word: &str) -> Option<Field> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, None),
        Some((digits, exponent)) => (digits, Some(exponent)),
    };
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let all = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if (before.is_empty() && behind.is_empty()) || !all(before) || !all(behind) {
        return None;
    }
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !all(exponent) {
            return None;
        }
    }
    if exponent.is_none() && !digits.contains('.') {
        let least_or_most = if word.starts_with('-') { i64::MIN } else { i64::MAX };
        return Some(Field::Int(word.parse().unwrap_or(least_or_most)));
    }
    word.parse().ok().map(Field::Float)
}
