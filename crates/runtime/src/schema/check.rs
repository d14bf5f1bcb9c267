//! Whether a value has a shape, and where it has not.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{At, Map, Pointer, Value};

use super::{Field, SchemaId, Schemas, Type};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where in the value.
    pub at: Pointer,
    /// What is wrong there.
    pub message: String,
}

/// After so many nobody reads on.
pub const VIOLATIONS_MAX: usize = 20;

/// Values nested deeper than this are not looked into; no text that we read nests so deep.
const DEPTH_MAX: usize = 200;

/// How many schemas may stand inside of each other before an empty object counts as the end. A
/// schema that needs itself has no other finite value, and samples end in the same way.
pub(super) const NESTING_MAX: usize = 4;

impl Schemas {
    /// Where a value does not fit, up to [`VIOLATIONS_MAX`] places.
    pub fn check(&self, id: SchemaId, value: &Value) -> Vec<Violation> {
        self.fitted(id, value).1
    }

    /// What a value is with its defaults filled in, if that differs, and where it does not fit.
    pub(super) fn fitted(&self, id: SchemaId, value: &Value) -> (Option<Value>, Vec<Violation>) {
        let mut check = Check { schemas: self, violations: Vec::new(), known: BTreeMap::new() };
        let place = Place { at: &At::Root, depth: 0, nesting: 0 };
        let changed = check.schema(id, value, place);
        (changed, check.violations)
    }
}

struct Check<'s> {
    schemas: &'s Schemas,
    violations: Vec<Violation>,
    /// Which objects fit which schemas, as far as somebody had to choose: without it, choices
    /// inside of choices would take exponential time. Objects are known by where they are in
    /// memory, which holds because the value is borrowed and so not changed meanwhile.
    known: BTreeMap<(usize, SchemaId, usize), bool>,
}

#[derive(Clone, Copy)]
struct Place<'a> {
    at: &'a At<'a>,
    depth: usize,
    nesting: usize,
}

impl<'a> Place<'a> {
    fn inside(self, at: &'a At<'a>) -> Place<'a> {
        Place { at, depth: self.depth + 1, ..self }
    }

    /// Whether an empty object ends a chain of schemas here.
    fn may_end(self) -> bool {
        self.nesting > NESTING_MAX
    }
}

/// A field that is null counts as missing where it may be missing: models that must name every
/// field say null for those they leave out.
fn given<'v>(map: &'v Map, field: &Field) -> Option<&'v Value> {
    let value = map.get(&field.name)?;
    (field.is_required() || *value != Value::Null).then_some(value)
}

impl Check<'_> {
    fn say(&mut self, place: Place<'_>, message: impl FnOnce() -> String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(Violation { at: place.at.pointer(), message: message() });
        }
    }

    fn wrong(&mut self, place: Place<'_>, of: &Type, value: &Value) {
        self.say(place, || format!("{} where a value of type `{of}` is needed", value.kind()));
    }

    /// Each gives the value that stands there instead, if it is another one.
    fn value(&mut self, of: &Type, value: &Value, place: Place<'_>) -> Option<Value> {
        if self.violations.len() >= VIOLATIONS_MAX {
            return None;
        }
        if place.depth > DEPTH_MAX {
            self.say(place, || "it is nested too deeply".to_string());
            return None;
        }
        match (of, value) {
            (Type::Schema(id, _), _) => {
                return self.schema(*id, value, Place { nesting: place.nesting + 1, ..place });
            }
            (Type::List(of), Value::List(items)) => return self.items(of, items, place),
            (Type::Either(types), _) => {
                let fitting = types.iter().find(|of| self.fits(of, value, place));
                match fitting {
                    Some(of) => return self.value(of, value, place),
                    None => self.wrong(place, of, value),
                }
            }
            (Type::Integer, Value::Float(float)) => match whole(*float) {
                Some(int) => return Some(Value::Int(int)),
                None => self.say(place, || format!("{float} where a whole number is needed")),
            },
            (Type::Enum(_), Value::Text(text)) if !fits_plainly(of, value) => {
                self.say(place, || format!("\"{}\" is not {of}", excerpt(text)));
            }
            (Type::Datetime, Value::Text(text)) if !fits_plainly(of, value) => {
                self.say(place, || format!("\"{}\" is no {of}", excerpt(text)));
            }
            _ if !fits_plainly(of, value) => self.wrong(place, of, value),
            _ => {}
        }
        None
    }

    fn items(&mut self, of: &Type, items: &[Value], place: Place<'_>) -> Option<Value> {
        let mut changed: Option<Vec<Value>> = None;
        for (index, item) in items.iter().enumerate() {
            if let Some(other) = self.value(of, item, place.inside(&place.at.item(index))) {
                changed.get_or_insert_with(|| items.to_vec())[index] = other;
            }
        }
        changed.map(Value::list)
    }

    fn schema(&mut self, id: SchemaId, value: &Value, place: Place<'_>) -> Option<Value> {
        let schema = self.schemas.schema(id);
        let Value::Map(map) = value else {
            let name = &schema.name;
            self.say(place, || format!("{} where an object `{name}` is needed", value.kind()));
            return None;
        };
        if map.is_empty() && place.may_end() {
            return None;
        }
        let mut changed: Option<Map> = None;
        for field in &schema.fields {
            let at = place.at.member(&field.name);
            let inside = place.inside(&at);
            let other = match given(map, field) {
                Some(value) if field.default.as_ref() == Some(value) => None,
                Some(value) => self.value(&field.of, value, inside),
                None if field.default.is_some() => field.default.clone(),
                None => {
                    if field.optional {
                        // A null that stands for nothing is taken out.
                        if map.contains_key(&field.name) {
                            changed.get_or_insert_with(|| (**map).clone()).remove(&field.name);
                        }
                    } else {
                        let name = &field.name;
                        self.say(inside, || format!("`{name}` is missing"));
                    }
                    None
                }
            };
            if let Some(other) = other {
                changed.get_or_insert_with(|| (**map).clone()).insert(field.name.clone(), other);
            }
        }
        changed.map(Value::from)
    }

    /// Whether a value fits, without saying why not.
    fn fits(&mut self, of: &Type, value: &Value, place: Place<'_>) -> bool {
        if place.depth > DEPTH_MAX {
            return false;
        }
        let inside = Place { depth: place.depth + 1, ..place };
        match (of, value) {
            (Type::Schema(id, _), Value::Map(map)) => {
                let inside = Place { nesting: place.nesting + 1, ..inside };
                if map.is_empty() && inside.may_end() {
                    return true;
                }
                // Whether empty objects inside are an end depends on how deep they are.
                let nesting = inside.nesting.min(NESTING_MAX + 1);
                let key = (Arc::as_ptr(map) as usize, *id, nesting);
                if let Some(known) = self.known.get(&key) {
                    return *known;
                }
                let schemas = self.schemas;
                let fits = schemas.schema(*id).fields.iter().all(|field| match given(map, field) {
                    Some(value) => {
                        field.default.as_ref() == Some(value) || self.fits(&field.of, value, inside)
                    }
                    None => !field.is_required(),
                });
                self.known.insert(key, fits);
                fits
            }
            (Type::List(of), Value::List(items)) => {
                items.iter().all(|item| self.fits(of, item, inside))
            }
            (Type::Either(types), _) => types.iter().any(|of| self.fits(of, value, place)),
            (Type::Integer, Value::Float(float)) => whole(*float).is_some(),
            _ => fits_plainly(of, value),
        }
    }
}

