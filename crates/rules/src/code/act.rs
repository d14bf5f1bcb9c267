//! What the machine does to facts, and what it prints.

use diagnostics::Span;

use super::machine::{Running, Seen, Wrong, position};
use super::print::printed;
use super::{Assertion, FactView, Fault, Given, Modification, World};
use crate::field::Field;
use crate::functions::{self, Shape};

impl<W: World> Running<'_, W> {
    pub(super) fn assert(&mut self, assertion: &Assertion) -> Result<Field, Wrong> {
        let from = self.from(assertion.count);
        let mut values = self.machine.stack.drain(from..);
        let mut fields = Vec::with_capacity(assertion.slots.len());
        for (at, given) in assertion.slots.iter().enumerate() {
            fields.push(match given {
                Given::Value(field) => field.clone(),
                Given::Many(count) => {
                    let values: Vec<Field> = values.by_ref().take(*count as usize).collect();
                    functions::list_of(&values)?
                }
                Given::One => match values.next() {
                    Some(field @ Field::Many(_)) => {
                        let shape = &self.codes.shapes[assertion.template.0 as usize];
                        return Err(one_field(shape, at, &field));
                    }
                    Some(field) => field,
                    None => Field::nil(),
                },
            });
        }
        drop(values);
        let fact = self.world.assert(assertion.template, fields)?;
        Ok(fact.map_or(Field::Bool(false), Field::Fact))
    }

    /// A fact that is not there is no fault: another action may have retracted it.
    pub(super) fn retract(&mut self, fact: &Field) -> Result<(), Wrong> {
        match fact {
            Field::Fact(fact) => {
                self.world.retract(*fact)?;
            }
            Field::Int(index) => {
                let found = u64::try_from(*index).ok().and_then(|at| self.world.at_index(at));
                if let Some(fact) = found {
                    self.world.retract(fact)?;
                }
            }
            Field::Symbol(name) if name.as_str() == "*" => self.world.retract_all()?,
            other => {
                return Err(format!(
                    "`retract` takes the address or the index of a fact, or `*`, not {}",
                    functions::described(other)
                ));
            }
        }
        Ok(())
    }

    pub(super) fn modify(
        &mut self,
        modification: &Modification,
        span: Span,
    ) -> Result<Field, Fault> {
        let action = if modification.duplicate { "duplicate" } else { "modify" };
        let wrong = |message: Wrong| Fault { span, message };
        let from = self.from(modification.count);
        let fact = match self.machine.stack.get(from.wrapping_sub(1)) {
            Some(Field::Fact(fact)) => Some(*fact),
            Some(Field::Int(index)) => {
                u64::try_from(*index).ok().and_then(|index| self.world.at_index(index))
            }
            other => {
                let other = other.map(functions::described).unwrap_or_default();
                return Err(wrong(format!(
                    "`{action}` takes the address or the index of a fact, not {other}"
                )));
            }
        };
        let view = fact.and_then(|fact| Some((fact, self.world.fact(fact)?)));
        let Some((fact, FactView { template, fields, .. })) = view else {
            self.machine.stack.truncate(from - 1);
            return Ok(Field::Bool(false));
        };
        let shape = &self.codes.shapes[template.0 as usize];
        if shape.ordered {
            return Err(wrong(format!(
                "`{action}` works on facts with slots, and `{}` has none",
                shape.name
            )));
        }
        let mut changes = Vec::with_capacity(modification.changes.len());
        let mut at = from;
        for (name, count, span) in &modification.changes {
            let values = &self.machine.stack[at..at + *count as usize];
            at += *count as usize;
            let wrong = |message: Wrong| Fault { span: *span, message };
            let Some(slot) = shape.slots.iter().position(|slot| slot == name) else {
                return Err(wrong(format!("`{}` has no slot `{name}`", shape.name)));
            };
            let field = match values {
                values if shape.many[slot] => functions::list_of(values).map_err(wrong)?,
                [field] if !matches!(field, Field::Many(_)) => field.clone(),
                [field] => return Err(wrong(one_field(shape, slot, field))),
                values => {
                    return Err(wrong(one_field(shape, slot, &Field::many(values.to_vec()))));
                }
            };
            changes.push((position(slot), field));
        }
        let done = if modification.duplicate {
            let mut fields = fields.to_vec();
            for (slot, field) in changes {
                fields[slot as usize] = field;
            }
            self.world.assert(template, fields)
        } else {
            self.world.modify(fact, changes)
        };
        self.machine.stack.truncate(from - 1);
        Ok(done.map_err(wrong)?.map_or(Field::Bool(false), Field::Fact))
    }

    pub(super) fn print(&mut self, value: &Field, span: Span) -> Result<(), Fault> {
        let mut text = std::mem::take(&mut self.machine.text);
        text.clear();
        printed(&Seen { world: &*self.world, codes: self.codes }, value, &mut text);
        self.world.print(&text);
        let length = functions::steps_of(text.len());
        self.machine.text = text;
        self.charge(length, span)
    }
}

fn one_field(shape: &Shape, slot: usize, field: &Field) -> Wrong {
    format!(
        "the slot `{}` of `{}` holds one field and gets {}",
        shape.slots[slot],
        shape.name,
        functions::described(field)
    )
}
