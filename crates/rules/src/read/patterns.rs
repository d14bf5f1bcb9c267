//! Conditions, and the patterns they ask facts for.

use diagnostics::{Span, codes};

use super::Reader;
use super::expr::{Flow, field_of};
use super::findings::at;
use super::rules::address;
use super::scope::Scope;
use crate::field::Field;
use crate::program::{
    Condition, FieldPattern, Kinds, Pattern, Slot, SlotPattern, TemplateId, Term, TermKind,
};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

/// What a condition stands in.
#[derive(Clone, Copy, Default)]
pub(super) struct Within {
    /// `not`, `exists` or `forall`: no fact comes out of it.
    pub(super) negated: Option<&'static str>,
}

const CONDITION_HELP: &str =
    "write a pattern such as `(name ?x)`, or `(test (> ?x 1))`, `(not (name))`";

impl Reader {
    pub(super) fn conditions(
        &mut self,
        scope: &mut Scope,
        nodes: &[Node],
        within: Within,
    ) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let mut rest = nodes;
        while let Some(first) = rest.first() {
            if let Some((name, span)) = address(rest) {
                let Some(target) = rest.get(2).filter(|node| node.list().is_some()) else {
                    self.malformed(
                        rest[1].span,
                        "a pattern is expected behind `<-`",
                        CONDITION_HELP,
                    );
                    rest = &rest[2..];
                    continue;
                };
                conditions.extend(self.addressed(scope, name, span, target, within));
                rest = &rest[3..];
                continue;
            }
            conditions.extend(self.condition(scope, first, within));
            rest = &rest[1..];
        }
        conditions
    }

    /// `?f <- (a)`
    fn addressed(
        &mut self,
        scope: &mut Scope,
        name: &str,
        span: Span,
        target: &Node,
        within: Within,
    ) -> Option<Condition> {
        if let Some(word) = within.negated {
            let message = format!("`?{name}` cannot hold a fact that stands within `{word}`");
            let found = at(&codes::RULES_MISPLACED, span, message);
            self.findings.push(found.help("delete `<-` and the variable before it"));
        } else if let Some(word @ ("and" | "or" | "not" | "exists" | "forall" | "logical")) =
            target.head()
        {
            let message = format!("`?{name}` can hold the fact of a pattern, not of `{word}`");
            let found = at(&codes::RULES_MISPLACED, span, message);
            self.findings.push(found.help(format!("put it into it: `({word} ?{name} <- (...))`")));
        }
        let variable = scope.own(name);
        let is_new = scope.bound.insert(variable);
        match self.condition(scope, target, within) {
            Some(Condition::Pattern(pattern)) => {
                if is_new {
                    scope.facts.insert(variable, pattern.template);
                }
                Some(Condition::Pattern(Pattern { fact: Some(variable), ..pattern }))
            }
            other => other,
        }
    }

    fn condition(&mut self, scope: &mut Scope, node: &Node, within: Within) -> Option<Condition> {
        let Some([head, inner @ ..]) = node.list() else {
            if !node.is_reported() {
                self.malformed(node.span, "a condition is expected here", CONDITION_HELP);
            }
            return None;
        };
        let word = head.symbol().unwrap_or_default();
        let span = node.span;
        let inside = |word| Within { negated: Some(word) };
        Some(match word {
            "and" => Condition::And(self.some(scope, head, inner, 1, within)?, span),
            "or" => Condition::Or(self.some(scope, head, inner, 1, within)?, span),
            "not" => {
                let mut inner = self.some(scope, head, inner, 1, inside("not"))?;
                if inner.len() > 1 {
                    let help = "write `(not (and ...))`";
                    self.malformed(head.span, "`not` takes one condition", help);
                    return None;
                }
                Condition::Not(Box::new(inner.pop()?), span)
            }
            "exists" => {
                Condition::Exists(self.some(scope, head, inner, 1, inside("exists"))?, span)
            }
            "forall" => {
                Condition::Forall(self.some(scope, head, inner, 2, inside("forall"))?, span)
            }
            "logical" => {
                if let Some(outer) = within.negated {
                    let message = format!("`logical` cannot stand within `{outer}`");
                    let found = at(&codes::RULES_MISPLACED, head.span, message);
                    self.findings.push(found.help(format!("write `(logical ({outer} ...))`")));
                }
                Condition::Logical(self.some(scope, head, inner, 1, within)?, span)
            }
            "test" => {
                let [call] = inner else {
                    let help = "write `(test (> ?x 1))`; join several with `and`";
                    self.malformed(head.span, "`test` takes one call", help);
                    return None;
                };
                if call.list().is_none() {
                    let help = "write `(test (> ?x 1))`";
                    self.malformed(call.span, "`test` takes a call", help);
                    return None;
                }
                Condition::Test(self.expr(scope, call, Flow::NONE))
            }
            "object" => {
                let found = at(&codes::RULES_NOT_SUPPORTED, head.span, "there are no objects");
                self.findings.push(found.help("ask for a fact of a template"));
                return None;
            }
            "declare" => {
                let found = at(&codes::RULES_MISPLACED, head.span, "`declare` cannot stand here");
                self.findings.push(found.help("it comes once, before the first condition"));
                return None;
            }
            _ => Condition::Pattern(self.pattern(scope, node, head, inner)?),
        })
    }

    /// The conditions within another one; none where there are too few.
    fn some(
        &mut self,
        scope: &mut Scope,
        head: &Node,
        nodes: &[Node],
        least: usize,
        within: Within,
    ) -> Option<Vec<Condition>> {
        let before = self.findings.len();
        let conditions = self.conditions(scope, nodes, within);
        if conditions.len() < least {
            if self.findings.len() == before {
                let word = head.symbol().unwrap_or_default();
                let count = super::findings::counted(least, "condition");
                self.malformed(
                    head.span,
                    format!("`{word}` needs at least {count}"),
                    CONDITION_HELP,
                );
            }
            return None;
        }
        Some(conditions)
    }

    fn pattern(
        &mut self,
        scope: &mut Scope,
        node: &Node,
        head: &Node,
        inner: &[Node],
    ) -> Option<Pattern> {
        let name = self.fact_name(head, CONDITION_HELP)?;
        let looks_like_slots = inner.first().is_some_and(|field| field.list().is_some());
        let id = self.template_of(name, head, looks_like_slots)?;
        let slots = match self.is_ordered(id) {
            true => {
                let fields = self.fields(scope, inner, self.slot(id, 0).cloned().as_ref());
                vec![SlotPattern { slot: 0, fields, span: node.span }]
            }
            false => self.slot_patterns(scope, id, inner),
        };
        Some(Pattern { fact: None, template: id, slots, span: node.span })
    }

    fn slot_patterns(
        &mut self,
        scope: &mut Scope,
        id: TemplateId,
        nodes: &[Node],
    ) -> Vec<SlotPattern> {
        let mut slots: Vec<SlotPattern> = Vec::new();
        for node in nodes {
            let Some((name, inner)) = self.slot_of_list(id, node) else { continue };
            let word = name.symbol().unwrap_or_default();
            let found = self.find_slot(id, word, name.span);
            let slot = found.and_then(|place| self.slot(id, place)).cloned();
            let fields = self.fields(scope, inner, slot.as_ref());
            let (Some(place), Some(slot)) = (found, slot) else { continue };
            if let Some(first) = slots.iter().find(|known| known.slot == place) {
                let first = first.span;
                self.twice(name.span, Some(first), &format!("the slot `{word}`"));
                continue;
            }
            self.pattern_count_fits(&slot, node.span, &fields);
            slots.push(SlotPattern { slot: place, fields, span: node.span });
        }
        slots
    }

    fn pattern_count_fits(&mut self, slot: &Slot, span: Span, fields: &[FieldPattern]) {
        let is_many = fields.iter().any(|field| field.many);
        if slot.many {
            if !is_many && !fields.is_empty() {
                self.count_of_fields_fits(slot, fields.len(), span);
            }
            return;
        }
        if fields.len() != 1 || is_many {
            let message =
                format!("the slot `{}` holds one field, and this asks for others", slot.name);
            let found = at(&codes::RULES_FIELD_COUNT, span, message);
            self.findings.push(found.help("ask for one, or declare it as a `multislot`"));
        }
    }

    /// What a slot's fields are asked for, one after the other.
    fn fields(
        &mut self,
        scope: &mut Scope,
        nodes: &[Node],
        slot: Option<&Slot>,
    ) -> Vec<FieldPattern> {
        let mut fields = Vec::new();
        let mut rest = nodes;
        while !rest.is_empty() {
            let before = rest.len();
            fields.extend(self.field(scope, &mut rest, slot));
            if rest.len() == before {
                // It could not be read; what is behind it may.
                rest = &rest[1..];
            }
        }
        fields
    }

    /// `?x&~red|blue`: terms, and what joins them.
    fn field<'n, 't>(
        &mut self,
        scope: &mut Scope,
        rest: &mut &'n [Node<'t>],
        slot: Option<&Slot>,
    ) -> Option<FieldPattern> {
        let first = rest.first()?;
        let start = first.span.start as usize;
        let next_joins =
            |rest: &[Node]| matches!(rest.get(1).and_then(Node::atom), Some(Atom::And | Atom::Or));
        match first.atom() {
            Some(Atom::AnySingle | Atom::AnyMany) if !next_joins(rest) => {
                let many = first.atom() == Some(Atom::AnyMany);
                *rest = &rest[1..];
                return Some(FieldPattern {
                    many,
                    variable: None,
                    any: Vec::new(),
                    span: first.span,
                });
            }
            _ => {}
        }
        let mut variable = None;
        let mut shapes = Shapes::default();
        let leads = match rest.get(1).and_then(Node::atom) {
            Some(Atom::Or) => None,
            _ => first.atom(),
        };
        if let Some(Atom::Single(name) | Atom::Many(name)) = leads {
            let id = scope.own(name);
            scope.bound.insert(id);
            variable = Some(id);
            shapes.add(first.atom());
            *rest = &rest[1..];
            match rest.first().and_then(Node::atom) {
                Some(Atom::And) => *rest = &rest[1..],
                _ => {
                    let many = shapes.many;
                    let any = Vec::new();
                    return Some(FieldPattern { many, variable, any, span: first.span });
                }
            }
        }
        let mut any: Vec<Vec<Term>> = vec![Vec::new()];
        let mut end;
        loop {
            let term = self.term(scope, rest, &mut shapes, slot)?;
            end = term.span.end as usize;
            if let Some(group) = any.last_mut() {
                group.push(term);
            }
            match rest.first().and_then(Node::atom) {
                Some(Atom::And) => {}
                Some(Atom::Or) => any.push(Vec::new()),
                _ => break,
            }
            *rest = &rest[1..];
        }
        let span = Span::new(start, end);
        if shapes.many && shapes.single {
            let message = "a field and a stretch of fields cannot be joined";
            let found = at(&codes::RULES_MIXED, span, message);
            self.findings.push(found.help("use either `?x` and values, or `$?x`"));
        }
        self.can_match(&any, slot, span);
        Some(FieldPattern { many: shapes.many, variable, any, span })
    }

    fn term(
        &mut self,
        scope: &mut Scope,
        rest: &mut &[Node],
        shapes: &mut Shapes,
        slot: Option<&Slot>,
    ) -> Option<Term> {
        const HELP: &str = "write a value, a variable, `:(...)` or `=(...)`, with `~` for not";
        let first = rest.first();
        let negated = first.and_then(Node::atom) == Some(Atom::Not);
        if negated {
            *rest = &rest[1..];
        }
        let Some(node) = rest.first() else {
            if let Some(first) = first {
                self.malformed(first.span, "something is expected behind this", HELP);
            } else {
                let span = slot.map_or(Span::default(), |slot| slot.span);
                self.malformed(span, "something is expected behind `&` or `|`", HELP);
            }
            return None;
        };
        let start = first.map_or(node.span, |first| first.span).start as usize;
        let (kind, end) = match node.atom() {
            Some(Atom::Symbol(sign @ (":" | "="))) => {
                let Some(call) = rest.get(1).filter(|next| next.list().is_some()) else {
                    let help = format!("write a call behind it: `{sign}(...)`");
                    self.malformed(node.span, format!("`{sign}` stands before a call only"), &help);
                    return None;
                };
                *rest = &rest[1..];
                let expr = self.expr(scope, call, Flow::NONE);
                let kind = match sign {
                    ":" => TermKind::Holds(expr),
                    _ => TermKind::Equals(expr),
                };
                (kind, call.span.end)
            }
            Some(Atom::Single(name) | Atom::Many(name)) => {
                shapes.add(node.atom());
                (TermKind::Variable(scope.used(name, node.span)), node.span.end)
            }
            Some(Atom::Reported) => return None,
            atom => match atom.and_then(field_of) {
                Some(field) => {
                    shapes.single = true;
                    if let Some(slot) = slot {
                        self.field_fits(slot, &field, node.span);
                    }
                    (TermKind::Constant(field), node.span.end)
                }
                None => {
                    let message = match atom {
                        None => "a pattern holds no lists",
                        Some(Atom::Global(_) | Atom::GlobalMany(_)) => {
                            "a global cannot stand here alone"
                        }
                        Some(_) => "this cannot stand here",
                    };
                    let help = match atom {
                        Some(Atom::Global(name)) => {
                            format!("compare with it: `=(progn ?*{name}*)`")
                        }
                        _ => HELP.to_owned(),
                    };
                    self.malformed(node.span, message, &help);
                    return None;
                }
            },
        };
        *rest = &rest[1..];
        Some(Term { negated, kind, span: Span::new(start, end as usize) })
    }

    /// Reports a constraint that no value meets, whichever of its alternatives is taken.
    fn can_match(&mut self, any: &[Vec<Term>], slot: Option<&Slot>, span: Span) {
        let clashes = |group: &Vec<Term>| self.contradicts(group, slot);
        if any.iter().all(clashes) {
            let message = "no value meets this";
            let found = at(&codes::RULES_NEVER_MATCHES, span, message);
            self.findings.push(found.help("`&` asks for both: write `|` for either"));
        }
    }

    fn contradicts(&self, group: &[Term], slot: Option<&Slot>) -> bool {
        let constant = |term: &Term| match &term.kind {
            TermKind::Constant(field) => Some((term.negated, field.clone())),
            _ => None,
        };
        let constants: Vec<(bool, Field)> = group.iter().filter_map(constant).collect();
        let wanted = constants.iter().find(|(negated, _)| !negated);
        let differs = wanted.is_some_and(|(_, wanted)| {
            constants.iter().any(|(negated, field)| (field == wanted) == *negated)
        });
        // What the call before and the values behind give must leave a kind.
        let mut kinds = slot.map_or(Kinds::SINGLE, |slot| slot.limits.kinds);
        for term in group.iter().filter(|term| !term.negated) {
            let given = match &term.kind {
                TermKind::Constant(field) => Some(Kinds::of(field)),
                TermKind::Equals(expr) => {
                    self.gives(expr).filter(|gives| !gives.meets(Kinds::MANY) && gives.0 != 0)
                }
                _ => None,
            };
            kinds = Kinds(kinds.0 & given.unwrap_or(kinds).0);
        }
        differs
            || (kinds.0 == 0 && group.iter().any(|term| matches!(term.kind, TermKind::Equals(_))))
    }
}

/// Whether a constraint speaks of single fields or of stretches.
#[derive(Default)]
struct Shapes {
    single: bool,
    many: bool,
}

impl Shapes {
    fn add(&mut self, atom: Option<Atom>) {
        match atom {
            Some(Atom::Many(_)) => self.many = true,
            _ => self.single = true,
        }
    }
}
