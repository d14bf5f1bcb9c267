//! What is done with two values so often that it is a step of its own.

use std::cmp::Ordering;

use crate::field::Field;
use crate::functions;

/// How many steps it may take to look at a value so that it still counts as one.
const LONG: u64 = 16;

/// A function of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Two {
    kind: Kind,
    /// The function in the table, which is asked where the values are no integers.
    pub(super) function: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Add,
    Subtract,
    Multiply,
    Same,
    Other,
    Less,
    AtMost,
    More,
    AtLeast,
    Eq,
    Neq,
}

impl Two {
    /// The function as a step, if it is one.
    pub(super) fn of(function: u16) -> Option<Two> {
        let kind = match functions::TABLE.get(usize::from(function))?.name {
            "+" => Kind::Add,
            "-" => Kind::Subtract,
            "*" => Kind::Multiply,
            "=" => Kind::Same,
            "<>" | "!=" => Kind::Other,
            "<" => Kind::Less,
            "<=" => Kind::AtMost,
            ">" => Kind::More,
            ">=" => Kind::AtLeast,
            "eq" => Kind::Eq,
            "neq" => Kind::Neq,
            _ => return None,
        };
        Some(Two { kind, function })
    }

    /// Its value, where it is known at once: for integers, and for any values if it asks
    /// whether they are the same.
    #[inline]
    pub(super) fn at_once(self, a: &Field, b: &Field) -> Option<Field> {
        if let (Field::Int(a), Field::Int(b)) = (a, b) {
            let order = a.cmp(b);
            return Some(match self.kind {
                Kind::Add => Field::Int(a.wrapping_add(*b)),
                Kind::Subtract => Field::Int(a.wrapping_sub(*b)),
                Kind::Multiply => Field::Int(a.wrapping_mul(*b)),
                Kind::Same | Kind::Eq => Field::Bool(order == Ordering::Equal),
                Kind::Other | Kind::Neq => Field::Bool(order != Ordering::Equal),
                Kind::Less => Field::Bool(order.is_lt()),
                Kind::AtMost => Field::Bool(order.is_le()),
                Kind::More => Field::Bool(order.is_gt()),
                Kind::AtLeast => Field::Bool(order.is_ge()),
            });
        }
        match self.kind {
            // What is long counts for more than one step, as a call.
            _ if functions::length_of(a) > LONG => None,
            Kind::Eq => Some(Field::Bool(a == b)),
            Kind::Neq => Some(Field::Bool(a != b)),
            _ => None,
        }
    }
}
