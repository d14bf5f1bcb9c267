//! Finds the condition that fails, and the fact that comes nearest to it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Told;
use super::why_not::{Missed, Reason};
use crate::code::{Code, Compiler, Machine};
use crate::field::{FactId, Field};
use crate::functions;
use crate::memory::{FactRef, Memory};
use crate::network::{Step, Way};
use crate::program::{Expr, ExprKind, FieldPattern, Pattern, Term, TermKind, VariableId};

/// How many matches of the conditions before, and how many facts, are tried for the nearest.
const LEFT_MAX: usize = 20;
const FACTS_MAX: usize = 5_000;

/// How many steps all tests of a rule's conditions may take together.
const STEPS_MAX: u64 = 1_000_000;

/// The values of variables while a fact is held against a pattern.
type Values = Vec<(VariableId, Field)>;

impl Memory {
    /// Why one way of a rule does not fire.
    pub(super) fn reason(&self, at: usize, way: &Way, text: &str, tests: &Tests) -> Reason {
        if let Some(behind) = self.agenda().position(|one| one.way as usize == at) {
            return Reason::Waits { behind };
        }
        let progress = self.progress(way);
        let Some(failing) = progress.iter().position(Vec::is_empty) else { return Reason::Fired };
        let step = &way.steps[failing];
        let before: &[u32] = if failing == 0 { &[] } else { &progress[failing - 1] };
        let trier = Trier { memory: self, way, text, tests };
        let (missed, after) = trier.missed(step, before, failing as u32);
        Reason::Fails { condition: failing + 1, span: step.span, after, missed }
    }
}

/// What the tests of one rule share, over all its ways.
pub(super) struct Tests {
    inner: RefCell<Inner>,
}

struct Inner {
    /// What was compiled, by the address of the expression, which stays while its rule is asked
    /// about.
    codes: BTreeMap<*const Expr, Code>,
    machine: Machine,
    /// The steps that are left. Once there are none, what was found so far has to do.
    steps: u64,
}

impl Tests {
    pub(super) fn new() -> Tests {
        let inner = Inner { codes: BTreeMap::new(), machine: Machine::new(), steps: STEPS_MAX };
        Tests { inner: RefCell::new(inner) }
    }

    fn are_used_up(&self) -> bool {
        self.inner.borrow().steps == 0
    }
}

struct Trier<'a> {
    memory: &'a Memory,
    way: &'a Way,
    text: &'a str,
    tests: &'a Tests,
}

