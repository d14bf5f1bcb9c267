//! The expression language of conditions.
//!
//! Three forms so far: `x` (x holds something true), `x?` (x is there), `a = b` (both are
//! equal). A name stands for a variable; the right side of `=` is a number, a boolean, null,
//! `$name` or text, which needs quotes where it has signs in it.

use std::fmt;

use value::{Text, Value, json};

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

fn bad<T>(message: String) -> Result<T, BadExpr> {
    Err(BadExpr { message })
}

impl Expr {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Expr, BadExpr> {
        let text = text.trim();
        let mut equals = None;
        let mut quote = None;
        for (at, letter) in text.char_indices() {
            match (quote, letter) {
                (Some(open), _) if open == letter => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(letter),
                (None, '!' | '<' | '>' | '(' | ')' | '&' | '|') => {
                    return bad(format!("`{letter}` is not known here"));
                }
                (None, '=') if equals.is_none() => equals = Some(at),
                (None, _) => {}
            }
        }
        if let Some(open) = quote {
            return bad(format!("a closing {open} is missing"));
        }
        if let Some(at) = equals {
            let (left, right) = (&text[..at], &text[at + 1..]);
            let right = right.strip_prefix('=').unwrap_or(right);
            return Ok(Expr::Equal(subject(left.trim())?, object(right.trim())?));
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

/// What stands alone or to the left: a variable or a constant.
fn subject(text: &str) -> Result<Term, BadExpr> {
    if let Some(term) = variable(text).or_else(|| constant(text)) {
        return Ok(term);
    }
    if is_name(text) {
        return Ok(Term::Name(text.into()));
    }
    match text {
        "" => bad("a name is missing".to_string()),
        _ => bad(format!("`{text}` is neither a name nor a constant")),
    }
}

/// What stands to the right: a constant, `$name`, or plain text.
fn object(text: &str) -> Result<Term, BadExpr> {
    if let Some(term) = variable(text).or_else(|| constant(text)) {
        return Ok(term);
    }
    match text {
        "" => bad("there is nothing to compare with".to_string()),
        _ if text.contains(['"', '\'', '=', '?']) => bad(format!("`{text}` is not one constant")),
        _ => Ok(Term::Lit(Value::text(text))),
    }
}

fn variable(text: &str) -> Option<Term> {
    text.strip_prefix('$').filter(|name| is_name(name)).map(|name| Term::Name(name.into()))
}

/// Quoted text, a number, a boolean or null.
fn constant(text: &str) -> Option<Term> {
    let quoted = |mark: char| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains(mark)).then_some(inner)
    };
    let inner = quoted('"').or_else(|| quoted('\''));
    inner.map(Value::text).or_else(|| scalar(text)).map(Term::Lit)
}

/// The typed constant that unquoted text spells, if it spells one. Long digits and digits with a
/// zero in front are codes: as numbers they would lose what they name.
pub(crate) fn scalar(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "null" => return Some(Value::Null),
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let bytes = digits.as_bytes();
    if !matches!(bytes, [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..]) {
        return None;
    }
    if matches!(bytes, [b'0', b'0'..=b'9', ..]) {
        return None;
    }
    if bytes.iter().all(u8::is_ascii_digit) {
        return (bytes.len() <= 15).then(|| text.parse().ok().map(Value::Int)).flatten();
    }
    let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    let float: f64 = bytes.iter().all(is_number).then(|| text.parse().ok()).flatten()?;
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
            // `$true` is a variable, `true` is not.
            Term::Name(name) if scalar(name).is_some() => write!(f, "${name}"),
            Term::Name(name) => f.write_str(name),
            Term::Lit(Value::Text(text)) if !text.contains('"') => write!(f, "\"{text}\""),
            Term::Lit(Value::Text(text)) => write!(f, "'{text}'"),
            Term::Lit(value) => f.write_str(&json::canonical(value)),
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
            ("n=3.0", "n = 3", vec!["n"]),
            ("n=007", "n = \"007\"", vec!["n"]),
            ("true", "true", vec![]),
            ("$true", "$true", vec!["true"]),
            ("name='a \"b\"'", "name = 'a \"b\"'", vec!["name"]),
            ("u=\"a=b?\"", "u = \"a=b?\"", vec!["u"]),
            ("u = in progress", "u = \"in progress\"", vec!["u"]),
        ] {
            let expr = Expr::parse(text).unwrap();
            assert_eq!(expr.to_string(), printed);
            assert_eq!(expr.names().map(|name| &**name).collect::<Vec<_>>(), names);
            assert_eq!(Expr::parse(printed), Ok(expr), "{printed}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        let refused = ["", "a b", "x>3", "=b", "a =", "a>=b", "a != b", "(core.eq", "?"];
        for text in refused.into_iter().chain(["x=\"a\" & y", "x='a' or y", "x = \"a", "a = b = c"])
        {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn scalars_are_typed_and_codes_are_not() {
        assert_eq!(scalar("-7"), Some(Value::Int(-7)));
        assert_eq!(scalar("0.8"), Some(Value::Float(0.8)));
        assert_eq!(scalar("1e3"), Some(Value::Float(1000.0)));
        assert_eq!(scalar("0"), Some(Value::Int(0)));
        for text in ["1234567890123456", "007", "1.2.3", "infinity", "nan", "e5", "", "-", "1e999"]
        {
            assert_eq!(scalar(text), None, "{text}");
        }
    }
}
