//! Regular expressions, matched in time that is linear in the text.

use regex::{Regex, RegexBuilder};

use super::arguments::{Outcome, lexeme, misfit};
use crate::field::Field;
use crate::program::Kinds;

/// How much memory a compiled pattern may take, in bytes.
const SIZE_MAX: usize = 1 << 20;

/// A pattern made ready, or what is wrong with it.
pub(crate) fn compiled(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).size_limit(SIZE_MAX).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            format!("the pattern needs more than {SIZE_MAX} bytes once compiled; repeat less")
        }
        // The crate draws the place with lines of its own; the last one says what is wrong.
        error => {
            let drawn = error.to_string();
            let why = drawn.lines().next_back().unwrap_or_default();
            format!("the pattern cannot be read: {}", why.trim_start_matches("error: "))
        }
    })
}

/// How many steps it takes to compile a pattern. A short one may stand for many letters, many
/// times: it counts for what the largest takes, about.
pub(crate) fn compiling(pattern: &str) -> u64 {
    100_000 + 100 * pattern.len() as u64
}

/// How many steps it takes to look for a pattern in a text.
pub(crate) fn searching(text: &str) -> u64 {
    text.len() as u64
}

/// Says that the argument at this position is no text.
pub(crate) fn no_text(field: &Field, at: usize) -> String {
    let args = [field.clone(), field.clone()];
    misfit(&args, at, Kinds::LEXEME)
}

/// Whether the pattern is somewhere in the text. Only the reader comes here, where it knows both:
/// a machine keeps patterns that it has compiled.
pub(super) fn matches(args: &[Field]) -> Outcome {
    let pattern = compiled(lexeme(args, 0)?)?;
    Ok(Field::Bool(pattern.is_match(lexeme(args, 1)?)))
}
