//! What is sent along: JSON with gaps that keep the type of what fills them, or a text.

use value::{Map, Text, Value, json};

use super::template::{Argument, Place, Secrets, Template};

/// A body with gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// JSON.
    Json(Shape),
    /// A text, and how arguments are written in it.
    Text(Template, Place),
}

/// JSON with gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// As it is.
    Fixed(Value),
    /// A text with gaps. One that is nothing but a gap has the type of what fills it.
    Text(Template),
    List(Vec<Shape>),
    Map(Vec<(Text, Shape)>),
}

impl Body {
    pub(super) fn content_type(&self) -> &'static str {
        match self {
            Body::Json(_) => "application/json",
            Body::Text(..) => "text/plain; charset=utf-8",
        }
    }

    pub(crate) fn templates(&self) -> Vec<&Template> {
        match self {
            Body::Json(shape) => shape.templates(),
            Body::Text(template, _) => vec![template],
        }
    }

    /// The body for a call.
    pub(super) fn fill(&self, args: &Map, secrets: Secrets<'_>) -> Result<String, String> {
        match self {
            Body::Json(shape) => {
                Ok(json::compact(&shape.fill(args, secrets)?.unwrap_or(Value::Null)))
            }
            Body::Text(template, place) => {
                Ok(template.fill(args, *place, secrets)?.unwrap_or_default())
            }
        }
    }
}

impl Shape {
    fn templates(&self) -> Vec<&Template> {
        match self {
            Shape::Fixed(_) => Vec::new(),
            Shape::Text(template) => vec![template],
            Shape::List(items) => items.iter().flat_map(Shape::templates).collect(),
            Shape::Map(members) => members.iter().flat_map(|(_, one)| one.templates()).collect(),
        }
    }

    /// None where an argument is missing that may be: then it is left out.
    fn fill(&self, args: &Map, secrets: Secrets<'_>) -> Result<Option<Value>, String> {
        match self {
            Shape::Fixed(value) => Ok(Some(value.clone())),
            Shape::Text(template) => match template.as_argument() {
                Some(argument) => whole(argument, args),
                None => Ok(template.fill(args, Place::Plain, secrets)?.map(Value::text)),
            },
            Shape::List(items) => {
                let filled = items.iter().map(|item| item.fill(args, secrets));
                let filled: Vec<Option<Value>> = filled.collect::<Result<_, _>>()?;
                Ok(Some(Value::list(filled.into_iter().flatten())))
            }
            Shape::Map(members) => {
                let mut filled = Map::default();
                for (name, shape) in members {
                    if let Some(value) = shape.fill(args, secrets)? {
                        filled.insert(name.clone(), value);
                    }
                }
                Ok(Some(filled.into()))
            }
        }
    }
}

fn whole(argument: &Argument, args: &Map) -> Result<Option<Value>, String> {
    match argument.find(args)? {
        Some(Value::Null) | None if argument.is_optional => Ok(None),
        Some(value) => Ok(Some(value.clone())),
        None => Err(argument.missing()),
    }
}
