//! Checks of edges: what they join, and rules 4, 21 and 22.

use diagnostics::{Anchor, Diagnostic, codes};
use value::At;

use super::Ontology;
use super::fields::{COMMON_EDGE, EdgeDef, EdgeType, NodeDef, NodeType, Wanted};
use super::shape::{Checker, list};
use super::spec::{Line, with_article};
use crate::yaml::{Node, Tree};

impl<'t> Checker<'_, 't> {
    /// Checks an edge.
    pub(super) fn line(&mut self, at: &At<'_>, line: &Line<'t>) {
        let Some(def) = line.def else {
            self.members(at, line.tree, COMMON_EDGE, line);
            return self.ends(line, None);
        };
        if def.later && self.ontology == Ontology::V1 {
            return;
        }
        self.object(at, line.tree, [COMMON_EDGE, def.fields], line);
        self.ends(line, Some(def));
        match def.is {
            EdgeType::Loop => self.leads_back(line),
            EdgeType::Error => self.is_covered(line),
            EdgeType::Invoke => self.retries(line),
            _ => {}
        }
    }

    /// Both ends exist, and are of types that the edge can join, where its type is known.
    fn ends(&mut self, line: &Line<'t>, def: Option<&'static EdgeDef>) {
        for key in ["from", "to"] {
            let id = if key == "from" { line.from } else { line.to };
            if id.is_empty() {
                continue;
            }
            let is_known = self.spec.thing(id).is_some();
            let (wanted, other) = match def {
                Some(def) if key == "from" => (Some(&def.from), Some(&def.to)),
                Some(def) => (Some(&def.to), Some(&def.from)),
                None => (None, None),
            };
            if !is_known {
                self.unknown_end(line, key, id, wanted);
                continue;
            }
            let (Some(wanted), Some(other)) = (wanted, other) else { continue };
            let Some(node) = self.spec.type_of(id) else { continue };
            // What a later node may do is said by the ontology that has it.
            if (wanted.fits)(node.is) || (node.later && self.ontology == Ontology::V1) {
                continue;
            }
            // Written the wrong way round, both ends are wrong for one reason.
            let opposite = self.spec.thing(if key == "from" { line.to } else { line.from });
            let is_turned = opposite
                .and_then(|opposite| opposite.def)
                .is_some_and(|opposite| (wanted.fits)(opposite.is) && (other.fits)(node.is));
            let found = self.wrong_end(line, key, wanted, node);
            if is_turned {
                let help = "it is written the wrong way round: swap `from` and `to`";
                return self.report(found.help(help));
            }
            self.report(found);
        }
    }

    fn unknown_end(&mut self, line: &Line<'t>, key: &str, id: &'t str, wanted: Option<&Wanted>) {
        let at = line.place.member(line.tree, key);
        if self.forgives(id) || self.is_reported(&codes::UNKNOWN_REFERENCE, id, &at) {
            return;
        }
        let message = format!("`{key}` of {line} names `{id}`, which does not exist");
        let found = Diagnostic::new(&codes::UNKNOWN_REFERENCE, at.clone(), message);
        let fits: fn(NodeType) -> bool = wanted.map_or(|_| true, |wanted| wanted.fits);
        let near = self.near(id, self.spec.ids(fits));
        self.meant.extend(near);
        self.report(match near {
            Some(near) => found.meant(near, at),
            None => found.help("define it under `entities:` or `processes:`"),
        });
    }

    fn wrong_end(&self, line: &Line<'t>, key: &str, wanted: &Wanted, node: &NodeDef) -> Diagnostic {
        const LISTED_MAX: usize = 6;
        let verb = if key == "from" { "leave" } else { "lead to" };
        let must = if *wanted.code == codes::ODD_ENDS { "is meant to" } else { "must" };
        let message = format!(
            "{} edge {must} {verb} {}, but `{}` is {}",
            with_article(line.def.map_or("", |def| def.word)),
            wanted.what,
            if key == "from" { line.from } else { line.to },
            with_article(node.word)
        );
        let found = Diagnostic::new(wanted.code, line.place.member(line.tree, key), message);
        if line.is(EdgeType::Invoke) && node.is == NodeType::Agent && key == "from" {
            return found.help("call it from a step; `tools:` gives a tool to an agent");
        }
        let ids: Vec<&str> = self.spec.ids(wanted.fits).take(LISTED_MAX + 1).collect();
        match ids.len() {
            1..=LISTED_MAX => found.help(format!("it can be {}", list(ids.into_iter()))),
            _ => found,
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
