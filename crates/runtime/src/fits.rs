//! Whether an answer is what a JSON Schema asks for. What a schema says beyond this, like
//! references and patterns, is not looked at.

use value::{Map, Value, json};

/// So deep a schema is followed: nobody is asked for more.
const DEPTH_MAX: u32 = 64;

/// What is wrong with an answer, in words for whoever gave it.
pub(crate) fn misfit(schema: &Value, answer: &Value) -> Option<String> {
    inside(schema, answer, "the answer", DEPTH_MAX)
}

fn inside(schema: &Value, value: &Value, place: &str, depth: u32) -> Option<String> {
    let schema = match schema {
        Value::Map(schema) if depth > 0 => schema,
        Value::Bool(false) => return Some(format!("{place} must not be there")),
        _ => return None,
    };
    let own = of_type(schema, value, place).or_else(|| of_choice(schema, value, place));
    own.or_else(|| match value {
        Value::Int(_) | Value::Float(_) => of_size(schema, value, place),
        Value::Text(text) => {
            let length = text.chars().count();
            of_count(schema, ("minLength", "maxLength"), length, "characters", place)
        }
        Value::List(items) => {
            of_count(schema, ("minItems", "maxItems"), items.len(), "items", place).or_else(|| {
                let each = schema.get("items")?;
                let mut items = (1..).zip(items.iter());
                items.find_map(|(number, item)| {
                    inside(each, item, &inner(place, &format!("item {number}")), depth - 1)
                })
            })
        }
        Value::Map(members) => of_members(schema, members, place, depth),
        Value::Null | Value::Bool(_) => None,
    })
}

/// A place within another.
fn inner(place: &str, name: &str) -> String {
    format!("{name} of {place}")
}

fn of_type(schema: &Map, value: &Value, place: &str) -> Option<String> {
    let wanted: Vec<&str> = match schema.get("type")? {
        Value::Text(word) => vec![word],
        Value::List(words) => words.iter().filter_map(|word| Some(&**word.as_text()?)).collect(),
        _ => return None,
    };
    let is = |word: &&str| match (*word, value) {
        ("string", Value::Text(_))
        | ("integer", Value::Int(_))
        | ("number", Value::Int(_) | Value::Float(_))
        | ("boolean", Value::Bool(_))
        | ("object", Value::Map(_))
        | ("array", Value::List(_))
        | ("null", Value::Null) => true,
        ("integer", Value::Float(number)) => number.fract() == 0.0,
        ("string" | "integer" | "number" | "boolean" | "object" | "array" | "null", _) => false,
        _ => true,
    };
    let fits = wanted.is_empty() || wanted.iter().any(is);
    let wanted = wanted.join(" or ");
    (!fits).then(|| format!("{place} must be of type {wanted}, not {}", value.kind()))
}

fn of_choice(schema: &Map, value: &Value, place: &str) -> Option<String> {
    let choices = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::List(choices)), _) => choices.as_slice(),
        (_, Some(only)) => std::slice::from_ref(only),
        _ => return None,
    };
    if choices.iter().any(|choice| same(choice, value)) {
        return None;
    }
    let choices: Vec<String> = choices.iter().map(json::compact).collect();
    Some(format!("{place} must be one of: {}", choices.join(", ")))
}

/// As JSON has it: 1 and 1.0 are the same number.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Int(whole), Value::Float(number)) | (Value::Float(number), Value::Int(whole)) => {
            *whole as f64 == *number
        }
        (one, other) => one == other,
    }
}

