//! Lines that declare something: services, types, endpoints, what runs by the clock.
//!
//! `table` says for each word where its line is kept, and in which shape; here this is done.
//! `endpoints` are read by the graph, and `targets` follow from everything that is declared.

mod endpoints;
mod found;
mod table;
mod targets;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Span};
use graph::draft::Draft;
use graph::ops::{OpDef, SlotKind};
use value::{Map, Pointer, Text, Value};

use super::program::Program;
use super::token::{Line, Word};
use crate::origins::Origins;
pub(crate) use found::about_module;
use table::{DECLARES, Declares, Put, Shape, Takes, When};

/// What engines look for in `capabilities`, whether a program declares it or not.
const CAPABILITIES: [&str; 5] = ["auth", "policy", "cache", "queue", "txn"];

/// The op of this word.
pub(crate) fn find(word: &str) -> Option<&'static Declares> {
    DECLARES.iter().find(|op| op.word == word || (op.alias == word && !word.is_empty()))
}

/// How a line of this op is written.
pub(crate) fn usage(word: &str) -> Option<String> {
    find(word).map(table::usage)
}

/// All words that declare.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    let words = DECLARES.iter().flat_map(|op| [op.word, op.alias]);
    words.filter(|word| !word.is_empty())
}

/// Whether a step may stand outside of labels.
pub(crate) fn stands_alone(op: &OpDef) -> bool {
    op.slots.iter().any(|slot| slot.kind == SlotKind::Adapter) || op.returns()
}

/// Puts what is declared into the draft.
pub(crate) fn declare(
    program: &Program<'_>,
    draft: &mut Draft,
    origins: &mut Origins,
    findings: &mut Vec<Diagnostic>,
) {
    let mut declaring = Declaring {
        document: Map::default(),
        declared: BTreeMap::new(),
        last_ui: None,
        origins,
        findings,
    };
    let mut endpoints = endpoints::Endpoints::default();
    for line in &program.declared {
        let Some(row) = row_of(line) else { continue };
        if row.word == table::ENDPOINT {
            endpoints.add(line, declaring.origins, declaring.findings);
        } else {
            declaring.line(row, line);
        }
    }
    let Declaring { mut document, .. } = declaring;
    draft.endpoints = endpoints.list;
    if !draft.endpoints.is_empty() {
        let core = at(&mut document, &["services".into(), "core".into()]);
        for (member, value) in
            [("mode", "".into()), ("path", "".into()), ("eps", empty()), ("ui", empty())]
        {
            map_of(core).insert_new(member.into(), value);
        }
    }
    draft.ir_version = document.get("ver").and_then(Value::as_text).cloned();
    if let Some(Value::List(crons)) = document.remove("crons") {
        draft.crons = Arc::unwrap_or_clone(crons);
    }
    let declared = document.remove("capabilities");
    for name in CAPABILITIES {
        let own = declared.as_ref().and_then(|all| all.get(name)).cloned();
        draft.capabilities.insert(name.into(), own.unwrap_or_else(empty));
    }
    targets::decide(program, &document, draft);
    draft.extra.extend(document);
}

/// The row that a line is about.
fn row_of(line: &Line<'_>) -> Option<&'static Declares> {
    let own = find(&line.op.text)?;
    let word = |at: usize| line.words.get(at).map_or("", |word| &*word.text);
    DECLARES.iter().filter(|row| row.word == own.word).find(|row| match row.when {
        When::Always => true,
        When::Path(at) => word(at).starts_with('/'),
        When::Is(first) => word(0) == first,
    })
}

struct Declaring<'f> {
    document: Map,
    /// Where each place was declared first.
    declared: BTreeMap<String, Span>,
    /// What the last `U` named.
    last_ui: Option<Text>,
    origins: &'f mut Origins,
    findings: &'f mut Vec<Diagnostic>,
}

