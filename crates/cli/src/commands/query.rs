//! `quipu query`

use anyhow::{Result, anyhow, bail};
use diagnostics::nearest;
use frontends::document;
use graph::ops::Port;
use graph::query::{self, In, Path, Paths};
use graph::{Edge, EmitEdge, Graph, Label, Node};
use value::{Map, Text, Value, json};

use crate::Outcome;
use crate::args::{Query, QueryName};
use crate::load::{Strictness, load, unreadable};
use crate::output;

/// What a question found.
struct Answer {
    items: Vec<Value>,
    truncated: bool,
}

pub(crate) fn run(arguments: &Query) -> Result<Outcome> {
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let Some(graph) = &loaded.graph else {
        return unreadable(&loaded, arguments.format.is_json());
    };
    let answer = ask(graph, arguments)?;
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("query", name(arguments.name).into()),
            ("items", Value::list(answer.items)),
            ("truncated", answer.truncated.into()),
        ]))?;
    } else {
        for item in &answer.items {
            output::print(&json::compact(item))?;
        }
        if answer.truncated {
            output::note("there are more; the list was cut");
        }
        if answer.items.is_empty() {
            output::note("nothing found");
        }
    }
    Ok(Outcome::Fine)
}

fn name(name: QueryName) -> String {
    use clap::ValueEnum;
    name.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}

fn ask(graph: &Graph, arguments: &Query) -> Result<Answer> {
    let labels = labels(graph, arguments)?;
    let all = |items: Vec<Value>| Ok(Answer { items, truncated: false });
    match arguments.name {
        QueryName::LabelNodes => all(query::label_nodes(graph, &labels).map(node).collect()),
        QueryName::LabelEdges => all(query::label_edges(graph, &labels).map(edge).collect()),
        QueryName::EmitEdges => all(query::emit_edges(graph, &labels).map(emit_edge).collect()),
        QueryName::DataFlowEdges => {
            all(query::data_flow_edges(graph, &labels).map(emit_edge).collect())
        }
        QueryName::MemoryNodes => {
            let kind = arguments.memory_type.as_deref();
            all(query::memory_nodes(graph, &labels, kind).map(node).collect())
        }
        QueryName::IoNodes => all(query::io_nodes(graph, &labels).map(node).collect()),
        QueryName::ExitNodes => all(query::exit_nodes(graph, &labels).map(node).collect()),
        QueryName::NodesUsingAdapter => {
            let prefix = arguments.prefix.as_deref();
            let prefix =
                prefix.ok_or_else(|| anyhow!("say which adapter, for example `--prefix db`"))?;
            all(query::nodes_using_adapter(graph, &labels, prefix).map(node).collect())
        }
        QueryName::Successors | QueryName::Predecessors => {
            let (found, id) = one_node(graph, arguments)?;
            let port = port(arguments)?;
            let of = |item: &Edge| edge(In { label: found.label, item });
            all(match arguments.name {
                QueryName::Successors => query::successors(found.item, id, port).map(of).collect(),
                _ => query::predecessors(found.item, id, port).map(of).collect(),
            })
        }
        QueryName::SuccessPaths => Ok(paths(graph, &labels, query::success_paths)),
        QueryName::ErrorPaths => {
            if let Some(id) = &arguments.node {
                one_node(graph, arguments)?;
                return Ok(paths(graph, &labels, |label| query::error_paths(label, Some(id))));
            }
            Ok(paths(graph, &labels, |label| query::error_paths(label, None)))
        }
        QueryName::Endpoints | QueryName::EndpointLabel => {
            if arguments.name == QueryName::EndpointLabel && arguments.path.is_none() {
                bail!("say which endpoint, for example `--path /users --method GET`");
            }
            let (path, method) = (arguments.path.as_deref(), arguments.method.as_deref());
            all(query::endpoints(graph, path, method).map(document::endpoint).collect())
        }
        QueryName::Slice => {
            let (found, id) = one_node(graph, arguments)?;
            let slice = query::slice(found.item, id, arguments.depth);
            all(slice.map(|slice| slice_value(found.label, &slice)).into_iter().collect())
        }
    }
}

/// The labels asked for, which must exist.
fn labels(graph: &Graph, arguments: &Query) -> Result<Vec<Text>> {
    let find = |id: &String| match graph.labels.get_key_value(id.as_str()) {
        Some((id, _)) => Ok(id.clone()),
        None => match nearest(id, graph.labels.keys().map(|id| &**id)) {
            Some(near) => Err(anyhow!("there is no label `{id}`; did you mean `{near}`?")),
            None => Err(anyhow!("there is no label `{id}`")),
        },
    };
    arguments.label.iter().map(find).collect()
}

/// The one node that a question is about. A graph of one label needs no `--label`.
fn one_node<'a>(graph: &'a Graph, arguments: &'a Query) -> Result<(In<'a, &'a Label>, &'a str)> {
    let labels = query::labels(graph, &labels(graph, arguments)?);
    let [found] = labels.as_slice() else { bail!("say which label, for example `--label 1`") };
    let id = arguments
        .node
        .as_deref()
        .ok_or_else(|| anyhow!("say which node, for example `--node n1`"))?;
    if found.item.index_of(id).is_none() {
        bail!("label `{}` has no node `{id}`", found.label);
    }
    Ok((*found, id))
}

fn port(arguments: &Query) -> Result<Option<Port>> {
    let Some(word) = &arguments.port else { return Ok(None) };
    match Port::find(word) {
        Some(port) => Ok(Some(port)),
        None => {
            bail!("`{word}` is no port; the ports are {}", Port::ALL.map(Port::word).join(", "))
        }
    }
}

fn paths(graph: &Graph, labels: &[Text], find: impl Fn(&Label) -> Paths) -> Answer {
    let mut answer = Answer { items: Vec::new(), truncated: false };
    for found in query::labels(graph, labels) {
        let paths = find(found.item);
        answer.truncated |= paths.truncated;
        answer.items.extend(paths.paths.iter().map(|path| path_value(found.label, path)));
    }
    answer
}

fn path_value(label: &Text, path: &Path) -> Value {
    Value::map([
        ("label", Value::Text(label.clone())),
        ("path", Value::list(path.nodes.iter().cloned().map(Value::Text))),
        ("port", path.port.map(Port::word).into()),
        ("to_label", path.to_label.clone().into()),
    ])
}

fn slice_value(label: &Text, slice: &query::Slice<'_>) -> Value {
    let exits = slice.exits.iter().map(|exit| {
        Value::map([("node", Value::Text(exit.node.clone())), ("var", exit.var.clone().into())])
    });
    Value::map([
        ("label", Value::Text(label.clone())),
        ("entry", Value::Text(slice.entry.clone())),
        ("nodes", Value::list(slice.nodes.iter().map(|node| document::node(node, None)))),
        ("edges", Value::list(slice.edges.iter().map(|edge| document::edge(edge)))),
        ("exits", Value::list(exits)),
    ])
}

fn node(found: In<'_, &Node>) -> Value {
    let hash = graph::hash::hash_node(found.item);
    in_label(found.label, document::node(found.item, Some(&hash)))
}

fn edge(found: In<'_, &Edge>) -> Value {
    in_label(found.label, document::edge(found.item))
}

fn emit_edge(found: In<'_, &EmitEdge>) -> Value {
    in_label(found.label, document::emit_edge(found.item))
}

fn in_label(label: &Text, item: Value) -> Value {
    let mut map = Map::default();
    map.insert("label".into(), Value::Text(label.clone()));
    if let Value::Map(members) = item {
        map.extend(members.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    map.into()
}
