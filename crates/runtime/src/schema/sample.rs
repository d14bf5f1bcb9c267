//! Answers that a stub gives: always the same for the same schema, profile and turn.

use value::{Map, Value};

use super::check::NESTING_MAX;
use super::{SchemaId, Schemas, Type};

/// Which values a stub answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Low numbers, false, first words, short lists.
    Low,
    /// High numbers, true, last words, longer lists.
    High,
    /// Another one each turn.
    Cycle,
}

impl Profile {
    /// The profile that `stub:<word>` names.
    pub fn find(word: &str) -> Option<Profile> {
        match word {
            "low" => Some(Profile::Low),
            "high" => Some(Profile::High),
            "cycle" => Some(Profile::Cycle),
            _ => None,
        }
    }
}

/// Schemas that multiply are given shorter lists, then less nesting, once a sample would have
/// more values than this.
const VALUES_MAX: usize = 100_000;

impl Schemas {
    /// The stub's answer in this shape at turn `k`, which counts from 1.
    pub fn sample(&self, id: SchemaId, profile: Profile, k: u32) -> Map {
        let generous = (NESTING_MAX, usize::MAX);
        let sparing = (0..=NESTING_MAX).rev().map(|nesting| (nesting, 1));
        for (nesting, items_max) in std::iter::once(generous).chain(sparing) {
            let is_last = (nesting, items_max) == (0, 1);
            let left = if is_last { usize::MAX } else { VALUES_MAX };
            let mut stub = Stub { schemas: self, profile, k, nesting, items_max, left };
            if let Some(map) = stub.object(id, 0) {
                return map;
            }
        }
        unreachable!("the last attempt has no bound")
    }
}

struct Stub<'s> {
    schemas: &'s Schemas,
    profile: Profile,
    k: u32,
    nesting: usize,
    items_max: usize,
    /// How many values there may be yet.
    left: usize,
}

impl Stub<'_> {
    fn object(&mut self, id: SchemaId, nesting: usize) -> Option<Map> {
        if nesting > self.nesting {
            return Some(Map::default());
        }
        let schemas = self.schemas;
        let fields = schemas.schema(id).fields.iter();
        fields
            .map(|field| Some((field.name.clone(), self.value(&field.of, &field.name, nesting)?)))
            .collect()
    }

    /// Nothing once there are too many values.
    fn value(&mut self, of: &Type, field: &str, nesting: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        let by = |low: Value, high: Value, cycle: Value| match self.profile {
            Profile::Low => low,
            Profile::High => high,
            Profile::Cycle => cycle,
        };
        let stub = || Value::text(format!("stub:{field}"));
        let tenth = self.k % 11;
        Some(match of {
            Type::Text | Type::Unknown => stub(),
            Type::Integer => by(1.into(), 9.into(), i64::from(tenth).into()),
            Type::Float => {
                let cycle = f64::from(tenth) / 10.0;
                by(Value::Float(0.1), Value::Float(0.9), Value::Float(cycle))
            }
            Type::Boolean => by(false.into(), true.into(), self.k.is_multiple_of(2).into()),
            Type::Enum(words) => {
                let place = match self.profile {
                    Profile::Low => 0,
                    Profile::High => words.len() - 1,
                    Profile::Cycle => self.k.saturating_sub(1) as usize % words.len(),
                };
                Value::Text(words[place].clone())
            }
            Type::List(of) => {
                let items = (0..self.length()).map(|_| self.value(of, field, nesting));
                Value::list(items.collect::<Option<Vec<_>>>()?)
            }
            Type::Schema(id, _) => self.object(*id, nesting + 1)?.into(),
            Type::Object => Value::map([("key", stub())]),
            Type::Array => Value::list((0..self.length()).map(|_| stub())),
            Type::Datetime => "2026-01-01T00:00:00".into(),
            Type::Either(types) => self.value(&types[0], field, nesting)?,
        })
    }

    fn length(&self) -> usize {
        let length = match self.profile {
            Profile::Low => 1,
            Profile::High => 2,
            Profile::Cycle => 1 + self.k as usize % 3,
        };
        length.min(self.items_max)
    }
}
