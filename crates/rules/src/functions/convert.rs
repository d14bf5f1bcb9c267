//! From texts to values, by the rules for what is written in a program.

use super::arguments::{Outcome, fields, lexeme, misfit};
use crate::field::Field;
use crate::program::Kinds;
use crate::syntax::token::{Atom, Token, TokenKind, tokens, unescaped};

pub(super) fn explode(args: &[Field]) -> Outcome {
    match &args[0] {
        Field::Text(name) => fields(values(name.as_str())),
        _ => Err(misfit(args, 0, Kinds::TEXT)),
    }
}

/// The first value in a text; the symbol `EOF` where there is none.
pub(super) fn first(args: &[Field]) -> Outcome {
    let first = values(lexeme(args, 0)?).into_iter().next();
    Ok(first.unwrap_or_else(|| Field::symbol("EOF")))
}

/// The values that are written in a text. What cannot be read is no finding here, but a symbol.
fn values(text: &str) -> Vec<Field> {
    tokens(text, &mut Vec::new()).into_iter().map(|token| value(text, token)).collect()
}

/// What has a meaning only in programs, such as a variable or a parenthesis, is a symbol.
fn value(text: &str, token: Token<'_>) -> Field {
    let written = text.get(token.span.start as usize..token.span.end as usize).unwrap_or_default();
    match token.kind {
        TokenKind::Atom(Atom::Text(raw)) => Field::text(&unescaped(raw)),
        TokenKind::Atom(Atom::Int(number)) => Field::Int(number),
        TokenKind::Atom(Atom::Float(number)) => Field::Float(number),
        // A string that does not end has all that follows.
        _ => match written.strip_prefix('"') {
            Some(open) => Field::text(&unescaped(open)),
            None => Field::symbol(written),
        },
    }
}
