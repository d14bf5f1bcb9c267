//! Makes a failing case small: takes labels, nodes, edges, inputs and declarations away for as
//! long as it still fails and is still a graph without errors.

use std::collections::BTreeSet;

use graph::Graph;
use graph::ops::Port;
use value::{Map, Text, Value, json};

use super::{graphs, read};

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Case {
    /// The graph.
    pub document: Value,
    /// What it is given.
    pub inputs: Map,
}

impl Case {
    /// The one that a seed gives.
    pub fn of_seed(seed: u64, size: usize) -> Case {
        Case { document: graphs::document(seed, size), inputs: graphs::inputs(seed) }
    }

    /// As a file under `crates/sim/cases/`: the world's seed is part of the case.
    pub fn to_file(&self, seed: u64) -> String {
        let members = [
            ("seed", Value::text(seed.to_string())),
            ("inputs", self.inputs.clone().into()),
            ("document", self.document.clone()),
        ];
        json::pretty(&Value::map(members)) + "\n"
    }

    /// Reads such a file: the case, and the world's seed.
    pub fn of_file(text: &str) -> Option<(Case, u64)> {
        let file = json::parse(text).ok()?;
        let seed = file.get("seed")?.as_text()?.parse().ok()?;
        let inputs = file.get("inputs")?.as_map()?.clone();
        Some((Case { document: file.get("document")?.clone(), inputs }, seed))
    }
}

/// The smallest failing size of a seed, then the smallest case that can be made of it.
pub fn shrink_seed(seed: u64, size: usize, fails: &dyn Fn(&Graph, &Map) -> bool) -> Case {
    let fails_at = |size: &usize| {
        let case = Case::of_seed(seed, *size);
        read(&case.document).is_ok_and(|graph| fails(&graph, &case.inputs))
    };
    let size = (1..size).find(fails_at).unwrap_or(size);
    shrink(Case::of_seed(seed, size), fails)
}

/// The smallest case that can be made of a failing one, one change at a time.
pub fn shrink(case: Case, fails: &dyn Fn(&Graph, &Map) -> bool) -> Case {
    let still_fails =
        |case: &Case| read(&case.document).is_ok_and(|graph| fails(&graph, &case.inputs));
    let mut smallest = case;
    while let Some(smaller) = smaller(&smallest).into_iter().find(&still_fails) {
        smallest = smaller;
    }
    smallest
}

/// Everything that is one change smaller, the largest changes first.
fn smaller(case: &Case) -> Vec<Case> {
    let sheet = Sheet::read(&case.document);
    let labels = 0..sheet.labels.len();
    let nodes: Vec<(usize, usize)> = labels
        .clone()
        .flat_map(|label| (0..sheet.labels[label].nodes.len()).map(move |node| (label, node)))
        .collect();
    let edges: Vec<(usize, usize)> = labels
        .clone()
        .flat_map(|label| (0..sheet.labels[label].edges.len()).map(move |edge| (label, edge)))
        .collect();
    let mut all: Vec<Case> = Vec::new();
    let mut add = |sheet: Option<Sheet>| {
        let document = sheet.map(|sheet| sheet.pruned().document());
        all.extend(document.map(|document| Case { document, inputs: case.inputs.clone() }));
    };
    labels.for_each(|label| add(sheet.without_label(label)));
    nodes.iter().for_each(|(label, node)| add(sheet.without_node(*label, *node)));
    edges.iter().for_each(|(label, edge)| add(sheet.without_edge(*label, *edge)));
    for name in case.inputs.keys() {
        let mut fewer = case.clone();
        fewer.inputs.remove(name);
        all.push(fewer);
    }
    all.extend(fewer_declarations(case));
    all
}

fn fewer_declarations(case: &Case) -> Vec<Case> {
    let Some(Value::Map(kinds)) = case.document.get("declarations") else { return Vec::new() };
    let mut all = Vec::new();
    for (kind, named) in kinds.iter() {
        for name in named.as_map().into_iter().flat_map(Map::keys) {
            let mut named = named.as_map().cloned().unwrap_or_default();
            named.remove(name);
            let mut kinds = (**kinds).clone();
            kinds.insert(kind.clone(), named.into());
            let mut document = case.document.as_map().cloned().unwrap_or_default();
            document.insert("declarations".into(), kinds.into());
            all.push(Case { document: document.into(), inputs: case.inputs.clone() });
        }
    }
    all
}

