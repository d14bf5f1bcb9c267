//! What its author would want to know of a program that may be run.
//!
//! Facts may come from outside, so that nothing here says that a pattern has no facts: only what
//! the text itself proves.

mod conditions;

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Diagnostic, Span, codes};
use value::Text;

use crate::field::Field;
use crate::functions;
use crate::program::{Asked, Default, Expr, ExprKind, Program, Rule, TermKind, VariableId};
use crate::read::fold::folded;

/// Where `printout` may write.
const PRINTED: &[&str] = &["t", "nil", "stdout", "stderr", "stdwrn", "werror", "wwarning"];

/// Warnings about a program that was read without errors.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for rule in &program.rules {
        unused_in_rule(rule, &mut findings);
        conditions::never_fires(rule, &mut findings);
        rule.each_test(&mut |test| prints_while_matching(test, &mut findings));
        for action in &rule.then {
            prints_nowhere(action, &mut findings);
        }
    }
    for function in &program.functions {
        for action in &function.body {
            prints_nowhere(action, &mut findings);
        }
        let own = |id: &VariableId| (id.0 as usize) >= parameters(function);
        unused_bindings(&function.variables, &function.body, own, &mut findings);
    }
    conditions::like_calls(program, &mut findings);
    unused_definitions(program, &mut findings);
    findings.sort_by_key(|found| found.at.span().start);
    findings
}

fn parameters(function: &crate::program::Function) -> usize {
    function.parameters as usize + usize::from(function.rest)
}

fn unused_in_rule(rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // Each variable that patterns bind: how often, and where first.
    let mut bound: BTreeMap<VariableId, (usize, Span)> = BTreeMap::new();
    let mut used: BTreeSet<VariableId> = BTreeSet::new();
    let mut facts: BTreeSet<VariableId> = BTreeSet::new();
    let see_expr = |expr: &Expr, used: &mut BTreeSet<VariableId>| {
        expr.visit(&mut |expr| {
            if let ExprKind::Variable(variable) = expr.kind {
                used.insert(variable);
            }
        });
    };
    rule.each_asked(&mut |asked| {
        let pattern = match asked {
            Asked::Test(expr) => return see_expr(expr, &mut used),
            Asked::Pattern(pattern) => pattern,
        };
        if let Some(fact) = pattern.fact {
            let span = pattern.fact_span;
            facts.insert(fact);
            bound.entry(fact).or_insert((0, span)).0 += 1;
        }
        for field in pattern.slots.iter().flat_map(|slot| &slot.fields) {
            if let Some(variable) = field.variable {
                let name = rule.variables.get(variable.0 as usize).map_or(0, |name| name.len());
                let start = field.span.start as usize;
                let length = name + if field.many { 2 } else { 1 };
                let span = Span::new(start, (start + length).min(field.span.end as usize));
                bound.entry(variable).or_insert((0, span)).0 += 1;
            }
            for term in field.any.iter().flatten() {
                match &term.kind {
                    TermKind::Variable(variable) => {
                        used.insert(*variable);
                    }
                    TermKind::Holds(expr) | TermKind::Equals(expr) => see_expr(expr, &mut used),
                    TermKind::Constant(_) => {}
                }
            }
        }
    });
    for action in &rule.then {
        see_expr(action, &mut used);
    }
    for (variable, (count, span)) in &bound {
        let name = rule.variables.get(variable.0 as usize).map_or("", |name| &**name);
        if *count == 1 && !used.contains(variable) {
            let message = format!("`?{name}` is bound here and used nowhere in `{}`", rule.name);
            let found =
                Diagnostic::new(&codes::RULES_UNUSED_VARIABLE, Anchor::Span(*span), message);
            findings.push(match facts.contains(variable) {
                true => found.help(format!("leave out `?{name} <-`")),
                false => found.help("write `?` for any value, or leave it out beside other terms"),
            });
        }
    }
    let own = |id: &VariableId| !bound.contains_key(id);
    unused_bindings(&rule.variables, &rule.then, own, findings);
}

