//! A tape to a tree: aliases and merges are expanded, and everything is paid for.
//!
//! What is wrong is reported where it is written, and not again for each alias of it.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Code, Diagnostic, Source, Span, codes};
use value::json::DEPTH_MAX;
use value::{At, Text};

use super::scalar::Problem;
use super::tape::{Tape, What};
use super::{COPIES_MAX, Key, NODES_MAX, Node, Stop, Tree, too_deep, too_large, words};

/// Nobody reads more.
const FINDINGS_MAX: usize = 1_000;

/// A finding whose pointer would be longer has only a span.
const POINTER_MAX: usize = 1_000;

/// Maps with more entries get an index.
const INDEX_FROM: usize = 16;

/// Builds the tree of a tape.
pub(super) fn tree(
    source: &Source,
    tape: &Tape,
    findings: &mut Vec<Diagnostic>,
) -> Result<Tree, Stop> {
    let left = findings.len() + FINDINGS_MAX;
    let mut builder = Builder { source, tape, findings, left, nodes: 0, copies: 0, within: None };
    builder.value(0, 0, At::Root)
}

struct Builder<'a> {
    source: &'a Source,
    tape: &'a Tape,
    findings: &'a mut Vec<Diagnostic>,
    /// Findings are added up to this length.
    left: usize,
    nodes: usize,
    copies: usize,
    /// The outermost alias that is being expanded.
    within: Option<Span>,
}

impl Builder<'_> {
    fn value(&mut self, position: usize, depth: usize, at: At<'_>) -> Result<Tree, Stop> {
        let tape = self.tape;
        let entry = &tape.entries[position];
        self.pay(entry.span)?;
        if let Some(problem) = tape.problems.get(&position) {
            self.explain(problem, entry.span, &at);
        }
        if depth == DEPTH_MAX && matches!(entry.what, What::List | What::Map) {
            return Err(too_deep(self.within.unwrap_or(entry.span)));
        }
        let node = match &entry.what {
            What::Scalar(node) => node.clone(),
            What::List => Node::List(self.list(position, depth + 1, at)?),
            What::Map => Node::Map(self.map(position, depth + 1, at)?),
            What::Alias(target) => {
                let outer = self.within;
                self.within = outer.or(Some(entry.span));
                let copy = self.value(*target, depth, at);
                self.within = outer;
                copy?.node
            }
        };
        Ok(Tree { span: entry.span, node })
    }

    fn list(&mut self, position: usize, depth: usize, at: At<'_>) -> Result<Vec<Tree>, Stop> {
        let mut items = Vec::with_capacity(self.tape.entries[position].count);
        let mut item = position + 1;
        while item < self.tape.entries[position].next {
            items.push(self.value(item, depth, at.item(items.len()))?);
            item = self.tape.entries[item].next;
        }
        Ok(items)
    }

    fn map(&mut self, position: usize, depth: usize, at: At<'_>) -> Result<Vec<(Key, Tree)>, Stop> {
        let mut entries = Entries::default();
        entries.list.reserve_exact(self.tape.entries[position].count / 2);
        let mut merge: Option<Merge> = None;
        let mut repeated = BTreeSet::new();
        let mut key_at = position + 1;
        while key_at < self.tape.entries[position].next {
            let value_at = self.tape.entries[key_at].next;
            let span = self.tape.entries[key_at].span;
            self.pay(span)?;
            let key = self.key(key_at);
            let is_merge = &self.source.text[span.range()] == "<<";
            let name = key.as_deref().unwrap_or("?");
            if let Some(problem) = self.tape.problems.get(&key_at) {
                self.explain(problem, span, &at.member(name));
            }
            let value = self.value(value_at, depth, at.member(name))?;
            key_at = self.tape.entries[value_at].next;
            let Some(text) = key else {
                self.complex_key(span, &at);
                continue;
            };
            let first = match &merge {
                Some(merge) if is_merge => Some(merge.key),
                _ => entries.find(&text).map(|place| entries.list[place].0.span),
            };
            match first {
                // The second time is shown; a third says nothing new.
                Some(first) if repeated.insert(text.clone()) => {
                    self.given_twice(span, first, &at.member(&text), &text);
                }
                Some(_) => {}
                None if is_merge => {
                    let maps = self.merged(value, &at.member(&text));
                    merge = Some(Merge { key: span, place: entries.list.len(), maps });
                }
                None => entries.push(Key { text, span }, value),
            }
        }
        Ok(match merge {
            Some(merge) => merge.into(entries),
            None => entries.list,
        })
    }

    /// The text of a key; nothing for a list or a map.
    fn key(&self, position: usize) -> Option<Text> {
        let entry = &self.tape.entries[position];
        match &entry.what {
            What::Scalar(Node::Text(text)) => Some(text.clone()),
            What::Scalar(_) => {
                let written = &self.source.text[entry.span.range()];
                // Where nothing is written, the place is that of the anchor or tag.
                Some(if written.starts_with(['&', '!']) { "".into() } else { written.into() })
            }
            // An alias stands for a node before it, so this ends.
            What::Alias(target) => self.key(*target),
            What::List | What::Map => None,
        }
    }

    /// The maps that `<<` merges.
    fn merged(&mut self, value: Tree, at: &At<'_>) -> Vec<Vec<(Key, Tree)>> {
        let items = match value.node {
            Node::List(items) => items,
            node => vec![Tree { span: value.span, node }],
        };
        let mut maps = Vec::new();
        for item in items {
            let kind = item.kind();
            match item.node {
                Node::Map(entries) => maps.push(entries),
                _ => {
                    let message = format!("`<<` merges maps, but this is {kind}");
                    let help = "write `<<: *name`, where `&name` stands before a map";
                    self.report(&codes::UNRESOLVED_ALIAS, item.span, at, message, help);
                }
            }
        }
        maps
    }

    fn pay(&mut self, span: Span) -> Result<(), Stop> {
        self.nodes += 1;
        self.copies += usize::from(self.within.is_some());
        let at = self.within.unwrap_or(span);
        if self.copies > COPIES_MAX {
            let message = format!("aliases make more than {COPIES_MAX} keys and values");
            return Err(too_large(at, message));
        }
        if self.nodes > NODES_MAX {
            let message = format!("the text has more than {NODES_MAX} keys and values");
            return Err(too_large(at, message));
        }
        Ok(())
    }

    fn explain(&mut self, problem: &Problem, span: Span, at: &At<'_>) {
        let written = &self.source.text[span.range()];
        let quotes = "write it as text, in quotes";
        let (code, message, help) = match problem {
            Problem::Inexact => {
                let message = format!("the number {written} cannot be kept exactly");
                (&codes::INEXACT_NUMBER, message, quotes)
            }
            Problem::NoNumber => {
                let message = format!("`{written}` is not a number that JSON has");
                (&codes::BEYOND_JSON, message, quotes)
            }
            Problem::UnknownTag(tag) => {
                let message = format!("the tag {} means nothing here", words(tag));
                (&codes::BEYOND_JSON, message, "remove it; if it is text, put it in quotes")
            }
            Problem::NotOfTag(kind) => {
                let message = format!("the tag asks for {kind}, but {} is none", words(written));
                (&codes::BEYOND_JSON, message, "remove the tag, or change the value")
            }
        };
        self.report(code, span, at, message, help);
    }

    fn complex_key(&mut self, span: Span, at: &At<'_>) {
        let message = "a list or a map cannot be a key";
        let help = "if it is text, put it in quotes";
        self.report(&codes::BEYOND_JSON, span, at, message.to_owned(), help);
    }

    fn given_twice(&mut self, span: Span, first: Span, at: &At<'_>, name: &str) {
        if !self.has_room() {
            return;
        }
        let help = match name {
            "<<" => "keep one of them, such as `<<: [*one, *two]`; the first one was used",
            _ => "keep one of them; the first one was used",
        };
        let message = format!("{} is given twice", words(name));
        let found = Diagnostic::new(&codes::DUPLICATE_MEMBER, anchor(span, at), message);
        self.findings.push(found.label(anchor(first, at), "here first").help(help));
    }

    fn report(
        &mut self,
        code: &'static Code,
        span: Span,
        at: &At<'_>,
        message: String,
        help: &str,
    ) {
        if self.has_room() {
            self.findings.push(Diagnostic::new(code, anchor(span, at), message).help(help));
        }
    }

    /// Whether another finding is wanted: what an alias repeats has been reported already.
    fn has_room(&self) -> bool {
        self.within.is_none() && self.findings.len() < self.left
    }
}

