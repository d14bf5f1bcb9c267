//! Where ways meet again: the nearest process that every way from here passes.

/// For each place the next one that cannot be avoided, as a tree towards the end.
pub(super) struct After {
    /// The next unavoidable place; nothing for those that lead straight to the end, or nowhere.
    next: Vec<Option<usize>>,
    /// How far it is from the end, in unavoidable places; nothing for those that never end.
    depth: Vec<Option<u32>>,
}

impl After {
    /// The first place that both ways pass, if there is one.
    pub(super) fn meeting(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (a, b);
        while a != b {
            let (deep_a, deep_b) = (self.depth[a]?, self.depth[b]?);
            if deep_a >= deep_b {
                a = self.next[a]?;
            } else {
                b = self.next[b]?;
            }
        }
        Some(a)
    }

    /// A place and all that cannot be avoided after it, in order.
    pub(super) fn chain(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |at| self.next[*at])
    }
}

/// Post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy on the reversed
/// ways. Places without a way on lead to the end, and so do those that may end.
pub(super) fn after(ways: &[Vec<usize>], may_end: &[bool]) -> After {
    let count = ways.len();
    let end = count;
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (from, targets) in ways.iter().enumerate() {
        for to in targets {
            back[*to].push(from);
        }
        if targets.is_empty() || may_end[from] {
            back[end].push(from);
        }
    }
    let order = postorder(&back, end);
    let mut rank = vec![usize::MAX; count + 1];
    for (place, node) in order.iter().enumerate() {
        rank[*node] = place;
    }
    let mut parent: Vec<Option<usize>> = vec![None; count + 1];
    parent[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev().filter(|node| **node != end) {
            let ends_here = (ways[*node].is_empty() || may_end[*node]).then_some(end);
            let mut found: Option<usize> = None;
            for next in ways[*node].iter().copied().chain(ends_here) {
                if parent[next].is_none() {
                    continue;
                }
                found = Some(match found {
                    None => next,
                    Some(other) => common(&parent, &rank, next, other),
                });
            }
            if found.is_some() && parent[*node] != found {
                parent[*node] = found;
                changed = true;
            }
        }
    }
    let mut depth: Vec<Option<u32>> = vec![None; count + 1];
    depth[end] = Some(0);
    // The end comes last in the order, and parents come after their children.
    for node in order.iter().rev().filter(|node| **node != end) {
        depth[*node] = parent[*node].and_then(|parent| depth[parent]).map(|depth| depth + 1);
    }
    let next =
        parent[..count].iter().map(|parent| parent.filter(|parent| *parent != end)).collect();
    depth.truncate(count);
    After { next, depth }
}

fn common(parent: &[Option<usize>], rank: &[usize], a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        // Ranks grow towards the end.
        let step = |node: usize| parent[node].unwrap_or(node);
        if rank[a] < rank[b] {
            a = step(a);
        } else {
            b = step(b);
        }
    }
    a
}

/// The places that can be come to from a start, each after those that it leads to, as far as ways
/// do not go round.
pub(super) fn postorder(ways: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(ways.len());
    let mut seen = vec![false; ways.len()];
    let mut stack = vec![(start, 0)];
    seen[start] = true;
    while let Some((node, at)) = stack.last_mut() {
        match ways[*node].get(*at) {
            Some(next) => {
                *at += 1;
                let next = *next;
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_meet_where_none_can_avoid_it() {
        // 0 forks to 1 and 2; 2 goes by 3 or 4; all meet in 5, then 6.
        let ways =
            [vec![1, 2], vec![5], vec![3, 4], vec![5], vec![5], vec![6], vec![]].map(Vec::from);
        let after = after(&ways, &vec![false; ways.len()]);
        assert_eq!(after.meeting(1, 2), Some(5));
        assert_eq!(after.meeting(3, 4), Some(5));
        assert_eq!(after.meeting(5, 1), Some(5));
    }

    #[test]
    fn ways_that_end_apart_do_not_meet() {
        let ways = vec![vec![1, 2], vec![], vec![3], vec![]];
        assert_eq!(after(&ways, &vec![false; ways.len()]).meeting(1, 2), None);
    }

    #[test]
    fn a_cycle_without_end_meets_nowhere() {
        let ways = vec![vec![1, 2], vec![1], vec![3], vec![]];
        assert_eq!(after(&ways, &vec![false; ways.len()]).meeting(1, 2), None);
        // Where the way back is not always taken, the ways meet before it.
        let ways = vec![vec![1, 2], vec![3], vec![3], vec![4], vec![3]];
        assert_eq!(after(&ways, &[false; 5]).meeting(1, 2), None);
        assert_eq!(after(&ways, &[false, false, false, false, true]).meeting(1, 2), Some(3));
        // Around a loop the ways meet at its head.
        let ways = vec![vec![1], vec![2, 3], vec![0], vec![0, 4], vec![]];
        assert_eq!(after(&ways, &vec![false; ways.len()]).meeting(2, 3), Some(3));
    }
}
