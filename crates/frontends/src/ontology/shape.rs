//! Checks the objects of a spec by the field tables: kinds, words, ranges, what is missing, what
//! nobody reads, and names that must be the name of something.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use diagnostics::{Anchor, Diagnostic, Source, codes, nearest};
use value::{At, Text};

use super::Ontology;
use super::fields::{Field, Holds};
use super::spec::Spec;
use crate::yaml::{Key, Node, Tree};

/// Checks objects, and gathers what is wrong with them.
pub(super) struct Checker<'s, 't> {
    pub(super) source: &'s Source,
    pub(super) ontology: Ontology,
    pub(super) spec: &'s Spec<'t>,
    pub(super) findings: Vec<Diagnostic>,
    /// Names that probably mean a node whose id is missing, which was reported.
    pub(super) forgiven: BTreeSet<&'t str>,
    pub(super) forgiven_schemas: BTreeSet<&'t str>,
    /// Unknown names, by the rule they break: where each was reported first.
    pub(super) unknown: BTreeMap<(&'static str, &'t str), usize>,
    /// Nodes that were probably meant by an unknown name.
    pub(super) meant: BTreeSet<&'t str>,
    /// Processes that an error handler covers.
    pub(super) covered: BTreeSet<&'t str>,
}

/// What an object can have: what all of its sort have, and its own.
type Tables = [&'static [Field]; 2];

/// Something that must be there and is not, and the key under which it probably is.
type Missing<'k> = (&'static Field, Option<&'k Key>);

/// Comparing every wrong name with every known one takes time; after so many findings nobody
/// reads suggestions.
const SUGGESTIONS_MAX: usize = 100;

impl<'t> Checker<'_, 't> {
    pub(super) fn report(&mut self, found: Diagnostic) {
        self.findings.push(found);
    }

    /// The known name that was probably meant.
    pub(super) fn near<'a>(
        &self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        if self.findings.len() < SUGGESTIONS_MAX { nearest(name, known) } else { None }
    }

    /// Checks the members of an object: all that are there, and that all are there that must be.
    /// `of` is how messages call the object.
    pub(super) fn object(&mut self, at: &At<'_>, tree: &'t Tree, tables: Tables, of: &dyn Display) {
        let Node::Map(entries) = &tree.node else { return };
        let fields = || tables.into_iter().flatten();
        let is_missing = |field: &&Field| field.required && is_lacking(tree, field.name);
        let missing: Vec<Missing<'_>> = fields()
            .filter(is_missing)
            .map(|field| (field, self.meant_as(tree, tables, field.name)))
            .collect();
        // What is of a later type may have later keys; the type is the one finding.
        let is_later = fields().any(|field| match (&field.holds, tree.get(field.name)) {
            (Holds::Word(_, later), Some(value)) => {
                value.as_text().is_some_and(|word| later.contains(&&**word))
            }
            _ => false,
        });
        let help = OnceCell::new();
        for (key, value) in entries {
            match fields().find(|field| field.name == &*key.text) {
                Some(field) if field.later && is_later && self.ontology == Ontology::V1 => {}
                Some(field) if field.later && self.ontology == Ontology::V1 => {
                    let at = Anchor::Located(key.span, at.member(&key.text).pointer());
                    let message = format!("{of} has the key `{}`, which nobody reads", key.text);
                    let found = Diagnostic::new(&codes::UNKNOWN_KEY, at, message);
                    self.report(found.help(LATER));
                }
                Some(field) => self.field(&at.member(field.name), value, field, of),
                None => self.unknown_key(at, tree, key, (tables, &missing, &help), of),
            }
        }
        for (field, _) in missing.iter().filter(|(_, meant)| meant.is_none()) {
            self.missing(at, tree, field.name, of);
        }
    }

    /// The key under which something that must be there probably is: misspelt, or under the name
    /// that other formats have for it.
    fn meant_as<'a>(&self, tree: &'a Tree, tables: Tables, name: &str) -> Option<&'a Key> {
        const OTHERS: &[(&str, &[&str])] = &[
            ("from", &["source", "src"]),
            ("to", &["target", "dest", "destination"]),
            ("target", &["to", "goto", "then"]),
            ("condition", &["if", "when"]),
            ("entities", &["agents", "nodes"]),
            ("processes", &["steps"]),
            ("id", &["name"]),
        ];
        let others =
            OTHERS.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, others)| others);
        let is_known =
            |key: &Key| tables.into_iter().flatten().any(|field| field.name == &*key.text);
        let entries = tree.as_map().unwrap_or_default().iter();
        let keys = || entries.clone().map(|(key, _)| key).filter(|key| !is_known(key));
        let glued = format!("{name}:");
        keys().find(|key| others.contains(&&*key.text) || key.text.starts_with(&glued)).or_else(
            || {
                let near = self.near(name, keys().map(|key| &*key.text))?;
                keys().find(|key| &*key.text == near)
            },
        )
    }

    /// A key that no table names. Where it is one that must be there, misspelt, that is said.
    fn unknown_key(
        &mut self,
        at: &At<'_>,
        tree: &Tree,
        key: &Key,
        (tables, missing, help): (Tables, &[Missing<'_>], &OnceCell<Text>),
        of: &dyn Display,
    ) {
        let fields = || tables.into_iter().flatten().filter(|field| !field.later);
        let names = || fields().map(|field| field.name);
        let required =
            missing.iter().find(|(_, meant)| meant.is_some_and(|meant| meant.span == key.span));
        let required = required.map(|(field, _)| *field);
        if let Some(field) = required {
            let at = Anchor::Located(key.span, at.member(field.name).pointer());
            let message = format!("{of} has no `{}`", field.name);
            let found = Diagnostic::new(&codes::MISSING_FIELD, at.clone(), message);
            let is_glued = key.text.starts_with(&format!("{}:", field.name));
            return self.report(if is_glued {
                found.help(format!("a space is missing after `{}:`", field.name))
            } else {
                found
                    .help(format!("`{}` is not read; write `{}`", key.text, field.name))
                    .fix(format!("write `{}`", field.name), at, field.name)
                    .unsure()
            });
        }
        let at = Anchor::Located(key.span, at.member(&key.text).pointer());
        let message = format!("{of} has the key `{}`, which nobody reads", key.text);
        let found = Diagnostic::new(&codes::UNKNOWN_KEY, at.clone(), message);
        let inner = fields().find(|field| match &field.holds {
            Holds::Record(inner) => inner.iter().any(|inner| inner.name == &*key.text),
            _ => false,
        });
        self.report(match (inner, self.near(&key.text, names())) {
            (Some(field), _) => found.help(format!("it belongs under `{}:`", field.name)),
            (None, Some(near)) if tree.get(near).is_none() => found.meant(near, at),
            _ => {
                let help = help.get_or_init(|| format!("it can have {}", list(names())).into());
                found.help(help.clone())
            }
        });
    }

    /// Checks the members that a table names, and nothing else: of an object whose type cannot be
    /// told, nobody knows what else belongs to it.
    pub(super) fn members(
        &mut self,
        at: &At<'_>,
        tree: &'t Tree,
        table: &'static [Field],
        of: &dyn Display,
    ) {
        for field in table {
            match tree.get(field.name).filter(|_| !is_lacking(tree, field.name)) {
                Some(value) => self.field(&at.member(field.name), value, field, of),
                None if field.required => self.missing(at, tree, field.name, of),
                None => {}
            }
        }
    }

    /// Something must be there and is not.
    pub(super) fn missing(&mut self, at: &At<'_>, tree: &Tree, name: &str, of: &dyn Display) {
        let span = match tree.entry(name) {
            Some((key, _)) => key.span,
            None => super::spec::heading(tree),
        };
        let at = Anchor::Located(span, at.member(name).pointer());
        let found = Diagnostic::new(&codes::MISSING_FIELD, at, format!("{of} has no `{name}`"));
        self.report(match tree.entry(name) {
            Some(_) => found.help("give it a value"),
            None if name == "type" => {
                found.help("say what it is, for example `type: step` or `type: flow`")
            }
            None => found.help(format!("add `{name}:`")),
        });
    }
}

/// Whether something is not there: a name or a condition without a letter says nothing.
fn is_lacking(tree: &Tree, name: &str) -> bool {
    const MEAN_SOMETHING: [&str; 9] =
        ["id", "type", "from", "to", "name", "version", "model", "condition", "prompt"];
    let names = MEAN_SOMETHING.contains(&name);
    tree.get(name).is_none_or(|value| {
        value.is_null() || (names && value.as_text().is_some_and(|text| text.trim().is_empty()))
    })
}

/// What to say of things that only ontology 0.2 has.
pub(super) const LATER: &str = "it is of ontology 0.2: `--ontology 0.2` allows it";

/// `a, b, c`, in backticks.
pub(super) fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
