//! What the variables of one way of a rule stand for, and what follows for its joins.
//!
//! A variable means its last occurrence before: in an earlier field of its pattern, or in an
//! earlier condition that is neither negated nor in a group that is closed by now. An occurrence
//! in the same pattern is compared by the pattern network, one in another pattern by the join,
//! which finds its partners by the values of such variables.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic, Span, codes};

use super::bindings::{Binding, Bindings, Within, left_place};
use super::patterns::NodeSpec;
use super::place::{At, ListLayout, Place, Side, here};
use super::shape::{Element, Marks};
use super::test::{ExprTests, Test};
use crate::code::Code;
use crate::program::{
    Expr, ExprKind, FieldPattern, Pattern, Program, Rule, TemplateId, Term, TermKind, VariableId,
};

/// How many fields the pattern of a slot may have.
const FIELDS_MAX: usize = 1_000;

/// How many stretches of free length a match of a pattern may have to keep.
const STRETCHES_MAX: u32 = 32;

/// A condition, with its variables resolved: what a join will be made of.
#[derive(Debug)]
pub(super) struct Spec {
    /// Which of the conditions it was.
    pub element: usize,
    /// The nodes its facts have to pass, and of which template they are.
    pub pattern: Option<(TemplateId, Vec<NodeSpec>)>,
    pub marks: Marks,
    /// What the join asks.
    pub test: Vec<Test>,
    /// What is asked once it is known that no fact matches, or that one does.
    pub after: Vec<Test>,
    /// The values by which the left side is found, and those of the right side they equal.
    pub left_hash: Vec<Place>,
    pub right_hash: Vec<At>,
    /// For the group that it opens: what is asked of the values that the group got from outside,
    /// and the values by which the two are found.
    pub group_test: Vec<Test>,
    pub group_hash: Vec<Place>,
}

/// A way of a rule, resolved.
pub(super) struct Resolved {
    pub specs: Vec<Spec>,
    /// The variables that the actions may use, each once, in the order of binding.
    pub bindings: Vec<Binding>,
    /// The same with every place that they have.
    pub occurrences: Vec<Binding>,
}

/// Resolves the variables of one way. What is wrong with them is reported once.
pub(super) fn resolve(
    program: &Program,
    rule: &Rule,
    elements: &[Element],
    compile: &dyn Fn(&Expr, usize) -> Code,
    tests: &mut ExprTests,
    found: &mut Vec<Diagnostic>,
) -> Option<Resolved> {
    let depths = join_depths(elements);
    let known = found.len();
    let mut resolver = Resolver {
        program,
        rule,
        elements,
        depths: &depths,
        compile,
        tests,
        found,
        visible: Bindings::default(),
        groups: Vec::new(),
        specs: elements.iter().enumerate().map(|(at, one)| Spec::new(at, one)).collect(),
    };
    for at in 0..elements.len() {
        resolver.element(at);
    }
    let specs = resolver.specs;
    let occurrences = resolver.visible.list.clone();
    let bindings = resolver.visible.latest();
    check_actions(rule, &bindings, found);
    (found.len() == known).then_some(Resolved { specs, bindings, occurrences })
}

/// Which fact of a match each condition is. A group is one fact to what follows it, and so is a
/// test that nothing stands before.
fn join_depths(elements: &[Element]) -> Vec<u32> {
    let mut depths = vec![0; elements.len()];
    // For each open group, how many facts there were before it.
    let mut opened: Vec<u32> = Vec::new();
    let mut depth = 0;
    for (at, element) in elements.iter().enumerate() {
        while (opened.len() as u32) + 1 < element.marks.begin {
            opened.push(depth);
        }
        if element.marks.is_test {
            depth = depth.max(1);
            depths[at] = depth - 1;
        } else {
            depths[at] = depth;
            depth += 1;
        }
        while (opened.len() as u32) + 1 > element.marks.end {
            depth = opened.pop().unwrap_or(0) + 1;
        }
    }
    depths
}

