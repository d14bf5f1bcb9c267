//! The shapes that calls are given and that answers must have, read once from declarations.

mod answer;
mod check;
mod field_type;
mod sample;
mod tell;

use std::collections::{BTreeMap, BTreeSet};

use graph::{Declarations, Kind};
use value::{Map, Text, Value};

pub use check::{VIOLATIONS_MAX, Violation};
pub use field_type::Type;
pub use sample::Profile;

/// Which schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemaId(u32);

/// A schema.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Its name.
    pub name: Text,
    /// What it is for.
    pub description: Option<Text>,
    /// Its fields, each name once. A schema without fields is any object.
    pub fields: Vec<Field>,
}

/// A field of a schema.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// What it holds.
    pub of: Type,
    /// Its value where nobody gives one.
    pub default: Option<Value>,
    /// Whether it may be missing.
    pub optional: bool,
    /// What it is for.
    pub description: Option<Text>,
}

impl Field {
    /// Whether an object must have it.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default.is_none()
    }
}

/// All schemas of a graph.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    schemas: Vec<Schema>,
    ids: BTreeMap<Text, SchemaId>,
}

impl Schemas {
    /// Reads what is declared.
    pub fn compile(declarations: &Declarations) -> Schemas {
        let declared = declarations.of(Kind::Schemas);
        let ids: BTreeMap<Text, SchemaId> =
            (0..).map(SchemaId).zip(declared.keys()).map(|(id, name)| (name.clone(), id)).collect();
        let find = |name: &str| ids.get(name).copied();
        let schemas = declared.iter().map(|(name, schema)| {
            let mut seen = BTreeSet::new();
            let fields = declarations.fields(name).filter(|(field, _)| seen.insert(*field));
            Schema {
                name: name.clone(),
                description: schema.get("description").and_then(Value::as_text).cloned(),
                fields: fields.map(|(name, field)| read(name, field, &find)).collect(),
            }
        });
        Schemas { schemas: schemas.collect(), ids }
    }

    /// The schema of this name.
    pub fn find(&self, name: &str) -> Option<SchemaId> {
        self.ids.get(name).copied()
    }

    /// A schema.
    pub fn schema(&self, id: SchemaId) -> &Schema {
        &self.schemas[id.0 as usize]
    }

    /// What a call is given: each field from `get`, else from the first of `others` that has it,
    /// else its default; what is nowhere is left out.
    pub fn input<'m>(
        &self,
        id: SchemaId,
        get: impl Fn(&str) -> Option<Value>,
        others: impl Iterator<Item = &'m Map> + Clone,
    ) -> Map {
        let fields = self.schema(id).fields.iter();
        let found = fields.filter_map(|field| {
            let value = get(&field.name)
                .or_else(|| others.clone().find_map(|other| other.get(&field.name)).cloned())
                .or_else(|| field.default.clone())?;
            Some((field.name.clone(), value))
        });
        found.collect()
    }
}

fn read(name: &Text, field: &Value, find: &dyn Fn(&str) -> Option<SchemaId>) -> Field {
    let text = |member| field.get(member).and_then(Value::as_text);
    Field {
        name: name.clone(),
        of: text("type").map_or(Type::Unknown, |of| Type::parse(of, find)),
        default: field.get("default").cloned(),
        optional: field.get("optional") == Some(&Value::Bool(true)),
        description: text("description").cloned(),
    }
}