#[derive(Clone, Debug, PartialEq)]
enum To {
    Node(usize),
    Label(Text),
}

#[derive(Clone, Debug)]
struct Way {
    from: usize,
    port: Port,
    to: To,
}

#[derive(Clone, Debug)]
struct Label {
    name: Text,
    nodes: Vec<Map>,
    edges: Vec<Way>,
    entry: usize,
}

/// A document with places instead of ids, so that nodes can be taken out.
#[derive(Clone, Debug)]
struct Sheet {
    labels: Vec<Label>,
    rest: Map,
}

impl Sheet {
    fn read(document: &Value) -> Sheet {
        let mut rest = document.as_map().cloned().unwrap_or_default();
        let labels = rest.remove("labels").unwrap_or_default();
        let labels = labels.as_map().into_iter().flat_map(|labels| labels.iter());
        Sheet {
            labels: labels.filter_map(|(name, label)| Label::read(name, label)).collect(),
            rest,
        }
    }

    fn document(self) -> Value {
        let labels: Map =
            self.labels.into_iter().map(|label| (label.name.clone(), label.written())).collect();
        let mut document = Map::default();
        document.insert("labels".into(), labels.into());
        document.extend(self.rest);
        document.into()
    }

    fn without_label(&self, at: usize) -> Option<Sheet> {
        if self.labels.len() == 1 {
            return None;
        }
        let mut sheet = self.clone();
        let gone = sheet.labels.remove(at).name;
        for label in &mut sheet.labels {
            label.edges.retain(|edge| edge.to != To::Label(gone.clone()));
        }
        Some(sheet)
    }

    fn without_node(&self, label: usize, node: usize) -> Option<Sheet> {
        let mut sheet = self.clone();
        sheet.labels[label].bypass(node)?;
        Some(sheet)
    }

    fn without_edge(&self, label: usize, edge: usize) -> Option<Sheet> {
        let mut sheet = self.clone();
        sheet.labels[label].edges.remove(edge);
        Some(sheet)
    }

    /// Without nodes and labels that nothing leads to any more.
    fn pruned(mut self) -> Sheet {
        self.labels.iter_mut().for_each(Label::prune);
        let Some(first) = self.labels.first() else { return self };
        let mut reached: BTreeSet<Text> = BTreeSet::from([first.name.clone()]);
        let mut stack = vec![first.name.clone()];
        while let Some(name) = stack.pop() {
            let Some(label) = self.labels.iter().find(|label| label.name == name) else { continue };
            for to in label.leads_to() {
                if reached.insert(to.clone()) {
                    stack.push(to);
                }
            }
        }
        self.labels.retain(|label| reached.contains(&label.name));
        self
    }
}

impl Label {
    fn read(name: &Text, label: &Value) -> Option<Label> {
        let nodes = label.get("nodes")?.as_list()?;
        let place = |id: &Value| nodes.iter().position(|node| node.get("id") == Some(id));
        let edges = label.get("edges").and_then(Value::as_list).unwrap_or_default();
        let edges = edges.iter().filter_map(|edge| {
            let to = match edge.get("to_kind")?.as_text()?.as_ref() {
                "label" => To::Label(edge.get("to")?.as_text()?.clone()),
                _ => To::Node(place(edge.get("to")?)?),
            };
            Some(Way {
                from: place(edge.get("from")?)?,
                port: Port::find(edge.get("port")?.as_text()?)?,
                to,
            })
        });
        Some(Label {
            name: name.clone(),
            edges: edges.collect(),
            entry: label.get("entry").and_then(place).unwrap_or(0),
            nodes: nodes.iter().filter_map(|node| node.as_map().cloned()).collect(),
        })
    }