/// Whether a value fits a type that says nothing about what is inside of it.
fn fits_plainly(of: &Type, value: &Value) -> bool {
    match (of, value) {
        (Type::Unknown, _)
        | (Type::Text, Value::Text(_))
        | (Type::Integer, Value::Int(_))
        | (Type::Float, Value::Int(_) | Value::Float(_))
        | (Type::Boolean, Value::Bool(_))
        | (Type::Object, Value::Map(_))
        | (Type::Array, Value::List(_)) => true,
        (Type::Enum(words), Value::Text(text)) => words.contains(text),
        (Type::Datetime, Value::Text(text)) => is_datetime(text),
        _ => false,
    }
}

/// The whole number that a float is.
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}

/// `2026-01-31`, with or without `T12:00`, seconds, fractions and a time zone.
fn is_datetime(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut date = date.splitn(3, '-');
    let mut part = |digits, range: std::ops::RangeInclusive<u32>| {
        date.next().is_some_and(|part| is_number(part, digits, range))
    };
    part(4, 0..=9999) && part(2, 1..=12) && part(2, 1..=31) && time.is_none_or(is_time)
}

fn is_time(text: &str) -> bool {
    let clock = |text: &str, seconds_too: bool| {
        let mut parts = text.split(':');
        let is_minute = parts.next().is_some_and(|hours| is_number(hours, 2, 0..=24))
            && parts.next().is_some_and(|minutes| is_number(minutes, 2, 0..=59));
        let seconds_fit = parts.next().is_none_or(|seconds| {
            let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
            let is_fraction =
                !fraction.is_empty() && fraction.bytes().all(|digit| digit.is_ascii_digit());
            seconds_too && is_number(seconds, 2, 0..=60) && is_fraction
        });
        is_minute && seconds_fit && parts.next().is_none()
    };
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return clock(time, true);
    }
    match text.split_once(['+', '-']) {
        Some((time, zone)) => clock(time, true) && clock(zone, false),
        None => clock(text, true),
    }
}

fn is_number(text: &str, digits: usize, range: std::ops::RangeInclusive<u32>) -> bool {
    text.len() == digits
        && text.bytes().all(|digit| digit.is_ascii_digit())
        && text.parse().is_ok_and(|number| range.contains(&number))
}

/// Enough of a text to know it by.
fn excerpt(text: &str) -> String {
    const LENGTH_MAX: usize = 60;
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_from_other_texts() {
        for text in [
            "2026-01-31",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00",
            "2026-01-01T00:00:00Z",
            "2026-01-01t00:00:00.123456+02:00",
        ] {
            assert!(is_datetime(text), "{text}");
        }
        for text in [
            "",
            "soon",
            "2026",
            "2026-13-01",
            "2026-01-01T",
            "2026-01-01T25:00",
            "2026-01-01T00:00:00.",
            "2026-01-01T00:00+2",
            "2026-01-01T00:00:00ZZ",
            "２０２６-01-01",
        ] {
            assert!(!is_datetime(text), "{text}");
        }
    }
}
