//! The join network: how the matches of patterns become matches of rules.
//!
//! Each condition is a join. What was matched before comes from the left, facts that match the
//! condition's pattern, or the matches of a group, from the right. Rules that begin with the same
//! conditions share joins. What is shared and in which order joins are told is as in CLIPS.

use std::collections::BTreeMap;

use super::patterns::Patterns;
use super::place::{Place, Side};
use super::test::Test;
use super::variables::Spec;
use crate::field::mix;

/// What a join takes from the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Right {
    /// Nothing: it only tests, or ends a rule.
    Nothing,
    /// Facts that match a pattern.
    Alpha(u32),
    /// Matches of the group that ends with this join.
    Group(u32),
}

/// A join.
#[derive(Debug)]
pub(crate) struct Join {
    /// The join before; none for the first of a rule.
    pub parent: Option<u32>,
    pub right: Right,
    /// Nothing on the right may fit.
    pub negated: bool,
    /// Something on the right must fit.
    pub exists: bool,
    /// What both sides must fulfil.
    pub test: Vec<Test>,
    /// What is asked once it is clear whether something fits.
    pub after: Vec<Test>,
    /// The values by which a side finds the other.
    pub left_hash: Vec<Place>,
    /// The same for matches of a group; those of facts are kept with the pattern.
    pub right_hash: Vec<Place>,
    /// Who is told of what was joined, and on which side, in order.
    pub links: Vec<(u32, Side)>,
    /// The way of a rule that is complete here.
    pub way: Option<u32>,
    /// Of how many facts a match on the left consists.
    pub left_length: u32,
    /// Of how many facts a match of a group on the right consists.
    pub right_length: u32,
    /// Whether what is on its left supports facts.
    is_logical: bool,
    /// Whether it has matches while there are no facts, and whether its sides do.
    is_filled: bool,
    has_filled_sides: bool,
}

impl Join {
    /// Whether it is the first of a rule.
    pub(crate) fn is_first(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether its right side is a group.
    pub(crate) fn is_group(&self) -> bool {
        matches!(self.right, Right::Group(_))
    }

    /// Whether matches on the left go on while nothing on the right fits.
    pub(crate) fn blocks(&self) -> bool {
        (self.negated || self.is_group()) && !self.exists
    }
}

/// The joins of all rules.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    pub joins: Vec<Join>,
    /// First joins that need no fact: they are told once, at a reset.
    pub free: Vec<u32>,
    /// First joins that hold while nothing fits: they are told at a reset, too.
    pub empty: Vec<u32>,
    /// The joins after a join that take the same from the right and whose tests have the same
    /// digest: among these is one to share.
    known: BTreeMap<(Option<u32>, Right, u64), Vec<u32>>,
}

/// What a join is made of; two that ask the same can be one.
struct Wanted<'a> {
    right: Right,
    is_first: bool,
    negated: bool,
    exists: bool,
    test: &'a [Test],
    after: &'a [Test],
    left_hash: &'a [Place],
    right_hash: &'a [Place],
    /// Whether facts will depend on what is on its left.
    is_logical: bool,
}

/// The joins of one way of a rule, made or found.
pub(super) struct Chain {
    /// The join that completes the way.
    pub last: u32,
    /// The join whose left side holds what the rule's assertions depend on.
    pub logical: Option<u32>,
    /// The joins outside of groups, in order, and the condition that each begins with.
    pub steps: Vec<(usize, u32)>,
}

impl Joins {
    /// Makes the joins of a way, or finds those that other rules have.
    pub(super) fn chain(
        &mut self,
        patterns: &mut Patterns,
        specs: &[Spec],
        logical: Option<u32>,
    ) -> Chain {
        let steps = Vec::new();
        let mut building = Building { joins: self, patterns, reuse: true, steps, logical };
        let last =
            if specs.is_empty() { building.free_join() } else { building.group(specs, 0, 1, None) };
        let steps = building.steps;
        let end = self.create(Wanted::end(), Some(last));
        // The match that all logical conditions make is on the left of the join after them.
        let mut logical_join = None;
        if let Some(logical) = logical {
            let mut at = Some(end);
            while let Some(join) = at {
                if self.joins[join as usize].output_length() == logical {
                    self.joins[join as usize].is_logical = true;
                    logical_join = Some(join);
                }
                at = self.joins[join as usize].parent;
            }
        }
        Chain { last: end, logical: logical_join, steps }
    }

