//! Why a rule fired, and why another did not: as data, and as text.

mod firing;
mod nearest;
mod why_not;

use std::fmt::{self, Display, Formatter};

use diagnostics::Span;
use value::Text;

use crate::field::{FactId, Field};
use crate::memory::Memory;

pub use firing::{Because, Firing, Lost, Rival};
pub use why_not::{Missed, Reason, WhyNot};

/// A fact as it is told: by its index, with what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its index.
    pub index: u64,
    /// As CLIPS prints it.
    pub text: String,
}

impl Display for Told {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "f-{} {}", self.index, self.text)
    }
}

/// The words of a part of a program, on one line.
fn words(text: &str, span: Span) -> String {
    let words = text.get(span.range()).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Memory {
    /// A fact in the words of its author: the name of its template, then its slots in order.
    pub fn print(&self, id: FactId) -> Option<String> {
        let fact = self.fact(id)?;
        let template = &self.rulebook().program().templates[fact.template.0 as usize];
        let mut text = format!("({}", template.name);
        if template.ordered {
            for field in fact.fields.iter().flat_map(Field::fields) {
                text.push(' ');
                text.push_str(&self.shown(field));
            }
        } else {
            for (slot, value) in template.slots.iter().zip(fact.fields) {
                text.push_str(&format!(" ({}", slot.name));
                for field in value.fields() {
                    text.push(' ');
                    text.push_str(&self.shown(field));
                }
                text.push(')');
            }
        }
        text.push(')');
        Some(text)
    }

    /// A value as CLIPS prints it; the address of a fact with its index.
    pub fn shown(&self, field: &Field) -> String {
        match field {
            Field::Fact(id) => match self.fact(*id) {
                Some(fact) => format!("<Fact-{}>", fact.index),
                None => field.to_string(),
            },
            other => other.to_string(),
        }
    }

    fn told(&self, id: FactId) -> Told {
        let index = self.fact(id).map_or(0, |fact| fact.index);
        Told { index, text: self.print(id).unwrap_or_default() }
    }

    fn rule_name(&self, rule: u32) -> Text {
        self.rulebook().program().rules[rule as usize].name.clone()
    }
}
