//! One file per command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod query;
pub(crate) mod rewrite;
pub(crate) mod show;
