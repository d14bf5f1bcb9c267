//! Texts: symbols and strings. Positions count letters from 1, also in texts that are not ASCII.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::arguments::{Outcome, int, lexeme, misfit, short_enough, text};
use crate::field::{self, Field};
use crate::program::Kinds;

/// All arguments one after the other.
fn joined(args: &[Field]) -> Result<String, String> {
    let mut whole = String::new();
    for (at, arg) in args.iter().enumerate() {
        match arg {
            Field::Int(number) => {
                // Writing to a string does not fail.
                let _ = write!(whole, "{number}");
            }
            Field::Float(number) => whole.push_str(&field::float(*number)),
            Field::Fact(_) | Field::Many(_) => {
                return Err(misfit(args, at, Kinds::LEXEME.or(Kinds::NUMBER)));
            }
            lexeme => whole.push_str(lexeme.lexeme().unwrap_or_default()),
        }
        short_enough(whole.len())?;
    }
    Ok(whole)
}

pub(super) fn string(args: &[Field]) -> Outcome {
    text(&joined(args)?)
}

pub(super) fn symbol(args: &[Field]) -> Outcome {
    Ok(Field::symbol(&joined(args)?))
}

pub(super) fn length(args: &[Field]) -> Outcome {
    count(lexeme(args, 0)?.chars().count())
}

pub(super) fn bytes(args: &[Field]) -> Outcome {
    count(lexeme(args, 0)?.len())
}

/// How many, as a value.
pub(super) fn count(number: usize) -> Outcome {
    Ok(Field::Int(i64::try_from(number).unwrap_or(i64::MAX)))
}

pub(super) fn compare(args: &[Field]) -> Outcome {
    let (mut a, mut b) = (lexeme(args, 0)?.as_bytes(), lexeme(args, 1)?.as_bytes());
    if args.len() > 2 {
        // A number below zero is no limit.
        let most = usize::try_from(int(args, 2)?).unwrap_or(usize::MAX);
        a = &a[..a.len().min(most)];
        b = &b[..b.len().min(most)];
    }
    Ok(Field::Int(match a.cmp(b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

/// The same kind of lexeme with another text.
fn alike(model: &Field, text: &str) -> Field {
    if matches!(model, Field::Text(_)) { Field::text(text) } else { Field::symbol(text) }
}

pub(super) fn upper(args: &[Field]) -> Outcome {
    Ok(alike(&args[0], &lexeme(args, 0)?.to_ascii_uppercase()))
}

pub(super) fn lower(args: &[Field]) -> Outcome {
    Ok(alike(&args[0], &lexeme(args, 0)?.to_ascii_lowercase()))
}

pub(super) fn part(args: &[Field]) -> Outcome {
    let (first, last) = (int(args, 0)?.max(1), int(args, 1)?);
    let whole = lexeme(args, 2)?;
    if last < first {
        return Ok(Field::text(""));
    }
    let letters = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let start = whole.char_indices().nth(letters(first - 1)).map_or(whole.len(), |(at, _)| at);
    let rest = &whole[start..];
    let end = rest
        .char_indices()
        .nth(letters(last.saturating_sub(first).saturating_add(1)))
        .map_or(rest.len(), |(at, _)| at);
    Ok(Field::text(&rest[..end]))
}

pub(super) fn position(args: &[Field]) -> Outcome {
    let (part, whole) = (lexeme(args, 0)?, lexeme(args, 1)?);
    match whole.find(part) {
        Some(at) => count(whole[..at].chars().count() + 1),
        None => Ok(Field::Bool(false)),
    }
}

pub(super) fn replaced(args: &[Field]) -> Outcome {
    let (whole, old, new) = (lexeme(args, 0)?, lexeme(args, 1)?, lexeme(args, 2)?);
    if old.is_empty() {
        return Ok(args[0].clone());
    }
    // Found out before it is made: one letter may become a million.
    let found = whole.matches(old).count();
    let length = (whole.len() - found * old.len()).saturating_add(found.saturating_mul(new.len()));
    short_enough(length)?;
    Ok(alike(&args[0], &whole.replace(old, new)))
}
