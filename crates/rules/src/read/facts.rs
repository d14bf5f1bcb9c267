//! Facts to be, as `assert` and `deffacts` write them, and the templates they are of.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, Span, codes};

use super::expr::Flow;
use super::findings::{at, counted};
use super::scope::Scope;
use super::slots::count_misfit;
use super::{Known, Reader};
use crate::field::Field;
use crate::program::{Default, Expr, ExprKind, Kinds, Limits, NewFact, Slot, Template, TemplateId};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

/// Words that conditions begin with, and that therefore name no facts.
pub(super) const RESERVED: &[&str] =
    &["and", "or", "not", "test", "exists", "forall", "logical", "object"];

/// Whether no pattern can ask for facts of this name: a condition that begins with it is something
/// else.
pub(crate) fn begins_condition(name: &str) -> bool {
    RESERVED.contains(&name) || name == "declare"
}

impl Reader {
    /// A fact; none where not even its template is known.
    pub(super) fn fact(&mut self, scope: &mut Scope, node: &Node) -> Option<NewFact> {
        const HELP: &str = "write `(name value ...)` or `(name (slot value) ...)`";
        let Some([head, values @ ..]) = node.list() else {
            if !node.is_reported() {
                self.malformed(node.span, "a fact is expected here", HELP);
            }
            return None;
        };
        let name = self.fact_name(head, HELP)?;
        let looks_like_slots = values
            .first()
            .is_some_and(|value| value.head().is_some_and(|word| !self.is_callable(word)));
        let id = self.template_of(name, head, looks_like_slots)?;
        let slots = match self.is_ordered(id) {
            true => vec![(0, self.values(scope, values))],
            false => self.slots_of_fact(scope, id, head.span, values),
        };
        Some(NewFact { template: id, slots, span: node.span })
    }