impl Declaring<'_> {
    fn line(&mut self, row: &Declares, line: &Line<'_>) {
        let skipped = usize::from(matches!(row.when, When::Is(_)));
        let mut read = skipped;
        for (number, put) in row.puts.iter().enumerate() {
            let mut words =
                Left { words: &line.words, at: skipped, pairs: 0..0, findings: Vec::new() };
            let Some(place) = self.place(put, line, &mut words) else { return };
            self.put(put, &place, line, &mut words, number == 0);
            read = read.max(words.at);
            // What is wrong with the words is said once.
            if number == 0 {
                self.findings.append(&mut words.findings);
            }
        }
        self.findings.extend(found::surplus(row, &line.words[read.min(line.words.len())..]));
        if row.word == "Inc" {
            self.findings.push(found::only_recorded(line));
        }
    }

    /// The members that lead to a place.
    fn place(&mut self, put: &Put, line: &Line<'_>, words: &mut Left<'_, '_>) -> Option<Vec<Text>> {
        let mut place: Vec<Text> = Vec::new();
        for part in put.place.trim_end_matches('+').split('.') {
            place.push(match part {
                "*" => words.next().map(|word| Text::from(&*word.text))?,
                "^" => match &self.last_ui {
                    Some(ui) => ui.clone(),
                    None => {
                        self.findings.push(found::before_ui(line));
                        return None;
                    }
                },
                part => part.into(),
            });
        }
        if put.place == table::UI {
            self.last_ui = place.last().cloned();
        }
        let is_type = put.place.starts_with("types.*.");
        if is_type && self.document.get("types").is_none_or(|types| types.get(&place[1]).is_none())
        {
            self.findings.push(found::undeclared_type(line));
        }
        Some(place)
    }

    fn put(
        &mut self,
        put: &Put,
        place: &[Text],
        line: &Line<'_>,
        words: &mut Left<'_, '_>,
        tells: bool,
    ) {
        let mut pointer = place.iter().fold(Pointer::root(), |place, part| place.child(part));
        let value = words.shape(&put.shape);
        let here = at(&mut self.document, place);
        let mut is_other = false;
        if put.place.ends_with('+') {
            let list = list_of(here);
            pointer = pointer.child(list.len());
            list.push(value);
        } else if let Shape::Each(allowed) = &put.shape {
            let list = list_of(here);
            for word in value.as_list().unwrap_or_default() {
                if !list.contains(word) {
                    list.push(word.clone());
                }
            }
            let named = line.words.iter().skip(1);
            let unknown = named.filter(|word| !allowed.contains(&&*word.text));
            self.findings.extend(unknown.map(|word| found::unknown_target(word, allowed)));
        } else if let Value::Map(members) = value {
            let own = map_of(here);
            if matches!(put.shape, Shape::Fields) {
                for member in ["optional", "required"] {
                    is_other |=
                        own.remove(member).is_some_and(|old| members.get(member) != Some(&old));
                }
            }
            for (name, value) in members.iter() {
                let old = own.insert(name.clone(), value.clone());
                is_other |= old.is_some_and(|old| old != *value);
            }
        } else {
            let old = std::mem::replace(here, value);
            is_other = old != Value::Null && old != *here;
        }
        let first = *self.declared.entry(pointer.as_str().to_string()).or_insert(line.span());
        if is_other && tells && first != line.span() {
            self.findings.push(found::declared_again(line, first));
        }
        self.origins.line(pointer, line.span());
    }
}

/// The words of a line that nothing has taken yet.
struct Left<'l, 'a> {
    words: &'l [Word<'a>],
    at: usize,
    /// Which of them were pairs.
    pairs: Range<usize>,
    findings: Vec<Diagnostic>,
}

impl<'l, 'a> Left<'l, 'a> {
    fn next(&mut self) -> Option<&'l Word<'a>> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    /// The next word, if it is no `->name`.
    fn next_plain(&mut self) -> Option<Value> {
        self.words.get(self.at).filter(|word| word.arrow().is_none())?;
        self.text()
    }

    fn text(&mut self) -> Option<Value> {
        self.next().map(|word| Value::text(&*word.text))
    }

