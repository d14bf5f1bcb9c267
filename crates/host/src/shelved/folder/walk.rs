//! Goes through a folder without ever leaving it: every name is opened in the folder that it was
//! read from, and no link is followed.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::FolderLimits;

/// So deep folders may lie in each other.
const DEPTH_MAX: usize = 32;

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) seconds: i64,
    nanoseconds: i64,
    size: u64,
    /// A file that was put in the place of another.
    inode: u64,
}

/// A file that was met.
pub(super) struct Seen<'w> {
    /// From the folder on, with `/` between its parts.
    pub(super) path: &'w str,
    pub(super) stamp: Stamp,
    folder: BorrowedFd<'w>,
    name: &'w str,
}

impl Seen<'_> {
    /// What is in it; nothing where that is more than so much, or it cannot be read.
    pub(super) fn bytes(&self, most: u64) -> Option<Vec<u8>> {
        if self.stamp.size > most {
            return None;
        }
        // It may be another by now: a link is not followed, and a pipe would make us wait.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(self.folder, self.name, flags, Mode::empty()).ok()?);
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most).then_some(bytes)
    }
}

/// Shows every text file, in the order of their names. What begins with a point is hidden, and
/// stays so.
pub(super) fn files(
    path: &Path,
    endings: &[String],
    limits: FolderLimits,
    see: &mut dyn FnMut(Seen<'_>),
) -> Result<(), String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty());
    let folder = folder.map_err(|error| format!("it cannot be opened: {}", io(error)))?;
    let mut walk = Walk { endings, limits, files: 0, bytes: 0, see };
    walk.folder(&folder, "", 0)
}

struct Walk<'w> {
    endings: &'w [String],
    limits: FolderLimits,
    files: usize,
    bytes: u64,
    see: &'w mut dyn FnMut(Seen<'_>),
}

impl Walk<'_> {
    fn folder(&mut self, folder: &OwnedFd, path: &str, depth: usize) -> Result<(), String> {
        let place = if path.is_empty() { "." } else { path };
        if depth > DEPTH_MAX {
            return Err(format!("`{place}` lies more than {DEPTH_MAX} folders deep"));
        }
        let unreadable = |error| format!("`{place}` cannot be read: {}", io(error));
        let mut names: Vec<String> = Vec::new();
        for entry in Dir::read_from(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // A name that is no text could not be told to anybody.
            let name = entry.file_name().to_str().ok().filter(|name| !name.starts_with('.'));
            names.extend(name.map(str::to_owned));
        }
        names.sort_unstable();
        for name in names {
            let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            // What has gone since is not there.
            let Ok(stat) = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    let flags =
                        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    match openat(folder, &name, flags, Mode::empty()) {
                        Ok(inner) => self.folder(&inner, &below, depth + 1)?,
                        // It has become something else.
                        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                        Err(error) => {
                            return Err(format!("`{below}` cannot be opened: {}", io(error)));
                        }
                    }
                }
                FileType::RegularFile if self.is_text(&name) => {
                    let stamp = Stamp {
                        seconds: stat.st_mtime,
                        nanoseconds: i64::try_from(stat.st_mtime_nsec).unwrap_or(0),
                        size: u64::try_from(stat.st_size).unwrap_or(u64::MAX),
                        inode: stat.st_ino,
                    };
                    self.count(stamp)?;
                    (self.see)(Seen { path: &below, stamp, folder: folder.as_fd(), name: &name });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&mut self, stamp: Stamp) -> Result<(), String> {
        self.files += 1;
        if stamp.size <= self.limits.file_bytes_max {
            self.bytes = self.bytes.saturating_add(stamp.size);
        }
        if self.files > self.limits.files_max {
            return Err(format!("it has more than {} text files", self.limits.files_max));
        }
        if self.bytes > self.limits.bytes_max {
            return Err(format!("its text files have more than {} bytes", self.limits.bytes_max));
        }
        Ok(())
    }

    fn is_text(&self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        ending.is_some_and(|ending| self.endings.contains(&ending))
    }
}

fn io(error: Errno) -> std::io::Error {
    error.into()
}
