//! Which nodes every path from a root passes: Lengauer and Tarjan's algorithm, without recursion.

use crate::flow::{Flow, NodeId};

const NONE: u32 = u32::MAX;

/// The tree of immediate dominators of what a run can reach, with a node above all roots.
pub(crate) struct Dominators {
    /// When a walk over the tree comes to a node, and when it leaves it for good.
    span: Vec<(u32, u32)>,
}

impl Dominators {
    /// Finds them, in about `n log n`.
    pub(crate) fn new(flow: &Flow<'_>) -> Dominators {
        let mut search = Search::new(flow);
        search.number(flow);
        let dominator = search.immediate(flow);
        Dominators { span: spans(&dominator, &search.order, flow.len()) }
    }

    /// Whether every path to the second node passes the first, which is another one.
    pub(crate) fn is_above(&self, first: NodeId, second: NodeId) -> bool {
        let (above, below) = (self.span[first as usize], self.span[second as usize]);
        above.0 != NONE && below.0 != NONE && above.0 < below.0 && below.1 <= above.1
    }
}

/// Nodes are the flow's; the one above all roots comes after them.
struct Search {
    top: u32,
    order: Vec<u32>,
    /// Place in `order`.
    number: Vec<u32>,
    parent: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    /// As numbers.
    semi: Vec<u32>,
}

impl Search {
    fn new(flow: &Flow<'_>) -> Search {
        let count = flow.len() + 1;
        Search {
            top: flow.len() as u32,
            order: Vec::with_capacity(count),
            number: vec![NONE; count],
            parent: vec![NONE; count],
            ancestor: vec![NONE; count],
            label: (0..count as u32).collect(),
            semi: vec![NONE; count],
        }
    }

    fn number(&mut self, flow: &Flow<'_>) {
        let mut stack = vec![(self.top, NONE)];
        while let Some((at, parent)) = stack.pop() {
            if self.number[at as usize] != NONE {
                continue;
            }
            self.parent[at as usize] = parent;
            self.number[at as usize] = self.order.len() as u32;
            self.semi[at as usize] = self.order.len() as u32;
            self.order.push(at);
            if at == self.top {
                stack.extend(flow.roots.iter().rev().map(|root| (*root, at)));
            } else {
                stack.extend(flow.out(at).iter().rev().map(|arc| (arc.to, at)));
            }
        }
    }

    fn immediate(&mut self, flow: &Flow<'_>) -> Vec<u32> {
        let count = self.number.len();
        let mut dominator = vec![NONE; count];
        let mut bucket: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut is_root = vec![false; count];
        for root in &flow.roots {
            is_root[*root as usize] = true;
        }
        let mut path = Vec::new();
        for place in (1..self.order.len()).rev() {
            let at = self.order[place];
            let above = is_root[at as usize].then_some(self.top);
            for from in flow.into(at).iter().map(|(from, _)| *from).chain(above) {
                if self.number[from as usize] == NONE {
                    continue;
                }
                let best = self.best(from, &mut path);
                let semi = self.semi[best as usize];
                self.semi[at as usize] = self.semi[at as usize].min(semi);
            }
            bucket[self.order[self.semi[at as usize] as usize] as usize].push(at);
            let parent = self.parent[at as usize];
            self.ancestor[at as usize] = parent;
            for waiting in std::mem::take(&mut bucket[parent as usize]) {
                let best = self.best(waiting, &mut path);
                let is_less = self.semi[best as usize] < self.semi[waiting as usize];
                dominator[waiting as usize] = if is_less { best } else { parent };
            }
        }
        for at in self.order.iter().skip(1).map(|at| *at as usize) {
            if dominator[at] != self.order[self.semi[at] as usize] {
                dominator[at] = dominator[dominator[at] as usize];
            }
        }
        dominator
    }

    /// The node with the least semidominator on the way up, shortening that way.
    fn best(&mut self, at: u32, path: &mut Vec<u32>) -> u32 {
        if self.ancestor[at as usize] == NONE {
            return at;
        }
        let mut step = at;
        while self.ancestor[self.ancestor[step as usize] as usize] != NONE {
            path.push(step);
            step = self.ancestor[step as usize];
        }
        while let Some(lower) = path.pop() {
            let lower = lower as usize;
            let above = self.ancestor[lower] as usize;
            if self.semi[self.label[above] as usize] < self.semi[self.label[lower] as usize] {
                self.label[lower] = self.label[above];
            }
            self.ancestor[lower] = self.ancestor[above];
        }
        self.label[at as usize]
    }
}

/// First and last visit of each node in a walk over the tree.
fn spans(dominator: &[u32], order: &[u32], count: usize) -> Vec<(u32, u32)> {
    // A node's dominator has a smaller number, so sizes are known before they are needed.
    let mut size = vec![1u32; count + 1];
    for at in order.iter().skip(1).rev() {
        let above = dominator[*at as usize];
        size[above as usize] += size[*at as usize];
    }
    let mut span = vec![(NONE, NONE); count + 1];
    let mut free = vec![0u32; count + 1];
    span[count] = (0, size[count]);
    free[count] = 1;
    for at in order.iter().skip(1).map(|at| *at as usize) {
        let above = dominator[at] as usize;
        let start = free[above];
        free[above] += size[at];
        span[at] = (start, start + size[at]);
        free[at] = start + 1;
    }
    span
}
