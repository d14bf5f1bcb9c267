//! The rules of a program as a network: a tree of tests for facts, and joins of what passed.
//!
//! It is made once and never changes; what is matched is in [`crate::memory`].

mod attach;
mod bindings;
mod joins;
mod patterns;
mod place;
pub(crate) mod shape;
mod size;
mod test;
mod variables;

use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic, Span, codes};

pub(crate) use joins::{Join, Right};
pub(crate) use patterns::{NONE, Node, Patterns};
pub(crate) use place::{At, Place, Side, Stretches, here};
pub(crate) use test::{Compare, ExprTest, How, Operand, Test};

use crate::code::Code;
use crate::program::{Condition, Expr, Pattern, Program, Rule, VariableId};

/// How many conditions one way of a rule may have: joins tell each other one inside the other.
const WAY_CONDITIONS_MAX: usize = 250;

/// The network of a program.
#[derive(Debug)]
pub(crate) struct Network {
    pub patterns: Patterns,
    pub joins: Vec<Join>,
    /// First joins that need no fact.
    pub free: Vec<u32>,
    /// First joins that hold while nothing fits.
    pub empty: Vec<u32>,
    /// The ways of all rules.
    pub ways: Vec<Way>,
}

/// One way in which a rule can hold.
#[derive(Debug)]
pub(crate) struct Way {
    /// Which rule.
    pub rule: u32,
    /// The join whose left side holds what the assertions of the rule depend on.
    pub logical: Option<u32>,
    /// Where the values of variables are in a match; places are on its left.
    pub variables: Vec<(VariableId, Place)>,
    /// Each place that a variable has in a match, in the order of the conditions.
    pub occurrences: Vec<(VariableId, Place)>,
    /// Of how many facts a match consists.
    pub length: u32,
    /// Its conditions, each with the join that it became.
    pub steps: Vec<Step>,
    /// The join that completes it.
    pub last: u32,
}

/// A condition of a way, outside of groups: a group is one condition.
#[derive(Debug)]
pub(crate) struct Step {
    pub join: u32,
    /// Where it stands.
    pub span: Span,
    /// The pattern; none for a test and for a group.
    pub pattern: Option<Pattern>,
    /// What it asks beyond the pattern.
    pub test: Option<Arc<Expr>>,
    /// Whether it is a `forall`.
    pub for_all: bool,
}

impl Network {
    /// The network of a program, and what is wrong with its variables.
    pub(crate) fn new(
        program: &Program,
        compile: &dyn Fn(&Expr, usize) -> Code,
    ) -> (Network, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let mut patterns = Patterns::new(program.templates.len());
        let mut joins = joins::Joins::default();
        let mut tests = test::ExprTests::default();
        let mut ways = Vec::new();
        for (number, rule) in program.rules.iter().enumerate() {
            let shapes = match shape::flatten(&rule.when) {
                Ok(shapes) => shapes,
                Err(size::TooMany(limit)) => {
                    found.push(too_large(rule, limit));
                    continue;
                }
            };
            for elements in shapes {
                if elements.len() > WAY_CONDITIONS_MAX {
                    let limit = format!(
                        "each alternative of a rule may have {WAY_CONDITIONS_MAX} conditions"
                    );
                    found.push(too_large(rule, limit));
                    break;
                }
                let resolved =
                    variables::resolve(program, rule, &elements, compile, &mut tests, &mut found);
                let Some(resolved) = resolved else { continue };
                let logical = logical_depth(&resolved.specs);
                let specs = attach::fold_tests(resolved.specs);
                let chain = joins.chain(&mut patterns, &specs, logical);
                let placed = |binding: &bindings::Binding| {
                    let place = Place { side: Side::Left, depth: binding.depth, at: binding.at };
                    (binding.variable, place)
                };
                joins.joins[chain.last as usize].way = Some(ways.len() as u32);
                ways.push(Way {
                    rule: number as u32,
                    logical: chain.logical,
                    variables: resolved.bindings.iter().map(placed).collect(),
                    occurrences: resolved.occurrences.iter().map(placed).collect(),
                    length: joins.joins[chain.last as usize].left_length,
                    steps: steps(rule, &elements, &specs, &chain.steps),
                    last: chain.last,
                });
            }
        }
        patterns.finish();
        joins.finish();
        let joins::Joins { joins, free, empty, .. } = joins;
        (Network { patterns, joins, free, empty, ways }, found)
    }
}

/// What the joins outside of groups are about.
fn steps(
    rule: &Rule,
    elements: &[shape::Element],
    specs: &[variables::Spec],
    joins: &[(usize, u32)],
) -> Vec<Step> {
    let ends = joins.iter().skip(1).map(|(at, _)| specs[*at].element).chain([elements.len()]);
    let step = |(at, join): (usize, u32), end: usize| {
        let start = specs[at].element;
        let parts = &elements[start..end];
        // A group begins with its first pattern or test, which the negation stands around.
        let places = parts.iter().flat_map(|one| {
            let pattern = one.pattern.map(|pattern| pattern.span);
            pattern.into_iter().chain(one.test.as_ref().map(|test| test.span))
        });
        let place = places.into_iter().next().unwrap_or_default();
        let (span, for_all) = negation_around(&rule.when, place).unwrap_or((place, false));
        let is_group = elements[start].marks.begin > 1;
        let pattern = elements[start].pattern.filter(|_| !is_group).cloned();
        let test = parts.iter().find_map(|one| one.test.clone()).filter(|_| !is_group);
        Step { join, span, pattern, test, for_all }
    };
    joins.iter().copied().zip(ends).map(|(join, end)| step(join, end)).collect()
}

/// Where the outermost negation around a place stands, and whether it is a `forall`.
fn negation_around(conditions: &[Condition], place: Span) -> Option<(Span, bool)> {
    conditions.iter().find_map(|condition| match condition {
        Condition::Pattern(_) | Condition::Test(_) => None,
        Condition::And(parts, _) | Condition::Or(parts, _) | Condition::Logical(parts, _) => {
            negation_around(parts, place)
        }
        Condition::Not(_, span) | Condition::Exists(_, span) | Condition::Forall(_, span) => {
            let is_around = span.start <= place.start && place.end <= span.end;
            is_around.then_some((*span, matches!(condition, Condition::Forall(..))))
        }
    })
}

fn too_large(rule: &Rule, limit: String) -> Diagnostic {
    let message = format!("the conditions of rule `{}` are too many or too large", rule.name);
    Diagnostic::new(&codes::RULES_TOO_LARGE, Anchor::Span(rule.span), message).help(limit)
}

/// How deep the join is on whose left all logical conditions are matched: they are the first
/// ones, which is seen to when the rule is read.
fn logical_depth(specs: &[variables::Spec]) -> Option<u32> {
    let outside = specs.iter().filter(|spec| spec.marks.end == 1);
    let mut depth = None;
    for spec in outside.filter(|spec| spec.marks.logical) {
        let before = depth.unwrap_or(1);
        let adds = !spec.marks.is_test || before == 1;
        depth = Some(before + u32::from(adds));
    }
    depth
}
