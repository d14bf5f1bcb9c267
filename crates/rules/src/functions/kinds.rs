//! What kind of value something is.

use super::arguments::{Outcome, int};
use crate::field::Field;
use crate::program::Kinds;

fn is(args: &[Field], kinds: Kinds) -> Outcome {
    Ok(Field::Bool(kinds.holds(Kinds::of(&args[0]))))
}

pub(super) fn number(args: &[Field]) -> Outcome {
    is(args, Kinds::NUMBER)
}

pub(super) fn integer(args: &[Field]) -> Outcome {
    is(args, Kinds::INT)
}

pub(super) fn float(args: &[Field]) -> Outcome {
    is(args, Kinds::FLOAT)
}

pub(super) fn lexeme(args: &[Field]) -> Outcome {
    is(args, Kinds::LEXEME)
}

pub(super) fn symbol(args: &[Field]) -> Outcome {
    is(args, Kinds::SYMBOL)
}

pub(super) fn string(args: &[Field]) -> Outcome {
    is(args, Kinds::TEXT)
}

pub(super) fn list(args: &[Field]) -> Outcome {
    is(args, Kinds::MANY)
}

pub(super) fn fact(args: &[Field]) -> Outcome {
    is(args, Kinds::FACT)
}

pub(super) fn even(args: &[Field]) -> Outcome {
    Ok(Field::Bool(int(args, 0)? % 2 == 0))
}

pub(super) fn odd(args: &[Field]) -> Outcome {
    Ok(Field::Bool(int(args, 0)? % 2 != 0))
}