    /// The name that a fact or a pattern begins with.
    pub(super) fn fact_name<'t>(&mut self, head: &Node<'t>, help: &str) -> Option<&'t str> {
        let name = match head.symbol() {
            Some(name) if name != "=" && name != ":" => name,
            _ if head.is_reported() => return None,
            _ => {
                self.malformed(head.span, "facts begin with a name, which is a symbol", help);
                return None;
            }
        };
        if RESERVED.contains(&name) {
            let message = format!("`{name}` has a meaning in conditions, and names no facts");
            let found = at(&codes::RULES_REFUSED, head.span, message);
            self.findings.push(found.help("give the facts another name"));
            return None;
        }
        if name.contains("::") {
            let message = format!("`{name}` names a module, which facts cannot");
            let found = at(&codes::RULES_NOT_SUPPORTED, head.span, message);
            let own = name.rsplit("::").next().unwrap_or_default();
            self.findings.push(found.help(format!("write `{own}` alone")));
            return None;
        }
        Some(name)
    }

    /// The template of a name. An ordered fact brings its own; what has slots must be declared.
    pub(super) fn template_of(
        &mut self,
        name: &str,
        head: &Node,
        looks_like_slots: bool,
    ) -> Option<TemplateId> {
        if let Some(known) = self.templates.get_mut(name) {
            known.is_used = true;
            let id = known.id;
            if !(looks_like_slots && self.is_ordered(id)) {
                return Some(id);
            }
        }
        if looks_like_slots {
            let message = format!("there is no template `{name}`");
            let found = at(&codes::RULES_UNKNOWN_TEMPLATE, head.span, message);
            let written = self.program.templates.iter().filter(|template| !template.ordered);
            let near = self.near(name, written.map(|template| &*template.name));
            let later = self.ahead.templates.get(name).copied();
            let later = later.filter(|later| later.start > head.span.start);
            if let Some(later) = later {
                let found = found.label(Anchor::Span(later), "it is declared only here");
                self.findings.push(found.help("move the declaration before its first use"));
                return None;
            }
            self.findings.push(match near {
                Some(near) => found.meant(near, head.at()),
                None => found.help(format!("declare it before: `(deftemplate {name} (slot ...))`")),
            });
            return None;
        }
        let slot = Slot {
            name: "implied".into(),
            many: true,
            default: Default::Value(Field::many([])),
            limits: free(),
            span: head.span,
        };
        let template =
            Template { name: name.into(), ordered: true, slots: vec![slot], span: head.span };
        Some(self.add_template(template, true))
    }

    pub(super) fn add_template(&mut self, template: Template, is_used: bool) -> TemplateId {
        let id = TemplateId(u32::try_from(self.program.templates.len()).unwrap_or(u32::MAX));
        self.templates.insert(template.name.clone(), Known { id, is_used });
        self.know_slots(id, &template);
        self.program.templates.push(template);
        id
    }

    /// Remembers where the slots of a template are.
    pub(super) fn know_slots(&mut self, id: TemplateId, template: &Template) {
        let slots = template.slots.iter().zip(0..);
        self.slots.extend(slots.map(|(slot, place)| ((id, slot.name.clone()), place)));
    }

    pub(super) fn is_ordered(&self, id: TemplateId) -> bool {
        self.program.templates.get(id.0 as usize).is_some_and(|template| template.ordered)
    }

    /// Values of a fact: as expressions, or with a `=` before a call, which changes nothing.
    pub(super) fn values(&mut self, scope: &mut Scope, nodes: &[Node]) -> Vec<Expr> {
        let mut values = Vec::new();
        let mut nodes = nodes.iter();
        while let Some(node) = nodes.next() {
            if node.symbol() != Some("=") {
                values.push(self.expr(scope, node, Flow::NONE));
                continue;
            }
            match nodes.next().filter(|next| next.list().is_some()) {
                Some(call) => values.push(self.expr(scope, call, Flow::NONE)),
                None => {
                    let help = "write a call behind it, or `\"=\"` for the text";
                    self.malformed(node.span, "`=` stands before a call only", help);
                }
            }
        }
        values
    }

    fn slots_of_fact(
        &mut self,
        scope: &mut Scope,
        id: TemplateId,
        head: Span,
        nodes: &[Node],
    ) -> Vec<(u32, Vec<Expr>)> {
        let mut slots: Vec<(u32, Vec<Expr>)> = Vec::new();
        let mut given: BTreeMap<u32, Span> = BTreeMap::new();
        let before = self.findings.len();
        for node in nodes {
            let Some((name, values)) = self.slot_of_list(id, node) else { continue };
            let list = match values {
                [value] => Some(value).filter(|value| matches!(value.atom(), Some(Atom::Many(_)))),
                _ => None,
            };
            let values = self.values(scope, values);
            let word = name.symbol().unwrap_or_default();
            let Some(slot) = self.slot_values(id, word, name.span, node.span, &values) else {
                continue;
            };
            if let Some(list) = list
                && scope.without.is_none()
                && self.slot(id, slot).is_some_and(|slot| !slot.many)
            {
                let message = format!("the slot `{word}` holds one field, and is given a list");
                let found = at(&codes::RULES_FIELD_COUNT, list.span, message);
                let help = "give one field, as `(nth$ 1 ...)` does, or declare a `multislot`";
                self.findings.push(found.help(help));
            }
            if let Some(first) = given.get(&slot).copied() {
                self.twice(name.span, Some(first), &format!("the slot `{word}`"));
                continue;
            }
            given.insert(slot, name.span);
            slots.push((slot, values));
        }
        // A misspelt slot is missing under its name, too: one finding is enough.
        if self.findings.len() == before {
            self.required(id, head, &given);
        }
        slots
    }

    /// The name and the rest of `(slot ...)`, in a fact or a pattern of a template.
    pub(super) fn slot_of_list<'n, 't>(
        &mut self,
        id: TemplateId,
        node: &'n Node<'t>,
    ) -> Option<(&'n Node<'t>, &'n [Node<'t>])> {
        let parts = node.list().and_then(|list| list.split_first());
        if let Some((name, values)) = parts
            && name.symbol().is_some()
        {
            return Some((name, values));
        }
        if !node.is_reported() {
            let template = self.program.templates.get(id.0 as usize);
            let name = template.map_or("", |template| &*template.name);
            let slots = template.and_then(|template| template.slots.first());
            let slot = slots.map_or("slot".to_owned(), |slot| slot.name.to_string());
            let message = format!("facts of `{name}` have slots, and one is expected here");
            self.malformed(node.span, message, &format!("write `({slot} ...)`"));
        }
        None
    }

    fn required(&mut self, id: TemplateId, head: Span, given: &BTreeMap<u32, Span>) {
        let Some(template) = self.program.templates.get(id.0 as usize) else { return };
        let missing: Vec<String> = (0..)
            .zip(&template.slots)
            .filter(|(at_place, slot)| {
                matches!(slot.default, Default::Required) && !given.contains_key(at_place)
            })
            .map(|(_, slot)| slot.name.to_string())
            .collect();
        for slot in missing {
            let message = format!("the slot `{slot}` has no default, and must be given");
            let found = at(&codes::RULES_MISSING_SLOT, head, message);
            self.findings.push(found.help(format!("add `({slot} ...)`")));
        }
    }

    /// For facts that are given as they are: nothing in them is computed.
    pub(super) fn only_constants(&mut self, fact: Option<&NewFact>) {
        let values = fact.iter().flat_map(|fact| &fact.slots).flat_map(|(_, values)| values);
        for value in values {
            if !matches!(value.kind, ExprKind::Constant(_)) {
                let found = at(&codes::RULES_MALFORMED, value.span, "a constant is expected here");
                self.findings.push(found.help("write a symbol, a string or a number"));
            }
        }
    }

    /// Checks what is said of a slot, and finds the slot.
    pub(super) fn slot_values(
        &mut self,
        id: TemplateId,
        name: &str,
        name_span: Span,
        whole: Span,
        values: &[Expr],
    ) -> Option<u32> {
        let at_place = self.find_slot(id, name, name_span)?;
        let findings = self.misfits(self.slot(id, at_place)?, whole, values);
        self.findings.extend(findings);
        Some(at_place)
    }

    fn misfits(&self, slot: &Slot, whole: Span, values: &[Expr]) -> Vec<Diagnostic> {
        let is_list = |value: &Expr| {
            self.gives(value).is_some_and(|gives| gives == Kinds::MANY || gives.0 == 0)
        };
        if !slot.many && (values.len() != 1 || values.iter().any(is_list)) {
            let given = match values {
                [value] if self.gives(value) == Some(Kinds::MANY) => "a list".to_owned(),
                [_] => "nothing".to_owned(),
                values => counted(values.len(), "field"),
            };
            let message = format!("the slot `{}` holds one field, and is given {given}", slot.name);
            let found = at(&codes::RULES_FIELD_COUNT, whole, message);
            return vec![found.help("give one value, or declare it as a `multislot`")];
        }
        let misfits = values.iter().filter_map(|value| self.value_misfit(slot, value));
        let mut findings: Vec<Diagnostic> = misfits.collect();
        if slot.many {
            // Lists and variables may be any number of fields.
            let is_one = |value: &&Expr| match &value.kind {
                ExprKind::Constant(_) => true,
                ExprKind::Call(..) => {
                    self.gives(value).is_some_and(|gives| !gives.meets(Kinds::MANY))
                }
                _ => false,
            };
            let count = values.iter().filter(is_one).count();
            let is_open = count < values.len();
            if !is_open || slot.limits.cardinality.1.is_some_and(|most| count as u64 > most) {
                findings.extend(count_misfit(slot, count, whole));
            }
        }
        findings
    }
}

/// No limits at all.
pub(super) fn free() -> Limits {
    Limits { kinds: Kinds::SINGLE, allowed: None, range: None, cardinality: (0, None) }
}
