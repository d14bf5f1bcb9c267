//! Cuts the text of a condition into words, quoted texts and signs.

use std::ops::Range;

use value::Value;

use super::BadExpr;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// Where it stands, in bytes.
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// A name, a number, a key word, or bare text.
    Word(&'a str),
    /// What stands between quotes.
    Quoted(String),
    /// One of [`SIGNS`].
    Sign(&'static str),
}

/// A sign stands before those that it begins with.
const SIGNS: [&str; 16] =
    ["==", "=", "!=", "!", "<=", "<", ">=", ">", "&&", "||", "?", "(", ")", "[", "]", ","];

/// All pieces, in order.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, BadExpr> {
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(first) = text[from..].chars().next() {
        let rest = &text[from..];
        if first.is_whitespace() {
            from += first.len_utf8();
            continue;
        }
        let (kind, length) = if matches!(first, '"' | '\'') {
            let (inner, length) = quoted(rest, first).ok_or_else(|| BadExpr {
                message: format!("a closing `{first}` is missing"),
                at: from..text.len(),
            })?;
            (Kind::Quoted(inner), length)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Kind::Sign(sign), sign.len())
        } else if matches!(first, '&' | '|') {
            let meant = if first == '&' { "and" } else { "or" };
            return Err(BadExpr {
                message: format!("`{first}` is not known here: write `{meant}`"),
                at: from..from + 1,
            });
        } else {
            let word = word(rest);
            (Kind::Word(word), word.len())
        };
        tokens.push(Token { kind, at: from..from + length });
        from += length;
    }
    Ok(tokens)
}

/// What stands in quotes, and how many bytes that takes. A doubled quote stands for one.
fn quoted(text: &str, mark: char) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut from = 1;
    loop {
        let end = from + text[from..].find(mark)?;
        inner.push_str(&text[from..end]);
        from = end + 1;
        if !text[from..].starts_with(mark) {
            return Some((inner, from));
        }
        inner.push(mark);
        from += 1;
    }
}

/// Goes as far as no sign, quote or space. An apostrophe between letters is part of a word:
/// what has one is for people, and they should not be told that a quote is missing.
fn word(text: &str) -> &str {
    let mut before = None;
    let end = text.char_indices().find(|&(_, letter)| {
        let is_apostrophe = letter == '\'' && before.is_some_and(char::is_alphanumeric);
        before = Some(letter);
        match letter {
            '(' | ')' | '[' | ']' | ',' | '=' | '<' | '>' | '!' | '&' | '|' | '?' | '"' => true,
            '\'' => !is_apostrophe,
            other => other.is_whitespace(),
        }
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The typed constant that unquoted text spells, if it spells one. Long digits and digits with a
/// zero in front are codes: as numbers they would lose what they name.
pub fn scalar(text: &str) -> Option<Value> {
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

/// The constant that a bare word of a condition spells: a scalar, or one as Python writes it.
pub(super) fn constant(word: &str) -> Option<Value> {
    match word {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "none" | "None" => Some(Value::Null),
        _ => scalar(word),
    }
}

/// Whether a word joins conditions, and so stands neither for a variable nor for text.
pub(super) fn joins(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "AND" | "OR" | "NOT")
}

/// Whether text can name a variable.
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}
