//! What a model is told about the shape of its answer, in words and as a JSON Schema.

use std::collections::BTreeSet;
use std::fmt::Write;

use value::{Map, Value};

use super::{Field, Schema, SchemaId, Schemas, Type};

impl Schemas {
    /// What a model must be told about the shape of its answer, to stand below its system text.
    pub fn instruction(&self, id: SchemaId) -> String {
        let mut text = "Answer with one JSON object and nothing else: no prose and no fence \
                        around it. Its members are:\n"
            .to_string();
        if self.schema(id).fields.is_empty() {
            text = "Answer with one JSON object and nothing else: no prose and no fence around \
                    it. Its members are up to you.\n"
                .to_string();
        }
        list(&mut text, self.schema(id));
        for inner in self.inside(id) {
            let schema = self.schema(inner);
            let members = if schema.fields.is_empty() { "any members" } else { "the members" };
            let about = about(schema.description.as_deref());
            writeln!(text, "Each {} is an object with {members}{about}:", schema.name)
                .expect("writing to text cannot fail");
            list(&mut text, schema);
        }
        text
    }

    /// The same as a JSON Schema (2020-12). It names every field as required, as strict providers
    /// ask for, and lets those be null that may be missing.
    pub fn json_schema(&self, id: SchemaId) -> Value {
        self.written(id, Form::Strict)
    }

    /// The JSON Schema of what counts as a value of this schema: fields that may be missing may be
    /// left out, and other members than its fields are nobody's business.
    pub fn json_schema_of_values(&self, id: SchemaId) -> Value {
        self.written(id, Form::Open)
    }

    fn written(&self, id: SchemaId, form: Form) -> Value {
        let mut schema = self.object(id, id, form);
        let inside = self.inside(id);
        let mut all: Map =
            [("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into())]
                .into_iter()
                .collect();
        if !inside.is_empty() {
            let defined = inside.into_iter().map(|inner| {
                (self.schema(inner).name.clone(), self.object(inner, id, form).into())
            });
            schema.insert("$defs".into(), Value::map(defined));
        }
        all.extend(schema);
        all.into()
    }

    /// The other schemas that a value of this one has inside, in the order of their names in it.
    fn inside(&self, id: SchemaId) -> Vec<SchemaId> {
        let mut seen = BTreeSet::from([id]);
        let mut found = vec![id];
        let mut at = 0;
        while at < found.len() {
            let mut named = Vec::new();
            self.schema(found[at]).fields.iter().for_each(|field| names(&field.of, &mut named));
            found.extend(named.into_iter().filter(|inner| seen.insert(*inner)));
            at += 1;
        }
        found.split_off(1)
    }

    fn object(&self, id: SchemaId, root: SchemaId, form: Form) -> Map {
        let schema = self.schema(id);
        let fields = &schema.fields;
        let mut members: Map = [("type".into(), Value::from("object"))].into_iter().collect();
        if let Some(description) = &schema.description {
            members.insert("description".into(), description.clone().into());
        }
        let properties =
            fields.iter().map(|field| (field.name.clone(), property(field, root, form)));
        let is_strict = form == Form::Strict;
        let required = fields.iter().filter(|field| is_strict || field.is_required());
        let required = required.map(|field| Value::Text(field.name.clone()));
        members.insert("properties".into(), Value::map(properties));
        members.insert("required".into(), Value::list(required));
        if is_strict {
            members.insert("additionalProperties".into(), fields.is_empty().into());
        }
        members
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As strict providers ask for.
    Strict,
    Open,
}

fn list(text: &mut String, schema: &Schema) {
    for field in &schema.fields {
        let may = if field.is_required() { "" } else { ", may be left out" };
        let about = about(field.description.as_deref());
        writeln!(text, "- \"{}\": {}{may}{about}", field.name, field.of)
            .expect("writing to text cannot fail");
    }
}

fn about(description: Option<&str>) -> String {
    description.map_or(String::new(), |description| format!(" ({})", description.trim()))
}

fn names(of: &Type, found: &mut Vec<SchemaId>) {
    match of {
        Type::Schema(id, _) => found.push(*id),
        Type::List(of) => names(of, found),
        Type::Either(types) => types.iter().for_each(|of| names(of, found)),
        _ => {}
    }
}

fn property(field: &Field, root: SchemaId, form: Form) -> Value {
    let mut members = shape(&field.of, root);
    if !field.is_required() && !members.is_empty() {
        members = match form {
            Form::Open => or_plainly_null(members),
            Form::Strict => or_null(members),
        };
    }
    if let Some(description) = &field.description {
        members.insert("description".into(), description.clone().into());
    }
    if let Some(default) = &field.default {
        members.insert("default".into(), default.clone());
    }
    members.into()
}

fn or_null(members: Map) -> Map {
    let null = Value::map([("type", "null".into())]);
    [("anyOf".into(), Value::list([members.into(), null]))].into_iter().collect()
}

/// The same without a choice of schemas where a type says it all: whoever is told why a value does
/// not fit is told of the type, and not that it fits none of several.
fn or_plainly_null(mut members: Map) -> Map {
    let Some(of) = members.get("type").cloned() else { return or_null(members) };
    members.insert("type".into(), Value::list([of, "null".into()]));
    if let Some(Value::List(words)) = members.get("enum").cloned() {
        let words = words.iter().cloned().chain([Value::Null]);
        members.insert("enum".into(), Value::list(words));
    }
    members
}

fn shape(of: &Type, root: SchemaId) -> Map {
    let one = |name: &str, value: Value| [(name.into(), value)].into_iter().collect::<Map>();
    match of {
        Type::Text => one("type", "string".into()),
        Type::Integer => one("type", "integer".into()),
        Type::Float => one("type", "number".into()),
        Type::Boolean => one("type", "boolean".into()),
        Type::Object => one("type", "object".into()),
        Type::Array => one("type", "array".into()),
        Type::Datetime => {
            let mut members = one("type", "string".into());
            members.insert("format".into(), "date-time".into());
            members
        }
        Type::List(of) => {
            let mut members = one("type", "array".into());
            members.insert("items".into(), shape(of, root).into());
            members
        }
        Type::Enum(words) => {
            let mut members = one("type", "string".into());
            let words = words.iter().map(|word| Value::Text(word.clone()));
            members.insert("enum".into(), Value::list(words));
            members
        }
        Type::Schema(id, _) if *id == root => one("$ref", "#".into()),
        Type::Schema(_, name) => one("$ref", format!("#/$defs/{}", fragment(name)).into()),
        Type::Either(types) => {
            let types = types.iter().map(|of| Value::from(shape(of, root)));
            one("anyOf", Value::list(types))
        }
        Type::Unknown => Map::default(),
    }
}

/// A name as a part of a pointer in a URI.
fn fragment(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'~' => text.push_str("~0"),
            b'/' => text.push_str("~1"),
            b'-' | b'.' | b'_' => text.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            _ => write!(text, "%{byte:02X}").expect("writing to text cannot fail"),
        }
    }
    text
}
