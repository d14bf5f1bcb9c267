//! Conditions that tell whether a key is there. Nothing is recorded here.

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprCall, Number, UnaryOp};

use super::Flow;
use super::keys::Key;
use super::places::Place;

/// The keys that are there when a condition holds, and when it does not.
#[derive(Default)]
pub(super) struct Guards {
    pub(super) yes: Vec<Key>,
    pub(super) no: Vec<Key>,
}

impl<'a> Flow<'a> {
    pub(super) fn guards_of(&mut self, condition: &'a Expr) -> Guards {
        match condition {
            Expr::UnaryOp(not) if not.op == UnaryOp::Not => {
                let Guards { yes, no } = self.guards_of(&not.operand);
                Guards { yes: no, no: yes }
            }
            Expr::BoolOp(operation) => {
                let mut guards = Guards::default();
                for value in &operation.values {
                    let Guards { yes, no } = self.guards_of(value);
                    match operation.op {
                        BoolOp::And => guards.yes.extend(yes),
                        BoolOp::Or => guards.no.extend(no),
                    }
                }
                guards
            }
            Expr::Compare(comparison) => match (&*comparison.ops, &*comparison.comparators) {
                ([op], [right]) => self.guards_of_comparison(&comparison.left, *op, right),
                _ => Guards::default(),
            },
            value => Guards { yes: self.shown_by(value).into_iter().collect(), no: Vec::new() },
        }
    }

    fn guards_of_comparison(&mut self, left: &'a Expr, op: CmpOp, right: &'a Expr) -> Guards {
        if let (CmpOp::In | CmpOp::NotIn, Expr::StringLiteral(key)) = (op, left)
            && self.is_data(right)
        {
            let key = vec![self.keys.key(key.value.to_str())];
            return match op {
                CmpOp::In => Guards { yes: key, no: Vec::new() },
                _ => Guards { yes: Vec::new(), no: key },
            };
        }
        let (left_key, right_key) = (self.shown_by(left), self.shown_by(right));
        let of = |keys: [Option<Key>; 2]| keys.into_iter().flatten().collect();
        match op {
            // What is absent is `None`, or as empty as its default.
            CmpOp::Is | CmpOp::Eq if right.is_none_literal_expr() => {
                Guards { yes: Vec::new(), no: of([left_key, None]) }
            }
            CmpOp::IsNot | CmpOp::NotEq if is_empty(right) => {
                Guards { yes: of([left_key, None]), no: Vec::new() }
            }
            CmpOp::Is | CmpOp::Eq if !is_empty(right) => {
                Guards { yes: of([left_key, right_key]), no: Vec::new() }
            }
            CmpOp::In => Guards { yes: of([left_key, right_key]), no: Vec::new() },
            CmpOp::Gt | CmpOp::GtE => Guards { yes: of([left_key, None]), no: Vec::new() },
            CmpOp::Lt | CmpOp::LtE => Guards { yes: of([None, right_key]), no: Vec::new() },
            CmpOp::Is | CmpOp::Eq | CmpOp::IsNot | CmpOp::NotEq | CmpOp::NotIn => Guards::default(),
        }
    }

    /// The key that must be there for this to be true, or to be something at all.
    fn shown_by(&mut self, value: &'a Expr) -> Option<Key> {
        match value {
            Expr::Name(name) => match self.places.of(&name.id) {
                Place::Inside(key) | Place::Fresh(key) => key,
                _ => None,
            },
            Expr::Named(named) => self.shown_by(&named.value),
            Expr::Attribute(attribute) => self.shown_by(&attribute.value),
            Expr::Subscript(item) => match &*item.slice {
                Expr::StringLiteral(key) if self.is_data(&item.value) => {
                    Some(self.keys.key(key.value.to_str()))
                }
                _ => self.shown_by(&item.value),
            },
            Expr::Call(call) => self.shown_by_call(call),
            _ => None,
        }
    }

    fn shown_by_call(&mut self, call: &'a ExprCall) -> Option<Key> {
        match (&*call.func, &*call.arguments.args) {
            (Expr::Attribute(method), arguments) if self.is_data(&method.value) => {
                match arguments {
                    [Expr::StringLiteral(key)] if &*method.attr == "get" => {
                        Some(self.keys.key(key.value.to_str()))
                    }
                    [Expr::StringLiteral(key), default]
                        if &*method.attr == "get" && is_empty(default) =>
                    {
                        Some(self.keys.key(key.value.to_str()))
                    }
                    _ => None,
                }
            }
            (Expr::Attribute(method), _) => self.shown_by(&method.value),
            (Expr::Name(name), [first, ..]) => match name.id.as_str() {
                "isinstance" | "len" | "bool" | "any" | "all" | "list" | "str" | "int"
                | "float" => self.shown_by(first),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether this is `state.data` or a name for it.
    fn is_data(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name) => self.places.of(&name.id) == Place::Data,
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(name) => {
                    &*attribute.attr == "data" && self.places.of(&name.id) == Place::State
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// A default that is no better than nothing.
fn is_empty(default: &Expr) -> bool {
    match default {
        Expr::NoneLiteral(_) => true,
        Expr::BooleanLiteral(literal) => !literal.value,
        Expr::StringLiteral(literal) => literal.value.is_empty(),
        Expr::List(list) => list.elts.is_empty(),
        Expr::Tuple(tuple) => tuple.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(number) => number.as_u8() == Some(0),
            Number::Float(number) => *number == 0.0,
            Number::Complex { .. } => false,
        },
        _ => false,
    }
}
