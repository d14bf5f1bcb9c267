//! Shapes from what there is: an example of a state, the types of its fields, or templates whose
//! slots are filled from them.

use std::fmt::{self, Display, Formatter};

use diagnostics::nearest;
use value::{Map, Pointer, Text, Value};

use super::shape::{FactShape, Kind, Shape, SlotShape};
use crate::field::Field;
use crate::read::facts::begins_condition;
use crate::syntax::token::is_number;

/// Something that cannot be a fact. The rest of the shape does not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Where, in the example or the declaration.
    pub at: Pointer,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Display for Refusal {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}: {}; {}", self.at, self.message, self.help)
    }
}

/// The name of the slot of a field's own template.
const VALUE: &str = "value";

/// The words for types, as states and as templates declare them.
const TYPES: [(&str, Kind); 17] = [
    ("any", Kind::Any),
    ("str", Kind::Text),
    ("string", Kind::Text),
    ("text", Kind::Text),
    ("bytes", Kind::Text),
    ("symbol", Kind::Symbol),
    ("lexeme", Kind::Text),
    ("bool", Kind::Bool),
    ("boolean", Kind::Bool),
    ("int", Kind::Int),
    ("integer", Kind::Int),
    ("float", Kind::Float),
    ("double", Kind::Float),
    ("number", Kind::Number),
    ("list", Kind::Any),
    ("array", Kind::Any),
    ("multifield", Kind::Any),
];

impl Shape {
    /// One template for each field of a state like this one, named like the field, with a slot
    /// `value`: a list where the field is one. Members of objects have one each, named by their
    /// path (`owner-name`). What kind a field is follows from the example, and `null` says nothing.
    pub fn of_example(example: &Value) -> (Shape, Vec<Refusal>) {
        let mut making = Making::default();
        match example {
            Value::Map(members) => making.examples(members, &mut Vec::new()),
            other => making.refuse(
                &[],
                format!("a state is an object, and this is {}", other.kind()),
                "give it as an object of fields".into(),
            ),
        }
        (making.shape, making.refused)
    }

    /// The same from declared types: `{"severity": "int", "tags": "list[str]"}`. An object of such
    /// declares the members of an object.
    ///
    /// ```
    /// use rules::state::Shape;
    /// use value::json;
    ///
    /// let types = json::parse(r#"{"severity": "int", "tags": "list[symbol]", "when": "date"}"#);
    /// let (shape, refused) = Shape::of_types(&types.unwrap());
    /// assert_eq!(
    ///     shape.to_string(),
    ///     "(deftemplate severity (slot value (type INTEGER)))\n\
    ///      (deftemplate tags (multislot value (type SYMBOL)))\n",
    /// );
    /// assert!(refused[0].to_string().starts_with("/when: there is no type `date`"));
    /// ```
    pub fn of_types(types: &Value) -> (Shape, Vec<Refusal>) {
        let mut making = Making::default();
        match types {
            Value::Map(members) => making.types(members, &mut Vec::new()),
            other => making.refuse(
                &[],
                format!("the types of a state are an object, and this is {}", other.kind()),
                "give the type of each field by its name".into(),
            ),
        }
        (making.shape, making.refused)
    }

    /// Adds a template as a document declares it: `{"name", "slots": [{"name", "type", "default"}]}`.
    /// Each slot is filled from the field of its name, or the member of its path (`owner.name`, a
    /// slot `owner-name`); these have no template of their own any longer.
    ///
    /// ```
    /// use rules::state::Shape;
    /// use value::json;
    ///
    /// let types = json::parse(r#"{"severity": "int", "source": "str", "seen": "bool"}"#);
    /// let (mut shape, _) = Shape::of_types(&types.unwrap());
    /// let alert = r#"{"name": "alert", "slots": [
    ///     {"name": "severity", "type": "int"},
    ///     {"name": "source", "type": "symbol", "default": "nowhere"}
    /// ]}"#;
    /// assert!(shape.declare(&json::parse(alert).unwrap()).is_empty());
    /// assert_eq!(
    ///     shape.to_string(),
    ///     "(deftemplate seen (slot value (type SYMBOL) (allowed-symbols TRUE FALSE)))\n\
    ///      (deftemplate alert (slot severity (type INTEGER)) \
    ///      (slot source (type SYMBOL) (default nowhere)))\n",
    /// );
    /// ```
    pub fn declare(&mut self, template: &Value) -> Vec<Refusal> {
        let mut making = Making { shape: std::mem::take(self), refused: Vec::new() };
        making.declared(template);
        *self = making.shape;
        making.refused
    }
}

