//! Holds a config against its schema: the part of JSON Schema that the table uses.

use diagnostics::nearest;
use value::{Map, Value, json};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// The member it is about.
    pub member: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Where an object does not fit a schema of `properties` that allows no others. A test holds this
/// against a whole implementation of JSON Schema.
pub fn misfits(config: &Map, schema: &Value) -> Vec<Misfit> {
    let no_properties = Map::default();
    let properties = schema.get("properties").and_then(Value::as_map).unwrap_or(&no_properties);
    let mut misfits = Vec::new();
    for (member, value) in config {
        let misfit = match properties.get(member) {
            Some(property) => wrong(member, value, property),
            None => Some(unknown(member, properties)),
        };
        misfits.extend(misfit.map(|(message, help)| Misfit {
            member: member.to_string(),
            message,
            help,
        }));
    }
    misfits
}

fn unknown(member: &str, properties: &Map) -> (String, String) {
    let known = || properties.keys().map(|name| &**name);
    let help = match nearest(member, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it takes {}", listed(known())),
    };
    (format!("it takes no `{member}`"), help)
}

fn wrong(member: &str, value: &Value, property: &Value) -> Option<(String, String)> {
    if let Some(words) = property.get("enum").and_then(Value::as_list) {
        let help = format!("write {}", listed(words.iter().filter_map(text)));
        let message = format!("`{member}` is {}", shown(value));
        return (!words.contains(value)).then_some((message, help));
    }
    let number = match (property.get("type").and_then(text), value) {
        (Some("integer"), Value::Int(number)) => Some(*number as f64),
        (Some("integer"), Value::Float(number)) if number.fract() == 0.0 => Some(*number),
        (Some("number"), Value::Int(number)) => Some(*number as f64),
        (Some("number"), Value::Float(number)) => Some(*number),
        _ => None,
    };
    let bound = |name: &str| match property.get(name) {
        Some(Value::Int(bound)) => Some(*bound as f64),
        Some(Value::Float(bound)) => Some(*bound),
        _ => None,
    };
    let (least, most) = (bound("minimum"), bound("maximum"));
    let fits = number.is_some_and(|number| {
        least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most)
    });
    let whole = if property.get("type").and_then(text) == Some("integer") { "whole " } else { "" };
    let range = match (least, most) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" from {least} on"),
        _ => String::new(),
    };
    let message = format!("`{member}` is {}", shown(value));
    (!fits).then_some((message, format!("write a {whole}number{range}")))
}

fn text(value: &Value) -> Option<&str> {
    value.as_text().map(|text| &**text)
}

/// A value that is short enough to be repeated, else what kind it is.
fn shown(value: &Value) -> String {
    const SHOWN_MAX: usize = 40;
    match value {
        Value::Text(text) if text.len() <= SHOWN_MAX => format!("`{text}`"),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => json::compact(value),
        other => other.kind().to_owned(),
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::PROTOCOLS;

    #[test]
    fn the_table_uses_what_is_checked_here() {
        for def in PROTOCOLS {
            let schema = def.schema();
            assert_eq!(schema.get("additionalProperties"), Some(&Value::Bool(false)));
            for (name, property) in schema.get("properties").unwrap().as_map().unwrap() {
                let property = property.as_map().unwrap();
                let is_words = property.contains_key("enum");
                for keyword in property.keys() {
                    let known: &[&str] = match is_words {
                        true => &["enum"],
                        false => &["type", "minimum", "maximum", "default", "description"],
                    };
                    assert!(known.contains(&&**keyword), "{}: {name}: {keyword}", def.word);
                }
                let of = property.get("type").and_then(text);
                assert!(is_words || matches!(of, Some("integer" | "number")), "{name}: {of:?}");
            }
        }
    }
}
