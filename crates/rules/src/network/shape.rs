//! The conditions of a rule, made flat.
//!
//! A rule with `or` becomes several lists of conditions, one for each way in which it can hold.
//! Within a list, `not` around a single pattern is a mark on the pattern; `not` around several
//! conditions is a group, told by depths: a condition whose `begin` is deeper than the depth
//! before it opens groups, one whose `end` is less deep than its `begin` closes them. `exists` is
//! a double `not`, `forall` a `not` of the first and a `not` of the rest. The steps and their
//! order decide which joins rules share, and so in which order they fire: they are those of CLIPS.

use std::sync::Arc;

use super::size::{self, TooMany};
use crate::functions;
use crate::program::{Condition, Expr, ExprKind, Pattern};

/// A condition in a flat list.
#[derive(Clone, Debug)]
pub(crate) struct Element<'a> {
    /// The pattern; none for a test, and for what stands before a test that opens a group.
    pub pattern: Option<&'a Pattern>,
    pub marks: Marks,
    /// What it asks beyond its pattern. The ways of a rule share it.
    pub test: Option<Arc<Expr>>,
}

/// What kind of condition it is, and in which groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    /// Whether it is a test and nothing else.
    pub is_test: bool,
    /// Whether no fact may match it.
    pub negated: bool,
    /// Whether some fact must match it, however many do.
    pub exists: bool,
    /// Whether the group that it opens is an `exists` around several conditions.
    pub opens_exists: bool,
    /// Whether what the rule asserts depends on it.
    pub logical: bool,
    /// The depth at which it begins.
    pub begin: u32,
    /// The depth at which the condition after it goes on.
    pub end: u32,
}

#[derive(Clone)]
enum Node<'a> {
    And(Vec<Node<'a>>, bool),
    Or(Vec<Node<'a>>, bool),
    Not(Box<Node<'a>>, bool),
    Leaf(Box<Element<'a>>),
}

/// The ways in which the conditions can hold.
pub(crate) fn flatten(conditions: &[Condition]) -> Result<Vec<Vec<Element<'_>>>, TooMany> {
    if conditions.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    size::check(conditions)?;
    let whole = Node::And(conditions.iter().map(|one| plant(one, false)).collect(), false);
    let whole = settle(whole, Pass::Alternatives, 1);
    let whole = settle(whole, Pass::Negations, 1);
    let ways = match whole {
        Node::Or(ways, _) => ways,
        one => vec![one],
    };
    Ok(ways.into_iter().map(finish).collect())
}

/// The tree, in terms of `and`, `or` and `not`.
fn plant(condition: &Condition, logical: bool) -> Node<'_> {
    match condition {
        Condition::Pattern(pattern) => leaf(Some(pattern), None, logical),
        Condition::Test(test) => leaf(None, Some(Arc::new(test.clone())), logical),
        Condition::And(parts, _) => {
            single_or(plant_list(parts, logical), |nodes| Node::And(nodes, logical))
        }
        Condition::Or(parts, _) => {
            single_or(plant_list(parts, logical), |nodes| Node::Or(nodes, logical))
        }
        Condition::Logical(parts, _) => {
            single_or(plant_list(parts, true), |nodes| Node::And(nodes, true))
        }
        Condition::Not(part, _) => not(plant(part, logical), logical),
        Condition::Exists(parts, _) => {
            let all = single_or(plant_list(parts, logical), |nodes| Node::And(nodes, logical));
            not(not(all, logical), logical)
        }
        Condition::Forall(parts, _) => {
            let mut nodes = plant_list(parts, logical).into_iter();
            let first = nodes.next().into_iter();
            let rest = single_or(nodes.collect(), |nodes| Node::And(nodes, logical));
            not(Node::And(first.chain([not(rest, logical)]).collect(), logical), logical)
        }
    }
}

fn plant_list(parts: &[Condition], logical: bool) -> Vec<Node<'_>> {
    parts.iter().map(|part| plant(part, logical)).collect()
}

fn single_or<'a>(
    mut nodes: Vec<Node<'a>>,
    make: impl FnOnce(Vec<Node<'a>>) -> Node<'a>,
) -> Node<'a> {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            make(nodes)
        }
        None => make(nodes),
    }
}

fn not(node: Node<'_>, logical: bool) -> Node<'_> {
    Node::Not(Box::new(node), logical)
}

fn leaf<'a>(pattern: Option<&'a Pattern>, test: Option<Arc<Expr>>, logical: bool) -> Node<'a> {
    Node::Leaf(Box::new(Element {
        pattern,
        marks: Marks {
            is_test: pattern.is_none(),
            negated: false,
            exists: false,
            opens_exists: false,
            logical,
            begin: 1,
            end: 1,
        },
        test,
    }))
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// Brings `or` to the top.
    Alternatives,
    /// Turns `not` into marks and depths.
    Negations,
}

