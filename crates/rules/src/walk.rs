//! Everything within an expression or a condition.

use crate::program::{Condition, Expr, ExprKind, Pattern};

/// Sees an expression and all within it. Expressions are as deep as lists in a text may be.
pub(crate) fn each_expr(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    let mut all = |exprs: &[Expr]| exprs.iter().for_each(|expr| each_expr(expr, see));
    match &expr.kind {
        ExprKind::Call(_, args)
        | ExprKind::Apply(_, args)
        | ExprKind::Sequence(args)
        | ExprKind::And(args)
        | ExprKind::Or(args)
        | ExprKind::Retract(args)
        | ExprKind::Bind(_, args)
        | ExprKind::BindGlobal(_, args) => all(args),
        ExprKind::If(condition, yes, no) => {
            all(std::slice::from_ref(condition));
            all(yes);
            all(no);
        }
        ExprKind::While(first, rest) | ExprKind::Print(first, rest) => {
            all(std::slice::from_ref(first));
            all(rest);
        }
        ExprKind::Count { from, to, body, .. } => {
            all(std::slice::from_ref(from));
            all(std::slice::from_ref(to));
            all(body);
        }
        ExprKind::Each { list, body, .. } => {
            all(std::slice::from_ref(list));
            all(body);
        }
        ExprKind::Switch(subject, cases, default) => {
            all(std::slice::from_ref(subject));
            for (value, body) in cases {
                all(std::slice::from_ref(value));
                all(body);
            }
            all(default.as_deref().unwrap_or_default());
        }
        ExprKind::Return(value) => all(value.as_deref().map_or(&[], std::slice::from_ref)),
        ExprKind::Assert(facts) => {
            facts.iter().flat_map(|fact| &fact.slots).for_each(|(_, values)| all(values));
        }
        ExprKind::Modify(target, changes) | ExprKind::Duplicate(target, changes) => {
            all(std::slice::from_ref(target));
            changes.iter().for_each(|(_, values, _)| all(values));
        }
        ExprKind::Constant(_)
        | ExprKind::Variable(_)
        | ExprKind::Global(_)
        | ExprKind::Break
        | ExprKind::Halt => {}
    }
}

/// A part of the conditions of a rule that holds no others.
pub(crate) enum Asked<'p> {
    Pattern(&'p Pattern),
    Test(&'p Expr),
}

/// Sees the patterns and tests of conditions, however they are joined.
pub(crate) fn each_condition<'p>(conditions: &'p [Condition], see: &mut dyn FnMut(Asked<'p>)) {
    for condition in conditions {
        match condition {
            Condition::Pattern(pattern) => see(Asked::Pattern(pattern)),
            Condition::Test(expr) => see(Asked::Test(expr)),
            Condition::Not(inner, _) => each_condition(std::slice::from_ref(inner), see),
            Condition::And(inner, _)
            | Condition::Or(inner, _)
            | Condition::Exists(inner, _)
            | Condition::Forall(inner, _)
            | Condition::Logical(inner, _) => each_condition(inner, see),
        }
    }
}
