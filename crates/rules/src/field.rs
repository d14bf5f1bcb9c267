//! What a slot holds: symbols, strings, numbers, addresses of facts, and lists of these.
//!
//! A symbol is not a string: `low` and `"low"` are two values, and so are `1` and `1.0`.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The text of a symbol or a string, with its hash beside it: most texts that are compared are
/// either the same one or differ in their hash.
#[derive(Clone)]
pub struct Name(Arc<Lexeme>);

struct Lexeme {
    hash: u64,
    text: Box<str>,
}

/// The texts that a program has, by their hashes. Equal ones are one, which saves memory, and most
/// comparisons need not look at them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<u64, Name>);

impl Names {
    /// The same value, with the text of an equal one that came before.
    pub(crate) fn known(&mut self, mut field: Field) -> Field {
        if let Field::Symbol(name) | Field::Text(name) = &mut field {
            let known = self.0.entry(name.0.hash).or_insert_with(|| name.clone());
            if known == name {
                *name = known.clone();
            }
        }
        field
    }
}

/// Which fact is meant. It stays valid while the fact is modified, and is never given to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FactId {
    /// Where the memory keeps it.
    pub(crate) place: u32,
    /// The lower half of the index at which it was asserted first.
    pub(crate) stamp: u32,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Field {
    /// `TRUE` or `FALSE`, which are symbols in every respect.
    Bool(bool),
    /// A word. INVARIANT: neither `TRUE` nor `FALSE`; [`Field::symbol`] sees to it.
    Symbol(Name),
    /// Text in double quotes.
    Text(Name),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// The address of a fact.
    Fact(FactId),
    /// A list. INVARIANT: it holds no lists; [`Field::many`] flattens.
    Many(Arc<Vec<Field>>),
}

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        // FNV-1a: the texts are short, and the hash has to be the same everywhere.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Name(Arc::new(Lexeme { hash, text: text.into() }))
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Name) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash && self.0.text == other.0.text)
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Debug for Name {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Debug::fmt(self.as_str(), out)
    }
}

impl Field {
    /// The symbol `nil`, which an empty slot holds.
    pub fn nil() -> Field {
        Field::symbol("nil")
    }

    /// A symbol.
    pub fn symbol(text: &str) -> Field {
        match text {
            "TRUE" => Field::Bool(true),
            "FALSE" => Field::Bool(false),
            text => Field::Symbol(text.into()),
        }
    }

    /// A string.
    pub fn text(text: &str) -> Field {
        Field::Text(text.into())
    }

    /// A list of everything given; lists in it are taken apart.
    pub fn many(fields: impl IntoIterator<Item = Field>) -> Field {
        let mut flat = Vec::new();
        for field in fields {
            match field {
                Field::Many(inner) => flat.extend(inner.iter().cloned()),
                single => flat.push(single),
            }
        }
        Field::Many(Arc::new(flat))
    }

    /// The text of a symbol or a string.
    pub fn lexeme(&self) -> Option<&str> {
        match self {
            Field::Bool(true) => Some("TRUE"),
            Field::Bool(false) => Some("FALSE"),
            Field::Symbol(name) | Field::Text(name) => Some(name.as_str()),
            _ => None,
        }
    }

    /// Whether a condition with this value holds: everything does but `FALSE`.
    pub fn holds(&self) -> bool {
        !matches!(self, Field::Bool(false))
    }

    /// The fields of a list, or the one field that it is.
    pub fn fields(&self) -> &[Field] {
        match self {
            Field::Many(fields) => fields,
            single => std::slice::from_ref(single),
        }
    }

    /// A number to look it up by: equal fields have equal ones.
    pub(crate) fn digest(&self) -> u64 {
        let (kind, bits) = match self {
            Field::Bool(value) => (1, u64::from(*value)),
            Field::Symbol(name) => (2, name.0.hash),
            Field::Text(name) => (3, name.0.hash),
            Field::Int(number) => (4, number.cast_unsigned()),
            Field::Float(number) => (5, bits(*number)),
            Field::Fact(fact) => (6, u64::from(fact.place) << 32 | u64::from(fact.stamp)),
            Field::Many(fields) => {
                (7, fields.iter().fold(0, |hash, field| mix(hash, field.digest())))
            }
        };
        mix(kind, bits)
    }
}

