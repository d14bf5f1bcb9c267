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

/// Whether a text is a pattern that [`matches`] takes.
pub fn check(pattern: &str) -> Result<(), String> {
    compiled(pattern).map(|_| ())
}

/// Says that there is no text to look at.
pub(crate) fn no_text(field: &Field) -> String {
    let args = [Field::Bool(true), field.clone()];
    format!("`regex-match`: {}", misfit(&args, 1, Kinds::LEXEME))
}

/// Whether the pattern is somewhere in the text. Programs with a constant pattern do not come
/// here: the pattern is compiled with them.
pub(super) fn matches(args: &[Field]) -> Outcome {
    let pattern = compiled(lexeme(args, 0)?)?;
    Ok(Field::Bool(pattern.is_match(lexeme(args, 1)?)))
}
