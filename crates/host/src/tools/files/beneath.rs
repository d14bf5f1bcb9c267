//! Opens what is beneath a folder, and never anything else.
//!
//! A path is not compared with the folder's name: names are aliases, and change while one looks at
//! them. The kernel is asked to walk from the folder's own descriptor and to follow no link and no
//! `..` (`openat2`); where it cannot be asked, each part is opened by itself, without following.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Longer paths were not written to name anything.
const PATH_MAX: usize = 4096;

/// How deep a path may go.
const PARTS_MAX: usize = 128;

/// A path that was given, as the parts that lead down from a folder.
///
/// INVARIANT: no part is empty, `.`, `..`, or holds a slash or a NUL.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inside(Vec<String>);

impl Inside {
    /// Reads a path. What would lead up, or begins at the top, is refused, wherever it would end.
    pub(super) fn read(path: &str) -> Result<Inside, String> {
        if path.len() > PATH_MAX {
            return Err(format!("the path is longer than {PATH_MAX} bytes"));
        }
        if path.contains('\0') {
            return Err("a path has no NUL".to_owned());
        }
        if path.starts_with('/') {
            return Err(format!("`{path}` begins with `/`; paths begin in the tool's folder"));
        }
        let parts: Vec<String> =
            path.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        if parts.iter().any(|part| part == "..") {
            return Err(format!("`{path}` has `..`; nothing outside of the folder can be named"));
        }
        if parts.len() > PARTS_MAX {
            return Err(format!("the path has more than {PARTS_MAX} parts"));
        }
        Ok(Inside(parts))
    }

    /// As it is shown.
    pub(super) fn shown(&self) -> String {
        if self.0.is_empty() { ".".to_owned() } else { self.0.join("/") }
    }

    /// Where it is and what it is called there; nothing for the folder itself.
    pub(super) fn split(&self) -> Option<(Inside, &str)> {
        let (name, parents) = self.0.split_last()?;
        Some((Inside(parents.to_vec()), name))
    }

    pub(super) fn joined(&self, name: &str) -> Inside {
        let mut parts = self.0.clone();
        parts.push(name.to_owned());
        Inside(parts)
    }

    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }
}

/// The folder that everything is beneath. Its own path is the operator's, and may be a link.
pub(super) fn root(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens something beneath. Nothing that is no file or folder is ever waited for.
pub(super) fn open(
    root: impl AsFd,
    inside: &Inside,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(&root, inside.shown(), flags, mode, resolve) {
        // Kernels before 5.6 do not know it, and some sandboxes forbid it.
        Err(Errno::NOSYS | Errno::PERM) => stepwise(root, inside, flags, mode),
        opened => Ok(opened?),
    }
}

/// The same part by part: what is a link fails to open, at whatever moment it became one.
pub(super) fn stepwise(
    root: impl AsFd,
    inside: &Inside,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let Some((parents, name)) = inside.split() else {
        return Ok(rustix::fs::openat(root, ".", flags, mode)?);
    };
    let down = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder: Option<OwnedFd> = None;
    for part in &parents.0 {
        let from = folder.as_ref().map_or(root.as_fd(), AsFd::as_fd);
        folder = Some(rustix::fs::openat(from, part.as_str(), down, Mode::empty())?);
    }
    let from = folder.as_ref().map_or(root.as_fd(), AsFd::as_fd);
    Ok(rustix::fs::openat(from, name, flags | OFlags::NOFOLLOW, mode)?)
}

/// A folder beneath, and those that lead to it, which are made where they are missing.
pub(super) fn folder(root: impl AsFd, inside: &Inside, make: bool) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    match open(&root, inside, flags, Mode::empty()) {
        Err(error) if make && error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let mut there = Inside(Vec::new());
    for part in &inside.0 {
        let parent = open(&root, &there, flags, Mode::empty())?;
        match rustix::fs::mkdirat(&parent, part.as_str(), Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        there = there.joined(part);
    }
    open(&root, inside, flags, Mode::empty())
}

/// Opens a file, and nothing that only looks like one: a pipe or a device is given back at once.
pub(super) fn file(
    root: impl AsFd,
    inside: &Inside,
    flags: OFlags,
    mode: Mode,
) -> io::Result<File> {
    let opened = open(root, inside, flags, mode)?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode);
    match kind {
        FileType::RegularFile => Ok(File::from(opened)),
        FileType::Directory => Err(io::Error::other("it is a folder")),
        _ => Err(io::Error::other("it is no file")),
    }
}

/// What stands at a name of a folder, without following it.
pub(super) fn kind_at(folder: impl AsFd, name: &OsStr) -> io::Result<(FileType, u64)> {
    let found = rustix::fs::statat(folder, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW)?;
    let length = u64::try_from(found.st_size).unwrap_or(0);
    Ok((FileType::from_raw_mode(found.st_mode), length))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Both ways to walk agree on what is beneath.
    #[test]
    fn part_by_part_is_the_same_walk() {
        let folder = std::env::temp_dir().join(format!("quipu-beneath-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("root/deep")).unwrap();
        std::fs::write(folder.join("root/deep/a"), "a").unwrap();
        std::fs::write(folder.join("outside"), "secret").unwrap();
        for (to, name) in [("../outside", "file"), ("..", "up"), ("deep", "inside"), ("/", "top")] {
            symlink(to, folder.join("root").join(name)).unwrap();
        }
        let root = root(&folder.join("root")).unwrap();
        let mut told = Vec::new();
        let paths =
            ["deep/a", "deep", ".", "file", "up/outside", "inside/a", "top/etc", "deep/a/x"];
        for path in paths {
            let inside = Inside::read(path).unwrap();
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let asked = open(&root, &inside, flags, Mode::empty()).is_ok();
            let walked = stepwise(&root, &inside, flags | OFlags::NOFOLLOW, Mode::empty()).is_ok();
            assert_eq!(asked, walked, "{path}");
            told.extend(asked.then_some(path));
        }
        assert_eq!(told, ["deep/a", "deep", "."]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