/// Rewrites a node and all below it until nothing changes.
fn settle(mut node: Node, pass: Pass, depth: usize) -> Node {
    loop {
        let mut changed = false;
        if !matches!(node, Node::Leaf(_)) {
            let (next, one) = match pass {
                Pass::Alternatives => raise_alternatives(node),
                Pass::Negations => lower_negations(node),
            };
            let (next, two) = tidy(next, depth);
            node = next;
            changed = one || two;
        }
        let below = match &mut node {
            Node::And(nodes, _) | Node::Or(nodes, _) => nodes.as_mut_slice(),
            Node::Not(inner, _) => std::slice::from_mut(inner.as_mut()),
            Node::Leaf(_) => &mut [],
        };
        for child in below {
            if matches!(child, Node::Leaf(_)) {
                continue;
            }
            let before = weight(child);
            let taken = std::mem::replace(child, Node::And(Vec::new(), false));
            *child = settle(taken, pass, depth + 1);
            changed |= weight(child) != before;
        }
        if !changed {
            return node;
        }
    }
}

/// Tells whether a rewriting changed anything: each rewriting changes the kind of a node, or how
/// many there are below it.
fn weight(node: &Node) -> (u8, usize) {
    match node {
        Node::And(nodes, _) => (0, nodes.len()),
        Node::Or(nodes, _) => (1, nodes.len()),
        Node::Not(..) => (2, 1),
        Node::Leaf(_) => (3, 0),
    }
}

/// `and` of `or` is `or` of `and`s; `not` of `or` is `and` of `not`s; what is nested in its own
/// kind is taken out.
fn raise_alternatives(mut node: Node) -> (Node, bool) {
    let mut changed = false;
    loop {
        node = match node {
            Node::And(mut nodes, logical) => {
                let Some(at) =
                    nodes.iter().position(|one| matches!(one, Node::Or(..) | Node::And(..)))
                else {
                    return (Node::And(nodes, logical), changed);
                };
                match &mut nodes[at] {
                    Node::Or(ways, _) => {
                        let ways = std::mem::take(ways).into_iter().map(|way| {
                            let mut copy = nodes.clone();
                            copy[at] = way;
                            Node::And(copy, logical)
                        });
                        Node::Or(ways.collect(), false)
                    }
                    _ => splice(nodes, at, logical, Node::And),
                }
            }
            Node::Or(nodes, logical) => {
                let Some(at) = nodes.iter().position(|one| matches!(one, Node::Or(..))) else {
                    return (Node::Or(nodes, logical), changed);
                };
                splice(nodes, at, logical, Node::Or)
            }
            Node::Not(inner, logical) => match *inner {
                Node::Or(ways, _) => {
                    Node::And(ways.into_iter().map(|way| not(way, false)).collect(), logical)
                }
                other => return (not(other, logical), changed),
            },
            Node::Leaf(_) => return (node, changed),
        };
        changed = true;
    }
}

/// Takes a node of the same kind out of a list.
fn splice<'a>(
    mut nodes: Vec<Node<'a>>,
    at: usize,
    logical: bool,
    make: impl FnOnce(Vec<Node<'a>>, bool) -> Node<'a>,
) -> Node<'a> {
    let (inner, inner_logical) = match nodes.remove(at) {
        Node::And(inner, logical) | Node::Or(inner, logical) => (inner, logical),
        other => (vec![other], false),
    };
    nodes.splice(at..at, inner);
    make(nodes, logical || inner_logical)
}

/// `not` of a pattern marks it, `not not` of one marks it as existing, three are one; `not` of
/// anything else makes a group one deeper.
fn lower_negations(mut node: Node) -> (Node, bool) {
    let mut changed = false;
    loop {
        let Node::Not(inner, logical) = node else { return (node, changed) };
        changed = true;
        node = match *inner {
            Node::Not(second, second_logical) => match *second {
                Node::Not(third, _) => Node::Not(third, logical),
                Node::Leaf(mut element) if !element.marks.is_test => {
                    element.marks.negated = true;
                    element.marks.exists = true;
                    element.marks.opens_exists = false;
                    return (Node::Leaf(element), true);
                }
                mut other => {
                    deepen(std::slice::from_mut(&mut other), true);
                    Node::Not(Box::new(other), second_logical)
                }
            },
            Node::Leaf(mut element) if !element.marks.is_test => {
                element.marks.negated = true;
                element.marks.exists = false;
                element.marks.opens_exists = false;
                return (Node::Leaf(element), true);
            }
            Node::And(mut nodes, logical) => {
                deepen(&mut nodes, true);
                return (Node::And(nodes, logical), true);
            }
            other => return (not(other, logical), changed),
        };
    }
}

/// Puts conditions one group deeper. The last of all closes the group.
fn deepen(nodes: &mut [Node], closes: bool) {
    let count = nodes.len();
    for (at, node) in nodes.iter_mut().enumerate() {
        let closes = closes && at + 1 == count;
        match node {
            Node::Leaf(element) => {
                element.marks.begin += 1;
                element.marks.end += u32::from(!closes);
            }
            Node::And(inner, _) | Node::Or(inner, _) => deepen(inner, closes),
            Node::Not(inner, _) => deepen(std::slice::from_mut(inner), closes),
        }
    }
}