impl Spec {
    fn new(at: usize, element: &Element) -> Spec {
        Spec {
            element: at,
            pattern: None,
            marks: element.marks,
            test: Vec::new(),
            after: Vec::new(),
            left_hash: Vec::new(),
            right_hash: Vec::new(),
            group_test: Vec::new(),
            group_hash: Vec::new(),
        }
    }
}

struct Resolver<'a, 'b> {
    program: &'a Program,
    rule: &'a Rule,
    elements: &'a [Element<'a>],
    depths: &'a [u32],
    compile: &'a dyn Fn(&Expr, usize) -> Code,
    tests: &'b mut ExprTests,
    found: &'b mut Vec<Diagnostic>,
    /// What conditions so far have bound.
    visible: Bindings,
    /// The groups that are open: the condition that opened each, and the depth around it.
    groups: Vec<(usize, u32)>,
    specs: Vec<Spec>,
}

impl Resolver<'_, '_> {
    fn element(&mut self, at: usize) {
        let element = &self.elements[at];
        while self.groups.len() as u32 + 1 < element.marks.begin {
            self.groups.push((at, self.groups.len() as u32 + 1));
        }
        let mut within = Within { element: at, bindings: Bindings::default() };
        if let Some(pattern) = element.pattern {
            self.pattern(&mut within, pattern);
        }
        if let Some(test) = &element.test
            && let Some(test) = self.expression(&within, test, None, false, Net::Join)
        {
            self.specs[at].test.push(test);
        }
        if !element.marks.negated
            && !element.marks.exists
            && element.marks.begin <= element.marks.end
        {
            within.bindings.list.into_iter().for_each(|binding| self.visible.push(binding));
        }
        while self.groups.len() as u32 + 1 > element.marks.end {
            self.groups.pop();
        }
        self.visible.leave(element.marks.end);
    }

    fn pattern(&mut self, within: &mut Within, pattern: &Pattern) {
        if let Some(variable) = pattern.fact {
            if self.lookup(within, variable).is_some() {
                let name = &self.rule.variables[variable.0 as usize];
                let message = format!("`?{name}` is bound before, and cannot hold this fact too");
                let help = "give this fact a variable of its own";
                self.report(&codes::RULES_FACT_VARIABLE, pattern.fact_span, message, help);
            }
            self.bind(within, variable, false, At::Address);
        }
        let template = &self.program.templates[pattern.template.0 as usize];
        let mut nodes = Vec::new();
        let mut stretches = 0;
        for slot_pattern in &pattern.slots {
            if slot_pattern.fields.len() > FIELDS_MAX {
                let message = "the pattern of a slot has too many fields".to_owned();
                let help = format!("a slot's pattern may have {FIELDS_MAX} fields");
                self.too_large(pattern.span, message, help);
                continue;
            }
            if template.slots[slot_pattern.slot as usize].many {
                let layout = ListLayout::new(slot_pattern, stretches);
                let tests = slot_pattern.fields.iter().enumerate();
                let tests =
                    tests.map(|(at, field)| self.field(within, field, layout.place(at))).collect();
                nodes.extend(NodeSpec::of_list(slot_pattern, &layout, tests));
                stretches += layout.stretches();
            } else if let [field] = slot_pattern.fields.as_slice() {
                let tests = self.field(within, field, At::Slot(slot_pattern.slot));
                nodes.extend(NodeSpec::of_slot(slot_pattern.slot, tests));
            }
        }
        if stretches > STRETCHES_MAX {
            let message = "the pattern has too many fields of free length".to_owned();
            let help = format!(
                "a pattern may have {STRETCHES_MAX} of `$?` and `$?x` in slots with several of them"
            );
            self.too_large(pattern.span, message, help);
        }
        self.specs[within.element].pattern = Some((pattern.template, nodes));
    }