    fn create(&mut self, wanted: Wanted, parent: Option<u32>) -> u32 {
        let id = self.joins.len() as u32;
        let length = |join: u32| self.joins[join as usize].output_length();
        let left_length = parent.map_or(1, length);
        let right_length = match wanted.right {
            Right::Group(join) => length(join),
            _ => 1,
        };
        let filled = |join: u32| self.joins[join as usize].is_filled;
        let left_filled = parent.is_none_or(filled);
        let right_filled = matches!(wanted.right, Right::Group(join) if filled(join));
        let blocks = (wanted.negated || matches!(wanted.right, Right::Group(_))) && !wanted.exists;
        self.joins.push(Join {
            is_logical: false,
            is_filled: left_filled
                && match wanted.right {
                    Right::Nothing => true,
                    Right::Alpha(_) => blocks,
                    Right::Group(_) => right_filled != blocks,
                },
            has_filled_sides: (left_filled && parent.is_some()) || right_filled,
            parent,
            right: wanted.right,
            negated: wanted.negated && !wanted.exists,
            exists: wanted.exists,
            test: wanted.test.to_vec(),
            after: wanted.after.to_vec(),
            left_hash: wanted.left_hash.to_vec(),
            right_hash: wanted.right_hash.to_vec(),
            links: Vec::new(),
            way: None,
            left_length,
            right_length,
        });
        // Lists grow at their ends and are turned around in the end: the newest is told first,
        // but a group is told after what it consists of.
        let is_group = matches!(wanted.right, Right::Group(_));
        if let Some(parent) = parent {
            let links = &mut self.joins[parent as usize].links;
            let at = if is_group && !links.is_empty() { links.len() - 1 } else { links.len() };
            links.insert(at, (id, Side::Left));
        }
        match wanted.right {
            Right::Nothing if parent.is_none() => self.free.push(id),
            Right::Group(join) => self.joins[join as usize].links.push((id, Side::Right)),
            _ => {}
        }
        let join = &self.joins[id as usize];
        if join.is_first() && join.blocks() {
            self.empty.push(id);
        }
        id
    }

    /// Brings the lists into the order in which they are told.
    pub(crate) fn finish(&mut self) {
        self.joins.iter_mut().for_each(|join| join.links.reverse());
        self.free.reverse();
        self.empty.reverse();
    }
}

impl Join {
    /// Of how many facts its matches consist: as many as there are joins up to this one.
    fn output_length(&self) -> u32 {
        if self.is_first() { 1 } else { self.left_length + 1 }
    }

    fn is(&self, wanted: &Wanted) -> bool {
        self.right == wanted.right
            && self.is_first() == wanted.is_first
            && (wanted.exists || self.negated == wanted.negated)
            && self.exists == wanted.exists
            && self.way.is_none()
            // CLIPS does not begin to support facts by matches that are there already.
            && !(wanted.is_logical && !self.is_logical && self.has_filled_sides)
            && self.test == wanted.test
            && self.after == wanted.after
            && self.left_hash == wanted.left_hash
            && self.right_hash == wanted.right_hash
    }
}

impl Wanted<'_> {
    /// The join that ends a rule.
    fn end() -> Wanted<'static> {
        Wanted {
            right: Right::Nothing,
            is_first: false,
            negated: false,
            exists: false,
            test: &[],
            after: &[],
            left_hash: &[],
            right_hash: &[],
            is_logical: false,
        }
    }
}

/// What follows a condition.
struct Next {
    at: Option<usize>,
    /// The test that belongs to the group before it.
    test: Option<usize>,
}

struct Building<'a> {
    joins: &'a mut Joins,
    patterns: &'a mut Patterns,
    /// Whether joins of other rules may still be used: not after the first that had to be made.
    reuse: bool,
    steps: Vec<(usize, u32)>,
    /// How deep the join is on whose left the logical conditions are.
    logical: Option<u32>,
}