/// Variables that only `bind` gives a value, which nothing reads.
fn unused_bindings(
    names: &[Text],
    actions: &[Expr],
    own: impl Fn(&VariableId) -> bool,
    findings: &mut Vec<Diagnostic>,
) {
    let mut given: BTreeMap<VariableId, Span> = BTreeMap::new();
    let mut used = BTreeSet::new();
    // The last action of a function is its value.
    let last = actions.last().map(|action| action.span);
    for action in actions {
        action.visit(&mut |expr| match expr.kind {
            ExprKind::Bind(variable, _) if Some(expr.span) != last => {
                given.entry(variable).or_insert(expr.span);
            }
            ExprKind::Bind(variable, _) | ExprKind::Variable(variable) => {
                used.insert(variable);
            }
            _ => {}
        });
    }
    for (variable, span) in given {
        if used.contains(&variable) || !own(&variable) {
            continue;
        }
        let name = names.get(variable.0 as usize).map_or("", |name| &**name);
        let message = format!("`?{name}` is given a value that nothing reads");
        let found = Diagnostic::new(&codes::RULES_UNUSED_VARIABLE, Anchor::Span(span), message);
        findings.push(found.help("delete the `bind`, and keep what it computes if it acts"));
    }
}

/// Whether an expression of constants is `FALSE`.
fn is_false(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::And(args) => args.iter().any(is_false),
        _ => folded(&[], expr) == Ok(Some(Field::Bool(false))),
    }
}

/// Where an expression prints, if it says so with a constant.
fn printed_to(expr: &Expr) -> Option<(&Field, Span)> {
    let to = match &expr.kind {
        ExprKind::Print(to, _) => to,
        ExprKind::Call(function, args) if functions::find("format") == Some(*function) => {
            args.first()?
        }
        _ => return None,
    };
    let ExprKind::Constant(name) = &to.kind else { return None };
    Some((name, to.span))
}

fn prints_while_matching(test: &Expr, findings: &mut Vec<Diagnostic>) {
    test.visit(&mut |expr| {
        let Some((name, span)) = printed_to(expr) else { return };
        if name.lexeme().is_none_or(|name| name == "nil" || name == "FALSE") {
            return;
        }
        let message = "nothing is printed: conditions have no effects";
        let found = Diagnostic::new(&codes::RULES_PRINTS_NOWHERE, Anchor::Span(span), message);
        findings.push(found.help("print in the actions of a rule"));
    });
}

fn prints_nowhere(action: &Expr, findings: &mut Vec<Diagnostic>) {
    action.visit(&mut |expr| {
        let Some((name, span)) = printed_to(expr) else { return };
        if name.lexeme().is_some_and(|name| PRINTED.contains(&name)) {
            return;
        }
        let message = format!("nothing is printed: there is no output `{name}`");
        let found = Diagnostic::new(&codes::RULES_PRINTS_NOWHERE, Anchor::Span(span), message);
        findings.push(found.help("write `t`, which is the log of the run"));
    });
}

/// Functions that nothing calls, globals that nothing uses.
fn unused_definitions(program: &Program, findings: &mut Vec<Diagnostic>) {
    let mut called = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut see = |expr: &Expr, within: Option<usize>| {
        expr.visit(&mut |expr| match expr.kind {
            // A function that calls only itself is called by nobody.
            ExprKind::Apply(function, _) if within != Some(function.0 as usize) => {
                called.insert(function.0 as usize);
            }
            ExprKind::Global(global) | ExprKind::BindGlobal(global, _) => {
                read.insert(global.0 as usize);
            }
            _ => {}
        });
    };
    for rule in &program.rules {
        rule.each_test(&mut |expr| see(expr, None));
        rule.then.iter().chain(&rule.salience).for_each(|expr| see(expr, None));
    }
    for (id, function) in program.functions.iter().enumerate() {
        function.body.iter().for_each(|expr| see(expr, Some(id)));
    }
    program.globals.iter().for_each(|global| see(&global.value, None));
    let facts = program.facts.iter().flat_map(|list| &list.facts).flat_map(|fact| &fact.slots);
    facts.flat_map(|(_, values)| values).for_each(|expr| see(expr, None));
    for slot in program.templates.iter().flat_map(|template| &template.slots) {
        if let Default::Computed(values) = &slot.default {
            values.iter().for_each(|expr| see(expr, None));
        }
    }
    for (id, function) in program.functions.iter().enumerate() {
        if !called.contains(&id) {
            let message = format!("nothing calls the function `{}`", function.name);
            let at = Anchor::Span(function.span);
            let found = Diagnostic::new(&codes::RULES_UNUSED_DEFINITION, at, message);
            findings.push(found.help("call it, or delete it"));
        }
    }
    for (id, global) in program.globals.iter().enumerate() {
        if !read.contains(&id) {
            let message = format!("nothing uses the global `?*{}*`", global.name);
            let at = Anchor::Span(global.span);
            let found = Diagnostic::new(&codes::RULES_UNUSED_DEFINITION, at, message);
            findings.push(found.help("use it, or delete it"));
        }
    }
}
