//! A model's text as an object of the shape that was asked for.

use std::sync::Arc;

use value::json::{self, Problem};
use value::{Map, Pointer, Value};

use super::{SchemaId, Schemas, VIOLATIONS_MAX, Violation};
use crate::{Fault, FaultKind};

impl Schemas {
    /// Reads an answer: JSON, alone, in a fence of three backticks, or from the first `{` to the
    /// last `}`. Missing fields that have a default are filled in, and members that no field
    /// names are kept, as spec 4 merges the whole answer. Everything else that does not fit is
    /// the fault `schema`, whose details have each violation with its place.
    pub fn answer(&self, id: SchemaId, text: &str) -> Result<Map, Fault> {
        let name = &self.schema(id).name;
        let fault = |violations: &[Violation]| {
            let first = violations.first().expect("a fault has a reason");
            let place = match first.at.as_str() {
                "" => String::new(),
                at => format!(" at `{at}`"),
            };
            let more = match violations.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let message = format!("the answer is no `{name}`: {}{place}{more}", first.message);
            let mut fault = Fault::new(FaultKind::Schema, message);
            fault.details = Some(details(name, violations));
            fault
        };
        let (value, problems) = object(text).map_err(|violation| fault(&[violation]))?;
        if !problems.is_empty() {
            return Err(fault(&problems));
        }
        let (changed, violations) = self.fitted(id, &value);
        if !violations.is_empty() {
            return Err(fault(&violations));
        }
        match changed.unwrap_or(value) {
            Value::Map(map) => Ok(Arc::unwrap_or_clone(map)),
            _ => unreachable!("only objects fit a schema"),
        }
    }
}

fn details(name: &str, violations: &[Violation]) -> Value {
    let listed = violations.iter().map(|violation| {
        Value::map([
            ("at", Value::text(violation.at.as_str())),
            ("message", Value::text(violation.message.as_str())),
        ])
    });
    Value::map([("schema", Value::text(name)), ("violations", Value::list(listed))])
}

/// The object in a text, with what is wrong with its JSON. No text is read more than four times.
fn object(text: &str) -> Result<(Value, Vec<Violation>), Violation> {
    let whole = |message: String| Violation { at: Pointer::root(), message };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(whole("it is empty".to_string()));
    }
    let mut other = None;
    let mut unreadable = None;
    let candidates = [Some(text), fenced(text, true), fenced(text, false), braced(text)];
    for candidate in candidates.into_iter().flatten() {
        match json::read(candidate) {
            Ok((value @ Value::Map(_), problems)) => return Ok((value, said(problems))),
            Ok((value, _)) => other = other.or(Some(value)),
            // What stands in braces is what was meant; its mistake says more than that the words
            // around it are no JSON.
            Err(error) if candidate.starts_with('{') => unreadable = unreadable.or(Some(error)),
            Err(_) => {}
        }
    }
    Err(whole(match (unreadable, other) {
        (Some(error), _) if error.too_deep => "it is nested too deeply".to_string(),
        (Some(error), _) => {
            let (line, column) = (error.line, error.column);
            format!("it is not JSON: {} at line {line}, column {column}", error.message)
        }
        (None, Some(value)) => format!("it is {}, not an object", value.kind()),
        (None, None) => "there is no JSON object in it".to_string(),
    }))
}

/// What is inside of the first fence, up to the last or to the next fence.
fn fenced(text: &str, up_to_last: bool) -> Option<&str> {
    const FENCE: &str = "```";
    let inside = &text[text.find(FENCE)? + FENCE.len()..];
    let end = if up_to_last { inside.rfind(FENCE) } else { inside.find(FENCE) };
    let inside = &inside[..end.unwrap_or(inside.len())];
    // The word behind the fence names the language.
    let from = inside.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(0);
    Some(inside[from..].trim())
}

fn braced(text: &str) -> Option<&str> {
    let (first, last) = (text.find('{')?, text.rfind('}'));
    Some(match last {
        Some(last) if last > first => &text[first..=last],
        _ => &text[first..],
    })
}

fn said(problems: Vec<Problem>) -> Vec<Violation> {
    let said = problems.into_iter().take(VIOLATIONS_MAX).map(|problem| match problem {
        Problem::Duplicate { at } => Violation { at, message: "it is given twice".to_string() },
        Problem::Rounded { at } => {
            Violation { at, message: "the number has more digits than are kept".to_string() }
        }
    });
    said.collect()
}
