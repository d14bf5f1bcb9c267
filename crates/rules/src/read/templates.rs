//! `deftemplate`: slots, what they may hold, and their defaults.

use std::collections::BTreeMap;

use diagnostics::{Span, codes, nearest};

use super::attributes::{Attributes, Said};
use super::facts::RESERVED;
use super::findings::at;
use super::limits::derived;
use super::{Known, Reader};
use crate::field::Field;
use crate::program::{Default, Expr, ExprKind, Kinds, Slot, Template, TemplateId};
use crate::syntax::tree::Node;

/// What can be done about attributes that exclude each other.
pub(super) const AGREE: &str = "delete one of them, or make them agree";

const SLOT_HELP: &str = "write `(slot name)` or `(multislot name)`";

impl Reader {
    pub(super) fn template(&mut self, nodes: &[Node]) {
        let Some((name, span, rest)) = self.header(nodes) else { return };
        if RESERVED.contains(&name) {
            let message = format!("`{name}` has a meaning in conditions, and names no template");
            let found = at(&codes::RULES_REFUSED, span, message);
            self.findings.push(found.help("give it another name"));
            return;
        }
        let mut slots: Vec<Slot> = Vec::new();
        let mut given = BTreeMap::new();
        let mut is_bare = false;
        let mut is_whole = true;
        for (place, node) in rest.iter().enumerate() {
            if node.symbol().is_some() {
                is_whole = false;
                // `slot a` without its parentheses is one mistake.
                if !std::mem::replace(&mut is_bare, true) {
                    let help = match (node.symbol(), rest.get(place + 1).and_then(Node::symbol)) {
                        (Some(word @ ("slot" | "multislot")), Some(name)) => {
                            format!("write `({word} {name})`")
                        }
                        _ => SLOT_HELP.to_owned(),
                    };
                    self.malformed(node.span, "a slot is expected here, in parentheses", &help);
                }
                continue;
            }
            is_bare = false;
            let Some(slot) = self.declared_slot(node) else {
                is_whole = false;
                continue;
            };
            match given.insert(slot.name.clone(), slot.span) {
                Some(first) => {
                    self.twice(slot.span, Some(first), &format!("the slot `{}`", slot.name));
                }
                None => slots.push(slot),
            }
        }
        let template = Template { name: name.into(), ordered: false, slots, span };
        let known = self.templates.get(name).map(|Known { id, is_used }| (*id, *is_used));
        let Some((id, is_used)) = known else {
            let id = self.add_template(template, false);
            return self.all_read(id, is_whole);
        };
        let Some(earlier) = self.program.templates.get_mut(id.0 as usize) else { return };
        let (first, ordered) = (earlier.span, earlier.ordered);
        if is_used {
            let message = format!("`{name}` is in use already, and cannot be declared again");
            let found = at(&codes::RULES_REFUSED, span, message);
            let (label, help) = match ordered {
                true => ("it is used here, as an ordered fact", "declare it before it is used"),
                false => ("it is declared here", "delete one of the declarations"),
            };
            let first = diagnostics::Anchor::Span(first);
            self.findings.push(found.label(first, label).help(help));
            return;
        }
        let forgotten = std::mem::replace(earlier, template.clone());
        for slot in forgotten.slots {
            self.slots.remove(&(id, slot.name));
        }
        self.know_slots(id, &template);
        self.all_read(id, is_whole);
        self.replaced(&codes::RULES_REPLACED, "template", span, first);
    }

    /// Remembers whether all slots of a template were read.
    fn all_read(&mut self, id: TemplateId, is_whole: bool) {
        match is_whole {
            true => self.unread.remove(&id),
            false => self.unread.insert(id),
        };
    }

    fn declared_slot(&mut self, node: &Node) -> Option<Slot> {
        let Some([word, rest @ ..]) = node.list() else {
            if !node.is_reported() {
                self.malformed(node.span, "a slot is expected here", SLOT_HELP);
            }
            return None;
        };
        let many = match word.symbol() {
            Some("slot" | "field") => false,
            Some("multislot" | "multifield") => true,
            Some(other) => {
                let found =
                    at(&codes::RULES_MALFORMED, word.span, format!("`{other}` is no kind of slot"));
                let Some(near) = nearest(other, ["slot", "multislot"]) else {
                    self.findings.push(found.help(SLOT_HELP));
                    return None;
                };
                // What else is wrong is told of the slot that was meant.
                self.findings.push(found.meant(near, word.at()));
                near == "multislot"
            }
            None => {
                self.malformed(word.span, "a slot is expected here", SLOT_HELP);
                return None;
            }
        };
        let Some((name, attributes)) = rest.split_first() else {
            self.malformed(node.span, "this slot has no name", SLOT_HELP);
            return None;
        };
        let Some(word) = name.symbol() else {
            self.malformed(name.span, "the name of a slot is a symbol", SLOT_HELP);
            return None;
        };
        let mut said = Attributes::none();
        for attribute in attributes {
            self.attribute(&mut said, many, attribute);
        }
        self.agree(&said);
        let mut slot = Slot {
            name: word.into(),
            many,
            default: Default::Required,
            limits: said.limits,
            span: name.span,
        };
        slot.default = self.default_of(&slot, said.default);
        Some(slot)
    }

