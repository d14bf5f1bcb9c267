//! What the facts of a state look like.

use std::fmt::{self, Display, Formatter};

use diagnostics::Span;
use value::Text;

use crate::field::Field;
use crate::program::{self, Allowed, Kinds, Limits, Template};

/// Which facts a state becomes: of which template each is, and from where in the state its slots
/// are filled. There is at most one fact of each.
///
/// Its [`templates`](Shape::templates) are given to a program before it is read, so that rules are
/// checked against the state they will see; written out, as text, they are constructs.
///
/// ```
/// use rules::state::Shape;
/// use value::json;
///
/// let example = json::parse(r#"{"severity": 3, "tags": ["new"], "owner": {"name": "Ann"}}"#);
/// let (shape, refused) = Shape::of_example(&example.unwrap());
/// assert!(refused.is_empty());
/// assert_eq!(
///     shape.to_string(),
///     "(deftemplate severity (slot value (type NUMBER)))\n\
///      (deftemplate tags (multislot value))\n\
///      (deftemplate owner-name (slot value (type STRING)))\n",
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The facts, in the order in which they are asserted.
    pub facts: Vec<FactShape>,
}

/// What one fact looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct FactShape {
    /// The name of its template.
    pub name: Text,
    /// Whether it is ordered: then it has one slot, a list, and the value of a field that is not a
    /// list is its only item.
    pub ordered: bool,
    /// Its slots.
    pub slots: Vec<SlotShape>,
}

/// What one slot holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotShape {
    /// Its name.
    pub name: Text,
    /// The names of the members that lead to its value, from the outside in.
    pub from: Vec<Text>,
    /// What kind of value it is, or the items of its list.
    pub kind: Kind,
    /// Whether it holds a list.
    pub many: bool,
    /// What it holds while the state does not have the member.
    pub default: Option<Field>,
}

/// What kind of value a field of a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// Text, as strings.
    Text,
    /// Text, as symbols.
    Symbol,
    /// `TRUE` or `FALSE`.
    Bool,
    /// Whole numbers.
    Int,
    /// Numbers, as floats: `3` is `3.0`.
    Float,
    /// Numbers, each as it is written.
    Number,
}

impl Kind {
    /// Which kinds of fields it allows.
    pub fn kinds(self) -> Kinds {
        match self {
            Kind::Any => Kinds::SINGLE,
            Kind::Text => Kinds::TEXT,
            Kind::Symbol | Kind::Bool => Kinds::SYMBOL,
            Kind::Int => Kinds::INT,
            Kind::Float => Kinds::FLOAT,
            Kind::Number => Kinds::NUMBER,
        }
    }

    /// As a slot's type is written.
    fn attributes(self) -> &'static str {
        match self {
            Kind::Any => "",
            Kind::Text => " (type STRING)",
            Kind::Symbol => " (type SYMBOL)",
            Kind::Bool => " (type SYMBOL) (allowed-symbols TRUE FALSE)",
            Kind::Int => " (type INTEGER)",
            Kind::Float => " (type FLOAT)",
            Kind::Number => " (type NUMBER)",
        }
    }
}

impl Shape {
    /// The templates of the facts, in their order.
    pub fn templates(&self) -> Vec<Template> {
        self.facts.iter().map(FactShape::template).collect()
    }

    /// The same facts, but ordered where they have a single slot: `(severity 3)` for
    /// `(severity (value 3))`.
    #[must_use]
    pub fn ordered(mut self) -> Shape {
        for fact in &mut self.facts {
            fact.ordered |= fact.slots.len() == 1;
        }
        self
    }
}

impl FactShape {
    fn template(&self) -> Template {
        Template {
            name: self.name.clone(),
            ordered: self.ordered,
            slots: self.slots.iter().map(|slot| slot.template(self.ordered)).collect(),
            span: Span::default(),
        }
    }
}

impl SlotShape {
    fn template(&self, ordered: bool) -> program::Slot {
        let many = self.many || ordered;
        let empty = || if many { Field::many([]) } else { derived(self.kind) };
        let kinds = if ordered { Kinds::SINGLE } else { self.kind.kinds() };
        let allowed = (self.kind == Kind::Bool && !ordered).then(|| Allowed {
            kinds: Kinds::SYMBOL,
            values: vec![Field::Bool(true), Field::Bool(false)],
        });
        program::Slot {
            name: self.name.clone(),
            many,
            default: program::Default::Value(self.default.clone().unwrap_or_else(empty)),
            limits: Limits { kinds, allowed, range: None, cardinality: (0, None) },
            span: Span::default(),
        }
    }

    /// What it holds while the state does not have the member. Without a default that is `nil`, and
    /// not what CLIPS would choose for the type: nobody said `TRUE` or `0`.
    pub(super) fn absent(&self) -> Field {
        match &self.default {
            Some(default) => default.clone(),
            None if self.many => Field::many([]),
            None => Field::nil(),
        }
    }
}

/// What CLIPS gives to a slot of this kind that nobody fills.
fn derived(kind: Kind) -> Field {
    match kind {
        Kind::Any | Kind::Symbol => Field::nil(),
        Kind::Bool => Field::Bool(true),
        Kind::Text => Field::text(""),
        Kind::Int | Kind::Number => Field::Int(0),
        Kind::Float => Field::Float(0.0),
    }
}

/// The constructs: those facts that are ordered need none.
impl Display for Shape {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        for fact in self.facts.iter().filter(|fact| !fact.ordered) {
            write!(out, "(deftemplate {}", fact.name)?;
            for slot in &fact.slots {
                let word = if slot.many { "multislot" } else { "slot" };
                write!(out, " ({word} {}{}", slot.name, slot.kind.attributes())?;
                if let Some(default) = &slot.default {
                    write!(out, " (default")?;
                    for field in default.fields() {
                        write!(out, " {field}")?;
                    }
                    write!(out, ")")?;
                }
                write!(out, ")")?;
            }
            writeln!(out, ")")?;
        }
        Ok(())
    }
}
