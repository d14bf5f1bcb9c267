//! How large the conditions of a rule become once its alternatives are told apart: it is computed
//! before they are, so that no text can ask for more than fits.

use crate::program::{Condition, Expr, FieldPattern, Pattern, TermKind};

/// The limit that the ways of a rule exceed, in words.
pub(crate) struct TooMany(pub String);

/// How many conditions all ways of one rule may have together.
const ALL_CONDITIONS_MAX: usize = 10_000;

/// How many parts these may have: fields and terms of patterns, and parts of expressions.
const ALL_PARTS_MAX: usize = 200_000;

/// Refuses conditions that would become too many or too large.
pub(super) fn check(conditions: &[Condition]) -> Result<(), TooMany> {
    let size = all_of(conditions);
    if size.conditions > ALL_CONDITIONS_MAX {
        return Err(TooMany(format!(
            "all alternatives of a rule may have {ALL_CONDITIONS_MAX} conditions together; `or`s \
             multiply them"
        )));
    }
    if size.parts > ALL_PARTS_MAX {
        return Err(TooMany(format!(
            "the conditions of all alternatives of a rule may have {ALL_PARTS_MAX} fields and \
             parts of expressions together; `or`s multiply them"
        )));
    }
    Ok(())
}

/// How large conditions become when their alternatives are told apart.
struct Size {
    ways: usize,
    conditions: usize,
    parts: usize,
}

impl Size {
    /// Each way of one with each way of the other.
    fn with(self, other: Size) -> Size {
        let both = |one: usize, two: usize| {
            one.saturating_mul(other.ways).saturating_add(two.saturating_mul(self.ways))
        };
        Size {
            ways: self.ways.saturating_mul(other.ways),
            conditions: both(self.conditions, other.conditions),
            parts: both(self.parts, other.parts),
        }
    }

    /// The ways of both.
    fn or(self, other: Size) -> Size {
        Size {
            ways: self.ways.saturating_add(other.ways),
            conditions: self.conditions.saturating_add(other.conditions),
            parts: self.parts.saturating_add(other.parts),
        }
    }
}

fn all_of(parts: &[Condition]) -> Size {
    parts.iter().map(size).fold(Size { ways: 1, conditions: 0, parts: 0 }, Size::with)
}

fn size(condition: &Condition) -> Size {
    match condition {
        Condition::Pattern(pattern) => Size { ways: 1, conditions: 1, parts: parts_of(pattern) },
        Condition::Test(test) => Size { ways: 1, conditions: 1, parts: parts_in(test) },
        Condition::And(parts, _) | Condition::Logical(parts, _) => all_of(parts),
        Condition::Or(parts, _) => {
            parts.iter().map(size).fold(Size { ways: 0, conditions: 0, parts: 0 }, Size::or)
        }
        // A negation has one way to hold: all alternatives within it must fail.
        Condition::Not(part, _) => Size { ways: 1, ..size(part) },
        Condition::Exists(parts, _) | Condition::Forall(parts, _) => {
            Size { ways: 1, ..all_of(parts) }
        }
    }
}

/// How many fields and terms a pattern has, with all parts of their expressions.
fn parts_of(pattern: &Pattern) -> usize {
    let fields = pattern.slots.iter().flat_map(|slot| &slot.fields);
    let terms = |field: &FieldPattern| {
        let terms = field.any.iter().flatten().map(|term| match &term.kind {
            TermKind::Constant(_) | TermKind::Variable(_) => 1,
            TermKind::Holds(expr) | TermKind::Equals(expr) => parts_in(expr),
        });
        terms.sum::<usize>()
    };
    fields.map(|field| 1 + terms(field)).sum()
}

fn parts_in(expr: &Expr) -> usize {
    let mut count = 0;
    expr.visit(&mut |_| count += 1);
    count
}
