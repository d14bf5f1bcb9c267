//! Facts to be asserted or changed: where the values of their slots come from.

use diagnostics::Span;
use value::Text;

use super::compile::{Unit, position};
use super::{Assertion, Called, Given, Modification, Op};
use crate::field::Field;
use crate::program::{Default, Expr, ExprKind, NewFact, Template};

impl Unit<'_> {
    pub(super) fn assert(&mut self, facts: &[NewFact], span: Span) {
        if facts.is_empty() {
            return self.push(Field::Bool(false), span);
        }
        for (at, fact) in facts.iter().enumerate() {
            if at > 0 {
                self.add(Op::Pop, fact.span, -1);
            }
            match self.program.templates.get(fact.template.0 as usize) {
                Some(template) => self.assert_one(fact, template),
                None => self.fail("there is no such template", fact.span),
            }
        }
    }

    fn assert_one(&mut self, fact: &NewFact, template: &Template) {
        let before = self.depth;
        let mut slots = Vec::with_capacity(template.slots.len());
        for (at, slot) in template.slots.iter().enumerate() {
            let said = fact.slots.iter().find(|(said, _)| *said as usize == at);
            slots.push(match (said, &slot.default) {
                (Some((_, values)), _) => self.given(values, slot.many, fact.span),
                (None, Default::Computed(_)) => {
                    let called = Called::Default(fact.template, position(at));
                    self.add(Op::Apply { called, count: 0 }, fact.span, 1);
                    if slot.many { Given::Many(1) } else { Given::One }
                }
                (None, Default::Value(field)) => Given::Value(field.clone()),
                (None, Default::Required) => {
                    self.depth = before;
                    return self.fail(&format!("slot `{}` needs a value", slot.name), fact.span);
                }
            });
        }
        let count = self.depth - before;
        let assertion = Assertion { template: fact.template, slots, count };
        self.add(Op::Assert(Box::new(assertion)), fact.span, 1 - i64::from(count));
    }

    /// What is said of a slot; what is not known yet is computed.
    fn given(&mut self, values: &[Expr], many: bool, span: Span) -> Given {
        let known = |value: &Expr| match &value.kind {
            ExprKind::Constant(field) => Some(field.clone()),
            _ => None,
        };
        match (many, values) {
            (true, _) => match values.iter().map(known).collect::<Option<Vec<_>>>() {
                Some(fields) => Given::Value(Field::many(fields)),
                None => {
                    for value in values {
                        self.expr(value);
                    }
                    Given::Many(position(values.len()))
                }
            },
            (false, [value]) => match known(value) {
                Some(field) if !matches!(field, Field::Many(_)) => Given::Value(field),
                _ => {
                    self.expr(value);
                    Given::One
                }
            },
            (false, _) => {
                self.fail("a slot with one field gets one value", span);
                Given::One
            }
        }
    }

    pub(super) fn modify(
        &mut self,
        fact: &Expr,
        changes: &[(Text, Vec<Expr>, Span)],
        duplicate: bool,
        span: Span,
    ) {
        self.expr(fact);
        let mut all = Vec::with_capacity(changes.len());
        let mut count = 0;
        for (slot, values, span) in changes {
            for value in values {
                self.expr(value);
            }
            count += position(values.len());
            all.push((slot.clone(), position(values.len()), *span));
        }
        let modification = Modification { changes: all, count, duplicate };
        self.add(Op::Modify(Box::new(modification)), span, -i64::from(count));
    }
}
