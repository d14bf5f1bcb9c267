//! Reads the tables of `quipu.toml`, and says where they are wrong.
//!
//! A file with a finding is no configuration: so what is read from the rest of it does not matter,
//! and whoever meets a mistake just goes on to find the others.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Source, Span, nearest, plain};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use value::Text;

use super::Finding;
use super::composite::Unmade;
use crate::mcp::Server;
use crate::tools::duration;

pub(super) type Place = Range<usize>;
pub(super) type Item<'a, 'i> = &'a Spanned<DeValue<'i>>;

/// What a table may have, with what each must be.
pub(super) type Known = &'static [(&'static str, &'static str)];

pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) folder: &'a Path,
    pub(super) findings: Vec<Finding>,
    /// Tools that are made of others.
    pub(super) unmade: Vec<Unmade>,
    /// Folders that tools may write, and where that is said.
    pub(super) writable: Vec<(Place, PathBuf)>,
    /// The servers, which are read before the tools that are bound to them.
    pub(super) servers: BTreeMap<Text, Arc<Server>>,
}

/// The members of a table that are known.
pub(super) struct Members<'a, 'i> {
    known: Known,
    given: BTreeMap<&'static str, (Place, Item<'a, 'i>)>,
}

impl<'a, 'i> Members<'a, 'i> {
    pub(super) fn get(&self, name: &str) -> Option<Item<'a, 'i>> {
        self.given.get(name).map(|(_, item)| *item)
    }

    /// Where a member is written, and what.
    pub(super) fn placed(&self, name: &str) -> Option<(Place, Item<'a, 'i>)> {
        self.given.get(name).cloned()
    }

    /// What is written, and where.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'static str, Place)> {
        self.given.iter().map(|(name, (place, _))| (*name, place.clone()))
    }
}

impl Reader<'_> {
    pub(super) fn found(&mut self, at: Place, message: impl Into<String>) {
        self.helped(at, message, None);
    }

    pub(super) fn helped(&mut self, at: Place, message: impl Into<String>, help: Option<String>) {
        let at = self.source.position(Span::new(at.start, at.end).start);
        let file = self.source.file.clone();
        self.findings.push(Finding { file, at, message: message.into(), help });
    }

    /// A name that is none of those there are.
    pub(super) fn unknown(&mut self, at: Place, what: &str, name: &str, known: &[&str]) {
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(known)),
        };
        self.helped(at, format!("unknown {what} `{}`", plain(name)), Some(help));
    }

    /// Tables that have names, such as `[tools.ID]`.
    pub(super) fn named<T>(
        &mut self,
        section: &str,
        at: Place,
        value: Item<'_, '_>,
        mut read: impl FnMut(&mut Self, &Text, Place, &DeTable<'_>) -> Option<T>,
    ) -> BTreeMap<Text, T> {
        let mut all = BTreeMap::new();
        let DeValue::Table(tables) = value.get_ref() else {
            self.found(at, format!("`{section}` must be a table: write `[{section}.ID]`"));
            return all;
        };
        for (name, value) in tables.iter() {
            let id = Text::from(name.get_ref().as_ref());
            match value.get_ref() {
                _ if id.is_empty() => {
                    self.found(name.span(), format!("`[{section}.\"\"]` needs a name"));
                }
                DeValue::Table(members) => {
                    all.extend(read(self, &id, name.span(), members).map(|one| (id, one)));
                }
                _ => {
                    let message = format!("write `[{section}.{id}]` and its members below");
                    self.found(name.span(), message);
                }
            }
        }
        all
    }

    /// The members of a table; others are findings.
    pub(super) fn members<'a, 'i>(
        &mut self,
        table: &'a DeTable<'i>,
        known: Known,
    ) -> Members<'a, 'i> {
        let mut given = BTreeMap::new();
        for (name, value) in table.iter() {
            match known.iter().find(|(known, _)| *known == name.get_ref().as_ref()) {
                Some((known, _)) => drop(given.insert(*known, (name.span(), value))),
                None => {
                    let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    self.unknown(name.span(), "key", name.get_ref(), &known);
                }
            }
        }
        Members { known, given }
    }

    /// What a member means, where it is given. One of the wrong kind is a finding.
    pub(super) fn given<T>(
        &mut self,
        members: &Members<'_, '_>,
        member: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = members.get(member)?;
        let read = read(value.get_ref());
        if read.is_none() {
            let known = members.known.iter().find(|(name, _)| *name == member);
            let wanted = known.map_or("", |(_, wanted)| wanted);
            self.found(value.span(), format!("`{member}` must be {wanted}"));
        }
        read
    }

    /// One of the words that are allowed, where it is given.
    pub(super) fn word<T: Copy>(
        &mut self,
        members: &Members<'_, '_>,
        member: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let word = self.given(members, member, text)?;
        let found = words.iter().find(|(known, _)| *known == word);
        if let (None, Some(value)) = (found, members.get(member)) {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            self.unknown(value.span(), member, &word, &known);
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// The members of a table that can have any, as they are written.
    pub(super) fn table<'a, 'i>(
        &mut self,
        members: &Members<'a, 'i>,
        member: &str,
    ) -> Vec<Entry<'a, 'i>> {
        match members.get(member).map(|item| item.get_ref()) {
            None => Vec::new(),
            Some(DeValue::Table(table)) => in_order(table),
            Some(_) => {
                self.given(members, member, |_| None::<()>);
                Vec::new()
            }
        }
    }

    /// A path is taken from the folder of the file, a bare name from `PATH`.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        if name.contains('/') { self.folder.join(name) } else { PathBuf::from(name) }
    }
}

/// A member with its name, and where that is written.
pub(super) type Entry<'a, 'i> = (&'a str, Place, Item<'a, 'i>);

/// What a table has, as it is written.
pub(super) fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Entry<'a, 'i>> {
    let all = table.iter().map(|(name, item)| (name.get_ref().as_ref(), name.span(), item));
    let mut all: Vec<Entry<'a, 'i>> = all.collect();
    all.sort_by_key(|(_, at, _)| at.start);
    all
}

pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

pub(super) fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(super) fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
}

/// Names of variables.
pub(super) fn variables(value: &DeValue<'_>) -> Option<Vec<String>> {
    texts(value).filter(|all| all.iter().all(|name| is_variable(name)))
}

/// Whether it can be the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// A program and what it is always given.
pub(super) fn command(value: &DeValue<'_>) -> Option<Vec<String>> {
    texts(value).filter(|all| all.first().is_some_and(|program| !program.is_empty()))
}

pub(super) fn boolean(value: &DeValue<'_>) -> Option<bool> {
    value.as_bool()
}

pub(super) fn whole(value: &DeValue<'_>) -> Option<NonZeroU32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok().and_then(NonZeroU32::new)
}

pub(super) fn time(value: &DeValue<'_>) -> Option<Duration> {
    match value {
        DeValue::String(text) => duration::parse(text).filter(|time| !time.is_zero()),
        other => whole(other).map(|seconds| Duration::from_secs(seconds.get().into())),
    }
}
