//! How long it takes to hold a value against a schema, counted before it is done.
//!
//! A validator follows every reference wherever it meets one. A schema of a kilobyte in which
//! twenty definitions each name the next one twice is looked at a million times; one that names
//! itself twice is looked at `2^depth` times for a value of that depth. Here every pair of a place
//! in the schema and a place in the value is looked at once, and how often the validator would
//! come there is added up.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

/// How many looks are still a matter of moments.
const WORK_MAX: u64 = 1_000_000;

/// How many pairs are counted before it is too much anyway.
const PAIRS_MAX: usize = 500_000;

/// How deep a schema and a value may lead each other.
const DEPTH_MAX: usize = 256;

/// How a keyword holds schemas.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// One.
    One,
    /// A list of them.
    List,
    /// Either.
    OneOrList,
    /// Several with names.
    Named,
}

/// What a keyword's schemas are about.
#[derive(Clone, Copy, PartialEq)]
enum About {
    /// The same value.
    Itself,
    /// The member of the same name.
    Member,
    /// Any member.
    Members,
    /// The item at the same place, or any.
    Items,
    /// Nothing: they are named by others.
    Nothing,
}

/// Every keyword that holds schemas.
const KEYWORDS: &[(&str, Holds, About)] = &[
    ("allOf", Holds::List, About::Itself),
    ("anyOf", Holds::List, About::Itself),
    ("oneOf", Holds::List, About::Itself),
    ("not", Holds::One, About::Itself),
    ("if", Holds::One, About::Itself),
    ("then", Holds::One, About::Itself),
    ("else", Holds::One, About::Itself),
    ("dependentSchemas", Holds::Named, About::Itself),
    ("dependencies", Holds::Named, About::Itself),
    ("properties", Holds::Named, About::Member),
    ("patternProperties", Holds::Named, About::Members),
    ("additionalProperties", Holds::One, About::Members),
    ("unevaluatedProperties", Holds::One, About::Members),
    ("propertyNames", Holds::One, About::Members),
    ("prefixItems", Holds::List, About::Items),
    ("items", Holds::OneOrList, About::Items),
    ("additionalItems", Holds::One, About::Items),
    ("unevaluatedItems", Holds::One, About::Items),
    ("contains", Holds::One, About::Items),
    ("$defs", Holds::Named, About::Nothing),
    ("definitions", Holds::Named, About::Nothing),
];

/// What is known of a schema as a whole.
pub(super) struct Survey {
    /// It may take more time than it and a value are long.
    pub(super) may_take_long: bool,
}

/// Looks a schema over, and refuses what cannot be followed.
pub(super) fn survey(root: &Json, depth_max: usize) -> Result<Survey, String> {
    let mut found = Survey { may_take_long: false };
    let mut left = vec![(root, 0)];
    while let Some((schema, depth)) = left.pop() {
        if depth > depth_max {
            return Err(format!("it nests more than {depth_max} levels deep"));
        }
        if let Json::Array(items) = schema {
            left.extend(items.iter().map(|item| (item, depth + 1)));
        }
        let Json::Object(members) = schema else { continue };
        left.extend(members.values().map(|inner| (inner, depth + 1)));
        for name in ["$dynamicRef", "$recursiveRef"] {
            if members.get(name).is_some_and(Json::is_string) {
                return Err(format!("`{name}` is not supported; say `$ref`"));
            }
        }
        if depth > 0 && members.get("$id").is_some_and(Json::is_string) {
            return Err("only the whole may have an `$id`".to_owned());
        }
        if let Some(Json::String(name)) = members.get("$ref") {
            found.may_take_long = true;
            if resolve(root, name).is_none() {
                return Err(format!(
                    "`$ref` to `{name}`: only places in the same schema, such as \
                                    `#/$defs/item`, are followed"
                ));
            }
        }
        let again = ["unevaluatedProperties", "unevaluatedItems"];
        found.may_take_long |= again.iter().any(|name| members.contains_key(*name));
    }
    Ok(found)
}