fn of_size(schema: &Map, value: &Value, place: &str) -> Option<String> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let bounds = [
        ("minimum", [Greater, Equal], "at least"),
        ("maximum", [Less, Equal], "at most"),
        ("exclusiveMinimum", [Greater, Greater], "more than"),
        ("exclusiveMaximum", [Less, Less], "less than"),
    ];
    bounds.iter().find_map(|(name, allowed, words)| {
        let bound = schema.get(name)?;
        let order = match (value, bound) {
            (Value::Int(value), Value::Int(bound)) => value.cmp(bound),
            _ => number(value)?.partial_cmp(&number(bound)?)?,
        };
        let bound = json::compact(bound);
        (!allowed.contains(&order)).then(|| format!("{place} must be {words} {bound}"))
    })
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(whole) => Some(*whole as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn of_count(
    schema: &Map,
    (least, most): (&str, &str),
    count: usize,
    what: &str,
    place: &str,
) -> Option<String> {
    let bound = |name| match schema.get(name) {
        Some(Value::Int(bound)) => usize::try_from(*bound).ok(),
        _ => None,
    };
    match (bound(least), bound(most)) {
        (Some(least), _) if count < least => {
            Some(format!("{place} must have at least {least} {what}, not {count}"))
        }
        (_, Some(most)) if count > most => {
            Some(format!("{place} must have at most {most} {what}, not {count}"))
        }
        _ => None,
    }
}

fn of_members(schema: &Map, members: &Map, place: &str, depth: u32) -> Option<String> {
    let required = schema.get("required").and_then(Value::as_list).unwrap_or_default();
    let missing = required.iter().filter_map(Value::as_text).find(|name| !has(members, name));
    if let Some(name) = missing {
        return Some(format!("{place} must have `{name}`"));
    }
    let known = schema.get("properties").and_then(Value::as_map);
    members.iter().find_map(|(name, value)| {
        let place = || inner(place, &format!("`{name}`"));
        match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
            (Some(schema), _) | (None, Some(schema @ Value::Map(_))) => {
                inside(schema, value, &place(), depth - 1)
            }
            (None, Some(Value::Bool(false))) => Some(format!("{} is not known", place())),
            (None, _) => None,
        }
    })
}

fn has(members: &Map, name: &str) -> bool {
    members.get(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, answers: &[(&str, &str)]) {
        let schema = json::parse(schema).unwrap();
        for (answer, wanted) in answers {
            let found = misfit(&schema, &json::parse(answer).unwrap());
            assert_eq!(found.as_deref().unwrap_or("fits"), *wanted, "{answer}");
        }
    }

    #[test]
    fn members_are_looked_into() {
        check(
            r#"{"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
                "n": {"type": "integer", "minimum": 1, "maximum": 5},
                "tags": {"type": "array", "maxItems": 2,
                         "items": {"type": "string", "minLength": 2, "maxLength": 3}},
                "inner": {"type": "object", "required": ["a"]}}}"#,
            &[
                (r#"{"n": 1}"#, "fits"),
                (r#"{"n": 2.0}"#, "fits"),
                (r#"{"n": "x"}"#, "`n` of the answer must be of type integer, not text"),
                (r#"{"n": 0}"#, "`n` of the answer must be at least 1"),
                (r#"{"n": 6}"#, "`n` of the answer must be at most 5"),
                ("{}", "the answer must have `n`"),
                ("[]", "the answer must be of type object, not a list"),
                (r#"{"n": 1, "m": 1}"#, "`m` of the answer is not known"),
                (
                    r#"{"n": 1, "tags": ["ab", "größ"]}"#,
                    "item 2 of `tags` of the answer must have at most 3 characters, not 4",
                ),
                (
                    r#"{"n": 1, "tags": ["a"]}"#,
                    "item 1 of `tags` of the answer must have at least 2 characters, not 1",
                ),
                (
                    r#"{"n": 1, "tags": ["ab", "ab", "ab"]}"#,
                    "`tags` of the answer must have at most 2 items, not 3",
                ),
                (r#"{"n": 1, "inner": {}}"#, "`inner` of the answer must have `a`"),
            ],
        );
    }

    #[test]
    fn values_are_chosen_and_bounded() {
        check(
            r#"{"enum": ["a", 1, null]}"#,
            &[
                ("\"a\"", "fits"),
                ("1.0", "fits"),
                ("null", "fits"),
                ("\"b\"", "the answer must be one of: \"a\", 1, null"),
            ],
        );
        check(
            r#"{"type": ["number", "null"], "exclusiveMinimum": 0, "exclusiveMaximum": 1}"#,
            &[
                ("0.5", "fits"),
                ("null", "fits"),
                ("0", "the answer must be more than 0"),
                ("1", "the answer must be less than 1"),
                ("true", "the answer must be of type number or null, not a boolean"),
            ],
        );
        // What cannot be understood asks for nothing.
        check(r#"{"type": "money", "minimum": "x", "enum": 5, "properties": 7}"#, &[("1", "fits")]);
        check("true", &[("1", "fits")]);
    }

    #[test]
    fn no_depth_breaks_it() {
        let deep = (0..500).fold(Value::Null, |inner, _| Value::list([inner]));
        let schema = (0..200).fold(Value::Null, |inner, _| {
            Value::map([("type", Value::text("array")), ("items", inner)])
        });
        assert_eq!(misfit(&schema, &deep), None);
    }
}
