//! What functions are given: the arguments as what they have to be, or why they are not.
//!
//! An argument is looked at when it is needed and not before, so that `(= 1 2 x)` is `FALSE`
//! whatever `x` is.

use std::sync::Arc;

use crate::field::Field;
use crate::program::Kinds;

/// The value, or what is wrong with the arguments.
pub(crate) type Outcome = Result<Field, String>;

/// The longest text that a function makes, in bytes.
pub(crate) const TEXT_MAX: usize = 1 << 20;

/// The longest list that a function makes, in fields.
pub(crate) const LIST_MAX: usize = 1 << 20;

/// A number of either kind.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    #[expect(clippy::cast_precision_loss, reason = "as CLIPS mixes whole and other numbers")]
    pub(crate) fn float(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// Without what is behind the point.
    pub(crate) fn int(self) -> i64 {
        match self {
            Number::Int(number) => number,
            Number::Float(number) => whole(number),
        }
    }

    pub(crate) fn field(self) -> Field {
        match self {
            Number::Int(number) => Field::Int(number),
            Number::Float(number) => Field::Float(number),
        }
    }
}

/// What is before the point. What does not fit is the smallest number, as it is where CLIPS was
/// measured; C leaves it open.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) fn whole(number: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if (-BEYOND..BEYOND).contains(&number) { number as i64 } else { i64::MIN }
}

pub(crate) fn number(args: &[Field], at: usize) -> Result<Number, String> {
    match &args[at] {
        Field::Int(number) => Ok(Number::Int(*number)),
        Field::Float(number) => Ok(Number::Float(*number)),
        _ => Err(misfit(args, at, Kinds::NUMBER)),
    }
}

pub(crate) fn int(args: &[Field], at: usize) -> Result<i64, String> {
    match &args[at] {
        Field::Int(number) => Ok(*number),
        _ => Err(misfit(args, at, Kinds::INT)),
    }
}

pub(crate) fn lexeme(args: &[Field], at: usize) -> Result<&str, String> {
    args[at].lexeme().ok_or_else(|| misfit(args, at, Kinds::LEXEME))
}

pub(crate) fn list(args: &[Field], at: usize) -> Result<&Arc<Vec<Field>>, String> {
    match &args[at] {
        Field::Many(fields) => Ok(fields),
        _ => Err(misfit(args, at, Kinds::MANY)),
    }
}

/// Says that an argument is of another kind than it has to be.
pub(crate) fn misfit(args: &[Field], at: usize, needed: Kinds) -> String {
    let field = &args[at];
    format!("argument {} is {}, not {needed}", at + 1, described(field))
}

/// A value as messages show it: its kind, and itself unless it is long.
pub(crate) fn described(field: &Field) -> String {
    const SHOWN: usize = 60;
    let kind = match field {
        Field::Bool(_) | Field::Symbol(_) => "the symbol",
        Field::Text(_) => "the string",
        Field::Int(_) => "the integer",
        Field::Float(_) => "the float",
        Field::Fact(_) => return "the address of a fact".to_owned(),
        Field::Many(fields) if fields.is_empty() => return "an empty list".to_owned(),
        Field::Many(_) => "the list",
    };
    let shown = match field {
        // A list may be as long as a list can be.
        Field::Many(fields) if fields.len() > SHOWN => {
            return format!("a list of {} fields", fields.len());
        }
        field => field.to_string(),
    };
    match shown.char_indices().nth(SHOWN) {
        None => format!("{kind} `{shown}`"),
        Some((end, _)) => format!("{kind} `{}...`", &shown[..end]),
    }
}

/// A text that may be a value.
pub(crate) fn text(text: &str) -> Outcome {
    short_enough(text.len())?;
    Ok(Field::text(text))
}

/// Whether a text may be so long.
pub(crate) fn short_enough(length: usize) -> Result<(), String> {
    if length > TEXT_MAX {
        return Err(format!("the text would be longer than {TEXT_MAX} bytes"));
    }
    Ok(())
}

/// A list that may be a value. The fields are single ones.
pub(crate) fn fields(fields: Vec<Field>) -> Outcome {
    few_enough(fields.len())?;
    Ok(Field::Many(Arc::new(fields)))
}

/// Whether a list may be so long.
pub(crate) fn few_enough(length: usize) -> Result<(), String> {
    if length > LIST_MAX {
        return Err(format!("the list would have more than {LIST_MAX} fields"));
    }
    Ok(())
}

/// All arguments from one on, as the fields of one list.
pub(crate) fn flat(args: &[Field]) -> Result<Vec<Field>, String> {
    few_enough(args.iter().map(|arg| arg.fields().len()).sum())?;
    Ok(args.iter().flat_map(Field::fields).cloned().collect())
}
