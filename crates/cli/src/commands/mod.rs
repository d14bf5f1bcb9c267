//! One file per command.

pub(crate) mod answer;
pub(crate) mod branch;
pub(crate) mod cancel;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod event;
pub(crate) mod explain;
pub(crate) mod export;
mod fix;
pub(crate) mod fmt;
pub(crate) mod fork;
pub(crate) mod gc;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod new;
pub(crate) mod policy;
pub(crate) mod query;
mod query_item;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod rewrite;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod show;
mod show_rules;
pub(crate) mod spans;
pub(crate) mod state;
pub(crate) mod tools;
pub(crate) mod verify;
pub(crate) mod why;

use diagnostics::nearest;
use graph::Graph;

/// There is no label of this name, but perhaps one like it.
pub(crate) fn no_label(graph: &Graph, id: &str) -> anyhow::Error {
    match nearest(id, graph.labels.keys().map(|id| &**id)) {
        Some(near) => anyhow::anyhow!("there is no label `{id}`; did you mean `{near}`?"),
        None => anyhow::anyhow!("there is no label `{id}`"),
    }
}
