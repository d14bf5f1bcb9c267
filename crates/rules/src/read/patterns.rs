//! Conditions, and the patterns they ask facts for.

use std::collections::BTreeMap;

use diagnostics::{Span, codes};

use super::Reader;
use super::expr::Flow;
use super::findings::at;
use super::rules::address;
use super::scope::Scope;
use crate::program::{Condition, FieldPattern, Pattern, Slot, SlotPattern, TemplateId};
use crate::syntax::token::Atom;
use crate::syntax::tree::{Node, NodeKind};

/// What a condition stands in.
#[derive(Clone, Copy, Default)]
pub(super) struct Within {
    /// `not`, `exists` or `forall`: no fact comes out of it.
    pub(super) negated: Option<&'static str>,
}

const CONDITION_HELP: &str =
    "write a pattern such as `(name ?x)`, or `(test (> ?x 1))`, `(not (name))`";

impl Reader {
    pub(super) fn conditions(
        &mut self,
        scope: &mut Scope,
        nodes: &[Node],
        within: Within,
    ) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let mut rest = nodes;
        while let Some(first) = rest.first() {
            if let Some((name, span)) = address(rest) {
                let Some(target) = rest.get(2).filter(|node| node.list().is_some()) else {
                    self.malformed(
                        rest[1].span,
                        "a pattern is expected behind `<-`",
                        CONDITION_HELP,
                    );
                    rest = &rest[2..];
                    continue;
                };
                let mut condition = self.addressed(scope, name, span, target, within);
                if let Some(Condition::Pattern(pattern)) = &mut condition {
                    pattern.fact_span = Span { start: span.start, end: rest[1].span.end };
                }
                conditions.extend(condition);
                rest = &rest[3..];
                continue;
            }
            let condition = self.condition(scope, first, within);
            if condition.is_none() {
                bind_all(scope, first);
            }
            conditions.extend(condition);
            rest = &rest[1..];
        }
        conditions
    }

    /// `?f <- (a)`
    fn addressed(
        &mut self,
        scope: &mut Scope,
        name: &str,
        span: Span,
        target: &Node,
        within: Within,
    ) -> Option<Condition> {
        if let Some(word) = within.negated {
            let message = format!("`?{name}` cannot hold a fact that stands within `{word}`");
            let found = at(&codes::RULES_MISPLACED, span, message);
            self.findings.push(found.help("delete `<-` and the variable before it"));
        } else if let Some(word @ ("and" | "or" | "not" | "exists" | "forall" | "logical")) =
            target.head()
        {
            let message = format!("`?{name}` can hold the fact of a pattern, not of `{word}`");
            let found = at(&codes::RULES_MISPLACED, span, message);
            self.findings.push(found.help(format!("put it into it: `({word} ?{name} <- (...))`")));
        } else if target.head() == Some("test") {
            let message = format!("`?{name}` can hold the fact of a pattern, not of `test`");
            let found = at(&codes::RULES_MISPLACED, span, message);
            self.findings.push(found.help(format!("delete `?{name} <-`: a test has no fact")));
        }
        let variable = scope.own(name);
        let is_new = scope.bound.insert(variable);
        match self.condition(scope, target, within) {
            Some(Condition::Pattern(pattern)) => {
                if is_new {
                    scope.facts.insert(variable, pattern.template);
                }
                Some(Condition::Pattern(Pattern { fact: Some(variable), ..pattern }))
            }
            None => {
                bind_all(scope, target);
                None
            }
            other => other,
        }
    }

    fn condition(&mut self, scope: &mut Scope, node: &Node, within: Within) -> Option<Condition> {
        let Some([head, inner @ ..]) = node.list() else {
            if !node.is_reported() {
                self.malformed(node.span, "a condition is expected here", CONDITION_HELP);
            }
            return None;
        };
        let word = head.symbol().unwrap_or_default();
        let span = node.span;
        let inside = |word| Within { negated: Some(word) };
        Some(match word {
            "and" => Condition::And(self.some(scope, head, inner, 1, within)?, span),
            "or" => Condition::Or(self.some(scope, head, inner, 1, within)?, span),
            "not" => {
                let mut inner = self.some(scope, head, inner, 1, inside("not"))?;
                if inner.len() > 1 {
                    let help = "write `(not (and ...))`";
                    self.malformed(head.span, "`not` takes one condition", help);
                    return None;
                }
                Condition::Not(Box::new(inner.pop()?), span)
            }
            "exists" => {
                Condition::Exists(self.some(scope, head, inner, 1, inside("exists"))?, span)
            }
            "forall" => {
                Condition::Forall(self.some(scope, head, inner, 2, inside("forall"))?, span)
            }
            "logical" => {
                if let Some(outer) = within.negated {
                    let message = format!("`logical` cannot stand within `{outer}`");
                    let found = at(&codes::RULES_MISPLACED, head.span, message);
                    self.findings.push(found.help(format!("write `(logical ({outer} ...))`")));
                }
                Condition::Logical(self.some(scope, head, inner, 1, within)?, span)
            }
            "test" => {
                let [call] = inner else {
                    let help = "write `(test (> ?x 1))`; join several with `and`";
                    self.malformed(head.span, "`test` takes one call", help);
                    return None;
                };
                if call.list().is_none() {
                    let help = "write `(test (> ?x 1))`";
                    self.malformed(call.span, "`test` takes a call", help);
                    return None;
                }
                Condition::Test(self.expr(scope, call, Flow::NONE))
            }
            "object" => {
                let found = at(&codes::RULES_NOT_SUPPORTED, head.span, "there are no objects");
                self.findings.push(found.help("ask for a fact of a template"));
                return None;
            }
            "declare" => {
                let found = at(&codes::RULES_MISPLACED, head.span, "`declare` cannot stand here");
                self.findings.push(found.help("it comes once, before the first condition"));
                return None;
            }
            _ => Condition::Pattern(self.pattern(scope, node, head, inner)?),
        })
    }

    /// The conditions within another one; none where there are too few.
    fn some(
        &mut self,
        scope: &mut Scope,
        head: &Node,
        nodes: &[Node],
        least: usize,
        within: Within,
    ) -> Option<Vec<Condition>> {
        let before = self.findings.len();
        let conditions = self.conditions(scope, nodes, within);
        if conditions.len() < least {
            if self.findings.len() == before {
                let word = head.symbol().unwrap_or_default();
                let count = super::findings::counted(least, "condition");
                self.malformed(
                    head.span,
                    format!("`{word}` needs at least {count}"),
                    CONDITION_HELP,
                );
            }
            return None;
        }
        Some(conditions)
    }

    fn pattern(
        &mut self,
        scope: &mut Scope,
        node: &Node,
        head: &Node,
        inner: &[Node],
    ) -> Option<Pattern> {
        let name = self.fact_name(head, CONDITION_HELP)?;
        let looks_like_slots = inner.first().is_some_and(|field| field.list().is_some());
        let id = self.template_of(name, head, looks_like_slots)?;
        let slots = match self.is_ordered(id) {
            true => {
                let fields = self.fields(scope, inner, self.slot(id, 0).cloned().as_ref());
                vec![SlotPattern { slot: 0, fields, span: node.span }]
            }
            false => self.slot_patterns(scope, id, inner),
        };
        Some(Pattern {
            fact: None,
            fact_span: Span::default(),
            template: id,
            slots,
            span: node.span,
        })
    }

    fn slot_patterns(
        &mut self,
        scope: &mut Scope,
        id: TemplateId,
        nodes: &[Node],
    ) -> Vec<SlotPattern> {
        let mut slots: Vec<SlotPattern> = Vec::new();
        let mut given = BTreeMap::new();
        for node in nodes {
            let Some((name, inner)) = self.slot_of_list(id, node) else { continue };
            let word = name.symbol().unwrap_or_default();
            let found = self.find_slot(id, word, name.span);
            let slot = found.and_then(|place| self.slot(id, place)).cloned();
            let fields = self.fields(scope, inner, slot.as_ref());
            let (Some(place), Some(slot)) = (found, slot) else { continue };
            if let Some(first) = given.insert(place, name.span) {
                self.twice(name.span, Some(first), &format!("the slot `{word}`"));
                continue;
            }
            self.pattern_count_fits(&slot, node.span, &fields);
            slots.push(SlotPattern { slot: place, fields, span: node.span });
        }
        slots
    }

    fn pattern_count_fits(&mut self, slot: &Slot, span: Span, fields: &[FieldPattern]) {
        let is_many = fields.iter().any(|field| field.many);
        if slot.many {
            if !is_many && !fields.is_empty() {
                self.count_of_fields_fits(slot, fields.len(), span);
            }
            return;
        }
        if fields.len() != 1 || is_many {
            let message =
                format!("the slot `{}` holds one field, and this asks for others", slot.name);
            let found = at(&codes::RULES_FIELD_COUNT, span, message);
            self.findings.push(found.help("ask for one, or declare it as a `multislot`"));
        }
    }
}

/// A condition that cannot be read binds what it names: that it cannot be read was said.
fn bind_all(scope: &mut Scope, node: &Node) {
    match &node.kind {
        NodeKind::Atom(Atom::Single(name) | Atom::Many(name)) => {
            let variable = scope.own(name);
            scope.bound.insert(variable);
        }
        NodeKind::Atom(_) => {}
        NodeKind::List(nodes) => nodes.iter().for_each(|node| bind_all(scope, node)),
    }
}
