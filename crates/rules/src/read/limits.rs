//! What a slot may hold, and what it holds where nobody says.

use crate::field::Field;
use crate::program::{Kinds, Limits};

/// In which way a value is outside of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It is of another kind.
    Kind,
    /// It is none of the values that are allowed.
    Allowed,
    /// It is too small or too large.
    Range,
}

/// In which way a value is outside of limits, if it is.
pub(super) fn misfit(limits: &Limits, field: &Field) -> Option<Misfit> {
    let kind = Kinds::of(field);
    if !limits.kinds.meets(kind) {
        return Some(Misfit::Kind);
    }
    if let Some(allowed) = &limits.allowed
        && allowed.kinds.meets(kind)
        && !allowed.values.contains(field)
    {
        return Some(Misfit::Allowed);
    }
    let number = as_float(field)?;
    let (least, most) = limits.range.as_ref()?;
    let below = least.as_ref().and_then(as_float).is_some_and(|least| number < least);
    let above = most.as_ref().and_then(as_float).is_some_and(|most| number > most);
    (below || above).then_some(Misfit::Range)
}

/// A number to compare by.
pub(super) fn as_float(field: &Field) -> Option<f64> {
    match field {
        #[expect(clippy::cast_precision_loss, reason = "CLIPS compares mixed numbers as floats")]
        Field::Int(number) => Some(*number as f64),
        Field::Float(number) => Some(*number),
        _ => None,
    }
}

/// A range in words: "from 1 to 5".
pub(super) fn shown(range: Option<&(Option<Field>, Option<Field>)>) -> String {
    match range {
        Some((Some(least), Some(most))) => format!("from {least} to {most}"),
        Some((Some(least), None)) => format!("of at least {least}"),
        Some((None, Some(most))) => format!("of at most {most}"),
        _ => "of any size".to_owned(),
    }
}

/// What a slot holds where neither a fact nor its template says: the first allowed value of the
/// first kind that is allowed, a number as near to the start of its range as there is, or what
/// stands for nothing in that kind.
pub(super) fn derived(limits: &Limits, many: bool) -> Field {
    let value = derived_single(limits);
    if !many {
        return value;
    }
    let count = usize::try_from(limits.cardinality.0).unwrap_or(usize::MAX);
    // Nobody means a million fields; what is asserted is checked elsewhere.
    const COUNT_MAX: usize = 10_000;
    Field::many(std::iter::repeat_n(value, count.min(COUNT_MAX)))
}

fn derived_single(limits: &Limits) -> Field {
    let order = [Kinds::SYMBOL, Kinds::TEXT, Kinds::INT, Kinds::FLOAT];
    let Some(kind) = order.into_iter().find(|kind| limits.kinds.meets(*kind)) else {
        return Field::nil();
    };
    let values = limits.allowed.iter().flat_map(|allowed| &allowed.values);
    if let Some(first) = values.into_iter().find(|value| Kinds::of(value) == kind) {
        return first.clone();
    }
    let bound = limits.range.as_ref().and_then(|(least, most)| least.as_ref().or(most.as_ref()));
    match (kind, bound) {
        (Kinds::SYMBOL, _) => Field::nil(),
        (Kinds::TEXT, _) => Field::text(""),
        (Kinds::INT, Some(Field::Int(number))) => Field::Int(*number),
        #[expect(clippy::cast_possible_truncation, reason = "CLIPS cuts the fraction off")]
        (Kinds::INT, Some(Field::Float(number))) => Field::Int(*number as i64),
        (Kinds::INT, _) => Field::Int(0),
        (_, Some(bound)) => Field::Float(as_float(bound).unwrap_or_default()),
        _ => Field::Float(0.0),
    }
}
