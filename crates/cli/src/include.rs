//! Finds and reads the files that a text includes, and puts them behind it.

use std::io;
use std::path::{Path, PathBuf};

use diagnostics::{Source, Span};
use frontends::{Files, Include, Missing};
use value::Text;

use crate::disk::Disk;

/// How deep files may include files.
const DEPTH_MAX: usize = 64;
/// How many files may be included together. One that is included twice counts twice.
const FILES_MAX: usize = 1_000;
/// How many bytes they may have together.
const BYTES_MAX: usize = 64 << 20;

/// Adds everything that a source includes, as seen from a folder. What a part of it wants is asked
/// of the front-end.
pub(crate) fn include(
    source: &mut Source,
    disk: &Disk,
    here: &Path,
    wanted: impl Fn(&Source, Span) -> Vec<Include>,
) -> Files {
    let name = source.file.clone();
    let (own, part) = (Path::new(&*name), source.part_around(0));
    // Standard input has no folder, and nothing can include it.
    let (folder, path) = match &*name {
        "-" => (here.to_path_buf(), None),
        _ => (folder_of(own), own.canonicalize().ok()),
    };
    let mut including =
        Including { source, disk, here, wanted, files: Files::default(), count: 0, bytes: 0 };
    including.all(part, &folder, &mut vec![Ancestor { path, name: name.clone() }]);
    including.files
}

struct Including<'a, W> {
    source: &'a mut Source,
    disk: &'a Disk,
    here: &'a Path,
    wanted: W,
    files: Files,
    count: usize,
    bytes: usize,
}

/// A file that is being included, or the one that everything begins with.
struct Ancestor {
    /// Where it really is, so that no other name for it hides a cycle.
    path: Option<PathBuf>,
    name: Text,
}

impl<W: Fn(&Source, Span) -> Vec<Include>> Including<'_, W> {
    /// Adds what a part includes, and what that includes. As deep as `DEPTH_MAX` at most.
    fn all(&mut self, part: Span, folder: &Path, chain: &mut Vec<Ancestor>) {
        for include in (self.wanted)(self.source, part) {
            let became = match self.read(&include.path, folder, chain) {
                Ok((file, text)) => {
                    let name: Text = file.to_string_lossy().into();
                    let part = self.source.add(name.clone(), text);
                    chain.push(Ancestor { path: file.canonicalize().ok(), name });
                    self.all(part, &folder_of(&file), chain);
                    chain.pop();
                    Ok(part)
                }
                Err(missing) => Err(missing),
            };
            self.files.keep(include.at, became);
        }
    }

    fn read(
        &mut self,
        path: &str,
        folder: &Path,
        chain: &[Ancestor],
    ) -> Result<(PathBuf, String), Missing> {
        if self.count == FILES_MAX {
            return Err(Missing::TooMany(FILES_MAX));
        }
        if path.contains("://") {
            return Err(Missing::Address);
        }
        let file = find(path, folder, self.here)?;
        let name: Text = file.to_string_lossy().into();
        let unreadable =
            |error: io::Error| Missing::Unreadable { file: name.clone(), why: error.to_string() };
        let real = file.canonicalize().map_err(unreadable)?;
        let is_it = |ancestor: &Ancestor| ancestor.path.as_ref() == Some(&real);
        if let Some(first) = chain.iter().position(is_it) {
            let names = chain[first..].iter().chain([&chain[first]]);
            return Err(Missing::Cycle { chain: names.map(|one| one.name.clone()).collect() });
        }
        if chain.len() > DEPTH_MAX {
            return Err(Missing::TooDeep(DEPTH_MAX));
        }
        let rest = BYTES_MAX - self.bytes;
        let bytes = self.disk.read(&file, rest as u64).map_err(unreadable)?;
        if bytes.len() > rest {
            return Err(Missing::TooLarge(BYTES_MAX));
        }
        self.count += 1;
        self.bytes += bytes.len();
        match String::from_utf8(bytes) {
            Ok(text) => Ok((file, text)),
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(Missing::NotUtf8 { file: name, line })
            }
        }
    }
}

/// In the folder of the file that includes it, in this folder, and in its `modules`.
fn find(path: &str, folder: &Path, here: &Path) -> Result<PathBuf, Missing> {
    let mut looked: Vec<PathBuf> = Vec::with_capacity(3);
    let mut odd = None;
    for place in [folder.join(path), here.join(path), here.join("modules").join(path)] {
        if looked.contains(&place) {
            continue;
        }
        let why = match place.metadata() {
            // What is no regular file may never end.
            Ok(there) if there.is_file() => return Ok(place),
            Ok(there) if there.is_dir() => Some("it is a folder".to_string()),
            Ok(_) => Some("it is no regular file".to_string()),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidFilename => None,
                _ => Some(error.to_string()),
            },
        };
        let file = place.to_string_lossy().into();
        odd = odd.or(why.map(|why| Missing::Unreadable { file, why }));
        looked.push(place);
    }
    let looked = looked.iter().map(|place| place.to_string_lossy().into()).collect();
    Err(odd.unwrap_or(Missing::NotFound { looked }))
}

/// The folder that a file is in, without a `.` that says nothing.
fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    folder.strip_prefix(".").unwrap_or(folder).to_path_buf()
}

#[cfg(test)]
mod tests;
