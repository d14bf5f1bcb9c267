//! One flow graph over all labels. Every question about paths is asked of it, so that what an
//! edge means is decided here and nowhere else.
//!
//! An edge to a label leads to the label's entry. A call and the body of a loop are entered, and
//! control goes on behind the node all the same. A guard is no place that control passes on its
//! own: what it protects leads to its handler, and so does what follows an `Err` that is passed.

use graph::ops::{OpDef, Port, Runs, SlotKind};
use graph::{Graph, IN_LABELS, Index, Kind, Label, Node, Operand, RECOVERIES, Verb};
use value::{Text, Value};

use crate::table::Table;

/// The place of a node among all nodes of the graph.
pub(crate) type NodeId = u32;

/// How control comes from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It goes on there, and does not come back.
    On,
    /// It comes back: a call, or the body of a loop.
    Enter,
    /// It goes there beside others, while the fork waits.
    Branch,
    /// It goes there when the node fails, before the node has written anything.
    Fail,
}

/// A way out of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    /// Where it leads.
    pub(crate) to: NodeId,
    /// By which port.
    pub(crate) port: Port,
    /// In which manner.
    pub(crate) way: Way,
}

/// A label with the places of its nodes.
pub(crate) struct LabelAt<'g> {
    /// Its name.
    pub(crate) id: &'g Text,
    /// The label.
    pub(crate) label: &'g Label,
    /// Its first node; the others follow it.
    pub(crate) first: NodeId,
    /// Where it begins; nothing where it has no nodes.
    pub(crate) entry: Option<NodeId>,
}

/// All nodes, the ways between them, and what can be reached.
pub(crate) struct Flow<'g> {
    /// The graph it was made of.
    pub(crate) graph: &'g Graph,
    /// All labels, in document order.
    pub(crate) labels: Vec<LabelAt<'g>>,
    /// Where a run begins.
    pub(crate) roots: Vec<NodeId>,
    /// Where control can come by ways that no edge shows: handlers, fallbacks, messages.
    pub(crate) side_roots: Vec<NodeId>,
    /// Nodes that a run can come to from its roots, each before what follows it (loops aside).
    pub(crate) order: Vec<NodeId>,
    /// Whether a node is in `order`.
    pub(crate) is_run: Vec<bool>,
    /// Whether anything leads to a node, side roots included.
    pub(crate) is_reached: Vec<bool>,
    /// Whether the label may end at a node: it returns there, or there is no way on.
    pub(crate) is_end: Vec<bool>,
    /// Whether it may end there because a way on is missing, and not lost: without a value.
    pub(crate) runs_out: Vec<bool>,
    /// Whether any node calls a label.
    pub(crate) has_calls: bool,
    /// Whether the document says where runs begin: an entry, an endpoint or a cron.
    pub(crate) has_ways_in: bool,
    /// For each label whether it only stands for what a process does.
    is_open: Vec<bool>,
    nodes: Vec<(u32, &'g Node)>,
    by_id: Table<'g>,
    out: Vec<Arc>,
    out_starts: Vec<u32>,
    into: Vec<(NodeId, Way)>,
    into_starts: Vec<u32>,
}

impl<'g> Flow<'g> {
    /// Builds it, in about linear time.
    pub(crate) fn new(graph: &'g Graph) -> Flow<'g> {
        let mut flow = Flow {
            graph,
            labels: Vec::with_capacity(graph.labels.len()),
            roots: Vec::new(),
            side_roots: Vec::new(),
            order: Vec::new(),
            is_run: Vec::new(),
            is_reached: Vec::new(),
            is_end: Vec::new(),
            runs_out: Vec::new(),
            has_calls: false,
            has_ways_in: false,
            is_open: Vec::new(),
            nodes: Vec::new(),
            by_id: Table::new(graph.labels.len()),
            out: Vec::new(),
            out_starts: vec![0],
            into: Vec::new(),
            into_starts: Vec::new(),
        };
        let indices: Vec<Index<'g>> = graph.labels.values().map(Index::new).collect();
        for ((id, label), index) in graph.labels.iter().zip(&indices) {
            let first = flow.nodes.len() as NodeId;
            let at = flow.labels.len() as u32;
            flow.by_id.add(id);
            flow.nodes.extend(label.nodes.iter().map(|node| (at, node)));
            let entry = index.entry().map(|entry| first + entry as NodeId);
            flow.labels.push(LabelAt { id, label, first, entry });
            let process = graph.declarations.of(Kind::Processes).get(id);
            let kind = process.and_then(|process| process.get("type")?.as_text());
            let says_all = ["step", "gate", "checkpoint"];
            flow.is_open.push(kind.is_some_and(|kind| !says_all.contains(&&**kind)));
        }
        for (at, index) in indices.iter().enumerate() {
            let passed = graph::passed(flow.labels[at].label, index);
            for (position, passed) in passed.into_iter().enumerate() {
                flow.add_ways_out(at, index, position, passed);
            }
        }
        flow.has_calls = flow.out.iter().any(|arc| arc.way == Way::Enter);
        flow.turn_around();
        (flow.roots, flow.has_ways_in) = flow.find_roots();
        flow.side_roots = flow.find_side_roots();
        flow.walk();
        flow
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub(crate) fn node(&self, at: NodeId) -> &'g Node {
        self.nodes[at as usize].1
    }

    /// All nodes.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, &'g Node)> {
        (0..).zip(self.nodes.iter().map(|(_, node)| *node))
    }