    fn rest(&mut self) -> &'l [Word<'a>] {
        let rest = &self.words[self.at.min(self.words.len())..];
        self.at = self.words.len();
        rest
    }

    fn shape(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::One(takes) => self.take(takes).unwrap_or(Value::Null),
            Shape::Words => texts(self.rest()),
            Shape::Each(allowed) => {
                let words = self.rest().iter().filter(|word| allowed.contains(&&*word.text));
                Value::list(words.map(|word| Value::text(&*word.text)))
            }
            Shape::Members(members) => {
                let taken =
                    members.iter().filter_map(|(name, takes)| Some((*name, self.take(takes)?)));
                Value::map(taken)
            }
            Shape::Typed => {
                let pair = self.next().and_then(|word| self.pair(word, ':'));
                pair.map_or(Value::Null, |(name, of)| Value::list([name.into(), of.into()]))
            }
            Shape::Fields => self.fields(),
        }
    }

    fn take(&mut self, takes: &Takes) -> Option<Value> {
        match takes {
            Takes::Word => Some(self.text().unwrap_or_else(|| "".into())),
            Takes::Or(other) => Some(self.next_plain().unwrap_or_else(|| (*other).into())),
            Takes::Null => Some(self.next_plain().unwrap_or(Value::Null)),
            Takes::May => self.next_plain(),
            Takes::Arrow => {
                let Some(word) = self.next() else {
                    self.findings.extend(self.words.last().map(super::found::no_arrow));
                    return Some(Value::Null);
                };
                let name = word.arrow().unwrap_or_else(|| {
                    self.findings.push(super::found::no_arrow(word));
                    &word.text
                });
                Some(Value::text(name))
            }
            Takes::Rest => Some(texts(self.rest())),
            Takes::Joined => {
                let words: Vec<&str> = self.rest().iter().map(|word| &*word.text).collect();
                Some(Value::text(words.join(" ")))
            }
            Takes::Pairs => {
                let mut pairs = Map::default();
                self.pairs = self.at..self.words.len();
                for word in self.rest() {
                    if let Some((name, value)) = self.pair(word, '=') {
                        pairs.insert(name.into(), value.into());
                    }
                }
                Some(pairs.into())
            }
            Takes::Again => Some(texts(&self.words[self.pairs.clone()])),
            Takes::Empty => Some(empty()),
        }
    }

    /// `name=value` or `name:type`.
    fn pair(&mut self, word: &'l Word<'_>, between: char) -> Option<(&'l str, &'l str)> {
        let pair = word.text.split_once(between).filter(|(name, _)| !name.is_empty());
        if pair.is_none() {
            self.findings.push(found::no_pair(word, between));
        }
        pair
    }

    /// The fields of a type: `name:type`, with `?` where it may be missing and `!` where not.
    fn fields(&mut self) -> Value {
        let mut fields = Map::default();
        let (mut optional, mut required) = (Vec::new(), Vec::new());
        for word in self.rest() {
            let Some((name, of)) = self.pair(word, ':') else { continue };
            let bare = of.trim_end_matches(['?', '!']);
            match of.as_bytes().last() {
                Some(b'?') => optional.push(name.into()),
                Some(b'!') => required.push(name.into()),
                _ => {}
            }
            fields.insert(name.into(), bare.into());
        }
        let mut members = vec![("fields", fields.into())];
        for (name, list) in [("optional", optional), ("required", required)] {
            if !list.is_empty() {
                members.push((name, Value::list(list)));
            }
        }
        Value::map(members)
    }
}

fn texts(words: &[Word<'_>]) -> Value {
    Value::list(words.iter().map(|word| Value::text(&*word.text)))
}

fn empty() -> Value {
    Map::default().into()
}

/// What stands at a place; null where nothing did.
fn at<'m>(document: &'m mut Map, place: &[Text]) -> &'m mut Value {
    let (last, above) = place.split_last().expect("a place has at least one member");
    let mut here = document;
    for part in above {
        here = map_of(member(here, part));
    }
    member(here, last)
}

fn member<'m>(map: &'m mut Map, name: &Text) -> &'m mut Value {
    map.insert_new(name.clone(), Value::Null);
    map.get_mut(name).expect("it was inserted above")
}

/// The object at a place, made one if it is none.
fn map_of(value: &mut Value) -> &mut Map {
    if value.as_map().is_none() {
        *value = empty();
    }
    match value {
        Value::Map(map) => Arc::make_mut(map),
        _ => unreachable!("it was made an object above"),
    }
}

/// The list at a place, made one if it is none.
fn list_of(value: &mut Value) -> &mut Vec<Value> {
    if value.as_list().is_none() {
        *value = Value::list([]);
    }
    match value {
        Value::List(list) => Arc::make_mut(list),
        _ => unreachable!("it was made a list above"),
    }
}

#[cfg(test)]
mod tests;
