//! `composite = ["fetch", { tool = "store", original = "request" }]`
//!
//! The parts of a tool may stand anywhere in the file, so that they are found when all of it is
//! read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::plain;
use runtime::Money;
use toml::de::DeValue;
use value::Text;

use super::Tool;
use super::reader::{Known, Members, Place, Reader, text, time};
use crate::tools::checked::Checked;
use crate::tools::contract::Declared;
use crate::tools::{BUILTINS, Builtin, Composite, Part, Terms};

const MEMBERS: Known =
    &[("tool", "the id of a tool, as text"), ("original", "the name of an argument, as text")];

/// How many parts a tool may have.
const PARTS_MAX: usize = 32;

/// A tool whose parts are not found yet.
pub(super) struct Unmade {
    id: Text,
    parts: Vec<(Text, Option<Text>, Place)>,
    timeout: Option<Duration>,
    concurrency: Option<usize>,
    terms: Terms,
}

impl Reader<'_> {
    pub(super) fn composite(
        &mut self,
        id: &Text,
        members: &Members<'_, '_>,
        concurrency: Option<usize>,
        terms: Terms,
    ) {
        let timeout = self.given(members, "timeout", time);
        let Some(item) = members.get("composite") else { return };
        let DeValue::Array(items) = item.get_ref() else {
            self.found(item.span(), "`composite` must be a list of ids of tools");
            return;
        };
        let mut parts = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(tool) => parts.push((Text::from(&**tool), None, item.span())),
                DeValue::Table(table) => {
                    let own = self.members(table, MEMBERS);
                    let original = self.given(&own, "original", text).map(Text::from);
                    match self.given(&own, "tool", text) {
                        Some(tool) => parts.push((tool.into(), original, item.span())),
                        None => self.found(item.span(), "a part needs `tool`: its id"),
                    }
                }
                _ => self.found(item.span(), "a part is the id of a tool"),
            }
        }
        if parts.is_empty() || parts.len() > PARTS_MAX {
            let message = format!("`composite` has from 1 to {PARTS_MAX} tools");
            self.found(item.span(), message);
            return;
        }
        self.unmade.push(Unmade { id: id.clone(), parts, timeout, concurrency, terms });
    }

    /// Makes the tools that are made of others, those first whose parts are there.
    pub(super) fn make_composites(&mut self, tools: &mut BTreeMap<Text, Tool>) {
        let mut left = std::mem::take(&mut self.unmade);
        loop {
            let waiting: Vec<Text> = left.iter().map(|one| one.id.clone()).collect();
            let is_ready =
                |one: &Unmade| one.parts.iter().all(|(tool, ..)| !waiting.contains(tool));
            let (ready, rest): (Vec<Unmade>, Vec<Unmade>) = left.into_iter().partition(is_ready);
            left = rest;
            if ready.is_empty() {
                break;
            }
            for unmade in ready {
                let id = unmade.id.clone();
                tools.extend(self.made(unmade, tools).map(|tool| (id, tool)));
            }
        }
        for unmade in &left {
            let ids: Vec<&Text> = left.iter().map(|one| &one.id).collect();
            for (tool, _, at) in unmade.parts.iter().filter(|(tool, ..)| ids.contains(&tool)) {
                let message = format!(
                    "`{}` is made of `{}`, which is made of it again",
                    plain(&unmade.id),
                    plain(tool)
                );
                self.found(at.clone(), message);
            }
        }
    }

    /// What a part needs, the whole needs; and what all of them cost, it costs.
    fn made(&mut self, unmade: Unmade, tools: &BTreeMap<Text, Tool>) -> Option<Tool> {
        let Unmade { id, parts: named, timeout, concurrency, mut terms } = unmade;
        let mut permissions = terms.permissions.take().unwrap_or_default();
        let mut cost = Money::ZERO;
        let mut parts = Vec::new();
        for (tool, original, at) in named {
            let built_in = || Builtin::find(&tool).map(Tool::built_in);
            let Some(part) = tools.get(&tool).cloned().or_else(built_in) else {
                let built_in = BUILTINS.iter().map(|tool| tool.name);
                let known: Vec<&str> = tools.keys().map(|id| &**id).chain(built_in).collect();
                self.unknown(at, "tool", &tool, &known);
                continue;
            };
            permissions.extend(part.terms.permissions.iter().flatten().cloned());
            cost = cost.plus(part.terms.cost.unwrap_or_default());
            let checked = Checked::new(&tool, &part.bound, &part.terms, &Declared::default());
            parts.push(Part { tool, bound: Arc::new(checked), original });
        }
        permissions.sort();
        permissions.dedup();
        terms.permissions = (!permissions.is_empty()).then_some(permissions);
        terms.cost = terms.cost.or((cost != Money::ZERO).then_some(cost));
        let bound = Arc::new(Composite { id, parts, timeout });
        Some(Tool { bound, concurrency, terms })
    }
}