impl Building<'_> {
    /// The join of a rule without conditions.
    fn free_join(&mut self) -> u32 {
        let wanted = Wanted { is_first: true, ..Wanted::end() };
        self.find_or_create(wanted, None)
    }

    /// The joins of the conditions at one depth, from a position on. Returns the last.
    fn group(&mut self, specs: &[Spec], start: usize, depth: u32, before: Option<u32>) -> u32 {
        let mut last = before;
        let mut at = start;
        loop {
            let spec = &specs[at];
            let next = self.next(specs, at, depth);
            let is_logical = depth == 1 && self.logical == Some(self.steps.len() as u32 + 1);
            let wanted = if spec.marks.begin > depth {
                let inner = self.group(specs, at, depth + 1, last);
                // CLIPS looks for it where it cannot be found.
                self.reuse &= last.is_some() || spec.pattern.is_some();
                Wanted {
                    right: Right::Group(inner),
                    is_first: last.is_none(),
                    negated: spec.marks.negated,
                    exists: spec.marks.opens_exists,
                    test: &spec.group_test,
                    after: next.test.map_or(&[], |test| &specs[test].test),
                    left_hash: &spec.group_hash,
                    right_hash: &spec.group_hash,
                    is_logical,
                }
            } else {
                let right = match &spec.pattern {
                    Some((template, nodes)) => {
                        let nodes = nodes.clone();
                        Right::Alpha(self.patterns.place(*template, nodes, &spec.right_hash))
                    }
                    None => Right::Nothing,
                };
                Wanted {
                    right,
                    is_first: last.is_none(),
                    negated: spec.marks.negated,
                    exists: spec.marks.exists,
                    test: &spec.test,
                    after: &spec.after,
                    left_hash: &spec.left_hash,
                    right_hash: &[],
                    is_logical,
                }
            };
            let join = self.find_or_create(wanted, last);
            if depth == 1 {
                self.steps.push((at, join));
            }
            match next.at {
                Some(next) => (last, at) = (Some(join), next),
                None => return join,
            }
        }
    }

    /// What follows a condition at one depth; a test after a group belongs to the group's join.
    fn next(&self, specs: &[Spec], at: usize, depth: u32) -> Next {
        let is_there = |at: usize| (at < specs.len()).then_some(at);
        if specs[at].marks.end < depth {
            return Next { at: None, test: None };
        }
        let is_group = specs[at].marks.begin > depth;
        if specs[at].marks.end == depth && !is_group {
            let ends = |next: &Spec| next.marks.is_test && next.marks.end < depth;
            let next = specs.get(at + 1).filter(|next| !ends(next)).map(|_| at + 1);
            return Next { at: next, test: None };
        }
        let closing = (at..specs.len()).find(|next| specs[*next].marks.end <= depth);
        let Some(closing) = closing.filter(|closing| specs[*closing].marks.end == depth) else {
            return Next { at: None, test: None };
        };
        match specs.get(closing + 1) {
            Some(test) if test.marks.is_test && test.marks.begin >= depth => {
                let goes_on = if test.marks.end < depth { None } else { is_there(closing + 2) };
                Next { at: goes_on, test: Some(closing + 1) }
            }
            _ => Next { at: is_there(closing + 1), test: None },
        }
    }

    fn find_or_create(&mut self, wanted: Wanted, parent: Option<u32>) -> u32 {
        let digest = mix(Test::digest_all(wanted.test), Test::digest_all(wanted.after));
        let key = (parent, wanted.right, digest);
        if self.reuse {
            let known = self.joins.known.get(&key);
            let mut newest_first = known.into_iter().flatten().rev();
            if let Some(shared) =
                newest_first.find(|id| self.joins.joins[**id as usize].is(&wanted))
            {
                return *shared;
            }
        }
        self.reuse = false;
        let right = wanted.right;
        let id = self.joins.create(wanted, parent);
        self.joins.known.entry(key).or_default().push(id);
        if let Right::Alpha(alpha) = right {
            self.patterns.alphas[alpha as usize].joins.push(id);
        }
        id
    }
}
