//! Hashes of meaning, to the byte as `docs/hashing.md` defines them.
//!
//! They cover ops, operands, edges, label ids and declarations. A comment, a line number, the
//! order of keys or a node's number never changes them.

use std::fmt::Write;

use value::{Digest, Map, Ordered, Text, Value, digest, json};

use crate::index::Index;
use crate::model::{Endpoint, Graph, Label, Node, ToKind};

/// All hashes of a graph. They are computed, never kept, so they cannot be stale.
#[derive(Clone, Debug, PartialEq)]
pub struct Hashes {
    /// By label, in the order of the graph.
    pub labels: Ordered<LabelHashes>,
    /// `graph_semantic_checksum`.
    pub checksum: Digest,
}

/// The hashes of a label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelHashes {
    /// `node.hash`, in the order of the label's nodes.
    pub nodes: Vec<Digest>,
    /// `id_hash`.
    pub label: Digest,
}

impl Hashes {
    /// Hashes a graph.
    pub fn of(graph: &Graph) -> Hashes {
        let mut text = String::new();
        let labels =
            graph.labels.iter().map(|(id, label)| (id.clone(), hash_label(label, &mut text)));
        let labels: Ordered<LabelHashes> = labels.collect();
        let checksum = digest(&summary(graph, &labels));
        Hashes { labels, checksum }
    }
}

/// `node.hash`: the op and its operands, without targets.
pub fn hash_node(node: &Node) -> Digest {
    hash_node_with(node, &mut String::new())
}

fn hash_node_with(node: &Node, text: &mut String) -> Digest {
    text.clear();
    text.push_str("{\"op\":");
    json::write_text(text, node.op.name());
    text.push_str(",\"operands\":");
    match node.def() {
        Some(_) => node.operands.write_canonical(text),
        // Nothing is known of it but its words.
        None => {
            let words = node.data.iter().filter(|(name, _)| is_meant(name));
            let words: Map = words.map(|(name, value)| (name.clone(), value.clone())).collect();
            json::write_canonical(text, &words.into());
        }
    }
    text.push('}');
    Digest::of(text.as_bytes())
}

/// Whether a member of the data of an unknown op may mean something.
pub(crate) fn is_meant(name: &str) -> bool {
    !matches!(name, "op" | "lineno" | "raw")
}

/// `id_hash`: the nodes in the order of a walk, and the edges between these positions.
fn hash_label(label: &Label, text: &mut String) -> LabelHashes {
    let nodes: Vec<Digest> = label.nodes.iter().map(|node| hash_node_with(node, text)).collect();
    let index = Index::new(label);
    let (order, _) = index.walk();
    let mut position = vec![0; order.len()];
    for (place, node) in order.iter().enumerate() {
        position[*node] = place;
    }
    text.clear();
    text.push_str("{\"edges\":[");
    let mut edges = Vec::new();
    let mut first = true;
    for (place, node) in order.iter().enumerate() {
        let op = label.nodes[*node].def();
        for at in index.edge_indices_from(*node) {
            let edge = &label.edges[at];
            let Some(port) = edge.port.filter(|_| !edge.analysis_only) else { continue };
            let (to, name) = match (edge.to_kind, index.target(at)) {
                (ToKind::Label, _) => (0, Some(&edge.to)),
                (ToKind::Node, Some(target)) => (position[target], None),
                (ToKind::Node, None) => continue,
            };
            edges.push((op.map_or(0, |op| op.port_rank(port)), port, name, to));
        }
        // Several edges of one port count in the order in which they were written.
        edges.sort_by_key(|(rank, ..)| *rank);
        for (_, port, name, to) in edges.drain(..) {
            if !std::mem::take(&mut first) {
                text.push(',');
            }
            write!(text, "[{place},\"{port}\",").expect("writing to text cannot fail");
            match name {
                Some(label) => json::write_text(text, label),
                None => write!(text, "{to}").expect("writing to text cannot fail"),
            }
            text.push(']');
        }
    }
    text.push_str(if index.entry().is_some() {
        "],\"entry\":0,\"nodes\":["
    } else {
        "],\"entry\":null,\"nodes\":["
    });
    for (place, node) in order.iter().enumerate() {
        write!(text, "{}\"{}\"", if place > 0 { "," } else { "" }, nodes[*node])
            .expect("writing to text cannot fail");
    }
    text.push_str("]}");
    LabelHashes { nodes, label: Digest::of(text.as_bytes()) }
}

/// What `graph_semantic_checksum` covers.
fn summary(graph: &Graph, labels: &Ordered<LabelHashes>) -> Value {
    let ids = labels.iter().map(|(id, hashes)| (id.clone(), Value::text(hashes.label.to_string())));
    Value::map([
        ("capabilities", Value::from(graph.capabilities.clone())),
        ("crons", crons(graph)),
        ("declarations", Value::from(graph.declarations.to_map())),
        ("endpoints", endpoints(graph)),
        ("labels", Value::from(ids.collect::<Map>())),
        ("policy", Value::from(graph.runtime_policy.clone())),
    ])
}

/// What the checksum covers of the endpoints, in an order of its own.
pub(crate) fn endpoints(graph: &Graph) -> Value {
    sorted(graph.endpoints.iter().map(endpoint).collect())
}

/// The crons, in an order of its own.
pub(crate) fn crons(graph: &Graph) -> Value {
    sorted(graph.crons.clone())
}

fn sorted(mut items: Vec<Value>) -> Value {
    items.sort_by_cached_key(json::canonical);
    Value::list(items)
}

fn endpoint(endpoint: &Endpoint) -> Value {
    let text = |text: &Text| Value::Text(text.clone());
    let returned = endpoint.members.get("return_var").cloned().unwrap_or_default();
    Value::map([
        ("label", endpoint.label.as_ref().map_or(Value::Null, text)),
        ("method", crate::query::method_word(&endpoint.method).into()),
        ("path", text(&endpoint.path)),
        ("return", returned),
    ])
}
