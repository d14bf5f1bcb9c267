//! `quipu check --fix`: fixes that need nobody's consent, until there are none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use diagnostics::{Anchor, Diagnostic, Edit, Fix, Source, Span};
use value::{Text, Value};

use crate::args::Check;
use crate::disk::Disk;
use crate::load::Loaded;

/// A fix may make room for another one; two that undo each other must end all the same.
const ROUNDS_MAX: usize = 10;

/// What was fixed, and what is left.
pub(super) struct Fixing {
    /// The files as they are afterwards.
    pub(super) files: Vec<Loaded>,
    /// In the order in which it was done.
    pub(super) fixed: Vec<Fixed>,
    /// What is to be written.
    pub(super) disk: Disk,
}

/// A finding that is gone.
pub(super) struct Fixed {
    pub(super) file: Text,
    code: &'static str,
    title: String,
}

impl Fixed {
    pub(super) fn value(&self) -> Value {
        Value::map([
            ("file", Value::Text(self.file.clone())),
            ("code", self.code.into()),
            ("title", self.title.as_str().into()),
        ])
    }
}

/// Applies fixes and checks again. Nothing is written yet.
pub(super) fn fix(
    arguments: &Check,
    read: impl Fn(&Disk, &str) -> Result<Loaded>,
) -> Result<Fixing> {
    if arguments.files.iter().any(|file| file == "-") {
        bail!("standard input cannot be fixed; give `--fix` a file");
    }
    let mut disk = Disk::default();
    let mut files =
        arguments.files.iter().map(|file| read(&disk, file)).collect::<Result<Vec<_>>>()?;
    let mut fixed = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let mut round = Round::default();
        for file in &files {
            for finding in &file.findings {
                round.take(&file.source, finding);
            }
        }
        if round.fixed.is_empty() {
            break;
        }
        round.apply(&mut disk);
        fixed.append(&mut round.fixed);
        for file in files.iter_mut().filter(|file| round.touches(&file.source)) {
            *file = read(&disk, &file.source.file)?;
        }
    }
    Ok(Fixing { files, fixed, disk })
}

/// Fixes that can be applied together.
#[derive(Default)]
struct Round {
    texts: BTreeMap<PathBuf, Edited>,
    fixed: Vec<Fixed>,
}

/// A text and its changes, by where they begin. They do not overlap.
struct Edited {
    name: Text,
    before: String,
    changes: BTreeMap<usize, Change>,
}

#[derive(Clone, PartialEq)]
struct Change {
    end: usize,
    text: String,
}

impl Round {
    /// Takes the fix of a finding, all of it or nothing. What overlaps an earlier one must wait for
    /// the next round; what is the same was found twice, in a file that is included twice.
    fn take(&mut self, source: &Source, finding: &Diagnostic) {
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safe) else { return };
        let Some(places) = places(source, fix) else { return };
        let mut is_new = false;
        for (path, range, edit) in &places {
            let Some(edited) = self.texts.get(path) else {
                is_new = true;
                continue;
            };
            match edited.changes.get(&range.start) {
                Some(same) if same.end == range.end && same.text == edit.text => {}
                None if edited.is_free(range) => is_new = true,
                _ => return,
            }
        }
        if !is_new {
            return;
        }
        for (path, range, edit) in places {
            let edited = self.texts.entry(path).or_insert_with(|| {
                let at = edit.at.span().start;
                let before = source.text[source.part_around(at).range()].to_string();
                Edited { name: source.file_at(at).clone(), before, changes: BTreeMap::new() }
            });
            edited.changes.insert(range.start, Change { end: range.end, text: edit.text.clone() });
        }
        let file = source.file_at(finding.at.span().start).clone();
        self.fixed.push(Fixed { file, code: finding.code.id, title: fix.title.clone() });
    }

    fn apply(&self, disk: &mut Disk) {
        for (path, edited) in &self.texts {
            disk.change(path.clone(), edited.name.clone(), edited.before.clone(), edited.after());
        }
    }

    /// Whether it changes a text that a source is made of.
    fn touches(&self, source: &Source) -> bool {
        source.parts().any(|(file, _)| {
            Path::new(&**file).canonicalize().is_ok_and(|path| self.texts.contains_key(&path))
        })
    }
}

impl Edited {
    /// Whether nothing else changes there.
    fn is_free(&self, range: &Range<usize>) -> bool {
        let before = self.changes.range(..=range.start).next_back();
        let after = self.changes.range(range.start..).next();
        before.is_none_or(|(start, change)| *start < range.start && change.end <= range.start)
            && after.is_none_or(|(start, _)| *start >= range.end)
    }

    /// The text with its changes, and with line ends as it has them.
    fn after(&self) -> String {
        let line = self.before.find('\n').map(|end| &self.before[..end]);
        let has_returns = line.is_some_and(|line| line.ends_with('\r'));
        let mut after = String::with_capacity(self.before.len());
        let mut at = 0;
        for (start, change) in &self.changes {
            after.push_str(&self.before[at..*start]);
            match has_returns {
                true => after.push_str(&change.text.replace("\r\n", "\n").replace('\n', "\r\n")),
                false => after.push_str(&change.text),
            }
            at = change.end;
        }
        after.push_str(&self.before[at..]);
        after
    }
}

type Placed<'a> = (PathBuf, Range<usize>, &'a Edit);

/// The files that a fix changes, and where. Nothing where a place is not known, or where two of
/// its edits are in each other's way.
fn places<'a>(source: &Source, fix: &'a Fix) -> Option<Vec<Placed<'a>>> {
    let mut placed: Vec<Placed<'_>> = Vec::with_capacity(fix.edits.len());
    for edit in &fix.edits {
        let span = match &edit.at {
            Anchor::Span(span) => *span,
            // What was not found is said to be at the beginning, but is not.
            Anchor::Located(span, _) if *span != Span::default() => *span,
            Anchor::Located(..) | Anchor::Pointer(..) => return None,
        };
        let part = source.part_around(span.start);
        if source.within_file(span) != span || source.text.get(span.range()).is_none() {
            return None;
        }
        let path = Path::new(&**source.file_at(span.start)).canonicalize().ok()?;
        let start = part.range().start;
        placed.push((path, span.range().start - start..span.range().end - start, edit));
    }
    placed.sort_by(|one, other| (&one.0, one.1.start).cmp(&(&other.0, other.1.start)));
    let are_apart = |pair: &[Placed<'_>]| {
        pair[0].0 != pair[1].0
            || (pair[0].1.end <= pair[1].1.start && pair[0].1.start < pair[1].1.start)
    };
    (!placed.is_empty() && placed.windows(2).all(are_apart)).then_some(placed)
}

#[cfg(test)]
mod tests;