/// A shape that is being made.
#[derive(Default)]
struct Making {
    shape: Shape,
    refused: Vec<Refusal>,
}

impl Making {
    fn refuse(&mut self, path: &[Text], message: String, help: String) {
        let at = path.iter().fold(Pointer::root(), |at, name| at.child(name));
        self.refused.push(Refusal { at, message, help });
    }

    fn examples(&mut self, members: &Map, path: &mut Vec<Text>) {
        for (name, value) in members.iter() {
            path.push(name.clone());
            match value {
                Value::Map(inner) if !inner.is_empty() => self.examples(inner, path),
                Value::Map(_) => self.refuse(
                    path,
                    "an object without members says nothing about its facts".into(),
                    "give it a member, or declare the types".into(),
                ),
                Value::List(_) => self.field(path, Kind::Any, true),
                Value::Null => self.field(path, Kind::Any, false),
                Value::Bool(_) => self.field(path, Kind::Bool, false),
                Value::Int(_) | Value::Float(_) => self.field(path, Kind::Number, false),
                Value::Text(_) => self.field(path, Kind::Text, false),
            }
            path.pop();
        }
    }

    fn types(&mut self, members: &Map, path: &mut Vec<Text>) {
        for (name, value) in members.iter() {
            path.push(name.clone());
            match value {
                Value::Map(inner) => self.types(inner, path),
                Value::Text(word) => {
                    if let Some((kind, many)) = self.kind(path, word) {
                        self.field(path, kind, many);
                    }
                }
                other => self.refuse(
                    path,
                    format!("a type is a word, and this is {}", other.kind()),
                    "write one like `str`, `int` or `list[str]`".into(),
                ),
            }
            path.pop();
        }
    }

    /// One template for one field.
    fn field(&mut self, path: &[Text], kind: Kind, many: bool) {
        let name: Text = path.join("-").replace('.', "-").into();
        let slot = SlotShape { name: VALUE.into(), from: path.to_vec(), kind, many, default: None };
        self.add(path, FactShape { name, ordered: false, slots: vec![slot] });
    }

    fn add(&mut self, path: &[Text], fact: FactShape) {
        if !self.is_name(path, &fact.name) {
            return;
        }
        if begins_condition(&fact.name) {
            let message =
                format!("`{}` begins a condition, so no template has this name", fact.name);
            self.refuse(path, message, "declare a template with another name for it".into());
        } else if self.shape.facts.iter().any(|other| other.name == fact.name) {
            let message = format!("there is a template `{}` already", fact.name);
            self.refuse(path, message, "declare a template with another name for one".into());
        } else {
            self.shape.facts.push(fact);
        }
    }

    /// Whether rules can write it. Fewer names than CLIPS would read: what is left out would only
    /// be read differently next to something else.
    fn is_name(&mut self, path: &[Text], name: &str) -> bool {
        let plain = |letter: char| letter.is_alphanumeric() || "_-.+*/!%@#".contains(letter);
        let ok = !name.is_empty() && name.chars().all(plain) && !is_number(name);
        if !ok {
            self.refuse(
                path,
                format!("`{}` is not a name that rules can write", diagnostics::plain(name)),
                "name it with letters, digits, `-` and `_`".into(),
            );
        }
        ok
    }

