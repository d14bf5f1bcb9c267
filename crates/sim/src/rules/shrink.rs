//! Makes a program small while what is wrong with it stays.

use super::Case;
use super::tree::{Tree, read};

/// The smallest program found for which the question is still answered with yes: without a
/// construct, a fact, a condition, an action or a constraint that is not needed.
pub fn smallest(case: &Case, mut still: impl FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    loop {
        let before = best.clone();
        drop_texts(&mut best, &mut still, |case| &mut case.constructs);
        drop_texts(&mut best, &mut still, |case| &mut case.asserts);
        for at in 0..best.constructs.len() {
            simplify(&mut best, &mut still, |case| &mut case.constructs[at]);
        }
        for at in 0..best.asserts.len() {
            simplify(&mut best, &mut still, |case| &mut case.asserts[at]);
        }
        if best == before {
            return best;
        }
    }
}

fn drop_texts(
    best: &mut Case,
    still: &mut impl FnMut(&Case) -> bool,
    texts: impl Fn(&mut Case) -> &mut Vec<String>,
) {
    let mut at = texts(best).len();
    while at > 0 {
        at -= 1;
        let mut candidate = best.clone();
        texts(&mut candidate).remove(at);
        if still(&candidate) {
            *best = candidate;
        }
    }
}

fn simplify(
    best: &mut Case,
    still: &mut impl FnMut(&Case) -> bool,
    text: impl Fn(&mut Case) -> &mut String,
) {
    let mut tree = read(text(best));
    // Positions shift when something is left out, so after each success it begins again.
    'again: loop {
        for path in paths(&tree) {
            for candidate in simpler(&tree, &path) {
                let mut case = best.clone();
                *text(&mut case) = candidate.to_string();
                if case != *best && still(&case) {
                    *best = case;
                    tree = candidate;
                    continue 'again;
                }
            }
        }
        return;
    }
}

/// The places of all lists and joined parts, outermost first.
fn paths(tree: &Tree) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut waiting = vec![(Vec::new(), tree)];
    while let Some((path, tree)) = waiting.pop() {
        for (at, part) in tree.parts().iter().enumerate().rev() {
            let mut deeper = path.clone();
            deeper.push(at);
            waiting.push((deeper, part));
        }
        if !tree.parts().is_empty() {
            all.push(path);
        }
    }
    all
}

/// The tree with one or two neighbours left out at a place, or with a list replaced by one of
/// its own parts.
fn simpler(tree: &Tree, path: &[usize]) -> Vec<Tree> {
    let mut all = Vec::new();
    let mut count = 0;
    with_place(&mut tree.clone(), path, |place| count = place.parts().len());
    for length in [2, 1] {
        for at in 0..(count + 1).saturating_sub(length) {
            let mut copy = tree.clone();
            with_place(&mut copy, path, |place| {
                if let Some(parts) = place.parts_mut() {
                    parts.drain(at..at + length);
                }
            });
            all.push(copy);
        }
    }
    if !path.is_empty() {
        for at in 0..count {
            let mut copy = tree.clone();
            with_place(&mut copy, path, |place| *place = place.parts()[at].clone());
            all.push(copy);
        }
    }
    all
}

fn with_place(tree: &mut Tree, path: &[usize], change: impl FnOnce(&mut Tree)) {
    let mut place = tree;
    for &at in path {
        place = match place.parts_mut() {
            Some(parts) => &mut parts[at],
            None => return,
        };
    }
    change(place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        let text = |text: &str| text.to_owned();
        let case = Case {
            constructs: vec![
                text("(defrule r (a ?x) (b ?y&:(> ?y 1)) => (assert (c ?x)))"),
                text("(defrule s (not (and (a) (d))) =>)"),
            ],
            asserts: vec![text("(a 1)"), text("(b 2)")],
            limit: 1,
        };
        let small = smallest(&case, |case| {
            case.constructs.iter().any(|text| text.contains("> ?y 1") && text.contains("defrule"))
        });
        assert_eq!(small.constructs, ["(defrule (> ?y 1))"]);
        assert!(small.asserts.is_empty());
    }
}
