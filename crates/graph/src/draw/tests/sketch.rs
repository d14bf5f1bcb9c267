//! Graphs in a few lines, for tests.
//!
//! ```text
//! = 1 POST /orders          a label, and the endpoint that runs it
//! n1 R {"adapter": "a.b"}   a node
//! + n2 If {"cond": "x"}     a node that `next` leads to from the one before
//! n2 then> n3               an edge to a node
//! n2 else>> 2               an edge to a label
//! ```

use std::sync::Arc;

use value::{Map, Text, Value};

use crate::draft::{Draft, DraftEdge, DraftLabel, DraftNode};
use crate::ops::Port;
use crate::{Endpoint, Graph, ToKind};

/// Reads a sketch.
pub(crate) fn graph(text: &str) -> Graph {
    let mut draft = Draft::default();
    let mut current = Text::from("");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("= ") {
            let mut words = heading.splitn(3, ' ');
            let id: Text = words.next().unwrap_or_default().into();
            if let (Some(method), Some(path)) = (words.next(), words.next()) {
                draft.endpoints.push(Endpoint {
                    path: path.into(),
                    method: method.into(),
                    label: Some(id.clone()),
                    members: Arc::new(Map::default()),
                });
            }
            draft.labels.insert(id.clone(), DraftLabel::default());
            current = id;
            continue;
        }
        let label = draft.labels.get_mut(&current).expect("a label comes first");
        if let Some((from, port, to, to_kind)) = edge(line) {
            let port = Port::find(port);
            connect(label, from, to, port, to_kind);
            continue;
        }
        let (chained, line) = line.strip_prefix("+ ").map_or((false, line), |line| (true, line));
        let mut words = line.splitn(3, ' ');
        let id = words.next().unwrap_or_default();
        let op = words.next().map(Text::from);
        let data = value::json::parse(words.next().unwrap_or("{}")).expect("data is JSON");
        let Value::Map(data) = data else { panic!("data is an object") };
        let before = label.nodes.last().and_then(|node| node.id.clone());
        if let (true, Some(before)) = (chained, before) {
            connect(label, &before, id, Some(Port::Next), ToKind::Node);
        }
        let at = u32::try_from(label.nodes.len()).expect("a test is small");
        let id = Some(id.into());
        label.nodes.push(DraftNode { at, id, op, data: Some(data), ..DraftNode::default() });
    }
    crate::normalize(draft, &mut Vec::new())
}

fn edge(line: &str) -> Option<(&str, &str, &str, ToKind)> {
    let mut words = line.split(' ');
    let (from, port, to) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    match port.strip_suffix(">>") {
        Some(port) => Some((from, port, to, ToKind::Label)),
        None => Some((from, port.strip_suffix('>')?, to, ToKind::Node)),
    }
}

fn connect(label: &mut DraftLabel, from: &str, to: &str, port: Option<Port>, to_kind: ToKind) {
    label.edges.push(DraftEdge {
        at: u32::try_from(label.edges.len()).expect("a test is small"),
        from: Some(from.into()),
        to: Some(to.into()),
        to_kind: Some(to_kind),
        port,
        ..DraftEdge::default()
    });
}