    fn kind(&mut self, path: &[Text], word: &str) -> Option<(Kind, bool)> {
        let lower = word.trim().to_lowercase();
        let item = lower.strip_suffix(']').and_then(|rest| rest.strip_prefix("list["));
        let wanted = item.unwrap_or(&lower).trim();
        let Some((found, kind)) = TYPES.iter().find(|(known, _)| *known == wanted) else {
            let message = format!("there is no type `{}`", diagnostics::plain(word));
            let known = TYPES.iter().map(|(known, _)| *known);
            let help = match (wanted, nearest(wanted, known)) {
                ("dict" | "object", _) => "say which members it has, as an object of types".into(),
                (_, Some(near)) => format!("did you mean `{near}`?"),
                _ => "there are str, symbol, bool, int, float, number, any and list[...]".into(),
            };
            self.refuse(path, message, help);
            return None;
        };
        let list = matches!(*found, "list" | "array" | "multifield");
        Some((*kind, item.is_some() || list))
    }

    fn declared(&mut self, template: &Value) {
        let Some(name) = template.get("name").and_then(Value::as_text) else {
            self.refuse(&[], "a template has a name".into(), "give it as `name`".into());
            return;
        };
        let mut slots: Vec<SlotShape> = Vec::new();
        let given = template.get("slots").and_then(Value::as_list).unwrap_or_default();
        for (index, slot) in given.iter().enumerate() {
            let path = ["slots".into(), index.to_string().into()];
            let Some(slot) = self.slot(&path, slot) else { continue };
            if slots.iter().any(|other| other.name == slot.name) {
                let message = format!("there is a slot `{}` already", slot.name);
                self.refuse(&path, message, "give each slot once".into());
                continue;
            }
            slots.push(slot);
        }
        self.shape.facts.retain(|fact| {
            let [own] = &fact.slots[..] else { return true };
            &*own.name != VALUE || !slots.iter().any(|slot| slot.from == own.from)
        });
        self.add(&["name".into()], FactShape { name: name.clone(), ordered: false, slots });
    }

    fn slot(&mut self, path: &[Text], slot: &Value) -> Option<SlotShape> {
        let text = |member| slot.get(member).and_then(Value::as_text);
        let (Some(field), Some(word)) = (text("name"), text("type")) else {
            let message = "a slot has a name and a type".into();
            self.refuse(path, message, "give them as `name` and `type`".into());
            return None;
        };
        let (kind, many) = self.kind(path, word)?;
        let name: Text = field.replace('.', "-").into();
        if !self.is_name(path, &name) {
            return None;
        }
        let mut made = SlotShape {
            name,
            from: field.split('.').map(Text::from).collect(),
            kind,
            many,
            default: None,
        };
        match slot.get("default") {
            None | Some(Value::Null) => {}
            Some(default) => match made.written(default) {
                Some(default) => made.default = Some(default),
                None => self.refuse(
                    path,
                    format!("the default of `{field}` is not of its type"),
                    format!("give {}", article(kind)),
                ),
            },
        }
        Some(made)
    }
}

impl SlotShape {
    /// A default: documents write them as text, whatever the type.
    fn written(&self, default: &Value) -> Option<Field> {
        let field = match (default, self.kind) {
            (Value::Text(text), Kind::Int) => Field::Int(text.trim().parse().ok()?),
            (Value::Text(text), Kind::Float) => Field::Float(finite(text)?),
            (Value::Text(text), Kind::Number) => match text.trim().parse() {
                Ok(number) => Field::Int(number),
                Err(_) => Field::Float(finite(text)?),
            },
            (Value::Text(text), Kind::Bool) => match text.to_lowercase().as_str() {
                "true" => Field::Bool(true),
                "false" => Field::Bool(false),
                _ => return None,
            },
            (Value::Text(text), Kind::Any) if self.many && text.trim().is_empty() => {
                Field::many([])
            }
            (other, _) => self.field(other),
        };
        let fits = |field: &Field| self.kind.kinds().holds(crate::program::Kinds::of(field));
        let bools = |field: &Field| self.kind != Kind::Bool || matches!(field, Field::Bool(_));
        let field = if self.many { Field::many([field]) } else { field };
        field.fields().iter().all(|one| fits(one) && bools(one)).then_some(field)
    }
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// What a default should be.
fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "a value",
        Kind::Text | Kind::Symbol => "text",
        Kind::Bool => "`true` or `false`",
        Kind::Int => "a whole number",
        Kind::Float | Kind::Number => "a number",
    }
}

#[cfg(test)]
mod tests;
