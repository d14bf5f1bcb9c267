//! Requests that run a label.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Span};
use graph::Endpoint;
use value::{Map, Pointer, Text, Value};

use super::super::program::label_named;
use super::super::token::{Line, Word};
use super::found;
use crate::origins::Origins;

/// The endpoints of a program.
#[derive(Default)]
pub(super) struct Endpoints {
    pub(super) list: Vec<Endpoint>,
    /// By path and method: which of them, and where it is declared.
    known: BTreeMap<(Text, Text), (usize, Span)>,
}

impl Endpoints {
    /// Reads `E /path METHOD ->Lid [->out] [type] [description]`.
    pub(super) fn add(
        &mut self,
        line: &Line<'_>,
        origins: &mut Origins,
        findings: &mut Vec<Diagnostic>,
    ) {
        let [path, method, target, rest @ ..] = &line.words[..] else { return };
        let path: Text = (&*path.text).into();
        let method: Text = method.text.to_uppercase().into();
        if !target.arrow().is_some_and(|label| label.starts_with('L')) {
            findings.push(found::no_label(target));
        }
        let label: Text = label_named(&target.text).into();
        let mut members = Map::default();
        members.insert("method".into(), Value::Text(method.clone()));
        members.insert("label_id".into(), Value::Text(label.clone()));
        let mut rest = rest.iter().peekable();
        let bound = rest.next_if(|word| word.arrow().is_some()).and_then(Word::arrow);
        members.insert("return_var".into(), bound.map_or(Value::Null, Value::text));
        members.insert("tgt".into(), Value::text(format!("->L{label}")));
        if let Some(of) = rest.next_if(|word| is_type(word)) {
            members.insert("return_type".into(), Value::text(&*of.text));
        }
        if let Some(description) = rest.next_if(|word| word.arrow().is_none()) {
            members.insert("description".into(), Value::text(&*description.text));
        }
        let surplus: Vec<Word<'_>> = rest.cloned().collect();
        findings.extend(
            super::find(super::table::ENDPOINT).and_then(|row| found::surplus(row, &surplus)),
        );

        let place = ["services", "core", "eps", &path, &method];
        let pointer = place.into_iter().fold(Pointer::root(), |place, part| place.child(part));
        origins.line(pointer, line.span());
        let endpoint = Endpoint {
            path: path.clone(),
            method: method.clone(),
            label: Some(label),
            members: Arc::new(members),
        };
        match self.known.get(&(path.clone(), method.clone())) {
            Some((at, first)) => {
                if self.list[*at] != endpoint {
                    findings.push(found::declared_again(line, *first));
                }
                self.list[*at] = endpoint;
            }
            None => {
                self.known.insert((path, method), (self.list.len(), line.span()));
                self.list.push(endpoint);
            }
        }
    }
}

/// Whether a word is one of the types that are no names.
fn is_type(word: &Word<'_>) -> bool {
    let text = &*word.text;
    let is_made = text.starts_with("A[") || text.starts_with("E[");
    !word.quoted && (is_made || matches!(text, "I" | "i" | "F" | "S" | "s" | "B" | "D" | "J"))
}
