//! One file per command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod new;
pub(crate) mod query;
mod query_item;
pub(crate) mod rewrite;
pub(crate) mod show;

use diagnostics::nearest;
use graph::Graph;

/// There is no label of this name, but perhaps one like it.
fn no_label(graph: &Graph, id: &str) -> anyhow::Error {
    match nearest(id, graph.labels.keys().map(|id| &**id)) {
        Some(near) => anyhow::anyhow!("there is no label `{id}`; did you mean `{near}`?"),
        None => anyhow::anyhow!("there is no label `{id}`"),
    }
}
