//! What the initial facts and the actions of a program do to facts.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::Span;
use value::Text;

use super::Source;
use super::shape::{self, Shape, Variables};
use crate::field::Field;
use crate::program::{Expr, ExprKind, FunctionId, NewFact, Program, Rule, TemplateId};

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
            action.visit(&mut |expr| self.act(deeds, expr, &variables, &mut called));
        }
        // What functions do is done by whoever calls them; their variables may hold anything.
        let (mut seen, nothing) = (BTreeSet::new(), Variables::new());
        let inside = Acting { rule: &Rule { when: Vec::new(), ..self.rule.clone() }, ..*self };
        while let Some(function) = called.pop() {
            let function = Some(function).filter(|function| seen.insert(*function));
            let function = function.and_then(|it| self.program.functions.get(it.0 as usize));
            for action in function.map_or(&[][..], |function| &function.body) {
                action.visit(&mut |expr| inside.act(deeds, expr, &nothing, &mut called));
            }
        }
    }

    /// What an expression does to facts, and which function it calls.
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
            ExprKind::Retract(facts) => {
                if facts.iter().any(is_star) {
                    deeds.retracting_all.insert(self.source);
                }
                for (template, before) in facts.iter().flat_map(|fact| self.known(fact)) {
                    let fact = Fact { template, before: Some(before), after: None };
                    deeds.all.push((self.source, fact));
                }
            }
            ExprKind::Modify(fact, changes) => {
                self.change(deeds, fact, changes, Keeps::Nothing, variables);
            }
            ExprKind::Duplicate(fact, changes) => {
                self.change(deeds, fact, changes, Keeps::Original, variables);
            }
            _ => {}
        }
    }

    fn change(
        &self,
        deeds: &mut Deeds,
        fact: &Expr,
        changes: &[Change],
        keeps: Keeps,
        variables: &Variables,
    ) {
        let known = self.known(fact).into_iter().map(|(template, before)| (template, before, true));
        let unknown = self.unknown(fact, changes);
        let unknown = unknown.into_iter().map(|at| (at, Shape(BTreeMap::new()), false));
        for (template, before, is_known) in known.chain(unknown) {
            let mut after = before.clone();
            for (name, values, _) in changes {
                if let Some(slot) = self.slot(template, name) {
                    after.0.insert(slot, shape::items(values, variables));
                }
            }
            let before = (is_known && keeps == Keeps::Nothing).then_some(before);
            deeds.all.push((self.source, Fact { template, before, after: Some(after) }));
        }
    }

    fn slot(&self, TemplateId(template): TemplateId, name: &Text) -> Option<u32> {
        let template = self.program.templates.get(template as usize)?;
        (0..).zip(&template.slots).find(|(_, slot)| slot.name == *name).map(|(at, _)| at)
    }

    /// The facts that an expression can stand for, where the conditions of the rule say so.
    fn known(&self, fact: &Expr) -> Vec<(TemplateId, Shape)> {
        let ExprKind::Variable(variable) = fact.kind else { return Vec::new() };
        let variables = shape::variables(self.rule);
        let patterns = shape::bound_by(&self.rule.when, variable);
        let known = patterns.into_iter().map(|pattern| {
            (pattern.template, shape::of_pattern(self.program, pattern, &variables))
        });
        known.collect()
    }

    /// The templates of which the fact can be that is changed, where only a run knows it: those
    /// that have all these slots.
    fn unknown(&self, fact: &Expr, changes: &[Change]) -> Vec<TemplateId> {
        if let ExprKind::Variable(variable) = fact.kind
            && !shape::bound_by(&self.rule.when, variable).is_empty()
            && !shape::is_bound_again(&self.rule.then, variable)
        {
            return Vec::new();
        }
        let all = (0..self.program.templates.len()).map(|at| TemplateId(at as u32));
        let has_all = |template: &TemplateId| {
            let is_ordered = self.program.templates[template.0 as usize].ordered;
            !is_ordered && changes.iter().all(|(name, ..)| self.slot(*template, name).is_some())
        };
        all.filter(has_all).collect()
    }
}

type Change = (Text, Vec<Expr>, Span);

/// What is left of a fact that is written again.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    /// It is another now.
    Nothing,
    /// There are two.
    Original,
}

fn asserted(program: &Program, fact: &NewFact, variables: &Variables) -> Fact {
    let after = Some(shape::of_fact(program, fact, variables));
    Fact { template: fact.template, before: None, after }
}

fn is_star(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Constant(Field::Symbol(name)) if name.as_str() == "*")
}
