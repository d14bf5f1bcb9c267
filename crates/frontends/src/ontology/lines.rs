//! Checks of edges: what they join, and rules 4, 21 and 22.

use diagnostics::{Anchor, Diagnostic, codes};
use value::At;

use super::Ontology;
use super::fields::{COMMON_EDGE, EdgeType, NodeType};
use super::shape::{Checker, list};
use super::spec::{Line, with_article};
use crate::yaml::{Node, Tree};

impl<'t> Checker<'_, 't> {
    /// Checks an edge.
    pub(super) fn line(&mut self, at: &At<'_>, line: &Line<'t>) {
        let own = match line.def {
            Some(def) if !def.later || self.ontology == Ontology::V02 => def.fields,
            Some(_) => return,
            None => {
                self.members(at, line.tree, COMMON_EDGE, line);
                return self.ends(line, false);
            }
        };
        self.object(at, line.tree, [COMMON_EDGE, own], line);
        self.ends(line, true);
        match line.def.map(|def| def.is) {
            Some(EdgeType::Loop) => self.leads_back(line),
            Some(EdgeType::Error) => self.is_covered(line),
            Some(EdgeType::Invoke) => self.retries(line),
            _ => {}
        }
    }

    /// Both ends exist, and are of types that the edge can join.
    fn ends(&mut self, line: &Line<'t>, is_known: bool) {
        let ends = line.def.map(|def| [&def.from, &def.to]);
        for (position, (key, id)) in [("from", line.from), ("to", line.to)].into_iter().enumerate()
        {
            if id.is_empty() {
                continue;
            }
            let at = line.place.member(line.tree, key);
            match self.spec.thing(id) {
                None if self.forgives(id)
                    || self.is_reported(&codes::UNKNOWN_REFERENCE, id, &at) => {}
                None => {
                    let message = format!("`{key}` of {line} names `{id}`, which does not exist");
                    let found = Diagnostic::new(&codes::UNKNOWN_REFERENCE, at.clone(), message);
                    let fits = ends.filter(|_| is_known).map(|ends| ends[position].fits);
                    let ids = self.spec.ids(fits.unwrap_or(|_| true));
                    let near = self.near(id, ids);
                    self.meant.extend(near);
                    let found = match near {
                        Some(near) => found.meant(near, at),
                        None => found.help("define it under `entities:` or `processes:`"),
                    };
                    self.report(found);
                }
                Some(_) => {
                    let (Some(def), Some(ends), true) = (self.spec.type_of(id), ends, is_known)
                    else {
                        continue;
                    };
                    // What such a node may do is said by the ontology that has it.
                    if (ends[position].fits)(def.is) || (def.later && self.ontology == Ontology::V1)
                    {
                        continue;
                    }
                    let verb = if key == "from" { "leave" } else { "lead to" };
                    let word = line.def.map_or("", |def| def.word);
                    let message = format!(
                        "{} edge {} {verb} {}, but `{id}` is {}",
                        with_article(word),
                        if *ends[position].code == codes::ODD_ENDS {
                            "is meant to"
                        } else {
                            "must"
                        },
                        ends[position].what,
                        with_article(def.word)
                    );
                    let mut found = Diagnostic::new(ends[position].code, at, message);
                    // Written the wrong way round, both ends are wrong for one reason.
                    let other = self.spec.thing(if key == "from" { line.to } else { line.from });
                    let is_turned = other.and_then(|other| other.def).is_some_and(|other| {
                        (ends[position].fits)(other.is) && (ends[1 - position].fits)(def.is)
                    });
                    if is_turned {
                        found =
                            found.help("it is written the wrong way round: swap `from` and `to`");
                        self.report(found);
                        return;
                    }
                    let is_call =
                        line.is(EdgeType::Invoke) && def.is == NodeType::Agent && key == "from";
                    self.report(if is_call {
                        found.help("call it from a step; `tools:` gives a tool to an agent")
                    } else {
                        match self.spec.ids(ends[position].fits).take(7).collect::<Vec<_>>() {
                            ids if ids.is_empty() || ids.len() > 6 => found,
                            ids => found.help(format!("it can be {}", list(ids.into_iter()))),
                        }
                    });
                }
            }
        }
    }

    /// Rule 4.
    fn leads_back(&mut self, line: &Line<'t>) {
        let (Some(from), Some(to)) = (self.spec.thing(line.from), self.spec.thing(line.to)) else {
            return;
        };
        let is_process = |id| self.spec.type_of(id).is_some_and(|def| !def.is.is_entity());
        if !is_process(line.from) || !is_process(line.to) {
            return;
        }
        if to.place.index >= from.place.index {
            let at = line.place.member(line.tree, "to");
            let message = if line.from == line.to {
                format!("{line} leads to where it begins")
            } else {
                format!("{line} leads forward: `{}` comes after `{}`", line.to, line.from)
            };
            let found = Diagnostic::new(&codes::RULE_4, at, message)
                .label(to.place.member(to.tree, "id"), "it leads here");
            self.report(
                found.help("a loop leads to a process earlier in the list; else use a flow edge"),
            );
        }
    }

    /// Rule 21.
    fn is_covered(&mut self, line: &Line<'t>) {
        if self.spec.thing(line.from).is_none_or(|from| from.place.list != "processes") {
            return;
        }
        if !self.covered.contains(line.from) {
            let at = line.place.member(line.tree, "from");
            let message =
                format!("no error handler covers `{}`, which this error edge leaves", line.from);
            let found = Diagnostic::new(&codes::RULE_21, at, message);
            self.report(
                found.help(format!("add `{}` to the `scope` of an error handler", line.from)),
            );
        }
    }

    /// Rule 22.
    fn retries(&mut self, line: &Line<'t>) {
        let Some(retry) = line.tree.get("retry") else { return };
        let count = retry.get("max_retries").and_then(Tree::as_int).unwrap_or_default();
        let errors = retry.get("retryable_errors").filter(|errors| !errors.is_null());
        if count > 0
            && errors
                .is_none_or(|errors| matches!(&errors.node, Node::List(items) if items.is_empty()))
        {
            let span = retry.get("max_retries").map_or(retry.span, |count| count.span);
            let at = Anchor::Located(span, line.place.pointer().child("retry"));
            let message = format!("{line} is tried again after any error");
            let found = Diagnostic::new(&codes::RULE_22, at, message);
            self.report(found.help("say for which: `retryable_errors: [timeout, rate_limit]`"));
        }
    }
}
