//! Where ways can meet although some of them may lead elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::meeting;

/// Looking for meetings takes no more steps than this in a whole spec. What people write takes a
/// few for each fork; a fork that is not looked at waits for its branches to end.
pub(super) const STEPS_MAX: usize = 2_000_000;

/// Where branches that begin at these heads wait for each other: the first place that all of them
/// can come to and that none can pass by without giving up every other such place; where there is
/// none, the nearest that all can come to. Nobody goes to a place that is closed.
pub(super) fn meeting(
    ways: &[Vec<usize>],
    heads: &[usize],
    closed: &BTreeSet<usize>,
    steps: &mut usize,
) -> Option<usize> {
    let mut reached: BTreeMap<usize, Reached> = BTreeMap::new();
    for head in heads {
        for (place, distance) in distances(ways, *head, closed, steps)? {
            let known = reached.entry(place).or_default();
            known.branches += 1;
            known.distance = known.distance.max(distance);
        }
    }
    let shared: BTreeMap<usize, u32> = reached
        .iter()
        .filter(|(_, known)| known.branches == heads.len())
        .map(|(place, known)| (*place, known.distance))
        .collect();
    let nearest = shared.iter().min_by_key(|(place, distance)| (**distance, **place))?;
    unavoidable(ways, heads, &reached, &shared).or(Some(*nearest.0))
}

/// How many branches can come to a place, and how far it is for the last of them.
#[derive(Default)]
struct Reached {
    branches: usize,
    distance: u32,
}

fn distances(
    ways: &[Vec<usize>],
    head: usize,
    closed: &BTreeSet<usize>,
    steps: &mut usize,
) -> Option<BTreeMap<usize, u32>> {
    let mut found = BTreeMap::new();
    let mut waiting = VecDeque::from([(head, 0)]);
    while let Some((place, distance)) = waiting.pop_front() {
        *steps = steps.checked_sub(1)?;
        if closed.contains(&place) || found.contains_key(&place) {
            continue;
        }
        found.insert(place, distance);
        waiting.extend(ways[place].iter().map(|next| (*next, distance + 1)));
    }
    Some(found)
}

/// The first place that no branch can avoid which still can come to one that all share.
fn unavoidable(
    ways: &[Vec<usize>],
    heads: &[usize],
    reached: &BTreeMap<usize, Reached>,
    shared: &BTreeMap<usize, u32>,
) -> Option<usize> {
    let mut back: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for from in reached.keys() {
        for to in ways[*from].iter().filter(|to| reached.contains_key(to)) {
            back.entry(*to).or_default().push(*from);
        }
    }
    let mut hopeful: BTreeSet<usize> = BTreeSet::new();
    let mut stack: Vec<usize> = shared.keys().copied().collect();
    while let Some(place) = stack.pop() {
        if hopeful.insert(place) {
            stack.extend(back.get(&place).into_iter().flatten());
        }
    }
    let places: Vec<usize> = hopeful.into_iter().collect();
    let number = |place: usize| places.binary_search(&place).ok();
    let among: Vec<Vec<usize>> = places
        .iter()
        .map(|place| ways[*place].iter().filter_map(|next| number(*next)).collect())
        .collect();
    let after = meeting::after(&among, &vec![false; among.len()]);
    let mut heads = heads.iter().map(|head| number(*head));
    let first = heads.next()??;
    let found = heads.try_fold(first, |a, b| after.meeting(a, b?))?;
    Some(places[found])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ways: &[&[usize]], heads: &[usize], closed: &[usize]) -> Option<usize> {
        let ways: Vec<Vec<usize>> = ways.iter().map(|next| next.to_vec()).collect();
        meeting(&ways, heads, &closed.iter().copied().collect(), &mut 1_000)
    }

    #[test]
    fn a_way_that_ends_elsewhere_does_not_count() {
        // 0 forks to 1 and 2; 1 goes to 3 or ends in 4; 2 goes to 3.
        assert_eq!(found(&[&[1, 2], &[3, 4], &[3], &[5], &[], &[]], &[1, 2], &[0]), Some(3));
        // A branch that cannot come there at all does.
        assert_eq!(found(&[&[1, 2, 4], &[3], &[3], &[], &[]], &[1, 2, 4], &[0]), None);
        // One that begins there has come.
        assert_eq!(found(&[&[1, 2], &[2, 3], &[], &[]], &[1, 2], &[0]), Some(2));
    }

    #[test]
    fn what_some_pass_by_is_no_meeting_where_there_is_a_later_one() {
        // Both mend in 3 or go straight to 4, or give up in 5.
        let ways: [&[usize]; 6] = [&[1, 2], &[3, 4, 5], &[3, 4, 5], &[4], &[], &[]];
        let with_end: [&[usize]; 7] = [&[1, 2], &[3, 4, 5], &[3, 4, 6], &[4], &[], &[], &[]];
        assert_eq!(found(&with_end, &[1, 2], &[0]), Some(4));
        // Where giving up is shared as well, none is unavoidable: the nearest, the first listed.
        assert_eq!(found(&ways, &[1, 2], &[0]), Some(3));
    }

    #[test]
    fn nobody_meets_behind_a_closed_place() {
        // Both may go back to 0, which leads on to 3.
        let ways: [&[usize]; 6] = [&[1, 2, 3], &[0, 4], &[0, 5], &[], &[], &[]];
        assert_eq!(found(&ways, &[1, 2], &[0]), None);
    }

    #[test]
    fn looking_ends_when_the_steps_are_used_up() {
        let ways = vec![vec![1, 2], vec![3], vec![3], vec![]];
        assert_eq!(meeting(&ways, &[1, 2], &BTreeSet::new(), &mut 4), Some(3));
        assert_eq!(meeting(&ways, &[1, 2], &BTreeSet::new(), &mut 3), None);
    }
}