    fn written(self) -> Value {
        let id = |at: usize| format!("n{}", at + 1);
        let nodes = self.nodes.into_iter().enumerate().map(|(at, mut node)| {
            node.insert("id".into(), id(at).into());
            Value::from(node)
        });
        let edges = self.edges.into_iter().map(|edge| {
            let (to, kind) = match edge.to {
                To::Node(at) => (id(at), "node"),
                To::Label(name) => (name.to_string(), "label"),
            };
            let members = [
                ("from", Value::text(id(edge.from))),
                ("to", Value::text(to)),
                ("to_kind", kind.into()),
                ("port", edge.port.word().into()),
            ];
            Value::map(members)
        });
        Value::map([
            ("nodes", Value::list(nodes)),
            ("edges", Value::list(edges)),
            ("entry", Value::text(id(self.entry))),
        ])
    }

    /// Leads whatever led to a node to where it went on.
    fn bypass(&mut self, node: usize) -> Option<()> {
        let way_on = self.edges.iter().find(|edge| {
            edge.from == node
                && !edge.port.is_failure()
                && !matches!(edge.port, Port::Branch | Port::Body)
        });
        let way_on = way_on.map(|edge| edge.to.clone());
        if self.entry == node {
            let Some(To::Node(next)) = way_on else { return None };
            self.entry = next;
        }
        self.edges.retain(|edge| edge.from != node);
        self.edges.retain_mut(|edge| {
            if edge.to != To::Node(node) {
                return true;
            }
            match &way_on {
                Some(to) if !edge.port.is_failure() => edge.to = to.clone(),
                _ => return false,
            }
            true
        });
        Some(())
    }

    fn prune(&mut self) {
        let mut reached = BTreeSet::from([self.entry]);
        let mut stack = vec![self.entry];
        while let Some(from) = stack.pop() {
            for edge in self.edges.iter().filter(|edge| edge.from == from) {
                if let To::Node(to) = edge.to
                    && reached.insert(to)
                {
                    stack.push(to);
                }
            }
        }
        let place = |at: &usize| reached.range(..at).count();
        self.edges.retain(|edge| reached.contains(&edge.from));
        for edge in &mut self.edges {
            edge.from = place(&edge.from);
            if let To::Node(to) = &mut edge.to {
                *to = place(to);
            }
        }
        self.entry = place(&self.entry);
        let mut at = 0;
        self.nodes.retain(|_| {
            at += 1;
            reached.contains(&(at - 1))
        });
    }

    /// The labels that its edges lead to, and that its nodes call.
    fn leads_to(&self) -> Vec<Text> {
        let by_edges = self.edges.iter().filter_map(|edge| match &edge.to {
            To::Label(name) => Some(name.clone()),
            To::Node(_) => None,
        });
        let called = self.nodes.iter().filter_map(|node| {
            node.get("operands")?.get("label")?.get("label")?.as_text().cloned()
        });
        by_edges.chain(called).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Limits, Status, World, naive};

    /// The smallest graph that goes too deep is one label that calls itself.
    #[test]
    fn a_failing_run_shrinks_to_what_fails() {
        let ends = |seed: u64, graph: &Graph, inputs: &Map| {
            let limits = Limits::default();
            naive::run(graph, inputs, &mut World::seeded(seed), &limits).status
        };
        let fails = |seed, graph: &Graph, inputs: &Map| {
            ends(seed, graph, inputs) == Status::Failed("depth_exceeded".into())
        };
        let seed = (0..)
            .find(|seed| {
                let case = Case::of_seed(*seed, 25);
                fails(*seed, &read(&case.document).unwrap(), &case.inputs)
            })
            .unwrap();
        let small = shrink_seed(seed, 25, &|graph, inputs| fails(seed, graph, inputs));
        let graph = read(&small.document).unwrap();
        assert!(fails(seed, &graph, &small.inputs));
        let nodes: usize = graph.labels.values().map(|label| label.nodes.len()).sum();
        assert!(nodes <= 3, "{}", small.to_file(seed));
        assert!(small.inputs.is_empty());
        let (again, world) = Case::of_file(&small.to_file(seed)).unwrap();
        assert_eq!((again.document, world), (small.document, seed));
    }
}
