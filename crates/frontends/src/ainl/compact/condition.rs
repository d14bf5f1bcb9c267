//! Conditions and values: one operand, comparisons, `not`, `and`, `or`, and one sum or product.
//!
//! There are no parentheses, so that nothing has to be nested: a condition is parts between `or`,
//! each of parts between `and`, each a comparison or an operand, with or without `not`.

use std::ops::Range;

use diagnostics::Diagnostic;

use super::super::token::Word;
use super::found;

/// The function of a comparison.
const COMPARISONS: &[(&str, &str)] = &[
    ("==", "core.eq"),
    ("!=", "core.neq"),
    (">=", "core.gte"),
    ("<=", "core.lte"),
    (">", "core.gt"),
    ("<", "core.lt"),
];

/// The function of a sign between two values.
const SIGNS: &[(&str, &str)] = &[
    ("+", "core.add"),
    ("-", "core.sub"),
    ("*", "core.mul"),
    ("/", "core.div"),
    ("%", "core.mod"),
];

/// What is asked or computed.
#[derive(Debug)]
pub(super) enum Asked<'a> {
    /// A value as it is.
    Operand(Word<'a>),
    /// A function of what is below it.
    Function(&'static str, Vec<Asked<'a>>),
}

/// Reads a condition; what is wrong with it is a finding.
pub(super) fn read<'a>(words: &[Word<'a>]) -> Result<Asked<'a>, Box<Diagnostic>> {
    let pieces = pieces(words);
    let alternatives = pieces.split(|word| is(word, "or")).map(|part| {
        let parts = part.split(|word| is(word, "and")).map(|part| match part.split_first() {
            Some((not, rest)) if is(not, "not") => {
                Ok(Asked::Function("core.not", vec![comparison(rest, words)?]))
            }
            _ => comparison(part, words),
        });
        joined("core.and", parts)
    });
    joined("core.or", alternatives)
}

/// Reads a value: a condition, or two operands with a sign between them.
pub(super) fn value<'a>(words: &[Word<'a>]) -> Result<Asked<'a>, Box<Diagnostic>> {
    match words {
        [only] if is_operand(only) => Ok(Asked::Operand(only.clone())),
        [left, sign, right] if is_operand(left) && is_operand(right) => match find(SIGNS, sign) {
            Some(function) => {
                let both = [left, right].map(|word| Asked::Operand(word.clone()));
                Ok(Asked::Function(function, both.into()))
            }
            None => read(words).map_err(|_| found::odd_value(words)),
        },
        _ => read(words).map_err(|_| found::odd_value(words)),
    }
}

/// The function of what stands between, or the only part itself.
fn joined<'a, E>(
    function: &'static str,
    parts: impl Iterator<Item = Result<Asked<'a>, E>>,
) -> Result<Asked<'a>, E> {
    let mut parts: Vec<Asked<'a>> = parts.collect::<Result<_, E>>()?;
    match parts.len() {
        1 => Ok(parts.remove(0)),
        _ => Ok(Asked::Function(function, parts)),
    }
}

fn comparison<'a>(part: &[Word<'a>], all: &[Word<'a>]) -> Result<Asked<'a>, Box<Diagnostic>> {
    match part {
        [only] if is_operand(only) => Ok(Asked::Operand(only.clone())),
        [left, sign, right] if is_operand(left) && is_operand(right) => {
            match find(COMPARISONS, sign) {
                Some(function) => {
                    let both = [left, right].map(|word| Asked::Operand(word.clone()));
                    Ok(Asked::Function(function, both.into()))
                }
                None => Err(found::odd_condition(all, Some(sign))),
            }
        }
        _ => Err(found::odd_condition(all, None)),
    }
}

fn is(word: &Word<'_>, text: &str) -> bool {
    !word.quoted && word.text == text
}

fn find(table: &[(&str, &'static str)], word: &Word<'_>) -> Option<&'static str> {
    let own = table.iter().find(|(sign, _)| is(word, sign));
    own.map(|(_, function)| *function)
}

/// Whether a word can be a value: it is none of the signs, and has no parentheses.
fn is_operand(word: &Word<'_>) -> bool {
    let is_sign = || ["and", "or", "not", "="].contains(&&*word.text);
    let signs = || find(COMPARISONS, word).or_else(|| find(SIGNS, word));
    word.quoted || !(is_sign() || signs().is_some() || word.text.contains(['(', ')']))
}

/// The words, cut where a comparison stands between without spaces: `x=="yes"`.
fn pieces<'a>(words: &[Word<'a>]) -> Vec<Word<'a>> {
    let mut pieces = Vec::with_capacity(words.len());
    for word in words {
        let mut from = 0;
        while let Some(sign) = next_sign(word, from) {
            if sign.start > from {
                pieces.push(word.part(from..sign.start));
            }
            from = sign.end;
            pieces.push(word.part(sign));
        }
        if from < word.text.len() || word.quoted {
            pieces.push(word.part(from..word.text.len()));
        }
    }
    pieces
}

/// Where the next comparison stands in a bare word.
fn next_sign(word: &Word<'_>, from: usize) -> Option<Range<usize>> {
    let rest = word.text.get(from..).filter(|_| !word.quoted)?;
    let places = rest.char_indices().filter_map(|(at, _)| {
        let (sign, _) = COMPARISONS.iter().find(|(sign, _)| rest[at..].starts_with(sign))?;
        Some(from + at..from + at + sign.len())
    });
    let mut places = places;
    places.next()
}
