//! The text of rules as lists and atoms. What they mean is not known here.

pub(crate) mod token;
pub(crate) mod tree;
