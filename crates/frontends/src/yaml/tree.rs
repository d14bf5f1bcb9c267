//! What a YAML text says, and where it says it.

use diagnostics::Span;
use value::{Text, Value};

/// A value and the place where it is written. For an alias that is the place of the alias; what
/// is inside of it keeps the places where it is written.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Without the anchor and the tag before it. Empty where nothing is written for a null.
    pub span: Span,
    /// What it is.
    pub node: Node,
}

/// A value as written, with the places of everything in it.
#[derive(Clone, Debug)]
pub enum Node {
    /// `null`, `~`, or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number. INVARIANT: finite.
    Float(f64),
    /// Text.
    Text(Text),
    /// A list.
    List(Vec<Tree>),
    /// A map, in the order of its keys. INVARIANT: no key is there twice.
    Map(Vec<(Key, Tree)>),
}

/// The key of an entry. Whatever its kind, it is kept as the text that is written.
#[derive(Clone, Debug)]
pub struct Key {
    /// The text.
    pub text: Text,
    /// Where it is written.
    pub span: Span,
}

impl Tree {
    /// The value of a key, if it is a map that has it. The keys are looked through one by one.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.entry(key).map(|(_, value)| value)
    }

    /// A key with its value, if it is a map that has it.
    pub fn entry(&self, key: &str) -> Option<&(Key, Tree)> {
        self.as_map()?.iter().find(|(own, _)| *own.text == *key)
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self.node, Node::Null)
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.node {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.node {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&Text> {
        match &self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Tree]> {
        match &self.node {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is a map.
    pub fn as_map(&self) -> Option<&[(Key, Tree)]> {
        match &self.node {
            Node::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// What kind of value this is, in words for a person.
    pub fn kind(&self) -> &'static str {
        match self.node {
            Node::Null => "null",
            Node::Bool(_) => "a boolean",
            Node::Int(_) | Node::Float(_) => "a number",
            Node::Text(_) => "text",
            Node::List(_) => "a list",
            Node::Map(_) => "a map",
        }
    }

    /// The value without places.
    pub fn to_value(&self) -> Value {
        match &self.node {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(*value),
            Node::Float(value) => Value::Float(*value),
            Node::Text(text) => Value::Text(text.clone()),
            Node::List(items) => Value::list(items.iter().map(Tree::to_value)),
            Node::Map(entries) => {
                Value::map(entries.iter().map(|(key, value)| (key.text.clone(), value.to_value())))
            }
        }
    }
}
