//! What a slot holds, typed: a literal, a variable, an expression or a label.

use value::{Map, Text, Value, json};

use crate::expr::{Expr, is_name, scalar};
use crate::ops::{OpDef, Slot, SlotKind};

/// No row of the op table has more slots; a test of the table checks it.
pub(crate) const SLOTS_MAX: usize = 8;

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A constant.
    Lit(Value),
    /// A variable, read or written as its slot says.
    Var(Text),
    /// A condition.
    Expr(Expr),
    /// A label.
    Label(Text),
    /// What the author wrote, where it is nothing that the slot can hold.
    Odd(Value, Written),
}

/// Where an odd operand was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// In `data`.
    Data,
    /// In `operands`.
    Operands,
}

/// What fills a slot.
#[derive(Clone, Debug, PartialEq)]
pub enum Filled {
    /// One operand.
    One(Operand),
    /// A list of them.
    Many(Vec<Operand>),
}

/// The filled slots of a node, in the order of its op's row.
#[derive(Clone, Debug, Default)]
pub struct Operands(Vec<(&'static Slot, Filled)>);

impl PartialEq for Operands {
    fn eq(&self, other: &Operands) -> bool {
        self.0.len() == other.0.len()
            && self.iter().zip(other.iter()).all(|(a, b)| a.0.name == b.0.name && a.1 == b.1)
    }
}

impl Operands {
    /// What a slot holds.
    pub fn get(&self, name: &str) -> Option<&Filled> {
        self.0.iter().find(|(slot, _)| slot.name == name).map(|(_, filled)| filled)
    }

    /// The single operand a slot holds.
    pub fn one(&self, name: &str) -> Option<&Operand> {
        match self.get(name)? {
            Filled::One(operand) => Some(operand),
            Filled::Many(_) => None,
        }
    }

    /// The text a slot holds, where it is a constant.
    pub fn text(&self, name: &str) -> Option<&Text> {
        match self.one(name)? {
            Operand::Lit(value) => value.as_text(),
            Operand::Var(name) | Operand::Label(name) => Some(name),
            Operand::Expr(_) | Operand::Odd(..) => None,
        }
    }

    /// All filled slots.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Slot, &Filled)> {
        self.0.iter().map(|(slot, filled)| (*slot, filled))
    }

    /// Fills a slot, or empties it.
    pub fn set(&mut self, op: &'static OpDef, slot: &'static Slot, filled: Option<Filled>) {
        self.0.retain(|(other, _)| other.name != slot.name);
        if let Some(filled) = filled {
            let rank = |slot: &Slot| op.slots.iter().position(|other| other.name == slot.name);
            let at = self.0.iter().take_while(|(other, _)| rank(other) < rank(slot)).count();
            self.0.insert(at, (slot, filled));
        }
    }

    /// Names that are read.
    pub fn reads(&self) -> impl Iterator<Item = &Text> {
        self.iter().filter(|(slot, _)| slot.kind != SlotKind::Bind).flat_map(|(_, filled)| {
            let operands = match filled {
                Filled::One(operand) => std::slice::from_ref(operand),
                Filled::Many(operands) => operands,
            };
            operands.iter().flat_map(|operand| {
                let (var, expr) = match operand {
                    Operand::Var(name) => (Some(name), None),
                    Operand::Expr(expr) => (None, Some(expr)),
                    Operand::Lit(_) | Operand::Label(_) | Operand::Odd(..) => (None, None),
                };
                var.into_iter().chain(expr.into_iter().flat_map(Expr::names))
            })
        })
    }

    /// Names that are written.
    pub fn writes(&self) -> impl Iterator<Item = &Text> {
        self.iter().filter_map(|(slot, filled)| match (slot.kind, filled) {
            (SlotKind::Bind, Filled::One(Operand::Var(name))) => Some(name),
            _ => None,
        })
    }

    /// Fills the next slot of the op's row. The caller goes through the row in order.
    pub(crate) fn push(&mut self, slot: &'static Slot, filled: Filled) {
        self.0.push((slot, filled));
    }

    /// Room for so many.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.0.reserve_exact(count);
    }

    /// Adds the canonical form to a text: that of [`Operands::to_map`], and odd ones as `odd`.
    pub(crate) fn write_canonical(&self, out: &mut String) {
        // Slot names are ASCII, so their order by bytes is the canonical one.
        let mut by_name: [Option<&(&'static Slot, Filled)>; SLOTS_MAX] = [None; SLOTS_MAX];
        for (place, entry) in by_name.iter_mut().zip(&self.0) {
            *place = Some(entry);
        }
        let by_name = &mut by_name[..self.0.len()];
        by_name.sort_unstable_by_key(|entry| entry.map(|(slot, _)| slot.name));
        out.push('{');
        for (position, (slot, filled)) in by_name.iter().flatten().enumerate() {
            if position > 0 {
                out.push(',');
            }
            json::write_text(out, slot.name);
            out.push(':');
            match filled {
                Filled::One(operand) => operand.write_canonical(out),
                Filled::Many(operands) => {
                    out.push('[');
                    for (position, operand) in operands.iter().enumerate() {
                        if position > 0 {
                            out.push(',');
                        }
                        operand.write_canonical(out);
                    }
                    out.push(']');
                }
            }
        }
        out.push('}');
    }

    /// The member `operands` of a node. What is odd in `data` stays there.
    pub fn to_map(&self) -> Map {
        let is_typed =
            |filled: &Filled| !matches!(filled, Filled::One(Operand::Odd(_, Written::Data)));
        let typed = self.iter().filter(|(_, filled)| is_typed(filled));
        typed.map(|(slot, filled)| (slot.name.into(), filled.to_value())).collect()
    }
}

impl Filled {
    /// As documents write it.
    pub fn to_value(&self) -> Value {
        match self {
            Filled::One(operand) => operand.to_value(),
            Filled::Many(operands) => Value::list(operands.iter().map(Operand::to_value)),
        }
    }

    /// As `data` writes it, without types.
    pub fn to_data(&self) -> Value {
        match self {
            Filled::One(operand) => operand.to_data(),
            Filled::Many(operands) => Value::list(operands.iter().map(Operand::to_data)),
        }
    }
}

impl Operand {
    /// As documents write it.
    pub fn to_value(&self) -> Value {
        match self {
            Operand::Lit(value) => Value::map([("lit", value.clone())]),
            Operand::Var(name) => Value::map([("var", Value::Text(name.clone()))]),
            Operand::Expr(expr) => Value::map([("expr", Value::text(expr.to_string()))]),
            Operand::Label(label) => Value::map([("label", Value::Text(label.clone()))]),
            Operand::Odd(value, _) => value.clone(),
        }
    }

    /// As `data` writes it, without types.
    pub fn to_data(&self) -> Value {
        match self {
            Operand::Lit(value) | Operand::Odd(value, _) => value.clone(),
            Operand::Var(name) | Operand::Label(name) => Value::Text(name.clone()),
            Operand::Expr(expr) => Value::text(expr.to_string()),
        }
    }
}

impl Operand {
    fn write_canonical(&self, out: &mut String) {
        let constant = |out: &mut String, kind: &str, value: &Value| {
            out.push_str(kind);
            json::write_canonical(out, value);
            out.push('}');
        };
        let (kind, value) = match self {
            Operand::Lit(value) => return constant(out, "{\"lit\":", value),
            Operand::Odd(value, _) => return constant(out, "{\"odd\":", value),
            Operand::Var(name) => ("var", &**name),
            Operand::Label(label) => ("label", &**label),
            Operand::Expr(expr) => ("expr", &*expr.to_string()),
        };
        out.push_str("{\"");
        out.push_str(kind);
        out.push_str("\":");
        json::write_text(out, value);
        out.push('}');
    }
}

/// Why a value cannot fill a slot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Misfit {
    /// Not a value of the right kind; what was expected, in words.
    Kind(&'static str),
    /// A condition that cannot be read.
    Condition(String),
}

/// Fills a slot from `data`, where types and quotes are lost. `is_variable` says whether a bare
/// name stands for a variable, at its place in a list. Slots that edges decide stay empty, and so does null.
pub(crate) fn from_data(
    slot: &Slot,
    value: &Value,
    is_variable: impl Fn(usize, &str) -> bool,
) -> Result<Option<Filled>, Misfit> {
    let name = |expected| match value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(Misfit::Kind(expected)),
    };
    let operand = |(at, value): (usize, &Value)| match value {
        Value::Text(text) => match text.strip_prefix('$').filter(|name| is_name(name)) {
            Some(variable) => Operand::Var(variable.into()),
            None => match scalar(text) {
                Some(literal) => Operand::Lit(literal),
                None if is_name(text) && is_variable(at, text) => Operand::Var(text.clone()),
                None => Operand::Lit(value.clone()),
            },
        },
        other => Operand::Lit(other.clone()),
    };
    if *value == Value::Null {
        return Ok(None);
    }
    Ok(Some(Filled::One(match slot.kind {
        SlotKind::Target(_) | SlotKind::Protects => return Ok(None),
        // An empty first argument is how older compilers write a call without arguments.
        SlotKind::FirstValue if *value == Value::text("") => return Ok(None),
        SlotKind::Bind if *value == Value::text("") => return Ok(None),
        SlotKind::Value | SlotKind::FirstValue => operand((0, value)),
        SlotKind::Values => {
            let items = value.as_list().ok_or(Misfit::Kind("a list"))?;
            return Ok(Some(Filled::Many(items.iter().enumerate().map(operand).collect())));
        }
        SlotKind::Condition => match value {
            Value::Text(text) => match Expr::parse(text) {
                Ok(expr) => Operand::Expr(expr),
                Err(bad) => return Err(Misfit::Condition(bad.message)),
            },
            Value::Bool(_) => Operand::Lit(value.clone()),
            _ => return Err(Misfit::Kind("a condition")),
        },
        SlotKind::Bind => {
            let name = name(VARIABLE)?;
            let bare = name.strip_prefix('$').unwrap_or(&name);
            if !is_name(bare) {
                return Err(Misfit::Kind(VARIABLE));
            }
            Operand::Var(bare.into())
        }
        SlotKind::Callee => Operand::Label(name("the name of a label")?),
        SlotKind::Adapter => Operand::Lit(Value::Text(name("`namespace.verb`")?)),
        SlotKind::Name | SlotKind::Takes | SlotKind::Gives => {
            Operand::Lit(Value::Text(name("a name")?))
        }
        SlotKind::Word(words) => {
            let text = name("a word")?;
            if !words.contains(&&*text) {
                return Err(Misfit::Kind("one of the words it knows"));
            }
            Operand::Lit(Value::Text(text))
        }
        SlotKind::Number => match value {
            Value::Int(_) => Operand::Lit(value.clone()),
            Value::Text(text) => match scalar(text) {
                Some(number @ Value::Int(_)) => Operand::Lit(number),
                _ => return Err(Misfit::Kind("a whole number")),
            },
            _ => return Err(Misfit::Kind("a whole number")),
        },
        SlotKind::Literal => Operand::Lit(value.clone()),
    })))
}

const VARIABLE: &str = "the name of a variable";

/// Reads one member of `operands`.
pub(crate) fn from_operands(slot: &Slot, value: &Value) -> Result<Filled, Misfit> {
    let filled = match value {
        Value::List(items) if slot.kind == SlotKind::Values => {
            Filled::Many(items.iter().map(one_operand).collect::<Result<_, _>>()?)
        }
        _ => Filled::One(one_operand(value)?),
    };
    let fits = match (&filled, slot.kind) {
        (Filled::Many(operands), _) => {
            operands.iter().all(|operand| matches!(operand, Operand::Lit(_) | Operand::Var(_)))
        }
        (Filled::One(Operand::Lit(value)), SlotKind::Number) => matches!(value, Value::Int(_)),
        (Filled::One(Operand::Lit(value)), SlotKind::Word(words)) => {
            value.as_text().is_some_and(|text| words.contains(&&**text))
        }
        (
            Filled::One(Operand::Lit(value)),
            SlotKind::Name | SlotKind::Takes | SlotKind::Gives | SlotKind::Adapter,
        ) => value.as_text().is_some(),
        (Filled::One(Operand::Lit(value)), SlotKind::Condition) => matches!(value, Value::Bool(_)),
        (
            Filled::One(Operand::Lit(_)),
            SlotKind::Value | SlotKind::FirstValue | SlotKind::Literal,
        ) => true,
        (Filled::One(Operand::Var(_)), SlotKind::Value | SlotKind::FirstValue | SlotKind::Bind) => {
            true
        }
        (Filled::One(Operand::Expr(_)), SlotKind::Condition) => true,
        (Filled::One(Operand::Label(_)), SlotKind::Callee) => true,
        _ => false,
    };
    if fits { Ok(filled) } else { Err(Misfit::Kind(can_hold(slot.kind))) }
}

/// What a slot can hold, in words.
fn can_hold(kind: SlotKind) -> &'static str {
    match kind {
        SlotKind::Value | SlotKind::FirstValue => "a literal or a variable",
        SlotKind::Values => "a list of literals and variables",
        SlotKind::Condition => "an expression",
        SlotKind::Bind => "a variable",
        SlotKind::Callee => "a label",
        SlotKind::Adapter => "a literal `namespace.verb`",
        SlotKind::Number => "a literal whole number",
        SlotKind::Name | SlotKind::Word(_) => "a literal name",
        SlotKind::Takes | SlotKind::Gives => "the literal name of a schema",
        SlotKind::Literal => "a literal",
        SlotKind::Target(_) | SlotKind::Protects => "left out: an edge says it",
    }
}

