//! The canonical text of a condition. It reads as the same condition again, and hashes cover it:
//! a change here changes the hashes of documents.

use std::fmt::{self, Formatter};

use value::{Value, json};

use super::lex::{constant, joins, scalar};
use super::{Cmp, Expr, Path, Term};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write(f, self, Binding::Or)
    }
}

/// How tightly the place of a condition binds; what binds looser needs parentheses there.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Or,
    And,
    Not,
}

fn write(f: &mut Formatter<'_>, expr: &Expr, place: Binding) -> fmt::Result {
    match expr {
        Expr::Const(holds) => write!(f, "{holds}"),
        Expr::Truthy(term) => write!(f, "{term}"),
        Expr::Exists(term) => write!(f, "{term}?"),
        Expr::Compare(left, cmp, right) => {
            write!(f, "{left} {} ", cmp.word())?;
            write_right(f, *cmp, right)
        }
        Expr::Is(term, test, negated) => {
            let not = if *negated { "not " } else { "" };
            write!(f, "{term} is {not}{}", test.word())
        }
        Expr::Not(inner) => {
            f.write_str("not ")?;
            write(f, inner, Binding::Not)
        }
        Expr::And(items) => write_joined(f, items, "and", Expr::Const(true), Binding::And, place),
        Expr::Or(items) => write_joined(f, items, "or", Expr::Const(false), Binding::Or, place),
    }
}

fn write_joined(
    f: &mut Formatter<'_>,
    items: &[Expr],
    word: &str,
    of_none: Expr,
    own: Binding,
    place: Binding,
) -> fmt::Result {
    match items {
        [] => return write(f, &of_none, place),
        [only] => return write(f, only, place),
        _ => {}
    }
    let needs_parentheses = own < place;
    if needs_parentheses {
        f.write_str("(")?;
    }
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            write!(f, " {word} ")?;
        }
        write(f, item, own)?;
    }
    if needs_parentheses {
        f.write_str(")")?;
    }
    Ok(())
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // `$true` is a variable, `true` is not.
            Term::Name(path) if is_taken(path) => write!(f, "${path}"),
            Term::Name(path) => write!(f, "{path}"),
            Term::Length(path) => write!(f, "{path}.length"),
            Term::Lit(value) => write_literal(f, value),
        }
    }
}

fn write_right(f: &mut Formatter<'_>, cmp: Cmp, right: &Term) -> fmt::Result {
    match right {
        Term::Name(path) if cmp.takes_text() => write!(f, "${path}"),
        other => write!(f, "{other}"),
    }
}

/// Whether the bare name means something else.
fn is_taken(path: &Path) -> bool {
    match path.parts() {
        [name] => &**name == "always" || joins(name) || constant(name).is_some(),
        _ => false,
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.root())?;
        self.parts()[1..].iter().try_for_each(|part| write!(f, ".{part}"))
    }
}

fn write_literal(f: &mut Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Text(text) if !text.contains('"') => write!(f, "\"{text}\""),
        Value::Text(text) if !text.contains('\'') => write!(f, "'{text}'"),
        Value::Text(text) => write!(f, "\"{}\"", text.replace('"', "\"\"")),
        Value::List(items) => {
            f.write_str("[")?;
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    f.write_str(", ")?;
                }
                write_literal(f, item)?;
            }
            f.write_str("]")
        }
        number @ (Value::Int(_) | Value::Float(_)) => write_number(f, number),
        other => f.write_str(&json::canonical(other)),
    }
}

/// Canonical JSON, but where that has so many digits that they would read as a code.
fn write_number(f: &mut Formatter<'_>, number: &Value) -> fmt::Result {
    let text = json::canonical(number);
    match number {
        _ if scalar(&text).is_some() => f.write_str(&text),
        Value::Int(int) => write!(f, "{:e}", *int as f64),
        Value::Float(float) => write!(f, "{float:e}"),
        _ => f.write_str(&text),
    }
}
