//! Paths through a label. There can be exponentially many, so every search is bounded and says
//! when it was cut.

use value::Text;

use crate::index::Index;
use crate::model::Label;
use crate::ops::Port;

/// A way through a label.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The nodes, in order.
    pub nodes: Vec<Text>,
    /// The port of the last step, where it leaves the label or is a failure.
    pub port: Option<Port>,
    /// The label it goes on in.
    pub to_label: Option<Text>,
}

/// The ways that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// In depth-first order, edges in document order.
    pub paths: Vec<Path>,
    /// Whether there may be more.
    pub truncated: bool,
}

/// How many paths are listed, how many steps are tried, and how long one may be.
const PATHS_MAX: usize = 200;
const STEPS_MAX: usize = 100_000;
const LENGTH_MAX: usize = 10_000;

/// Ways from the entry to a return, or to where control leaves for another label.
pub fn success_paths(label: &Label) -> Paths {
    let mut search = Search::new(label);
    if let Some(entry) = search.index.entry() {
        search.run(entry, |search, node| search.end_here(node));
    }
    search.found
}

/// Ways from the entry to a failure and on to what handles it; from one node where given.
pub fn error_paths(label: &Label, from: Option<&str>) -> Paths {
    let mut search = Search::new(label);
    if let Some(entry) = search.index.entry() {
        let from = from.map(|id| search.index.find(id));
        search.run(entry, |search, node| {
            if from.is_none_or(|from| from == Some(node)) {
                search.failures(node);
            }
        });
    }
    search.found
}

struct Search<'a> {
    label: &'a Label,
    index: Index<'a>,
    on_path: Vec<bool>,
    path: Vec<usize>,
    found: Paths,
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(label: &'a Label) -> Search<'a> {
        let on_path = vec![false; label.nodes.len()];
        let index = Index::new(label);
        Search { label, index, on_path, path: Vec::new(), found: Paths::default(), steps: 0 }
    }

    /// Visits every node on every simple path, deepest first, without recursion.
    fn run(&mut self, entry: usize, mut visit: impl FnMut(&mut Self, usize)) {
        let mut stack = vec![(entry, 0)];
        while let Some((node, depth)) = stack.pop() {
            for left in self.path.drain(depth..) {
                self.on_path[left] = false;
            }
            if self.on_path[node] {
                continue;
            }
            self.steps += 1;
            if self.found.paths.len() >= PATHS_MAX || self.steps > STEPS_MAX || depth >= LENGTH_MAX
            {
                self.found.truncated = true;
                return;
            }
            self.on_path[node] = true;
            self.path.push(node);
            visit(self, node);
            let ahead =
                self.index.edge_indices_from(node).rev().filter(|edge| {
                    self.label.edges[*edge].port.is_some_and(|port| !port.is_failure())
                });
            stack.extend(
                ahead.filter_map(|edge| self.index.target(edge)).map(|next| (next, depth + 1)),
            );
        }
    }

    fn end_here(&mut self, node: usize) {
        if self.label.nodes[node].def().is_some_and(|op| op.returns()) {
            self.add(&[], None, None);
        }
        let edges: Vec<usize> = self.index.edge_indices_from(node).collect();
        for edge in edges.into_iter().map(|edge| &self.label.edges[edge]) {
            // The body of a loop comes back.
            let leaves = edge.port.is_some_and(|port| !port.is_failure() && port != Port::Body);
            if edge.is_to_label() && leaves {
                self.add(&[], edge.port, Some(edge.to.clone()));
            }
        }
    }

    fn failures(&mut self, node: usize) {
        let edges: Vec<usize> = self.index.edge_indices_from(node).collect();
        for edge in edges {
            let port = self.label.edges[edge].port;
            if !matches!(port, Some(Port::Err | Port::Retry)) {
                continue;
            }
            let Some(guard) = self.index.target(edge) else { continue };
            let handler =
                self.index.edges_from(guard).find(|edge| edge.port == Some(Port::Handler));
            let handler = handler.map(|edge| edge.to.clone());
            self.add(&[guard], port, handler);
        }
    }

    fn add(&mut self, beyond: &[usize], port: Option<Port>, to_label: Option<Text>) {
        if self.found.paths.len() >= PATHS_MAX {
            self.found.truncated = true;
            return;
        }
        let nodes = self.path.iter().chain(beyond);
        let nodes = nodes.map(|node| self.label.nodes[*node].id.clone()).collect();
        self.found.paths.push(Path { nodes, port, to_label });
    }
}
