//! Names that a block defines and names that it uses.

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::TextRange;

use crate::interpreter;

/// Scopes are not told apart: a name that is defined anywhere in the block is not free.
#[derive(Default)]
pub(super) struct Names<'a> {
    defined: BTreeSet<&'a str>,
    /// Names of modules in this block, and which modules they are.
    modules: BTreeMap<&'a str, &'a str>,
    /// Places in `used`.
    known: BTreeMap<&'a str, usize>,
    used: Vec<Used<'a>>,
}

/// A name that is used, and not built in.
pub(super) struct Used<'a> {
    pub(super) name: &'a str,
    /// Its first place.
    pub(super) range: TextRange,
    pub(super) called: bool,
}

impl<'a> Names<'a> {
    pub(super) fn define(&mut self, name: &'a str) {
        self.defined.insert(name);
    }

    pub(super) fn define_module(&mut self, name: &'a str, module: &'a str) {
        self.define(name);
        self.modules.insert(name, module);
    }

    /// The module that a name stands for.
    pub(super) fn module(&self, name: &'a str) -> Option<&'a str> {
        let implied = || interpreter::IMPLIED_MODULES.contains(&name) && !self.is_defined(name);
        self.modules.get(name).copied().or_else(|| implied().then_some(name))
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    pub(super) fn use_name(&mut self, name: &'a str, range: TextRange, called: bool) {
        if name == "state" || interpreter::is_builtin(name) {
            return;
        }
        let at = *self.known.entry(name).or_insert(self.used.len());
        match self.used.get_mut(at) {
            Some(used) => used.called |= called,
            None => self.used.push(Used { name, range, called }),
        }
    }

    /// Names that are used and not defined.
    pub(super) fn free(self) -> impl Iterator<Item = Used<'a>> {
        let defined = self.defined;
        self.used.into_iter().filter(move |used| !defined.contains(used.name))
    }
}
