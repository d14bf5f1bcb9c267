//! What variables are bound to while the conditions of a rule are read.

use std::collections::BTreeMap;

use super::place::{At, Place, Side};
use crate::program::VariableId;

/// Where a variable's value is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub variable: VariableId,
    /// Whether it stands for a list.
    pub many: bool,
    /// The condition that bound it.
    pub element: usize,
    /// The depth of the group that it was bound in.
    pub group: u32,
    /// Which fact of a match.
    pub depth: u32,
    pub at: At,
}

/// Bindings in the order in which they were made, and the last of each variable.
#[derive(Default)]
pub(super) struct Bindings {
    pub list: Vec<Binding>,
    last: BTreeMap<VariableId, usize>,
    /// The depth of the deepest group that one of them is of.
    deepest: u32,
}

impl Bindings {
    fn get(&self, variable: VariableId) -> Option<Binding> {
        self.last.get(&variable).map(|at| self.list[*at])
    }

    /// What a variable means in a pattern behind these.
    pub(super) fn lookup(&self, within: &Within, variable: VariableId) -> Option<Binding> {
        within.bindings.get(variable).or_else(|| self.get(variable))
    }

    pub(super) fn push(&mut self, binding: Binding) {
        self.last.insert(binding.variable, self.list.len());
        self.deepest = self.deepest.max(binding.group);
        self.list.push(binding);
    }

    /// Forgets what was bound in groups that are deeper than this one.
    pub(super) fn leave(&mut self, depth: u32) {
        if self.deepest > depth {
            let list = std::mem::take(self).list.into_iter();
            list.filter(|binding| binding.group <= depth).for_each(|binding| self.push(binding));
        }
    }

    /// The last of each variable, in the order in which they were made.
    pub(super) fn latest(self) -> Vec<Binding> {
        let Bindings { list, last, .. } = self;
        let is_last = |at: usize, binding: &Binding| last.get(&binding.variable) == Some(&at);
        let all = list.into_iter().enumerate();
        all.filter(|(at, binding)| is_last(*at, binding)).map(|(_, binding)| binding).collect()
    }
}

/// The variables that a pattern binds while it is read.
pub(super) struct Within {
    pub element: usize,
    pub bindings: Bindings,
}

pub(super) fn left_place(binding: Binding) -> Place {
    Place { side: Side::Left, depth: binding.depth, at: binding.at }
}
