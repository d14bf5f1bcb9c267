//! Questions about a graph, with answers in document order.

mod paths;
mod slice;

pub use paths::{Path, Paths, error_paths, success_paths};
pub use slice::{Slice, slice};
use value::Text;

use crate::model::{Edge, EmitEdge, Endpoint, Graph, Label, Node};
use crate::ops::Port;

/// A label with its id.
#[derive(Clone, Copy)]
pub struct In<'a, T> {
    /// The label's id.
    pub label: &'a Text,
    /// What was found in it.
    pub item: T,
}

/// The labels with these ids, or all of them.
pub fn labels<'a>(graph: &'a Graph, ids: &[Text]) -> Vec<In<'a, &'a Label>> {
    let all = graph.labels.iter().map(|(label, item)| In { label, item });
    all.filter(|found| ids.is_empty() || ids.contains(found.label)).collect()
}

/// All nodes of some labels.
pub fn label_nodes<'a>(graph: &'a Graph, ids: &[Text]) -> impl Iterator<Item = In<'a, &'a Node>> {
    labels(graph, ids)
        .into_iter()
        .flat_map(|found| found.item.nodes.iter().map(move |item| In { label: found.label, item }))
}

/// All control edges of some labels.
pub fn label_edges<'a>(graph: &'a Graph, ids: &[Text]) -> impl Iterator<Item = In<'a, &'a Edge>> {
    labels(graph, ids)
        .into_iter()
        .flat_map(|found| found.item.edges.iter().map(move |item| In { label: found.label, item }))
}

/// All emit edges of some labels.
pub fn emit_edges<'a>(
    graph: &'a Graph,
    ids: &[Text],
) -> impl Iterator<Item = In<'a, &'a EmitEdge>> {
    labels(graph, ids).into_iter().flat_map(|found| {
        found.item.emit_edges.iter().map(move |item| In { label: found.label, item })
    })
}

/// The emit edges that carry data to the next node.
pub fn data_flow_edges<'a>(
    graph: &'a Graph,
    ids: &[Text],
) -> impl Iterator<Item = In<'a, &'a EmitEdge>> {
    emit_edges(graph, ids).filter(|found| matches!(found.item, EmitEdge::Data { .. }))
}

/// Nodes that work on memory, of one kind or of any.
pub fn memory_nodes<'a>(
    graph: &'a Graph,
    ids: &[Text],
    memory_type: Option<&'a str>,
) -> impl Iterator<Item = In<'a, &'a Node>> {
    label_nodes(graph, ids).filter(move |found| {
        let own = found.item.memory_type.as_deref();
        own.is_some() && (memory_type.is_none() || own == memory_type)
    })
}

/// Nodes that have side effects, or may have.
pub fn io_nodes<'a>(graph: &'a Graph, ids: &[Text]) -> impl Iterator<Item = In<'a, &'a Node>> {
    label_nodes(graph, ids)
        .filter(|found| found.item.def().is_some_and(|op| op.effect() == crate::Effect::Io))
}

/// Nodes that return.
pub fn exit_nodes<'a>(graph: &'a Graph, ids: &[Text]) -> impl Iterator<Item = In<'a, &'a Node>> {
    label_nodes(graph, ids).filter(|found| found.item.def().is_some_and(|op| op.returns()))
}

/// Nodes that call an adapter whose name begins with these segments: `db` finds `db.F` but not
/// `dbx.F`. Stores count: `queue` finds `QueuePut`.
pub fn nodes_using_adapter<'a>(
    graph: &'a Graph,
    ids: &[Text],
    prefix: &'a str,
) -> impl Iterator<Item = In<'a, &'a Node>> {
    label_nodes(graph, ids).filter(move |found| {
        let Some((namespace, verb)) = found.item.adapter() else { return false };
        let mut own = std::iter::once(namespace).chain(verb.split('.'));
        prefix.split('.').filter(|segment| !segment.is_empty()).enumerate().all(
            |(depth, wanted)| {
                own.next().is_some_and(|own| {
                    if depth == 0 { own == wanted } else { own.eq_ignore_ascii_case(wanted) }
                })
            },
        )
    })
}

/// The edges that leave a node, by one port or by any. Edges for other tools' analyses are left out.
pub fn successors<'a>(
    label: &'a Label,
    node: &'a str,
    port: Option<Port>,
) -> impl Iterator<Item = &'a Edge> {
    label.edges.iter().filter(move |edge| {
        &*edge.from == node && !edge.analysis_only && (port.is_none() || edge.port == port)
    })
}

/// The edges that lead to a node.
pub fn predecessors<'a>(
    label: &'a Label,
    node: &'a str,
    port: Option<Port>,
) -> impl Iterator<Item = &'a Edge> {
    label.edges.iter().filter(move |edge| {
        &*edge.to == node && edge.is_to_node() && (port.is_none() || edge.port == port)
    })
}

/// Endpoints, by path and method where given. `G` is `GET`.
pub fn endpoints<'a>(
    graph: &'a Graph,
    path: Option<&'a str>,
    method: Option<&'a str>,
) -> impl Iterator<Item = &'a Endpoint> {
    graph.endpoints.iter().filter(move |endpoint| {
        path.is_none_or(|path| path == &*endpoint.path)
            && method.is_none_or(|method| method_word(method) == method_word(&endpoint.method))
    })
}

/// One word for a method, however it is abbreviated.
pub fn method_word(method: &str) -> &str {
    const METHODS: [(&str, &str); 6] =
        [("G", "GET"), ("P", "POST"), ("U", "PUT"), ("D", "DELETE"), ("L", "LIST"), ("H", "HEAD")];
    let known = METHODS.iter().find(|(short, long)| {
        method.eq_ignore_ascii_case(short) || method.eq_ignore_ascii_case(long)
    });
    known.map_or(method, |(_, long)| long)
}
