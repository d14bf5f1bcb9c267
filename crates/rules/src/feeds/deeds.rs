//! What the initial facts and the actions of a program do to facts.

use std::collections::BTreeSet;

use value::Text;

use super::Source;
use super::shape::{self, Shape, Variables};
use crate::field::Field;
use crate::program::{Expr, ExprKind, FunctionId, NewFact, Program, Rule, TemplateId, VariableId};

/// Everything that is done to facts.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// To some facts.
    pub(super) all: Vec<(Source, Fact)>,
    /// Who retracts all facts: `(retract *)`.
    pub(super) retracting_all: BTreeSet<Source>,
}

/// A fact before and after a deed.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// Of which template.
    pub(super) template: TemplateId,
    /// What it was like, if it was there.
    pub(super) before: Option<Shape>,
    /// What it is like, if it is there.
    pub(super) after: Option<Shape>,
}

impl Deeds {
    /// Of a program.
    pub(super) fn of(program: &Program) -> Deeds {
        let mut deeds = Deeds::default();
        let nothing = Variables::new();
        for (at, initial) in (0..).zip(&program.facts) {
            for fact in &initial.facts {
                let fact = asserted(program, fact, &nothing);
                deeds.all.push((Source::Initial(at), fact));
            }
        }
        for (at, rule) in (0..).zip(&program.rules) {
            let acting = Acting { program, source: Source::Rule(at), rule };
            acting.rule(&mut deeds);
        }
        deeds
    }
}

struct Acting<'a> {
    program: &'a Program,
    source: Source,
    rule: &'a Rule,
}

impl Acting<'_> {
    fn rule(&self, deeds: &mut Deeds) {
        let variables = shape::variables(self.rule);
        let mut called = Vec::new();
        for action in &self.rule.then {
            action.visit(&mut |expr| {
                self.act(deeds, expr, &variables, &mut called);
                let (fact, changes, is_copy) = match &expr.kind {
                    ExprKind::Retract(facts) => {
                        facts.iter().for_each(|fact| self.retract(deeds, fact));
                        return;
                    }
                    ExprKind::Modify(fact, changes) => (fact, changes, false),
                    ExprKind::Duplicate(fact, changes) => (fact, changes, true),
                    _ => return,
                };
                self.change(deeds, fact, changes, is_copy, &variables);
            });
        }
        // What functions assert is asserted by whoever calls them; their variables may hold
        // anything, and what they retract is not known.
        let (mut seen, nothing) = (BTreeSet::new(), Variables::new());
        while let Some(function) = called.pop() {
            if !seen.insert(function) {
                continue;
            }
            for action in
                self.program.functions.get(function.0 as usize).map_or(&[][..], |it| &it.body)
            {
                action.visit(&mut |expr| self.act(deeds, expr, &nothing, &mut called));
            }
        }
    }

    /// What an expression asserts, and which function it calls.
    fn act(
        &self,
        deeds: &mut Deeds,
        expr: &Expr,
        variables: &Variables,
        called: &mut Vec<FunctionId>,
    ) {
        match &expr.kind {
            ExprKind::Apply(function, _) => called.push(*function),
            ExprKind::Assert(facts) => {
                let facts = facts.iter().map(|fact| asserted(self.program, fact, variables));
                deeds.all.extend(facts.map(|fact| (self.source, fact)));
            }
            ExprKind::Retract(facts) if facts.iter().any(is_star) => {
                deeds.retracting_all.insert(self.source);
            }
            _ => {}
        }
    }

    fn retract(&self, deeds: &mut Deeds, fact: &Expr) {
        for (template, before) in self.known(fact) {
            deeds.all.push((self.source, Fact { template, before: Some(before), after: None }));
        }
    }

    fn change(
        &self,
        deeds: &mut Deeds,
        fact: &Expr,
        changes: &[(Text, Vec<Expr>, diagnostics::Span)],
        is_copy: bool,
        variables: &Variables,
    ) {
        for (template, before) in self.known(fact) {
            let mut after = before.clone();
            let slots = self.program.templates.get(template.0 as usize).map(|it| &it.slots);
            for (name, values, _) in changes {
                let at = slots.and_then(|slots| slots.iter().position(|slot| slot.name == *name));
                if let Some(at) = at {
                    after.0.insert(at as u32, shape::items(values, variables));
                }
            }
            let before = (!is_copy).then_some(before);
            deeds.all.push((self.source, Fact { template, before, after: Some(after) }));
        }
    }

    /// The facts that an expression can stand for, where the conditions of the rule say so.
    fn known(&self, fact: &Expr) -> Vec<(TemplateId, Shape)> {
        let ExprKind::Variable(VariableId(variable)) = fact.kind else { return Vec::new() };
        let variables = shape::variables(self.rule);
        let patterns = shape::bound_by(&self.rule.when, VariableId(variable));
        let known = patterns.into_iter().map(|pattern| {
            (pattern.template, shape::of_pattern(self.program, pattern, &variables))
        });
        known.collect()
    }
}

fn asserted(program: &Program, fact: &NewFact, variables: &Variables) -> Fact {
    let after = Some(shape::of_fact(program, fact, variables));
    Fact { template: fact.template, before: None, after }
}

fn is_star(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Constant(Field::Symbol(name)) if name.as_str() == "*")
}
