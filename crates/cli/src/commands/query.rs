//! `quipu query`

use anyhow::{Result, anyhow, bail};
use graph::ops::Port;
use graph::query::{self, In, Paths};
use graph::{Edge, Graph, Kind, Label};
use value::{Text, Value};

use super::no_label;
use super::query_item::Item;
use crate::Outcome;
use crate::args::{Query, QueryName};
use crate::load::{Strictness, load, unreadable};
use crate::output;

/// What a question found.
struct Answer<'a> {
    items: Vec<Item<'a>>,
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
            ("query", output::word(arguments.name).into()),
            ("items", Value::list(answer.items.iter().map(Item::value))),
            ("truncated", answer.truncated.into()),
        ]))?;
    } else if answer.items.is_empty() {
        output::note("nothing found");
    } else {
        let lines: Vec<String> = answer.items.iter().map(Item::line).collect();
        output::print(&lines.join("\n"))?;
    }
    if answer.truncated {
        output::note("there are more; the list was cut");
    }
    Ok(Outcome::Fine)
}

fn ask<'a>(graph: &'a Graph, arguments: &'a Query) -> Result<Answer<'a>> {
    let labels = labels(graph, arguments)?;
    let items: Vec<Item<'a>> = match arguments.name {
        QueryName::LabelNodes => query::label_nodes(graph, &labels).map(Item::Node).collect(),
        QueryName::LabelEdges => {
            let port = port(arguments)?;
            let fits = |found: &In<'_, &Edge>| port.is_none() || found.item.port == port;
            query::label_edges(graph, &labels).filter(fits).map(Item::Edge).collect()
        }
        QueryName::EmitEdges => query::emit_edges(graph, &labels).map(Item::Emit).collect(),
        QueryName::DataFlowEdges => {
            query::data_flow_edges(graph, &labels).map(Item::Emit).collect()
        }
        QueryName::MemoryNodes => {
            let kind = arguments.memory_type.as_deref();
            query::memory_nodes(graph, &labels, kind).map(Item::Node).collect()
        }
        QueryName::IoNodes => query::io_nodes(graph, &labels).map(Item::Node).collect(),
        QueryName::ExitNodes => query::exit_nodes(graph, &labels).map(Item::Node).collect(),
        QueryName::NodesUsingAdapter => {
            let prefix = arguments.prefix.as_deref();
            let prefix =
                prefix.ok_or_else(|| anyhow!("say which adapter, for example `--prefix db`"))?;
            query::nodes_using_adapter(graph, &labels, prefix).map(Item::Node).collect()
        }
        QueryName::Successors | QueryName::Predecessors => {
            let (found, id) = one_node(graph, arguments)?;
            let port = port(arguments)?;
            let of = |item: &'a Edge| Item::Edge(In { label: found.label, item });
            match arguments.name {
                QueryName::Successors => query::successors(found.item, id, port).map(of).collect(),
                _ => query::predecessors(found.item, id, port).map(of).collect(),
            }
        }
        QueryName::SuccessPaths => return Ok(paths(graph, &labels, query::success_paths)),
        QueryName::ErrorPaths => {
            let from = arguments.node.as_deref();
            if from.is_some() {
                one_node(graph, arguments)?;
            }
            return Ok(paths(graph, &labels, |label| query::error_paths(label, from)));
        }
        QueryName::Endpoints | QueryName::EndpointLabel => {
            if arguments.name == QueryName::EndpointLabel && arguments.path.is_none() {
                bail!("say which endpoint, for example `--path /users --method GET`");
            }
            let (path, method) = (arguments.path.as_deref(), arguments.method.as_deref());
            query::endpoints(graph, path, method).map(Item::Endpoint).collect()
        }
        QueryName::Slice => {
            let (found, id) = one_node(graph, arguments)?;
            let slice = query::slice(found.item, id, arguments.depth);
            slice.map(|slice| Item::Slice(found.label, slice)).into_iter().collect()
        }
        QueryName::Stores => {
            let stores = graph.declarations.of(Kind::Stores).iter();
            stores.map(|(name, store)| Item::Store(name, store)).collect()
        }
    };
    Ok(Answer { items, truncated: false })
}

/// The labels asked for, which must exist.
fn labels(graph: &Graph, arguments: &Query) -> Result<Vec<Text>> {
    let find = |id: &String| match graph.labels.get_key_value(id.as_str()) {
        Some((id, _)) => Ok(id.clone()),
        None => Err(no_label(graph, id)),
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

fn paths<'a>(graph: &'a Graph, labels: &[Text], find: impl Fn(&Label) -> Paths) -> Answer<'a> {
    let mut answer = Answer { items: Vec::new(), truncated: false };
    for found in query::labels(graph, labels) {
        let paths = find(found.item);
        answer.truncated |= paths.truncated;
        answer.items.extend(paths.paths.into_iter().map(|path| Item::Path(found.label, path)));
    }
    answer
}
