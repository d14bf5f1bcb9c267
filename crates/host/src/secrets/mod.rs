//! Secrets: where they come from at the moment when they are needed, and how they are kept from
//! coming back.
//!
//! What is configured is only ever a [`Source`]. What it leads to lives in [`Revealed`] for as long
//! as somebody has to be given it, and everything that those who were given it say goes through
//! [`Revealed::hide`] (messages) or [`Revealed::hide_in`] (answers). No `Debug` shows any of it.

mod key;
mod revealed;
mod source;
mod text;

pub(crate) use key::Secret;
pub(crate) use revealed::Revealed;
pub use source::Source;
pub(crate) use source::{Sources, process_variable};
pub(crate) use text::Secretive;

/// Whether it can be the name of a secret. So are the names of arguments that stand beside them.
pub(crate) fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(is_letter)
}
