//! What a pattern asks of fields: terms, and how they are joined.

use diagnostics::{Span, codes};

use super::Reader;
use super::expr::{Flow, field_of};
use super::findings::at;
use super::scope::Scope;
use crate::field::Field;
use crate::program::{FieldPattern, Kinds, Slot, Term, TermKind};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

impl Reader {
    /// What a slot's fields are asked for, one after the other.
    pub(super) fn fields(
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
                        self.findings.extend(self.field_misfit(slot, &field, node.span));
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
