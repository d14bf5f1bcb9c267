//! Who answers the questions of a run: whoever is at the terminal, a list, or a stub.

use anyhow::{Context, Result, bail};
use host::{People, Reply, Who};
use runtime::{Fault, FaultKind, Question};
use value::{Map, Text, Value, json};

use super::terminal::Terminal;
use super::view::View;
use crate::output;

/// Whoever was chosen, or what goes with the model.
pub(super) fn people(
    answers: Option<&str>,
    is_stub: bool,
    view: &View,
    who: Who,
) -> Result<Box<dyn People>> {
    Ok(match answers {
        Some("ask") => Box::new(Terminal::new(view.clone(), who)),
        Some(file) => Box::new(Listed { file: file.to_owned(), answers: read_list(file)?, who }),
        None if is_stub => Box::new(MadeUp),
        None => Box::new(Terminal::new(view.clone(), who)),
    })
}

fn read_list(file: &str) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read `{file}`"))?;
    match json::parse(&text) {
        Ok(Value::List(items)) => Ok(items.to_vec()),
        _ => bail!("`{file}` must be a JSON array of answers"),
    }
}

/// Takes the first option, in lower case, as the stub models do; else something that fits.
struct MadeUp;

impl People for MadeUp {
    fn ask(&self, question: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        let answer = match (question.options.first(), &question.default, &question.schema) {
            (Some(Value::Text(option)), ..) => Value::text(option.to_lowercase()),
            (Some(option), ..) => option.clone(),
            (None, Some(default), _) => default.clone(),
            (None, None, Some(schema)) => made_up(schema),
            (None, None, None) => "approve".into(),
        };
        Some(fitting(question, answer, "a stub"))
    }
}

/// Something of the type that a JSON Schema wants.
fn made_up(schema: &Value) -> Value {
    let first = |name: &str| schema.get(name).and_then(Value::as_list)?.first().cloned();
    let own = schema.get("const").cloned().or_else(|| first("enum"));
    let own = own.or_else(|| schema.get("default").cloned());
    let least = || schema.get("minimum").cloned().unwrap_or(Value::Int(1));
    let members = |names: &[Value]| {
        names
            .iter()
            .filter_map(Value::as_text)
            .map(|name| {
                let member = schema.get("properties").and_then(|members| members.get(name));
                (name.clone(), member.map_or_else(|| "stub".into(), made_up))
            })
            .collect::<Map>()
    };
    let kind = schema.get("type").and_then(Value::as_text).map(|kind| &**kind);
    own.unwrap_or_else(|| match kind {
        Some("string") => "stub".into(),
        Some("integer" | "number") => least(),
        Some("boolean") => true.into(),
        Some("array") => Value::list([]),
        Some("null") => Value::Null,
        Some("object") => {
            members(schema.get("required").and_then(Value::as_list).unwrap_or_default()).into()
        }
        _ => "approve".into(),
    })
}

/// Takes answers from a list.
struct Listed {
    file: String,
    answers: Vec<Value>,
    /// Whose answers they are.
    who: Who,
}

impl People for Listed {
    fn ask(&self, question: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        if let Some(why) = self.who.refused(question.capability.as_ref()) {
            return Some(Err(no_answer(format!("`{}`: {why}", question.prompt))));
        }
        let nth = question.nth;
        let at = usize::try_from(nth).unwrap_or(usize::MAX);
        Some(match at.checked_sub(1).and_then(|at| self.answers.get(at)) {
            Some(answer) => {
                fitting(question, answer.clone(), &format!("answer {nth} of `{}`", self.file))
            }
            None => {
                let there = output::plural(self.answers.len(), "answer");
                let (prompt, file) = (&question.prompt, &self.file);
                let message =
                    format!("there is no answer {nth} to `{prompt}`: `{file}` has {there}");
                Err(no_answer(message))
            }
        })
    }

    fn name(&self) -> Option<Text> {
        self.who.name.clone()
    }
}

/// An answer, if it can be one.
fn fitting(question: &Question, answer: Value, whose: &str) -> Result<Value, Fault> {
    match question.refuses(&answer) {
        None => Ok(answer),
        Some(why) => {
            let message = format!("{whose} cannot answer `{}`: {why}", question.prompt);
            Err(no_answer(message))
        }
    }
}

/// The run only records that there was none: why is told here.
fn no_answer(message: String) -> Fault {
    output::note(&format!("note: {message}"));
    Fault::new(FaultKind::Input, message)
}
