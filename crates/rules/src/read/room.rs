//! What one variable can be: of which kinds, which values, within which range.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use diagnostics::Span;

use super::limits::as_float;
use crate::field::Field;
use crate::program::{Kinds, Limits};

const KINDS: [Kinds; 4] = [Kinds::SYMBOL, Kinds::TEXT, Kinds::INT, Kinds::FLOAT];

/// A value that is listed, in an order of no meaning by which it is found again.
#[derive(Clone)]
struct Listed(Field);

impl Listed {
    fn order(&self) -> (u8, &str, u64) {
        match &self.0 {
            Field::Int(number) => (1, "", number.cast_unsigned()),
            Field::Float(number) => (2, "", number.to_bits()),
            Field::Text(text) => (3, text.as_str(), 0),
            // Only what is written is listed, and so neither facts nor lists.
            other => (0, other.lexeme().unwrap_or_default(), 0),
        }
    }
}

impl PartialEq for Listed {
    fn eq(&self, other: &Listed) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Listed {}

impl Ord for Listed {
    fn cmp(&self, other: &Listed) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Listed {
    fn partial_cmp(&self, other: &Listed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What a variable can be.
#[derive(Clone)]
pub(super) struct Room {
    pub(super) kinds: Kinds,
    /// Of these kinds only the values that are listed. A kind that is not possible may be among
    /// them: it counts where rooms are put together.
    listed: Kinds,
    values: BTreeSet<Listed>,
    low: Option<f64>,
    high: Option<f64>,
    /// Where that was said first.
    pub(super) span: Span,
}

impl Room {
    /// Everything of some kinds.
    pub(super) fn kinds(kinds: Kinds, span: Span) -> Room {
        Room { kinds, listed: Kinds(0), values: BTreeSet::new(), low: None, high: None, span }
    }

    /// What fits into a slot.
    pub(super) fn of(limits: &Limits, span: Span) -> Room {
        let mut room = Room::kinds(limits.kinds, span);
        if let Some(allowed) = &limits.allowed {
            room.listed = allowed.kinds;
            room.values = allowed.values.iter().cloned().map(Listed).collect();
        }
        if let Some((low, high)) = &limits.range {
            room.low = low.as_ref().and_then(as_float);
            room.high = high.as_ref().and_then(as_float);
        }
        room
    }

    /// One value.
    pub(super) fn value(field: &Field, span: Span) -> Room {
        let kind = Kinds::of(field);
        Room { listed: kind, values: [Listed(field.clone())].into(), ..Room::kinds(kind, span) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.0 == 0
    }

    /// Whether the list, where there is one for its kind, has the value.
    fn lists(&self, field: &Field) -> bool {
        !self.listed.meets(Kinds::of(field)) || self.values.contains(&Listed(field.clone()))
    }

    /// Whether it can be this.
    pub(super) fn fits(&self, field: &Field) -> bool {
        let in_range = as_float(field).is_none_or(|number| {
            self.low.is_none_or(|low| number >= low) && self.high.is_none_or(|high| number <= high)
        });
        self.kinds.meets(Kinds::of(field)) && self.lists(field) && in_range
    }

    /// What is possible here and there.
    pub(super) fn both(&self, other: &Room) -> Room {
        let values = self.values.iter().chain(&other.values);
        let values = values.filter(|value| self.lists(&value.0) && other.lists(&value.0));
        let values = values.cloned().collect();
        let mut kinds = Kinds(self.kinds.0 & other.kinds.0);
        let low = larger(self.low, other.low);
        let turned = |number: Option<f64>| number.map(|number| -number);
        let high = turned(larger(turned(self.high), turned(other.high)));
        if matches!((low, high), (Some(low), Some(high)) if low > high) {
            kinds = Kinds(kinds.0 & !Kinds::NUMBER.0);
        }
        let listed = self.listed.or(other.listed);
        let mut both = Room { kinds, listed, values, low, high, span: self.span };
        both.drop_kinds();
        both
    }

    /// What is possible here or there. A list is kept only for kinds that both list.
    pub(super) fn either(mut self, other: &Room) -> Room {
        let listed = Kinds(self.listed.0 & other.listed.0);
        // Many alternatives are put together one by one: what is listed already stays in place.
        if self.listed != listed {
            self.values.retain(|value| listed.meets(Kinds::of(&value.0)));
        }
        let others = other.values.iter().filter(|value| listed.meets(Kinds::of(&value.0)));
        self.values.extend(others.cloned());
        let wider = |a: Option<f64>, b: Option<f64>, pick: fn(f64, f64) -> f64| Some(pick(a?, b?));
        Room {
            kinds: self.kinds.or(other.kinds),
            listed,
            low: wider(self.low, other.low, f64::min),
            high: wider(self.high, other.high, f64::max),
            ..self
        }
    }

    /// How many values are listed.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// All but this value.
    pub(super) fn without(mut self, field: &Field) -> Room {
        self.values.remove(&Listed(field.clone()));
        self.drop_kinds();
        self
    }

    /// A kind of which only listed values are possible is not possible if none is listed. A list
    /// for all kinds is not told apart by kind: only an empty one leaves nothing.
    fn drop_kinds(&mut self) {
        if self.listed.holds(Kinds::SINGLE) {
            if self.values.is_empty() {
                self.kinds = Kinds(self.kinds.0 & Kinds::MANY.0);
            }
            return;
        }
        for kind in KINDS {
            let has_value = self.values.iter().any(|value| Kinds::of(&value.0) == kind);
            if self.listed.meets(kind) && !has_value {
                self.kinds = Kinds(self.kinds.0 & !kind.0);
            }
        }
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}
