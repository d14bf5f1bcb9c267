//! Everything within an expression or a condition.

use super::{Condition, Expr, ExprKind, Pattern, Rule, Term, TermKind};

impl Expr {
    /// Calls something for the expression and for every expression in it. Expressions nest as
    /// deep as the reader lets them, and no deeper.
    pub fn visit(&self, seen: &mut impl FnMut(&Expr)) {
        seen(self);
        for part in self.parts() {
            part.visit(seen);
        }
    }

    /// Like [`Expr::visit`], for something that changes expressions.
    pub fn visit_mut(&mut self, change: &mut impl FnMut(&mut Expr)) {
        change(self);
        for part in self.parts_mut() {
            part.visit_mut(change);
        }
    }

    /// The expressions directly in this one, in the order in which they stand.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::Global(_)
            | ExprKind::Break
            | ExprKind::Halt
            | ExprKind::Return(None) => Vec::new(),
            ExprKind::Call(_, all)
            | ExprKind::Apply(_, all)
            | ExprKind::Sequence(all)
            | ExprKind::And(all)
            | ExprKind::Or(all)
            | ExprKind::Bind(_, all)
            | ExprKind::BindGlobal(_, all)
            | ExprKind::Retract(all) => all.iter().collect(),
            ExprKind::If(test, then, otherwise) => {
                [test.as_ref()].into_iter().chain(then).chain(otherwise).collect()
            }
            ExprKind::While(test, body) | ExprKind::Print(test, body) => {
                [test.as_ref()].into_iter().chain(body).collect()
            }
            ExprKind::Count { from, to, body, .. } => {
                [from.as_ref(), to.as_ref()].into_iter().chain(body).collect()
            }
            ExprKind::Each { list, body, .. } => [list.as_ref()].into_iter().chain(body).collect(),
            ExprKind::Switch(on, cases, otherwise) => {
                let cases = cases.iter().flat_map(|(value, body)| [value].into_iter().chain(body));
                [on.as_ref()].into_iter().chain(cases).chain(otherwise.iter().flatten()).collect()
            }
            ExprKind::Return(Some(value)) => vec![value],
            ExprKind::Assert(facts) => {
                facts.iter().flat_map(|fact| &fact.slots).flat_map(|(_, values)| values).collect()
            }
            ExprKind::Modify(fact, changes) | ExprKind::Duplicate(fact, changes) => {
                let values = changes.iter().flat_map(|(_, values, _)| values);
                [fact.as_ref()].into_iter().chain(values).collect()
            }
        }
    }

    /// Like [`Expr::parts`], to be changed.
    fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::Global(_)
            | ExprKind::Break
            | ExprKind::Halt
            | ExprKind::Return(None) => Vec::new(),
            ExprKind::Call(_, all)
            | ExprKind::Apply(_, all)
            | ExprKind::Sequence(all)
            | ExprKind::And(all)
            | ExprKind::Or(all)
            | ExprKind::Bind(_, all)
            | ExprKind::BindGlobal(_, all)
            | ExprKind::Retract(all) => all.iter_mut().collect(),
            ExprKind::If(test, then, otherwise) => {
                [test.as_mut()].into_iter().chain(then).chain(otherwise).collect()
            }
            ExprKind::While(test, body) | ExprKind::Print(test, body) => {
                [test.as_mut()].into_iter().chain(body).collect()
            }
            ExprKind::Count { from, to, body, .. } => {
                [from.as_mut(), to.as_mut()].into_iter().chain(body).collect()
            }
            ExprKind::Each { list, body, .. } => [list.as_mut()].into_iter().chain(body).collect(),
            ExprKind::Switch(on, cases, otherwise) => {
                let cases =
                    cases.iter_mut().flat_map(|(value, body)| [value].into_iter().chain(body));
                [on.as_mut()]
                    .into_iter()
                    .chain(cases)
                    .chain(otherwise.iter_mut().flatten())
                    .collect()
            }
            ExprKind::Return(Some(value)) => vec![value],
            ExprKind::Assert(facts) => {
                let slots = facts.iter_mut().flat_map(|fact| &mut fact.slots);
                slots.flat_map(|(_, values)| values).collect()
            }
            ExprKind::Modify(fact, changes) | ExprKind::Duplicate(fact, changes) => {
                let values = changes.iter_mut().flat_map(|(_, values, _)| values);
                [fact.as_mut()].into_iter().chain(values).collect()
            }
        }
    }
}

/// A part of the conditions of a rule that holds no others.
pub enum Asked<'p> {
    /// A pattern.
    Pattern(&'p Pattern),
    /// A test.
    Test(&'p Expr),
}

impl Rule {
    /// Calls something for each pattern and test of its conditions, however they are joined.
    pub fn each_asked<'p>(&'p self, seen: &mut impl FnMut(Asked<'p>)) {
        self.when.iter().for_each(|condition| condition.visit(seen));
    }

    /// Calls something for each expression of its conditions: tests, and those within patterns.
    pub fn each_test<'p>(&'p self, seen: &mut impl FnMut(&'p Expr)) {
        self.each_asked(&mut |asked| match asked {
            Asked::Test(expr) => seen(expr),
            Asked::Pattern(pattern) => {
                let fields = pattern.slots.iter().flat_map(|slot| &slot.fields);
                let terms = fields.flat_map(|field| field.any.iter().flatten());
                terms.filter_map(Term::expr).for_each(&mut *seen);
            }
        });
    }
}

impl Term {
    /// The expression that it asks with, if it does.
    pub fn expr(&self) -> Option<&Expr> {
        match &self.kind {
            TermKind::Holds(expr) | TermKind::Equals(expr) => Some(expr),
            TermKind::Constant(_) | TermKind::Variable(_) => None,
        }
    }
}

impl Condition {
    /// Calls something for each pattern and test of a condition, however they are joined.
    pub fn visit<'p>(&'p self, seen: &mut impl FnMut(Asked<'p>)) {
        match self {
            Condition::Pattern(pattern) => seen(Asked::Pattern(pattern)),
            Condition::Test(expr) => seen(Asked::Test(expr)),
            Condition::Not(inner, _) => inner.visit(seen),
            Condition::And(inner, _)
            | Condition::Or(inner, _)
            | Condition::Exists(inner, _)
            | Condition::Forall(inner, _)
            | Condition::Logical(inner, _) => inner.iter().for_each(|part| part.visit(seen)),
        }
    }
}
