//! What an event says, in a few words.

use value::{Map, Value};

use crate::Event;
use crate::kinds::{Member, Shape};

/// A few words of an event, in the order of its kind's members: ids, words, numbers and text.
pub fn summary(event: &Event) -> String {
    let Some(row) = event.kind().row() else { return String::new() };
    let mut words = Vec::new();
    collect(&event.members(), row.members, &mut words);
    super::joined(words)
}

/// So many words are enough.
const WORDS_MAX: usize = 5;

/// So long may each of them be.
const WORD_MAX: usize = 60;

fn collect(members: &Map, known: &[Member], words: &mut Vec<String>) {
    for member in known {
        let Some(value) = members.get(member.name) else { continue };
        word(value, &member.shape, words);
        if words.len() >= WORDS_MAX {
            return;
        }
    }
}

fn word(value: &Value, shape: &Shape, words: &mut Vec<String>) {
    match (shape, value) {
        (Shape::Text | Shape::Time | Shape::Words(_) | Shape::Ref, Value::Text(text)) => {
            let is_control = |c: char| if c.is_control() { ' ' } else { c };
            let mut short: String = text.chars().take(WORD_MAX).map(is_control).collect();
            if text.chars().nth(WORD_MAX).is_some() {
                short.push('…');
            }
            words.push(short);
        }
        (Shape::Integer, Value::Int(int)) => words.push(int.to_string()),
        (Shape::Record(record), Value::Map(members)) => collect(members, record.members, words),
        // Of a message, the first part that says something.
        (Shape::List(Shape::OneOf(_)), Value::List(parts)) => {
            if let Some(text) = parts.iter().find_map(|part| part.get("text")) {
                word(text, &Shape::Text, words);
            }
        }
        _ => {}
    }
}
