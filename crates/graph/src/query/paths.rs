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

/// Ways from the entry to a return, to where control leaves for another label, or to where the
/// label runs out.
pub fn success_paths(label: &Label) -> Paths {
    let mut search = Search::new(label);
    search.run(|search, node| search.ends(node));
    search.found
}

/// Ways from the entry to a failure and on to what handles it; from one node where given.
pub fn error_paths(label: &Label, from: Option<&str>) -> Paths {
    let mut search = Search::new(label);
    let from = from.map(|id| search.index.find(id));
    search.run(|search, node| {
        if from.is_none_or(|from| from == Some(node)) { search.failures(node) } else { Vec::new() }
    });
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

    /// Follows every simple path, deepest first, without recursion, and notes where `ends` says
    /// that it ends. Nodes from which no end can be reached are not tried.
    fn run(&mut self, ends: impl Fn(&Self, usize) -> Vec<End>) {
        let Some(entry) = self.index.entry() else { return };
        let useful = self.leading_to(|search, node| !ends(search, node).is_empty());
        let mut stack = vec![(entry, 0)];
        while let Some((node, depth)) = stack.pop() {
            for left in self.path.drain(depth..) {
                self.on_path[left] = false;
            }
            if self.on_path[node] || !useful[node] {
                continue;
            }
            self.steps += 1;
            if self.steps > STEPS_MAX || depth >= LENGTH_MAX {
                self.found.truncated = true;
                return;
            }
            self.on_path[node] = true;
            self.path.push(node);
            for end in ends(self, node) {
                if self.found.paths.len() == PATHS_MAX {
                    self.found.truncated = true;
                    return;
                }
                let nodes = self.path.iter().chain(&end.beyond);
                let nodes = nodes.map(|node| self.label.nodes[*node].id.clone()).collect();
                self.found.paths.push(Path { nodes, port: end.port, to_label: end.to_label });
            }
            stack.extend(self.ahead(node).rev().map(|next| (next, depth + 1)));
        }
    }

    /// Where control goes from a node when nothing fails.
    fn ahead(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> {
        let succeeds =
            |edge: &usize| self.label.edges[*edge].port.is_some_and(|port| !port.is_failure());
        let edges = self.index.edge_indices_from(node).filter(succeeds);
        edges.filter_map(|edge| self.index.target(edge))
    }

    /// The nodes from which one can be reached that fits.
    fn leading_to(&self, fits: impl Fn(&Self, usize) -> bool) -> Vec<bool> {
        let count = self.label.nodes.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for node in 0..count {
            self.ahead(node).for_each(|next| before[next].push(node));
        }
        let mut leads = vec![false; count];
        let mut stack: Vec<usize> = (0..count).filter(|node| fits(self, *node)).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut leads[node], true) {
                stack.extend(&before[node]);
            }
        }
        leads
    }

    fn ends(&self, node: usize) -> Vec<End> {
        let Some(op) = self.label.nodes[node].def() else { return Vec::new() };
        let mut ends = Vec::new();
        let mut taken = Vec::new();
        for at in self.index.edge_indices_from(node) {
            let edge = &self.label.edges[at];
            let Some(port) = edge.port.filter(|port| !port.is_failure()) else { continue };
            taken.push(port);
            // The body of a loop and the branches of a fork come back.
            if edge.is_to_label() && !matches!(port, Port::Body | Port::Branch) {
                ends.push(End {
                    beyond: Vec::new(),
                    port: Some(port),
                    to_label: Some(edge.to.clone()),
                });
            }
        }
        // Without a way on the label runs out: always, or when a condition does not hold.
        let way_on = |port: Port| op.port(port).is_some() && !taken.contains(&port);
        if op.returns() || [Port::Next, Port::Else, Port::After].into_iter().any(way_on) {
            ends.push(End { beyond: Vec::new(), port: None, to_label: None });
        }
        ends
    }

    fn failures(&self, node: usize) -> Vec<End> {
        let mut ends = Vec::new();
        for at in self.index.edge_indices_from(node) {
            let port = self.label.edges[at].port;
            let Some(guard) = self.index.target(at) else { continue };
            match port {
                Some(Port::Err) => ends.push(self.handled(vec![guard], port)),
                Some(Port::Retry) => {
                    ends.push(self.handled(vec![guard], port));
                    // An `err` edge out of a guard protects the same node.
                    for at in self.index.edge_indices_from(guard) {
                        if self.label.edges[at].port == Some(Port::Err)
                            && let Some(handler) = self.index.target(at)
                        {
                            ends.push(self.handled(vec![guard, handler], Some(Port::Err)));
                        }
                    }
                }
                _ => {}
            }
        }
        ends
    }

    fn handled(&self, beyond: Vec<usize>, port: Option<Port>) -> End {
        let last = beyond.last().map(|guard| self.index.edges_from(*guard));
        let handler =
            last.and_then(|mut edges| edges.find(|edge| edge.port == Some(Port::Handler)));
        End { beyond, port, to_label: handler.map(|edge| edge.to.clone()) }
    }
}

/// How a path ends.
struct End {
    /// Nodes after the last one that control came to.
    beyond: Vec<usize>,
    port: Option<Port>,
    to_label: Option<Text>,
}