    /// Reports attributes that cannot hold together.
    fn agree(&mut self, said: &Attributes) {
        let numbers = |kinds: Kinds| kinds.meets(Kinds::NUMBER);
        let clash = said.allowed.iter().find(|(_, kinds, _)| numbers(*kinds)).copied();
        if let (Some((name, _, first)), Some(range)) = (clash, said.range) {
            self.conflict(range, "range", name, first, AGREE);
        }
        let Some(kinds_span) = said.kinds else { return };
        for (name, kinds, span) in said.allowed.iter().copied() {
            let values = said.limits.allowed.iter().flat_map(|allowed| &allowed.values);
            // With `?VARIABLE` it allows everything.
            let is_open = !said.limits.allowed.as_ref().is_some_and(|a| a.kinds.meets(kinds));
            let fits = match name {
                _ if is_open => true,
                "allowed-values" => {
                    values.into_iter().all(|value| said.limits.kinds.meets(Kinds::of(value)))
                }
                _ => said.limits.kinds.holds(kinds),
            };
            if !fits {
                self.conflict(span, name, "type", kinds_span, AGREE);
            }
        }
        if let (Some(span), Some((least, most))) = (said.range, &said.limits.range) {
            let bounds: Vec<&Field> = [least, most].into_iter().flatten().collect();
            let mut bounds = bounds.into_iter();
            if bounds.len() > 0 && !numbers(said.limits.kinds)
                || bounds.any(|bound| !said.limits.kinds.meets(Kinds::of(bound)))
            {
                let help = match numbers(said.limits.kinds) {
                    true => "write `1` for an integer, `1.0` for a float",
                    false => AGREE,
                };
                self.conflict(span, "range", "type", kinds_span, help);
            }
        }
    }

    /// Reports an attribute that another one excludes.
    pub(super) fn conflict(
        &mut self,
        span: Span,
        name: &str,
        other: &str,
        first: Span,
        help: &'static str,
    ) {
        let message = format!("`{name}` cannot hold together with `{other}`");
        let found = at(&codes::RULES_CONFLICT, span, message);
        let first = diagnostics::Anchor::Span(first);
        let found = found.label(first, format!("`{other}` is given here"));
        self.findings.push(found.help(help));
    }

    fn default_of(&mut self, slot: &Slot, said: Option<(Said, Span)>) -> Default {
        let (values, span, is_dynamic) = match said {
            None | Some((Said::Derived, _)) => {
                return Default::Value(derived(&slot.limits, slot.many));
            }
            Some((Said::Required, _)) => return Default::Required,
            Some((Said::Values(values), span)) => (values, span, false),
            Some((Said::Computed(values), span)) => (values, span, true),
        };
        let is_list = |value: &Expr| {
            self.gives(value).is_some_and(|gives| gives == Kinds::MANY || gives.0 == 0)
        };
        if !slot.many && (values.len() != 1 || values.iter().any(is_list)) {
            let message =
                format!("the slot `{}` holds one field, and so must its default", slot.name);
            let found = at(&codes::RULES_FIELD_COUNT, span, message);
            self.findings.push(found.help("give one value, or declare it as a `multislot`"));
            return Default::Value(derived(&slot.limits, slot.many));
        }
        for value in &values {
            self.findings.extend(self.value_misfit(slot, value));
        }
        if is_dynamic {
            return Default::Computed(values);
        }
        let mut fields = Vec::new();
        for value in &values {
            match self.fold(value) {
                Ok(Some(field)) => {
                    if !matches!(value.kind, ExprKind::Constant(_)) {
                        for single in field.fields() {
                            self.findings.extend(self.field_misfit(slot, single, value.span));
                        }
                    }
                    fields.push(field);
                }
                Ok(None) => return Default::Computed(values),
                Err(why) => {
                    let message = format!("this default cannot be computed: {why}");
                    let found = at(&codes::RULES_CANNOT_COMPUTE, value.span, message);
                    self.findings.push(found.help("write a value, or mend the expression"));
                    return Default::Value(derived(&slot.limits, slot.many));
                }
            }
        }
        if slot.many {
            let list = Field::many(fields);
            self.count_of_fields_fits(slot, list.fields().len(), span);
            return Default::Value(list);
        }
        fields.pop().map_or_else(|| Default::Value(derived(&slot.limits, false)), Default::Value)
    }
}