    /// The tests that the pattern network makes of one field.
    fn field(&mut self, within: &mut Within, field: &FieldPattern, at: At) -> Vec<Test> {
        // The field's own variable means the field, for what else is asked of it.
        let before = field.variable.and_then(|variable| self.lookup(within, variable));
        if let Some(variable) = field.variable {
            self.bind(within, variable, field.many, at);
        }
        let everywhere = field.any.iter().flatten();
        let alone =
            field.any.len() < 2 || everywhere.clone().all(|term| self.is_within(within, term));
        let mut alpha = Vec::new();
        let mut join = Vec::new();
        for terms in &field.any {
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for term in terms {
                let net =
                    if alone && self.is_within(within, term) { Net::Alpha } else { Net::Join };
                if let Some(test) = self.term(within, field, term, at, net) {
                    if net == Net::Alpha { inside.push(test) } else { outside.push(test) }
                }
            }
            alpha.push(inside);
            join.push(outside);
        }
        let mut alpha = any(alpha);
        let mut join = any(join);
        if let (Some(variable), Some(before)) = (field.variable, before) {
            self.check_kind(variable, before, field.many, field.span);
            if before.element == within.element {
                let (left, right) = (here(before.at), here(at));
                alpha.insert(0, Test::Same { left, right, negated: false });
            } else {
                self.unify(within, before);
                let left = left_place(before);
                join.insert(0, Test::Same { left, right: here(at), negated: false });
                let spec = &mut self.specs[within.element];
                spec.right_hash.insert(0, at);
                spec.left_hash.insert(0, left);
            }
        }
        self.specs[within.element].test.append(&mut join);
        alpha
    }

    fn term(
        &mut self,
        within: &Within,
        field: &FieldPattern,
        term: &Term,
        at: At,
        net: Net,
    ) -> Option<Test> {
        let place = here(at);
        match &term.kind {
            TermKind::Constant(value) => {
                Some(Test::Is { place, value: value.clone(), negated: term.negated })
            }
            TermKind::Variable(variable) => {
                let Some(binding) = self.lookup(within, *variable) else {
                    self.unbound(*variable, term.span);
                    return None;
                };
                self.check_kind(*variable, binding, field.many, term.span);
                let left = if binding.element == within.element {
                    here(binding.at)
                } else {
                    self.unify(within, binding);
                    left_place(binding)
                };
                Some(Test::Same { left, right: place, negated: term.negated })
            }
            TermKind::Holds(expr) => self.expression(within, expr, None, term.negated, net),
            TermKind::Equals(expr) => self.expression(within, expr, Some(place), term.negated, net),
        }
    }

    fn expression(
        &mut self,
        within: &Within,
        expr: &Expr,
        equals: Option<Place>,
        negated: bool,
        net: Net,
    ) -> Option<Test> {
        let depth = self.depth(within);
        let mut outer = Vec::new();
        let mut unbound = Vec::new();
        let (visible, elements) = (&self.visible, self.elements);
        let test = self.tests.test(
            expr,
            equals,
            negated,
            |variable, span| match visible.lookup(within, variable) {
                Some(binding) if binding.element == within.element => Ok(here(binding.at)),
                Some(binding) => {
                    outer.push(binding);
                    // A test by itself belongs to the condition before it.
                    let same = binding.depth == depth && elements[within.element].marks.is_test;
                    Ok(if same { here(binding.at) } else { left_place(binding) })
                }
                None => {
                    unbound.push((variable, span));
                    Err(())
                }
            },
            self.compile,
        );
        for (variable, span) in unbound {
            self.unbound(variable, span);
        }
        if net == Net::Join {
            for binding in outer {
                self.unify(within, binding);
            }
        }
        test.ok().map(Test::Expr)
    }

    /// A value from outside of groups is used within them: what the group finds counts only for
    /// matches with the same value.
    fn unify(&mut self, within: &Within, binding: Binding) {
        if self.elements[within.element].marks.begin == binding.group {
            return;
        }
        for (opener, depth) in self.groups.clone().into_iter().rev() {
            if depth >= binding.group {
                let left = left_place(binding);
                let right = Place { side: Side::Right, ..left };
                let spec = &mut self.specs[opener];
                spec.group_test.push(Test::Same { left, right, negated: false });
                spec.group_hash.push(left);
            }
        }
    }