    /// Whether a node may write names that cannot be known: logic with computed keys, and what
    /// stands for a process that no label says yet.
    pub(crate) fn is_inexact(&self, at: NodeId) -> bool {
        self.node(at).inexact || self.is_open[self.label_of(at)]
    }

    /// The label a node is in, as a place in `labels`.
    pub(crate) fn label_of(&self, at: NodeId) -> usize {
        self.nodes[at as usize].0 as usize
    }

    /// The name of the label a node is in.
    pub(crate) fn label_id(&self, at: NodeId) -> &'g Text {
        self.labels[self.label_of(at)].id
    }

    /// The label with this name, as a place in `labels`.
    pub(crate) fn find_label(&self, id: &str) -> Option<usize> {
        self.by_id.find(id).map(|at| at as usize)
    }

    /// The ways out of a node, in the order of its edges.
    pub(crate) fn out(&self, at: NodeId) -> &[Arc] {
        let at = at as usize;
        &self.out[self.out_starts[at] as usize..self.out_starts[at + 1] as usize]
    }

    /// The ways into a node: where from, and how.
    pub(crate) fn into(&self, at: NodeId) -> &[(NodeId, Way)] {
        let at = at as usize;
        &self.into[self.into_starts[at] as usize..self.into_starts[at + 1] as usize]
    }

    /// The label that a return names, as sources write it: `L2`, `->L2`. A variable may have that
    /// name as well.
    pub(crate) fn label_returned(&self, node: &Node) -> Option<usize> {
        let op = node.def().filter(|op| op.returns())?;
        let text = node.operands.text(op.slot_of(SlotKind::Value)?.name)?;
        self.find_label(text.strip_prefix("->").unwrap_or(text).strip_prefix('L')?)
    }

    /// Whether a node waits for the branches of a fork.
    pub(crate) fn joins(&self, at: NodeId) -> bool {
        self.node(at).def().is_some_and(|op| op.joins)
    }

    /// Whether a node runs a label and waits for what it returns, and that once.
    pub(crate) fn calls(&self, at: NodeId) -> bool {
        self.node(at).def().is_some_and(|op| op.slot_of(SlotKind::Callee).is_some())
    }

    /// Whether what a node binds is there for what it runs, and not behind it: an item.
    pub(crate) fn binds_inside(&self, at: NodeId) -> bool {
        let runs = |port| self.node(at).def().is_some_and(|op| op.port(port).is_some());
        runs(Port::Body) || runs(Port::Branch)
    }

    /// Whether a node asks a person.
    pub(crate) fn asks(&self, at: NodeId) -> bool {
        self.node(at).def().is_some_and(|op| op.runs == Runs::Person)
    }

    /// The id of the gate that a label is, where it is declared as one.
    pub(crate) fn gate(&self, label: usize) -> Option<Text> {
        let id = self.labels[label].id;
        let declared = self.graph.declarations.of(Kind::Processes).get(id)?;
        (&**declared.get("type")?.as_text()? == "gate").then(|| id.clone())
    }

    fn add_ways_out(
        &mut self,
        at: usize,
        index: &Index<'g>,
        position: usize,
        passed: Option<usize>,
    ) {
        let LabelAt { label, first, .. } = self.labels[at];
        let node = &label.nodes[position];
        let mut is_dangling = false;
        let start = self.out.len();
        // Nothing runs after a return, whatever edges leave it.
        let returns = node.def().is_some_and(OpDef::returns);
        for edge_at in index.edge_indices_from(position) {
            let edge = &label.edges[edge_at];
            if edge.analysis_only || returns {
                continue;
            }
            let port = edge.port.unwrap_or(Port::Next);
            if port.is_failure() {
                self.add_failure(at, index, edge_at);
                continue;
            }
            let to = match index.target(edge_at) {
                Some(target) => Some(first + target as NodeId),
                None if edge.is_to_label() => self.entry_of(&edge.to),
                None => None,
            };
            match (to, port) {
                (Some(to), Port::Body) => self.out.push(Arc { to, port, way: Way::Enter }),
                (Some(to), Port::Branch) => self.out.push(Arc { to, port, way: Way::Branch }),
                (Some(to), _) => self.out.push(Arc { to, port, way: Way::On }),
                (None, _) => is_dangling = true,
            }
        }
        if let Some(err) = passed {
            let handlers = index.edge_indices_from(err);
            handlers
                .filter(|edge| label.edges[*edge].port == Some(Port::Handler))
                .for_each(|edge| self.add_failure(at, index, edge));
        }
        let callee = node.def().and_then(|op| op.slot_of(SlotKind::Callee));
        if let Some(Operand::Label(callee)) = callee.and_then(|slot| node.operands.one(slot.name))
            && let Some(to) = self.entry_of(callee)
        {
            self.out.push(Arc { to, port: Port::Body, way: Way::Enter });
        }
        let goes = |port: Port| self.out[start..].iter().any(|arc| arc.port == port);
        let may_run_out = may_run_out(node.def(), goes);
        self.is_end.push(is_dangling || may_run_out);
        let runs_out = may_run_out && !is_dangling && !returns && node.def().is_some();
        self.runs_out.push(runs_out && node.verb() != Some(Verb::Fail));
        self.out_starts.push(self.out.len() as u32);
    }

    fn entry_of(&self, label: &str) -> Option<NodeId> {
        self.labels[self.by_id.find(label)? as usize].entry
    }

    /// The ways that a failure takes: through guards, which may be protected by others, to
    /// their handlers.
    fn add_failure(&mut self, at: usize, index: &Index<'g>, edge_at: usize) {
        // More guards than this protect nothing more.
        const GUARDS_MAX: usize = 8;
        let LabelAt { label, first, .. } = self.labels[at];
        let mut edges = vec![edge_at];
        let mut passed = 0;
        while let Some(edge_at) = edges.pop() {
            let edge = &label.edges[edge_at];
            let port = edge.port.unwrap_or(Port::Err);
            let Some(target) = index.target(edge_at) else {
                if edge.is_to_label()
                    && let Some(to) = self.entry_of(&edge.to)
                {
                    self.out.push(Arc { to, port, way: Way::Fail });
                }
                continue;
            };
            if label.nodes[target].def().and_then(OpDef::guards).is_none() {
                self.out.push(Arc { to: first + target as NodeId, port, way: Way::Fail });
                continue;
            }
            passed += 1;
            if passed <= GUARDS_MAX {
                edges.extend(index.edge_indices_from(target).filter(|next| {
                    let next = &label.edges[*next];
                    !next.analysis_only && next.port.is_some_and(Port::is_failure)
                }));
            }
        }
    }

    fn turn_around(&mut self) {
        let mut starts = vec![0u32; self.nodes.len() + 1];
        for arc in &self.out {
            starts[arc.to as usize + 1] += 1;
        }
        for at in 0..self.nodes.len() {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut into = vec![(0, Way::On); self.out.len()];
        for at in 0..self.nodes.len() as NodeId {
            for arc in self.out(at) {
                into[next[arc.to as usize] as usize] = (at, arc.way);
                next[arc.to as usize] += 1;
            }
        }
        (self.into, self.into_starts) = (into, starts);
    }

    /// The entry, and what requests and the clock run; without any of these, the labels that
    /// nothing leads to; and if there is none, the first. Says whether any of these were named.
    fn find_roots(&self) -> (Vec<NodeId>, bool) {
        let bare = |written: &'g str| -> &'g str {
            let bare = written.strip_prefix("->").unwrap_or(written);
            if self.by_id.find(bare).is_some() {
                bare
            } else {
                bare.strip_prefix('L').unwrap_or(bare)
            }
        };
        let entry = self.graph.entry().map(|id| &**id);
        let requests = self.graph.endpoints.iter().filter_map(|endpoint| endpoint.label.as_deref());
        let crons = self.graph.crons.iter().filter_map(|cron| cron.get("label")?.as_text());
        let named = entry.into_iter().chain(requests).chain(crons.map(|label| bare(label)));
        let mut roots: Vec<NodeId> = named.filter_map(|id| self.entry_of(id)).collect();
        let are_named = !roots.is_empty();
        if roots.is_empty() {
            let mut is_led_to = vec![false; self.labels.len()];
            for (at, _) in self.nodes() {
                for arc in self.out(at) {
                    is_led_to[self.label_of(arc.to)] |= self.label_of(arc.to) != self.label_of(at);
                }
            }
            // Nor does a run begin where a return should have led.
            for (_, node) in self.nodes() {
                if let Some(label) = self.label_returned(node) {
                    is_led_to[label] = true;
                }
            }
            let free = self.labels.iter().zip(is_led_to).filter(|(_, is_led_to)| !is_led_to);
            roots.extend(free.filter_map(|(label, _)| label.entry));
        }
        if roots.is_empty() {
            roots.extend(self.labels.iter().find_map(|label| label.entry));
        }
        roots.sort_unstable();
        roots.dedup();
        (roots, are_named)
    }

    fn find_side_roots(&self) -> Vec<NodeId> {
        let declared = |kind: Kind| self.graph.declarations.of(kind).values();
        let mut named: Vec<&Value> = Vec::new();
        for handler in declared(Kind::Handlers) {
            named.extend(RECOVERIES.iter().filter_map(|key| handler.get(key)));
        }
        for process in declared(Kind::Processes) {
            let keys = ["fallback", "template", "evaluation_function"];
            named.extend(keys.iter().filter_map(|key| process.get(key)));
        }
        for link in declared(Kind::Links) {
            let is = |key: &str, value: &Value| link.get(key) == Some(value);
            let only_looks = ["observe", "modify", "read", "write", "publish"];
            if only_looks.iter().any(|kind| is("type", &Value::text(*kind)))
                || is("activates", &Value::Bool(false))
                // What labels say already is in their edges.
                || (is(IN_LABELS, &Value::Bool(true)) && !is("type", &Value::text("subscribe")))
            {
                continue;
            }
            named.extend(link.get("fallback"));
            named.extend(link.get("to"));
            // A subscription is drawn either way round.
            if is("type", &Value::text("subscribe")) {
                named.extend(link.get("from"));
            }
        }
        let labels = named.into_iter().filter_map(Value::as_text);
        let mut roots: Vec<NodeId> = labels.filter_map(|id| self.entry_of(id)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Finds what can be reached, and puts what a run can reach in order.
    fn walk(&mut self) {
        let mut seen = vec![false; self.len()];
        self.order = self.backwards_from(&self.roots, &mut seen);
        self.order.reverse();
        self.is_run = seen.clone();
        self.backwards_from(&self.side_roots, &mut seen);
        self.is_reached = seen;
    }

    /// Marks what these lead to.
    pub(crate) fn mark_reached(&self, roots: &[NodeId], reached: &mut [bool]) {
        self.backwards_from(roots, reached);
    }

    /// What these lead to and nobody has seen, each node behind what follows it.
    fn backwards_from(&self, roots: &[NodeId], seen: &mut [bool]) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut stack: Vec<(NodeId, usize)> = Vec::new();
        for root in roots.iter().rev() {
            if !std::mem::replace(&mut seen[*root as usize], true) {
                stack.push((*root, 0));
            }
            while let Some((at, next)) = stack.last_mut() {
                match self.out(*at).get(*next) {
                    Some(arc) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[arc.to as usize], true) {
                            stack.push((arc.to, 0));
                        }
                    }
                    None => {
                        order.push(*at);
                        stack.pop();
                    }
                }
            }
        }
        order
    }
}

/// Whether control may come to a node and find no way on: the label ends there.
fn may_run_out(op: Option<&OpDef>, goes: impl Fn(Port) -> bool) -> bool {
    let Some(op) = op else { return true };
    // Who is asked may answer in time, and what is guarded may not fail.
    let ways = [Port::Next, Port::Then, Port::Else, Port::After];
    op.returns() || ways.into_iter().any(|port| op.port(port).is_some() && !goes(port))
}
