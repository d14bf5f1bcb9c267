//! One file per command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod query;
mod query_item;
pub(crate) mod rewrite;
pub(crate) mod show;
