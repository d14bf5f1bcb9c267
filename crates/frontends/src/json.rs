//! JSON text to a value, and places in it to spans.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use value::json::{self, Problem, Unreadable};
use value::{Part, Pointer, Value};

/// Reads a text; nothing comes back when it is no JSON.
pub(crate) fn read(source: &Source, findings: &mut Vec<Diagnostic>) -> Option<Value> {
    match json::read(&source.text) {
        Ok((value, problems)) => {
            findings.extend(explain(source, problems));
            Some(value)
        }
        Err(error) => {
            findings.push(unreadable(source, &error));
            None
        }
    }
}

fn unreadable(source: &Source, error: &Unreadable) -> Diagnostic {
    let found = diagnostics::unreadable(source, error);
    if error.too_deep {
        return found.help("no graph needs that; is it the right file?");
    }
    if source.text.trim().is_empty() {
        return found.help("a graph document begins with `{\"labels\": {`");
    }
    found
}

fn explain(source: &Source, mut problems: Vec<Problem>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    problems.retain(|problem| match problem {
        Problem::Duplicate { at } => seen.insert(at.clone()),
        Problem::Rounded { .. } => true,
    });
    let mut places: Vec<Anchor> = Vec::with_capacity(problems.len());
    for problem in &problems {
        places.push(match problem {
            Problem::Duplicate { at } => Anchor::Pointer(at.clone(), Part::KeyAgain),
            Problem::Rounded { at } => Anchor::value(at.clone()),
        });
    }
    locate_all(source, places.iter_mut());
    let explained = problems.into_iter().zip(places).filter_map(|(problem, at)| match problem {
        Problem::Duplicate { at: first } => {
            let name = first.tokens().last().unwrap_or_default();
            let message = format!("`{name}` is given twice");
            let found = Diagnostic::new(&codes::DUPLICATE_MEMBER, at, message);
            let help = "keep one of them; the first one was used";
            Some(found.label(Anchor::key(first), "here first").help(help))
        }
        Problem::Rounded { .. } => {
            let written = &source.text[at.span().range()];
            // `1e300` is meant as it is; `9007199254740993` is not what would be kept.
            if written.contains(['.', 'e', 'E']) {
                return None;
            }
            let message = format!("the number {written} cannot be kept exactly");
            let found = Diagnostic::new(&codes::INEXACT_NUMBER, at, message);
            Some(found.help("write it as text, in quotes"))
        }
    });
    explained.collect()
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
                    // The second time is shown; a third says nothing new.
                    Some(_) => {
                        if below.here.first().is_some_and(|asker| spans[*asker].key_again.is_none())
                        {
                            below.here.iter().for_each(|asker| spans[*asker].key_again = Some(key));
                        }
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
        let mut anchors = [
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