fn anchor(span: Span, at: &At<'_>) -> Anchor {
    let mut length = 0;
    let mut place = at;
    while let At::Member(parent, _) | At::Item(parent, _) = place {
        length += if let At::Member(_, name) = place { name.len() } else { 1 };
        place = parent;
    }
    if length > POINTER_MAX { Anchor::Span(span) } else { Anchor::Located(span, at.pointer()) }
}

/// The entries of a map that is being built.
#[derive(Default)]
struct Entries {
    list: Vec<(Key, Tree)>,
    /// INVARIANT: empty, or it has all of them.
    index: BTreeMap<Text, usize>,
}

impl Entries {
    fn find(&self, name: &str) -> Option<usize> {
        if self.index.is_empty() {
            return self.list.iter().position(|(key, _)| *key.text == *name);
        }
        self.index.get(name).copied()
    }

    fn push(&mut self, key: Key, value: Tree) {
        if self.list.len() == INDEX_FROM {
            let keys = self.list.iter().enumerate();
            self.index = keys.map(|(place, (key, _))| (key.text.clone(), place)).collect();
        }
        if self.list.len() >= INDEX_FROM {
            self.index.insert(key.text.clone(), self.list.len());
        }
        self.list.push((key, value));
    }
}

/// What `<<` brings into a map, and where it stands among the entries.
struct Merge {
    key: Span,
    place: usize,
    maps: Vec<Vec<(Key, Tree)>>,
}

impl Merge {
    /// Own entries win over merged ones, and earlier merged ones over later ones.
    fn into(self, own: Entries) -> Vec<(Key, Tree)> {
        let mut merged = Entries::default();
        for (key, value) in self.maps.into_iter().flatten() {
            if own.find(&key.text).is_none() && merged.find(&key.text).is_none() {
                merged.push(key, value);
            }
        }
        let mut list = own.list;
        list.splice(self.place..self.place, merged.list);
        list
    }
}
