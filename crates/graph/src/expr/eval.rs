//! Whether a condition holds. Every condition has an answer in every state.

use std::borrow::Cow;
use std::cmp::Ordering;

use functions::{is_in, truthy};
use value::{Map, Value};

use super::{Cmp, Expr, Path, Term, Test};

/// Where conditions find variables.
pub trait Names {
    /// What a variable holds, if there is one of this name.
    fn get(&self, name: &str) -> Option<&Value>;
}

impl Names for Map {
    fn get(&self, name: &str) -> Option<&Value> {
        Map::get(self, name)
    }
}

/// What is missing is null.
static MISSING: Value = Value::Null;

impl Expr {
    /// Whether it holds.
    pub fn eval(&self, names: &dyn Names) -> bool {
        match self {
            Expr::Const(holds) => *holds,
            Expr::Truthy(term) => truthy(&term.value(names)),
            Expr::Exists(term) => *term.value(names) != Value::Null,
            Expr::Compare(left, cmp, right) => cmp.holds(&left.value(names), &right.value(names)),
            Expr::Is(term, test, negated) => test.holds(&term.value(names)) != *negated,
            Expr::Not(inner) => !inner.eval(names),
            Expr::And(items) => items.iter().all(|item| item.eval(names)),
            Expr::Or(items) => items.iter().any(|item| item.eval(names)),
        }
    }
}

impl Term {
    /// What it stands for; null where that is missing.
    pub fn value<'a>(&'a self, names: &'a dyn Names) -> Cow<'a, Value> {
        match self {
            Term::Name(path) => Cow::Borrowed(path.find(names).unwrap_or(&MISSING)),
            Term::Length(path) => {
                let length = path.find(names).map_or(0, length);
                Cow::Owned(Value::count(length))
            }
            Term::Lit(value) => Cow::Borrowed(value),
        }
    }
}

impl Path {
    /// What it leads to, if it leads anywhere.
    pub fn find<'a>(&self, names: &'a dyn Names) -> Option<&'a Value> {
        let (root, members) = self.0.split_first()?;
        members.iter().try_fold(names.get(root)?, |value, member| value.get(member))
    }
}

impl Cmp {
    /// Whether two values are in this relation.
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        match self {
            Cmp::Eq => left == right,
            Cmp::Ne => left != right,
            Cmp::Lt => order(left, right).is_some_and(Ordering::is_lt),
            Cmp::Le => order(left, right).is_some_and(Ordering::is_le),
            Cmp::Gt => order(left, right).is_some_and(Ordering::is_gt),
            Cmp::Ge => order(left, right).is_some_and(Ordering::is_ge),
            Cmp::In => is_in(left, right),
            Cmp::NotIn => !is_in(left, right),
            Cmp::Contains => is_in(right, left),
        }
    }
}

impl Test {
    /// Whether a value has this quality.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Test::Empty => match value {
                Value::Null => true,
                Value::Text(_) | Value::List(_) | Value::Map(_) => length(value) == 0,
                Value::Bool(_) | Value::Int(_) | Value::Float(_) => false,
            },
            Test::True => truthy(value),
            Test::False => !truthy(value),
            Test::Null => *value == Value::Null,
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
    }
}

/// Null counts as 0, so that a counter that nobody has set yet is below its limit.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    // As in the equality of values, so that exactly one of `<`, `=` and `>` holds.
    let number = |value: &Value| match value {
        Value::Null => Some(0.0),
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => None,
    };
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (left, right) => number(left)?.partial_cmp(&number(right)?),
    }
}
