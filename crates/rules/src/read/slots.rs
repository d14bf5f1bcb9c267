//! Slots by their names, and whether values fit them.

use diagnostics::{Diagnostic, Span, codes};

use super::Reader;
use super::findings::{at, choice, counted};
use super::limits::{self, Misfit};
use crate::field::Field;
use crate::program::{Expr, ExprKind, Kinds, Slot, TemplateId};

impl Reader {
    /// The position of a slot; a finding where there is none of this name, unless its
    /// declaration may be among those that could not be read.
    pub(super) fn find_slot(&mut self, id: TemplateId, name: &str, span: Span) -> Option<u32> {
        let template = self.program.templates.get(id.0 as usize)?;
        let found = self.slots.get(&(id, name.into())).copied();
        if let Some(at_place) = found.filter(|_| !template.ordered) {
            return Some(at_place);
        }
        if self.unread.contains(&id) {
            return None;
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
            None => found.help(format!("it has {}", choice(&names))),
        };
        let declared = diagnostics::Anchor::Span(template.span);
        self.findings.push(found.label(declared, "the template is declared here"));
        None
    }

    pub(super) fn slot(&self, id: TemplateId, at_place: u32) -> Option<&Slot> {
        self.program.templates.get(id.0 as usize)?.slots.get(at_place as usize)
    }

    /// What is wrong with a value in its slot.
    pub(super) fn value_misfit(&self, slot: &Slot, value: &Expr) -> Option<Diagnostic> {
        match &value.kind {
            ExprKind::Constant(field) => self.field_misfit(slot, field, value.span),
            ExprKind::Call(..) => {
                let gives = self.gives(value)?;
                let taken = match slot.many {
                    true => slot.limits.kinds.or(Kinds::MANY),
                    false => slot.limits.kinds,
                };
                if taken.meets(gives) {
                    return None;
                }
                let (wanted, given) = (slot.limits.kinds, gives);
                let message =
                    format!("the slot `{}` holds {wanted}, and this is {given}", slot.name);
                Some(misfit(slot, value.span, message, format!("write {wanted}")))
            }
            _ => None,
        }
    }

    /// What is wrong with a constant in its slot.
    pub(super) fn field_misfit(
        &self,
        slot: &Slot,
        field: &Field,
        span: Span,
    ) -> Option<Diagnostic> {
        let name = &slot.name;
        let (message, help) = match limits::misfit(&slot.limits, field)? {
            Misfit::Kind => {
                let wanted = slot.limits.kinds;
                let given = Kinds::of(field);
                let message = format!("the slot `{name}` holds {wanted}, and `{field}` is {given}");
                (message, format!("write {wanted}"))
            }
            Misfit::Allowed => {
                let message =
                    format!("`{field}` is not among the values that the slot `{name}` allows");
                (message, self.allowed_help(slot, field))
            }
            Misfit::Range => {
                let range = limits::shown(slot.limits.range.as_ref());
                let message = format!("`{field}` is outside of the range of the slot `{name}`");
                (message, format!("write a number {range}"))
            }
        };
        Some(misfit(slot, span, message, help))
    }

    fn allowed_help(&self, slot: &Slot, field: &Field) -> String {
        const SHOWN_MAX: usize = 10;
        let allowed = || slot.limits.allowed.iter().flat_map(|allowed| &allowed.values);
        let words = allowed().filter_map(Field::lexeme);
        if let Some(near) = field.lexeme().and_then(|word| self.near(word, words)) {
            return format!("did you mean `{near}`?");
        }
        let shown: Vec<String> = allowed().take(SHOWN_MAX).map(ToString::to_string).collect();
        match allowed().count() > SHOWN_MAX {
            true => format!("write one that is allowed, such as {}", choice(&shown)),
            false => format!("write one of {}", choice(&shown)),
        }
    }

    /// Checks how many fields a list has.
    pub(super) fn count_of_fields_fits(&mut self, slot: &Slot, count: usize, span: Span) {
        self.findings.extend(count_misfit(slot, count, span));
    }
}

/// What is wrong with the number of fields of a list.
pub(super) fn count_misfit(slot: &Slot, count: usize, span: Span) -> Option<Diagnostic> {
    let (least, most) = slot.limits.cardinality;
    let count = count as u64;
    if count >= least && most.is_none_or(|most| count <= most) {
        return None;
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
    Some(found.label(declared, "the slot is declared here").help(help))
}

fn misfit(slot: &Slot, span: Span, message: String, help: String) -> Diagnostic {
    let found = at(&codes::RULES_VALUE, span, message).help(help);
    found.label(diagnostics::Anchor::Span(slot.span), "the slot is declared here")
}
