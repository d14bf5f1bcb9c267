//! Values of a state as fields of facts.

use std::sync::Arc;

use value::{Text, Value, json};

use super::shape::{Kind, SlotShape};
use crate::field::Field;

impl SlotShape {
    /// A value as this slot holds it. It always holds it somehow, as a state may be of any shape:
    /// - text is a string, or a symbol where the slot's kind is one;
    /// - a number is as it is written, but a whole one is a float where the slot asks for floats,
    ///   and a float without a fraction is whole where it asks for whole ones: JSON that was stored
    ///   in between may have lost the difference;
    /// - `null` is `nil`, or an empty list;
    /// - a list slot holds something that is not a list as its only item, and lists in lists are
    ///   taken apart, as fields hold no lists;
    /// - what cannot be a field (an object, or a list where there is room for one field) is its
    ///   JSON, as a string.
    pub(super) fn field(&self, value: &Value) -> Field {
        match value {
            Value::Null if self.many => Field::many([]),
            Value::List(items) if self.many => {
                let mut fields = Vec::new();
                self.items(items, &mut fields);
                Field::Many(Arc::new(fields))
            }
            single if self.many => Field::many([self.single(single)]),
            single => self.single(single),
        }
    }

    fn items(&self, items: &[Value], fields: &mut Vec<Field>) {
        for item in items {
            match item {
                Value::List(inner) => self.items(inner, fields),
                single => fields.push(self.single(single)),
            }
        }
    }

    fn single(&self, value: &Value) -> Field {
        match value {
            Value::Null => Field::nil(),
            Value::Bool(value) => Field::Bool(*value),
            Value::Int(number) if self.kind == Kind::Float => Field::Float(*number as f64),
            Value::Int(number) => Field::Int(*number),
            Value::Float(number) => match whole(*number) {
                Some(whole) if self.kind == Kind::Int => Field::Int(whole),
                _ => Field::Float(*number),
            },
            Value::Text(text) if self.kind == Kind::Symbol => Field::symbol(text),
            Value::Text(text) => Field::text(text),
            Value::List(_) | Value::Map(_) => Field::text(&json::compact(value)),
        }
    }
}

/// The whole number that a float is, where it is one that floats count by ones.
fn whole(number: f64) -> Option<i64> {
    const COUNTED: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= COUNTED).then_some(number as i64)
}

/// The value that a path leads to.
pub(super) fn find<'a>(state: &'a Value, path: &[Text]) -> Option<&'a Value> {
    path.iter().try_fold(state, |value, name| value.get(name))
}

/// Whether two values are the same fields: other than their own `==`, `1` and `1.0` are not, and
/// members have an order, as their JSON has one.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => false,
        (Value::Text(a), Value::Text(b)) => Arc::ptr_eq(a, b) || a == b,
        (Value::List(a), Value::List(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| a.0 == b.0 && same(a.1, b.1))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(kind: Kind, many: bool) -> SlotShape {
        SlotShape { name: "value".into(), from: vec!["a".into()], kind, many, default: None }
    }

    /// As a fact shows it.
    fn held(kind: Kind, many: bool, json: &str) -> String {
        slot(kind, many).field(&json::parse(json).expect("the test's JSON")).to_string()
    }

    #[test]
    fn values_are_fields_of_their_kind() {
        let cases = [
            (Kind::Any, "null", "nil"),
            (Kind::Any, "true", "TRUE"),
            (Kind::Any, "-7", "-7"),
            (Kind::Any, "2.5", "2.5"),
            (Kind::Any, "1.0", "1.0"),
            (Kind::Any, r#""a b""#, r#""a b""#),
            (Kind::Symbol, r#""low""#, "low"),
            (Kind::Symbol, r#""TRUE""#, "TRUE"),
            (Kind::Text, r#""low""#, r#""low""#),
            (Kind::Float, "3", "3.0"),
            (Kind::Int, "3.0", "3"),
            (Kind::Int, "3.5", "3.5"),
            (Kind::Any, "[1, 2]", r#""[1,2]""#),
            (Kind::Any, r#"{"b": 1}"#, r#""{\"b\":1}""#),
        ];
        for (kind, json, expected) in cases {
            assert_eq!(held(kind, false, json), expected, "{json} as {kind:?}");
        }
    }

    #[test]
    fn lists_are_multifields() {
        let cases = [
            (Kind::Any, r#"[1, "a", true, null]"#, r#"(1 "a" TRUE nil)"#),
            (Kind::Symbol, r#"["a", "b"]"#, "(a b)"),
            (Kind::Float, "[1, 2.5]", "(1.0 2.5)"),
            (Kind::Any, "[1, [2, [3]], []]", "(1 2 3)"),
            (Kind::Any, r#"[{"x": 1}]"#, r#"("{\"x\":1}")"#),
            (Kind::Any, "[]", "()"),
            (Kind::Any, "null", "()"),
            (Kind::Any, "7", "(7)"),
        ];
        for (kind, json, expected) in cases {
            assert_eq!(held(kind, true, json), expected, "{json} as a list of {kind:?}");
        }
    }

    #[test]
    fn a_number_that_is_written_otherwise_is_another_value() {
        let of = |json| json::parse(json).expect("the test's JSON");
        assert!(!same(&of("[1]"), &of("[1.0]")));
        assert!(!same(&of(r#"{"a": 1, "b": 2}"#), &of(r#"{"b": 2, "a": 1}"#)));
        assert!(same(&of(r#"{"a": [1, "x", null]}"#), &of(r#"{"a": [1, "x", null]}"#)));
        assert_eq!(
            slot(Kind::Float, false).field(&of("1")),
            slot(Kind::Float, false).field(&of("1.0"))
        );
    }
}
