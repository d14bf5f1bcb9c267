//! Slots by their names, and whether values fit them.

use diagnostics::{Span, codes, nearest};

use super::Reader;
use super::findings::{at, counted, described};
use super::limits::{self, Misfit};
use crate::field::Field;
use crate::program::{Expr, ExprKind, Kinds, Slot, TemplateId};

impl Reader {
    /// The position of a slot; a finding where there is none of this name.
    pub(super) fn find_slot(&mut self, id: TemplateId, name: &str, span: Span) -> Option<u32> {
        let template = self.program.templates.get(id.0 as usize)?;
        let found = self.slots.get(&(id, name.into())).copied();
        if let Some(at_place) = found.filter(|_| !template.ordered) {
            return Some(at_place);
        }
        let message = format!("`{}` has no slot `{name}`", template.name);
        let found = at(&codes::RULES_UNKNOWN_SLOT, span, message);
        let names: Vec<&str> = match template.ordered {
            true => Vec::new(),
            false => template.slots.iter().map(|slot| &*slot.name).collect(),
        };
        let found = match self.near(name, names.iter().copied()) {
            Some(near) => found.meant(near, diagnostics::Anchor::Span(span)),
            None if names.is_empty() => found.help("its facts are ordered: write the values alone"),
            None => found.help(format!("it has {}", super::findings::choice(&names))),
        };
        let declared = diagnostics::Anchor::Span(template.span);
        self.findings.push(found.label(declared, "the template is declared here"));
        None
    }

    pub(super) fn slot(&self, id: TemplateId, at_place: u32) -> Option<&Slot> {
        self.program.templates.get(id.0 as usize)?.slots.get(at_place as usize)
    }

    /// Checks a value against what its slot may hold.
    pub(super) fn value_fits(&mut self, slot: &Slot, value: &Expr) {
        match &value.kind {
            ExprKind::Constant(field) => self.field_fits(slot, field, value.span),
            ExprKind::Call(..) => {
                let Some(gives) = self.gives(value) else { return };
                let taken = match slot.many {
                    true => slot.limits.kinds.or(Kinds::MANY),
                    false => slot.limits.kinds,
                };
                if !taken.meets(gives) {
                    let (wanted, given) = (described(slot.limits.kinds), described(gives));
                    let message =
                        format!("the slot `{}` holds {wanted}, and this is {given}", slot.name);
                    self.misfit(slot, value.span, message, format!("write {wanted}"));
                }
            }
            _ => {}
        }
    }

    /// Checks a constant against what its slot may hold.
    pub(super) fn field_fits(&mut self, slot: &Slot, field: &Field, span: Span) {
        let Some(misfit) = limits::misfit(&slot.limits, field) else { return };
        let name = &slot.name;
        let (message, help) = match misfit {
            Misfit::Kind => {
                let wanted = described(slot.limits.kinds);
                let given = described(Kinds::of(field));
                let message = format!("the slot `{name}` holds {wanted}, and `{field}` is {given}");
                (message, format!("write {wanted}"))
            }
            Misfit::Allowed => {
                let allowed = slot.limits.allowed.iter().flat_map(|allowed| &allowed.values);
                let allowed: Vec<String> = allowed.map(ToString::to_string).collect();
                let near = field.lexeme().and_then(|word| {
                    nearest(word, allowed.iter().map(|value| value.trim_matches('"')))
                });
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write one of {}", super::findings::choice(&allowed)),
                };
                (format!("`{field}` is not among the values that the slot `{name}` allows"), help)
            }
            Misfit::Range => {
                let range = limits::shown(slot.limits.range.as_ref());
                let message = format!("`{field}` is outside of the range of the slot `{name}`");
                (message, format!("write a number {range}"))
            }
        };
        self.misfit(slot, span, message, help);
    }

    fn misfit(&mut self, slot: &Slot, span: Span, message: String, help: String) {
        let found = at(&codes::RULES_VALUE, span, message).help(help);
        let declared = diagnostics::Anchor::Span(slot.span);
        self.findings.push(found.label(declared, "the slot is declared here"));
    }

    /// Checks how many fields a list has.
    pub(super) fn count_of_fields_fits(&mut self, slot: &Slot, count: usize, span: Span) {
        let (least, most) = slot.limits.cardinality;
        let count = count as u64;
        if count >= least && most.is_none_or(|most| count <= most) {
            return;
        }
        let wanted = match most {
            Some(most) if most == least => {
                counted(usize::try_from(least).unwrap_or(usize::MAX), "field")
            }
            Some(most) => format!("{least} to {most} fields"),
            None => format!("at least {least} fields"),
        };
        let message = format!("the slot `{}` holds {wanted}, and is given {count}", slot.name);
        let found = at(&codes::RULES_FIELD_COUNT, span, message);
        let declared = diagnostics::Anchor::Span(slot.span);
        let help = if count < least { "add fields" } else { "delete fields" };
        self.findings.push(found.label(declared, "the slot is declared here").help(help));
    }
}
