//! The table of functions: what each is called, what it takes, and how it is computed.
//!
//! What acts on facts or decides what happens next (`assert`, `if`, `bind`) is no function but a
//! form of its own, see [`crate::program::ExprKind`].

use crate::field::Field;
use crate::program::Kinds;

/// A function.
pub struct FunctionDef {
    /// What programs call it.
    pub name: &'static str,
    /// The fewest arguments it takes.
    pub least: u16,
    /// The most, where there is an end.
    pub most: Option<u16>,
    /// What each argument may be; the last says it for all that follow.
    pub takes: &'static [Kinds],
    /// What its value may be.
    pub gives: Kinds,
    /// One line for the reference.
    pub about: &'static str,
    /// How it is computed. An error says what is wrong, without naming the function.
    pub run: fn(&[Field]) -> Result<Field, String>,
}

/// All functions, by name.
pub static TABLE: &[FunctionDef] = &[];

/// The position of a function in the table.
pub fn find(name: &str) -> Option<u16> {
    let at = TABLE.binary_search_by(|function| function.name.cmp(name)).ok()?;
    u16::try_from(at).ok()
}