fn one_operand(value: &Value) -> Result<Operand, Misfit> {
    const SHAPE: Misfit =
        Misfit::Kind("`{\"lit\": ...}`, `{\"var\": ...}`, `{\"expr\": ...}` or `{\"label\": ...}`");
    let map = value.as_map().filter(|map| map.len() == 1).ok_or(SHAPE)?;
    let (kind, value) = map.first().expect("the map has one member");
    match (&**kind, value) {
        ("lit", literal) => Ok(Operand::Lit(literal.clone())),
        // A key of the frame may be any text; only in `data` and in conditions it must be a name.
        ("var", Value::Text(name)) if !name.is_empty() => Ok(Operand::Var(name.clone())),
        ("label", Value::Text(label)) => Ok(Operand::Label(label.clone())),
        ("expr", Value::Text(text)) => match Expr::parse(text) {
            Ok(expr) => Ok(Operand::Expr(expr)),
            Err(bad) => Err(Misfit::Condition(bad.message)),
        },
        _ => Err(SHAPE),
    }
}

/// Whether a member of `data` says the same as an operand, as far as `data` can say it.
pub(crate) fn agrees(filled: &Filled, data: &Value) -> bool {
    let same = |operand: &Operand, data: &Value| match (operand, data) {
        (Operand::Var(name), Value::Text(text)) => {
            text.strip_prefix('$').unwrap_or(text) == &**name
        }
        (Operand::Lit(literal), Value::Text(text)) => {
            literal == data || scalar(text).is_some_and(|scalar| scalar == *literal)
        }
        // A word on the right is text in `data`, also where it is known to be a variable.
        (Operand::Expr(expr), Value::Text(text)) => {
            Expr::parse(text).is_ok_and(|said| said == *expr || said == expr.with_bare_words())
        }
        // That it is odd is said already.
        (Operand::Odd(..), _) => true,
        (operand, data) => operand.to_data() == *data,
    };
    match (filled, data) {
        (Filled::One(operand), data) => same(operand, data),
        (Filled::Many(operands), Value::List(items)) => {
            operands.len() == items.len()
                && operands.iter().zip(items.iter()).all(|(operand, item)| same(operand, item))
        }
        (Filled::Many(_), _) => false,
    }
}
