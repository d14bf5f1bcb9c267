//! Which item of one list is which item of another, by what they are and not by where they are.

use std::collections::BTreeMap;

/// For each old item the new one it became.
pub(super) type Matches = Vec<Option<usize>>;

/// Each level looks at every item once; hostile lists must not make it one level per item.
const DEPTH_MAX: usize = 24;

/// Matches equal items: first those that kept their order, then those that moved. Takes
/// about as long as sorting does.
pub(super) fn align<K: Ord>(old: &[K], new: &[K]) -> Matches {
    let mut matches: Matches = vec![None; old.len()];
    let mut gaps = vec![(0..old.len(), 0..new.len(), 0)];
    while let Some((mut left, mut right, depth)) = gaps.pop() {
        while !left.is_empty() && !right.is_empty() && old[left.start] == new[right.start] {
            matches[left.start] = Some(right.start);
            (left.start, right.start) = (left.start + 1, right.start + 1);
        }
        while !left.is_empty() && !right.is_empty() && old[left.end - 1] == new[right.end - 1] {
            (left.end, right.end) = (left.end - 1, right.end - 1);
            matches[left.end] = Some(right.end);
        }
        // What is left at this depth is matched below, as if it had moved.
        if left.is_empty() || right.is_empty() || depth == DEPTH_MAX {
            continue;
        }
        let anchors = longest_increasing(&unique_pairs(old, left.clone(), new, right.clone()));
        // Without anchors what is left is matched below, as if it had moved.
        if anchors.is_empty() {
            continue;
        }
        let (mut left_from, mut right_from) = (left.start, right.start);
        for (at_left, at_right) in anchors {
            matches[at_left] = Some(at_right);
            gaps.push((left_from..at_left, right_from..at_right, depth + 1));
            (left_from, right_from) = (at_left + 1, at_right + 1);
        }
        gaps.push((left_from..left.end, right_from..right.end, depth + 1));
    }
    match_rest(old, new, &mut matches, Some);
    matches
}

/// Matches what is unmatched on both sides and has the same key, in order.
pub(super) fn match_rest<'a, T, K: Ord>(
    old: &'a [T],
    new: &'a [T],
    matches: &mut Matches,
    key: impl Fn(&'a T) -> Option<K>,
) {
    let mut taken = vec![false; new.len()];
    for found in matches.iter().flatten() {
        taken[*found] = true;
    }
    let mut free: BTreeMap<K, std::collections::VecDeque<usize>> = BTreeMap::new();
    for (at, item) in new.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        if let Some(key) = key(item) {
            free.entry(key).or_default().push_back(at);
        }
    }
    for (found, item) in matches.iter_mut().zip(old) {
        if found.is_none()
            && let Some(key) = key(item)
        {
            *found = free.get_mut(&key).and_then(std::collections::VecDeque::pop_front);
        }
    }
}

/// Items that stand exactly once on each side.
fn unique_pairs<K: Ord>(
    old: &[K],
    left: std::ops::Range<usize>,
    new: &[K],
    right: std::ops::Range<usize>,
) -> Vec<(usize, usize)> {
    let places = |items: &'_ [K], range: std::ops::Range<usize>| {
        let mut sorted: Vec<usize> = range.collect();
        sorted.sort_by(|a, b| items[*a].cmp(&items[*b]));
        let unique = |at: &usize| {
            let differs = |other: Option<&usize>| {
                other.is_none_or(|other| items[*other] != items[sorted[*at]])
            };
            differs(at.checked_sub(1).and_then(|before| sorted.get(before)))
                && differs(sorted.get(at + 1))
        };
        (0..sorted.len()).filter(unique).map(|at| sorted[at]).collect::<Vec<_>>()
    };
    let (olds, news) = (places(old, left), places(new, right));
    let mut pairs = Vec::new();
    let mut news = news.into_iter().peekable();
    for at in olds {
        while news.next_if(|other| new[*other] < old[at]).is_some() {}
        if let Some(other) = news.next_if(|other| new[*other] == old[at]) {
            pairs.push((at, other));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The longest run of pairs that goes up on both sides. The pairs go up on the left.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `tails[n]` ends the best run of n + 1 pairs; `before` links each pair to the one before.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, right)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].1 < *right);
        before.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        if length == tails.len() {
            tails.push(at);
        } else {
            tails[length] = at;
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), |at| before[*at])
            .map(|at| pairs[at])
            .collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_moves_nothing_else() {
        let old: Vec<u32> = (0..50).collect();
        let new: Vec<u32> = std::iter::once(99).chain(0..50).collect();
        assert_eq!(align(&old, &new), (1..=50).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn repeats_and_moves_are_matched_once() {
        assert_eq!(align(&["a", "a", "b"], &["b", "a", "a"]), [Some(1), Some(2), Some(0)]);
        assert_eq!(align(&["a", "b"], &["a", "a"]), [Some(0), None]);
    }
}
