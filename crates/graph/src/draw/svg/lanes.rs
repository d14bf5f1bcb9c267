//! Which lane beside a card each line gets. Lane 0 is next to the card.

use std::collections::BTreeMap;

/// So many lanes an eye can still tell apart.
pub(super) const MAX: usize = 14;

/// The rows that a line passes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach {
    first: usize,
    last: usize,
}

impl Reach {
    /// The smallest reach over all these rows.
    pub(super) fn over(rows: impl Iterator<Item = usize>) -> Reach {
        rows.fold(Reach { first: usize::MAX, last: 0 }, |reach, row| Reach {
            first: reach.first.min(row),
            last: reach.last.max(row),
        })
    }
}

/// Lanes for lines from row to row: the shorter, the nearer, and two in one lane never meet.
/// With it: how many lanes are used. A line that finds none gets none.
pub(super) fn nested(reaches: &[Reach]) -> (Vec<Option<usize>>, usize) {
    let mut shortest_first: Vec<usize> = (0..reaches.len()).collect();
    shortest_first.sort_by_key(|at| (reaches[*at].last - reaches[*at].first, *at));
    let mut taken: Vec<BTreeMap<usize, usize>> = Vec::new();
    let mut lanes = vec![None; reaches.len()];
    for at in shortest_first {
        let reach = reaches[at];
        let is_free = |lane: &BTreeMap<usize, usize>| {
            let before = lane.range(..=reach.last).next_back();
            before.is_none_or(|(_, last)| *last < reach.first)
        };
        let lane = taken.iter().position(is_free).unwrap_or(taken.len());
        if lane == MAX {
            continue;
        }
        if lane == taken.len() {
            taken.push(BTreeMap::new());
        }
        taken[lane].insert(reach.first, reach.last);
        lanes[at] = Some(lane);
    }
    (lanes, taken.len())
}

/// Lanes for lines that all run down to the bottom: one each, the later it begins, the nearer,
/// so that no line crosses one that begins below it. Lines without a start get none.
pub(super) fn staggered(starts: &[Option<f64>]) -> (Vec<Option<usize>>, usize) {
    let mut last_first: Vec<(f64, usize)> =
        starts.iter().enumerate().filter_map(|(at, start)| Some(((*start)?, at))).collect();
    last_first.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    last_first.truncate(MAX);
    let mut lanes = vec![None; starts.len()];
    for (lane, (_, at)) in last_first.iter().enumerate() {
        lanes[*at] = Some(lane);
    }
    (lanes, last_first.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(first: usize, last: usize) -> Reach {
        Reach::over([first, last].into_iter())
    }

    #[test]
    fn lines_that_meet_get_different_lanes() {
        let (lanes, count) = nested(&[reach(0, 9), reach(1, 2), reach(3, 4), reach(2, 3)]);
        assert_eq!(lanes, [Some(2), Some(0), Some(0), Some(1)]);
        assert_eq!(count, 3);
    }

    #[test]
    fn there_are_only_so_many_lanes() {
        let many = vec![reach(0, 5); MAX + 3];
        let (lanes, count) = nested(&many);
        assert_eq!((lanes.iter().flatten().count(), count), (MAX, MAX));
        let (lanes, count) = staggered(&[Some(3.0), None, Some(1.0), Some(2.0)]);
        assert_eq!((lanes, count), (vec![Some(0), None, Some(2), Some(1)], 3));
    }
}
