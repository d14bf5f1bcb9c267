//! Conditions with slots instead of names. They hold exactly where `graph::Expr` does.

use graph::{Cmp, Expr, Path, Term, Test, truthy};
use value::{Text, Value};

use super::Slot;
use crate::frame::Frame;

/// A compiled condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    node: Node,
    /// As it is written.
    pub(crate) text: Text,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Const(bool),
    Truthy(Part),
    Exists(Part),
    Compare(Part, Cmp, Part),
    Is(Part, Test, bool),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Name(Place),
    Length(Place),
    Lit(Value),
}

#[derive(Clone, Debug, PartialEq)]
struct Place {
    slot: Slot,
    members: Vec<Text>,
}

static MISSING: Value = Value::Null;

impl Condition {
    /// Compiles a condition.
    pub(crate) fn new(expr: &Expr, slot: &mut dyn FnMut(&Text) -> Slot) -> Condition {
        Condition { node: node(expr, slot), text: expr.to_string().into() }
    }

    /// Whether it holds.
    pub(crate) fn holds(&self, frame: &Frame) -> bool {
        self.node.holds(frame)
    }

    /// The slots it looks at, in order, each as often as it does.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.node.add_slots(&mut slots);
        slots
    }
}

fn node(expr: &Expr, slot: &mut dyn FnMut(&Text) -> Slot) -> Node {
    match expr {
        Expr::Const(holds) => Node::Const(*holds),
        Expr::Truthy(term) => Node::Truthy(part(term, slot)),
        Expr::Exists(term) => Node::Exists(part(term, slot)),
        Expr::Compare(left, cmp, right) => Node::Compare(part(left, slot), *cmp, part(right, slot)),
        Expr::Is(term, test, negated) => Node::Is(part(term, slot), *test, *negated),
        Expr::Not(inner) => Node::Not(Box::new(node(inner, slot))),
        Expr::And(items) => Node::And(items.iter().map(|item| node(item, slot)).collect()),
        Expr::Or(items) => Node::Or(items.iter().map(|item| node(item, slot)).collect()),
    }
}

fn part(term: &Term, slot: &mut dyn FnMut(&Text) -> Slot) -> Part {
    let mut place = |path: &Path| {
        let members = path.parts()[1..].to_vec();
        Place { slot: slot(path.root()), members }
    };
    match term {
        Term::Name(path) => Part::Name(place(path)),
        Term::Length(path) => Part::Length(place(path)),
        Term::Lit(value) => Part::Lit(value.clone()),
    }
}

impl Node {
    fn holds(&self, frame: &Frame) -> bool {
        match self {
            Node::Const(holds) => *holds,
            Node::Truthy(part) => part.with(frame, truthy),
            Node::Exists(part) => part.with(frame, |value| *value != Value::Null),
            Node::Compare(left, cmp, right) => {
                left.with(frame, |left| right.with(frame, |right| cmp.holds(left, right)))
            }
            Node::Is(part, test, negated) => {
                part.with(frame, |value| test.holds(value)) != *negated
            }
            Node::Not(inner) => !inner.holds(frame),
            Node::And(items) => items.iter().all(|item| item.holds(frame)),
            Node::Or(items) => items.iter().any(|item| item.holds(frame)),
        }
    }

    fn add_slots(&self, slots: &mut Vec<Slot>) {
        match self {
            Node::Const(_) => {}
            Node::Truthy(part) | Node::Exists(part) | Node::Is(part, ..) => part.add_slot(slots),
            Node::Compare(left, _, right) => {
                left.add_slot(slots);
                right.add_slot(slots);
            }
            Node::Not(inner) => inner.add_slots(slots),
            Node::And(items) | Node::Or(items) => {
                items.iter().for_each(|item| item.add_slots(slots));
            }
        }
    }
}

impl Part {
    fn with<T>(&self, frame: &Frame, work: impl FnOnce(&Value) -> T) -> T {
        match self {
            Part::Name(place) => work(place.find(frame)),
            Part::Length(place) => work(&Value::Int(length(place.find(frame)))),
            Part::Lit(value) => work(value),
        }
    }

    fn add_slot(&self, slots: &mut Vec<Slot>) {
        match self {
            Part::Name(place) | Part::Length(place) => slots.push(place.slot),
            Part::Lit(_) => {}
        }
    }
}

impl Place {
    fn find<'a>(&self, frame: &'a Frame) -> &'a Value {
        let root = frame.get(self.slot).unwrap_or(&MISSING);
        let found = self.members.iter().try_fold(root, |value, member| value.get(member));
        found.unwrap_or(&MISSING)
    }
}

/// As `graph::Term::Length` counts.
fn length(value: &Value) -> i64 {
    let length = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
    };
    i64::try_from(length).unwrap_or(i64::MAX)
}
