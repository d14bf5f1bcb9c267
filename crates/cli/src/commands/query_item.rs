//! What `quipu query` finds, for programs and for people.

use frontends::document;
use graph::ops::Port;
use graph::protocols::{capabilities, protocol};
use graph::query::{In, Path, Slice};
use graph::{Edge, EmitEdge, Endpoint, Node, ToKind, draw};
use value::{Map, Text, Value};

/// One thing that was found.
pub(super) enum Item<'a> {
    Node(In<'a, &'a Node>),
    Edge(In<'a, &'a Edge>),
    Emit(In<'a, &'a EmitEdge>),
    Path(&'a Text, Path),
    Endpoint(&'a Endpoint),
    Slice(&'a Text, Slice<'a>),
    Store(&'a Text, &'a Value),
}

impl Item<'_> {
    /// As documents write it, with its label.
    pub(super) fn value(&self) -> Value {
        match self {
            Item::Node(found) => in_label(found.label, node_value(found.item)),
            Item::Edge(found) => in_label(found.label, document::edge(found.item)),
            Item::Emit(found) => in_label(found.label, document::emit_edge(found.item)),
            Item::Path(label, path) => Value::map([
                ("label", Value::Text((*label).clone())),
                ("path", Value::list(path.nodes.iter().cloned().map(Value::Text))),
                ("port", path.port.map(Port::word).into()),
                ("to_label", path.to_label.clone().into()),
            ]),
            Item::Endpoint(endpoint) => document::endpoint(endpoint),
            Item::Slice(label, slice) => {
                let exits = slice.exits.iter().map(|exit| document::exit(exit));
                Value::map([
                    ("label", Value::Text((*label).clone())),
                    ("entry", Value::Text(slice.entry.clone())),
                    ("nodes", Value::list(slice.nodes.iter().map(|node| node_value(node)))),
                    ("edges", Value::list(slice.edges.iter().map(|edge| document::edge(edge)))),
                    ("exits", Value::list(exits)),
                ])
            }
            Item::Store(name, store) => {
                let def = protocol(store).map(|protocol| protocol.def());
                let capabilities = capabilities(name, store).into_iter().map(Value::text);
                Value::map([
                    ("name", Value::Text((*name).clone())),
                    ("store_type", store.get("store_type").cloned().unwrap_or_default()),
                    ("protocol", def.map(|def| Value::from(def.word)).into()),
                    ("provider", def.map(|def| Value::from(def.provider)).into()),
                    ("capabilities", Value::list(capabilities)),
                ])
            }
        }
    }

    /// On a line, or a few.
    pub(super) fn line(&self) -> String {
        match self {
            Item::Node(found) => node_line(found.label, found.item),
            Item::Edge(found) => edge_line(found.label, found.item),
            Item::Emit(found) => match found.item {
                EmitEdge::Data { from, to, var } => format!("{}/{from} -{var}-> {to}", found.label),
                EmitEdge::Emit { from, var, target } => {
                    let var = var.as_deref().unwrap_or("null");
                    format!("{}/{from} -{var}-> platform {target}", found.label)
                }
            },
            Item::Path(label, path) => {
                let fails = path.port.is_some_and(Port::is_failure);
                match (path.nodes.split_last(), path.port, &path.to_label) {
                    (Some((last, before)), Some(port), to) if fails => {
                        let to = to
                            .as_ref()
                            .map_or(String::new(), |to| format!(" -handler-> label {to}"));
                        format!("{label}: {} -{port}-> {last}{to}", before.join(" -> "))
                    }
                    (_, Some(port), Some(to)) => {
                        format!("{label}: {} -{port}-> label {to}", path.nodes.join(" -> "))
                    }
                    _ => format!("{label}: {}", path.nodes.join(" -> ")),
                }
            }
            Item::Endpoint(endpoint) => {
                let label = endpoint.label.as_deref().unwrap_or("(none)");
                format!("{} {} -> label {label}", endpoint.method, endpoint.path)
            }
            Item::Slice(label, slice) => {
                let nodes = slice.nodes.iter().map(|node| node_line(label, node));
                let edges = slice.edges.iter().map(|edge| edge_line(label, edge));
                nodes.chain(edges).collect::<Vec<_>>().join("\n")
            }
            Item::Store(name, store) => {
                let kind = store.get("store_type").and_then(Value::as_text);
                let kind = match protocol(store) {
                    Some(protocol) => protocol.def().word,
                    None => kind.map_or("kv", |word| word),
                };
                format!("{name}  {kind}  {}", capabilities(name, store).join(" "))
            }
        }
    }
}

fn node_value(node: &Node) -> Value {
    document::node(node, Some(&graph::hash::hash_node(node)))
}

fn node_line(label: &Text, node: &Node) -> String {
    format!("{label}/{}  {}  {}", node.id, node.op.name(), draw::words(node))
}

fn edge_line(label: &Text, edge: &Edge) -> String {
    let port = edge.port.map_or("?", Port::word);
    match edge.to_kind {
        ToKind::Node => format!("{label}/{} -{port}-> {}", edge.from, edge.to),
        ToKind::Label => format!("{label}/{} -{port}-> label {}", edge.from, edge.to),
    }
}

fn in_label(label: &Text, item: Value) -> Value {
    let mut map = Map::default();
    map.insert("label".into(), Value::Text(label.clone()));
    if let Value::Map(members) = item {
        map.extend(members.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    map.into()
}
