//! Conditions that can never hold, and those that look like something else.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic, Edit, Fix, Span, codes};

use super::is_false;
use crate::field::Field;
use crate::functions;
use crate::program::{
    Asked, Condition, ExprKind, FieldPattern, Kinds, Pattern, Program, Rule, SlotPattern,
    TemplateId, Term, TermKind,
};

/// Conditions that are false whatever the facts are.
pub(super) fn never_fires(rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let report = |span: Span, why: String| {
        let message = format!("`{}` can never fire: {why}", rule.name);
        let found = Diagnostic::new(&codes::RULES_NEVER_FIRES, Anchor::Span(span), message);
        found.label(Anchor::Span(rule.span), "the rule")
    };
    // Within `or` and `not` a false condition does not silence the rule.
    for condition in &rule.when {
        match condition {
            Condition::Test(expr) if is_false(expr) => {
                let found = report(expr.span, "this test is always FALSE".to_owned());
                findings.push(found.help("mend the test, or delete the rule"));
            }
            Condition::Pattern(pattern) => {
                let fields = pattern.slots.iter().flat_map(|slot| &slot.fields);
                for field in fields.filter(|field| differs_from_itself(field)) {
                    let variable = field.variable.map_or(0, |variable| variable.0 as usize);
                    let name = rule.variables.get(variable).map_or("", |name| &**name);
                    let why = format!("`?{name}` cannot differ from itself");
                    findings.push(report(field.span, why).help("use another variable"));
                }
            }
            Condition::Not(inner, span) => {
                let Condition::Pattern(refused) = &**inner else { continue };
                let wanted = rule.when.iter().find_map(|other| match other {
                    Condition::Pattern(wanted) if is_part_of(refused, wanted) => Some(wanted),
                    _ => None,
                });
                if let Some(wanted) = wanted {
                    let why = "it asks for a fact and that there is none such".to_owned();
                    let found = report(*span, why);
                    let found =
                        found.label(Anchor::Span(wanted.span), "the fact is asked for here");
                    findings.push(found.help("use another variable in one of them, or delete one"));
                }
            }
            _ => {}
        }
    }
}

/// `?x&~?x`
fn differs_from_itself(field: &FieldPattern) -> bool {
    let is_itself = |term: &Term| match term.kind {
        TermKind::Variable(variable) => term.negated && field.variable == Some(variable),
        _ => false,
    };
    !field.any.is_empty() && field.any.iter().all(|terms| terms.iter().any(is_itself))
}

/// Whether each fact of one pattern is one of the other, because it asks for nothing else.
fn is_part_of(refused: &Pattern, wanted: &Pattern) -> bool {
    let is_asked = |slot: &SlotPattern| {
        wanted.slots.iter().any(|other| other.slot == slot.slot && same_fields(other, slot))
    };
    refused.template == wanted.template && refused.slots.iter().all(is_asked)
}

fn same_fields(a: &SlotPattern, b: &SlotPattern) -> bool {
    let same_term = |(a, b): (&Term, &Term)| {
        a.negated == b.negated
            && match (&a.kind, &b.kind) {
                (TermKind::Constant(a), TermKind::Constant(b)) => a == b,
                (TermKind::Variable(a), TermKind::Variable(b)) => a == b,
                // Whether calls are the same is not looked at.
                _ => false,
            }
    };
    let same_terms =
        |(a, b): (&Vec<Term>, &Vec<Term>)| a.len() == b.len() && a.iter().zip(b).all(same_term);
    let same_field = |(a, b): (&FieldPattern, &FieldPattern)| {
        a.many == b.many
            && a.variable == b.variable
            && a.any.len() == b.any.len()
            && a.any.iter().zip(&b.any).all(same_terms)
    };
    a.fields.len() == b.fields.len() && a.fields.iter().zip(&b.fields).all(same_field)
}

/// Patterns that look like a call or a declaration: `(> ?x 3)` asks for a fact whose name is `>`.
pub(super) fn like_calls(program: &Program, findings: &mut Vec<Diagnostic>) {
    let mut asserted: Option<BTreeSet<TemplateId>> = None;
    for rule in &program.rules {
        let first = rule.when.first().and_then(|condition| match condition {
            Condition::Pattern(pattern) => Some(pattern.span),
            _ => None,
        });
        rule.each_asked(&mut |asked| {
            let Asked::Pattern(pattern) = asked else { return };
            let template = program.templates.get(pattern.template.0 as usize);
            let Some(template) = template.filter(|template| template.ordered) else { return };
            let name = &*template.name;
            let word = match name {
                "salience" if first == Some(pattern.span) && is_number(pattern) => "declare",
                _ if is_comparison(name) => "test",
                _ => return,
            };
            let asserted = asserted.get_or_insert_with(|| asserted_in(program));
            if asserted.contains(&pattern.template) {
                return;
            }
            let message = match word {
                "test" => format!("this asks for a fact `{name}`, and calls nothing"),
                _ => format!("this asks for a fact `{name}`, and declares nothing"),
            };
            let at = Anchor::Span(pattern.span);
            let mut found = Diagnostic::new(&codes::RULES_PATTERN_LIKE_CALL, at, message)
                .help(format!("write `({word} ({name} ...))`"));
            let edit = |place: u32, text: &str| Edit {
                at: Anchor::Span(Span { start: place, end: place }),
                text: text.to_owned(),
            };
            let before = edit(pattern.span.start, &format!("({word} "));
            let edits = vec![before, edit(pattern.span.end, ")")];
            let title = format!("write `({word} ({name} ...))`");
            found.fix = Some(Box::new(Fix { title, edits, safe: false }));
            findings.push(found);
        });
    }
}

/// Whether a name is that of a function that decides or computes, and hardly that of facts.
fn is_comparison(name: &str) -> bool {
    let function = functions::find(name).and_then(|id| functions::TABLE.get(usize::from(id)));
    function.is_some_and(|function| {
        function.gives == Kinds::SYMBOL || !name.contains(char::is_alphabetic)
    })
}

/// Whether one whole number is asked for.
fn is_number(pattern: &Pattern) -> bool {
    let [SlotPattern { fields, .. }] = pattern.slots.as_slice() else { return false };
    let [FieldPattern { any, .. }] = fields.as_slice() else { return false };
    let [terms] = any.as_slice() else { return false };
    matches!(terms.as_slice(), [Term { kind: TermKind::Constant(Field::Int(_)), .. }])
}

/// The templates whose facts the program itself makes.
fn asserted_in(program: &Program) -> BTreeSet<TemplateId> {
    let facts = program.facts.iter().flat_map(|list| &list.facts);
    let mut asserted: BTreeSet<TemplateId> = facts.map(|fact| fact.template).collect();
    let actions = program.rules.iter().flat_map(|rule| &rule.then);
    for action in actions.chain(program.functions.iter().flat_map(|function| &function.body)) {
        action.visit(&mut |expr| {
            if let ExprKind::Assert(facts) = &expr.kind {
                asserted.extend(facts.iter().map(|fact| fact.template));
            }
        });
    }
    asserted
}
