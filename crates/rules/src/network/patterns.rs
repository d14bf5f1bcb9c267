//! The pattern network: one tree per template, through which each new fact goes once.
//!
//! Patterns that begin alike share nodes. Newer branches are tried first; this, too, decides the
//! order in which rules fire, and is as in CLIPS. Where a field must be one certain value, a node
//! looks up the branch for the value it has, so a thousand rules on one slot cost as much as one.

use std::collections::BTreeMap;

use super::place::{At, ListLayout, Place, here};
use super::test::Test;
use crate::field::{Field, mix};
use crate::program::{SlotPattern, TemplateId};

/// No node, no match, no fact.
pub(crate) const NONE: u32 = u32::MAX;

/// What a pattern asks of one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeSpec {
    slot: u32,
    /// Which field of the pattern in its list; 0 in a slot with one field.
    index: u32,
    /// Whether it stands for a stretch of free length.
    many: bool,
    /// How many fields of length one are after it.
    leave: u32,
    /// Whether it is the last that is asked of its list.
    is_last: bool,
    /// What the field must be, if it is one certain value and nothing else is asked of it.
    constant: Option<Field>,
    at: At,
    tests: Vec<Test>,
}

impl NodeSpec {
    /// What is asked of a slot with one field.
    pub(crate) fn of_slot(slot: u32, tests: Vec<Test>) -> Option<NodeSpec> {
        if tests.is_empty() {
            return None;
        }
        let spec = NodeSpec {
            slot,
            index: 0,
            many: false,
            leave: 0,
            is_last: false,
            constant: None,
            at: At::Slot(slot),
            tests,
        };
        Some(spec.with_constant(0))
    }

    /// What is asked of the fields of a list, given the tests of each.
    pub(crate) fn of_list(
        pattern: &SlotPattern,
        layout: &ListLayout,
        tests: Vec<Vec<Test>>,
    ) -> Vec<NodeSpec> {
        let slot = pattern.slot;
        let length = |exact, count| Test::Length { slot, exact, count };
        let mut specs = Vec::new();
        for (at, (mut tests, field)) in tests.into_iter().zip(&pattern.fields).enumerate() {
            let around = layout.free_around(at);
            // The first field also asks whether the list is long enough.
            let exact = !field.many && around.1 == 0;
            let asks_length = at == 0 && (!field.many || layout.fixed() > 0);
            if asks_length {
                tests.insert(0, length(exact, layout.fixed()));
            }
            // One stretch needs no search: its length follows from the list's.
            let searched = field.many && around != (0, 0);
            if tests.is_empty() && !searched {
                continue;
            }
            let spec = NodeSpec {
                slot,
                index: u32::try_from(at).map_or(NONE, |at| at + 1),
                many: searched,
                // It counts only for a stretch that is searched, and behind one.
                leave: if searched || (around.0 > 0 && layout.stretches() > 0) {
                    layout.fixed_after(at)
                } else {
                    0
                },
                is_last: false,
                constant: None,
                at: layout.place(at),
                tests,
            };
            specs.push(spec.with_constant(usize::from(asks_length)));
        }
        if pattern.fields.is_empty() {
            specs.extend(NodeSpec::of_slot(slot, vec![length(true, 0)]));
        }
        if let Some(last) = specs.last_mut() {
            last.is_last = true;
        }
        specs
    }

    /// For a pattern that takes every fact of its template.
    fn anything() -> NodeSpec {
        NodeSpec {
            slot: 0,
            index: 0,
            many: false,
            leave: 0,
            is_last: false,
            constant: None,
            at: At::Slot(0),
            tests: Vec::new(),
        }
    }

    /// A number to look it up by: equal ones have equal ones.
    fn digest(&self) -> u64 {
        let constant = self.constant.as_ref().map_or(0, Field::digest);
        let field = mix(u64::from(self.slot), u64::from(self.index));
        mix(mix(field, constant), Test::digest_all(&self.tests))
    }

    /// Takes the constant out of the tests, if it is all that they ask beyond the length.
    fn with_constant(mut self, from: usize) -> NodeSpec {
        if !self.many
            && let [Test::Is { value, negated: false, .. }] = &self.tests[from..]
        {
            self.constant = Some(value.clone());
            self.tests.truncate(from);
        }
        self
    }
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    spec: NodeSpec,
    hash: Vec<At>,
    /// What goes on from here, in the order in which it is tried.
    pub children: Vec<u32>,
    /// The memory of the facts that got here, if a pattern ends here.
    pub alpha: Option<u32>,
    /// For a node that looks up values: the nodes for them, by their digests.
    table: Vec<u32>,
}

impl Node {
    pub(crate) fn slot(&self) -> u32 {
        self.spec.slot
    }

    /// Whether a stretch of free length is searched.
    pub(crate) fn is_search(&self) -> bool {
        self.spec.many
    }

    pub(crate) fn is_last(&self) -> bool {
        self.spec.is_last
    }

