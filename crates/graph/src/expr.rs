//! The expression language of conditions.
//!
//! Three forms so far: `x` (x holds something true), `x?` (x is there), `a = b` (both print
//! the same). A name stands for a variable; the right side of `=` is text unless it is a
//! number, a boolean, null or `$name`.

use std::fmt;

use value::{Text, Value};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// It holds something true.
    Truthy(Term),
    /// It is there.
    Exists(Term),
    /// Both sides are equal.
    Equal(Term, Term),
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A variable.
    Name(Text),
    /// A constant.
    Lit(Value),
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq)]
pub struct BadExpr {
    /// In lower case.
    pub message: String,
}

impl Expr {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Expr, BadExpr> {
        let text = text.trim();
        const UNKNOWN: [&str; 9] = ["!=", "<=", ">=", "<", ">", "(", ")", "&", "|"];
        if let Some(unknown) = UNKNOWN.iter().find(|unknown| unquoted(text).contains(*unknown)) {
            return Err(BadExpr { message: format!("`{unknown}` is not known here") });
        }
        if let Some((left, right)) = text.split_once('=') {
            let right = right.strip_prefix('=').unwrap_or(right).trim();
            return Ok(Expr::Equal(subject(left.trim())?, object(right)?));
        }
        match text.strip_suffix('?') {
            Some(name) => Ok(Expr::Exists(subject(name.trim_end())?)),
            None => Ok(Expr::Truthy(subject(text)?)),
        }
    }

    /// The variables it reads.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        let (first, second) = match self {
            Expr::Truthy(term) | Expr::Exists(term) => (term, None),
            Expr::Equal(left, right) => (left, Some(right)),
        };
        std::iter::once(first).chain(second).filter_map(|term| match term {
            Term::Name(name) => Some(name),
            Term::Lit(_) => None,
        })
    }
}

/// The text up to its first quote.
fn unquoted(text: &str) -> &str {
    text.split(['"', '\'']).next().unwrap_or_default()
}

fn subject(text: &str) -> Result<Term, BadExpr> {
    if let Some(name) = text.strip_prefix('$').filter(|name| is_name(name)) {
        return Ok(Term::Name(name.into()));
    }
    if let Some(value) = constant(text) {
        return Ok(Term::Lit(value));
    }
    if is_name(text) {
        return Ok(Term::Name(text.into()));
    }
    let message = if text.is_empty() {
        "a name is missing".to_string()
    } else {
        format!("`{text}` is neither a name nor a constant")
    };
    Err(BadExpr { message })
}

fn object(text: &str) -> Result<Term, BadExpr> {
    if let Some(name) = text.strip_prefix('$').filter(|name| is_name(name)) {
        return Ok(Term::Name(name.into()));
    }
    if text.contains(['=', '<', '>', '?']) {
        return Err(BadExpr { message: format!("`{text}` is neither a name nor a constant") });
    }
    Ok(Term::Lit(constant(text).unwrap_or_else(|| Value::text(text))))
}

/// Quoted text, a number, a boolean or null.
fn constant(text: &str) -> Option<Value> {
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    if let Some(inner) = quoted('"').or_else(|| quoted('\'')) {
        return Some(Value::text(inner));
    }
    scalar(text)
}

/// The typed constant that unquoted text spells, if it spells one.
pub(crate) fn scalar(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "null" => return Some(Value::Null),
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        // Longer digits are identifiers or codes; rounding them would lose what they name.
        return (digits.len() <= 15).then(|| text.parse().ok().map(Value::Int)).flatten();
    }
    let number =
        digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let float: f64 = number.then(|| text.parse().ok()).flatten()?;
    float.is_finite().then_some(Value::Float(float))
}

/// Whether text can name a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Truthy(term) => write!(f, "{term}"),
            Expr::Exists(term) => write!(f, "{term}?"),
            Expr::Equal(left, Term::Name(right)) => write!(f, "{left} = ${right}"),
            Expr::Equal(left, right) => write!(f, "{left} = {right}"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Name(name) => f.write_str(name),
            Term::Lit(Value::Text(text)) if !text.contains('"') => write!(f, "\"{text}\""),
            Term::Lit(Value::Text(text)) => write!(f, "'{text}'"),
            Term::Lit(value) => f.write_str(&value::json::compact(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_print_as_they_read() {
        for (text, printed, names) in [
            ("x", "x", vec!["x"]),
            ("x?", "x?", vec!["x"]),
            ("state=done", "state = \"done\"", vec!["state"]),
            ("a == $b", "a = $b", vec!["a", "b"]),
            ("n=3", "n = 3", vec!["n"]),
            ("true", "true", vec![]),
            ("name='a \"b\"'", "name = 'a \"b\"'", vec!["name"]),
        ] {
            let expr = Expr::parse(text).unwrap();
            assert_eq!(expr.to_string(), printed);
            assert_eq!(expr.names().map(|name| &**name).collect::<Vec<_>>(), names);
            assert_eq!(Expr::parse(printed), Ok(expr), "{printed}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "a b", "x>3", "=b", "a>=b", "(core.eq", "?"] {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn scalars_are_typed_and_codes_are_not() {
        assert_eq!(scalar("-7"), Some(Value::Int(-7)));
        assert_eq!(scalar("0.8"), Some(Value::Float(0.8)));
        assert_eq!(scalar("1e3"), Some(Value::Float(1000.0)));
        for text in ["1234567890123456", "1.2.3", "infinity", "nan", "e5", "", "-", "1e999"] {
            assert_eq!(scalar(text), None, "{text}");
        }
    }
}