/// What makes two floats the same: zero and minus zero are two, and all that are no number are
/// one.
fn bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// Puts one more number into a hash.
pub(crate) fn mix(hash: u64, bits: u64) -> u64 {
    let mixed = (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// As `eq` compares: by kind and value, so `1` and `1.0` differ.
impl PartialEq for Field {
    fn eq(&self, other: &Field) -> bool {
        match (self, other) {
            (Field::Bool(a), Field::Bool(b)) => a == b,
            (Field::Symbol(a), Field::Symbol(b)) | (Field::Text(a), Field::Text(b)) => a == b,
            (Field::Int(a), Field::Int(b)) => a == b,
            (Field::Float(a), Field::Float(b)) => bits(*a) == bits(*b),
            (Field::Fact(a), Field::Fact(b)) => a == b,
            (Field::Many(a), Field::Many(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Field {}

/// As CLIPS prints a value within a fact: strings in quotes, lists in parentheses, and the address
/// of a fact with the index at which it was asserted.
impl Display for Field {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Field::Bool(_) | Field::Symbol(_) => out.write_str(self.lexeme().unwrap_or_default()),
            Field::Text(name) => write_quoted(out, name.as_str()),
            Field::Int(number) => Display::fmt(number, out),
            Field::Float(number) => out.write_str(&float(*number)),
            Field::Fact(fact) => write!(out, "<Fact-{}>", fact.stamp),
            Field::Many(fields) => {
                out.write_str("(")?;
                for (at, field) in fields.iter().enumerate() {
                    let gap = if at == 0 { "" } else { " " };
                    write!(out, "{gap}{field}")?;
                }
                out.write_str(")")
            }
        }
    }
}

fn write_quoted(out: &mut Formatter, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            out.write_str("\\")?;
        }
        write!(out, "{letter}")?;
    }
    out.write_str("\"")
}

/// A float as C's `%.15g` writes it, and with `.0` where neither point nor exponent would show.
pub(crate) fn float(number: f64) -> String {
    const DIGITS: i32 = 15;
    if number.is_nan() {
        // There is one: which sign it gets when it is computed is up to the processor. This is how
        // CLIPS prints what it computes where most run it.
        return "-nan.0".to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf.0" } else { "inf.0" }.to_owned();
    }
    // `{:e}` rounds to the digits asked for and says the exponent after rounding.
    let scientific = format!("{number:.*e}", (DIGITS - 1).unsigned_abs() as usize);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..DIGITS).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let decimals = (DIGITS - 1 - exponent).unsigned_abs() as usize;
    let plain = format!("{number:.decimals$}");
    let plain = trimmed(&plain);
    if plain.contains('.') { plain.to_owned() } else { format!("{plain}.0") }
}

/// Without the zeros at its end, and without the point they leave behind.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::{Field, float};

    #[test]
    fn floats_print_as_c_prints_them() {
        let cases = [
            (32.0, "32.0"),
            (0.1, "0.1"),
            (-0.5, "-0.5"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1.0 / 3.0, "0.333333333333333"),
            (2.5e200, "2.5e+200"),
            (0.999_999_999_999_999_9, "1.0"),
            (f64::NEG_INFINITY, "-inf.0"),
            (f64::NAN, "-nan.0"),
            (-f64::NAN, "-nan.0"),
        ];
        for (number, printed) in cases {
            assert_eq!(float(number), printed);
        }
    }

    #[test]
    fn kinds_keep_values_apart() {
        assert_ne!(Field::symbol("a"), Field::text("a"));
        assert_ne!(Field::Int(1), Field::Float(1.0));
        assert_eq!(Field::symbol("TRUE"), Field::Bool(true));
        assert_ne!(Field::Float(0.0), Field::Float(-0.0));
        assert_eq!(Field::Float(f64::NAN), Field::Float(-f64::NAN));
        assert_eq!(Field::Float(f64::NAN).digest(), Field::Float(-f64::NAN).digest());
    }

    #[test]
    fn texts_print_in_quotes_with_what_they_escape() {
        assert_eq!(Field::text("a \"b\" \\").to_string(), r#""a \"b\" \\""#);
        let list = Field::many([Field::Int(1), Field::many([Field::symbol("x"), Field::text("")])]);
        assert_eq!(list.to_string(), "(1 x \"\")");
    }
}