    /// How many fields of length one are before it in its list.
    pub(crate) fn fixed_before(&self, stretches: u32) -> u32 {
        self.spec.index.saturating_sub(1 + stretches)
    }

    pub(crate) fn leave(&self) -> u32 {
        self.spec.leave
    }

    pub(crate) fn tests(&self) -> &[Test] {
        &self.spec.tests
    }

    /// Where the value is by which it looks up the next node.
    pub(crate) fn looks_up(&self) -> Option<At> {
        (!self.table.is_empty()).then_some(self.spec.at)
    }

    /// The node for a value.
    pub(crate) fn next_for(&self, nodes: &[Node], value: &Field) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut at = usize::try_from(value.digest() & mask as u64).unwrap_or(0);
        loop {
            let next = self.table[at];
            if next == NONE {
                return None;
            }
            if nodes[next as usize].spec.constant.as_ref() == Some(value) {
                return Some(next);
            }
            at = (at + 1) & mask;
        }
    }
}

/// The memory of the facts that match a pattern.
#[derive(Debug)]
pub(crate) struct Alpha {
    /// The values by which joins find them.
    pub hash: Vec<Place>,
    /// The joins that take them, in the order in which they are told.
    pub joins: Vec<u32>,
}

/// The trees of all templates.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    /// The nodes at the top, for each template.
    pub roots: Vec<Vec<u32>>,
    pub nodes: Vec<Node>,
    pub alphas: Vec<Alpha>,
    /// The nodes of one digest under one node of a template, while the network grows.
    known: BTreeMap<(TemplateId, Option<u32>, u64), Vec<u32>>,
}

impl Patterns {
    pub(crate) fn new(templates: usize) -> Patterns {
        Patterns { roots: vec![Vec::new(); templates], ..Patterns::default() }
    }

    /// The memory for a pattern; shared with those that ask the same.
    pub(super) fn place(
        &mut self,
        template: TemplateId,
        mut specs: Vec<NodeSpec>,
        hash: &[At],
    ) -> u32 {
        if specs.is_empty() {
            specs.push(NodeSpec::anything());
        }
        let count = specs.len();
        let mut parent = None;
        for (at, spec) in specs.into_iter().enumerate() {
            let hash = if at + 1 == count { hash } else { &[] };
            let constant = spec.constant.clone();
            // First the node that asks or looks up, then the one for the value it finds.
            let looks_up = constant.is_some();
            // Only a look-up asks where the field is; tests say it themselves.
            let at = if looks_up { spec.at } else { At::Slot(spec.slot) };
            let asking = NodeSpec { constant: None, at, ..spec.clone() };
            parent = Some(self.node(template, parent, asking, hash, looks_up));
            if looks_up {
                parent = Some(self.node(template, parent, spec, hash, false));
            }
        }
        let last = &mut self.nodes[parent.map_or(0, |node| node as usize)];
        *last.alpha.get_or_insert_with(|| {
            self.alphas
                .push(Alpha { hash: hash.iter().copied().map(here).collect(), joins: Vec::new() });
            self.alphas.len() as u32 - 1
        })
    }

    fn node(
        &mut self,
        template: TemplateId,
        parent: Option<u32>,
        spec: NodeSpec,
        hash: &[At],
        looks_up: bool,
    ) -> u32 {
        let alike = self.known.entry((template, parent, spec.digest())).or_default();
        let same = alike.iter().find(|other| {
            let other = &self.nodes[**other as usize];
            other.spec == spec && other.hash == hash && other.table.is_empty() != looks_up
        });
        if let Some(known) = same {
            return *known;
        }
        let id = self.nodes.len() as u32;
        let table = if looks_up { vec![NONE] } else { Vec::new() };
        let hash = hash.to_vec();
        self.nodes.push(Node { spec, hash, children: Vec::new(), alpha: None, table });
        alike.push(id);
        match parent {
            Some(parent) => self.nodes[parent as usize].children.push(id),
            None => self.roots[template.0 as usize].push(id),
        }
        id
    }

    /// Brings the lists, which grew at their ends, into the order in which they are tried, and
    /// fills the tables.
    pub(crate) fn finish(&mut self) {
        self.known = BTreeMap::new();
        self.roots.iter_mut().for_each(|roots| roots.reverse());
        self.alphas.iter_mut().for_each(|alpha| alpha.joins.reverse());
        for at in 0..self.nodes.len() {
            self.nodes[at].children.reverse();
            if self.nodes[at].table.is_empty() {
                continue;
            }
            let values = std::mem::take(&mut self.nodes[at].children);
            let size = (values.len() * 2).next_power_of_two();
            let mut table = vec![NONE; size];
            for node in values {
                let digest = self.nodes[node as usize].spec.constant.as_ref().map(Field::digest);
                let mut slot = (digest.unwrap_or(0) as usize) & (size - 1);
                while table[slot] != NONE {
                    slot = (slot + 1) & (size - 1);
                }
                table[slot] = node;
            }
            self.nodes[at].table = table;
        }
    }
}
