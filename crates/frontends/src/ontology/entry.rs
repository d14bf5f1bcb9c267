//! Rule 2: where a run begins.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic, codes};
use value::Pointer;

use super::fields::EdgeType;
use super::shape::{Checker, list};
use super::spec::{Thing, with_article};

impl Checker<'_, '_> {
    /// Rule 2.
    pub(super) fn entry(&mut self) {
        let spec = self.spec;
        if spec.tree.get("processes").is_none_or(|value| value.as_list().is_none()) {
            return;
        }
        let root = Pointer::root();
        match spec.tree.get("entry_point").filter(|value| !value.is_null()) {
            Some(value) => {
                let Some(entry) = value.as_text() else { return };
                let is_process = |thing: &&Thing<'_>| thing.place.list == "processes";
                let message = match spec.thing(entry) {
                    Some(thing) if thing.def.is_none() => return,
                    Some(thing)
                        if is_process(&thing)
                            && thing.def.is_some_and(|def| def.is.is_passed()) =>
                    {
                        return;
                    }
                    Some(thing) => format!(
                        "`entry_point` must be a process that control can pass, but `{entry}` is {}",
                        thing.def.map_or("none".to_string(), |def| with_article(def.word))
                    ),
                    None if self.forgives(entry) => return,
                    None => format!("`entry_point` is `{entry}`, which does not exist"),
                };
                let at = Anchor::Located(value.span, root.child("entry_point"));
                let found = Diagnostic::new(&codes::RULE_2, at.clone(), message);
                let ids: Vec<&str> = spec.processes().map(|(_, thing)| thing.id).collect();
                let found = match self.near(entry, ids.iter().copied()) {
                    Some(near) => found.meant(near, at),
                    None => match ids.first() {
                        Some(first) => {
                            found.help(format!("a run may begin with `{first}`, the first process"))
                        }
                        None => found,
                    },
                };
                self.report(found);
            }
            None => {
                let led_to: BTreeSet<&str> = spec
                    .edges
                    .iter()
                    .filter(|line| line.is(EdgeType::Flow) || line.is(EdgeType::Loop))
                    .map(|line| line.to)
                    .collect();
                let roots: Vec<&str> = spec
                    .processes()
                    .map(|(_, thing)| thing.id)
                    .filter(|id| !led_to.contains(id))
                    .collect();
                if roots.len() == 1 || spec.nameless > 0 && spec.processes().next().is_some() {
                    return;
                }
                let probable = super::control::entry(spec).map(|process| spec.things[process].id);
                let at = Anchor::Located(
                    spec.tree.entry("processes").map_or(spec.tree.span, |(key, _)| key.span),
                    root.child("entry_point"),
                );
                let (message, help) = match roots.as_slice() {
                    [] if spec.processes().next().is_none() => (
                        "the spec has no process".to_string(),
                        "add a process, for example a step".to_string(),
                    ),
                    [] => {
                        let first = probable.unwrap_or("first_step");
                        (
                            "every process has an incoming flow or loop edge, so none is the first"
                                .to_string(),
                            format!("say where a run begins: `entry_point: {first}`"),
                        )
                    }
                    [first, ..] => (
                        format!("{} processes have no incoming flow or loop edge", roots.len()),
                        format!(
                            "say where a run begins: `entry_point: {}` (it could be {})",
                            probable.unwrap_or(first),
                            list(roots.iter().copied().take(6))
                        ),
                    ),
                };
                self.report(Diagnostic::new(&codes::RULE_2, at, message).help(help));
            }
        }
    }
}