/// The place that a reference names.
fn resolve<'s>(root: &'s Json, name: &str) -> Option<&'s Json> {
    let encoded = name.strip_prefix('#')?.as_bytes();
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while let Some(byte) = encoded.get(at) {
        if *byte == b'%' {
            let digits = std::str::from_utf8(encoded.get(at + 1..at + 3)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            bytes.push(*byte);
            at += 1;
        }
    }
    root.pointer(std::str::from_utf8(&bytes).ok()?)
}

/// Whether a validator would take too long.
pub(super) fn is_too_much(root: &Json, value: &Json) -> bool {
    let mut work = Work { root, known: HashMap::new(), depth: 0 };
    work.of(root, value) > WORK_MAX
}

struct Work<'s> {
    root: &'s Json,
    /// By where both are in memory, which holds because both are borrowed.
    known: HashMap<(usize, usize), u64>,
    depth: usize,
}

impl<'s> Work<'s> {
    fn of(&mut self, schema: &'s Json, value: &Json) -> u64 {
        let Json::Object(members) = schema else { return 1 };
        let pair = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        if self.known.len() >= PAIRS_MAX || self.depth >= DEPTH_MAX {
            return u64::MAX;
        }
        // Until it is known: whoever comes back to it in its own place would never end.
        self.known.insert(pair, u64::MAX);
        self.depth += 1;
        let sum = self.members(members, value);
        self.depth -= 1;
        self.known.insert(pair, sum);
        sum
    }

    fn members(&mut self, members: &'s Map<String, Json>, value: &Json) -> u64 {
        let mut sum = 1 + of_itself(members, value);
        if let Some(Json::String(name)) = members.get("$ref")
            && let Some(named) = resolve(self.root, name)
        {
            sum = sum.saturating_add(self.of(named, value));
        }
        for (keyword, holds, about) in KEYWORDS {
            if let Some(held) = members.get(*keyword) {
                for (name, place, schema) in held_by(*holds, held) {
                    sum = sum.saturating_add(self.about(*about, name, place, schema, value));
                }
            }
        }
        // What is not evaluated is found out by evaluating the rest once more.
        let again = ["unevaluatedProperties", "unevaluatedItems"];
        let times = 1 + again.iter().filter(|name| members.contains_key(**name)).count() as u64;
        sum.saturating_mul(times)
    }

    fn about(
        &mut self,
        about: About,
        name: Option<&str>,
        place: Option<usize>,
        schema: &'s Json,
        value: &Json,
    ) -> u64 {
        let mut sum = 0u64;
        match (about, value) {
            (About::Itself, _) => sum = self.of(schema, value),
            (About::Member, Json::Object(members)) => {
                let member = name.and_then(|name| members.get(name));
                sum = member.map_or(0, |member| self.of(schema, member));
            }
            (About::Members, Json::Object(members)) => {
                for member in members.values() {
                    sum = sum.saturating_add(self.of(schema, member));
                }
            }
            (About::Items, Json::Array(items)) => match place {
                Some(place) => sum = items.get(place).map_or(0, |item| self.of(schema, item)),
                None => {
                    for item in items {
                        sum = sum.saturating_add(self.of(schema, item));
                    }
                }
            },
            _ => {}
        }
        sum
    }
}

/// What a schema asks of a value that needs no other schema.
fn of_itself(members: &Map<String, Json>, value: &Json) -> u64 {
    let choices = members.get("enum").and_then(Json::as_array).map_or(0, Vec::len);
    let text = value.as_str().map_or(0, |text| text.len() / 100);
    (choices + text) as u64
}

/// The schemas that a keyword holds, with their names or places.
fn held_by<'s>(
    holds: Holds,
    held: &'s Json,
) -> Box<dyn Iterator<Item = (Option<&'s str>, Option<usize>, &'s Json)> + 's> {
    match (holds, held) {
        (Holds::List | Holds::OneOrList, Json::Array(items)) => {
            Box::new(items.iter().enumerate().map(|(place, item)| (None, Some(place), item)))
        }
        (Holds::Named, Json::Object(members)) => {
            Box::new(members.iter().map(|(name, one)| (Some(name.as_str()), None, one)))
        }
        (Holds::One | Holds::OneOrList, one) => Box::new(std::iter::once((None, None, one))),
        _ => Box::new(std::iter::empty()),
    }
}
