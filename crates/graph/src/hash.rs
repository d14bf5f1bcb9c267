//! Hashes of meaning, to the byte as `docs/hashing.md` defines them.
//!
//! They cover ops, operands, edges, label ids and declarations. A comment, a line number, the
//! order of keys or a node's number never changes them.

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
        let labels: Ordered<LabelHashes> =
            graph.labels.iter().map(|(id, label)| (id.clone(), hash_label(label))).collect();
        let checksum = digest(&summary(graph, &labels));
        Hashes { labels, checksum }
    }
}

/// `node.hash`: the op and its operands, without targets.
pub fn hash_node(node: &Node) -> Digest {
    let meaning = match node.def() {
        Some(_) => Value::from(node.operands.to_map()),
        // Nothing is known of it but its words.
        None => {
            let words =
                node.data.iter().filter(|(name, _)| !matches!(&***name, "op" | "lineno" | "raw"));
            Value::from(words.map(|(name, value)| (name.clone(), value.clone())).collect::<Map>())
        }
    };
    digest(&Value::map([("op", node.op.name().into()), ("operands", meaning)]))
}

/// `id_hash`: the nodes in the order of a walk, and the edges between these positions.
fn hash_label(label: &Label) -> LabelHashes {
    let nodes: Vec<Digest> = label.nodes.iter().map(hash_node).collect();
    let index = Index::new(label);
    let (order, _) = index.walk();
    let mut position = vec![0; order.len()];
    for (place, node) in order.iter().enumerate() {
        position[*node] = place;
    }
    let mut text = String::with_capacity(order.len() * 120);
    text.push_str("{\"edges\":[");
    let mut edges = Vec::new();
    let mut first = true;
    for (place, node) in order.iter().enumerate() {
        let op = label.nodes[*node].def();
        for edge_index in index.edge_indices_from(*node) {
            let edge = &label.edges[edge_index];
            let Some(port) = edge.port.filter(|_| !edge.analysis_only) else { continue };
            let rank = op.map_or(port as usize, |op| op.port_rank(port));
            let (to, name) = match edge.to_kind {
                ToKind::Node => match index.target(edge_index) {
                    Some(target) => (position[target], None),
                    None => continue,
                },
                ToKind::Label => (0, Some(&edge.to)),
            };
            edges.push((rank, name, to, port));
        }
        edges.sort();
        for (_, name, to, port) in edges.drain(..) {
            if !std::mem::take(&mut first) {
                text.push(',');
            }
            text.push_str(&format!("[{place},\"{port}\","));
            match name {
                Some(label) => json::write_text(&mut text, label),
                None => text.push_str(&to.to_string()),
            }
            text.push(']');
        }
    }
    let entry = index.entry().map_or("null", |_| "0");
    text.push_str(&format!("],\"entry\":{entry},\"nodes\":["));
    for (place, node) in order.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(&format!("\"{}\"", nodes[*node]));
    }
    text.push_str("]}");
    LabelHashes { nodes, label: Digest::of(text.as_bytes()) }
}

/// What `graph_semantic_checksum` covers.
fn summary(graph: &Graph, labels: &Ordered<LabelHashes>) -> Value {
    let ids = labels.iter().map(|(id, hashes)| (id.clone(), Value::text(hashes.label.to_string())));
    let mut endpoints: Vec<Value> = graph.endpoints.iter().map(endpoint).collect();
    endpoints.sort_by_cached_key(json::canonical);
    let mut crons: Vec<Value> = graph.crons.clone();
    crons.sort_by_cached_key(json::canonical);
    Value::map([
        ("capabilities", Value::from(graph.capabilities.clone())),
        ("crons", Value::list(crons)),
        ("declarations", Value::from(graph.declarations.to_map())),
        ("endpoints", Value::list(endpoints)),
        ("labels", Value::from(ids.collect::<Map>())),
        ("policy", Value::from(graph.runtime_policy.clone())),
    ])
}

/// What the checksum covers of an endpoint.
pub(crate) fn endpoint(endpoint: &Endpoint) -> Value {
    let text = |text: &Text| Value::Text(text.clone());
    let returned = endpoint.members.get("return_var").cloned().unwrap_or_default();
    Value::map([
        ("label", endpoint.label.as_ref().map_or(Value::Null, text)),
        ("method", crate::query::method_word(&endpoint.method).into()),
        ("path", text(&endpoint.path)),
        ("return", returned),
    ])
}
