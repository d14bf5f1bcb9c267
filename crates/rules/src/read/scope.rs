//! The variables of one rule or one function while it is read.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::Span;
use value::Text;

use crate::program::{TemplateId, VariableId};

/// What is known of variables.
#[derive(Default)]
pub(super) struct Scope {
    /// The names, by id. A loop's variable has an id of its own, also where its name is taken.
    pub(super) variables: Vec<Text>,
    named: BTreeMap<Text, VariableId>,
    /// Variables of the loops around, innermost last.
    loops: Vec<(Text, VariableId)>,
    /// Those that something binds.
    pub(super) bound: BTreeSet<VariableId>,
    /// Where each is used, and so must be bound.
    pub(super) uses: Vec<(VariableId, Span)>,
    /// The templates of the facts that variables hold.
    pub(super) facts: BTreeMap<VariableId, TemplateId>,
    /// Those that `bind` gave another value.
    pub(super) bound_again: BTreeSet<VariableId>,
    /// Whether conditions are being read.
    pub(super) in_conditions: bool,
    /// What this is, where it has no variables at all.
    pub(super) without: Option<&'static str>,
}

impl Scope {
    /// A place where there are no variables.
    pub(super) fn constant(what: &'static str) -> Scope {
        Scope { without: Some(what), ..Scope::default() }
    }

    /// The conditions of a rule.
    pub(super) fn conditions() -> Scope {
        Scope { in_conditions: true, ..Scope::default() }
    }

    fn fresh(&mut self, name: &str) -> VariableId {
        let id = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(name.into());
        id
    }

    /// The variable of this name, outside of loops.
    pub(super) fn own(&mut self, name: &str) -> VariableId {
        if let Some(id) = self.named.get(name) {
            return *id;
        }
        let id = self.fresh(name);
        self.named.insert(name.into(), id);
        id
    }

    /// The variable that a use of the name means here.
    pub(super) fn used(&mut self, name: &str, span: Span) -> VariableId {
        if let Some(id) = self.of_loop(name) {
            return id;
        }
        let id = self.own(name);
        self.uses.push((id, span));
        id
    }

    /// The variable of a loop around.
    pub(super) fn of_loop(&self, name: &str) -> Option<VariableId> {
        let found = self.loops.iter().rev().find(|(known, _)| **known == *name);
        found.map(|(_, id)| *id)
    }

    /// Enters a loop whose variable has this name.
    pub(super) fn enter(&mut self, name: &str) -> VariableId {
        let id = self.fresh(name);
        self.loops.push((name.into(), id));
        id
    }

    /// Leaves the innermost loop.
    pub(super) fn leave(&mut self) {
        self.loops.pop();
    }

    /// Whether there is a variable of this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.of_loop(name).is_some() || self.named.contains_key(name)
    }

    /// Uses that nothing binds, each variable once.
    pub(super) fn unbound(&mut self) -> Vec<(VariableId, Span)> {
        let mut seen = BTreeSet::new();
        let uses = std::mem::take(&mut self.uses);
        uses.into_iter().filter(|(id, _)| !self.bound.contains(id) && seen.insert(*id)).collect()
    }

    /// The names of what is bound.
    pub(super) fn bound_names(&self) -> impl Iterator<Item = &str> {
        self.bound.iter().filter_map(|id| self.variables.get(id.0 as usize)).map(|name| &**name)
    }
}
