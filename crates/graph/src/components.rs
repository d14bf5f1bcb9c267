//! Which nodes can reach each other, in linear time and without recursion.

/// The strongly connected components of a graph: each node's component, numbered so that ways
/// between components lead to smaller numbers.
pub struct Components {
    /// The component of each node; `NONE` for nodes that do not take part.
    pub of: Vec<u32>,
    /// The nodes of each component, in ascending order.
    pub members: Vec<Vec<u32>>,
}

impl Components {
    /// Of a node that does not take part.
    pub const NONE: u32 = u32::MAX;

    /// Tarjan's algorithm over the nodes that take part. `next` is the n-th way out of a node.
    pub fn new(
        count: usize,
        takes_part: impl Fn(u32) -> bool,
        next: impl Fn(u32, usize) -> Option<u32>,
    ) -> Components {
        let mut found = Components { of: vec![Self::NONE; count], members: Vec::new() };
        let mut number = vec![0u32; count];
        let mut low = vec![0u32; count];
        let mut counter = 0;
        let mut open: Vec<u32> = Vec::new();
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in (0..count as u32).filter(|root| takes_part(*root)) {
            if number[root as usize] != 0 {
                continue;
            }
            stack.push((root, 0));
            while let Some((at, way)) = stack.pop() {
                let here = at as usize;
                if way == 0 {
                    counter += 1;
                    (number[here], low[here]) = (counter, counter);
                    open.push(at);
                }
                if let Some(to) = next(at, way) {
                    stack.push((at, way + 1));
                    let there = to as usize;
                    if !takes_part(to) || found.of[there] != Self::NONE {
                        continue;
                    }
                    if number[there] == 0 {
                        stack.push((to, 0));
                    } else {
                        low[here] = low[here].min(number[there]);
                    }
                    continue;
                }
                if low[here] == number[here] {
                    let mut members = Vec::new();
                    while let Some(member) = open.pop() {
                        found.of[member as usize] = found.members.len() as u32;
                        members.push(member);
                        if member == at {
                            break;
                        }
                    }
                    members.sort_unstable();
                    found.members.push(members);
                }
                if let Some((above, _)) = stack.last() {
                    let above = *above as usize;
                    low[above] = low[above].min(low[here]);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_numbered_backwards() {
        let ways: [&[u32]; 6] = [&[1], &[2, 3], &[1], &[4], &[5, 3], &[]];
        let found = Components::new(6, |at| at != 0, |at, way| ways[at as usize].get(way).copied());
        assert_eq!(found.members, [vec![5], vec![3, 4], vec![1, 2]]);
        assert_eq!(found.of, [Components::NONE, 2, 2, 1, 1, 0]);
    }
}
