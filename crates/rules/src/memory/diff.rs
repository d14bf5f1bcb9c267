//! What changed between two points: the facts that only one of two memories has.

use std::sync::Arc;

use super::records::Fact;
use super::state::State;
use super::world::digest;
use super::{FactRef, Memory};
use crate::program::{Template, TemplateId};

/// The facts that only one of two memories has, each by index. A fact is what it says: one that was
/// retracted and asserted again is no difference, one that was modified is two.
#[derive(Clone, Debug, Default)]
pub struct Diff<'a> {
    /// Those that only the later one has.
    pub added: Vec<FactRef<'a>>,
    /// Those that only the earlier one has.
    pub removed: Vec<FactRef<'a>>,
}

impl Diff<'_> {
    /// Whether both have the same facts.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

impl Memory {
    /// What facts a later memory has that this one has not, and the other way round. A fork that
    /// was kept is a point to compare with.
    ///
    /// Of two forks, only facts near those that changed are looked at. Memories of different
    /// programs can be compared, too: their templates are the same if their names are.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use rules::{Limits, Memory, Rulebook, read::read};
    /// let (program, _) = read("(deffacts f (a)) (defrule r ?f <- (a) => (retract ?f) (assert (b)))");
    /// let book = Rulebook::new(program).unwrap();
    /// let mut memory = Memory::new(Arc::new(book), Limits::default());
    /// let before = memory.fork();
    /// memory.run(|_| {});
    /// let diff = before.diff(&memory);
    /// assert_eq!((diff.removed.len(), diff.added.len()), (1, 1));
    /// ```
    pub fn diff<'a>(&'a self, later: &'a Memory) -> Diff<'a> {
        let mut diff = Diff::default();
        let forth = Templates::new(self, later);
        let back = Templates::new(later, self);
        for place in self.state.facts.unshared(&later.state.facts) {
            if let Some(fact) = at(&self.state, place)
                && !forth.knows(fact)
            {
                diff.removed.push(FactRef::new(fact, place));
            }
            if let Some(fact) = at(&later.state, place)
                && !back.knows(fact)
            {
                diff.added.push(FactRef::new(fact, place));
            }
        }
        diff.removed.sort_unstable_by_key(|fact| fact.index);
        diff.added.sort_unstable_by_key(|fact| fact.index);
        diff
    }
}

fn at(state: &State, place: u32) -> Option<&Fact> {
    (place < state.facts.places()).then(|| state.facts.get(place)).filter(|fact| fact.live)
}

/// Facts of one memory in another.
struct Templates<'a> {
    to: &'a State,
    /// What the other calls each template; nothing if both work by one program.
    ids: Option<Vec<Option<TemplateId>>>,
}

impl<'a> Templates<'a> {
    fn new(from: &Memory, to: &'a Memory) -> Templates<'a> {
        let is_one = Arc::ptr_eq(&from.book, &to.book);
        let ids = (!is_one).then(|| {
            let known = &to.book.program().templates;
            let find = |template: &Template| {
                let at = known.iter().position(|other| other.name == template.name);
                at.map(|at| TemplateId(at as u32))
            };
            from.book.program().templates.iter().map(find).collect()
        });
        Templates { to: &to.state, ids }
    }

    fn knows(&self, fact: &Fact) -> bool {
        let (template, digest) = match &self.ids {
            None => (Some(fact.template), fact.digest),
            Some(ids) => {
                let id = ids[fact.template.0 as usize];
                (id, id.map_or(0, |id| digest(id, &fact.fields)))
            }
        };
        let steps = &mut { u64::MAX };
        template.is_some_and(|id| self.to.equal_fact(id.0, &fact.fields, digest, steps).is_some())
    }
}
