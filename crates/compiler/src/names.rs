//! Names as numbers, and who writes, reads and needs them.

use graph::ops::SlotKind;
use graph::{ASSUMED, Filled, Kind, Node, Operand};
use value::Text;

use crate::calls::Calls;
use crate::flow::{Flow, NodeId};
use crate::presence;
use crate::table::Table;

/// A name, as its place in the table.
pub(crate) type NameId = u32;

/// Lists of numbers, one for each number: the names of a node, the nodes of a name.
#[derive(Default)]
struct Lists {
    items: Vec<NameId>,
    starts: Vec<u32>,
}

impl Lists {
    fn of(&self, at: NodeId) -> &[NameId] {
        let at = at as usize;
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    fn end_one(&mut self) {
        self.starts.push(self.items.len() as u32);
    }
}

/// All names of a graph.
pub(crate) struct Names<'g> {
    names: Table<'g>,
    writes: Lists,
    carries: Lists,
    reads: Lists,
    needs: Lists,
    uses: Lists,
    writers: Lists,
    readers: Lists,
    carriers: Lists,
    askers: Lists,
    /// Nodes that may write any name.
    pub(crate) inexact: Vec<NodeId>,
    /// Names that a run is given, whoever says so.
    is_input: Vec<bool>,
    /// Names that are declared as given, and not only assumed to be.
    is_declared: Vec<bool>,
    /// Whether the author declares what a run is given.
    pub(crate) declares_inputs: bool,
}