impl Trier<'_> {
    /// What is wrong with a condition, and the facts before it for which it is.
    fn missed(&self, step: &Step, before: &[u32], depth: u32) -> (Missed, Vec<Told>) {
        let memory = self.memory;
        let join = &memory.rulebook().network.joins[step.join as usize];
        let told = |token: u32| -> Vec<Told> {
            let facts = if depth == 0 { Vec::new() } else { memory.match_facts(token, depth) };
            facts.into_iter().flatten().map(|fact| memory.told(fact)).collect()
        };
        if join.blocks() {
            let left = before.first().copied().or_else(|| memory.anchor(step.join));
            let by = left.map(|left| memory.blockers(left, step.join)).unwrap_or_default();
            let by = by.into_iter().map(|fact| memory.told(fact)).collect();
            let after = before.first().map(|left| told(*left)).unwrap_or_default();
            return (Missed::Blocked { by, for_all: step.for_all }, after);
        }
        let tokens: Vec<Option<u32>> = match before {
            [] => vec![None],
            some => some.iter().take(LEFT_MAX).map(|token| Some(*token)).collect(),
        };
        let Some(pattern) = &step.pattern else {
            let token = tokens[0];
            let after = token.map(told).unwrap_or_default();
            let Some(test) = &step.test else { return (Missed::Group, after) };
            let values = self.values(token, depth);
            return (Missed::Test { because: vec![self.failed_test(test, &values)] }, after);
        };
        let template = &memory.rulebook().program().templates[pattern.template.0 as usize];
        let mut best: Option<(Vec<String>, FactId, Option<u32>)> = None;
        let facts: Vec<FactRef> = memory.facts_of(pattern.template).collect();
        'all: for token in tokens {
            let values = self.values(token, depth);
            for fact in facts.iter().rev().take(FACTS_MAX) {
                let because = self.against(pattern, step.test.as_deref(), fact, &values);
                // What ended for want of steps says nothing of the fact, but one fact is told.
                if best.is_some() && self.tests.are_used_up() {
                    break 'all;
                }
                if best.as_ref().is_none_or(|(known, ..)| because.len() < known.len()) {
                    best = Some((because, fact.id, token));
                }
            }
        }
        match best {
            None => {
                let after = before.first().map(|left| told(*left)).unwrap_or_default();
                (Missed::NoFact { template: template.name.clone() }, after)
            }
            Some((because, fact, token)) => {
                let after = token.map(told).unwrap_or_default();
                (Missed::NoneFits { nearest: memory.told(fact), because }, after)
            }
        }
    }

    /// The values that the conditions before have given to variables.
    fn values(&self, token: Option<u32>, depth: u32) -> Values {
        let Some(token) = token else { return Vec::new() };
        let known = self.way.occurrences.iter().filter(|(_, place)| place.depth < depth);
        known.map(|(name, place)| (*name, self.memory.value_in(token, depth, *place))).collect()
    }

    /// What is wrong with a fact, slot by slot.
    fn against(
        &self,
        pattern: &Pattern,
        test: Option<&Expr>,
        fact: &FactRef,
        values: &Values,
    ) -> Vec<String> {
        let template = &self.memory.rulebook().program().templates[pattern.template.0 as usize];
        let mut values = values.clone();
        values.extend(pattern.fact.map(|variable| (variable, Field::Fact(fact.id))));
        let mut wrong = Vec::new();
        for asked in &pattern.slots {
            let slot = &template.slots[asked.slot as usize];
            let value = &fact.fields[asked.slot as usize];
            let what =
                if template.ordered { "its list".to_owned() } else { format!("`{}`", slot.name) };
            if !slot.many {
                let Some(field) = asked.fields.first() else { continue };
                wrong.extend(self.field(&what, field, value, &mut values));
                continue;
            }
            let fields = value.fields();
            let form = self.words(asked.span);
            if asked.fields.iter().any(|field| field.many) {
                let least = asked.fields.iter().filter(|field| !field.many).count();
                if fields.len() < least {
                    wrong.push(format!(
                        "{what} has {} fields, needs at least {least}",
                        fields.len()
                    ));
                }
                continue;
            }
            if fields.len() != asked.fields.len() {
                let (has, needs) = (fields.len(), asked.fields.len());
                wrong.push(format!("{what} has {has} fields, needs {needs}: {form}"));
                continue;
            }
            for (at, (asked, value)) in asked.fields.iter().zip(fields).enumerate() {
                let what = match template.ordered {
                    true => format!("field {}", at + 1),
                    false => format!("field {} of {what}", at + 1),
                };
                wrong.extend(self.field(&what, asked, value, &mut values));
            }
        }
        if wrong.is_empty() {
            match test {
                Some(test) if !self.holds(test, &values) => {
                    wrong.push(self.failed_test(test, &values));
                }
                // The order of fields in lists of free length is all that is left.
                _ => wrong.push(format!("it does not have the form {}", self.words(pattern.span))),
            }
        }
        wrong
    }

    /// What is wrong with one field.
    fn field(
        &self,
        what: &str,
        asked: &FieldPattern,
        value: &Field,
        values: &mut Values,
    ) -> Option<String> {
        let shown = self.memory.shown(value);
        if let Some(variable) = asked.variable {
            match lookup(values, variable) {
                Some(known) if known != value => {
                    let known = self.memory.shown(known);
                    let name = self.words(asked.span);
                    return Some(format!("{what} is {shown}, needs {known} ({name})"));
                }
                Some(_) => {}
                None => values.push((variable, value.clone())),
            }
        }
        if asked.any.is_empty() {
            return None;
        }
        let fails = |term: &Term| !self.term(term, value, values);
        if asked.any.iter().any(|terms| !terms.iter().any(fails)) {
            return None;
        }
        let needs: Vec<String> = asked
            .any
            .iter()
            .filter_map(|terms| terms.iter().find(|term| fails(term)))
            .map(|term| self.needs(term, asked.variable, values))
            .collect();
        // One verb is enough for alternatives that share it.
        let mut words = needs.join(" or ");
        if needs.iter().all(|one| one.starts_with("needs ")) {
            words = words.replace(" or needs ", " or ");
        }
        Some(format!("{what} is {shown}, {words}"))
    }

    fn term(&self, term: &Term, value: &Field, values: &Values) -> bool {
        let holds = match &term.kind {
            TermKind::Constant(constant) => constant == value,
            TermKind::Variable(variable) => lookup(values, *variable) == Some(value),
            TermKind::Holds(expr) => self.holds(expr, values),
            TermKind::Equals(expr) => self.value(expr, values).as_ref() == Some(value),
        };
        holds != term.negated
    }

    /// What a term asks for, in words.
    fn needs(&self, term: &Term, field: Option<VariableId>, values: &Values) -> String {
        let not = if term.negated { "must not be" } else { "needs" };
        match &term.kind {
            TermKind::Constant(value) => format!("{not} {}", self.memory.shown(value)),
            TermKind::Variable(variable) => {
                let value = lookup(values, *variable).map(|value| self.memory.shown(value));
                format!("{not} {} ({})", value.unwrap_or_default(), self.words(term.span))
            }
            TermKind::Equals(expr) => {
                let value = self.value(expr, values).map(|value| self.memory.shown(&value));
                format!("{not} {} ({})", value.unwrap_or_default(), self.words(term.span))
            }
            TermKind::Holds(expr) => match self.comparison(expr, field, values) {
                Some(words) if !term.negated => format!("needs {words}"),
                _ => format!("fails {}", self.words(term.span)),
            },
        }
    }

    /// `>= 4`, for an expression that compares the field with something else.
    fn comparison(
        &self,
        expr: &Expr,
        field: Option<VariableId>,
        values: &Values,
    ) -> Option<String> {
        let ExprKind::Call(function, arguments) = &expr.kind else { return None };
        let [left, right] = arguments.as_slice() else { return None };
        let ExprKind::Variable(variable) = left.kind else { return None };
        let name = functions::TABLE[usize::from(*function)].name;
        let compares = matches!(name, "<" | "<=" | ">" | ">=" | "=" | "<>");
        if !compares || Some(variable) != field {
            return None;
        }
        let value = self.memory.shown(&self.value(right, values)?);
        match right.kind {
            ExprKind::Constant(_) => Some(format!("{name} {value}")),
            _ => Some(format!("{name} {value} ({})", self.words(right.span))),
        }
    }

    /// A test that is `FALSE`, with the values it had.
    fn failed_test(&self, test: &Expr, values: &Values) -> String {
        let names = &self.memory.rulebook().program().rules[self.way.rule as usize].variables;
        let mut used: Vec<String> = Vec::new();
        test.visit(&mut |part| {
            if let ExprKind::Variable(variable) = part.kind
                && let Some(value) = lookup(values, variable)
            {
                let one = format!("?{} = {}", names[variable.0 as usize], self.memory.shown(value));
                if !used.contains(&one) {
                    used.push(one);
                }
            }
        });
        let with =
            if used.is_empty() { String::new() } else { format!(" with {}", used.join(", ")) };
        format!("{} is FALSE{with}", self.words(test.span))
    }

    fn holds(&self, expr: &Expr, values: &Values) -> bool {
        self.value(expr, values).is_some_and(|value| value.holds())
    }

    /// The value of an expression of the conditions; none if it has none.
    fn value(&self, expr: &Expr, values: &Values) -> Option<Field> {
        let book = self.memory.rulebook();
        let names = &book.program().rules[self.way.rule as usize].variables;
        let Inner { codes, machine, steps } = &mut *self.tests.inner.borrow_mut();
        let compile = || Compiler::new(book.program()).expression(expr, names);
        let code = codes.entry(expr).or_insert_with(compile);
        let places = machine.begin(code);
        for (VariableId(at), value) in values {
            places[*at as usize] = Some(value.clone());
        }
        let done = machine.run(&book.codes, code, steps, &mut self.memory.onlooker());
        done.ok().map(|done| done.value)
    }

    /// The author's words, on one line.
    fn words(&self, span: diagnostics::Span) -> String {
        format!("`{}`", super::words(self.text, span))
    }
}

fn lookup(values: &Values, variable: VariableId) -> Option<&Field> {
    values.iter().rev().find(|(name, _)| *name == variable).map(|(_, value)| value)
}
