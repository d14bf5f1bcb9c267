//! What is in a folder, and in the folders in it, within bounds.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Dir, FileType, Mode, OFlags};
use value::Value;

use super::beneath::{self, Inside};
use super::operations::{TEMPORARY, told};

/// How many names of a folder are told.
const NAMES_MAX: usize = 10_000;

/// How many files and folders a search looks at.
const LOOKS_MAX: usize = 20_000;

/// How deep a search goes.
const DEPTH_MAX: usize = 32;

/// A folder's names in order, each with what stands there; and whether there are more.
type Names = (Vec<(String, FileType, u64)>, bool);

/// Names that are no UTF-8 are left out: no call could name them.
fn names(folder: OwnedFd, names_max: usize) -> Result<Names, String> {
    let failed = |error| format!("the folder cannot be read: {error}");
    let mut found = Vec::new();
    let mut is_cut = false;
    let entries = Dir::read_from(folder.as_fd()).map_err(failed)?;
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let bytes = entry.file_name().to_bytes();
        let Ok(name) = std::str::from_utf8(bytes) else { continue };
        if matches!(name, "." | "..") || name.starts_with(TEMPORARY) {
            continue;
        }
        if found.len() == names_max {
            is_cut = true;
            break;
        }
        // What is gone meanwhile is not there.
        if let Ok((kind, length)) = beneath::kind_at(&folder, OsStr::from_bytes(bytes)) {
            found.push((name.to_owned(), kind, length));
        }
    }
    found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Ok((found, is_cut))
}

/// What is in a folder.
pub(super) fn list(root: &OwnedFd, inside: &Inside) -> Result<Value, String> {
    let folder = beneath::folder(root, inside, false).map_err(|error| told(inside, &error))?;
    let (names, is_cut) = names(folder, NAMES_MAX)?;
    let entries = names.into_iter().map(|(name, kind, length)| {
        let kind_word = match kind {
            FileType::RegularFile => "file",
            FileType::Directory => "folder",
            FileType::Symlink => "link",
            _ => "other",
        };
        let mut members = vec![("name", Value::from(name)), ("kind", kind_word.into())];
        if kind == FileType::RegularFile {
            members.push(("bytes", i64::try_from(length).unwrap_or(i64::MAX).into()));
        }
        Value::map(members)
    });
    Ok(Value::map([("entries", Value::list(entries)), ("is_cut", is_cut.into())]))
}

/// Goes over the files beneath a folder, in the order of their names.
pub(super) struct Walk<'r> {
    root: &'r OwnedFd,
    /// What is still to be looked at, the next one last.
    left: Vec<(Inside, FileType)>,
    looks: usize,
    is_cut: bool,
}

impl<'r> Walk<'r> {
    pub(super) fn new(root: &'r OwnedFd, inside: &Inside) -> Result<Walk<'r>, String> {
        let there = beneath::folder(root, inside, false);
        let kind = match there {
            Ok(_) => FileType::Directory,
            // It may be a file, and then that one is searched.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                let file = beneath::file(root, inside, OFlags::RDONLY, Mode::empty());
                file.map_err(|error| told(inside, &error))?;
                FileType::RegularFile
            }
            Err(error) => return Err(told(inside, &error)),
        };
        Ok(Walk { root, left: vec![(inside.clone(), kind)], looks: 0, is_cut: false })
    }

    pub(super) fn next_file(&mut self) -> Option<Inside> {
        while let Some((next, kind)) = self.left.pop() {
            if self.looks == LOOKS_MAX {
                self.is_cut = true;
                return None;
            }
            self.looks += 1;
            match kind {
                FileType::RegularFile => return Some(next),
                FileType::Directory => self.enter(&next),
                _ => {}
            }
        }
        None
    }

    fn enter(&mut self, inside: &Inside) {
        if inside.depth() >= DEPTH_MAX {
            self.is_cut = true;
            return;
        }
        let Ok(folder) = beneath::folder(self.root, inside, false) else { return };
        let Ok((names, is_cut)) = names(folder, NAMES_MAX) else { return };
        self.is_cut |= is_cut;
        let inner = names.into_iter().rev().map(|(name, kind, _)| (inside.joined(&name), kind));
        self.left.extend(inner);
    }

    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Whether there was more than was looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}
