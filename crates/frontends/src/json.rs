//! JSON text to a value, and places in it to spans.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use value::json::{self, Problem};
use value::{Part, Pointer, Value};

/// Reads a text; nothing comes back when it is no JSON.
pub(crate) fn read(source: &Source, findings: &mut Vec<Diagnostic>) -> Option<Value> {
    match json::read(&source.text) {
        Ok((value, problems)) => {
            findings.extend(problems.into_iter().filter_map(|found| problem(source, found)));
            Some(value)
        }
        Err(error) => {
            let end = source.text.trim_end().len();
            let at = source.offset(error.line, error.column).min(end);
            let width = source.text[at..].chars().next().map_or(0, char::len_utf8);
            let at = Anchor::Span(Span::new(at, at + width));
            findings.push(if error.too_deep {
                let message = format!("nested more than {} levels deep", json::DEPTH_MAX);
                Diagnostic::new(&codes::TOO_DEEP, at, message)
            } else if source.text.trim().is_empty() {
                Diagnostic::new(&codes::NOT_JSON, at, "the text is empty")
                    .help("a graph document begins with `{\"labels\": {`")
            } else {
                let message = lower_first(&error.message);
                Diagnostic::new(&codes::NOT_JSON, at, format!("this is not JSON: {message}"))
            });
            None
        }
    }
}

fn lower_first(text: &str) -> String {
    if text.starts_with("EOF") {
        return text.replacen("EOF", "the text ends", 1);
    }
    text.to_string()
}

fn problem(source: &Source, problem: Problem) -> Option<Diagnostic> {
    match problem {
        Problem::Duplicate { at } => {
            let name = at.tokens().last().unwrap_or_default();
            let message = format!("`{name}` is given twice");
            Some(
                Diagnostic::new(
                    &codes::DUPLICATE_MEMBER,
                    Anchor::Pointer(at.clone(), Part::KeyAgain),
                    message,
                )
                .label(Anchor::key(at), "here first")
                .help("keep one of them; the first one was used"),
            )
        }
        Problem::Rounded { at } => {
            let mut anchor = Anchor::value(at);
            locate_all(source, [&mut anchor]);
            let written = &source.text[anchor.span().range()];
            // `1e300` is meant as it is; `9007199254740993` is not what would be kept.
            if written.contains(['.', 'e', 'E']) {
                return None;
            }
            let message = format!("the number {written} cannot be kept exactly");
            Some(
                Diagnostic::new(&codes::INEXACT_NUMBER, anchor, message)
                    .help("write it as text, in quotes"),
            )
        }
    }
}

/// Resolves the places of findings to spans of a JSON text. The text is read again for it, once,
/// so that only documents with findings pay for spans.
pub fn locate(source: &Source, findings: &mut [Diagnostic]) {
    locate_all(source, findings.iter_mut().flat_map(Diagnostic::anchors_mut));
}

fn locate_all<'a>(source: &Source, anchors: impl IntoIterator<Item = &'a mut Anchor>) {
    let mut waiting: Vec<(&mut Anchor, Pointer, Part)> = Vec::new();
    let mut wanted = Wanted::default();
    for anchor in anchors {
        if let Anchor::Pointer(pointer, part) = anchor {
            let (pointer, part) = (pointer.clone(), *part);
            wanted.add(&pointer, waiting.len());
            waiting.push((anchor, pointer, part));
        }
    }
    if waiting.is_empty() {
        return;
    }
    let mut spans = vec![Found::default(); waiting.len()];
    let options = jsonc_parser::CollectOptions::default();
    let parsed =
        jsonc_parser::parse_to_ast(&source.text, &options, &jsonc_parser::ParseOptions::default());
    if let Ok(Some(root)) = parsed.map(|parsed| parsed.value) {
        visit(&root, None, None, &wanted, &mut spans);
    }
    for (position, (anchor, pointer, part)) in waiting.into_iter().enumerate() {
        let found = &spans[position];
        let span = match part {
            Part::Value => found.value,
            Part::Key => found.key.or(found.value),
            Part::KeyAgain => found.key_again.or(found.key).or(found.value),
        };
        *anchor = Anchor::Located(span.unwrap_or_default(), pointer);
    }
}

/// All places that somebody asks for, as one tree, so that one walk over the text finds them.
#[derive(Default)]
struct Wanted {
    here: Vec<usize>,
    below: BTreeMap<String, Wanted>,
}

impl Wanted {
    fn add(&mut self, pointer: &Pointer, asker: usize) {
        let mut place = self;
        for token in pointer.tokens() {
            place = place.below.entry(token).or_default();
        }
        place.here.push(asker);
    }

    /// Everyone who asks for this place or one below it.
    fn askers(&self, tell: &mut impl FnMut(usize)) {
        self.here.iter().for_each(|asker| tell(*asker));
        self.below.values().for_each(|below| below.askers(tell));
    }
}

#[derive(Clone, Default)]
struct Found {
    value: Option<Span>,
    key: Option<Span>,
    key_again: Option<Span>,
}

fn visit(
    value: &ast::Value<'_>,
    key: Option<Span>,
    again: Option<Span>,
    wanted: &Wanted,
    spans: &mut [Found],
) {
    let span = span_of(value);
    for asker in &wanted.here {
        spans[*asker] = Found { value: Some(span), key, key_again: again };
    }
    let mut missing: BTreeMap<&str, &Wanted> =
        wanted.below.iter().map(|(token, below)| (token.as_str(), below)).collect();
    match value {
        ast::Value::Object(object) if !missing.is_empty() => {
            let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
            for property in &object.properties {
                let (name, key) = (property.name.as_str(), span_of(&property.name));
                let Some(below) = wanted.below.get(name) else { continue };
                match seen.get(name) {
                    None => {
                        seen.insert(name, key);
                        visit(&property.value, Some(key), None, below, spans);
                    }
                    Some(_) => {
                        below.here.iter().for_each(|asker| spans[*asker].key_again = Some(key));
                    }
                }
                missing.remove(name);
            }
        }
        ast::Value::Array(array) => {
            for (token, below) in &wanted.below {
                let item = token.parse().ok().and_then(|index: usize| array.elements.get(index));
                if let Some(item) = item {
                    visit(item, None, None, below, spans);
                    missing.remove(token.as_str());
                }
            }
        }
        _ => {}
    }
    // What is not there is shown where it should be: at the beginning of what lacks it.
    let opening = Span::new(span.range().start, span.range().start + 1);
    for below in missing.values() {
        below.askers(&mut |asker| {
            spans[asker] = Found { value: Some(opening), key: None, key_again: None }
        });
    }
}

fn span_of(node: &impl Ranged) -> Span {
    Span::new(node.start(), node.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_spans() {
        let source = Source::new("a", r#"{"a": [1, {"b": "x"}], "a": 2}"#);
        let at = |tokens: &[&str]| tokens.iter().fold(Pointer::root(), |at, token| at.child(token));
        let mut anchors = vec![
            Anchor::value(at(&["a", "1", "b"])),
            Anchor::key(at(&["a", "1", "b"])),
            Anchor::value(at(&["a", "1", "missing", "more"])),
            Anchor::Pointer(at(&["a"]), Part::KeyAgain),
        ];
        locate_all(&source, anchors.iter_mut());
        let found: Vec<_> =
            anchors.iter().map(|anchor| &source.text[anchor.span().range()]).collect();
        assert_eq!(found, ["\"x\"", "\"b\"", "{", "\"a\""]);
        assert_eq!(anchors[3].span().start, 23);
    }
}