impl<'g> Names<'g> {
    /// Collects them, in about linear time.
    pub(crate) fn new(flow: &Flow<'g>, calls: &Calls<'g>, table: Table<'g>) -> Names<'g> {
        let mut names = Names {
            names: table,
            writes: Lists { items: Vec::new(), starts: vec![0] },
            carries: Lists { items: Vec::new(), starts: vec![0] },
            reads: Lists { items: Vec::new(), starts: vec![0] },
            needs: Lists { items: Vec::new(), starts: vec![0] },
            uses: Lists { items: Vec::new(), starts: vec![0] },
            writers: Lists::default(),
            readers: Lists::default(),
            carriers: Lists::default(),
            askers: Lists::default(),
            inexact: Vec::new(),
            is_input: Vec::new(),
            is_declared: Vec::new(),
            declares_inputs: false,
        };
        for (at, node) in flow.nodes() {
            names.add(node);
            if flow.is_inexact(at) {
                names.inexact.push(at);
            }
            names.carries.items.extend(calls.brings(at));
            names.carries.end_one();
        }
        let inputs = flow.graph.declarations.of(Kind::Inputs);
        for name in inputs.keys() {
            names.names.add(name);
        }
        names.writers = turned(&names.writes, names.names.len());
        names.readers = turned(&names.reads, names.names.len());
        names.carriers = turned(&names.carries, names.names.len());
        let mut asked = Lists { items: Vec::new(), starts: vec![0] };
        for (at, node) in flow.nodes() {
            if has_condition(node) {
                asked.items.extend(names.reads.of(at));
            }
            asked.end_one();
        }
        names.askers = turned(&asked, names.names.len());
        names.is_input = vec![false; names.names.len()];
        names.is_declared = vec![false; names.names.len()];
        for (name, input) in inputs {
            let id = names.names.find(name).expect("it was added") as usize;
            let from = input.get("from").and_then(|from| from.as_text());
            names.is_input[id] = true;
            names.is_declared[id] = from.is_none_or(|from| &**from != ASSUMED);
            names.declares_inputs |= from.is_some_and(|from| matches!(&**from, "state" | "user"));
        }
        names
    }

    fn add(&mut self, node: &'g Node) {
        for name in &node.writes {
            let id = self.names.add(name);
            self.writes.items.push(id);
        }
        let first = self.reads.items.len();
        for name in &node.reads {
            let id = self.names.add(name);
            self.reads.items.push(id);
        }
        let read = &self.reads.items[first..];
        let id_of = |used: &Text| node.reads.iter().position(|name| name == used);
        each_use(node, |used| self.uses.items.extend(id_of(used).map(|at| read[at])));
        for name in &node.needs {
            let id = self.names.add(name);
            self.needs.items.push(id);
        }
        for lists in [&mut self.writes, &mut self.reads, &mut self.needs, &mut self.uses] {
            lists.end_one();
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Its number, if any node or input has it.
    pub(crate) fn find(&self, name: &str) -> Option<NameId> {
        self.names.find(name)
    }

    /// The name itself.
    pub(crate) fn text(&self, id: NameId) -> &'g str {
        self.names.text(id)
    }

    /// Nodes that write a name, in ascending order, as in all such lists.
    pub(crate) fn writers(&self, id: NameId) -> &[NodeId] {
        self.writers.of(id)
    }

    /// Nodes that read a name.
    pub(crate) fn readers(&self, id: NameId) -> &[NodeId] {
        self.readers.of(id)
    }

    /// Nodes that may bring a name along inside of something they write.
    pub(crate) fn carriers(&self, id: NameId) -> &[NodeId] {
        self.carriers.of(id)
    }

    /// Nodes that ask for a name in a condition.
    pub(crate) fn askers(&self, id: NameId) -> &[NodeId] {
        self.askers.of(id)
    }

    /// What a node writes.
    pub(crate) fn writes(&self, at: NodeId) -> &[NameId] {
        self.writes.of(at)
    }

    /// What a node may bring along inside of something it writes.
    pub(crate) fn carries(&self, at: NodeId) -> &[NameId] {
        self.carries.of(at)
    }

    /// What a node reads.
    pub(crate) fn reads(&self, at: NodeId) -> &[NameId] {
        self.reads.of(at)
    }

    /// What a node fails without.
    pub(crate) fn needs(&self, at: NodeId) -> &[NameId] {
        self.needs.of(at)
    }

    /// What a node takes from variables, and would silently have as null.
    pub(crate) fn uses(&self, at: NodeId) -> &[NameId] {
        self.uses.of(at)
    }

    /// Whether a run is given it, or is assumed to be.
    pub(crate) fn is_input(&self, id: NameId) -> bool {
        self.is_input[id as usize]
    }

    /// Whether the author says that a run is given it.
    pub(crate) fn is_declared(&self, id: NameId) -> bool {
        self.is_declared[id as usize]
    }

    /// Whether some node writes it.
    pub(crate) fn is_written(&self, id: NameId) -> bool {
        !self.writers(id).is_empty()
    }

    /// Names that begin so belong to whoever runs the graph.
    pub(crate) fn is_reserved(&self, id: NameId) -> bool {
        self.text(id).starts_with('_')
    }
}

/// The names of a node's variables, and those of its condition; of a condition only what it
/// does not just ask to be there. The clauses of a gate are made for what may be missing.
fn each_use(node: &Node, mut add: impl FnMut(&Text)) {
    for (slot, filled) in node.operands.iter() {
        match (slot.kind, filled) {
            (SlotKind::Value | SlotKind::FirstValue, Filled::One(Operand::Var(name))) => add(name),
            (SlotKind::Values, Filled::Many(operands)) => {
                operands.iter().for_each(|operand| {
                    if let Operand::Var(name) = operand {
                        add(name);
                    }
                });
            }
            (SlotKind::Condition, Filled::One(Operand::Expr(expr))) if node.clause().is_none() => {
                presence::each_use(expr, &mut add);
            }
            _ => {}
        }
    }
}

/// Whether a node decides by a condition.
pub(crate) fn has_condition(node: &Node) -> bool {
    node.def().is_some_and(|op| op.slot_of(SlotKind::Condition).is_some())
}

/// From the names of each node to the nodes of each name.
fn turned(lists: &Lists, names: usize) -> Lists {
    let mut starts = vec![0u32; names + 1];
    for name in &lists.items {
        starts[*name as usize + 1] += 1;
    }
    for at in 0..names {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut items = vec![0; lists.items.len()];
    for at in 0..lists.starts.len() as NodeId - 1 {
        for name in lists.of(at) {
            items[next[*name as usize] as usize] = at;
            next[*name as usize] += 1;
        }
    }
    Lists { items, starts }
}