    fn lookup(&self, within: &Within, variable: VariableId) -> Option<Binding> {
        self.visible.lookup(within, variable)
    }

    fn bind(&self, within: &mut Within, variable: VariableId, many: bool, at: At) {
        let group = self.elements[within.element].marks.begin;
        let depth = self.depth(within);
        let element = within.element;
        within.bindings.push(Binding { variable, many, element, group, depth, at });
    }

    fn depth(&self, within: &Within) -> u32 {
        self.depths[within.element]
    }

    /// Whether a term asks only about the pattern it is in.
    fn is_within(&self, within: &Within, term: &Term) -> bool {
        let known = |variable| {
            self.lookup(within, variable).is_none_or(|binding| binding.element == within.element)
        };
        match &term.kind {
            TermKind::Constant(_) => true,
            TermKind::Variable(variable) => known(*variable),
            TermKind::Holds(expr) | TermKind::Equals(expr) => {
                let mut all = true;
                expr.visit(&mut |part| {
                    if let ExprKind::Variable(variable) = part.kind {
                        all &= known(variable);
                    }
                });
                all
            }
        }
    }

    fn check_kind(&mut self, variable: VariableId, binding: Binding, many: bool, span: Span) {
        if binding.many != many {
            let name = &self.rule.variables[variable.0 as usize];
            let (here, elsewhere) = if many { ("$?", "?") } else { ("?", "$?") };
            let message = format!("`{here}{name}` is `{elsewhere}{name}` elsewhere in the rule");
            let help = "write `?` or `$?` in both places, or use two names";
            self.report(&codes::RULES_ONE_AND_MANY, span, message, help);
        }
    }

    fn unbound(&mut self, variable: VariableId, span: Span) {
        let name = &self.rule.variables[variable.0 as usize];
        let message = format!("`?{name}` has no value: no pattern before it binds it");
        let help = "move the pattern that binds it before this one";
        self.report(&codes::RULES_UNBOUND, span, message, help);
    }

    fn too_large(&mut self, span: Span, message: String, help: String) {
        let found = Diagnostic::new(&codes::RULES_TOO_LARGE, Anchor::Span(span), message);
        self.add(found.help(help));
    }

    fn report(&mut self, code: &'static codes::Code, span: Span, message: String, help: &str) {
        self.add(Diagnostic::new(code, Anchor::Span(span), message).help(help));
    }

    fn add(&mut self, found: Diagnostic) {
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Net {
    Alpha,
    Join,
}

/// One of the lists must hold; a single list is its tests.
fn any(mut lists: Vec<Vec<Test>>) -> Vec<Test> {
    lists.retain(|list| !list.is_empty());
    if lists.len() > 1 { vec![Test::Any(lists)] } else { lists.pop().unwrap_or_default() }
}

/// The actions may use what the conditions bind in every way, and what they bind themselves.
fn check_actions(rule: &Rule, bindings: &[Binding], found: &mut Vec<Diagnostic>) {
    let mut bound: BTreeSet<_> = bindings.iter().map(|binding| binding.variable).collect();
    let mut used = Vec::new();
    for action in &rule.then {
        action.visit(&mut |part| match &part.kind {
            ExprKind::Bind(variable, _) | ExprKind::Count { variable: Some(variable), .. } => {
                bound.insert(*variable);
            }
            ExprKind::Each { variable, index, .. } => bound.extend([*variable, *index]),
            ExprKind::Variable(variable) => used.push((*variable, part.span)),
            _ => {}
        });
    }
    used.retain(|(variable, _)| !bound.contains(variable));
    for (variable, span) in used {
        let name = &rule.variables[variable.0 as usize];
        let message = format!("`?{name}` has no value: the conditions do not always bind it");
        let one = Diagnostic::new(&codes::RULES_UNBOUND, Anchor::Span(span), message).help(
            "a variable of the actions must be bound in every alternative of the conditions, \
             outside of `not`, `exists` and `forall`",
        );
        if !found.contains(&one) {
            found.push(one);
        }
    }
}