/// Puts tests to the conditions before them, and takes out what is nested for nothing.
fn tidy(mut node: Node, depth: usize) -> (Node, bool) {
    let mut changed = false;
    loop {
        let (next, again) = tidy_once(node, depth);
        node = next;
        if !again {
            return (node, changed);
        }
        changed = true;
    }
}

fn tidy_once(node: Node, depth: usize) -> (Node, bool) {
    match node {
        Node::Or(nodes, logical) => {
            match nodes.iter().position(|one| matches!(one, Node::Or(..))) {
                Some(at) => (splice(nodes, at, logical, Node::Or), true),
                None => (Node::Or(nodes, logical), false),
            }
        }
        Node::Not(inner, logical) => match *inner {
            Node::Leaf(mut element) if element.marks.is_test => {
                element.test = element.test.map(negate);
                (Node::Leaf(element), true)
            }
            other => (not(other, logical), false),
        },
        Node::And(mut nodes, logical) => {
            for at in 0..nodes.len() {
                if matches!(nodes[at], Node::And(..)) {
                    return (splice(nodes, at, logical, Node::And), true);
                }
                if take_test(&mut nodes, at) {
                    return (Node::And(nodes, logical), true);
                }
                if at == 0 && nodes.len() == 1 {
                    match &nodes[0] {
                        Node::Leaf(element) if element.marks.is_test || depth > 1 => {
                            return (nodes.swap_remove(0), true);
                        }
                        _ => {}
                    }
                }
            }
            (Node::And(nodes, logical), false)
        }
        leaf => (leaf, false),
    }
}

/// Puts the test after a condition to it, where both are of one group.
fn take_test(nodes: &mut Vec<Node>, at: usize) -> bool {
    let [Node::Leaf(element), Node::Leaf(next), ..] = &mut nodes[at..] else { return false };
    let fits = next.marks.is_test
        && !element.marks.negated
        && !element.marks.exists
        && element.marks.begin == element.marks.end
        && element.marks.end == next.marks.begin;
    if !fits {
        return false;
    }
    element.test = both(element.test.take(), next.test.take());
    if !element.marks.is_test && at == 0 && element.marks.begin - 1 == next.marks.end {
        element.marks.negated = true;
        element.marks.begin = next.marks.end;
    }
    element.marks.end = next.marks.end;
    nodes.remove(at + 1);
    true
}

/// Both must hold.
fn both(first: Option<Arc<Expr>>, second: Option<Arc<Expr>>) -> Option<Arc<Expr>> {
    let (first, second) = match (first, second) {
        (Some(first), Some(second)) => (first, second),
        (only, None) | (None, only) => return only,
    };
    let span = first.span;
    let mut all = Vec::new();
    for part in [first, second] {
        let part = Arc::unwrap_or_clone(part);
        match part.kind {
            ExprKind::And(parts) => all.extend(parts),
            _ => all.push(part),
        }
    }
    Some(Arc::new(Expr { kind: ExprKind::And(all), span }))
}

fn negate(test: Arc<Expr>) -> Arc<Expr> {
    let span = test.span;
    match functions::find("not") {
        Some(function) => {
            let arguments = vec![Arc::unwrap_or_clone(test)];
            Arc::new(Expr { kind: ExprKind::Call(function, arguments), span })
        }
        None => test,
    }
}

/// The list of a way, with its groups marked.
fn finish(way: Node) -> Vec<Element> {
    let nodes = match way {
        Node::And(nodes, _) => nodes,
        one => vec![one],
    };
    let mut elements: Vec<Element> = nodes
        .into_iter()
        .filter_map(|node| match node {
            Node::Leaf(element) => Some(*element),
            _ => None,
        })
        .collect();
    merge_double_groups(&mut elements);
    let mut list = Vec::with_capacity(elements.len());
    let mut depth = 1;
    for mut element in elements {
        let end = element.marks.end;
        if element.marks.is_test && element.marks.begin > depth {
            // A test that opens a group needs something to be joined with.
            let mut before = element.clone();
            (before.marks.is_test, before.test, before.marks.end) =
                (false, None, element.marks.begin);
            element.marks.opens_exists = false;
            list.push(before);
        }
        list.push(element);
        depth = end;
    }
    list
}

/// A group within a group, both closed by the same condition, is an `exists`: one group less.
fn merge_double_groups(elements: &mut [Element]) {
    let mut depth = 1;
    for at in 0..elements.len() {
        if elements[at].marks.begin == depth + 2 && closes_both(&elements[at..], depth) {
            elements[at].marks.opens_exists = true;
            for element in &mut elements[at..] {
                element.marks.begin -= 1;
                if element.marks.end <= depth {
                    break;
                }
                element.marks.end -= 1;
            }
        }
        depth = elements[at].marks.end;
    }
}

fn closes_both(elements: &[Element], outer: u32) -> bool {
    let inner = elements[0].marks.begin;
    elements
        .iter()
        .find(|element| element.marks.end < inner)
        .is_some_and(|last| last.marks.end <= outer)
}
