//! Loops and choices as jumps.

use diagnostics::Span;

use super::Op;
use super::compile::{Loop, Unit, nothing};
use crate::field::Field;
use crate::program::{Expr, VariableId};

impl Unit<'_> {
    pub(super) fn switch(
        &mut self,
        subject: &Expr,
        cases: &[(Expr, Vec<Expr>)],
        default: Option<&[Expr]>,
        span: Span,
    ) {
        self.expr(subject);
        let mut ends = Vec::new();
        for (value, body) in cases {
            self.expr(value);
            let next = self.add(Op::Case(0), value.span, -2);
            self.sequence(body, value.span);
            ends.push(self.add(Op::Jump(0), value.span, 0));
            self.land(next);
            // The subject is there again instead of the body's value.
        }
        self.add(Op::Pop, span, -1);
        self.sequence(default.unwrap_or_default(), span);
        for end in ends {
            self.land(end);
        }
    }

    pub(super) fn repeat(&mut self, condition: &Expr, body: &[Expr], span: Span) {
        self.loops.push(Loop { depth: self.depth, breaks: Vec::new() });
        let start = self.here();
        self.expr(condition);
        let done = self.add(Op::Unless(0), span, -1);
        self.actions(body);
        self.add(Op::Jump(start), span, 0);
        self.land(done);
        self.end_loop();
        self.push(Field::Bool(false), span);
    }

    pub(super) fn count(
        &mut self,
        variable: Option<VariableId>,
        from: &Expr,
        to: &Expr,
        body: &[Expr],
        span: Span,
    ) {
        let (number, last) = (self.place(), self.place());
        self.expr(from);
        self.add(Op::Store(number), from.span, -1);
        self.expr(to);
        self.add(Op::Store(last), to.span, -1);
        self.loops.push(Loop { depth: self.depth, breaks: Vec::new() });
        self.scopes.extend(variable.map(|variable| (variable, number)));
        let done = self.add(Op::Count { number, last, end: 0 }, span, 0);
        let start = self.here();
        self.actions(body);
        self.add(Op::CountOn { number, last, body: start }, span, 0);
        self.land(done);
        self.end_loop();
        if variable.is_some() {
            self.scopes.pop();
        }
        self.push(Field::Bool(false), span);
    }

    /// The value of the loop is on the stack while it runs: that of the last action so far.
    pub(super) fn each(
        &mut self,
        variable: VariableId,
        index: VariableId,
        list: &Expr,
        body: &[Expr],
        span: Span,
    ) {
        let (list_at, index_at, field_at) = (self.place(), self.place(), self.place());
        self.expr(list);
        self.add(Op::Store(list_at), list.span, -1);
        self.add(Op::Each { list: list_at, index: index_at }, list.span, 0);
        self.loops.push(Loop { depth: self.depth, breaks: Vec::new() });
        self.scopes.push((variable, field_at));
        self.scopes.push((index, index_at));
        self.push(Field::Bool(false), span);
        let start = self.here();
        let next = Op::EachOn { list: list_at, index: index_at, field: field_at, end: 0 };
        let done = self.add(next, span, 0);
        self.add(Op::Pop, span, -1);
        self.sequence(body, span);
        self.add(Op::Jump(start), span, 0);
        self.scopes.truncate(self.scopes.len() - 2);
        // A loop that is left has no value.
        self.land(done);
        let skip = self.add(Op::Jump(0), span, -1);
        self.end_loop();
        self.push(nothing(), span);
        self.land(skip);
    }

    /// Lets the breaks of the innermost loop end here.
    fn end_loop(&mut self) {
        for jump in self.loops.pop().map(|left| left.breaks).unwrap_or_default() {
            self.land(jump);
        }
    }

    pub(super) fn leave(&mut self, span: Span) {
        let Some(depth) = self.loops.last().map(|left| left.depth) else {
            return self.fail("`break` stands outside of a loop", span);
        };
        self.add(Op::Unwind(depth), span, 0);
        let jump = self.add(Op::Jump(0), span, 1);
        if let Some(left) = self.loops.last_mut() {
            left.breaks.push(jump);
        }
    }
}
